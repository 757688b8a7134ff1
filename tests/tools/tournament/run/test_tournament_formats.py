"""Tournament formats: who meets whom, as results come in."""

from collections import Counter
from collections.abc import Iterable
from itertools import combinations
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from schedules import complete, make_plan, play

from trivalent.tools.tournament.model import Game
from trivalent.tools.tournament.plan.plan_model import Adaptive, Knockout, Ladder, Swiss
from trivalent.tools.tournament.run.schedule import Schedule
from trivalent.tools.tournament.run.tournament_formats import bracket, circle_pairings


@given(st.integers(2, 30))
def test_circle(count: int) -> None:
    names = [str(number) for number in range(count)]
    assert sorted(map(sorted, circle_pairings(names))) == sorted(
        map(sorted, combinations(names, 2))
    )


def test_bracket() -> None:
    assert bracket(8) == [0, 7, 3, 4, 1, 6, 2, 5]
    assert bracket(2) == [0, 1]
    assert sorted(bracket(5)) == list(range(8))


def meetings(games: Iterable[Game]) -> Counter[tuple[str, str]]:
    """Return how many pairs of games each pairing has played."""
    return Counter((game.black, game.white) for game in games if game.black < game.white)


def test_knockout() -> None:
    schedule = Schedule(make_plan("knockout", engines=6))
    states = []
    games = []
    for game in play(schedule, lambda game: max(game.black, game.white)):
        games.append(game)
        if schedule.state not in states:
            states.append(schedule.state)
    assert states == ["quarterfinals", "semifinals", "final"]
    assert schedule.state == "e5 won the knockout"
    # The first two seeds have byes in the first round.
    assert list(meetings(games)) == [
        ("e3", "e4"), ("e2", "e5"), ("e0", "e4"), ("e1", "e5"), ("e4", "e5")
    ]  # fmt: skip
    assert len(games) == schedule.total == 5 * 3 * 2


def test_drawn_knockout_is_decided_by_single_pairs_and_then_by_seeding() -> None:
    def black_wins(game: Game) -> str:
        return game.black

    schedule = Schedule(make_plan("knockout", engines=2, options=Knockout(5)))
    assert len(list(play(schedule, black_wins))) == 6 + 10
    assert schedule.state == "e0 won the knockout"

    def fourth_pair(game: Game) -> str:
        return game.black if game.round == 1 else "e1"

    schedule = Schedule(make_plan("knockout", engines=2, options=Knockout(5)))
    games = list(play(schedule, fourth_pair))
    assert len(games) == 8
    assert schedule.state == "e1 won the knockout"
    complete(games)


def test_better_seed_advances_after_a_draw() -> None:
    def winner(game: Game) -> str:
        match game.pair[:5]:
            case "e0~e3":
                return "e3"
            case "e1~e2":
                return "e1"
            case _:  # the final, e3 against e1, is drawn
                return game.black

    schedule = Schedule(make_plan("knockout", engines=4, options=Knockout(0)))
    list(play(schedule, winner))
    assert schedule.state == "e1 won the knockout"


@settings(max_examples=50)
@given(st.integers(2, 12), st.data())
def test_swiss(engines: int, data: st.DataObject) -> None:
    rounds = data.draw(st.integers(1, 2 * engines))
    plan = make_plan("swiss", engines=engines, openings=1, options=Swiss(rounds))
    schedule = Schedule(plan)
    games = list(play(schedule, lambda game: data.draw(st.sampled_from([game.black, game.white]))))
    assert len(games) == schedule.total == engines // 2 * rounds * 2
    met = meetings(games)
    played: Counter[str] = Counter()
    for pairing, count in met.items():
        for name in pairing:
            played[name] += count
    assert max(played.values()) - min(played.values() or [0]) <= (engines % 2)
    assert len(played) == engines or rounds == 1
    if rounds <= engines // 2:
        assert set(met.values()) == {1}  # then no two engines need to meet twice


def test_swiss_pairs_equals() -> None:
    plan = make_plan("swiss", engines=8, openings=1, options=Swiss(3))
    schedule = Schedule(plan)
    games = list(play(schedule, lambda game: max(game.black, game.white)))
    first, second, third = (meetings(games[8 * n : 8 * n + 8]) for n in range(3))
    assert set(first) == {("e0", "e4"), ("e1", "e5"), ("e2", "e6"), ("e3", "e7")}
    assert set(second) == {("e4", "e6"), ("e5", "e7"), ("e0", "e2"), ("e1", "e3")}
    assert ("e6", "e7") in third
    assert schedule.state == "e7 has 3 points of 3"


def test_swiss_gives_each_engine_one_bye() -> None:
    plan = make_plan("swiss", engines=5, openings=1, options=Swiss(4))
    games = list(play(Schedule(plan)))
    resting = [
        {f"e{n}" for n in range(5)} - {name for game in games[start : start + 4]
                                       for name in (game.black, game.white)}
        for start in range(0, len(games), 4)
    ]  # fmt: skip
    assert all(len(one) == 1 for one in resting)
    assert len(set().union(*resting)) == 4


def test_ladder() -> None:
    schedule = Schedule(make_plan("ladder", engines=4, openings=1, options=Ladder(5)))
    games = list(play(schedule, lambda game: max(game.black, game.white)))
    # e3 climbs from the last rung to the top; the others get sorted; then nothing changes.
    assert list(meetings(games[:6])) == [("e2", "e3"), ("e1", "e3"), ("e0", "e3")]
    assert schedule.state == "e3 is on top of the ladder"
    assert len(games) < schedule.total
    complete(games)
    king = Schedule(make_plan("ladder", engines=4, openings=1, options=Ladder(1)))
    assert len(list(play(king, lambda game: max(game.black, game.white)))) == 6
    assert king.state == "e3 is on top of the ladder"


def test_adaptive_plays_where_the_order_is_least_certain() -> None:
    plan = make_plan("adaptive", engines=4, openings=7, options=Adaptive(120, 6))

    def winner(game: Game) -> str:
        if {game.black, game.white} == {"e0", "e1"}:
            return Random(game.id).choice([game.black, game.white])
        return max(game.black, game.white)

    games = list(play(Schedule(plan), winner))
    assert len(games) == 240
    met = meetings(games)
    assert min(met.values()) >= 2
    assert met["e0", "e1"] > 60
    complete(games)


def test_adaptive_shares_a_batch_among_equals() -> None:
    plan = make_plan("adaptive", engines=4, options=Adaptive(60, 24))
    games = list(play(Schedule(plan), lambda game: game.black))
    assert set(meetings(games).values()) == {10}  # all are equal


def test_adaptive_shares_a_batch_among_the_uncertain() -> None:
    """Within one large batch, the error shrinks as pairs are added, and others have their turn."""
    plan = make_plan("adaptive", engines=3, openings=7, options=Adaptive(306, 150))
    strength = {"e0": 0.5, "e1": 0.5, "e2": 0.6}

    def winner(game: Game) -> str:
        if {game.black, game.white} == {"e1", "e2"}:
            return "e2"
        stronger = Random(game.id).random() < strength[max(game.black, game.white)]
        return max(game.black, game.white) if stronger else min(game.black, game.white)

    met = meetings(play(Schedule(plan), winner))
    assert met["e0", "e1"] > 60
    assert met["e0", "e2"] > 60
    assert met["e1", "e2"] < 30
