"""The exhaustive checks catch faults: they are shown faulty searches, claims and fill-ins."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

import pytest
from connection_play import Link, holds, some_stones
from xh_reference import PLAIN, Fault, XhSearch, cells_of

from trivalent.bot.knowledge._fillin import filler
from trivalent.bot.knowledge._virtual_connections import Connections
from trivalent.core.board import BLACK, WHITE, Board, Colour
from trivalent.core.games import hex_board, y_board
from trivalent.tools.workshop._soundness import Referee
from trivalent.tools.workshop.soundness import Slice, check, main, slices

if TYPE_CHECKING:
    from pathlib import Path


def positions(board: Board, seed: int, count: int) -> list[tuple[bytes, Colour]]:
    rng = random.Random(seed)
    return [(some_stones(rng, board), rng.choice((BLACK, WHITE))) for _ in range(count)]


def built(board: Board, stones: bytes, colour: Colour) -> Connections:
    connections = Connections(board)
    connections.build(stones, colour)
    return connections


def test_exhaustive_play_agrees_with_plain_play() -> None:
    """Connections with missing, additional and exchanged cells: some hold, some do not."""
    board = hex_board(5)
    rng = random.Random(1)
    referee = Referee(board)
    verdicts = []
    for stones, colour in positions(board, 2, 40):
        connections = built(board, stones, colour)
        empty = [cell for cell, stone in enumerate(stones) if not stone]
        for full, first, last, cells, _ in connections.all()[:40]:
            if len(cells) <= 8:
                changed = set(cells) ^ {rng.choice(empty)} - {last}
                link = Link(full, first, last, tuple(sorted(changed)))
                verdict = referee.stands(connections, stones, full, first, last, changed)
                assert verdict == holds(board, stones, colour, connections.points, link)
                verdicts.append(verdict)
    assert 100 < sum(verdicts) < len(verdicts) - 100


@pytest.mark.parametrize(("fault", "size"), [("overlap", 4), ("end", 6), ("few", 5)])
def test_a_faulty_search_is_caught(fault: Fault, size: int) -> None:
    board = hex_board(size)
    referee = Referee(board)
    caught = 0
    for stones, colour in positions(board, 4, 30):
        connections = built(board, stones, colour)
        faulty = XhSearch(board, stones, colour, PLAIN._replace(max_cells=8, fault=fault))
        caught += not all(
            referee.stands(connections, stones, full, last, first, cells_of(carrier))
            for full, pairs in ((True, faulty.fulls), (False, faulty.semis))
            for (first, last), carriers in pairs.items()
            for carrier in carriers
        )
    assert caught > 2


def test_stale_connections_are_caught() -> None:
    """Some connections no longer hold after a move of the opponent."""
    board = hex_board(5)
    referee = Referee(board)
    caught = 0
    for stones, colour in positions(board, 5, 20):
        before = built(board, stones, colour)
        must = next((cells for full, *_, cells, _ in before.all() if full and cells), None)
        if must:
            after = bytearray(stones)
            after[must[0]] = colour.opponent
            still = built(board, bytes(after), colour)
            caught += any(
                not referee.stands(still, after, full, first, last, cells)
                for full, first, last, cells, _ in before.all()
                if last != must[0]
            )
    assert caught > 10


def test_faulty_fill_in_is_caught() -> None:
    """Fill-in made for another board with the same number of cells is wrong here."""
    board, other = hex_board(3, 4), hex_board(4, 3)
    referee = Referee(board)
    referee.tabulate()
    behind = 3 ** len(board)
    assert referee.check_all(filler(board), 0, behind // 9) == []
    wrong = referee.check_all(filler(other), 0, behind // 9)
    assert wrong
    assert all(len(referee.position(index)) == 12 for index in wrong[:9])
    assert Referee(board).check_random(filler(other), 1000, 1)
    assert Referee(board).check_random(filler(board), 1000, 1) == []


@pytest.mark.parametrize("board", [hex_board(3), y_board(4)], ids=str)
def test_the_table_agrees_with_play(board: Board) -> None:
    rng = random.Random(6)
    table, player = Referee(board), Referee(board)
    table.tabulate()
    for _ in range(200):
        index = rng.randrange(3 ** len(board))
        assert table.winner(table.position(index), 1) == player.winner(table.position(index), 1)
        assert table.check_all(filler(board), index, index + 1) == []


def test_cached_results_of_games_are_kept_apart() -> None:
    """Cached results of one game are not used for another with the same stones."""
    board = y_board(4)
    used = Referee(board)
    for stones, colour in positions(board, 8, 60):
        connections = built(board, stones, colour)
        assert used.winner(stones, colour) == Referee(board).winner(stones, colour)
        for full, first, last, cells, _ in connections.all()[:20]:
            claim = connections, stones, full, first, last, cells[1:]  # some hold, some do not
            assert used.stands(*claim) == Referee(board).stands(*claim)


def test_boards_that_are_too_large_are_refused() -> None:
    with pytest.raises(ValueError, match="8x8 Hex has more than 60 cells"):
        Referee(hex_board(8))
    with pytest.raises(ValueError, match="more than 16 cells"):
        Referee(hex_board(5)).tabulate()
    with pytest.raises(ValueError, match="no table"):
        Referee(hex_board(3)).check_all(filler(hex_board(3)), 0, 1)


def test_an_interrupted_run_continues(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    small = {"all": 1 << 20, "random": 50, "connections": 2}
    monkeypatch.setattr("trivalent.tools.workshop.soundness.POSITIONS_PER_SLICE", small)
    monkeypatch.setattr("trivalent.tools.workshop.soundness.os.nice", lambda _: 0)
    counts = tmp_path / "counts.json"
    assert main(["--counts", str(counts), "--scale", "0.0005"]) == 0
    lines = counts.read_text().splitlines(keepends=True)
    table = capsys.readouterr().out
    assert len(lines) == len(slices(0.0005))
    counts.write_text("".join(lines[:-2]) + lines[-2][:40])  # as a killed run leaves it
    assert main(["--counts", str(counts), "--scale", "0.0005"]) == 0
    assert sorted(counts.read_text().splitlines(keepends=True)) == sorted(lines)
    assert capsys.readouterr().out == table
    broken = json.loads(lines[0])
    broken["count"]["failures"] = ["00"]
    counts.write_text(json.dumps(broken) + "\n" + "".join(lines[1:]))
    assert main(["--counts", str(counts), "--scale", "0.0005"]) == 1


@pytest.mark.soak
@pytest.mark.parametrize("what", ["random", "connections"])
def test_a_part_of_the_work(what: str) -> None:
    """A fiftieth of the work; the program does all of it."""
    for part in slices(0.02):
        if part.what == what:
            assert check(part).failures == [], part


def test_slices_have_their_board_and_are_reproducible() -> None:
    part = Slice("connections", "y", 4, 4, 7)
    assert part.board == y_board(4)
    assert check(part) == check(part)
