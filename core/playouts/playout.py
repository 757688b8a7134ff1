"""Random playouts: fill the empty cells of a position at random, then find the winner.

`black_wins` plays one board after the other.  `statistics` plays batches of 512 boards and also
counts, for every empty cell, how often its owner won.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from trivalent.core._random import Random
from trivalent.core.board import BLACK, WHITE
from trivalent.core.connection import _sliced
from trivalent.core.connection._arbiter import arbiter
from trivalent.core.playouts import _batch, _playout
from trivalent.core.position import Kind

if TYPE_CHECKING:
    from trivalent.core.board import Colour
    from trivalent.core.position import Position

__all__ = ["PlayoutStatistics", "Random", "black_wins", "fill", "statistics"]


def fill(position: Position, random: Random) -> bytes:
    """Return the stones of a random full board, a byte for each cell (1 black, 2 white).

    The side to move gets half of the empty cells, rounded up, as if the players took turns.  All
    such fillings are equally likely.
    """
    return _playout.fill(position.stones, position.to_play, random)


def black_wins(position: Position, count: int, random: Random) -> int:
    """Return how many of ``count`` playouts Black wins.  White wins all the others."""
    return _playout.count_wins(
        arbiter(position.board), position.stones, position.to_play, count, random
    )


@dataclass(frozen=True, slots=True)
class PlayoutStatistics:
    """Counts over many playouts of one position."""

    playouts: int
    black_wins: int
    """White wins all the others."""
    cells: tuple[int, ...]
    """The empty cells of the position.  The tuples below have one number for each of them."""
    black_owned: tuple[int, ...]
    """Playouts that ended with a black stone on the cell; in the others it was white."""
    black_owned_and_won: tuple[int, ...]
    """Playouts that ended with a black stone on the cell and were won by Black."""

    def wins_of_owners(self, colour: Colour) -> tuple[float, ...]:
        """Return this colour's winning rate, 0 to 1, over the playouts in which it owned each cell.

        For a cell that it never owned, return its winning rate over all playouts, and 1/2 if there
        are none.
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
        """The share of the playouts in which Black owned each cell at the end, 0 to 1."""
        return tuple(owned / self.playouts for owned in self.black_owned)

    @property
    def criticality(self) -> tuple[float, ...]:
        """How strongly owning each cell goes with winning, -1/2 to 1/2.

        This is how often the owner of the cell wins, minus how often they would win if owning and
        winning were independent (R. Coulom, *Criticality: a Monte-Carlo heuristic for Go
        programs*).
        """
        n, wins = self.playouts, self.black_wins
        return tuple(
            (2 * both + n - owned - wins) / n - (owned * wins + (n - owned) * (n - wins)) / n**2
            for owned, both in zip(self.black_owned, self.black_owned_and_won, strict=True)
        )

    @property
    def pivotality(self) -> tuple[float, ...]:
        """Black's winning rate with each cell minus the rate without it.

        Between 0 and 1 apart from noise: a stone never hurts its owner.
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
    weights: bytes | None = None,
    templates: bool = False,
) -> PlayoutStatistics:
    """Play ``count`` bit-sliced playouts and return what they counted.

    ``fill`` says how the empty cells get their stones:

    * ``coins``: a fair coin for each cell.
    * ``balanced``: each colour gets as many stones as it would if the players took turns, and all
      such fillings are equally likely.
    * ``in-turn``: cell after cell in random order, the colours alternating from a random start.
      A stone that enters a bridge of the opponent is answered at once on the bridge's other cell.
      That includes bridges to a side and bridges that the filling has only just made; the last
      stone of the position counts as just played; a reply gets no reply.

    Two options handle bridges in the first two fills.  ``bridges`` gives the two cells of each
    bridge in the position, or of a bridge to a side, to different colours; if bridges overlap, the
    first one found counts.  ``repair`` is the probability, in steps of 1/256, that a bridge which
    arises in the filling and loses both its cells gets one of them back; this may upset the
    balance.

    ``weights``, with the fill in turn, has a byte for each cell of the board: the chance in
    sixteenths, 0 to 16, that a stone placed there in its turn is black.  (Replies keep their
    colour.)  8 for all cells is the usual fill, but for other random numbers.

    ``templates``, with the fill in turn, answers a stone that enters a 4-3-2 edge template so that
    the template's stone stays connected to its side; bridges come first.  See `edge_templates`.

    The same seed gives the same result on every instruction set, and playout n doesn't depend on
    the count.  The 512 playouts of a batch fill, recolour and repair cells in one common random
    order, so they aren't independent of each other unless all is decided by coins; the fewer the
    empty cells, the stronger the dependence.  Playouts of different seeds are independent.

    Raise ValueError for a negative count, an unknown fill, a repair outside 0 to 1, bridges or
    repair with the fill in turn, weights that don't fit, or templates with another fill.
    """
    if count < 0:
        raise ValueError(f"the number of playouts can't be negative: {count}")
    if fill not in ("coins", "balanced", "in-turn"):
        raise ValueError(f"fill must be coins, balanced or in-turn, not {fill!r}")
    if not 0 <= repair <= 1:
        raise ValueError(f"repair must be 0 to 1, not {repair}")
    if fill == "in-turn" and (bridges or repair):
        raise ValueError("the fill in turn answers bridges itself: bridges and repair must be off")
    if weights is not None and (
        fill != "in-turn" or len(weights) != len(position.board) or max(weights) > 16
    ):
        raise ValueError("weights are for the fill in turn: 0 to 16 for each cell of the board")
    if templates and fill != "in-turn":
        raise ValueError("templates are for the fill in turn")
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
        weights=weights,
        templates=templates,
    )
    cells = tuple(position.empty_cells)
    return PlayoutStatistics(count, wins, cells, tuple(owned), tuple(won))
