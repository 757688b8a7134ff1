"""What networks see besides the stones, against fill-in and playouts asked one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from trivalent.bot.evaluation._network_inputs import OBSERVED, Observer
from trivalent.bot.knowledge._fillin import filler
from trivalent.core.connection._sliced import slices
from trivalent.core.connection.win_test import winner
from trivalent.core.games import hex_board, y_board
from trivalent.core.playouts import _batch

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from trivalent.core.board import Board

    Bytes = NDArray[np.uint8]

BOARDS = [hex_board(4), hex_board(7, 5), y_board(6), hex_board(11)]


def reference(board: Board, stones: bytes, to_play: int, last: int) -> dict[str, list[int]]:
    """Return the planes by fractions and float arithmetic, playing the same batch."""
    fill = filler(board)
    filled, inferior = fill.fill(stones, to_play)
    pruned = {*inferior, *fill.dominated(filled, to_play, inferior)}
    n = 512
    wins, owned, won = _batch.statistics(
        slices(board), filled, to_play, last, n, 0, True, False, False, 0
    )
    if to_play == 2:
        won = [n - wins - black + both for black, both in zip(owned, won, strict=True)]
        owned = [n - black for black in owned]
        wins = n - wins
    ownership = [127 if stone == to_play else 0 for stone in filled]
    gain = [64] * len(board)
    empty = [cell for cell in range(len(board)) if not filled[cell]]
    for cell, o, w in zip(empty, owned, won, strict=True):
        ownership[cell] = int(127 * o / n + 0.5)
        more = (w - o * wins / n) / (o + 4)
        gain[cell] = min(127, max(0, int(np.floor(64 + 254 * more + 0.5))))
    return {
        "filled": list(filled),
        "pruned": [int(cell in pruned) for cell in range(len(board))],
        "playout-ownership": ownership,
        "playout-gain": gain,
        "playout-value": [int(127 * wins / n + 0.5)] * len(board),
    }


def positions(board: Board, count: int, seed: int) -> tuple[Bytes, Bytes, NDArray[np.int16]]:
    rng = np.random.default_rng(seed)
    found: list[Bytes] = []
    while len(found) < count:
        share = rng.random()
        stones = rng.choice(3, len(board), p=[1 - share, share / 2, share / 2]).astype(np.uint8)
        if winner(board, stones.tobytes()) is None:
            found.append(stones)
    last = np.array([rng.choice([-1, *np.flatnonzero(stones)]) for stones in found], np.int16)
    return np.array(found), rng.integers(1, 3, count).astype(np.uint8), last


@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_planes_are_those_of_the_reference(board: Board) -> None:
    stones, to_play, last = positions(board, 60, 1)
    seen = Observer(board).observe(stones, to_play, last)
    assert seen.shape == (60, len(OBSERVED), len(board))
    for row in range(60):
        expected = reference(board, stones[row].tobytes(), int(to_play[row]), int(last[row]))
        for plane, content in zip(OBSERVED, seen[row], strict=True):
            assert content.tolist() == expected[plane], (plane, row)


def test_what_is_seen_of_a_position_depends_on_nothing_else() -> None:
    board = hex_board(7)
    stones, to_play, last = positions(board, 20, 2)
    observer = Observer(board)
    seen = observer.observe(stones, to_play, last)
    again = observer.observe(stones[::-1].copy(), to_play[::-1].copy(), last[::-1].copy())
    assert (seen == again[::-1]).all()
    assert (seen != observer.observe(stones, to_play, last, seed=1)).any()


def test_arrays_that_do_not_fit_are_refused() -> None:
    observer = Observer(hex_board(4))
    stones, to_play, last = positions(hex_board(5), 2, 3)
    with pytest.raises(ValueError, match="don't fit each other and 4x4 Hex"):
        observer.observe(stones, to_play, last)
    with pytest.raises(ValueError, match="don't fit"):
        Observer(hex_board(5)).observe(stones, to_play, last[:1])


def test_large_boards_are_refused() -> None:
    with pytest.raises(ValueError, match="up to 31 cells a side"):
        Observer(hex_board(32))
