"""The command line: `trivalent` and its subcommands.

A subcommand is a module with ``add_arguments(parser)`` and ``main(arguments)``, the exit code.  It
is imported only when it is called for: `trivalent gtp` has to answer at once.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING

from trivalent.core import VERSION

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMANDS = {
    "gtp": "play through GTP on standard input and output",
    "serve": "serve engines over TCP",
    "connect": "be the engine that a server has, for a GUI",
    "doctor": "say which instruction set runs, and whether all is well",
    "convert": "convert a game record, or draw it",
    "solve": "say who wins a position, by which moves, and why",
    "puzzle": "find positions with one winning move, or check them",
    "explain": "say why cells are filled in, or points connected",
    "verify": "check a proof of who wins",
    "swapmap": "draw which openings to swap",
    "tournament": "let engines play each other, and rate them",
    "bench": "time the connection tests, random playouts or the search",
}
"""The subcommands, each a module of `trivalent.tools.commands`, and what they do."""


def _fill_standard_descriptors() -> None:
    """Let those that are closed lead nowhere, so that no file or socket takes their place."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(descriptor)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code."""
    _fill_standard_descriptors()
    words = sys.argv[1:] if argv is None else list(argv)
    parser = argparse.ArgumentParser(
        prog="trivalent", description="Bot server for the connection games Hex and Y."
    )
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
            except ImportError as error:  # such as an instruction set that is not there
                parser.error(str(error))
            command.add_arguments(subparser)
            subparser.set_defaults(main=command.main, fail=subparser.error)
    arguments = parser.parse_args(words)
    logging.basicConfig(format="%(name)s: %(message)s", stream=sys.stderr)
    try:
        exit_code: int = arguments.main(arguments)
        if sys.stdout:  # which is None where it was closed from the start
            sys.stdout.flush()
    except OSError as error:  # such as a full disk behind standard output
        sys.stderr.write(f"trivalent: {error}\n")
        return 1
    return exit_code
