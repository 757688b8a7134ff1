"""Connection tests of whole boards, by the reduction and by the plain methods.

A `Position` follows its winner move by move (see `incremental`).  The functions here take bare
boards, many at once, and can compare methods.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trivalent.core.board import Colour
from trivalent.core.connection import _win_test

if TYPE_CHECKING:
    from trivalent.core.board import Board

METHODS = {
    "chains": "following the chains of any board",
    "flood-sliced": "bit-sliced flood fill of any board, 512 boards at once",
    "bpr-printed": "bitwise-parallel reduction as printed: bit pairs, one integer a column [BT]",
    "bpr": "bitwise-parallel reduction, non-destructive [BT]",
    "bpr-in-place": "bitwise-parallel reduction, destructive [BT]",
    "bpr-registers": "bitwise-parallel reduction, several boards interleaved in vector registers",
    "bpr+": "reduction pyramid, updated stone by stone [BT]",
    "bpr-sliced": "bit-sliced reduction, 512 boards at once",
    "uf": "union-find: quick union",
    "wqhuf": "union-find: weighted, quick union, path halving",
    "path": "path following from a side",
    "bfs": "bitwise-parallel breadth-first search",
}
"""The methods by name, with a description of each.  All but the first two need a board that can be
reduced."""

GRAPH_METHODS = ("chains", "flood-sliced")
"""The methods that work on any board."""


def winners(board: Board, stones: bytes | bytearray, method: str | None = None) -> bytes:
    """Return the winner of each of many boards: a byte each, 0 none, 1 Black, 2 White.

    ``stones`` has a byte for each cell (0 empty, 1 black, 2 white), board after board.  The method
    is ``bpr`` if the board can be reduced, else ``chains``, unless it is named.  Raise ValueError
    for a method that is unknown or doesn't suit the board, a byte above 2, or a number of cells
    that isn't a multiple of the board's.
    """
    if method is None:
        method = "chains" if board.framing is None else "bpr"
    if stones.translate(None, b"\x00\x01\x02"):
        raise ValueError("a cell must be 0, 1 or 2: empty, black or white")
    return _win_test.winners(board, stones, method)


def winner(board: Board, stones: bytes | bytearray, method: str | None = None) -> Colour | None:
    """Return the winner of one board, or None if nobody has won; arguments as for `winners`."""
    if len(stones) != len(board):
        raise ValueError(f"{board} has {len(board)} cells, not {len(stones)}")
    won = winners(board, stones, method)[0]
    return Colour(won) if won else None


def has_loop(board: Board, stones: bytes | bytearray, colour: Colour) -> bool:
    """Return whether a colour has a loop: a ring of its stones around at least one other cell.

    The ring encloses empty cells or opposing stones; a side of the board can't be part of it.
    Raise ValueError for a wrong number of cells.
    """
    return _win_test.has_loop(board, stones, colour)
