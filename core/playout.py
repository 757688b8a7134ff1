"""Random playouts of a position: the empty cells filled at random, one reduction.

`black_wins` plays board by board; `statistics` plays 512 boards at once and also counts, for every
empty cell, how often a colour had it and won.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from trivalent.core import _playout, _sliced
from trivalent.core._playout import Random
from trivalent.core._triangle import triangle

if TYPE_CHECKING:
    from trivalent.core.position import Position

__all__ = ["PlayoutStatistics", "Random", "black_wins", "fill", "statistics"]


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


@dataclass(frozen=True, slots=True)
class PlayoutStatistics:
    """Counts over many playouts."""

    playouts: int
    black_wins: int
    """White wins all others."""
    cells: tuple[int, ...]
    """The empty cells of the position, to which the following belong."""
    black_owned: tuple[int, ...]
    """Playouts in which Black had the cell at the end; White had it in all others."""
    black_owned_and_won: tuple[int, ...]
    """Playouts in which Black had the cell and won."""


def statistics(
    position: Position,
    count: int,
    seed: int,
    *,
    fill: Literal["coins", "balanced"] = "coins",
    bridges: bool = False,
    repair: float = 0.0,
) -> PlayoutStatistics:
    """Return the counts of so many bit-sliced playouts.

    The colour of a cell is a fair coin, or with ``fill="balanced"`` each colour gets exactly the
    stones that it has when the players go on in turn, every such filling equally likely.

    With ``bridges`` the two cells of each bridge in the position, also of a bridge to a side, get a
    stone of each colour; where bridges overlap the first one found counts.  ``repair`` is the
    probability, in steps of 1/256, that a bridge which comes about in the filling and has both its
    cells lost is given one of them back; that may change the balance.

    The seed fixes the result, on every instruction set: playout n is the same whatever the count.
    Playouts that are played at once, 512 of them, recolour and repair in one common random order.
    So the balanced or repaired ones are not independent of each other, the less so the fewer the
    empty cells; those of other seeds are.
    Raise ValueError for a negative count, another fill, or a repair that is not 0 to 1.
    """
    if count < 0:
        raise ValueError(f"there are no {count} playouts")
    if fill not in ("coins", "balanced"):
        raise ValueError(f"fill must be coins or balanced, not {fill!r}")
    if not 0 <= repair <= 1:
        raise ValueError(f"repair must be 0 to 1, not {repair}")
    wins, owned, won = _sliced.statistics(
        _sliced.slices(position.board),
        position.stones,
        position.to_play,
        count,
        seed,
        fill == "balanced",
        bridges,
        round(256 * repair),
    )
    cells = tuple(position.empty_cells)
    return PlayoutStatistics(count, wins, cells, tuple(owned), tuple(won))
