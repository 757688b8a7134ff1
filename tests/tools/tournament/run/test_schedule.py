"""The schedule: every game once, in an order that depends only on plan and results."""

import time
from collections import Counter
from dataclasses import replace
from itertools import combinations, islice
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from schedules import BLIND, LOOKING, complete, make_plan, plans, play, record, stronger

from trivalent.tools.statistics.sprt import Sprt
from trivalent.tools.tournament.model import Engine, Format, Game, Opening, Record
from trivalent.tools.tournament.plan.plan_model import (
    Adaptive,
    Gauntlet,
    Knockout,
    Ladder,
    Matches,
    Plan,
    Swiss,
)
from trivalent.tools.tournament.plan.strict_toml import PlanError
from trivalent.tools.tournament.run.schedule import Schedule, require_extension


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
    """Whatever was played in whatever order, the remaining games are the same."""
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
def test_repeatedly_killed_runner_loses_no_game(plan: Plan, seed: int, at_once: int) -> None:
    """Games end in any order, some are void, and at any time only the records may survive."""
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
def test_due_games_do_not_depend_on_the_order_of_records(plan: Plan, random: Random) -> None:
    games = list(islice(play(Schedule(plan)), 10))
    records = [record(game.id, stronger(game)) for game in games]
    shuffled = [*records, *records, *(record(game.id, "") for game in games)]
    random.shuffle(shuffled)
    assert Schedule(plan, shuffled).due() == Schedule(plan, records).due()
    assert Schedule(plan, shuffled).played == len(records)


@pytest.mark.parametrize("form", ["round-robin", "gauntlet", "matches"])
def test_played_games_are_forgotten(form: Format) -> None:
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


def test_only_due_games_are_counted() -> None:
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


def test_opening_order_is_shuffled() -> None:
    orders = set()
    for seed in range(20):
        games = Schedule(make_plan(engines=2, openings=7, rounds=2, seed=seed)).due()
        orders.add(tuple(game.opening.name for game in games[:14:2]))
        assert [game.round for game in games] == [1] * 14 + [2] * 14
        assert {game.opening.name for game in games[:14]} == {f"a{n}" for n in range(1, 8)}
    assert len(orders) > 15


def test_seeds_are_distinct_and_stable() -> None:
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
    # Test vector: seeds are the same on every machine and in every version.
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
    # Games in progress can't change the decision.
    rest = [game for game in Schedule(plan).due() if game not in games]
    for game in rest:
        schedule.add(record(game.id, "e1"))
    assert schedule.decision == decided
    assert schedule.trial.late.total == len(rest) // 2
    # The test is from the view of the plan's first engine, whatever its name.
    for engines, winner in ((plan.engines, "e1"), (plan.engines[::-1], "e0")):
        lost = Schedule(replace(plan, engines=engines))
        for game in lost.due():
            lost.add(record(game.id, winner))
        assert lost.decision.startswith("H0 is accepted")


@settings(max_examples=10)
@given(st.integers(0, 10**6), st.randoms(use_true_random=False))
def test_sprt_does_not_depend_on_the_order_of_arrival(seed: int, random: Random) -> None:
    plan = make_plan("sprt", engines=2, openings=4, rounds=30, seed=seed)
    schedule = Schedule(plan)
    # Eight games run in parallel and end in any order.
    games = list(play(schedule, choose=lambda due: random.choice(due[:8])))
    records = [record(game.id, stronger(game)) for game in games]
    random.shuffle(records)
    again = Schedule(plan, records)
    assert again.decision == schedule.decision
    assert again.trial is not None
    assert schedule.trial is not None
    assert again.trial.curve == pytest.approx(
        schedule.trial.curve
    )  # rounding differs between batches


def test_sprt_waits_for_missing_games() -> None:
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
        # Both engines always repeat the same game, rotated by 180 degrees in half of the rounds.
        moves = [*game.opening.moves, "d4", "resign"]
        if game.round % 2:
            moves[0] = board.names[board.symmetries[1].cells[board.cell(moves[0])]]
        schedule.add(replace(record(game.id, "e0"), moves=tuple(moves)))
    assert schedule.trial is not None
    assert schedule.trial.pairs.total == 2
    assert not schedule.decision
    assert schedule.done


# Size


def test_a_resumed_schedule_takes_linear_time() -> None:
    plan = make_plan(engines=26, openings=7, rounds=8)
    schedule = Schedule(plan)
    games = schedule.due()
    assert len(games) == 36_400
    records = [record(game.id, game.black) for game in games[:-50]]
    began = time.process_time()
    resumed = Schedule(plan, records)
    assert resumed.due(1) == [games[-50]]
    used = time.process_time() - began
    assert resumed.due() == games[-50:]
    assert used < 10  # takes about 0.3 s; quadratic time would take minutes


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
        (
            make_plan("sprt", engines=2),
            {"options": Sprt(0, 50)},
            "options: can't be changed during a run",
        ),
        (make_plan("swiss"), {"rounds": 2}, "rounds: can't be changed during a run with format"),
        (
            make_plan("swiss"),
            {"options": Swiss(2)},
            "swiss.rounds: can only grow \\(3 before, 2 now\\)",
        ),
        (
            make_plan("adaptive"),
            {"options": Adaptive(18, 4)},
            "adaptive.batch: can't be changed during a run",
        ),
        (
            make_plan("knockout"),
            {"options": Knockout(20)},
            "options: can't be changed during a run",
        ),
    ],
)
def test_no_extension(old: Plan, change: dict[str, object], complaint: str) -> None:
    with pytest.raises(PlanError, match=complaint):
        require_extension(old, replace(old, **change))  # type: ignore[arg-type]


@given(plans, st.integers(0, 2), st.integers(0, 2), st.integers(0, 5), st.booleans())
def test_an_extension_contains_all_played_games(
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
        # The format depends on results, so only stages can be added.
        assert plan.format in LOOKING
        assert rounds or openings or more_engines
        return
    assert plan.format in BLIND or not (rounds or openings or more_engines)
    before = {game.id: game for game in play(Schedule(plan))}
    assert before.items() <= {game.id: game for game in play(Schedule(longer))}.items()


def test_sprt_can_be_extended_by_rounds() -> None:
    plan = make_plan("sprt", engines=2)
    longer = replace(plan, rounds=9)
    require_extension(plan, longer)
    assert Schedule(longer).due(6) == Schedule(plan).due()
