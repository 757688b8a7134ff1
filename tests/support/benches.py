"""Helpers for the tests of benchmarks."""

from __future__ import annotations

import argparse

from trivalent.tools.commands import bench


def parse(*words: str) -> argparse.Namespace:
    """Parse the options of ``trivalent bench``."""
    parser = argparse.ArgumentParser(prog="trivalent bench")
    bench.add_arguments(parser)
    parser.set_defaults(fail=parser.error)
    return parser.parse_args(words)
