"""Framings: the owner of the triangle is the winner on the board.

The goals are checked by a flood that knows the places of the cells and nothing of templates, the
reduction by the pyramid, by the bit-sliced kernels and by a reduction cell by cell.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise, product
from typing import TYPE_CHECKING

import numpy as np
import pytest

from trivalent.core._random import Random
from trivalent.core.board import BLACK, EMPTY, WHITE, Colour
from trivalent.core.connection._arbiter import Arbiter
from trivalent.core.connection._pyramid import Pyramid
from trivalent.core.connection._sliced import Slices
from trivalent.core.connection._sliced import winners as sliced_winners
from trivalent.core.connection._triangle import Triangle
from trivalent.core.framing import (
    Framing,
    Place,
    corner_framing,
    hex_framing,
    hexagon_framing,
    y_framing,
)
from trivalent.core.playouts._playout import count_wins

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

STEPS = ((0, 1), (1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1))
MAX_SIDE = 64  # places to a side of a triangle that the kernels can hold


def owner_by_hand(framing: Framing, stones: bytes) -> int:
    """Reduce the triangle cell by cell; beyond columns and rows, all is like the last one."""
    content = dict(zip(framing.places, stones, strict=True))
    content |= dict.fromkeys(framing.black, BLACK) | dict.fromkeys(framing.white, WHITE)
    last_column, last_row = framing.columns - 1, framing.rows - 1
    level = [
        [
            content.get((min(c, last_column), min(r, last_row)), EMPTY)
            for r in range(framing.size - c)
        ]
        for c in range(framing.size)
    ]
    for size in range(framing.size - 1, 0, -1):
        level = [
            [
                column[r] if column[r] in (column[r + 1], following[r])
                else column[r + 1] if column[r + 1] == following[r] else EMPTY
                for r in range(size - c)
            ]
            for c, (column, following) in enumerate(pairwise(level))
        ]  # fmt: skip
    return level[0][0]


def owners_by_pyramids(framing: Framing, boards: Iterable[bytes]) -> list[int]:
    """Return the owner of each board, from one pair of pyramids in which stones are toggled."""
    triangle = Triangle(framing)
    pyramids = [Pyramid(triangle, colour) for colour in Colour]
    before = bytes(len(framing.places))
    owners = []
    for stones in boards:
        for cell, (old, new) in enumerate(zip(before, stones, strict=True)):
            if old != new:
                for content in (old, new):
                    if content != EMPTY:
                        pyramids[content - 1].toggle(cell)
        before = stones
        black, white = (pyramid.apex for pyramid in pyramids)
        assert not (black and white)
        owners.append(BLACK if black else WHITE if white else EMPTY)
    return owners


def owners_by_slices(framing: Framing, boards: list[bytes]) -> list[int]:
    """Return the same from the bit-sliced reduction."""
    found = bytearray(len(boards))
    sliced_winners(Slices(framing, (), (), ()), b"".join(boards), found)
    return list(found)


def black_owns_by_planes(framing: Framing, boards: list[bytes]) -> list[bool]:
    """Return whether Black owns each full board, packed into a plane and reduced at once."""
    triangle, source = Triangle(framing), Random(1)
    arbiter = Arbiter(triangle)
    return [count_wins(arbiter, stones, BLACK, 1, source) == 1 for stones in boards]


def reached(places: Iterable[Place], starts: Iterable[Place]) -> set[Place]:
    """Return the places that a flood fill reaches from some of them."""
    dry = set(places)
    wet = [place for place in starts if place in dry]
    dry.difference_update(wet)
    for c, r in wet:
        for dc, dr in STEPS:
            if (c + dc, r + dr) in dry:
                dry.remove((c + dc, r + dr))
                wet.append((c + dc, r + dr))
    return set(wet)


def chains(places: Iterable[Place]) -> Iterator[set[Place]]:
    """Yield the connected components of the places."""
    rest = set(places)
    while rest:
        chain = reached(rest, [next(iter(rest))])
        rest -= chain
        yield chain


def coloured(framing: Framing, stones: bytes, *contents: int) -> list[Place]:
    return [p for p, content in zip(framing.places, stones, strict=True) if content in contents]


def black_joins_three_sides(framing: Framing, stones: bytes, *contents: int) -> bool:
    """Return whether cells with these contents join the three sides on the triangle's edges.

    Column 0, row 0 and the long side hold one side of the hexagon each; the three other sides of
    the hexagon lie inside the triangle, at the corners cut off.
    """
    return any(
        any(c == 0 for c, _ in chain)
        and any(r == 0 for _, r in chain)
        and any(c + r == framing.size - 1 for c, r in chain)
        for chain in chains(coloured(framing, stones, *contents))
    )


def hexagon_owner(framing: Framing, stones: bytes) -> int:
    """Return Black if the sides are joined, White if even all empty cells wouldn't join them."""
    if black_joins_three_sides(framing, stones, BLACK):
        return BLACK
    return EMPTY if black_joins_three_sides(framing, stones, BLACK, EMPTY) else WHITE


