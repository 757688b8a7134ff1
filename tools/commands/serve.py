"""``trivalent serve``: engines for whoever connects."""

from __future__ import annotations

import logging
import signal
import sys
from typing import TYPE_CHECKING

from trivalent.gtp.engine.stream import RATE_WINDOW, StreamLimits
from trivalent.gtp.server import LOGGER, Server, ServerLimits, listen
from trivalent.tools.commands.connect import PORT
from trivalent.tools.common import session_options as session
from trivalent.tools.common.logs import JsonLines, StandardError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from trivalent.gtp.engine.session import Session

LIMITS = ServerLimits()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``trivalent serve``."""
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        metavar="ADDRESS",
        help="where to listen (default: 127.0.0.1)",
    )
    parser.add_argument(
        "--port",
        type=_whole(0, 65535),
        default=PORT,
        metavar="N",
        help=f"default: {PORT}; 0: any free one, which the log tells",
    )
    parser.add_argument(
        "--public",
        action="store_true",
        help="allow an address that other machines reach: there is no password and no encryption",
    )
    parser.add_argument(
        "--log", metavar="FILE", help="add the log to that file, not standard error: JSON lines"
    )
    _add_limits(parser.add_argument_group("limits"))
    session.add_arguments(parser)


def _add_limits(group: argparse._ArgumentGroup) -> None:
    def add(option: str, kind: object, default: float | None, metavar: str, meaning: str) -> None:
        group.add_argument(
            option,
            type=kind,  # type: ignore[arg-type]
            default=default,
            metavar=metavar,
            help=f"{meaning} (default: %(default)s)",
        )

    stream = LIMITS.stream
    add("--sessions", _whole(1, 10_000), LIMITS.sessions, "N", "most connections at a time")
    add(
        "--memory",
        _whole(64, 1 << 20),
        LIMITS.memory,
        "MIB",
        "most memory of a session; a quarter of it for the tree",
    )
    add(
        "--max-seconds",
        session.positive_float,
        60.0,
        "S",
        "most seconds a move, whatever the client asks for",
    )
    add(
        "--idle",
        session.positive_float,
        stream.idle,
        "S",
        "most seconds without a command; a stream ends then, its connection later",
    )
    add(
        "--unread",
        session.positive_float,
        stream.write,
        "S",
        "most seconds in which a client reads nothing of what it is sent",
    )
    add("--line", _whole(80, 1 << 30), stream.line, "BYTES", "longest line")
    add(
        "--rate",
        session.positive_float,
        stream.rate,
        "N",
        f"most commands a second, averaged over {RATE_WINDOW:.0f} s; faster ones wait",
    )
    add(
        "--grace",
        session.positive_float,
        LIMITS.grace,
        "S",
        "most seconds that replies may take when the server is told to end",
    )


def _whole(low: int, high: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        value = int(text)
        if not low <= value <= high:
            raise ValueError
        return value

    number.__name__ = f"whole number from {low} to {high}"
    return number


def main(arguments: argparse.Namespace) -> int:
    """Run ``trivalent serve`` and return the exit code."""
    if session.asked_for_help(arguments, files=False):
        return 0

    # Sessions share the cores, and the tree is not all that a session has in memory.
    defaults = {"threads": "1", "memory": str(arguments.memory // 4)}

    def make_session() -> Session:
        return session.make_session(
            arguments, files=False, max_seconds=arguments.max_seconds, defaults=defaults
        )

    make_session()  # says what is wrong with the options, and imports what sessions need
    _begin_log(arguments)
    limits = ServerLimits(
        sessions=arguments.sessions,
        memory=arguments.memory,
        grace=arguments.grace,
        stream=StreamLimits(
            line=arguments.line,
            idle=arguments.idle,
            write=arguments.unread,
            rate=arguments.rate,
        ),
    )
    where = f"{arguments.host}, port {arguments.port}"
    try:
        listener = listen(arguments.host, arguments.port, public=arguments.public)
        server = Server(listener, make_session, limits)
    except OSError as error:
        reason = (error.strerror or str(error)).partition(" (")[0]
        arguments.fail(f"cannot listen on {where}: {reason}")
    except ValueError as error:
        arguments.fail(str(error))
    if arguments.public:
        sys.stderr.write(
            f"trivalent serve: warning: whoever reaches {where} can play, there is no password; "
            "and whoever is on the way can listen, there is no encryption\n"
        )

    def hear(*_: object) -> None:
        # Once is enough: many would pile up, and the interpreter gives up handlers as it ends.
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        server.stop()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, hear)
    server.run()
    return 0


def _begin_log(arguments: argparse.Namespace) -> None:
    handler: logging.Handler = StandardError()
    if arguments.log:
        try:
            handler = logging.FileHandler(arguments.log, encoding="utf-8")
        except OSError as error:
            arguments.fail(f"--log: {error}")
    handler.setFormatter(JsonLines())
    logging.basicConfig(handlers=[handler], force=True)
    logging.raiseExceptions = False  # a full disk: its traceback on standard error might block
    LOGGER.setLevel(logging.INFO)
