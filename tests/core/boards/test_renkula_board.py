"""Renkula!: the geodesic sphere, its antipodes, names and symmetries."""

from __future__ import annotations

from collections import Counter
from math import dist, hypot

import pytest

from trivalent.core.boards.renkula import renkula_board

SIZES = range(1, 9)
sizes = pytest.mark.parametrize("size", SIZES)


@sizes
def test_counts(size: int) -> None:
    board = renkula_board(size)
    assert len(board) == 5 * size**2 + 1
    assert len(board.all_names) == 10 * size**2 + 2
    assert sum(map(len, board.neighbours)) == 30 * size**2
    assert Counter(map(len, board.neighbours)) == Counter({5: 6}) + Counter({6: len(board) - 6})
    assert (board.sides, board.goals, board.swap_map) == ((), ((), ()), tuple(range(len(board))))


@sizes
def test_polygons_and_their_antipodes(size: int) -> None:
    """A neighbour lies close to the polygon that names the cell, or its antipode does."""
    board = renkula_board(size)
    assert board.layout is not None
    for cell, ((x, y, z), opposite) in enumerate(board.layout):
        assert hypot(x, y, z) == pytest.approx(1)
        assert opposite == pytest.approx((-x, -y, -z))
        assert z > -1e-9
        for other in board.neighbours[cell]:
            crossing = (cell, other) in board.twisted
            assert crossing == ((other, cell) in board.twisted)
            near, far = board.layout[other][crossing], board.layout[other][not crossing]
            assert dist((x, y, z), near) < min(1.45 / size, dist((x, y, z), far) + 1e-9)


@sizes
def test_neighbours_go_round_a_cell(size: int) -> None:
    board = renkula_board(size)
    for around in board.neighbours:
        assert all(
            b in board.neighbours[a] for a, b in zip(around, (*around[1:], around[0]), strict=True)
        )


@sizes
def test_circles_of_latitude(size: int) -> None:
    board = renkula_board(size)
    lengths = Counter(name[0] for name in board.all_names)
    cap = [1, *(5 * i for i in range(1, size))]
    expected = [*cap, *[5 * size] * (size + 1), *reversed(cap)]
    assert [lengths[letter] for letter in sorted(lengths)] == expected
    assert sorted(lengths) == list("abcdefghijklmnopqrstuvwxy"[: 3 * size + 1])


def test_both_names_of_a_cell_are_understood() -> None:
    board = renkula_board(2)
    assert board.cell("a1") == board.cell("G1") == 0
    assert board.names[0] == "a1"
    assert "g1" not in board.names
    assert [name for name, cell in board.all_names.items() if cell == board.cell("d1")] == [
        "d1", "d6"
    ]  # fmt: skip


@sizes
def test_symmetries(size: int) -> None:
    """Those of the icosahedron, of which two each differ by the point reflection."""
    board = renkula_board(size)
    maps = [symmetry.cells for symmetry in board.symmetries]
    assert len(set(maps)) == 60
    assert maps[0] == tuple(range(len(board)))
    edges = {frozenset((a, b)) for a, around in enumerate(board.neighbours) for b in around}
    poles = {cell for cell, around in enumerate(board.neighbours) if len(around) == 5}
    for images in maps:
        assert {frozenset(images[cell] for cell in edge) for edge in edges} == edges
        assert {images[cell] for cell in poles} == poles
    assert {images[0] for images in maps} == poles


@pytest.mark.parametrize("size", [0, 9, -1])
def test_impossible_sizes(size: int) -> None:
    with pytest.raises(ValueError, match=rf"^size must be 1 to 8, not {size}$"):
        renkula_board(size)
