"""``trivalent tournament status``: show the progress of a run."""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING

from trivalent.tools.tournament.commands.exit_codes import Exit
from trivalent.tools.tournament.run.events import standing_text
from trivalent.tools.tournament.run.live_ratings import RatingTally, standings
from trivalent.tools.tournament.run.open_run import open_run
from trivalent.tools.tournament.run.schedule import Schedule
from trivalent.tools.tournament.run.store import running

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``trivalent tournament status``."""
    parser.add_argument("--json", action="store_true", help="print a JSON object")


def main(arguments: argparse.Namespace) -> int:
    """Print the progress; the exit code tells whether all games are played."""
    store, plan = open_run(arguments.run)
    faults: Counter[str] = Counter()
    count = RatingTally(plan.board)
    with store:
        schedule = Schedule(plan, store.records(whole=plan.format == "sprt"))
        for game, record in store.played():
            count.add(game, record)
            if record.blamed or not record.winner:
                faults[record.ending.value + (" (void)" if not record.winner else "")] += 1
        process = running(store.path)
    rows = standings(count.tally)
    if arguments.json:
        status = {
            "name": plan.name,
            "played": schedule.played,
            "total": schedule.total,
            "finished": schedule.done,
            "state": schedule.state,
            "process": process,
            "faults": faults,
            "standings": [asdict(row) for row in rows],
        }
        sys.stdout.write(json.dumps(status) + "\n")
    else:
        doing = f"being played by process {process}" if process else "not running"
        lines = [
            f"{plan.name}: {schedule.played} of {schedule.total} games played; {doing}",
            schedule.state,
            *(f"{number} games with {what}" for what, number in faults.items()),
            *map(standing_text, rows),
        ]
        sys.stdout.write("".join(f"{line}\n" for line in lines if line))
    return Exit.DONE if schedule.done else Exit.STOPPED
