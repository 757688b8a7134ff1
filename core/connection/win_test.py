"""Connection tests: who has won a board, by the reduction and by the plain methods.

A position has its own answer (`Position.winner`); these calls are for many boards at once and for
comparing methods.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trivalent.core.board import Colour
from trivalent.core.connection import _win_test

if TYPE_CHECKING:
    from trivalent.core.board import Board

METHODS = {
    "bpr-printed": "bitwise-parallel reduction as printed: bit pairs, an integer a column [BT]",
    "bpr": "bitwise-parallel reduction, non-destructive [BT]",
    "bpr-in-place": "bitwise-parallel reduction, destructive [BT]",
    "bpr-registers": "the same, several boards interleaved in vector registers",
    "bpr+": "reduction pyramid kept up to date stone by stone [BT]",
    "bpr-sliced": "bit-sliced reduction, 512 boards at once",
    "uf": "union-find: quick union",
    "wqhuf": "union-find: weighted, quick union, path halving",
    "path": "path following from a side",
    "bfs": "bitwise-parallel breadth-first search",
}
"""The names of the methods, each with what it is."""


def winners(board: Board, stones: bytes | bytearray, method: str = "bpr") -> bytes:
    """Return the winner of each of many boards: 0 none, 1 Black, 2 White, a byte each.

    The stones are a byte a cell (0 empty, 1 black, 2 white), board after board.  Raise ValueError
    for an unknown method, a byte above 2, or cells that are not a whole number of boards.
    """
    if stones.translate(None, b"\x00\x01\x02"):
        raise ValueError("a cell is 0, 1 or 2: empty, black or white")
    return _win_test.winners(board, stones, method)


def winner(board: Board, stones: bytes | bytearray, method: str = "bpr") -> Colour | None:
    """Return the winner of one board, or None if it is open; arguments as for `winners`."""
    if len(stones) != len(board):
        raise ValueError(f"{len(stones)} cells given for the {len(board)} of {board}")
    won = winners(board, stones, method)[0]
    return Colour(won) if won else None


def has_loop(board: Board, stones: bytes | bytearray, colour: Colour) -> bool:
    """Return whether a colour has a loop: a ring of its stones around something else.

    The ring may enclose empty cells or stones of the opponent; the sides of the board are no part
    of it.  The board may be full or not.  Raise ValueError for a wrong number of cells.
    """
    return _win_test.has_loop(board, stones, colour)
