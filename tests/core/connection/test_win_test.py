"""Connection tests: every method against every other, a flood fill and a reduction by hand."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest
from slowness import repeats, thinned

from trivalent.core.board import BLACK, EMPTY, WHITE, Board, Colour
from trivalent.core.connection._pyramid import Pyramid
from trivalent.core.connection._triangle import triangle
from trivalent.core.connection.win_test import METHODS, winner, winners
from trivalent.core.framing import framing_of
from trivalent.core.games import hex_board, make_board, y_board

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    FloodFill = Callable[[Board, bytes], int]
    Stones = NDArray[np.uint8]  # a row for each board, a column for each cell
    Triplets = dict[tuple[int, int], int]

SIZES = (*range(1, 23), 31, 32, 33, 62, 63)
UP_TO_12_CELLS = [(w, h) for w, h in product(range(1, 13), repeat=2) if w * h <= 12]
ODD_SHAPES = [
    (1, 63), (63, 1), (2, 63), (63, 2), (20, 3), (3, 20), (20, 21), (21, 20), (15, 16), (16, 15),
    (15, 63), (63, 15), (16, 17), (17, 16), (31, 32), (32, 31), (31, 3), (3, 31), (62, 63),
    (63, 62), (40, 7), (7, 40), (55, 24), (24, 55),
]  # fmt: skip


def agreed(board: Board, stones: Stones) -> Stones:
    """Return the winners on which all methods agree."""
    data = stones.tobytes()
    expected = np.frombuffer(winners(board, data, "path"), np.uint8)
    assert len(expected) == len(stones)
    for method in METHODS:
        found = np.frombuffer(winners(board, data, method), np.uint8)
        if not np.array_equal(found, expected):
            i = int(np.flatnonzero(found != expected)[0])
            cells = stones[i].tobytes().hex()[1::2]
            pytest.fail(f"{board} {cells}: {method} says {found[i]}, path {expected[i]}")
    return expected


def check_other_colour_plays_no_part(board: Board, stones: Stones, won: Stones) -> None:
    """Check that each colour, alone on the board, wins exactly the boards that it has won.

    On full boards this says that there is exactly one winner.
    """
    for colour in Colour:
        alone = np.where(stones == colour, colour, EMPTY).astype(np.uint8).tobytes()
        for method in ("bpr", "path"):
            found = np.frombuffer(winners(board, alone, method), np.uint8)
            assert np.array_equal(found == colour, won == colour)


def every_filling(cells: int, contents: tuple[int, ...]) -> Iterator[Stones]:
    """Yield all ways to fill the cells with these contents, many boards at a time."""
    low = min(cells, 12)
    block = np.array(contents, np.uint8)[np.indices((len(contents),) * low).reshape(low, -1).T]
    for high in product(contents, repeat=cells - low):
        yield np.hstack([block, np.tile(np.array(high, np.uint8), (len(block), 1))])


def random_boards(board: Board, count: int, rng: np.random.Generator, *, full: bool) -> Stones:
    """Return boards with varying shares of empty cells and of each colour."""
    empty = np.zeros(count) if full else rng.uniform(0, 0.4, count)
    black = empty + (1 - empty) * rng.uniform(0.4, 0.6, count)
    draws = rng.integers(256, size=(count, len(board)), dtype=np.uint8)
    limits = [(256 * share).astype(np.uint8)[:, None] for share in (empty, black)]
    return (draws >= limits[0]).astype(np.uint8) + (draws >= limits[1])


@pytest.mark.parametrize(("width", "height"), UP_TO_12_CELLS)
def test_every_filling_of_small_hex_boards(width: int, height: int, flood_fill: FloodFill) -> None:
    every_filling_agrees(hex_board(width, height), flood_fill)


@pytest.mark.parametrize(
    ("size", "share"),
    [(1, 1), (2, 1), (3, 1), (4, 1), (5, 8), pytest.param(5, 1, marks=pytest.mark.soak)],
)
def test_every_filling_of_small_y_boards(size: int, share: int, flood_fill: FloodFill) -> None:
    """Of Y 5, that is every filling with stones, and one in 8 of those with empty cells."""
    every_filling_agrees(y_board(size), flood_fill, share)


def every_filling_agrees(board: Board, flood_fill: FloodFill, share: int = 1) -> None:
    for stones in every_filling(len(board), (BLACK, WHITE)):
        won = agreed(board, stones)
        assert np.all(won != EMPTY)
        assert won.tolist() == [flood_fill(board, filling.tobytes()) for filling in stones]
    for number, fillings in enumerate(every_filling(len(board), (EMPTY, BLACK, WHITE))):
        stones = thinned(fillings[number % share :: share]) if len(board) > 9 else fillings
        won = agreed(board, stones)
        assert np.all(won[(stones != EMPTY).all(axis=1)] != EMPTY)
        if len(board) <= 9:
            assert won.tolist() == [flood_fill(board, filling.tobytes()) for filling in stones]


@pytest.mark.parametrize("rounds", [2, pytest.param(10, marks=pytest.mark.soak)])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("game", ["hex", "y"])
def test_random_boards(game: str, size: int, rounds: int, flood_fill: FloodFill) -> None:
    board = make_board(game, size)
    rng = np.random.default_rng([size, len(board)])
    rounds = repeats(rounds if size < 32 else rounds // 2)
    for full in (True, False):
        counts = np.zeros(3, int)
        for _ in range(rounds):
            stones = random_boards(board, 1000, rng, full=full)
            won = agreed(board, stones)
            check_other_colour_plays_no_part(board, stones, won)
            counts += np.bincount(won, minlength=3)
        assert counts.sum() == 1000 * rounds
        assert counts[BLACK] > 50 * rounds
        assert counts[WHITE] > 50 * rounds
        assert (counts[EMPTY] == 0) if full else (counts[EMPTY] > 50 * rounds)
        for filling, result in zip(stones[:20], won, strict=False):
            assert flood_fill(board, filling.tobytes()) == result


@pytest.mark.parametrize("count", [20, pytest.param(60, marks=pytest.mark.soak)])
def test_random_oblong_boards(count: int, flood_fill: FloodFill) -> None:
    rng = np.random.default_rng(2024)
    any_shape = [(int(w), int(h)) for w, h in rng.integers(1, 64, size=(count, 2))]
    small = [(w, h) for w, h in product(range(1, 9), repeat=2) if w != h]
    for width, height in (*ODD_SHAPES, *small, *any_shape):
        board = hex_board(width, height)
        for full in (True, False):
            stones = random_boards(board, 100, rng, full=full)
            won = agreed(board, stones)
            assert not full or np.all(won != EMPTY)
            check_other_colour_plays_no_part(board, stones, won)
            for filling, result in zip(stones[:3], won, strict=False):
                assert flood_fill(board, filling.tobytes()) == result


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("board", [hex_board(1), y_board(1)], ids=str)
def test_one_cell(board: Board, method: str) -> None:
    assert winners(board, bytes([EMPTY, BLACK, WHITE]), method) == bytes([0, BLACK, WHITE])


@pytest.mark.parametrize("length", range(2, 64))
def test_one_column_or_one_row(length: int) -> None:
    """Any stone joins the long sides; the short sides need them all."""
    rng = np.random.default_rng(length)
    stones = np.vstack([
        rng.integers(3, size=(200, length), dtype=np.uint8),
        np.eye(length, dtype=np.uint8),
        1 - np.eye(length, dtype=np.uint8),
        2 - np.eye(length, dtype=np.uint8),
        np.full((1, length), BLACK, np.uint8),
    ])  # fmt: skip
    for long, short, board in (
        (WHITE, BLACK, hex_board(1, length)),
        (BLACK, WHITE, hex_board(length, 1)),
    ):
        expected = np.where(
            (stones == long).any(axis=1), long, np.where((stones == short).all(axis=1), short, 0)
        )
        assert np.array_equal(agreed(board, stones), expected)


@pytest.mark.parametrize("length", range(2, 64))
def test_two_columns_or_two_rows(length: int) -> None:
    """Two stones that touch, one in each line, join the long sides."""
    rng = np.random.default_rng(length)
    lines = rng.choice(3, size=(500, length, 2), p=[0.1, 0.45, 0.45]).astype(np.uint8)
    lines[::2, :, :] = np.where(rng.random((250, length, 2)) < 3 / length, WHITE, BLACK)
    white = lines == WHITE
    across = (white[:, :, 0] & white[:, :, 1]).any(axis=1)
    across |= (white[:, 1:, 0] & white[:, :-1, 1]).any(axis=1)
    assert 0 < across.sum() < 500
    won = agreed(hex_board(2, length), lines.reshape(500, -1))
    assert np.array_equal(won == WHITE, across)
    turned = (3 - lines) * (lines != EMPTY)
    won = agreed(hex_board(length, 2), turned.transpose(0, 2, 1).reshape(500, -1))
    assert np.array_equal(won == BLACK, across)


@pytest.mark.parametrize(
    "board", [hex_board(9), hex_board(6, 11), hex_board(18), y_board(10)], ids=str
)
def test_winners_follow_the_symmetries(board: Board) -> None:
    rng = np.random.default_rng(8)
    stones = random_boards(board, 500, rng, full=False)
    won = agreed(board, stones)
    for symmetry in board.symmetries:
        images = np.empty_like(stones)
        images[:, symmetry.cells] = stones
        expected = won
        if symmetry.swaps_colours:
            images = (3 - images) * (images != EMPTY)
            expected = (3 - won) * (won != EMPTY)
        assert np.array_equal(agreed(board, images), expected)


@pytest.mark.parametrize(
    "board", [hex_board(8), hex_board(19), hex_board(9, 5), y_board(11)], ids=str
)
def test_stones_of_a_colour_never_hurt_it(board: Board) -> None:
    rng = np.random.default_rng(9)
    stones = random_boards(board, 500, rng, full=False)
    won = agreed(board, stones)
    for colour in Colour:
        more = stones.copy()
        more[np.arange(500), rng.integers(len(board), size=500)] = colour
        assert np.all(agreed(board, more)[won == colour] == colour)


# A reduction by hand, on the whole triangle that the framing only outlines: a Hex board lies in the
# corner of a triangle of side width + height - 1, each of its rows a column there; all columns
# behind its last row are black, all rows behind its last column white.


def framed(board: Board, stones: bytes) -> Triplets:
    if board.game == "y":
        last = board.height - 1
        places = [(last - y, x) for y in range(board.height) for x in range(y + 1)]
        return dict(zip(places, stones, strict=True))
    size = board.width + board.height - 1
    cells: Triplets = {}
    for column in range(size):
        for row in range(size - column):
            if column >= board.height:
                cells[column, row] = BLACK
            elif row >= board.width:
                cells[column, row] = WHITE
            else:
                cells[column, row] = stones[column * board.width + row]
    return cells


def reduce_once(cells: Triplets, tied: int = EMPTY) -> Triplets:
    above: Triplets = {}
    for column, row in cells:
        if (column + 1, row) in cells:
            three = [cells[column, row], cells[column, row + 1], cells[column + 1, row]]
            above[column, row] = max(three, key=three.count) if len(set(three)) < 3 else tied
    return above


def levels(board: Board, stones: bytes, tied: int = EMPTY) -> list[Triplets]:
    all_levels = [framed(board, stones)]
    while len(all_levels[-1]) > 1:
        all_levels.append(reduce_once(all_levels[-1], tied))
    return all_levels


def apex(board: Board, stones: bytes, tied: int = EMPTY) -> int:
    return levels(board, stones, tied)[-1][0, 0]


SMALL = [
    *(hex_board(w, h) for w, h in product(range(1, 6), repeat=2)),
    hex_board(7),
    hex_board(3, 9),
    hex_board(10, 2),
    *(y_board(n) for n in range(1, 9)),
]


@pytest.mark.parametrize("board", SMALL, ids=str)
def test_tied_triplets_become_empty(board: Board, flood_fill: FloodFill) -> None:
    if len(board) <= 6:
        stones = np.vstack(list(every_filling(len(board), (EMPTY, BLACK, WHITE))))
    else:
        rng = np.random.default_rng(len(board))
        stones = random_boards(board, 200, rng, full=False)
    won = agreed(board, stones)
    assert won.tolist() == [apex(board, filling.tobytes()) for filling in stones]
    assert won.tolist() == [flood_fill(board, filling.tobytes()) for filling in stones]


@pytest.mark.parametrize("tied", [BLACK, WHITE])
def test_tied_triplets_must_not_be_given_to_a_colour(tied: Colour) -> None:
    board = y_board(4)
    stones = np.vstack(list(every_filling(len(board), (EMPTY, BLACK, WHITE))))
    sample = stones[::97]
    won = agreed(board, sample).tolist()
    assert won == [apex(board, filling.tobytes()) for filling in sample]
    assert won != [apex(board, filling.tobytes(), tied) for filling in sample]


BOARDS_OF_EACH_LANE_WIDTH = [
    *SMALL,
    hex_board(15), hex_board(16), hex_board(31), hex_board(32), hex_board(40, 20),
    hex_board(20, 40), hex_board(2, 50), hex_board(50, 2), y_board(16), y_board(17), y_board(32),
    y_board(21), y_board(22), y_board(33), y_board(47), hex_board(20), hex_board(18, 5),
    hex_board(5, 18), hex_board(20, 19), hex_board(21),
]  # fmt: skip


@pytest.mark.parametrize("board", BOARDS_OF_EACH_LANE_WIDTH, ids=str)
def test_every_level_of_the_pyramid(board: Board) -> None:
    rng = np.random.default_rng(len(board))
    order = rng.permutation(len(board))
    stones = random_boards(board, 1, rng, full=False)[0].tobytes()
    expected = levels(board, stones)
    for colour in Colour:
        pyramid = Pyramid(triangle(board), colour)
        for cell in order.tolist():
            if stones[cell] == colour:
                pyramid.toggle(cell)
        for plane, level in zip(planes(pyramid.levels(), board), expected, strict=True):
            live = {place for place in level if place in plane}
            assert {place for place in live if plane[place]} == {
                place for place in live if level[place] == colour
            }


def planes(data: bytes, board: Board) -> list[dict[tuple[int, int], bool]]:
    """Return which places of each level are set.

    A column has 16, 21, 32 or 64 bits, whatever is the least that holds it; of those of 21 bits the
    columns i, i + 8 and i + 16 share word i.
    """
    framing = framing_of(board)
    longest = max(framing.columns, framing.rows)
    bits = next(width for width in (16, 21, 32, 64) if longest <= width)
    lane, lanes = (64, 8) if bits == 21 else (bits, framing.columns)
    size = len(data) // framing.size
    assert size * framing.size == len(data)
    levels = [int.from_bytes(data[i : i + size], "little") for i in range(0, len(data), size)]
    return [
        {
            (c, r): bool(level >> (c % lanes * lane + c // lanes * bits + r) & 1)
            for c in range(framing.columns)
            for r in range(framing.rows)
        }
        for level in levels
    ]


@pytest.mark.parametrize("method", METHODS)
def test_many_boards_are_many_single_boards(method: str) -> None:
    board = hex_board(6, 5)
    stones = random_boards(board, 50, np.random.default_rng(6), full=False)
    one_by_one = [winner(board, filling.tobytes(), method) for filling in stones]
    assert list(winners(board, stones.tobytes(), method)) == [won or 0 for won in one_by_one]
    assert {type(won) for won in one_by_one} == {Colour, type(None)}
    assert winners(board, bytearray(stones.tobytes()), method) == bytes(
        won or 0 for won in one_by_one
    )


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "board", [hex_board(3), hex_board(11), hex_board(18), y_board(25)], ids=str
)
def test_results_do_not_depend_on_the_number_of_boards(board: Board, method: str) -> None:
    stones = random_boards(board, 1100, np.random.default_rng(7), full=False)
    expected = agreed(board, stones).tobytes()
    for count in (*range(1, 10), 63, 64, 65, 127, 130, 511, 512, 513, 1023, 1025):
        assert winners(board, stones[:count].tobytes(), method) == expected[:count]


@pytest.mark.parametrize("method", METHODS)
def test_no_boards_at_all(method: str) -> None:
    assert winners(hex_board(5), b"", method) == b""


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("length", [1, 8, 10, 17])
def test_numbers_of_cells_that_make_no_whole_board(method: str, length: int) -> None:
    with pytest.raises(ValueError, match=f"{length} cells .* the 9 of 3x3 Hex"):
        winners(hex_board(3), bytes(length), method)


@pytest.mark.parametrize("length", [0, 8, 10, 18])
def test_winner_takes_one_board(length: int) -> None:
    with pytest.raises(ValueError, match=f"^3x3 Hex has 9 cells, not {length}$"):
        winner(hex_board(3), bytes(length))


@pytest.mark.parametrize("method", ["", "BPR", "bpr++", "magic"])
def test_unknown_method(method: str) -> None:
    board = hex_board(3)
    for call in (winner, winners):
        with pytest.raises(ValueError, match=r"unknown connection test "):
            call(board, bytes(9), method)
    with pytest.raises(ValueError, match=r"unknown connection test "):
        winners(board, b"", method)


def test_methods_are_named_and_described() -> None:
    assert set(METHODS) >= {"bpr", "bpr-in-place", "bpr+", "uf", "wqhuf", "path", "bfs"}
    assert all(METHODS.values())


@pytest.mark.parametrize("method", METHODS)
def test_bytes_that_are_not_stones(method: str) -> None:
    with pytest.raises(ValueError, match=r"^a cell must be 0, 1 or 2"):
        winners(hex_board(3), bytes([0, 1, 2, 3, 0, 0, 0, 0, 0]), method)
