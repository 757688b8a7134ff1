"""Boards: names, neighbours, sides, symmetries, framing, lattice, and what is refused."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError
from itertools import pairwise, product
from math import atan2, isclose, pi, sqrt, tau
from string import ascii_lowercase
from typing import TYPE_CHECKING

import pytest

from trivalent.core.board import BLACK, EMPTY, MAX_SIZE, WHITE, Colour, column_name
from trivalent.core.framing import framing_of
from trivalent.core.games import GAMES, hex_board, make_board, y_board
from trivalent.core.lattice import STEPS

if TYPE_CHECKING:
    from collections.abc import Callable

    from trivalent.core.board import Board

SHAPES = (
    *(("hex", n, n) for n in range(1, 64)),
    *(("hex", w, 64 - w) for w in range(1, 64) if w != 32),
    *(("hex", w, h) for w, h in product(range(1, 6), repeat=2) if w != h),
    *(("y", n, n) for n in range(1, 64)),
)


@pytest.fixture(scope="module", params=SHAPES, ids=lambda shape: "{}-{}x{}".format(*shape))
def board(request: pytest.FixtureRequest) -> Board:
    game, width, height = request.param
    return make_board(game, width, height)


def on_sides(board: Board) -> set[int]:
    return {cell for side in board.sides for cell in side.cells}


def test_size_and_coordinates(board: Board) -> None:
    if board.game == "hex":
        expected = [(x, y) for y in range(board.height) for x in range(board.width)]
    else:
        expected = [(x, y) for y in range(board.height) for x in range(y + 1)]
    assert list(board.coordinates) == expected
    assert len(board) == len(board.names) == len(board.neighbours) == len(expected)


def test_names(board: Board) -> None:
    columns = [*ascii_lowercase, *("".join(two) for two in product(ascii_lowercase, repeat=2))]
    assert list(board.names) == [f"{columns[x]}{y + 1}" for x, y in board.coordinates]
    assert board.names[0] == "a1"
    for cell, name in enumerate(board.names):
        assert board.cell(name) == board.cell(name.upper()) == board.cell(name.title()) == cell


def test_neighbours_are_symmetric_and_distinct(board: Board) -> None:
    for cell, around in enumerate(board.neighbours):
        assert len(set(around)) == len(around)
        assert cell not in around
        assert all(cell in board.neighbours[other] for other in around)


def test_neighbours_are_those_of_the_game(board: Board) -> None:
    dx, dy = (1, -1) if board.game == "hex" else (1, 1)
    number = {place: cell for cell, place in enumerate(board.coordinates)}
    for (x, y), around in zip(board.coordinates, board.neighbours, strict=True):
        places = {
            (x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1), (x + dx, y + dy), (x - dx, y - dy)
        }  # fmt: skip
        assert set(around) == {number[place] for place in places if place in number}


def test_number_of_edges(board: Board) -> None:
    w, h = board.width, board.height
    edges = (
        w * (h - 1) + h * (w - 1) + (w - 1) * (h - 1)
        if board.game == "hex"
        else 3 * h * (h - 1) // 2
    )
    assert sum(map(len, board.neighbours)) == 2 * edges


def test_inside_are_six_neighbours_in_a_ring(board: Board) -> None:
    border = on_sides(board)
    for cell, around in enumerate(board.neighbours):
        if cell in border:
            assert len(around) < 6
            continue
        assert len(around) == 6
        for one, next_one in zip(around, around[1:] + around[:1], strict=True):
            assert next_one in board.neighbours[one]


def test_neighbours_go_once_around_clockwise(board: Board) -> None:
    shift = 0.5 if board.game == "hex" else -0.5  # of a row against the one above
    drawn = [(x + shift * y, y * sqrt(3) / 2) for x, y in board.coordinates]
    for (x, y), around in zip(drawn, board.neighbours, strict=True):
        directions = [atan2(drawn[other][1] - y, drawn[other][0] - x) for other in around]
        if len(directions) > 1:
            turns = [(b - a) % tau for a, b in pairwise([*directions, directions[0]])]
            assert all(turn > pi / 3 - 1e-9 for turn in turns)
            assert isclose(sum(turns), tau)


def test_sides(board: Board) -> None:
    places = [[board.coordinates[cell] for cell in side.cells] for side in board.sides]
    names = [side.name for side in board.sides]
    w, h = board.width, board.height
    if board.game == "hex":
        assert names == ["top", "bottom", "left", "right"]
        assert places == [
            [(x, 0) for x in range(w)],
            [(x, h - 1) for x in range(w)],
            [(0, y) for y in range(h)],
            [(w - 1, y) for y in range(h)],
        ]
        assert board.goal(BLACK) == (0, 1)
        assert board.goal(WHITE) == (2, 3)
    else:
        assert names == ["left", "right", "bottom"]
        assert places == [
            [(0, y) for y in range(h)],
            [(y, y) for y in range(h)],
            [(x, h - 1) for x in range(h)],
        ]
        assert board.goal(BLACK) == board.goal(WHITE) == (0, 1, 2)
    for side in board.sides:
        assert all(b in board.neighbours[a] for a, b in pairwise(side.cells))


def test_number_of_symmetries(board: Board) -> None:
    expected = 6 if board.game == "y" else 4 if board.width == board.height else 2
    assert len(board.symmetries) == expected
    if len(board) > 1:
        assert len({symmetry.cells for symmetry in board.symmetries}) == expected
    assert board.symmetries[0].cells == tuple(range(len(board)))
    assert not board.symmetries[0].swaps_colours


def test_symmetries_are_automorphisms(board: Board) -> None:
    for symmetry in board.symmetries:
        image = symmetry.cells
        assert set(image) == set(range(len(board)))
        for cell, around in enumerate(board.neighbours):
            assert {image[other] for other in around} == set(board.neighbours[image[cell]])


def test_symmetries_form_a_group(board: Board) -> None:
    group = {(symmetry.cells, symmetry.swaps_colours) for symmetry in board.symmetries}
    for (first, first_swaps), (second, second_swaps) in product(group, repeat=2):
        both = tuple(second[cell] for cell in first)
        assert (both, first_swaps != second_swaps) in group


def test_symmetries_map_goals_onto_goals(board: Board) -> None:
    cells = [frozenset(side.cells) for side in board.sides]
    goals = [{cells[number] for number in goal} for goal in board.goals]
    for symmetry in board.symmetries:
        images = [
            {frozenset(symmetry.cells[cell] for cell in side) for side in goal} for goal in goals
        ]
        assert images == (goals[::-1] if symmetry.swaps_colours else goals)


def test_swap_map(board: Board) -> None:
    if board.game == "y":
        assert board.swap_map == tuple(range(len(board)))
    elif board.width != board.height:
        assert board.swap_map is None
    else:
        assert board.swap_map is not None
        images = [board.coordinates[cell] for cell in board.swap_map]
        assert images == [(y, x) for x, y in board.coordinates]
        assert any(s.cells == board.swap_map and s.swaps_colours for s in board.symmetries)


def test_framing_has_a_place_for_every_cell(board: Board) -> None:
    framing = framing_of(board)
    places = (*framing.places, *framing.black, *framing.white)
    assert len(framing.places) == len(board)
    assert len(set(places)) == len(places)
    assert max(framing.columns, framing.rows) <= 64  # bits of a word, lanes of a plane
    for column, row in places:
        assert 0 <= column < framing.columns
        assert 0 <= row < framing.rows
        assert column + row < framing.size


def test_framing_keeps_the_neighbours(board: Board) -> None:
    steps = ((0, 1), (1, 0), (1, -1))  # between (c, r), (c, r + 1) and (c + 1, r)
    places_of_cells = framing_of(board).places
    number = {place: cell for cell, place in enumerate(places_of_cells)}
    for (c, r), around in zip(places_of_cells, board.neighbours, strict=True):
        places = [(c + s * dc, r + s * dr) for dc, dr in steps for s in (1, -1)]
        assert {number[place] for place in places if place in number} == set(around)


def test_framing_keeps_the_sides_of_y(board: Board) -> None:
    if board.game == "y":
        framing = framing_of(board)
        last = framing.size - 1
        limits: list[Callable[[int, int], bool]] = [
            lambda column, row: column == 0,
            lambda column, row: column + row == last,
            lambda column, row: row == 0,
        ]
        sides = [
            {cell for cell, place in enumerate(framing.places) if limit(*place)} for limit in limits
        ]
        assert {frozenset(side) for side in sides} == {frozenset(s.cells) for s in board.sides}


def test_lattice_keeps_the_neighbours(board: Board) -> None:
    lattice = board.lattice
    assert lattice is not None
    for (x, y), around in zip(lattice.places, board.neighbours, strict=True):
        places = [(x + dx, y + dy) for dx, dy in STEPS]
        assert {lattice.cells[place] for place in places if place in lattice.cells} == set(around)
        # Every place that isn't a cell lies behind a side.
        assert all((place in lattice.cells) != (place in lattice.border) for place in places)


def test_lattice_keeps_the_rows(board: Board) -> None:
    assert board.lattice is not None
    assert [y for _, y in board.lattice.places] == [y for _, y in board.coordinates]


def test_border_lies_behind_the_sides(board: Board) -> None:
    assert board.lattice is not None
    for (x, y), number in board.lattice.border.items():
        touched = {
            cell
            for dx, dy in STEPS
            if (cell := board.lattice.cells.get((x + dx, y + dy))) is not None
        }
        assert touched & set(board.sides[number].cells)


def test_sides_are_shared_in_y_only(board: Board) -> None:
    assert board.shares_sides == (board.game == "y")


def test_pickle_and_copy(board: Board) -> None:
    assert pickle.loads(pickle.dumps(board)) is board  # noqa: S301  our own bytes
    assert copy.copy(board) is board
    assert copy.deepcopy(board) is board


@pytest.mark.parametrize("height", range(1, 64))
def test_every_width_and_height(height: int) -> None:
    for width in range(1, 64):
        board = hex_board(width, height)
        assert (board.width, board.height, len(board)) == (width, height, width * height)
        assert board.names[-1] == f"{column_name(width - 1)}{height}"
        assert str(board) == f"{width}x{height} Hex"


@pytest.mark.parametrize("size", [0, -1, 64, 10**30, -(10**30)])
def test_sizes_that_do_not_exist(size: int) -> None:
    def refused(what: str) -> pytest.RaisesExc[ValueError]:
        return pytest.raises(ValueError, match=f"^{what} must be 1 to 63, not {size}$")

    with refused("width"):
        hex_board(size)
    with refused("width"):
        hex_board(size, 5)
    with refused("height"):
        hex_board(5, size)
    with refused("size"):
        y_board(size)
    with refused("width"):
        make_board("hex", size, 5)
    with refused("size"):
        make_board("y", size)


def test_make_board_refuses() -> None:
    assert list(GAMES) == ["hex", "y", "bent-y", "star", "renkula"]
    with pytest.raises(ValueError, match=r"^unknown game 'go' \(known: hex, y, bent-y, star, renk"):
        make_board("go", 9)
    with pytest.raises(ValueError, match=r"^a Y board has one size, not 5 by 6$"):
        make_board("y", 5, 6)


def test_column_names() -> None:
    names = [column_name(column) for column in range(26 + 26 * 26 + 1)]
    assert names[:26] == list(ascii_lowercase)
    assert names[25:28] == ["z", "aa", "ab"]
    assert names[51:53] == ["az", "ba"]
    assert names[MAX_SIZE - 1] == "bk"
    assert names[-2:] == ["zz", "aaa"]


@pytest.mark.parametrize(
    "name",
    [
        "",
        "a",
        "1",
        "a0",
        "a6",
        "f1",
        "a01",
        "a-1",
        " a1",
        "a1 ",
        "1a",
        "aa1",
        "a1a",
        "é1",
        "\u212a1",
    ],
)
def test_names_that_are_not_cells(name: str) -> None:
    with pytest.raises(ValueError, match=f"^no cell {name!r} on 5x5 Hex \\(last cell: e5\\)$"):
        hex_board(5).cell(name)


def test_cells_outside_the_triangle() -> None:
    board = y_board(5)
    assert [name for name in hex_board(5).names if name not in board.names] == [
        "b1", "c1", "d1", "e1", "c2", "d2", "e2", "d3", "e3", "e4",
    ]  # fmt: skip
    with pytest.raises(ValueError, match=r"^no cell 'b1' on Y 5 \(last cell: e5\)$"):
        board.cell("b1")


def test_a_long_name_is_not_repeated_in_full() -> None:
    with pytest.raises(ValueError, match=r"^no cell 'x{20}\.\.\.' on 5x5 Hex"):
        hex_board(5).cell("x" * 10_000)


def test_hex_3x2_in_full() -> None:
    board = hex_board(3, 2)
    assert board.names == ("a1", "b1", "c1", "a2", "b2", "c2")
    around = [[board.names[other] for other in cells] for cells in board.neighbours]
    assert around == [
        ["b1", "a2"],
        ["c1", "b2", "a2", "a1"],
        ["c2", "b2", "b1"],
        ["a1", "b1", "b2"],
        ["b1", "c1", "c2", "a2"],
        ["c1", "b2"],
    ]


def test_y_3_in_full() -> None:
    board = y_board(3)
    assert board.names == ("a1", "a2", "b2", "a3", "b3", "c3")
    around = [[board.names[other] for other in cells] for cells in board.neighbours]
    assert around == [
        ["b2", "a2"],
        ["a1", "b2", "b3", "a3"],
        ["c3", "b3", "a2", "a1"],
        ["a2", "b3"],
        ["b2", "c3", "a3", "a2"],
        ["b3", "b2"],
    ]


def test_swap_of_a2_is_b1() -> None:
    board = hex_board(4)
    assert board.swap_map is not None
    assert board.swap_map[board.cell("a2")] == board.cell("b1")
    assert board.swap_map[board.cell("c3")] == board.cell("c3")


def test_boards_are_cached() -> None:
    assert hex_board(7) is hex_board(7, 7) is make_board("hex", 7) is make_board("hex", 7, 7)
    assert hex_board(7, 4) is make_board("hex", 7, 4)
    assert y_board(7) is make_board("y", 7) is make_board("y", 7, 7)


def test_equality_does_not_need_the_cache() -> None:
    hex_3, y_3 = hex_board(3), y_board(3)
    for n in range(4, 40):
        hex_board(n)
        y_board(n)
    for old, new in ((hex_3, hex_board(3)), (y_3, y_board(3))):
        assert old is not new
        assert old == new
        assert hash(old) == hash(new)


def test_different_boards_are_not_equal() -> None:
    boards = [hex_board(3), hex_board(3, 4), hex_board(4, 3), hex_board(4), y_board(3), y_board(4)]
    assert len(set(boards)) == len(boards)
    assert hex_board(3) != "3x3 Hex"


def test_boards_are_immutable() -> None:
    with pytest.raises(FrozenInstanceError):
        hex_board(3).width = 4  # type: ignore[misc]


def test_text_of_boards() -> None:
    assert str(hex_board(11)) == "11x11 Hex"
    assert str(hex_board(3, 5)) == "3x5 Hex"
    assert str(y_board(9)) == "Y 9"


def test_colours() -> None:
    assert (EMPTY, BLACK, WHITE) == (0, 1, 2)
    assert BLACK.opponent is WHITE
    assert WHITE.opponent is BLACK
    assert [str(colour) for colour in Colour] == ["black", "white"]
