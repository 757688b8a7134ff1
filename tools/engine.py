"""``trivalent gtp``: the engine that GUIs and scripts start.

It has to answer its first command at once, so it imports neither numpy nor rich.
"""

from __future__ import annotations

import logging
import os
import select
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from trivalent.bot.player import Limits
from trivalent.bot.players import PARAMETERS, make_player
from trivalent.core.board import make_board
from trivalent.gtp.commands import COMMANDS
from trivalent.gtp.session import Session
from trivalent.gtp.stream import serve

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``trivalent gtp``."""
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
    parser.add_argument(
        "--logfile-name", metavar="FILE", help="add diagnostics to that file, not standard error"
    )


def _positive_float(text: str) -> float:
    value = float(text)
    if not 0 < value <= 1e9:
        raise ValueError
    return value


def _positive_int(text: str) -> int:
    value = int(text)
    if not 1 <= value <= 10**15:  # which no search will ever reach
        raise ValueError
    return value


_positive_float.__name__ = "positive number"
_positive_int.__name__ = "whole number from 1 to 10**15"


class _StandardError(logging.Handler):
    """Writes to standard error what it takes at once: a controller may never read it."""

    def emit(self, record: logging.LogRecord) -> None:
        text = f"{self.format(record)}\n".encode(errors="backslashreplace")
        poll = select.poll()
        poll.register(2, select.POLLOUT)
        # A pipe that takes anything takes this many bytes.
        while text and poll.poll(0) == [(2, select.POLLOUT)]:
            chunk, text = text[: select.PIPE_BUF], text[select.PIPE_BUF :]
            with suppress(OSError):
                os.write(2, chunk)


def main(arguments: argparse.Namespace) -> int:
    """Run ``trivalent gtp`` and return the exit code."""
    if arguments.player not in PARAMETERS:
        arguments.fail(f"unknown player {arguments.player!r} (known: {', '.join(PARAMETERS)})")
    if "help" in arguments.set:
        sys.stdout.write(PARAMETERS[arguments.player].explain() + "\n")
        return 0
    values = {}
    for setting in arguments.set:
        key, equals, value = setting.partition("=")
        if not equals:
            arguments.fail(f"--set wants KEY=VALUE, not {setting!r}")
        values[key] = value
    if arguments.seed is not None:
        values["seed"] = arguments.seed
    try:
        board = make_board(arguments.game, arguments.boardsize)
        player = make_player(arguments.player, values)
    except ValueError as error:
        arguments.fail(str(error))
    handler: logging.Handler = logging.NullHandler() if arguments.quiet else _StandardError()
    if arguments.logfile_name:
        try:
            handler = logging.FileHandler(arguments.logfile_name, encoding="utf-8")
        except OSError as error:
            arguments.fail(f"--logfile-name: {error}")
    logging.basicConfig(format="%(name)s: %(message)s", handlers=[handler], force=True)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not ignored by who began us
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends without a traceback
    limits = Limits(nodes=arguments.nodes, seconds=arguments.seconds)
    serve(Session(player, COMMANDS, board=board, limits=limits), 0, 1)
    return 0
