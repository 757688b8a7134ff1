"""Helpers for the tests of benchmarks."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys

from trivalent.tools.commands import bench


def parse(*words: str) -> argparse.Namespace:
    """Parse the options of ``trivalent bench``."""
    parser = argparse.ArgumentParser(prog="trivalent bench")
    bench.add_arguments(parser)
    parser.set_defaults(fail=parser.error)
    return parser.parse_args(words)


def printed(name: str, program: str) -> list[str]:
    """Run a Python program with an instruction set; return the words that it prints."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"TRIVALENT_ISA": name},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()
