"""``trivalent tournament extend``: the only way to change the plan of a started run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from trivalent.tools.common.output_files import file_name
from trivalent.tools.tournament.commands.exit_codes import Exit
from trivalent.tools.tournament.plan.plan_file import load
from trivalent.tools.tournament.plan.plan_model import dumps, loads
from trivalent.tools.tournament.plan.strict_toml import PlanError
from trivalent.tools.tournament.run.schedule import Schedule, require_extension
from trivalent.tools.tournament.run.store import Store, locate

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``trivalent tournament extend``."""
    parser.add_argument(
        "--store",
        type=file_name,
        metavar="FILE",
        help="database (default: league.db beside league.toml)",
    )


def main(arguments: argparse.Namespace) -> int:
    """Make the changed plan file the plan of its run."""
    plan_path, path = locate(arguments.run)
    if plan_path is None:
        raise PlanError(f"extend takes a plan file, not {path}; name the database with --store")
    new = load(plan_path)
    with Store.open(Path(arguments.store) if arguments.store else path) as store:
        old = loads(store.plan_text)
        require_extension(old, new)
        store.extend(dumps(new), new.digest)
    before, after = Schedule(old).total, Schedule(new).total
    sys.stdout.write(f"{path}: {before} games before, {after} now\n")
    return Exit.DONE
