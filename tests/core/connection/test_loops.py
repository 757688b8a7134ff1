"""Loops found by the reduction agree with a search of the graph.

A colour has a loop exactly if some cell without a stone of that colour cannot reach the rim of the
board by way of such cells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from trivalent.core.board import BLACK, EMPTY, WHITE, Board, Colour
from trivalent.core.connection.win_test import has_loop
from trivalent.core.games import hex_board, y_board

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bits = NDArray[np.bool_]


def rim_of(board: Board) -> list[int]:
    """Return the cells that are on a side."""
    return sorted({cell for side in board.sides for cell in side.cells})


def loops_by_search(board: Board, coloured: Bits) -> Bits:
    """Return which boards (one a row) have a cell, not of the colour, that is cut off from the rim.

    All boards are searched at once, by sweeps over the cells until nothing changes.
    """
    outside = ~coloured.T
    reached = np.zeros_like(outside)
    rim = rim_of(board)
    reached[rim] = outside[rim]
    around = [list(neighbours) for neighbours in board.neighbours]
    inner = [cell for cell in range(len(board)) if cell not in set(rim)]
    before = -1
    while (now := int(reached.sum())) != before:
        before = now
        for order in (inner, inner[::-1]):
            for cell in order:
                reached[cell] |= outside[cell] & reached[around[cell]].any(axis=0)
    # A rim cell that a neighbour could reach has reached the rim by itself: nothing to do for it.
    return np.asarray((outside & ~reached).any(axis=0))


def check(board: Board, coloured: Bits, rng: np.random.Generator) -> Bits:
    """Compare both colours on boards whose other cells are full, empty or mixed."""
    expected = loops_by_search(board, coloured)
    others = rng.integers(3, size=len(coloured))  # 0: all empty, 1: all the opponent's, 2: mixed
    for colour in Colour:
        fill = np.where(others == 0, EMPTY, colour.opponent)[:, None]
        mixed = (others == 2)[:, None] & (rng.random(coloured.shape) < 0.5)
        rest = np.where(mixed, EMPTY, fill)
        boards = np.where(coloured, int(colour), rest).astype(np.uint8)
        for stones, loop in zip(map(bytes, boards), expected.tolist(), strict=True):
            if has_loop(board, stones, colour) is not loop:
                pytest.fail(f"{board}, {colour}, loop: {loop}: {stones.hex()[1::2]}")
    return expected


def every_colouring(cells: int) -> Bits:
    numbers = np.arange(1 << cells)[:, None]
    return (numbers >> np.arange(cells) & 1).astype(np.bool_)


SMALL = [
    *(hex_board(w, h) for w in range(1, 5) for h in range(1, 5)),
    hex_board(3, 5), hex_board(5, 3), *(hex_board(2, n) for n in (5, 6, 7)), hex_board(7, 2),
    *(hex_board(1, n) for n in (5, 10)), hex_board(10, 1), *map(y_board, range(1, 6)),
]  # fmt: skip


@pytest.mark.parametrize("board", SMALL, ids=str)
def test_every_colouring_of_a_small_board(board: Board) -> None:
    found = check(board, every_colouring(len(board)), np.random.default_rng(len(board)))
    rings = any(len(around) == 6 for around in board.neighbours)
    assert found.any() == rings


LARGE = [
    hex_board(5), hex_board(6), hex_board(4, 9), hex_board(9, 4), hex_board(11), hex_board(15, 16),
    hex_board(17, 14), hex_board(21, 30), hex_board(30), y_board(6), y_board(9), y_board(16),
    y_board(17), y_board(33), y_board(40),
]  # fmt: skip
LARGEST = [hex_board(63), hex_board(63, 20), hex_board(20, 63), hex_board(32, 33), y_board(63)]


@pytest.mark.parametrize("board", [*LARGE, *LARGEST], ids=str)
def test_random_boards(board: Board) -> None:
    """Use boards so sparse that loops are neither certain nor absent."""
    rng = np.random.default_rng(len(board))
    count = 40_000 // len(board) + 20
    inner = sum(len(around) == 6 for around in board.neighbours)
    # A single ring of six has this chance at density d: inner * d**6, about.  From rare to many.
    densities = (np.geomspace(0.1, 8, count) / inner) ** (1 / 6)
    coloured = rng.random((count, len(board))) < np.minimum(densities, 0.9)[:, None]
    found = check(board, coloured, rng)
    assert found.any()
    assert not found.all()


def planted_rings(board: Board, count: int, rng: np.random.Generator) -> Bits:
    """Return pairs of boards: a single ring, then the same with a stone missing.

    The ring is what surrounds a chain grown at random, without the pockets that the chain closes.
    """
    rim = set(rim_of(board))
    inner = [cell for cell in range(len(board)) if cell not in rim]
    boards = np.zeros((2 * count, len(board)), np.bool_)
    for i in range(count):
        start = int(rng.choice(inner))
        chain, frontier = {start}, list(board.neighbours[start])
        for _ in range(int(rng.integers(1, 3 * len(inner)))):
            if not frontier:
                break
            k = int(rng.integers(len(frontier)))
            cell, frontier[k] = frontier[k], frontier[-1]
            frontier.pop()
            if cell not in rim and cell not in chain:
                chain.add(cell)
                frontier += board.neighbours[cell]
        border = {n for cell in chain for n in board.neighbours[cell]} - chain
        # Only the part of the border that the outside touches: a ring without a second one.
        outside = [cell for cell in rim if cell not in border]
        wet = set(outside)
        for cell in outside:
            for other in board.neighbours[cell]:
                if other not in wet and other not in border and other not in chain:
                    wet.add(other)
                    outside.append(other)
        ring = {n for n in border if n in rim or any(m in wet for m in board.neighbours[n])}
        boards[2 * i, sorted(ring)] = True
        boards[2 * i + 1] = boards[2 * i]
        # Only a stone with the chain on one side and the outside on the other opens the ring.
        opening = sorted(n for n in ring if any(m in chain for m in board.neighbours[n]))
        boards[2 * i + 1, opening[int(rng.integers(len(opening)))]] = False
    return boards


@pytest.mark.parametrize("board", [*LARGE, *LARGEST], ids=str)
def test_planted_rings(board: Board) -> None:
    rng = np.random.default_rng(len(board) + 1)
    boards = planted_rings(board, 12 if len(board) < 1000 else 5, rng)
    found = check(board, boards, rng)
    assert found[::2].all()
    assert not found[1::2].any()
    # The same among other stones, too few to close many rings by chance.
    check(board, boards | (rng.random(boards.shape) < 0.2), rng)
    # All but the inside of the ring, and all but that and a way out.
    check(board, ~boards, rng)


@pytest.mark.parametrize("board", [*LARGE, *LARGEST], ids=str)
def test_the_rim_and_all_but_one_cell(board: Board) -> None:
    """Check the largest ring, and the ring around every single cell that can have one."""
    rim = rim_of(board)
    cells = sorted({0, len(board) - 1, *range(0, len(board), len(board) // 40 + 1), *rim[::7]})
    boards = np.zeros((len(cells) + len(rim[::5]) + 3, len(board)), np.bool_)
    boards[0, rim] = True
    boards[1] = True
    for row, cell in enumerate(cells, 3):
        boards[row] = True
        boards[row, cell] = False
    for row, cell in enumerate(rim[::5], 3 + len(cells)):
        boards[row, rim] = True
        boards[row, cell] = False
    found = check(board, boards, np.random.default_rng(3))
    assert found[:3].tolist() == [True, False, False]
    assert found[3 : 3 + len(cells)].tolist() == [cell not in set(rim) for cell in cells]


def maze(board: Board, rng: np.random.Generator) -> list[int]:
    """Return the cells of passages that branch out from one rim cell and never meet again."""
    start = rim_of(board)[int(rng.integers(len(rim_of(board))))]
    passages = {start}
    candidates = list(board.neighbours[start])
    while candidates:
        i = int(rng.integers(len(candidates)))
        cell, candidates[i] = candidates[i], candidates[-1]
        candidates.pop()
        if cell not in passages and sum(n in passages for n in board.neighbours[cell]) == 1:
            passages.add(cell)
            candidates += board.neighbours[cell]
    return sorted(passages)


@pytest.mark.parametrize("board", [*LARGE, *LARGEST], ids=str)
def test_mazes(board: Board) -> None:
    """Stones fill all but a maze of passages; then further stones cut parts of it off."""
    rng = np.random.default_rng(len(board) + 2)
    boards = np.ones((24, len(board)), np.bool_)
    for i in range(0, 24, 8):
        passages = maze(board, rng)
        boards[i : i + 8, passages] = False
        for k in range(1, 8):
            boards[i + k, rng.choice(passages, 1 + k // 4, replace=False)] = True
    found = check(board, boards, rng)
    assert not found[::8].any()
    assert found.any() or len(board) < 100  # where the passages may lie along the rim alone


def test_what_a_ring_may_hold() -> None:
    """A ring may hold empty cells, opposing stones or a smaller ring; a side closes nothing."""
    board = hex_board(5)
    ring = {board.cell(name) for name in ("b3", "c2", "d2", "d3", "c4", "b4")}
    middle = board.cell("c3")
    stones = bytearray(25)
    for cell in ring:
        stones[cell] = BLACK
    for content in (EMPTY, WHITE):
        stones[middle] = content
        assert has_loop(board, stones, BLACK)
        assert has_loop(board, bytes(stones), BLACK)
        assert not has_loop(board, stones, WHITE)
    stones[middle] = BLACK
    assert not has_loop(board, stones, BLACK)
    stones[middle] = EMPTY
    for cell in ring:
        stones[cell] = EMPTY
        assert not has_loop(board, stones, BLACK)
        stones[cell] = WHITE
        assert not has_loop(board, stones, BLACK)
        stones[cell] = BLACK
    corner = bytearray(25)
    for name in ("a2", "b1"):  # around a1, which is on two sides
        corner[board.cell(name)] = WHITE
    assert not has_loop(board, corner, WHITE)


@pytest.mark.parametrize("board", [hex_board(1), hex_board(4, 7), y_board(1), y_board(9)], ids=str)
def test_wrong_number_of_cells(board: Board) -> None:
    for cells in (0, 1, len(board) - 1, len(board) + 1, 2 * len(board)):
        if cells != len(board):
            message = f"^{board} has {len(board)} cells, not {cells}$"
            with pytest.raises(ValueError, match=message):
                has_loop(board, bytes(cells), BLACK)
    assert has_loop(board, bytes(len(board)), WHITE) is False
