"""Planes hold the same stones whether packed a word at a time or cell by cell."""

import pytest

from trivalent.core._random import Random
from trivalent.core.connection._arbiter import Arbiter
from trivalent.core.connection._pyramid import Pyramid
from trivalent.core.connection._triangle import Triangle
from trivalent.core.framing import (
    Framing,
    corner_framing,
    hex_framing,
    hexagon_framing,
    y_framing,
)
from trivalent.core.playouts._playout import count_wins

FRAMINGS = [
    *(hexagon_framing(side) for side in range(1, 9)),
    *(corner_framing(size) for size in (1, 2, 5, 14, 15, 19, 20, 30, 31, 40)),
    *(y_framing(size) for size in (1, 16, 17, 21, 22, 32, 33, 63)),
    *(hex_framing(w, h) for w, h in ((1, 1), (15, 15), (20, 3), (3, 20), (31, 31), (63, 63))),
]


@pytest.mark.parametrize("framing", FRAMINGS, ids=lambda f: f"{f.size}-{len(f.places)}")
def test_a_packed_board_is_what_its_stones_make_one_by_one(framing: Framing) -> None:
    triangle, cells, random = Triangle(framing), len(framing.places), Random(framing.size)
    won = 0
    for black in range(1, 8):
        for _ in range(10):
            stones = bytes(1 if random.below(8) < black else 2 for _ in range(cells))
            pyramid = Pyramid(triangle, 1)
            for cell in range(cells):
                if stones[cell] == 1:
                    pyramid.toggle(cell)
            # With no cell empty the playout is nothing but the test.
            assert count_wins(Arbiter(triangle), stones, 1, 1, random) == pyramid.apex
            won += pyramid.apex
    assert 0 < won < 70


@pytest.mark.parametrize(
    ("framing", "bits"),
    [
        (y_framing(1), 16),
        (hex_framing(15, 15), 16),
        (hex_framing(16, 2), 21),
        (y_framing(21), 21),
        (hex_framing(2, 21), 32),
        (hex_framing(31, 31), 32),
        (y_framing(33), 64),
    ],
)
def test_the_bits_of_a_column(framing: Framing, bits: int) -> None:
    assert Triangle(framing).column_bits == bits
