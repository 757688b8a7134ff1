"""``trivalent serve``: a TCP server that gives every connection its own engine."""

from __future__ import annotations

import logging
import signal
import sys
from typing import TYPE_CHECKING

from trivalent.gtp.engine.stream import RATE_WINDOW, StreamLimits
from trivalent.gtp.server import LOGGER, Server, ServerLimits, listen
from trivalent.tools.commands.connect import PORT
from trivalent.tools.common import session_options
from trivalent.tools.common.logs import JsonLines, StandardError
from trivalent.tools.common.option_values import integer, positive_float
from trivalent.tools.common.output_files import file_name
from trivalent.tools.common.renamed_options import accept_former_name

if TYPE_CHECKING:
    import argparse

    from trivalent.gtp.engine.session import Session

LIMITS = ServerLimits()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``trivalent serve``."""
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        metavar="ADDRESS",
        help="address to listen on (default: 127.0.0.1)",
    )
    parser.add_argument(
        "--port",
        type=integer(0, 65535),
        default=PORT,
        metavar="N",
        help=f"port to listen on (default: {PORT}; 0 picks a free port and logs its number)",
    )
    parser.add_argument(
        "--public",
        action="store_true",
        help="allow --host to be an address that other machines can reach; connections have no "
        "password and no encryption",
    )
    parser.add_argument(
        "--log",
        type=file_name,
        metavar="FILE",
        help="append the log (JSON lines) to FILE instead of standard error",
    )
    _add_limits(parser.add_argument_group("limits"))
    session_options.add_arguments(parser)


def _add_limits(group: argparse._ArgumentGroup) -> None:
    def add(
        option: str, kind: object, default: float | None, metavar: str, meaning: str
    ) -> argparse.Action:
        assert default is not None  # a server limits everything
        return group.add_argument(
            option,
            type=kind,  # type: ignore[arg-type]
            default=default,
            metavar=metavar,
            help=f"{meaning} (default: {default:.0f})",
        )

    stream = LIMITS.stream
    add(
        "--sessions",
        integer(1, 10_000),
        LIMITS.sessions,
        "N",
        "maximum number of simultaneous connections",
    )
    add(
        "--memory",
        integer(64, 1 << 20),
        LIMITS.memory,
        "MIB",
        "maximum memory per session; the tree gets a quarter of it",
    )
    max_seconds = add(
        "--max-seconds",
        positive_float,
        60.0,
        "S",
        "maximum time per move in seconds, whatever the client asks for",
    )
    accept_former_name(group, "--most-seconds", max_seconds)
    add(
        "--idle",
        positive_float,
        stream.idle,
        "S",
        "end a session after S seconds without a command",
    )
    add(
        "--unread",
        positive_float,
        stream.write,
        "S",
        "end a session if its client has not read a pending reply for S seconds",
    )
    add(
        "--line",
        integer(80, 1 << 30),
        stream.line,
        "BYTES",
        "maximum length of a command line in bytes",
    )
    add(
        "--rate",
        positive_float,
        stream.rate,
        "N",
        "maximum number of commands per second for each connection, averaged over "
        f"{RATE_WINDOW:.0f} s; excess commands are delayed",
    )
    add(
        "--grace",
        positive_float,
        LIMITS.grace,
        "S",
        "when the server shuts down, wait up to S seconds for running commands to reply",
    )


def main(arguments: argparse.Namespace) -> int:
    """Run ``trivalent serve`` and return the exit code."""
    if session_options.asked_for_help(arguments, files=False):
        return 0

    # Sessions share the cores, and a session needs memory for more than its tree.
    defaults = {"threads": "1", "memory": str(arguments.memory // 4)}

    def make_session() -> Session:
        return session_options.make_session(
            arguments, files=False, max_seconds=arguments.max_seconds, defaults=defaults
        )

    session_options.require_inputs_kept_by_log(arguments, "--log")
    make_session()  # checks the options, and imports in advance what sessions need
    _start_log(arguments)
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
            f"trivalent serve: warning: anyone who can reach {where} can play, and anyone on the "
            "network can listen in: there's no password and no encryption\n"
        )

    def shut_down(*_: object) -> None:
        # Ignore further signals: they'd pile up, and the interpreter drops handlers as it exits.
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        server.stop()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, shut_down)
    server.run()
    return 0


def _start_log(arguments: argparse.Namespace) -> None:
    handler: logging.Handler = StandardError()
    if arguments.log:
        try:
            handler = logging.FileHandler(arguments.log, encoding="utf-8")
        except OSError as error:
            arguments.fail(f"--log: {error}")
    handler.setFormatter(JsonLines())
    logging.basicConfig(handlers=[handler], force=True)
    logging.raiseExceptions = False  # on a full disk a traceback to standard error might block
    LOGGER.setLevel(logging.INFO)
