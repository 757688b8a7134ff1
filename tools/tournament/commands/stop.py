"""``trivalent tournament stop``: stop a run that another process is playing."""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from trivalent.tools.common.option_values import limit_float
from trivalent.tools.tournament.commands.exit_codes import Exit
from trivalent.tools.tournament.run.store import locate, running

if TYPE_CHECKING:
    import argparse

_LOOK = 0.1
"""Seconds between looks at the lock."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``trivalent tournament stop``."""
    parser.add_argument(
        "--now",
        action="store_true",
        help="abandon running games; they are played again when the run is continued",
    )
    parser.add_argument(
        "--seconds",
        type=limit_float,
        metavar="S",
        help="maximum time to wait for the run to stop, in seconds (default: no limit)",
    )


def main(arguments: argparse.Namespace) -> int:
    """Tell the runner to stop, and wait until it has."""
    _, path = locate(arguments.run)
    process = running(path)
    if not process:
        sys.stdout.write(f"{path} isn't being played\n")
        return Exit.DONE
    with suppress(ProcessLookupError):  # it has just ended
        os.kill(process, signal.SIGTERM if arguments.now else signal.SIGUSR1)
    until = time.monotonic() + (arguments.seconds or float("inf"))
    while running(path) == process:
        if time.monotonic() > until:
            sys.stdout.write(f"process {process} is still finishing its games\n")
            return Exit.FAILED
        time.sleep(_LOOK)
    sys.stdout.write(f"process {process} has ended\n")
    return Exit.DONE
