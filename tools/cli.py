"""The command line: `trivalent` and its subcommands.

Subcommands import what they need when they run: `trivalent gtp` has to answer at once.
"""

from __future__ import annotations

import argparse
import logging
import sys
from typing import TYPE_CHECKING

from trivalent.core import VERSION

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="trivalent", description="Bot server for the connection games Hex and Y."
    )
    parser.add_argument("--version", action="version", version=f"trivalent {VERSION}")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_gtp(subparsers.add_parser("gtp", help="play through GTP on standard input and output"))
    arguments = parser.parse_args(argv)
    logging.basicConfig(format="%(name)s: %(message)s", stream=sys.stderr)
    if arguments.command == "gtp":
        return _gtp(parser, arguments)
    raise AssertionError(arguments.command)


def _add_gtp(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--game", choices=("hex", "y"), default="hex", help="default: hex")
    parser.add_argument(
        "--boardsize", type=int, default=11, metavar="N", help="size at the start (default: 11)"
    )
    parser.add_argument(
        "--player", default="uct", metavar="NAME", help="who plays: uct (default) or random"
    )
    parser.add_argument(
        "--seconds", type=_positive_float, metavar="S", help="most seconds a move (default: 1)"
    )
    parser.add_argument(
        "--nodes", type=_positive_int, metavar="N", help="most playouts a move (default: no limit)"
    )
    parser.add_argument("--seed", metavar="N", help="seed of the player, as --set seed=N")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="set a parameter of the player; --set help lists them",
    )
    parser.add_argument("--quiet", action="store_true", help="no diagnostics on standard error")


def _positive_float(text: str) -> float:
    value = float(text)
    if not 0 < value <= 1e9:
        raise ValueError
    return value


def _positive_int(text: str) -> int:
    value = int(text)
    if value < 1:
        raise ValueError
    return value


_positive_float.__name__ = "positive number"
_positive_int.__name__ = "positive whole number"


def _gtp(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> int:
    import signal

    from trivalent.bot.player import Limits
    from trivalent.bot.players import PARAMETERS, make_player
    from trivalent.core.board import make_board
    from trivalent.gtp.commands import COMMANDS
    from trivalent.gtp.session import Session
    from trivalent.gtp.stream import serve

    if arguments.set == ["help"] and arguments.player in PARAMETERS:
        sys.stdout.write(PARAMETERS[arguments.player].explain() + "\n")
        return 0
    values = {}
    for setting in arguments.set:
        key, equals, value = setting.partition("=")
        if not equals:
            parser.error(f"--set wants KEY=VALUE, not {setting!r}")
        values[key] = value
    if arguments.seed is not None:
        values["seed"] = arguments.seed
    try:
        board = make_board(arguments.game, arguments.boardsize)
        player = make_player(arguments.player, values)
    except ValueError as error:
        parser.error(str(error))
    if arguments.quiet:
        logging.disable()
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends without a traceback
    limits = Limits(nodes=arguments.nodes, seconds=arguments.seconds)
    serve(Session(player, COMMANDS, board=board, limits=limits), 0, 1)
    return 0
