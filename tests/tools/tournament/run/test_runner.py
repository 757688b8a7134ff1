"""The runner: every game once, whatever happens to workers and disks."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue

import pytest

from trivalent.tools.tournament.model import VOID, Ending, Game, Record
from trivalent.tools.tournament.plan.plan_file import parse
from trivalent.tools.tournament.plan.plan_model import Plan, dumps
from trivalent.tools.tournament.run import runner as runners
from trivalent.tools.tournament.run.events import (
    Event,
    GameEnded,
    Notice,
    RunEnded,
    RunStarted,
)
from trivalent.tools.tournament.run.runner import Reason, Result, Runner
from trivalent.tools.tournament.run.store import Store, StoreError
from trivalent.tools.tournament.run.workers import Begun, Ended, Failed, Lost, Message

PLAN = """
size = 3
openings = "all"
[engines.a]
player = "random"
clock = { nodes = 1 }
[engines.b]
player = "random"
clock = { nodes = 1 }
"""
GAMES = 2 * 9


def _plan(text: str = PLAN) -> Plan:
    return parse(text, Path())


def _record(game: Game, ending: Ending = Ending.CONNECTION, blamed: str = "") -> Record:
    winner = "" if ending in VOID else min(game.black, game.white)
    return Record(game.id, 1, ending, winner, blamed, "", ("a1",), (0.0,), 1.0, 0.5)


def _play(game: Game) -> list[Message]:
    return [Ended(_record(game))]


Script = Callable[[Game], Sequence[Message]]


@dataclass
class Scripted:
    """Workers that follow a script at once; games without a script are never started."""

    script: Script = _play
    capacity: int = 2
    messages: SimpleQueue[Message] = field(default_factory=SimpleQueue)
    given: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    """Games that no worker starts."""
    abandoned: bool = False
    closed: bool = False

    def submit(self, game: Game) -> None:
        self.given.append(game.id)
        messages = self.script(game)
        if not messages:
            self.kept.append(game.id)
        for message in messages:
            self.messages.put(message)

    def withdraw(self) -> list[str]:
        kept, self.kept = self.kept, []
        return kept

    def abandon(self) -> None:
        self.abandoned = True

    def close(self) -> None:
        self.closed = True


@dataclass
class Run:
    """A run that can be continued."""

    path: Path
    plan: Plan = field(default_factory=_plan)
    events: list[Event] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    runner: Runner | None = None

    def go(self, workers: Scripted, store_type: type[Store] = Store) -> Result:
        if self.path.exists():
            store = store_type.open(self.path)
        else:
            store = store_type.create(self.path, dumps(self.plan), self.plan.digest)
        self.events.clear()
        with store:
            self.runner = Runner(self.plan, store, workers, [self.events.append])
            result = self.runner.run()
            self.records = list(store.records())
        assert workers.closed
        return result

    def decided(self) -> Counter[str]:
        return Counter(record.game for record in self.records if record.winner)

    def notices(self) -> list[str]:
        return [event.sentence for event in self.events if isinstance(event, Notice)]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run(tmp_path / "run.db")


def require_every_game_once(run: Run) -> None:
    decided = run.decided()
    assert len(decided) == GAMES
    assert set(decided.values()) == {1}


def test_all_games_are_played_once(run: Run) -> None:
    workers = Scripted()
    assert run.go(workers).reason is Reason.FINISHED
    require_every_game_once(run)
    assert len(workers.given) == GAMES
    started, *_, ended = run.events
    assert started == RunStarted("tournament", GAMES, 0, 2)
    assert isinstance(ended, RunEnded)
    assert (ended.played, ended.total) == (GAMES, GAMES)
    played = [event.played for event in run.events if isinstance(event, GameEnded)]
    assert played == list(range(1, GAMES + 1))


def test_finished_run_has_nothing_left_to_play(run: Run) -> None:
    run.go(Scripted())
    workers = Scripted()
    assert run.go(workers).reason is Reason.FINISHED
    assert workers.given == []
    assert run.events[0] == RunStarted("tournament", GAMES, GAMES, 2)


def _stop_after(run: Run, games: int) -> Script:
    """Play `games` games, then stop; later games are never started."""
    number = 0

    def script(game: Game) -> Sequence[Message]:
        nonlocal number
        number += 1
        if number == games:
            assert run.runner
            run.runner.stop(abandon=False)
        return _play(game) if number <= games else []

    return script


@pytest.mark.parametrize("games", range(1, GAMES + 1))
def test_continued_run_plays_exactly_the_missing_games(run: Run, games: int) -> None:
    before = Scripted(_stop_after(run, games))
    assert run.go(before).reason is Reason.STOPPED
    assert len(run.records) == games
    after = Scripted()
    assert run.go(after).reason is Reason.FINISHED
    assert sorted(before.given[:games] + after.given) == sorted(run.decided())
    require_every_game_once(run)


def test_a_stop_may_let_running_games_end(run: Run) -> None:
    held: list[Game] = []
    workers = Scripted()

    def script(game: Game) -> Sequence[Message]:
        held.append(game)
        if len(held) == 4:
            assert run.runner
            run.runner.stop(abandon=False)
            workers.kept += [game.id for game in held[2:]]  # two run, two wait
            return [Ended(_record(game)) for game in held[:2]]
        return [Begun(game.id, "one")]

    workers.script = script
    result = run.go(workers)
    assert result.reason is Reason.STOPPED
    assert sorted(run.decided()) == sorted(game.id for game in held[:2])
    assert any("waiting for running games to end" in notice for notice in run.notices())


@pytest.mark.parametrize("stops", [(True,), (False, True), (True, False)])
def test_a_stop_abandons_running_games(run: Run, stops: tuple[bool, ...]) -> None:
    class Held(Scripted):
        def abandon(self) -> None:
            if not self.abandoned:
                for game in self.running:
                    self.messages.put(Ended(_record(game, Ending.INTERRUPTED)))
            self.abandoned = True

        running: list[Game] = []  # noqa: RUF012

    def script(game: Game) -> Sequence[Message]:
        workers.running = [*workers.running, game]
        if len(workers.running) == 4:
            assert run.runner
            for abandon in stops:
                run.runner.stop(abandon=abandon)
        return [Begun(game.id, "one")]

    workers = Held(script)
    assert run.go(workers).reason is Reason.STOPPED
    assert run.records == []
    assert sum(isinstance(event, GameEnded) for event in run.events) == 4
    assert run.go(Scripted()).reason is Reason.FINISHED
    require_every_game_once(run)
    assert {record.attempt for record in run.records} == {1}


def test_void_games_are_played_again(run: Run) -> None:
    first = ""

    def script(game: Game) -> Sequence[Message]:
        nonlocal first
        first = first or game.id
        voided = game.id == first and workers.given.count(first) == 1
        return [Ended(_record(game, Ending.OVERLOAD if voided else Ending.CONNECTION))]

    workers = Scripted(script)
    assert run.go(workers).reason is Reason.FINISHED
    require_every_game_once(run)
    assert [(record.attempt, record.ending) for record in run.records if record.game == first] == [
        (1, Ending.OVERLOAD),
        (2, Ending.CONNECTION),
    ]
    assert len(run.records) == GAMES + 1


def test_attempts_are_counted_over_runs(run: Run) -> None:
    def void(game: Game) -> Sequence[Message]:
        return [Ended(_record(game, Ending.SUSPENDED))]

    run.go(Scripted(void, capacity=1))
    voided = len(run.records)
    run.go(Scripted())
    again = [record for record in run.records[voided:] if record.attempt > 1]
    assert {record.game for record in again} == {record.game for record in run.records[:voided]}


def _alternating(ending: Ending, period: int) -> Script:
    number = 0

    def script(game: Game) -> Sequence[Message]:
        nonlocal number
        number += 1
        return [Ended(_record(game, Ending.CONNECTION if number % period else ending))]

    return script


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        (_alternating(Ending.OVERLOAD, 1), "2 void games in a row between "),
        (_alternating(Ending.OVERLOAD, 2), "4 of 8 games are void; the last one: overloaded host"),
        (
            lambda game: [Ended(_record(game, Ending.NOT_STARTED, "b"))],
            "b doesn't start: ",
        ),
    ],
)
def test_breakers(run: Run, script: Script, sentence: str) -> None:
    result = run.go(Scripted(script, capacity=1))
    assert result.reason is Reason.VOID
    assert result.sentence.startswith(sentence)
    assert run.go(Scripted()).reason is Reason.FINISHED
    require_every_game_once(run)


@pytest.mark.parametrize(
    ("at_a_time", "reason"), [(1, Reason.VOID), (6, Reason.FINISHED), (GAMES, Reason.FINISHED)]
)
def test_one_incident_in_many_games_counts_once(run: Run, at_a_time: int, reason: Reason) -> None:
    """A suspended host, for example, voids six games of the same engines at once."""
    waiting: list[Game] = []
    begun = 0

    def suspended(game: Game) -> Sequence[Message]:
        nonlocal begun
        begun += 1
        if begun > 6:
            return [Begun(game.id, "w"), *_play(game)]
        waiting.append(game)
        messages: list[Message] = [Begun(game.id, "w")]
        if len(waiting) == min(at_a_time, 6):
            messages += [Ended(_record(one, Ending.SUSPENDED)) for one in waiting]
            waiting.clear()
        return messages

    result = run.go(Scripted(suspended, capacity=at_a_time))
    assert result.reason is reason
    if reason is Reason.FINISHED:
        require_every_game_once(run)
        assert sum(record.attempt > 1 for record in run.records) == 6


def test_engine_that_has_played_may_fail_to_start_once(run: Run) -> None:
    def script(game: Game) -> Sequence[Message]:
        started = len(workers.given) != 3
        return [Ended(_record(game, Ending.CONNECTION if started else Ending.NOT_STARTED, "b"))]

    workers = Scripted(script, capacity=1)
    assert run.go(workers).reason is Reason.FINISHED
    require_every_game_once(run)


def test_lost_games_are_replayed_and_late_duplicates_ignored(run: Run) -> None:
    lost: list[Game] = []

    def script(game: Game) -> Sequence[Message]:
        if not lost:
            lost.append(game)
            return [Lost(game.id, "its worker is gone")]
        late = [Ended(_record(lost[0]))] * 2
        return [*late, Ended(_record(game)), *late]

    workers = Scripted(script)
    assert run.go(workers).reason is Reason.FINISHED
    require_every_game_once(run)
    assert workers.given.count(lost[0].id) == 2
    assert "its worker is gone" in run.notices()


def test_a_game_that_is_always_lost_ends_the_run(run: Run) -> None:
    workers = Scripted(lambda game: [Lost(game.id, "its worker is gone")], capacity=1)
    result = run.go(workers)
    assert result.reason is Reason.FAILED
    assert "its worker is gone" in result.sentence


def test_internal_errors_end_the_run(run: Run) -> None:
    def script(game: Game) -> Sequence[Message]:
        return (
            [Failed(game.id, ZeroDivisionError("oops"))] if len(workers.given) == 5 else _play(game)
        )

    workers = Scripted(script, capacity=1)
    result = run.go(workers)
    assert result.reason is Reason.FAILED
    assert "ZeroDivisionError('oops')" in result.sentence
    assert len(run.records) >= 4


def _full_store(failures: int) -> type[Store]:
    class FullStore(Store):
        left = failures

        def add(self, played: Sequence[tuple[Game, Record]]) -> None:
            if played and len(list(self.records())) >= 5 and FullStore.left:
                FullStore.left -= 1
                raise StoreError("run.db: database or disk is full")
            super().add(played)

    return FullStore


def test_runner_waits_while_the_disk_is_full(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runners, "SAVE_RETRY", 0.01)
    monkeypatch.setattr(runners, "SAVE_SPACING", 0.0)
    result = run.go(Scripted(), _full_store(3))
    assert result.reason is Reason.FINISHED
    require_every_game_once(run)
    full, again = run.notices()
    assert full.startswith("run.db: database or disk is full; results are kept in memory")
    assert again == "saving works again"


def test_no_games_start_while_saving_fails(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runners, "SAVE_RETRY", 0.01)
    monkeypatch.setattr(runners, "SAVE_SPACING", 0.0)
    monkeypatch.setattr(runners, "SAVE_PATIENCE", 0.1)
    workers = Scripted()
    result = run.go(workers, _full_store(10**9))
    assert result.reason is Reason.UNSAVED
    saved = len(run.records)
    assert result.sentence.startswith(f"{len(workers.given) - saved} results are lost")
    assert len(workers.given) <= saved + 3 * 2 * workers.capacity
    assert run.go(Scripted()).reason is Reason.FINISHED
    require_every_game_once(run)


def test_stopping_does_not_wait_for_a_full_disk(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runners, "SAVE_RETRY", 0.01)
    monkeypatch.setattr(runners, "SAVE_SPACING", 0.0)
    assert run.go(Scripted(_stop_after(run, 12)), _full_store(10**9)).reason is Reason.UNSAVED


def test_fast_games_share_transactions(run: Run) -> None:
    sizes: list[int] = []

    class Watched(Store):
        def add(self, played: Sequence[tuple[Game, Record]]) -> None:
            sizes.append(len(played))
            told = [event.record for event in run.events if isinstance(event, GameEnded)]
            assert told == list(self.records())  # no event for results that may still be lost
            super().add(played)

    assert run.go(Scripted(), Watched).reason is Reason.FINISHED
    assert sum(sizes) == GAMES
    assert max(sizes) > 1


def test_broken_consumers_are_dropped(run: Run) -> None:
    def broken(_: Event) -> None:
        raise BrokenPipeError

    with Store.create(run.path, dumps(run.plan), run.plan.digest) as store:
        runner = Runner(run.plan, store, Scripted(), [broken, run.events.append])
        assert runner.run().reason is Reason.FINISHED
    assert len(run.events) > GAMES
