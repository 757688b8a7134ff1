"""The summary of a run: counts, independence of order, tables and exported files."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

import pytest
from made_up import made_up
from rich.console import Console

from trivalent.core.games import hex_board, y_board
from trivalent.core.records.formats import read
from trivalent.core.records.record import Action
from trivalent.tools.statistics.sprt import Sprt
from trivalent.tools.tournament.model import REGULAR, Ending, Game, Opening, Record
from trivalent.tools.tournament.report.export_files import COLUMNS, as_csv, as_json, write_games
from trivalent.tools.tournament.report.game_records import link, sgf
from trivalent.tools.tournament.report.summary import Summary, summary
from trivalent.tools.tournament.report.terminal_tables import likely, show

if TYPE_CHECKING:
    from pathlib import Path

    from made_up import Run


def shown(found: Summary, width: int = 100) -> str:
    stream = io.StringIO()
    show(found, Console(file=stream, width=width, highlight=False))
    return stream.getvalue()


def game_of(moves: str, ending: Ending, winner: str) -> tuple[Game, Record]:
    words = tuple(moves.split())
    game = Game("a~b~c3~1b", "a~b~c3~1", 1, "a", "b", Opening("c3", words[:1]), (1, 2))
    seconds = (0.0, *[0.5] * (len(words) - 1))
    blamed = "" if ending in REGULAR else "b"
    return game, Record(game.id, 1, ending, winner, blamed, "", words, seconds, 1.7e9, 3.0, "local")


@pytest.fixture(scope="module")
def run() -> Run:
    return made_up(rounds=2)


def test_everything_is_counted(run: Run) -> None:
    plan, played = run
    found = summary(plan, played)
    assert found.games == found.total == len(played) == 25 * 3 * 2 * 2
    assert (found.void, found.half_pairs, found.repeats) == (0, 0, 0)
    assert [row.engine for row in found.standings] == ["ada", "bob", "cyd"]
    assert sum(row.wins for row in found.standings) == found.games
    for row in found.standings:
        assert row.wins + row.losses == row.games_as_black + row.games_as_white == 200
        assert row.wins == row.wins_as_black + row.wins_as_white
        assert row.faults == sum(record.blamed == row.engine for _, record in played)
        assert row.low < row.elo < row.high  # type: ignore[operator]
    for match in found.matches:
        assert match.pairs.total == 50
        assert (match.wins, match.losses) == (match.pairs.wins, match.pairs.losses)
        assert match.strata is not None
        assert match.strata.fixed_suite is not None
        assert len(match.openings) == 25
        assert sum(one.games_as_black for one in match.openings) == 50
    assert sum(found.endings.values()) == found.games
    assert len(found.faults) == sum(bool(record.blamed) for _, record in played)
    assert found.los[0][0] is None
    assert found.los[0][1] == pytest.approx(1.0 - found.los[1][0])  # type: ignore[operator]


def test_the_order_of_the_records_does_not_matter(run: Run) -> None:
    plan, played = run
    shuffled = played.copy()
    Random(5).shuffle(shuffled)
    assert as_json(summary(plan, shuffled)) == as_json(summary(plan, played))
    assert as_csv(summary(plan, shuffled), plan.board) == as_csv(summary(plan, played), plan.board)


def test_void_games_and_second_results_are_ignored(run: Run) -> None:
    plan, played = run
    game, record = played[0]
    void = replace(record, ending=Ending.OVERLOAD, winner="", blamed="", attempt=1)
    again = replace(record, attempt=3, winner=game.white)
    more = [(game, void), (game, replace(record, attempt=2)), *played[1:], (game, again)]
    found, plain = summary(plan, more), summary(plan, played)
    assert found.void == 1
    assert found.standings == plain.standings
    assert [fault.ending for fault in found.faults if fault.void] == ["overloaded host"]


def test_incomplete_pairs_are_reported(run: Run) -> None:
    plan, played = run
    found = summary(plan, played[:-1])
    assert found.half_pairs == 1
    assert found.games == 299
    assert found.total == 300
    assert "Incomplete pairs (one game still to be played): 1." in shown(found)


def test_repetitions_are_reported_and_not_rated() -> None:
    plan, played = made_up(("ada", "bob"), size=4, rounds=2)
    first = {game.id[:-2] + game.id[-1]: record for game, record in played[:32]}
    copies = [
        (game, replace(first[game.id[:-2] + game.id[-1]], game=game.id)) for game, _ in played[32:]
    ]
    found, once = summary(plan, played[:32] + copies), summary(plan, played[:32])
    assert found.repeats == 32
    assert found.standings[0].elo == once.standings[0].elo
    assert found.matches[0].pairs == once.matches[0].pairs
    assert found.standings[0].wins == 2 * once.standings[0].wins
    assert any("32 of 64 games aren't rated" in note for note in found.notes)


def test_times_belong_to_the_mover() -> None:
    plan, _ = made_up(("a", "b"), size=5)
    for swap in ("swap-pieces", "swap-sides"):
        game, record = game_of(f"c3 {swap} a1 b1 resign", Ending.RESIGNATION, "b")
        record = replace(record, seconds=(0.0, 1.0, 2.0, 3.0, 4.0))
        rows = {row.engine: row.time for row in summary(plan, [(game, record)]).standings}
        assert rows["b"] is not None
        assert rows["a"] is not None
        assert rows["b"].course == (1.0, 3.0)
        assert rows["a"].course == (2.0, 4.0)
        assert rows["a"].longest == 4.0


def test_anchor(run: Run) -> None:
    plan, played = run
    found = summary(plan, played, anchor="cyd")
    assert found.standings[2].elo == 0.0
    assert "Elo is relative to cyd" in shown(found)
    with pytest.raises(ValueError, match="anchor 'dan' has not played"):
        summary(plan, played, anchor="dan")


def test_no_games() -> None:
    plan, _ = made_up()
    found = summary(plan, [])
    assert [row.elo for row in found.standings] == [None] * 3
    assert "No games: no ratings." in shown(found)
    assert json.loads(as_json(found))["games"] == 0
    assert as_csv(found, plan.board) == ",".join(COLUMNS) + "\n"


def test_perfect_scores_have_no_infinite_ratings() -> None:
    plan, played = made_up(step=80.0)
    text = shown(summary(plan, played))
    assert "Won every game: ada." in text
    assert "> +" in text  # a lower bound only
    assert "nan" not in text.lower()
    assert "inf" not in text.lower().replace("information", "")
    match = summary(plan, played).matches[0]
    assert match.difference.high is None
    assert match.difference.low is not None
    assert match.difference.low > 0.0


def test_small_matches_are_flagged(run: Run) -> None:
    few = "Intervals from fewer than 15 pairs cover about 90 %, not 95 %."
    assert few not in summary(*run).notes
    assert few in summary(*made_up(size=3)).notes


def test_a_sequential_test() -> None:
    plan, played = made_up(("ada", "bob"), options=Sprt(0.0, 100.0), rounds=2, step=1.0)
    found = summary(plan, played)
    assert found.test is not None
    assert found.test.decision == "H1"
    assert len(found.test.curve) == found.test.pairs.total
    assert found.test.pairs.total + found.test.late.total <= 50
    text = shown(found)
    assert "SPRT of ada against bob, 0 against 100 Elo: H1 accepted (100 Elo), LLR" in text
    assert "intervals are approximate" in " ".join(text.split())


@pytest.mark.parametrize("width", [40, 80, 100, 160])
def test_tables_fit_the_terminal(run: Run, width: int) -> None:
    lines = shown(summary(*run), width).splitlines()
    assert max(map(len, lines)) <= width
    if width >= 80:
        assert not any("…" in line for line in lines)


def test_markup_in_names_is_printed_as_text() -> None:
    plan, played = made_up(("[red]ada[/]", "[link=x]bob"))
    text = shown(summary(plan, played), 160)
    assert "[red]ada[/]" in text
    assert "[link=x]bob has stopped" in text


def test_json_has_all_numbers(run: Run) -> None:
    values = json.loads(as_json(summary(*run)))
    assert list(values)[:3] == ["name", "board", "game"]
    assert "played" not in values
    assert values["matches"][0]["pairs"].keys() == {"ll", "split", "ww"}
    assert values["matches"][0]["game_level"]["estimate"]["elo"] is not None


def test_csv_of_games(run: Run) -> None:
    plan, played = run
    evil = replace(played[0][1], detail='=HYPERLINK("http://x","y")', worker="@host")
    text = as_csv(summary(plan, [(played[0][0], evil), *played[1:]]), plan.board)
    rows = list(csv.DictReader(io.StringIO(text)))
    assert tuple(rows[0]) == COLUMNS
    assert len(rows) == len(played)
    row = next(row for row in rows if row["game"] == played[0][0].id)
    assert row["detail"] == '\'=HYPERLINK("http://x","y")'
    assert row["worker"] == "'@host"
    assert row["winner"] == evil.winner
    assert float(row["black_seconds"]) == pytest.approx(sum(evil.seconds[::2]), abs=1e-3)
    assert row["link"].startswith("https://hexworld.org/board/#5,")


@pytest.mark.parametrize(
    ("moves", "ending", "winner", "result"),
    [
        ("c3 a1 b2", Ending.CONNECTION, "a", "B+"),
        ("c3 a1 b2", Ending.POINTS, "a", "B+"),
        ("c3 a1 resign", Ending.RESIGNATION, "b", "W+Resign"),
        ("c3 swap-pieces a1 resign", Ending.RESIGNATION, "a", "B+Resign"),
        ("c3 swap-sides a1 resign", Ending.RESIGNATION, "a", "W+Resign"),
        ("c3 swap-sides a1 b2", Ending.TIME, "a", "W+Time"),
        ("c3 swap-pieces a1", Ending.CRASH, "a", "B+Forfeit"),
        ("c3", Ending.OVERLOAD, "", "Void"),
    ],
)
@pytest.mark.parametrize("board", [hex_board(5), y_board(5)], ids=str)
def test_sgf_is_read_back(
    board: object, moves: str, ending: Ending, winner: str, result: str
) -> None:
    assert isinstance(board, type(hex_board(5)))
    game, record = game_of(moves, ending, winner)
    reading = read(sgf(board, game, record, "the event"), "sgf")
    assert reading.warnings == []
    back = reading.record
    assert back.board == board
    assert back.result == result
    assert {str(colour): name for colour, name in back.players.items()} == {
        "black": "a",
        "white": "b",
    }
    assert back.info["event"] == "the event"
    assert back.info["date"] == "2023-11-14"
    turns = [node.turn for node in back.root.end().line() if node.turn]
    words = [
        board.names[turn.cell] if turn.cell is not None else turn.action.value for turn in turns
    ]
    assert words == moves.split()
    if "swap-sides" in moves:
        assert [str(turn.colour) for turn in turns[:3]] == ["black", "white", "white"]


def test_links_are_read_back() -> None:
    board = hex_board(5)
    game, record = game_of("c3 swap-pieces a1 b2 resign", Ending.RESIGNATION, "b")
    address = link(board, game, record)
    assert address == "https://hexworld.org/board/#5,c3:sa1b2:rb"
    turns = [node.turn for node in read(address, "hexworld").record.root.end().line() if node.turn]
    assert [turn.action for turn in turns] == [
        Action.PLAY,
        Action.SWAP_PIECES,
        Action.PLAY,
        Action.PLAY,
        Action.RESIGN,
    ]
    assert link(hex_board(60), game, record) == ""  # larger than HexWorld supports
    assert link(y_board(5), game, record) == ""


def test_a_file_for_each_game(run: Run, tmp_path: Path) -> None:
    plan, played = run
    game, record = played[0]
    evil = (replace(game, id="../../etc/x"), replace(record, game="../../etc/x"))
    folder = tmp_path / "one" / "games"
    write_games(summary(plan, [evil, *played[1:]]), plan.board, str(folder))
    names = {path.name for path in folder.iterdir()}
    assert len(names) == len(played)
    assert "%2E.%2F..%2Fetc%2Fx.sgf" in names
    assert [path.name for path in (tmp_path / "one").iterdir()] == ["games"]
    sample = read((folder / f"{played[1][0].id}.sgf").read_text("utf-8"), "sgf").record
    assert sample.board == plan.board
    assert sample.root.comment.splitlines()[-1] == link(plan.board, *played[1])


def test_names_of_files_are_possible_and_different(run: Run, tmp_path: Path) -> None:
    plan, played = run
    ids = ["a b~c", "a_b~c", "a/b~c", "a%2Fb~c", "\u00e9\u3042~c", ".c", "a\0b"]
    ids += [64 * "\u3042" + name + 64 * "\u3042" for name in "ab"]
    renamed = [
        (replace(game, id=name), replace(record, game=name))
        for name, (game, record) in zip(ids, played, strict=False)
    ]
    write_games(summary(plan, renamed), plan.board, str(tmp_path))
    names = {path.name for path in tmp_path.iterdir()}
    assert len(names) == len(ids)
    assert {"a b~c.sgf", "a%2Fb~c.sgf", "\u00e9\u3042~c.sgf"} < names


def test_number_formatting() -> None:
    assert likely(1.0) == "99.9 %"
    assert likely(0.0) == "0.1 %"
    assert likely(None) == ""
