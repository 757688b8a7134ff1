"""The schedule: every game once, in an order that depends on nothing but plan and results."""

import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import combinations, islice, pairwise
from random import Random

import pytest
from hypothesis import given, settings
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
from trivalent.tools.tournament.plan.strict_toml import PlanError
from trivalent.tools.tournament.run.schedule import Schedule, require_extension
from trivalent.tools.tournament.run.tournament_formats import (
    _least_certain,
    bracket,
    circle_pairings,
)

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


@given(plans)
def test_every_game_once(plan: Plan) -> None:
    games = list(play(Schedule(plan)))
    assert len({game.id for game in games}) == len(games)
    complete(games)
    for game in games:
        assert len(game.id) < 250
        assert "/" not in game.id
        assert all(0 <= seed < 2**31 for seed in game.seeds)


@given(plans.filter(lambda plan: plan.format in BLIND))
def test_all_openings_with_both_colours(plan: Plan) -> None:
    names = [engine.name for engine in plan.engines]
    wanted: set[frozenset[str]]
    match plan.options:
        case Gauntlet((hero,)):
            wanted = {frozenset((hero, name)) for name in names if name != hero}
        case Matches(pairs):
            wanted = set(map(frozenset, pairs))
        case _:
            wanted = set(map(frozenset, combinations(names, 2)))
    games = Schedule(plan).due()
    assert Counter((game.black, game.white, game.opening.name, game.round) for game in games) == {
        (black, white, opening.name, number): 1
        for pairing in wanted
        for black, white in (sorted(pairing), sorted(pairing, reverse=True))
        for opening in plan.openings
        for number in range(1, plan.rounds + 1)
    }
    assert Schedule(plan).total == len(games)


@given(plans, st.randoms(use_true_random=False), st.floats(0, 1))
def test_resumed_schedule_is_the_same(plan: Plan, random: Random, share: float) -> None:
    """Whatever has been played in whatever order, the rest is what it would have been."""
    undisturbed = {game.id: game for game in play(Schedule(plan))}
    schedule = Schedule(plan)
    played = list(play(schedule, choose=random.choice))
    assert {game.id: game for game in played} == undisturbed
    records = [record(game.id, stronger(game)) for game in played]
    kept = records[: int(share * len(records))]
    random.shuffle(kept)
    resumed = Schedule(plan, kept)
    rest = list(play(resumed))
    assert {game.id for game in rest} == undisturbed.keys() - {one.game for one in kept}
    assert resumed.state == schedule.state


@given(plans, st.integers(0, 10**6), st.integers(1, 6))
def test_a_runner_that_is_killed_again_and_again(plan: Plan, seed: int, at_once: int) -> None:
    """Games end in any order, some are void, and at any moment all that is left are the records."""
    random = Random(seed)
    wanted = {game.id for game in play(Schedule(plan))}
    records: list[Record] = []
    schedule = Schedule(plan)
    running: dict[str, Game] = {}
    while True:
        for game in schedule.due(at_once + len(running)):
            if len(running) < at_once:
                running[game.id] = game
        if not running:
            break
        if random.random() < 0.05:
            running.clear()
            random.shuffle(records)
            schedule = Schedule(plan, records)
            continue
        game = running.pop(random.choice(list(running)))
        void = random.random() < 0.1
        records.append(record(game.id, "" if void else stronger(game)))
        schedule.add(records[-1])
    won = [one.game for one in records if one.winner]
    assert sorted(won) == sorted(wanted)


@given(plans, st.randoms(use_true_random=False))
def test_what_is_due_ignores_the_order_of_records(plan: Plan, random: Random) -> None:
    games = list(islice(play(Schedule(plan)), 10))
    records = [record(game.id, stronger(game)) for game in games]
    shuffled = [*records, *records, *(record(game.id, "") for game in games)]
    random.shuffle(shuffled)
    assert Schedule(plan, shuffled).due() == Schedule(plan, records).due()
    assert Schedule(plan, shuffled).played == len(records)


@pytest.mark.parametrize("form", ["round-robin", "gauntlet", "matches"])
def test_nothing_is_kept_of_what_is_played(form: Format) -> None:
    plan = make_plan(form, engines=3, openings=5, rounds=4)
    schedule = Schedule(plan)
    played = [record(game.id, stronger(game)) for game in schedule.due(40)]
    for one in played:
        schedule.add(one)
    assert (schedule.played, len(schedule._winners)) == (40, 0)
    resumed = Schedule(plan, played)
    rest = resumed.due(10)
    assert (resumed.played, len(resumed._winners), len(resumed._due)) == (40, 0, 10)
    assert rest == schedule.due(10)


