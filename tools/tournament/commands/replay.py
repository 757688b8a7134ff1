"""``trivalent tournament replay``: play a game again, and say where it differs.

Our own players make the same moves again from the same seed, if nothing but a number of nodes
limits them and they search in one thread.
"""

from __future__ import annotations

import sys
import threading
from itertools import zip_longest
from typing import TYPE_CHECKING

from trivalent.tools.tournament.commands.exit_codes import Exit
from trivalent.tools.tournament.plan.strict_toml import PlanError
from trivalent.tools.tournament.run.events import outcome
from trivalent.tools.tournament.run.open_run import open_run
from trivalent.tools.tournament.run.workers import Pool, play

if TYPE_CHECKING:
    import argparse

    from trivalent.tools.tournament.model import Game
    from trivalent.tools.tournament.plan.plan_model import Plan


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``trivalent tournament replay``."""
    parser.add_argument("game", metavar="GAME", help="the id of the game, as reports show it")


def main(arguments: argparse.Namespace) -> int:
    """Play the game again; the exit code tells whether it came out the same."""
    store, plan = open_run(arguments.run)
    with store:
        before = store.record(arguments.game)
        game = store.games().get(arguments.game)
    if before is None or game is None:
        raise PlanError(f"no game {arguments.game!r} has been played in {store.path}")
    _require_same_moves(game, plan)
    pool = Pool(plan, at_once=1)
    try:
        again = play(game, plan, pool, threading.Event())
    finally:
        pool.close()
    sys.stdout.write(f"{outcome(game, again)}\n{' '.join(again.moves)}\n")
    pairs = zip_longest(before.moves, again.moves, fillvalue="the end")
    for number, (old, new) in enumerate(pairs, 1):
        if old != new:
            sys.stdout.write(f"move {number} differs: it was {old}, and is {new} now\n")
            return Exit.NO
    if (before.ending, before.winner) != (again.ending, again.winner):
        sys.stdout.write(f"the moves are the same, the end differs: {outcome(game, before)}\n")
        return Exit.NO
    sys.stdout.write("the same, move by move\n")
    return Exit.DONE


def _require_same_moves(game: Game, plan: Plan) -> None:
    """Refuse what may come out otherwise for no reason that matters."""
    for name in (game.black, game.white):
        engine, clock = plan.engine(name), plan.clock_of(name)
        if not engine.player:
            raise PlanError(f"{name} cannot be replayed: it is not one of our own players")
        if clock.move or clock.main or clock.byo_yomi:
            raise PlanError(f"{name} cannot be replayed: its moves depend on the time they take")
        if engine.parameters.get("threads", "1") != "1":
            raise PlanError(f"{name} cannot be replayed: its threads do not do the same again")
