"""Events of a run as lines of text, as JSON, and in the live table; live ratings."""

import io
import json
import re
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from trivalent.tools.statistics.outcomes import Outcome
from trivalent.tools.statistics.rating import Tally
from trivalent.tools.tournament.model import Ending, Game, Opening, Record
from trivalent.tools.tournament.plan.plan_file import parse
from trivalent.tools.tournament.plan.plan_model import dumps
from trivalent.tools.tournament.run.events import (
    Event,
    GameBegun,
    GameEnded,
    JsonLines,
    LiveStanding,
    Notice,
    PlainLines,
    RatingsChanged,
    RunEnded,
    RunStarted,
    StateChanged,
)
from trivalent.tools.tournament.run.live_ratings import Rater, standings
from trivalent.tools.tournament.run.live_table import LiveTable
from trivalent.tools.tournament.run.store import Store
from trivalent.tools.tournament.run.workers import at_once

GAME = Game("a~b~c2~1b", "a~b~c2~1", 1, "a", "b", Opening("c2", ("c2",)), (1, 2))
RECORD = Record(
    GAME.id, 1, Ending.RESIGNATION, "b", "", "", ("c2", "b3", "resign"), (0.0, 0.5, 1.0), 1e9, 1.5
)
VOIDED = replace(RECORD, ending=Ending.OVERLOAD, winner="", detail="the referee was held up")
ROWS = (LiveStanding("b", 3, 1, 95.4, -20.0, 210.8), LiveStanding("[red]a", 1, 3, None, None, None))
EVENTS: tuple[tuple[Event, str], ...] = (
    (RunStarted("league", 20, 4, 2), "league: 4/20 games played, 2 in parallel"),
    (GameBegun(GAME, 1, "local 1"), ""),
    (GameEnded(GAME, RECORD, 5, 20), "[5/20] b beat a, c2: resignation, 3 moves, 1.5 s"),
    (
        GameEnded(GAME, VOIDED, 5, 20),
        "[5/20] a - b, c2: void, overloaded host (the referee was held up)",
    ),
    (RatingsChanged(ROWS), "ratings: b 3-1 +95 [-20, 211], [red]a 1-3"),
    (StateChanged("round 2 of 3"), "round 2 of 3"),
    (Notice("the disk is full"), "the disk is full"),
    (RunEnded("all games are played", 20, 20), "all games are played; 20/20 games played"),
)


@pytest.mark.parametrize(("event", "line"), EVENTS)
def test_plain_lines(event: Event, line: str) -> None:
    stream = io.StringIO()
    PlainLines(stream)(event)
    assert stream.getvalue() == (line + "\n" if line else "")


def test_json_lines() -> None:
    stream = io.StringIO()
    show = JsonLines(stream)
    for event, _ in EVENTS:
        show(event)
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [line["event"] for line in lines] == [
        "run started",
        "game begun",
        "game ended",
        "game ended",
        "ratings changed",
        "state changed",
        "notice",
        "run ended",
    ]
    assert lines[2]["game"]["opening"] == {"name": "c2", "moves": ["c2"]}
    assert lines[2]["record"]["ending"] == "resignation"
    assert lines[4]["standings"][1] == {
        "engine": "[red]a", "wins": 1, "losses": 3, "elo": None, "low": None, "high": None
    }  # fmt: skip


def test_live_table() -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=100, highlight=False)
    with LiveTable(console) as show:
        for event, _ in EVENTS[:-1]:
            show(event)
    assert isinstance(console.file, io.StringIO)
    picture = console.file.getvalue()
    for text in (
        "league  5/20 games",
        "round 2 of 3",
        "[red]a",
        "+95",
        "-20 to +211",
        "b beat a, c2: resignation",
        "the disk is full",
    ):
        assert text in picture
    assert not re.search("━[^\n━╸]*[a-z]{3}", re.sub("\x1b\\[[0-9;]*m", "", picture))


