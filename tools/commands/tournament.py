"""``trivalent tournament``: its subcommands.

A subcommand is a module with ``add_arguments(parser)`` and ``main(arguments)``, the exit code, as
those of ``trivalent`` itself.  Each has `arguments.run`: the plan of a run or its database.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

from trivalent.tools.tournament.commands.exit_codes import Exit
from trivalent.tools.tournament.plan.strict_toml import PlanError
from trivalent.tools.tournament.run.store import StoreError
from trivalent.tools.tournament.run.workers import WorkersError

if TYPE_CHECKING:
    import argparse


COMMANDS = {
    "check": "start every engine, and try all that a run will need",
    "plan": "say what a plan will cost and tell, before anything is played",
    "run": "play the games that a plan asks for and that are missing",
    "status": "say how far a run has got",
    "stop": "end a run that goes on in another process",
    "extend": "let a longer plan be that of a run",
    "replay": "play a game of our own players again, and compare",
    "report": "show what a run has found, also as a page, CSV, JSON and SGF",
}
"""The subcommands, each a module of `trivalent.tools.tournament.commands`, and what they do."""


_EPILOG = """
exit codes: 0 all is played, all is well, a test found the first engine better; 1 it cannot be done
(files, disk, engines); 2 a bad plan or bad usage; 3 stopped before the end; 4 too many void games;
5 the answer is no: a fault was found, a replay differs, a test did not find the first engine better
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommands of ``trivalent tournament``."""
    parser.epilog = _EPILOG
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for name, purpose in COMMANDS.items():
        action = actions.add_parser(
            name, help=purpose, description=purpose[0].upper() + purpose[1:], epilog=_EPILOG
        )
        command = import_module(f"trivalent.tools.tournament.commands.{name}")
        action.add_argument(
            "run", metavar="RUN", help="the plan (league.toml) or the database (league.db) of a run"
        )
        command.add_arguments(action)
        action.set_defaults(act=command.main, fail=action.error)


def main(arguments: argparse.Namespace) -> int:
    """Run a subcommand and return its exit code."""
    try:
        exit_code: int = arguments.act(arguments)
    except PlanError as error:
        sys.stderr.write(f"trivalent tournament: {error}\n")
        return Exit.REFUSED
    except (StoreError, WorkersError) as error:
        sys.stderr.write(f"trivalent tournament: {error}\n")
        return Exit.FAILED
    except KeyboardInterrupt:  # as a shell has it; a run that has begun listens itself
        return 130
    return exit_code
