"""The command line: `trivalent` and its subcommands.

A subcommand is a module with ``add_arguments(parser)`` and ``main(arguments)``, which returns the
exit code; with ``CATCHES_INTERRUPTS = True`` if ``main`` catches KeyboardInterrupt.  Only the one
that runs is imported, so that `trivalent gtp` answers at once.
"""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys
from contextlib import nullcontext
from importlib import import_module
from typing import TYPE_CHECKING

from trivalent.core import VERSION
from trivalent.tools.common.endings import handling, run_program
from trivalent.tools.common.option_values import refuse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from _typeshed import SupportsWrite

COMMANDS = {
    "gtp": "run the engine: GTP on standard input and output",
    "serve": "run a TCP server that gives every connection its own engine",
    "connect": "connect a GUI to a remote engine",
    "doctor": "check that kernels and search work on this machine, and describe the machine",
    "convert": "convert a game record to another format, or draw its position",
    "review": "review a game: what each move cost, where the game was lost, and why",
    "solve": "determine who wins a position with perfect play, and prove it",
    "puzzle": "find positions with exactly one winning move, or check existing puzzles",
    "explain": "explain in words why a cell is dead or two points are connected",
    "verify": "check a proof written by `trivalent solve`",
    "swapmap": "draw a map of the openings that should be swapped",
    "book": "make, show, check and convert opening books",
    "tournament": "play engines against each other and rate them",
    "train": "train a network by self-play",
    "bench": "measure speed and playing strength",
}
"""The subcommands, each a module of `trivalent.tools.commands`, with a one-line description."""


def _fill_standard_streams() -> None:
    """Open closed standard streams on /dev/null, so that no file takes their number."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(descriptor)
    # Python has set those that were closed to None, which nothing can be written to.
    sys.stdin = sys.stdin or os.fdopen(0, closefd=False)
    sys.stdout = sys.stdout or os.fdopen(1, "w", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", closefd=False)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code."""
    _fill_standard_streams()
    return run_program(lambda: _run(sys.argv[1:] if argv is None else list(argv)))


class _Parser(argparse.ArgumentParser):
    """A parser that passes on that help can't be written, for `run_program` to report."""

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        if file is sys.stdout:
            file.write(message)
        else:
            super()._print_message(message, file)


def _run(words: list[str]) -> int:
    parser = _Parser(prog="trivalent", description="Bot server for the connection games Hex and Y.")
    parser.add_argument("--version", action="version", version=f"trivalent {VERSION}")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    called = next((word for word in words if not word.startswith("-")), "")
    for name, purpose in COMMANDS.items():
        subparser = subparsers.add_parser(
            name, help=purpose, description=purpose[0].upper() + purpose[1:]
        )
        if name == called:
            try:
                command = import_module(f"trivalent.tools.commands.{name}")
            except ImportError as error:  # such as an instruction set that this machine lacks
                refuse(parser)(str(error))
            command.add_arguments(subparser)
            subparser.set_defaults(
                main=command.main,
                fail=refuse(subparser),
                catches_interrupts=getattr(command, "CATCHES_INTERRUPTS", False),
            )
    arguments = parser.parse_args(words)
    logging.basicConfig(format="%(name)s: %(message)s", stream=sys.stderr)
    catching = handling(signal.default_int_handler, signal.SIGINT)
    with catching if arguments.catches_interrupts else nullcontext():
        exit_code: int = arguments.main(arguments)
    return exit_code