def test_live_table_lists_running_games() -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=100, highlight=False)
    with LiveTable(console) as show:
        show(GameBegun(GAME, 1, "local 1"))
    assert isinstance(console.file, io.StringIO)
    assert "local 1: a - b, c2, 0 s" in console.file.getvalue()


def _outcomes(*winners: str) -> list[Outcome]:
    return [
        Outcome(str(n), str(n // 2), winner, "b" if winner == "a" else "a", "ab"[n % 2], "c2")
        for n, winner in enumerate(winners)
    ]


def test_standings() -> None:
    first, second = standings(Tally(_outcomes(*"aaabab")))
    assert (first.engine, first.wins, first.losses) == ("a", 4, 2)
    assert first.elo is not None
    assert second.elo is not None
    assert first.elo + second.elo == pytest.approx(0)
    assert first.low is not None
    assert first.high is not None
    assert first.low < first.elo < first.high


def test_standings_without_a_rating() -> None:
    assert standings(Tally()) == ()
    assert standings(Tally(_outcomes("a", "a"))) == (
        LiveStanding("a", 2, 0, None, None, None),
        LiveStanding("b", 0, 2, None, None, None),
    )


def test_repetitions_are_counted_but_not_rated() -> None:
    once = _outcomes(*"aaabab")
    again = [replace(outcome, repeat=True) for outcome in once]
    first, twice = standings(Tally(once))[0], standings(Tally(once + again))[0]
    assert (twice.wins, twice.elo) == (2 * first.wins, first.elo)


PLAN = """
size = 3
[engines.a]
player = "random"
clock = { nodes = 1 }
[engines.b]
player = "uct"
clock = { nodes = 1 }
"""


def test_rater_counts_old_and_new_games(tmp_path: Path) -> None:
    plan = parse(PLAN, tmp_path)
    told: list[Event] = []
    path = tmp_path / "run.db"
    with Store.create(path, dumps(plan), plan.digest) as store:
        store.add([(GAME, RECORD)])
        rater = Rater(plan, store, told.append)
        other = replace(GAME, id="2", black="b", white="a")
        record = replace(RECORD, game="2", winner="a", moves=("b1",))
        void = replace(record, winner="")
        for one in (void, record):  # stored as well, before the rater reads the store
            store.add([(other, one)])
            rater(GameEnded(other, one, 2, 2))
        rater(StateChanged("nothing"))
        rater.start()
        while True:
            if told:
                assert isinstance(told[-1], RatingsChanged)
                if sum(row.wins for row in told[-1].standings) == 2:
                    break
        rater.close()
    rows = told[-1].standings
    assert {(row.engine, row.wins, row.losses) for row in rows} == {("a", 1, 1), ("b", 1, 1)}


def test_rater_reports_a_damaged_run(tmp_path: Path) -> None:
    plan = parse(PLAN, tmp_path)
    told: list[Event] = []
    path = tmp_path / "run.db"
    with Store.create(path, dumps(plan), plan.digest) as store:
        store.add([(GAME, RECORD)])
        connection = sqlite3.connect(path)
        with connection:
            connection.execute("UPDATE records SET moves = CAST(x'ff' AS TEXT)")
        connection.close()
        rater = Rater(plan, store, told.append)
        rater.start()
        rater.join()
    (notice,) = told
    assert isinstance(notice, Notice)
    assert "no live ratings" in notice.sentence
    assert str(path) in notice.sentence


@pytest.mark.parametrize(
    ("text", "games"),
    [("", 6), ("concurrency = 3\n", 3), ("[engines.c]\nplayer = 'mcts'\nthreads = 4\n", 1)],
)
def test_games_in_parallel(monkeypatch: pytest.MonkeyPatch, text: str, games: int) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(6)))
    if text.startswith("["):
        plan = parse(PLAN + text + "clock = { nodes = 1 }\n", Path())
    else:
        plan = parse(text + PLAN, Path())
    assert at_once(plan) == games