def white_joins_the_corner(framing: Framing, stones: bytes, *contents: int) -> bool:
    """Return whether cells with these contents join the corner (the first cell) to the side."""
    corner = framing.places[0]
    across = max(c + r for c, r in framing.places)
    chain = reached(coloured(framing, stones, *contents), [corner])
    return any(c + r == across for c, r in chain)


def corner_owner(framing: Framing, stones: bytes) -> int:
    if white_joins_the_corner(framing, stones, WHITE):
        return WHITE
    return EMPTY if white_joins_the_corner(framing, stones, WHITE, EMPTY) else BLACK


def fillings(cells: int, contents: tuple[int, ...]) -> list[bytes]:
    return [bytes(filling) for filling in product(contents, repeat=cells)]


def random_boards(cells: int, count: int, seed: int) -> list[bytes]:
    """Return boards with varying shares of each colour; every second one is full."""
    rng = np.random.default_rng(seed)
    boards = []
    for i in range(count):
        empty = 0 if i % 2 else rng.uniform(0, 0.6)
        black = empty + (1 - empty) * rng.uniform(0.3, 0.7)
        draws = rng.random(cells)
        boards.append(((draws >= empty).astype(np.uint8) + (draws >= black)).tobytes())
    return boards


def check_owners(framing: Framing, boards: list[bytes], expected: list[int]) -> None:
    """Check every reduction; the slow one by hand gets the first boards only."""
    assert owners_by_pyramids(framing, boards) == expected
    full = [i for i, stones in enumerate(boards) if EMPTY not in stones]
    packed = black_owns_by_planes(framing, [boards[i] for i in full])
    assert packed == [expected[i] == BLACK for i in full]
    assert owners_by_slices(framing, boards) == expected
    few = boards[: 200_000 // framing.size**3 + 2]
    assert [owner_by_hand(framing, stones) for stones in few] == expected[: len(few)]


def check_seen(owners: list[int], *contents: int) -> None:
    """Check that the sample has all outcomes; without, it would prove little."""
    assert set(owners) == set(contents)


@pytest.mark.parametrize("side", [1, 2])
@pytest.mark.parametrize("contents", [(BLACK, WHITE), (EMPTY, BLACK, WHITE)])
def test_every_filling_of_a_small_hexagon(side: int, contents: tuple[int, ...]) -> None:
    framing = hexagon_framing(side)
    assert len(framing.places) == 3 * side * (side - 1) + 1
    boards = fillings(len(framing.places), contents)
    expected = [hexagon_owner(framing, stones) for stones in boards]
    check_seen(expected, *contents)
    check_owners(framing, boards, expected)


@pytest.mark.parametrize(
    ("side", "count"), [(2, 60), (3, 800), (4, 400), (5, 300), (6, 200), (7, 150), (8, 120),
                        (15, 30), (22, 16)],
)  # fmt: skip
def test_hexagons(side: int, count: int) -> None:
    framing = hexagon_framing(side)
    assert len(framing.places) == 3 * side * (side - 1) + 1
    boards = random_boards(len(framing.places), count, side)
    expected = [hexagon_owner(framing, stones) for stones in boards]
    check_seen(expected, EMPTY, BLACK, WHITE)
    check_owners(framing, boards, expected)
    full = [owner for owner, stones in zip(expected, boards, strict=True) if EMPTY not in stones]
    check_seen(full, BLACK, WHITE)


@pytest.mark.parametrize("side", [2, 5, 22])
def test_one_chain_of_a_hexagon(side: int) -> None:
    """A star from the middle to the three sides wins, unless any of its stones is missing."""
    framing = hexagon_framing(side)
    middle, last = side - 1, framing.size - 1
    star = [(c, middle) for c in range(middle + 1)]
    star += [(middle, r) for r in range(middle)]
    star += [(middle, r) for r in range(middle + 1, last - middle + 1)]
    number = {place: cell for cell, place in enumerate(framing.places)}
    boards = []
    for rest in (EMPTY, WHITE):
        stones = bytearray([rest]) * len(framing.places)
        for place in star:
            stones[number[place]] = BLACK
        boards.append(bytes(stones))
        for place in star:
            boards.append(bytes(stones))
            lacking = bytearray(stones)
            lacking[number[place]] = rest
            boards.append(bytes(lacking))
    owners = owners_by_pyramids(framing, boards)
    assert owners == ([BLACK] + [BLACK, EMPTY] * len(star)) + ([BLACK] + [BLACK, WHITE] * len(star))
    assert owners_by_slices(framing, boards) == owners


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_every_filling_of_a_small_corner(size: int) -> None:
    framing = corner_framing(size)
    assert len(framing.places) == size * (size + 1) // 2
    for contents in ((BLACK, WHITE), (EMPTY, BLACK, WHITE)):
        if len(contents) ** len(framing.places) < 5000:
            boards = fillings(len(framing.places), contents)
            expected = [corner_owner(framing, stones) for stones in boards]
            check_seen(expected, *contents)
            check_owners(framing, boards, expected)


@pytest.mark.parametrize("size", [*range(3, 21), 30, 31, 32, 62])
def test_corners(size: int) -> None:
    framing = corner_framing(size)
    assert len(framing.places) == size * (size + 1) // 2
    assert framing.places[0] == (1, 1)
    boards = random_boards(len(framing.places), max(12, 2000 // size**2), size)
    # White seldom gets far from the corner by chance: put lines of stones there.
    rng = np.random.default_rng(size)
    for i, stones in enumerate(boards):
        changed = bytearray(stones)
        place = (1, 1)
        for _ in range(size - i // 4 % 2):
            changed[framing.places.index(place)] = WHITE
            place = (place[0] + 1, place[1]) if rng.random() < 0.5 else (place[0], place[1] + 1)
        boards[i] = bytes(changed) if i % 2 else stones
    expected = [corner_owner(framing, stones) for stones in boards]
    assert {BLACK, WHITE} <= set(expected)
    check_owners(framing, boards, expected)


def unclipped(framing: Framing, last_column: int, last_row: int) -> Framing:
    """Return the framing with all places of the triangle; fill those beyond with these stones."""
    inside = {*framing.places, *framing.black, *framing.white}
    size = framing.size
    beyond = {(c, r) for c in range(size) for r in range(size - c)} - inside
    columns = {place for place in beyond if place[0] >= framing.columns}
    rows = {place for place in beyond if place[1] >= framing.rows}
    assert columns | rows == beyond
    assert not columns & rows
    stones = {BLACK: list(framing.black), WHITE: list(framing.white)}
    for colour, places in ((last_column, columns), (last_row, rows)):
        if places:
            stones[Colour(colour)] += places
    return replace(
        framing,
        columns=size,
        rows=size,
        black=tuple(stones[BLACK]),
        white=tuple(stones[WHITE]),
    )


def check_clipped(framing: Framing, last_column: int, last_row: int, seed: int) -> None:
    boards = random_boards(len(framing.places), 24, seed)
    whole = unclipped(framing, last_column, last_row)
    owners = owners_by_slices(framing, boards)
    assert owners_by_slices(whole, boards) == owners
    few = boards[: 300_000 // framing.size**3 + 1]
    assert [owner_by_hand(framing, stones) for stones in few] == owners[: len(few)]
    assert [owner_by_hand(whole, stones) for stones in few] == owners[: len(few)]
    assert owners_by_pyramids(framing, boards) == owners
    if whole.size <= MAX_SIDE:
        assert owners_by_pyramids(whole, boards) == owners


HEX_SIZES = [
    *product(range(1, 6), repeat=2), (11, 11), (14, 2), (2, 14), (15, 16), (16, 15), (16, 17),
    (19, 19), (20, 21), (31, 31), (31, 33), (32, 31), (1, 63), (63, 1), (63, 63), (7, 40), (40, 7),
]  # fmt: skip


@pytest.mark.parametrize(("width", "height"), HEX_SIZES)
def test_hex_is_clipped_where_all_is_constant(width: int, height: int) -> None:
    framing = hex_framing(width, height)
    size = framing.size
    assert size == width + height - 1
    assert len(framing.places) == width * height
    # The template: no place twice, none outside the triangle, the last column and row all of one
    # colour as far as the triangle goes.
    stones = framing.black + framing.white
    assert len({*framing.places, *stones}) == width * height + len(stones)
    assert all(c + r < size for c, r in framing.places + stones)
    last_column = {(framing.columns - 1, r) for r in range(size - framing.columns + 1)}
    last_row = {(c, framing.rows - 1) for c in range(size - framing.rows + 1)}
    assert set(framing.black) == last_column
    assert set(framing.white) == last_row
    check_clipped(framing, BLACK, WHITE, 100 * width + height)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 11, 15, 16, 17, 21, 22, 32, 33, 63])
def test_y_is_all_cells(size: int) -> None:
    framing = y_framing(size)
    assert framing.black == framing.white == ()
    assert framing.columns == framing.rows == framing.size == size
    assert sorted(framing.places) == [(c, r) for c in range(size) for r in range(size - c)]
    check_clipped(framing, EMPTY, EMPTY, size)


@pytest.mark.parametrize(
    "framing", [*map(hexagon_framing, (1, 2, 6, 22)), *map(corner_framing, (1, 2, 9, 62))],
    ids=lambda framing: f"{len(framing.places)} of {framing.size}",
)  # fmt: skip
def test_others_are_not_clipped(framing: Framing) -> None:
    assert framing.columns == framing.rows == framing.size
    places = framing.places + framing.black + framing.white
    size = framing.size
    assert sorted(places) == [(c, r) for c in range(size) for r in range(size - c)]


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 13, 17, 33])
def test_any_template(size: int) -> None:
    """Templates may have stones of both colours anywhere.

    A triangle without empty places has one owner, whatever it is.
    """
    rng = np.random.default_rng(size)
    triangle = [(c, r) for c in range(size) for r in range(size - c)]
    for _ in range(24):
        contents = rng.choice(3, len(triangle), p=rng.dirichlet([2, 1, 1])).tolist()
        contents[int(rng.integers(len(triangle)))] = EMPTY
        cells, black, white = (
            tuple(p for p, content in zip(triangle, contents, strict=True) if content == kind)
            for kind in (EMPTY, BLACK, WHITE)
        )
        framing = Framing(size, size, size, cells, black, white)
        boards = random_boards(len(cells), 12, int(rng.integers(1000)))
        owners = owners_by_pyramids(framing, boards)
        assert owners_by_slices(framing, boards) == owners
        packed = black_owns_by_planes(framing, boards[1::2])
        assert packed == [owner == BLACK for owner in owners[1::2]]
        by_hand = 12 if size < 10 else 2
        assert [owner_by_hand(framing, stones) for stones in boards[:by_hand]] == owners[:by_hand]
        assert all(owners[1::2])


@pytest.mark.parametrize("framing", [hexagon_framing(23), corner_framing(63), hex_framing(64, 1)])
def test_too_large_for_a_triangle(framing: Framing) -> None:
    with pytest.raises(ValueError, match="64 are possible"):
        Triangle(framing)


def test_too_large_for_slices() -> None:
    Slices(hexagon_framing(60), (), (), ())
    for side in (63, 100):
        with pytest.raises(ValueError, match="cells are possible"):
            Slices(hexagon_framing(side), (), (), ())


@pytest.mark.parametrize("framing", [hexagon_framing(3), corner_framing(4), hex_framing(3, 4)])
def test_other_templates_have_another_owner(framing: Framing) -> None:
    """The tests above can fail: a template with exchanged colours has other owners."""
    boards = random_boards(len(framing.places), 300, 1)
    exchanged = replace(framing, black=framing.white, white=framing.black)
    owners = owners_by_pyramids(framing, boards)
    assert owners_by_pyramids(exchanged, boards) != owners
