"""``trivalent gtp``: the engine that GUIs and scripts start."""

from __future__ import annotations

import logging
import os
import select
import signal
from contextlib import suppress
from typing import TYPE_CHECKING

from trivalent.gtp.session import STDERR
from trivalent.gtp.stream import serve
from trivalent.tools import session

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``trivalent gtp``."""
    session.add_arguments(parser)
    parser.add_argument("--quiet", action="store_true", help="no diagnostics on standard error")
    parser.add_argument(
        "--logfile-name", metavar="FILE", help="add diagnostics to that file, not standard error"
    )


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
    if session.asked_for_help(arguments):
        return 0
    handler: logging.Handler = logging.NullHandler() if arguments.quiet else _StandardError()
    if arguments.logfile_name:
        try:
            handler = logging.FileHandler(arguments.logfile_name, encoding="utf-8")
        except OSError as error:
            arguments.fail(f"--logfile-name: {error}")
    logging.basicConfig(format="%(name)s: %(message)s", handlers=[handler], force=True)
    logging.raiseExceptions = False  # a full disk: its traceback on standard error might block
    STDERR.addHandler(_StandardError())
    STDERR.setLevel(logging.INFO)
    STDERR.propagate = False
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not ignored by who began us
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends without a traceback
    serve(session.make_session(arguments), 0, 1)
    return 0
