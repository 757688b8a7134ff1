"""``trivalent tournament``: its subcommands.

A subcommand is a module with ``add_arguments(parser)`` and ``main(arguments)``, the exit code, as
those of ``trivalent`` itself.  Each has `arguments.run`: the plan of a run or its database.
"""

from __future__ import annotations

import sys
from enum import IntEnum
from importlib import import_module
from typing import TYPE_CHECKING

from trivalent.gtp.client.client import shown
from trivalent.tools.tournament.plan import PlanError, load, loads
from trivalent.tools.tournament.store import Store, StoreError, locate
from trivalent.tools.tournament.workers import WorkersError

if TYPE_CHECKING:
    import argparse

    from trivalent.tools.tournament.plan import Plan

COMMANDS = {
    "check": ("check_command", "start every engine, and try all that a run will need"),
    "plan": ("plan_command", "say what a plan will cost and tell, before anything is played"),
    "run": ("run_command", "play the games that a plan asks for and that are missing"),
    "status": ("status_command", "say how far a run has got"),
    "stop": ("stop_command", "end a run that goes on in another process"),
    "extend": ("extend_command", "let a longer plan be that of a run"),
    "replay": ("replay_command", "play a game of our own players again, and compare"),
    "report": ("report_command", "show what a run has found, also as a page, CSV, JSON and SGF"),
}
"""The module of each subcommand, and what it does."""


class Exit(IntEnum):
    """What a subcommand tells scripts."""

    DONE = 0
    FAILED = 1
    REFUSED = 2
    STOPPED = 3
    VOID = 4
    NO = 5


_EPILOG = """
exit codes: 0 all is played, all is well, a test found the first engine better; 1 it cannot be done
(files, disk, engines); 2 a bad plan or bad usage; 3 stopped before the end; 4 too many void games;
5 the answer is no: a fault was found, a replay differs, a test did not find the first engine better
"""


def read(run: str) -> tuple[Store, Plan]:
    """Return the store of a run, to be closed, and its plan; raise StoreError."""
    store = Store.read(locate(run)[1])
    try:
        return store, loads(store.plan_text)
    except (LookupError, TypeError, ValueError) as error:  # which nobody has written by dumps()
        store.close()
        raise StoreError(f"{store.path} is damaged: {shown(str(error), quote='')}") from None


def read_plan(run: str) -> Plan:
    """Return the plan of a file, or that of a run; raise StoreError or PlanError."""
    path, _ = locate(run)
    if path is not None:
        return load(path)
    store, plan = read(run)
    store.close()
    return plan


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommands of ``trivalent tournament``."""
    parser.epilog = _EPILOG
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for name, (module, purpose) in COMMANDS.items():
        action = actions.add_parser(
            name, help=purpose, description=purpose[0].upper() + purpose[1:], epilog=_EPILOG
        )
        command = import_module(f"trivalent.tools.tournament.{module}")
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
