"""The exhaustive checks find faults: what they would have caught, they are shown."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

import pytest
from plain_hsearch import Claim, Fault, PlainSearch
from test_connections import Link, holds, some_stones

from trivalent.bot._connections import Connections
from trivalent.core._fillin import filler
from trivalent.core.board import BLACK, WHITE, Board, Colour, hex_board, y_board
from trivalent.tools._soundness import Referee
from trivalent.tools.soundness import Slice, check, main, slices

if TYPE_CHECKING:
    from pathlib import Path

MOST = 7
"""Cells of the carriers in the plain search."""


def positions(board: Board, seed: int, count: int) -> list[tuple[bytes, Colour]]:
    rng = random.Random(seed)
    return [(some_stones(rng, board), rng.choice((BLACK, WHITE))) for _ in range(count)]


def built(board: Board, stones: bytes, colour: Colour) -> Connections:
    connections = Connections(board)
    connections.build(stones, colour)
    return connections


def stands(referee: Referee, connections: Connections, stones: bytes, claim: Claim) -> bool:
    return referee.stands(connections, stones, claim.full, claim.chain, claim.point, claim.carrier)


def test_exhaustive_play_agrees_with_plain_play() -> None:
    """On connections with cells too few, too many and others: those that hold and those not."""
    board = hex_board(5)
    rng = random.Random(1)
    referee = Referee(board)
    verdicts = []
    for stones, colour in positions(board, 2, 40):
        connections = built(board, stones, colour)
        empty = [cell for cell, stone in enumerate(stones) if not stone]
        for full, chain, point, cells, _ in connections.all()[:40]:
            if len(cells) <= 8:
                changed = set(cells) ^ {rng.choice(empty)} - {point}
                link = Link(full, chain, point, tuple(sorted(changed)))
                verdict = referee.stands(connections, stones, full, chain, point, changed)
                assert verdict == holds(board, stones, colour, connections.points, link)
                verdicts.append(verdict)
    assert 100 < sum(verdicts) < len(verdicts) - 100


@pytest.mark.parametrize("board", [hex_board(4), hex_board(5, 4), hex_board(5)], ids=str)
def test_nothing_is_found_that_the_rules_do_not_give(board: Board) -> None:
    """What the plain search finds holds, and it has found all that the fast one has, or better."""
    referee = Referee(board)
    compared = 0
    for stones, colour in positions(board, 3, 10):
        connections = built(board, stones, colour)
        plain = PlainSearch(board, connections.points, colour, MOST).claims()
        for claim in plain:
            assert stands(referee, connections, stones, claim), (stones, colour, claim)
        for full, chain, point, cells, _ in connections.all():
            if len(cells) <= MOST:
                ends = {(chain, point), (point - len(board), chain + len(board))}
                assert any(
                    (claim.chain, claim.point) in ends
                    and claim.full >= full
                    and claim.carrier <= set(cells)
                    for claim in plain
                ), (stones, colour, full, chain, point, cells)
                compared += 1
    assert compared > 200


@pytest.mark.parametrize(
    ("fault", "size", "most"), [("overlap", 4, MOST), ("end", 6, MOST + 1), ("few", 4, MOST)]
)
def test_a_faulty_search_is_caught(fault: Fault, size: int, most: int) -> None:
    board = hex_board(size)
    referee = Referee(board)
    caught = 0
    for stones, colour in positions(board, 4, 12):
        connections = built(board, stones, colour)
        faulty = PlainSearch(board, connections.points, colour, most, fault=fault)
        caught += not all(stands(referee, connections, stones, claim) for claim in faulty.claims())
    assert caught > 2


def test_stale_connections_are_caught() -> None:
    """What was connected before the opponent's move is not all connected after it."""
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
                not referee.stands(still, after, full, chain, point, cells)
                for full, chain, point, cells, _ in before.all()
                if point != must[0]
            )
    assert caught > 10


def test_faulty_filling_in_is_caught() -> None:
    """The filling in of another board of as many cells is wrong for this one."""
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


def test_games_are_kept_apart() -> None:
    """What has been found of one is not taken for the result of another with the same stones."""
    board = y_board(4)
    used = Referee(board)
    for stones, colour in positions(board, 8, 60):
        connections = built(board, stones, colour)
        assert used.winner(stones, colour) == Referee(board).winner(stones, colour)
        for full, chain, point, cells, _ in connections.all()[:20]:
            claim = Claim(full, chain, point, frozenset(cells[1:]))  # some hold, some do not
            assert stands(used, connections, stones, claim) == stands(
                Referee(board), connections, stones, claim
            )


def test_boards_that_are_too_large() -> None:
    with pytest.raises(ValueError, match="8x8 Hex has more than 60 cells"):
        Referee(hex_board(8))
    with pytest.raises(ValueError, match="more than 16 cells"):
        Referee(hex_board(5)).tabulate()
    with pytest.raises(ValueError, match="no table"):
        Referee(hex_board(3)).check_all(filler(hex_board(3)), 0, 1)


def test_a_run_goes_on_where_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    small = {"all": 1 << 20, "random": 50, "connections": 2}
    monkeypatch.setattr("trivalent.tools.soundness._POSITIONS_A_SLICE", small)
    monkeypatch.setattr("trivalent.tools.soundness.os.nice", lambda _: 0)
    counts = tmp_path / "counts.json"
    assert main(["--counts", str(counts), "--scale", "0.0005"]) == 0
    lines = counts.read_text().splitlines(keepends=True)
    table = capsys.readouterr().out
    assert len(lines) == len(slices(0.0005))
    counts.write_text("".join(lines[:-2]) + lines[-2][:40])  # as a run leaves it that is killed
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
    """A fiftieth of it; the program does all."""
    for part in slices(0.02):
        if part.what == what:
            assert check(part).failures == [], part


def test_slices_are_what_they_say() -> None:
    part = Slice("connections", "y", 4, 4, 7)
    assert part.board == y_board(4)
    assert check(part) == check(part)