def test_only_what_is_due_can_be_played() -> None:
    plan = make_plan(engines=2, openings=3)
    schedule = Schedule(plan)
    last = Schedule(plan).due()[-1]
    schedule.add(record(last.id, last.black))
    assert schedule.played == 0
    assert schedule.due()[-1] == last


def test_void_games_stay_due() -> None:
    schedule = Schedule(make_plan())
    first = schedule.due(1)
    schedule.add(record(first[0].id, ""))
    assert schedule.due(1) == first
    schedule.add(record(first[0].id, first[0].black))
    assert schedule.due(1) != first
    schedule.add(record(first[0].id, first[0].white))  # the first result stands
    assert schedule.played == 1


@given(st.integers(2, 12), st.integers(1, 5), st.integers(1, 2))
def test_every_prefix_is_balanced(engines: int, openings: int, rounds: int) -> None:
    plan = make_plan(engines=engines, openings=openings, rounds=rounds)
    names = [engine.name for engine in plan.engines]
    pairings = Counter({frozenset(pairing): 0 for pairing in combinations(names, 2)})
    begun = Counter(dict.fromkeys(names, 0))
    games = Counter(dict.fromkeys(names, 0))
    schedule = Schedule(plan).due()
    for number, game in enumerate(schedule):
        if number % 2 == 0:
            assert game.pair == schedule[number + 1].pair
            pairings[frozenset((game.black, game.white))] += 1
        begun[game.black] += 1
        games.update((game.black, game.white))
        assert max(pairings.values()) - min(pairings.values()) <= 1
        assert max(games.values()) - min(games.values()) <= 4  # two pairs
        assert all(abs(2 * begun[name] - games[name]) <= 1 for name in names)


@given(st.integers(2, 30))
def test_circle(count: int) -> None:
    names = [str(number) for number in range(count)]
    assert sorted(map(sorted, circle_pairings(names))) == sorted(
        map(sorted, combinations(names, 2))
    )


def test_openings_of_a_prefix_are_no_corner_of_the_board() -> None:
    orders = set()
    for seed in range(20):
        games = Schedule(make_plan(engines=2, openings=7, rounds=2, seed=seed)).due()
        orders.add(tuple(game.opening.name for game in games[:14:2]))
        assert [game.round for game in games] == [1] * 14 + [2] * 14
        assert {game.opening.name for game in games[:14]} == {f"a{n}" for n in range(1, 8)}
    assert len(orders) > 15


def test_seeds_differ_and_stay() -> None:
    plan = make_plan(engines=6, openings=7, rounds=4)
    games = {game.id: game for game in Schedule(plan).due()}
    seeds = [seed for game in games.values() for seed in game.seeds]
    assert len(set(seeds)) == len(seeds)
    longer = replace(plan, rounds=5, engines=(*plan.engines, Engine("new", player="random")))
    again = {game.id: game for game in Schedule(longer).due()}
    assert games.items() <= again.items()
    other = {game.id: game for game in Schedule(replace(plan, seed=2)).due()}
    assert other.keys() == games.keys()
    assert all(other[name].seeds != game.seeds for name, game in games.items())
    # A fixed vector: seeds are the same on every machine and in every version.
    assert games["e0~e1~a1~1b"].seeds == (2135461365, 698772646)


# Sequential test


def test_sprt_decides_on_the_complete_prefix_and_stays() -> None:
    plan = make_plan("sprt", engines=2, openings=4, rounds=50)
    schedule = Schedule(plan)
    games = list(play(schedule, lambda game: "e0"))
    assert schedule.decision.startswith("H1 is accepted after ")
    assert "e0 is 100 Elo stronger than e1, rather than 0" in schedule.decision
    assert schedule.trial is not None
    assert len(games) == 2 * schedule.trial.pairs.total < schedule.total == 400
    assert schedule.done
    decided = schedule.decision
    # Games that were under way cannot undo it.
    rest = [game for game in Schedule(plan).due() if game not in games]
    for game in rest:
        schedule.add(record(game.id, "e1"))
    assert schedule.decision == decided
    assert schedule.trial.late.total == len(rest) // 2
    # It is the first engine of the plan that is tested, whatever its name.
    for engines, winner in ((plan.engines, "e1"), (plan.engines[::-1], "e0")):
        lost = Schedule(replace(plan, engines=engines))
        for game in lost.due():
            lost.add(record(game.id, winner))
        assert lost.decision.startswith("H0 is accepted")


