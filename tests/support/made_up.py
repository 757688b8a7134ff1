"""Made-up tournaments: plans and records for tests of reports."""

from __future__ import annotations

import math
from random import Random

from trivalent.core.position import Position
from trivalent.tools.tournament.model import (
    REGULAR,
    Ending,
    Engine,
    Game,
    Opening,
    Record,
    TimeControl,
)
from trivalent.tools.tournament.plan.plan_model import Options, Plan

Run = tuple[Plan, list[tuple[Game, Record]]]


def made_up(
    names: tuple[str, ...] = ("ada", "bob", "cyd"),
    *,
    size: int = 5,
    game: str = "hex",
    openings: tuple[Opening, ...] | None = None,
    rounds: int = 1,
    swap: str = "off",
    step: float = 0.6,
    bias: float = 2.0,
    seed: int = 1,
    options: Options | None = None,
) -> Run:
    """Return a round robin of random moves whose winners are drawn by strength and opening.

    Each engine is ``step`` in log odds stronger than the next; ``bias`` is the standard deviation
    of an opening's value for Black.  Every move is legal; some games end by forfeit.
    """
    random = Random(seed)
    clock = TimeControl(nodes=100)
    engines = tuple(Engine(name, player="mcts", clock=clock) for name in names)
    plan = Plan(
        name="made up", game=game, width=size, height=size, engines=engines, openings=(),
        swap=swap, rounds=rounds, seed=seed, options=options,  # type: ignore[arg-type]
        format="sprt" if options else "round-robin",
    )  # fmt: skip
    if openings is None:
        openings = tuple(Opening(name, (name,)) for name in plan.board.names)
    worth = {opening.name: random.gauss(0.0, bias) for opening in openings}
    played: list[tuple[Game, Record]] = []
    for number in range(1, rounds + 1):
        for opening in openings:
            for i, a in enumerate(names):
                for j, b in enumerate(names[i + 1 :], i + 1):
                    pair = f"{min(a, b)}~{max(a, b)}~{opening.name}~{number}"
                    for side, black, white in (("b", a, b), ("w", b, a)):
                        one = Game(
                            f"{pair}{side}", pair, number, black, white, opening,
                            (random.randrange(2**31), random.randrange(2**31)),
                        )  # fmt: skip
                        odds = worth[opening.name] + step * (j - i) * (1 if side == "b" else -1)
                        winner = black if random.random() < 1 / (1 + math.exp(-odds)) else white
                        played.append((one, _record(plan, one, winner, random, len(played))))
    plan = Plan(**{name: getattr(plan, name) for name in Plan.__slots__} | {"openings": openings})
    return plan, played


def _record(plan: Plan, game: Game, winner: str, random: Random, number: int) -> Record:
    """Return a record of random moves that don't contradict the winner."""
    loser = game.white if winner == game.black else game.black
    moves, ending = _moves(plan, game, winner, random)
    opening = len(game.opening.moves)
    seconds = [0.0 if i < opening else random.expovariate(2.0) for i in range(len(moves))]
    blamed = "" if ending in REGULAR else loser
    return Record(
        game.id, 1, ending, winner, blamed, f"{loser} has stopped" if blamed else "",
        tuple(moves), tuple(seconds), 1.7e9 + 3.0 * number, sum(seconds), f"local-{number % 2}",
        logs={loser: "terminate called\nwithout an active exception\n"} if blamed else {},
    )  # fmt: skip


def _moves(plan: Plan, game: Game, winner: str, random: Random) -> tuple[list[str], Ending]:
    position = Position(plan.board)
    moves = list(game.opening.moves)
    for word in moves:
        position.play(position.to_play, plan.board.cell(word))
    if plan.swap != "off" and len(moves) == 1 and random.random() < 0.4:
        getattr(position, f"swap_{plan.swap}")()
        moves.append(f"swap-{plan.swap}")
    least = len(moves) + 1
    length = random.randrange(4, len(plan.board))
    while len(moves) < length:
        mover = (game.black, game.white)[len(moves) % 2]
        cell = random.choice(position.legal_moves)
        position.play(position.to_play, cell)
        if position.winner is None:
            moves.append(plan.board.names[cell])
        elif mover == winner:
            return [*moves, plan.board.names[cell]], Ending.CONNECTION
        else:
            break
    if (game.black, game.white)[len(moves) % 2] == winner:  # the winner can't resign
        if len(moves) <= least:
            return moves, Ending.CRASH
        moves.pop()
    if random.random() < 0.97:
        return [*moves, "resign"], Ending.RESIGNATION
    return moves, random.choice((Ending.TIME, Ending.CRASH))
