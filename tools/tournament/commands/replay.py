"""``trivalent tournament replay``: play a game again and compare it with the record.

Built-in players repeat their moves from the same seed if only a node limit applies and they search
in one thread.
"""

from __future__ import annotations

import sys
import threading
from itertools import zip_longest
from typing import TYPE_CHECKING

from trivalent.tools.tournament.commands.exit_codes import Exit
from trivalent.tools.tournament.plan.strict_toml import PlanError
from trivalent.tools.tournament.run.events import outcome_text
from trivalent.tools.tournament.run.open_run import open_run
from trivalent.tools.tournament.run.workers import Pool, play

if TYPE_CHECKING:
    import argparse

    from trivalent.tools.tournament.model import Game
    from trivalent.tools.tournament.plan.plan_model import Plan


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``trivalent tournament replay``."""
    parser.add_argument("game", metavar="GAME", help="id of the game, as shown in reports")


def main(arguments: argparse.Namespace) -> int:
    """Replay the game; the exit code tells whether it came out the same."""
    store, plan = open_run(arguments.run)
    with store:
        before = store.record(arguments.game)
        game = store.games().get(arguments.game)
    if before is None or game is None:
        raise PlanError(f"{store.path} has no game {arguments.game!r}")
    _require_same_moves(game, plan)
    pool = Pool(plan, at_once=1)
    try:
        again = play(game, plan, pool, threading.Event())
    finally:
        pool.close()
    sys.stdout.write(f"{outcome_text(game, again)}\n{' '.join(again.moves)}\n")
    pairs = zip_longest(before.moves, again.moves, fillvalue="the end")
    for number, (old, new) in enumerate(pairs, 1):
        if old != new:
            sys.stdout.write(f"move {number} differs: {old} before, {new} now\n")
            return Exit.NO
    if (before.ending, before.winner) != (again.ending, again.winner):
        sys.stdout.write(
            f"the moves are the same, but the ending differs: {outcome_text(game, before)}\n"
        )
        return Exit.NO
    sys.stdout.write("identical, move by move\n")
    return Exit.DONE


def _require_same_moves(game: Game, plan: Plan) -> None:
    """Raise PlanError if a replay might differ although nothing is wrong."""
    for name in (game.black, game.white):
        engine, clock = plan.engine(name), plan.clock_of(name)
        if not engine.player:
            raise PlanError(f"{name} can't be replayed: it isn't a built-in player")
        if clock.move or clock.main or clock.byo_yomi:
            raise PlanError(f"{name} can't be replayed: its clock limits time, not nodes")
        if engine.parameters.get("threads", "1") != "1":
            raise PlanError(
                f"{name} can't be replayed: a search with several threads isn't deterministic"
            )
