"""``trivalent tournament``: the subcommands and their exit codes.

Each subcommand is a module in `trivalent.tools.tournament.commands` with ``add_arguments(parser)``
and ``main(arguments)``, which returns the exit code.  All of them take a run: its plan file or its
database, in ``arguments.run``.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import redirect_stdout
from importlib import import_module
from typing import TYPE_CHECKING

from trivalent.tools.common.option_values import refuse
from trivalent.tools.tournament.commands.exit_codes import Exit
from trivalent.tools.tournament.plan.strict_toml import PlanError
from trivalent.tools.tournament.run.store import StoreError
from trivalent.tools.tournament.run.workers import WorkersError

if TYPE_CHECKING:
    from pathlib import Path


CATCHES_INTERRUPTS = True

COMMANDS = {
    "check": "start every engine and test that it can do what the games require",
    "plan": "estimate the number of games of a plan, how long they will take and how precise the "
    "results will be",
    "run": "play the games of a plan, or continue an interrupted run",
    "status": "show the progress of a run",
    "stop": "stop a run that another process is playing",
    "extend": "add to a run the rounds, engines or openings that were added to its plan file",
    "replay": "replay a game between built-in players and compare the moves",
    "report": "show the results of a run, or write them as HTML, CSV, JSON or SGF",
}
"""Subcommands, each a module of `trivalent.tools.tournament.commands`, with their help texts."""


_EPILOG = """
exit codes: 0 success (all games played; in an SPRT: H1 accepted); 1 a file, disk or engine failed;
2 error in the plan or on the command line; 3 stopped with games still to play; 4 too many
void games; 5 negative result (check found a fault, a replay differs, a test didn't accept H1)
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
            "run", metavar="RUN", help="plan file (league.toml) or database (league.db)"
        )
        command.add_arguments(action)
        action.set_defaults(act=command.main, fail=refuse(action))


def play(path: Path) -> int:
    """Play a plan as ``trivalent tournament run`` does, with its output on standard error."""
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    with redirect_stdout(sys.stderr):
        return main(parser.parse_args(["run", str(path)]))


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
    except KeyboardInterrupt:  # the exit code of a shell; a started run handles the signal itself
        return 130
    return exit_code
