"""Programs run by one instruction set at a time; the fixture is in conftest.py."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class InstructionSet:
    """An instruction set that this machine has and the kernels were compiled for."""

    name: str

    def run(self, *program: str) -> str:
        """Run Python with these arguments and our helpers; return what the program prints.

        The program must end well and leave stderr empty.
        """
        done = subprocess.run(
            [sys.executable, *program],
            env=os.environ | {"TRIVALENT_ISA": self.name, "PYTHONPATH": str(Path(__file__).parent)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stderr == ""
        assert done.returncode == 0
        return done.stdout
