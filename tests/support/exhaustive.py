"""Exhaustive play: who wins a position with few empty cells, by trying everything."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from trivalent.core.connection.win_test import winners

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable

    from trivalent.core.board import Board


@cache
def wins(board: Board, stones: bytes, to_play: int) -> bool:
    """Return whether the side to move wins, by trying everything."""
    if winner := winners(board, stones)[0]:
        return winner == to_play
    return any(
        not wins(board, stones[:cell] + bytes([to_play]) + stones[cell + 1 :], 3 - to_play)
        for cell, stone in enumerate(stones)
        if not stone
    )


def some_stones(rng: random.Random, board: Board, max_empty: int) -> bytes:
    empty = rng.sample(range(len(board)), rng.randint(1, max_empty))
    stones = bytearray(rng.choices((1, 2), k=len(board)))
    for cell in empty:
        stones[cell] = 0
    return bytes(stones)


def given_away(stones: bytes, carrier: Iterable[int], colour: int) -> bytes:
    """Return the stones with all empty cells outside a carrier given to a colour."""
    return bytes(stone or (0 if cell in carrier else colour) for cell, stone in enumerate(stones))
