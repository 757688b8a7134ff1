"""Random playouts of a position: the empty cells filled at random, one reduction.

`black_wins` plays board by board; `statistics` plays 512 boards at once and also counts, for every
empty cell, how often a colour had it and won.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from trivalent.core._random import Random
from trivalent.core.board import BLACK, WHITE
from trivalent.core.connection import _sliced
from trivalent.core.connection._triangle import triangle
from trivalent.core.playouts import _batch, _playout
from trivalent.core.position import Kind

if TYPE_CHECKING:
    from trivalent.core.board import Colour
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

    def wins_of_owners(self, colour: Colour) -> tuple[float, ...]:
        """Return for each cell the share of the playouts in which this colour had it that it won.

        Where it never had the cell, the share of all playouts that it won; 1/2 without playouts.
        """
        if colour is BLACK:
            wins, owned, won = self.black_wins, self.black_owned, self.black_owned_and_won
        else:
            wins = self.playouts - self.black_wins
            owned = tuple(self.playouts - black for black in self.black_owned)
            won = tuple(
                wins - black + both
                for black, both in zip(self.black_owned, self.black_owned_and_won, strict=True)
            )
        mean = wins / self.playouts if self.playouts else 0.5
        return tuple(w / o if o else mean for w, o in zip(won, owned, strict=True))

    @property
    def ownership(self) -> tuple[float, ...]:
        """The share of the playouts in which Black had each cell at the end, 0 to 1."""
        return tuple(owned / self.playouts for owned in self.black_owned)

    @property
    def criticality(self) -> tuple[float, ...]:
        """How much owning each cell goes with winning: -1/2 to 1/2.

        That is how often its owner wins, less what that would be were the two independent
        (R. Coulom, *Criticality: a Monte-Carlo heuristic for Go programs*).
        """
        n, wins = self.playouts, self.black_wins
        return tuple(
            (2 * both + n - owned - wins) / n - (owned * wins + (n - owned) * (n - wins)) / n**2
            for owned, both in zip(self.black_owned, self.black_owned_and_won, strict=True)
        )

    @property
    def pivotality(self) -> tuple[float, ...]:
        """How much more often each cell's owner wins for owning it: 0 to 1, but for chance.

        That is, Black's share of wins with the cell less his share without.
        """
        black, white = self.wins_of_owners(BLACK), self.wins_of_owners(WHITE)
        return tuple(b - (1 - w) for b, w in zip(black, white, strict=True))


def statistics(
    position: Position,
    count: int,
    seed: int,
    *,
    fill: Literal["coins", "balanced", "in-turn"] = "coins",
    bridges: bool = False,
    repair: float = 0.0,
) -> PlayoutStatistics:
    """Return the counts of so many bit-sliced playouts.

    The colour of a cell is a fair coin, or with ``fill="balanced"`` each colour gets exactly the
    stones that it has when the players go on in turn, every such filling equally likely.

    With ``fill="in-turn"`` the cells are filled one after the other, by coins that alternate from
    cell to cell, and whoever enters a bridge of the opponent is answered at once by a stone on its
    other cell, also in a bridge that has come about in the filling or to a side.  The last move of
    the position, if it was a stone, counts as just played.  An answer is not answered.

    In the other fills, with ``bridges`` the two cells of each bridge in the position, also of a
    bridge to a side, get a stone of each colour; where bridges overlap the first one found counts.
    ``repair`` is the probability, in steps of 1/256, that a bridge which comes about in the filling
    and has both its cells lost is given one of them back; that may change the balance.

    The seed fixes the result, on every instruction set: playout n is the same whatever the count.
    Playouts that are played at once, 512 of them, fill, recolour and repair in one common random
    order.  So all but those by coins alone are not independent of each other, the less so the fewer
    the empty cells; those of other seeds are.
    Raise ValueError for a negative count, another fill, a repair that is not 0 to 1, or bridges or
    repairs beside a fill in turn.
    """
    if count < 0:
        raise ValueError(f"there are no {count} playouts")
    if fill not in ("coins", "balanced", "in-turn"):
        raise ValueError(f"fill must be coins, balanced or in-turn, not {fill!r}")
    if not 0 <= repair <= 1:
        raise ValueError(f"repair must be 0 to 1, not {repair}")
    if fill == "in-turn" and (bridges or repair):
        raise ValueError("a fill in turn sees to the bridges by itself: no bridges, no repair")
    last = position.last_move
    wins, owned, won = _batch.statistics(
        _sliced.slices(position.board),
        position.stones,
        position.to_play,
        last.cell if last and last.kind is Kind.PLAY and last.cell is not None else -1,
        count,
        seed,
        fill == "in-turn",
        fill == "balanced",
        bridges,
        round(256 * repair),
    )
    cells = tuple(position.empty_cells)
    return PlayoutStatistics(count, wins, cells, tuple(owned), tuple(won))
