"""Random playouts of a position: the empty cells filled uniformly at random, one win test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trivalent.core import _playout
from trivalent.core._playout import Random
from trivalent.core._triangle import triangle

if TYPE_CHECKING:
    from trivalent.core.position import Position

__all__ = ["Random", "black_wins", "fill"]


def fill(position: Position, random: Random) -> bytes:
    """Return the stones of a full board, a byte a cell (1 black, 2 white).

    The players go on in turn, so of n empty cells the side to move gets half, rounded up; every
    such filling is equally likely.
    """
    return _playout.fill(triangle(position.board), position.stones, position.to_play, random)


def black_wins(position: Position, count: int, random: Random) -> int:
    """Return how many of ``count`` playouts Black wins; White wins all others."""
    return _playout.count_wins(
        triangle(position.board), position.stones, position.to_play, count, random
    )