@settings(max_examples=10)
@given(st.integers(0, 10**6), st.randoms(use_true_random=False))
def test_sprt_ignores_the_order_of_arrival(seed: int, random: Random) -> None:
    plan = make_plan("sprt", engines=2, openings=4, rounds=30, seed=seed)
    schedule = Schedule(plan)
    # Games are played eight at a time and end in any order.
    games = list(play(schedule, choose=lambda due: random.choice(due[:8])))
    records = [record(game.id, stronger(game)) for game in games]
    random.shuffle(records)
    again = Schedule(plan, records)
    assert again.decision == schedule.decision
    assert again.trial is not None
    assert schedule.trial is not None
    assert again.trial.curve == pytest.approx(schedule.trial.curve)  # batches round differently


def test_sprt_waits_for_what_is_missing() -> None:
    schedule = Schedule(make_plan("sprt", engines=2, openings=4, rounds=50))
    first, *rest = schedule.due()
    for game in rest:
        schedule.add(record(game.id, "e0"))
    assert not schedule.decision
    assert schedule.due() == [first]
    schedule.add(record(first.id, "e0"))
    assert schedule.decision


def test_sprt_leaves_repetitions_out() -> None:
    plan = make_plan("sprt", engines=2, openings=2, rounds=50)
    schedule = Schedule(plan)
    board = plan.board
    for game in schedule.due():
        # Both engines always play the same, in half of the rounds turned by 180 degrees.
        moves = [*game.opening.moves, "d4", "resign"]
        if game.round % 2:
            moves[0] = board.names[board.symmetries[1].cells[board.cell(moves[0])]]
        schedule.add(replace(record(game.id, "e0"), moves=tuple(moves)))
    assert schedule.trial is not None
    assert schedule.trial.pairs.total == 2
    assert not schedule.decision
    assert schedule.done


# Formats that look at results


def test_bracket() -> None:
    assert bracket(8) == [0, 7, 3, 4, 1, 6, 2, 5]
    assert bracket(2) == [0, 1]
    assert sorted(bracket(5)) == list(range(8))


def meetings(games: Iterable[Game]) -> Counter[tuple[str, str]]:
    """Return how many pairs of games each two engines have played."""
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
    # The first two seeds rest in the first round.
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


def test_the_better_seeded_goes_on_wherever_it_stands() -> None:
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
    rounds = data.draw(st.integers(1, engines - 1))
    plan = make_plan("swiss", engines=engines, openings=1, options=Swiss(rounds))
    schedule = Schedule(plan)
    games = list(play(schedule, lambda game: data.draw(st.sampled_from([game.black, game.white]))))
    assert len(games) == schedule.total == engines // 2 * rounds * 2
    met = meetings(games)
    played: Counter[str] = Counter()
    for pairing, count in met.items():
        for name in pairing:
            played[name] += count
    assert max(played.values()) - min(played.values() or [0]) <= 1 or engines % 2
    if rounds <= engines // 2:
        assert set(met.values()) == {1}  # then nobody needs to meet twice


def test_swiss_pairs_equals() -> None:
    plan = make_plan("swiss", engines=8, openings=1, options=Swiss(3))
    schedule = Schedule(plan)
    games = list(play(schedule, lambda game: max(game.black, game.white)))
    first, second, third = (meetings(games[8 * n : 8 * n + 8]) for n in range(3))
    assert set(first) == {("e0", "e4"), ("e1", "e5"), ("e2", "e6"), ("e3", "e7")}
    assert set(second) == {("e4", "e6"), ("e5", "e7"), ("e0", "e2"), ("e1", "e3")}
    assert ("e6", "e7") in third
    assert schedule.state == "e7 has 3 points of 3"


def test_swiss_gives_each_rest_once() -> None:
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
    # e3 comes up from the last rung and is king; then the rest are sorted, then nothing changes.
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
    assert set(meetings(games).values()) == {10}  # nobody is better

    # The error shrinks as pairs are added: those nearly as uncertain have their turn.
    near, nearly, far = ("a", "b"), ("a", "c"), ("b", "c")
    counts = {near: (40, 0, 44), nearly: (40, 0, 45), far: (0, 0, 90)}
    chosen = Counter(_least_certain(counts, 150))
    assert chosen[near] > chosen[nearly] > 30
    assert chosen[far] == 0


# Size


def test_a_hundred_thousand_records() -> None:
    plan = make_plan(engines=26, openings=7, rounds=22)
    schedule = Schedule(plan)
    games = schedule.due()
    assert len(games) == 100_100
    records = [record(game.id, game.black) for game in games[:-50]]
    began = time.process_time()
    resumed = Schedule(plan, records)
    assert resumed.due(1) == [games[-50]]
    used = time.process_time() - began
    assert resumed.due() == games[-50:]
    assert used < 20  # it takes about one: what this catches is a time that grows as the square


