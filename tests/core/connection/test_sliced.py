"""Bit-sliced boards: winners of many boards, every size, and every instruction set.

Run as a program, this file prints the instruction set in use and a digest of what it computes.
"""

from __future__ import annotations

import sys
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np
import pytest
from fillings import (
    BALANCED,
    BATCH,
    EVERY_OPTION,
    IN_TURN,
    Options,
    black_share,
    boards_of,
    bridges_of,
    opposite_pairs,
    play,
    playouts,
    scattered,
)

from trivalent.core._isa import chosen
from trivalent.core._random import Random
from trivalent.core.board import BLACK, Board, Colour
from trivalent.core.connection.win_test import winners
from trivalent.core.games import hex_board, make_board, y_board
from trivalent.core.position import Position

if TYPE_CHECKING:
    from fillings import Bits
    from instruction_sets import InstructionSet


DIGEST = "ac0e6d0373363d2a"
"""What every instruction set of every machine computes.  A new one means that a result changed."""


def random_boards(board: Board, count: int, seed: int) -> bytes:
    """Return boards, many of them not full, of which both colours win some."""
    rng = np.random.default_rng(seed)
    empty = rng.uniform(-0.2, 0.3, (count, 1)).clip(0)
    black = empty + (1 - empty) * rng.uniform(0.4, 0.6, (count, 1))
    draws = rng.random((count, len(board)))
    return ((draws >= empty).astype(np.uint8) + (draws >= black)).tobytes()


SIZES = [
    *((game, size, None) for game in ("hex", "y") for size in range(1, 64)),
    ("hex", 1, 63), ("hex", 63, 1), ("hex", 2, 63), ("hex", 63, 2), ("hex", 15, 16),
    ("hex", 16, 15), ("hex", 20, 21), ("hex", 21, 20), ("hex", 31, 63), ("hex", 63, 32),
]  # fmt: skip


@pytest.mark.parametrize(("game", "width", "height"), SIZES)
def test_every_size(game: str, width: int, height: int | None) -> None:
    board = make_board(game, width, height)
    count = 67 if len(board) < 1000 else 9
    boards = random_boards(board, count, width)
    expected = winners(board, boards, "wqhuf")
    for method in ("bpr-sliced", "bpr-registers"):
        assert winners(board, boards, method) == expected
    position = scattered(board, len(board) * 3 // 4, width)
    for options in (BALANCED, Options(bridges=True, repair=0.8), IN_TURN):
        owned, won = playouts(position, range(509, 514), width, options)
        found = winners(board, boards_of(position, owned), "wqhuf")
        assert [colour == BLACK for colour in found] == won.tolist()
        if options.fill == "balanced":
            assert set(owned.sum(axis=1)) == {black_share(position)}
        if options.bridges:
            check_pairs_loosely(position, owned)


def check_pairs_loosely(position: Position, owned: Bits) -> None:
    """Check on few playouts that every bridge, or one that overlaps it, has both colours."""
    pairs = opposite_pairs(position, owned)
    taken = {cell for pair in pairs for cell in pair}
    assert all(set(pair) & taken for pair in bridges_of(position))


# Connection tests of many boards


@pytest.mark.parametrize("method", ["bpr-sliced", "bpr-registers"])
@pytest.mark.parametrize(
    "board",
    [hex_board(1), hex_board(4), hex_board(11), hex_board(13, 18), y_board(2), y_board(14),
     hex_board(19), y_board(17), hex_board(25), y_board(33)],
    ids=str,
)  # fmt: skip
def test_winners_of_any_number_of_boards(board: Board, method: str) -> None:
    cells = len(board)
    boards = random_boards(board, 3 * BATCH + 5, 50)
    expected = winners(board, boards, "wqhuf")
    assert len(set(expected)) >= 2
    counts = [*range(70), 127, 128, 129, 255, 300, 510, 511, 512, 513, 577, 1023, 1024, 1025, 1541]
    for count in counts:
        # From another board on each time: nothing hangs on its place in the batch.
        first = count % 7 if count < 1500 else 0
        part = boards[first * cells : (first + count) * cells]
        assert winners(board, part, method) == expected[first : first + count]
    if cells > 1:
        for length in (1, cells - 1, cells + 1, 600 * cells - 1):
            with pytest.raises(ValueError, match="not a multiple"):
                winners(board, bytes(length), method)


# All instruction sets


def digest() -> str:
    """Return a digest of everything above, from inputs that every machine makes alike."""
    random = Random(1)
    result = sha256()
    sizes = [("hex", 1, 1), ("hex", 3, 3), ("hex", 11, 11), ("hex", 7, 16), ("hex", 19, 20),
             ("hex", 20, 21), ("hex", 31, 32), ("hex", 2, 63), ("hex", 63, 40),
             ("y", 1, 1), ("y", 5, 5), ("y", 16, 16), ("y", 17, 17), ("y", 22, 22), ("y", 33, 33),
             ("y", 63, 63)]  # fmt: skip
    for game, width, height in sizes:
        board = make_board(game, width, height)
        position = Position(board)
        for cell in range(len(board)):
            content = random.below(5)
            if 0 < content < 3:
                position.setup(cell, Colour(content))
        for options in EVERY_OPTION:
            for count in (1, 700):
                counts = play(position, count, random.below(1000), options)
                result.update(repr(counts).encode())
        boards = bytes(random.below(3) for _ in range(min(70 * len(board), 10_000)))
        boards = boards[: len(boards) // len(board) * len(board)]
        for method in ("bpr-sliced", "bpr-registers"):
            result.update(winners(board, boards, method))
    return result.hexdigest()[:16]


def test_every_instruction_set_computes_the_same(isa: InstructionSet) -> None:
    assert isa.run(__file__).split() == [isa.name, DIGEST]


if __name__ == "__main__":
    sys.stdout.write(f"{chosen()} {digest()}\n")
