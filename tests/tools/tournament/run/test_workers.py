"""Local workers, and the engines they keep."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from trivalent.core.processors import usable_cores
from trivalent.tools.tournament.model import Ending, Engine, Game, Record
from trivalent.tools.tournament.plan.plan_file import parse
from trivalent.tools.tournament.plan.plan_model import Plan
from trivalent.tools.tournament.play import referee
from trivalent.tools.tournament.run import workers as module
from trivalent.tools.tournament.run.schedule import Schedule
from trivalent.tools.tournament.run.workers import (
    Begun,
    Ended,
    Failed,
    LocalWorkers,
    Pool,
    WorkersError,
)

PLAN = """
size = 4
openings = "all"
concurrency = 2
clock = { nodes = 1 }
[engines]
"""


class Seat:
    """A stand-in for a contestant."""

    closed: list[str]

    def __init__(self, engine: Engine, plan: Plan) -> None:
        self.name = engine.name

    def close(self) -> None:
        self.closed.append(self.name)


@pytest.fixture
def plan(monkeypatch: pytest.MonkeyPatch) -> Plan:
    """Return a plan for twelve stand-in engines."""
    monkeypatch.setattr(Seat, "closed", [], raising=False)
    monkeypatch.setattr(module, "Contestant", Seat)
    names = [f"e{number}" for number in range(12)]
    return parse(PLAN + "".join(f'{name} = {{ player = "random" }}\n' for name in names), Path())


def test_engines_are_reused(plan: Plan) -> None:
    pool = Pool(plan, at_once=1)
    one, other = pool.take("e1"), pool.take("e1")
    assert one is not other
    pool.give_back(one)
    pool.give_back(other)
    assert pool.take("e2") not in (one, other)
    assert pool.take("e1") is other
    assert pool.take("e1") is one
    assert Seat.closed == []


def test_few_idle_engines_are_kept(plan: Plan) -> None:
    pool = Pool(plan, at_once=1)
    for seat in [pool.take(f"e{number}") for number in range(10)]:
        pool.give_back(seat)
    assert Seat.closed == ["e0", "e1"]
    pool.close()
    assert sorted(Seat.closed) == [f"e{number}" for number in range(10)]
    pool.close()
    assert len(Seat.closed) == 10


def _record(game: Game, ending: Ending = Ending.CONNECTION) -> Record:
    return Record(game.id, 1, ending, game.black, "", "", (), (), 0.0, 0.0)


@contextmanager
def _working(
    plan: Plan, monkeypatch: pytest.MonkeyPatch, cores: int = 0
) -> Iterator[tuple[LocalWorkers, threading.Event, list[set[int]]]]:
    """Yield workers whose games end when the event is set or they're abandoned."""
    end = threading.Event()
    where: list[set[int]] = []

    def play(game: Game, *_: object, stop: threading.Event) -> Record:
        where.append(os.sched_getaffinity(0))
        while not end.wait(0.001):
            if stop.is_set():
                return _record(game, Ending.INTERRUPTED)
        if game.black == "e1":
            raise ZeroDivisionError
        return _record(game)

    monkeypatch.setattr(referee, "play", play)
    workers = LocalWorkers(plan, cores=cores)
    try:
        yield workers, end, where
    finally:
        workers.abandon()
        workers.close()


def _games(plan: Plan, black: str) -> list[Game]:
    return [game for game in Schedule(plan).due() if game.black == black]


def test_games_are_played(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    games = _games(plan, "e0")[:5]
    with _working(plan, monkeypatch) as (workers, end, _):
        end.set()
        for game in games:
            workers.submit(game)
        messages = [workers.messages.get(timeout=60) for _ in range(10)]
    begun = {message.game: message.worker for message in messages if isinstance(message, Begun)}
    ended = [message.record for message in messages if isinstance(message, Ended)]
    assert set(begun) == {game.id for game in games}
    assert {record.game: record.worker for record in ended} == begun
    assert set(begun.values()) <= {"local 1", "local 2"}
    assert len(Seat.closed) >= 2


def test_waiting_games_can_be_withdrawn(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    games = _games(plan, "e0")[:5]
    with _working(plan, monkeypatch) as (workers, _, _):
        for game in games:
            workers.submit(game)
        begun = {workers.messages.get(timeout=60) for _ in range(2)}
        assert sorted(workers.withdraw()) == sorted(game.id for game in games[2:])
        assert workers.withdraw() == []
        workers.abandon()
        ended = [workers.messages.get(timeout=60) for _ in begun]
    assert all(
        isinstance(message, Ended) and message.record.ending is Ending.INTERRUPTED
        for message in ended
    )


def test_internal_errors_are_reported(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    game = _games(plan, "e1")[0]
    with _working(plan, monkeypatch) as (workers, end, _):
        end.set()
        workers.submit(game)
        messages = [workers.messages.get(timeout=60) for _ in range(2)]
    assert isinstance(messages[1], Failed)
    assert isinstance(messages[1].error, ZeroDivisionError)


def test_cores(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = os.sched_getaffinity(0)
    if len(ours) < 2:
        pytest.skip("one core cannot be shared out")
    games = _games(plan, "e0")[:2]
    with _working(plan, monkeypatch, cores=1) as (workers, end, where):
        for game in games:
            workers.submit(game)
        for _ in games:
            workers.messages.get(timeout=60)
        end.set()
    assert sorted(map(sorted, where)) == [[core] for core in sorted(ours)[:2]]
    assert os.sched_getaffinity(0) == ours


def test_too_few_cores(plan: Plan) -> None:
    with pytest.raises(WorkersError, match="2 games in parallel with 500 cores each"):
        LocalWorkers(plan, cores=500)


def test_systems_that_cannot_pin(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_setaffinity")
    with pytest.raises(WorkersError, match="this system can't pin games to cores"):
        LocalWorkers(plan, cores=1)
    monkeypatch.delattr(os, "sched_getaffinity")
    workers = LocalWorkers(plan)
    workers.close()
    assert usable_cores() == os.cpu_count()
