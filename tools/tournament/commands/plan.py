"""``trivalent tournament plan``: forecast games, duration and error bars before playing."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

from trivalent.tools.tournament.commands.exit_codes import Exit
from trivalent.tools.tournament.run.forecast import SPLITS, forecast, forecast_lines, pitfalls
from trivalent.tools.tournament.run.open_run import read_plan

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``trivalent tournament plan``."""
    parser.add_argument("--json", action="store_true", help="print a JSON object")


def main(arguments: argparse.Namespace) -> int:
    """Print the forecast, and a note for each likely mistake."""
    plan = read_plan(arguments.run)
    expected = forecast(plan)
    notes = list(pitfalls(plan))
    if arguments.json:
        values = asdict(expected) | {"splits": SPLITS, "digest": plan.digest, "notes": notes}
        sys.stdout.write(json.dumps(values) + "\n")
    else:
        text = [*forecast_lines(plan, expected), *(f"note: {note}" for note in notes)]
        sys.stdout.write("".join(f"{line}\n" for line in text))
    return Exit.DONE
