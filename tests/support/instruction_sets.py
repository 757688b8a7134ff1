"""Programs run by one instruction set at a time; the fixture is in conftest.py."""

import os
import subprocess
import sys
from dataclasses import dataclass

from places import ROOT


@dataclass(frozen=True)
class InstructionSet:
    """An instruction set that this machine has and the kernels were compiled for."""

    name: str

    def run(self, *program: str, given: bytes = b"") -> str:
        """Run Python with these arguments and with `given` as input; return what it prints.

        The program finds the helpers of the tests; it must exit with 0 and leave stderr empty.
        """
        done = subprocess.run(
            [sys.executable, *program],
            env=os.environ
            | {"TRIVALENT_ISA": self.name, "PYTHONPATH": str(ROOT / "tests" / "support")},
            input=given,
            capture_output=True,
            check=False,
        )
        assert done.stderr.decode() == ""
        assert done.returncode == 0
        return done.stdout.decode()
