"""Plans, records and played-out schedules for the tests of the schedule and the formats."""

import math
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from random import Random

from hypothesis import strategies as st

from trivalent.tools.statistics.sprt import Sprt
from trivalent.tools.tournament.model import Ending, Engine, Format, Game, Opening, Record
from trivalent.tools.tournament.plan.plan_model import (
    Adaptive,
    Gauntlet,
    Knockout,
    Ladder,
    Matches,
    Options,
    Plan,
    Swiss,
)
from trivalent.tools.tournament.run.schedule import Schedule

LOOKING: tuple[Format, ...] = ("knockout", "swiss", "ladder", "adaptive")
BLIND: tuple[Format, ...] = ("round-robin", "gauntlet", "matches")


def make_plan(
    form: Format = "round-robin",
    engines: int = 4,
    openings: int = 3,
    rounds: int = 1,
    *,
    seed: int = 1,
    options: Options | None = None,
) -> Plan:
    names = [f"e{number}" for number in range(engines)]
    usual: dict[Format, Options | None] = {
        "round-robin": None,
        "gauntlet": Gauntlet((names[-1],)),
        "matches": Matches(tuple(pairwise(names))),
        "sprt": Sprt(0, 100),
        "knockout": Knockout(),
        "swiss": Swiss(min(3, engines - 1)),
        "ladder": Ladder(2),
        "adaptive": Adaptive(3 * math.comb(engines, 2), 3),
    }
    return Plan(
        name="test",
        game="hex",
        width=7,
        height=7,
        engines=tuple(Engine(name, player="random") for name in names),
        openings=tuple(Opening(f"a{n}", (f"a{n}",)) for n in range(1, openings + 1)),
        format=form,
        options=options or usual[form],
        rounds=rounds,
        seed=seed,
    )


plans = st.builds(
    make_plan,
    st.sampled_from(BLIND + LOOKING),
    st.integers(2, 7),
    st.integers(1, 4),
    st.integers(1, 3),
    seed=st.integers(0, 2**63 - 1),
)


def record(game: str, winner: str) -> Record:
    return Record(
        game=game,
        attempt=1,
        ending=Ending.CONNECTION if winner else Ending.OVERLOAD,
        winner=winner,
        blamed="",
        detail="",
        moves=(),
        seconds=(),
        started=0.0,
        duration=0.0,
    )


def stronger(game: Game) -> str:
    """Return a winner that depends on the game alone: mostly the engine of the higher number."""
    better, worse = sorted((game.black, game.white), reverse=True)
    return better if Random(game.id).random() < 0.7 else worse


def play(
    schedule: Schedule,
    winner: Callable[[Game], str] = stronger,
    choose: Callable[[list[Game]], Game] = lambda games: games[0],
) -> Iterator[Game]:
    """Play on to the end, one game at a time."""
    while games := schedule.due():
        game = choose(games)
        yield game
        schedule.add(record(game.id, winner(game)))


def complete(games: Iterable[Game]) -> None:
    """Check that every pair has both its games, with colours exchanged."""
    pairs: dict[str, list[Game]] = {}
    for game in games:
        pairs.setdefault(game.pair, []).append(game)
    for one, other in pairs.values():
        assert (one.black, one.white) == (other.white, other.black)
        assert one.opening == other.opening
        assert one.round == other.round
