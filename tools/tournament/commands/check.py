"""``trivalent tournament check``: start every engine and test what the games require."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from trivalent.gtp.client.client import EngineError, RefusedError
from trivalent.tools.tournament.commands.exit_codes import Exit
from trivalent.tools.tournament.play.contestant import Contestant
from trivalent.tools.tournament.play.engine_programs import require_programs
from trivalent.tools.tournament.run.forecast import pitfalls
from trivalent.tools.tournament.run.open_run import read_plan
from trivalent.tools.tournament.run.store import StoreError, locate

if TYPE_CHECKING:
    import argparse
    from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare no options; the plan is enough."""


def main(arguments: argparse.Namespace) -> int:
    """Check plan, programs, database and engines; print what each engine is."""
    plan = read_plan(arguments.run)
    require_programs(plan)
    _, path = locate(arguments.run)
    _require_writable(path)
    faults = 0
    for engine in plan.engines:
        try:
            version = Contestant(engine, plan).check()
        except (EngineError, RefusedError) as error:
            faults += 1
            sys.stdout.write(f"fault: {error}\n")
        else:
            sys.stdout.write(f"fine: {engine.name} is {version or 'running'}\n")
        sys.stdout.flush()
    sys.stdout.write("".join(f"note: {note}\n" for note in pitfalls(plan)))
    return Exit.NO if faults else Exit.DONE


def _require_writable(database: Path) -> None:
    """Raise StoreError if the database can't be written."""
    for path in (database, database.absolute().parent):
        if path.exists() and not os.access(path, os.W_OK):
            raise StoreError(f"cannot write {path}")