# Extension


def test_extension() -> None:
    plan = make_plan(rounds=2)
    new = Engine("new", player="random")
    require_extension(plan, plan)
    require_extension(plan, replace(plan, rounds=3, name="other", concurrency=3))
    require_extension(plan, replace(plan, engines=(new, *plan.engines)))
    require_extension(plan, replace(plan, openings=(*plan.openings, Opening("b2", ("b2",)))))
    gauntlet = make_plan("gauntlet", options=Gauntlet(("e0",)))
    require_extension(gauntlet, replace(gauntlet, engines=(*gauntlet.engines, new)))
    matches = make_plan("matches", options=Matches((("e0", "e1"),)))
    more = Matches((("e2", "e1"), ("e1", "e0")))
    require_extension(matches, replace(matches, options=more))


@pytest.mark.parametrize(
    ("old", "change", "complaint"),
    [
        (make_plan(rounds=2), {"rounds": 1}, "rounds: can only grow \\(2 before, 1 now\\)"),
        (make_plan(), {"seed": 2}, "seed: can't be changed during a run with format"),
        (make_plan(), {"swap": "sides"}, "swap: can't be changed during a run"),
        (make_plan(), {"engines": make_plan(engines=3).engines}, "engines: e3 can't be"),
        (
            make_plan(engines=2),
            {"engines": (Engine("e0", player="uct"), Engine("e1", player="random"))},
            "engines: e0 can't be changed or removed",
        ),
        (make_plan(), {"openings": make_plan(openings=2).openings}, "openings: a3 can't be"),
        (
            make_plan("matches", options=Matches((("e0", "e1"),))),
            {"options": Matches((("e2", "e1"),))},
            "e0 and e1 have played each other",
        ),
        (
            make_plan("gauntlet", options=Gauntlet(("e0",))),
            {"options": Gauntlet(("e0", "e1"))},
            "e0 and e1 have played each other",
        ),
        (
            make_plan("sprt", engines=2),
            {"openings": make_plan(openings=4).openings},
            "openings: can't be changed during a run with format",
        ),
        (make_plan("sprt", engines=2), {"options": Sprt(0, 50)}, "options: can't be changed during a run"),
        (make_plan("swiss"), {"rounds": 2}, "rounds: can't be changed during a run with format"),
        (make_plan("swiss"), {"options": Swiss(2)}, "swiss.rounds: can only grow \\(3 before, 2 now\\)"),
        (make_plan("adaptive"), {"options": Adaptive(18, 4)}, "adaptive.batch: can't be changed during a run"),
        (make_plan("knockout"), {"options": Knockout(20)}, "options: can't be changed during a run"),
    ],
)
def test_no_extension(old: Plan, change: dict[str, object], complaint: str) -> None:
    with pytest.raises(PlanError, match=complaint):
        require_extension(old, replace(old, **change))  # type: ignore[arg-type]


@given(plans, st.integers(0, 2), st.integers(0, 2), st.integers(0, 5), st.booleans())
def test_an_extension_has_all_that_was_played(
    plan: Plan, rounds: int, openings: int, more: int, more_engines: bool
) -> None:
    new = [Engine("new", player="random")] if more_engines else []
    longer = replace(
        plan,
        rounds=plan.rounds + rounds,
        openings=(*plan.openings, *(Opening(f"b{n}", (f"b{n}",)) for n in range(1, openings + 1))),
        engines=(*new, *plan.engines),
    )
    match plan.options:
        case Swiss(stages):
            longer = replace(longer, options=Swiss(stages + more))
        case Ladder(passes):
            longer = replace(longer, options=Ladder(passes + more))
        case Adaptive(pairs, batch):
            longer = replace(longer, options=Adaptive(pairs + more, batch))
    try:
        require_extension(plan, longer)
    except PlanError:
        # It looks at results: only stages can be added.
        assert plan.format in LOOKING
        assert rounds or openings or more_engines
        return
    assert plan.format in BLIND or not (rounds or openings or more_engines)
    before = {game.id: game for game in play(Schedule(plan))}
    assert before.items() <= {game.id: game for game in play(Schedule(longer))}.items()


def test_sprt_may_be_given_more_rounds() -> None:
    plan = make_plan("sprt", engines=2)
    longer = replace(plan, rounds=9)
    require_extension(plan, longer)
    assert Schedule(longer).due(6) == Schedule(plan).due()
