"""``trivalent gtp``: the engine, as GUIs and scripts start it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from trivalent.gtp.engine.session import STDERR
from trivalent.gtp.engine.stream import serve
from trivalent.tools.common import session_options
from trivalent.tools.common.logs import StandardError
from trivalent.tools.common.output_files import file_name

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``trivalent gtp``."""
    session_options.add_arguments(parser)
    parser.add_argument(
        "--quiet", action="store_true", help="write no diagnostics to standard error"
    )
    parser.add_argument(
        "--logfile-name",
        dest="log",
        type=file_name,
        metavar="FILE",
        help="append diagnostics to FILE instead of standard error",
    )


def main(arguments: argparse.Namespace) -> int:
    """Run ``trivalent gtp`` and return the exit code."""
    if session_options.asked_for_help(arguments):
        return 0
    session_options.require_inputs_kept_by_log(arguments, "--logfile-name")
    handler: logging.Handler = logging.NullHandler() if arguments.quiet else StandardError()
    if arguments.log:
        try:
            handler = logging.FileHandler(arguments.log, encoding="utf-8")
        except OSError as error:
            arguments.fail(f"--logfile-name: {error}")
    logging.basicConfig(format="%(name)s: %(message)s", handlers=[handler], force=True)
    logging.raiseExceptions = False  # on a full disk a traceback to standard error might block
    STDERR.addHandler(StandardError())
    STDERR.setLevel(logging.INFO)
    STDERR.propagate = False
    ending = serve(session_options.make_session(arguments), 0, 1)
    if ending.failure:
        raise ending.failure
    return 0
