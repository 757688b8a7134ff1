"""``trivalent tournament``: the dispatch to its actions.

An action is a module with ``add_arguments(parser)`` and ``main(arguments)``, which returns the exit
code, like the subcommands of ``trivalent`` itself.  Every action takes `arguments.run`, the plan of
a run or its database.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

from trivalent.tools.tournament.commands.run_argument import Exit
from trivalent.tools.tournament.plan.plan_file import PlanError
from trivalent.tools.tournament.run.store import StoreError
from trivalent.tools.tournament.run.workers import WorkersError

if TYPE_CHECKING:
    import argparse


COMMANDS = {
    "check": "start every engine, and check that a run has everything it needs",
    "plan": "forecast the duration and the error bars of a run",
    "run": "play the games of a plan, or the missing ones of an earlier run",
    "status": "show the progress of a run",
    "stop": "stop a run in progress in another process",
    "extend": "add the rounds, engines and openings of a longer plan to a run",
    "replay": "replay a game between Trivalent players and compare the moves",
    "report": "report the results as tables, a web page, CSV, JSON or SGF",
}
"""The actions, each a module of `trivalent.tools.tournament.commands`, with a description."""


_EPILOG = """
exit codes: 0 finished, no faults, or an SPRT found the first engine stronger; 1 failure of files,
disk or engines; 2 invalid plan or usage; 3 stopped early; 4 too many void games; 5 negative result:
a check found faults, a replay differs, or an SPRT didn't find the first engine stronger
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the actions of ``trivalent tournament``."""
    parser.epilog = _EPILOG
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for name, purpose in COMMANDS.items():
        action = actions.add_parser(
            name, help=purpose, description=purpose[0].upper() + purpose[1:], epilog=_EPILOG
        )
        command = import_module(f"trivalent.tools.tournament.commands.{name}")
        action.add_argument(
            "run", metavar="RUN", help="plan (league.toml) or database (league.db) of the run"
        )
        command.add_arguments(action)
        action.set_defaults(act=command.main, fail=action.error)


def main(arguments: argparse.Namespace) -> int:
    """Run an action and return its exit code."""
    try:
        exit_code: int = arguments.act(arguments)
    except PlanError as error:
        sys.stderr.write(f"trivalent tournament: {error}\n")
        return Exit.REFUSED
    except (StoreError, WorkersError) as error:
        sys.stderr.write(f"trivalent tournament: {error}\n")
        return Exit.FAILED
    except KeyboardInterrupt:  # the exit code of a shell; a run in progress handles Ctrl-C itself
        return 130
    return exit_code
