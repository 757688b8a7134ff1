"""Bent Y and *Star: counts, neighbours, sides, names, symmetries, and where the cells lie."""

from __future__ import annotations

import pickle
from collections import Counter
from math import dist, hypot
from typing import TYPE_CHECKING

import pytest

from trivalent.core.board import Aim
from trivalent.core.boards.bent_y import bent_y_board
from trivalent.core.boards.star import star_board

if TYPE_CHECKING:
    from collections.abc import Callable

    from trivalent.core.board import Board

BENT_Y = {  # side of the triangle: cells, edges, border
    2: (9, 18, 6),
    3: (27, 66, 12),
    4: (55, 144, 18),
    5: (93, 252, 24),
    6: (141, 390, 30),
    7: (199, 558, 36),
}
STAR = {2: (15, 10), 3: (30, 15), 4: (50, 20), 6: (105, 30), 8: (180, 40), 10: (275, 50)}
BOARDS = [*map(bent_y_board, (2, 3, 4, 5, 6, 7, 17)), *map(star_board, (2, 3, 4, 6, 9, 19))]
boards = pytest.mark.parametrize("board", BOARDS, ids=str)


def edges(board: Board) -> set[frozenset[int]]:
    return {frozenset((a, b)) for a, around in enumerate(board.neighbours) for b in around}


def degrees(board: Board) -> Counter[int]:
    return Counter(map(len, board.neighbours))


@pytest.mark.parametrize("size", BENT_Y)
def test_counts_of_bent_y(size: int) -> None:
    board = bent_y_board(size)
    cells, number_of_edges, border = BENT_Y[size]
    assert (len(board), len(edges(board))) == (cells, number_of_edges)
    assert len({cell for side in board.sides for cell in side.cells}) == border
    expected = {3: 3, 4: border - 3, 5: 3, 6: cells - border - 3}
    assert degrees(board) == {degree: count for degree, count in expected.items() if count}
    corners = Counter(cell for side in board.sides for cell in side.cells)
    assert {cell for cell, count in corners.items() if count == 2} == {
        cell for cell, around in enumerate(board.neighbours) if len(around) == 3
    }


@pytest.mark.parametrize("size", STAR)
def test_counts_of_star(size: int) -> None:
    board = star_board(size)
    cells, peries = STAR[size]
    assert len(board) == cells
    assert board.sides[0].cells == tuple(range(peries))
    expected = Counter({3: 5, 4: peries - 5, 7: 5}) + Counter({6: cells - peries - 5})
    assert degrees(board) == expected
    assert all(len(board.neighbours[corner]) == 3 for corner in board.corners)
    inner = set(range(cells - 5, cells))
    assert all(inner - {cell} <= set(board.neighbours[cell]) for cell in inner)


@boards
def test_border_and_names(board: Board) -> None:
    assert board.names[0] == "a1"
    assert len(set(board.names)) == len(board)
    for cell, name in enumerate(board.names):
        assert board.cell(name.upper()) == cell
        assert 2 <= len(name) <= 3
    border = {cell for side in board.sides for cell in side.cells}
    assert {board.names[cell][0] for cell in border} == {"a"}
    assert border == {cell for cell, around in enumerate(board.neighbours) if len(around) < 5}
    with pytest.raises(ValueError, match=r"^no cell 'z9' on "):
        board.cell("z9")


@boards
def test_symmetries_are_all_of_the_graph(board: Board) -> None:
    number = 10 if board.aim is Aim.SCORE else 6
    maps = [symmetry.cells for symmetry in board.symmetries]
    assert len(set(maps)) == number
    assert maps[0] == board.swap_map == tuple(range(len(board)))
    found = edges(board)
    sides = {frozenset(side.cells) for side in board.sides}
    for images in maps:
        assert {frozenset(images[cell] for cell in edge) for edge in found} == found
        assert {frozenset(images[cell] for cell in side) for side in sides} == sides


@boards
def test_cells_lie_apart_and_neighbours_close(board: Board) -> None:
    assert board.layout is not None
    points = [points[0] for points in board.layout]
    lengths = [dist(points[a], points[b]) for a, b in map(tuple, edges(board))]
    assert max(lengths) < 2.5
    assert min(dist(p, q) for i, p in enumerate(points) for q in points[:i]) > 0.55
    border = [hypot(*points[cell]) for side in board.sides for cell in side.cells]
    assert max(border) < 1.5 * min(border)


@boards
def test_neighbours_go_round_a_cell(board: Board) -> None:
    """Consecutive neighbours touch each other, except across the border."""
    inner = 5 if board.aim is Aim.SCORE else 0  # these also touch through the middle
    for around in board.neighbours[: len(board) - inner]:
        gaps = [a for a, b in zip(around, (*around[1:], around[0]), strict=True)
                if b not in board.neighbours[a]]  # fmt: skip
        assert len(gaps) == (len(around) < 5)


@pytest.mark.parametrize(
    ("make", "wrong"), [(bent_y_board, (1, 18)), (star_board, (0, 1, 20))], ids=["bent-y", "star"]
)
def test_impossible_sizes(make: Callable[[int], Board], wrong: tuple[int, ...]) -> None:
    for size in wrong:
        with pytest.raises(ValueError, match=rf"^size must be 2 to \d\d, not {size}$"):
            make(size)


@boards
def test_boards_are_pickled_by_their_size(board: Board) -> None:
    again, twice = (pickle.loads(pickle.dumps(board)) for _ in range(2))  # noqa: S301
    assert again is twice  # made once only
    assert again == board
