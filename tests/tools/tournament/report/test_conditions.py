"""Reports name the conditions: clock, parameters, program, dialect and version of each engine."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from made_up import made_up
from rich.console import Console

from trivalent.core.records.formats import read
from trivalent.tools.tournament.model import Engine, TimeControl
from trivalent.tools.tournament.report import html_page
from trivalent.tools.tournament.report.conditions import clock_text, conditions, engine_text
from trivalent.tools.tournament.report.export_files import as_json
from trivalent.tools.tournament.report.game_records import sgf
from trivalent.tools.tournament.report.summary import summary
from trivalent.tools.tournament.report.terminal_tables import show

if TYPE_CHECKING:
    from trivalent.tools.tournament.report.summary import Summary

TEN = TimeControl(nodes=10)
CLOCK = TimeControl(main=60, increment=2)
FEW = Engine("a", player="mcts", parameters={"threads": "1"}, clock=TEN)
MANY = replace(FEW, name="b", parameters={"threads": "2"}, clock=TimeControl(nodes=200))
FOREIGN = Engine(
    "c d",
    command=("./mohex 2.0", "--quiet"),
    dialect="mohex",
    environment={"OMP_NUM_THREADS": "1"},
    startup=("param_mohex num_threads 1",),
    clock=CLOCK,
)
VERSIONS = {"a": ["Trivalent 0.2.0"], "c d": ["MoHex 2.0", "MoHex 2.1"]}
TEXTS = {
    "a": "mcts, threads=1; 10 nodes per move; Trivalent 0.2.0",
    "b": "mcts, threads=2; 200 nodes per move",
    "c d": "'./mohex 2.0' --quiet, dialect mohex, OMP_NUM_THREADS=1; param_mohex num_threads 1; "
    "60 s + 2 s per move; MoHex 2.0, MoHex 2.1",
}


@pytest.fixture(scope="module")
def found() -> Summary:
    plan, played = made_up(("a", "b", "c d"), size=3)
    return summary(replace(plan, engines=(FEW, MANY, FOREIGN)), played, VERSIONS)


def test_every_report_tells_engines_apart(found: Summary) -> None:
    pytest.importorskip("jinja2")
    board = made_up(size=3)[0].board
    stream = io.StringIO()
    show(found, Console(file=stream, width=200, highlight=False))
    for text in (stream.getvalue(), html_page.page(found, board)):
        for part in (
            "10 nodes per move",
            "200 nodes per move",
            "threads=2",
            "MoHex 2.1",
            "mohex 2.0",
        ):
            assert part in text
    engines = json.loads(as_json(found))["engines"]
    assert [engine["clock"]["nodes"] for engine in engines] == [10, 200, 0]
    assert engines[2]["command"] == ["./mohex 2.0", "--quiet"]
    assert [engine["versions"] for engine in engines] == [VERSIONS["a"], [], VERSIONS["c d"]]


@pytest.mark.parametrize("width", [80, 200])
def test_standings_show_clocks_that_differ(found: Summary, width: int) -> None:
    stream = io.StringIO()
    show(found, Console(file=stream, width=width, highlight=False))
    standings = stream.getvalue().partition("Standings")[2].partition("Crosstable")[0]
    assert "clock" in standings
    assert "200 nodes" in standings
    even = replace(found, engines=tuple(replace(one, clock=TEN) for one in found.engines))
    stream = io.StringIO()
    show(even, Console(file=stream, width=width, highlight=False))
    assert "clock" not in stream.getvalue().partition("Standings")[2]


def test_records_of_games_say_the_time_control(found: Summary) -> None:
    board = made_up(size=3)[0].board
    game, record = next(one for one in found.played if {one[0].black, one[0].white} == {"a", "b"})
    text = sgf(board, game, record, engines=found.engines)
    seats = {"Black": game.black, "White": game.white}
    first = [f"{seat}: {TEXTS[name]}" for seat, name in seats.items()]
    assert read(text).record.root.comment.splitlines()[:2] == first
    clocks = {"a": "10 nodes per move", "b": "200 nodes per move"}
    odds = "; ".join(f"{seat}: {clocks[name]}" for seat, name in seats.items())
    assert f"OT[{odds}]" in text
    assert "TM[" not in text
    same = [replace(one, clock=CLOCK) for one in found.engines if one.engine != "c d"]
    text = sgf(board, game, record, engines=same)
    assert "TM[60]" in text
    assert "OT[+ 2 s per move]" in text
    info = read(text).record.info
    assert (info["time limit"], info["overtime"]) == ("60", "+ 2 s per move")


@pytest.mark.parametrize(
    ("clock", "text"),
    [
        (TimeControl(), "no limit"),
        (TimeControl(move=0.5), "0.5 s per move"),
        (TimeControl(move=1, nodes=100_000), "1 s per move, 100,000 nodes per move"),
        (TimeControl(main=1e6), "1000000 s"),
        (TimeControl(main=60, increment=1.5), "60 s + 1.5 s per move"),
        (TimeControl(main=60, byo_yomi=30), "60 s, then 30 s per move"),
        (TimeControl(byo_yomi=300, stones=25), "300 s for every 25 moves"),
    ],
)
def test_clocks_in_words(clock: TimeControl, text: str) -> None:
    assert clock_text(clock) == text


def test_engines_in_words(found: Summary) -> None:
    assert {one.engine: engine_text(one) for one in found.engines} == TEXTS
    remote = Engine("far", address=("::1", 2000), clock=TimeControl(move=1))
    plan, _ = made_up(size=3)
    (one,) = conditions(replace(plan, engines=(remote,)), {})
    assert engine_text(one) == "[::1]:2000; 1 s per move"
