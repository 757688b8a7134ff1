"""*Star: five arms in rings, and points for reaching the border with few groups.

The cells of the outer ring are the peries, five of them corners.  The five cells of the inner ring
all touch each other, through the star in the middle on which nobody plays.

On a full board, a chain with fewer than two peries is no group: it dissolves into the chain around
it, and so does its peri.  Each group is worth its peries less four.  The player with more points
wins; a tie goes to the player with more corners.  See [RP]; the game is by C. Schensted (Ea Ea).

The chain around a dissolved peri holds both peries beside it, so it is a group itself, and chains
without peries don't count: every chain dissolves at most once, and the order doesn't matter.  A
stone never hurts its owner, so a position is decided once a player wins even if the opponent gets
all empty cells.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations

from trivalent.core.board import Aim, Board, Side
from trivalent.core.boards.rings import Rings, clockwise
from trivalent.core.connection.incremental import score_test

MIN_SIZE, MAX_SIZE = 2, 19  # the names of cells have numbers of two digits
_CORE, _HEIGHT = 0.85, 1.05


def star_board(size: int) -> Board:
    """Return the *Star board with that many rings.

    Sizes 6, 8 and 10 are played; they have 105, 180 and 275 cells.  Raise ValueError unless the
    size is 2 to 19.
    """
    return _star_board(size)


@lru_cache(maxsize=16)
def _star_board(size: int) -> Board:
    if not MIN_SIZE <= size <= MAX_SIZE:
        raise ValueError(f"size must be {MIN_SIZE} to {MAX_SIZE}, not {size}")
    rings = Rings(5, tuple(range(size, 0, -1)))
    edges = [edge for ring in range(size) for edge in rings.around(ring)]
    edges += [edge for ring in range(size - 1) for edge in rings.inwards(ring)]
    edges += combinations(range(len(rings) - 5, len(rings)), 2)
    layout = tuple(
        rings.place(ring, number, _CORE, _HEIGHT, size - 1) for ring, number in rings.coordinates
    )
    names = rings.names
    symmetries = rings.symmetries()
    return Board(
        game="star",
        title=f"*Star {size}",
        width=size,
        height=size,
        coordinates=rings.coordinates,
        neighbours=clockwise(edges, layout),
        sides=(Side("border", tuple(range(5 * size))),),
        goals=((0,), (0,)),
        symmetries=symmetries,
        swap_map=symmetries[0].cells,
        framing=None,
        lattice=None,
        names=names,
        aim=Aim.SCORE,
        corners=tuple(rings.cell(0, side, 0) for side in range(5)),
        layout=tuple((point,) for point in layout),
        _cells={name: cell for cell, name in enumerate(names)},
        _win_test=score_test,
        _made_by=(star_board, (size,)),
    )
