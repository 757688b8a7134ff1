"""Shannon's field machine: charges on the stones, and a move at a saddle point of their potential.

Black's stones and sides have a potential of 1, White's of -1, and a net of equal resistors spreads
it over the empty cells.  Where the potential falls to both sides in one direction and rises to both
sides in another, Black's and White's ways to connect cross [AHH, III].
"""

from __future__ import annotations

import cmath
import math
from functools import lru_cache
from typing import TYPE_CHECKING

from trivalent.bot.circuits._circuit import solve_network
from trivalent.core.board import BLACK, WHITE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trivalent.core.board import Board
    from trivalent.core.lattice import Place

_TURNS = [cmath.exp(1j * cmath.pi * k / 3) for k in range(6)]
"""The directions of the six neighbours, as complex numbers."""


def _around(board: Board, stones: bytes, cell: int) -> list[int]:
    """Return what lies in each direction: an empty cell, or the owner of a stone or side.

    Owners are negative: -1 for Black, -2 for White.  At corners, where nothing conducts, it is the
    cell itself.
    """
    assert board.lattice is not None
    found = []
    for place in _places_around(board, cell):
        other = board.lattice.cells.get(place)
        if other is None:
            found.append(-_owner_beyond(board, place) or cell)
        else:
            found.append(-stones[other] if stones[other] else other)
    return found


def _places_around(board: Board, cell: int) -> list[Place]:
    assert board.lattice is not None
    x, y = board.lattice.places[cell]
    return [(x + dx, y + dy) for dx, dy in board.lattice.steps]


@lru_cache(maxsize=1024)
def _owner_beyond(board: Board, place: Place) -> int:
    """Return the colour of the side that has two cells next to a place off the board, or 0."""
    assert board.lattice is not None
    x, y = place
    near = {board.lattice.cells.get((x + dx, y + dy)) for dx, dy in board.lattice.steps}
    sides = [n for n, side in enumerate(board.sides) if len(near & set(side.cells)) == 2]
    owners = [colour for colour in (BLACK, WHITE) for n in sides if n in board.goals[colour - 1]]
    return owners[0] if owners else 0


def potentials(board: Board, stones: bytes) -> list[float]:
    """Return the potential of each cell of a Hex board, from -1 (White) to 1 (Black)."""
    empty = [cell for cell, stone in enumerate(stones) if not stone]
    points = {-BLACK: 0, -WHITE: 1} | {cell: 2 + i for i, cell in enumerate(empty)}
    resistors = [
        (points[cell], points[other], 1.0)
        for cell in empty
        for other in _around(board, stones, cell)
        if other < cell
    ]
    resistance, volts, _ = solve_network(len(points), resistors)
    potential = [{0: 0.0, BLACK: 1.0, WHITE: -1.0}[stone] for stone in stones]
    if resistance < math.inf:  # it is infinite on a board of one cell
        for cell in empty:
            potential[cell] = 2 * volts[points[cell]] / resistance - 1
    return potential


def saddle_points(board: Board, stones: bytes) -> list[tuple[int, float]]:
    """Return each empty cell and how much the potential looks like a saddle there, most first.

    The potential of the six neighbours, in order, has a slope (what goes once up and down around
    the cell) and a saddle (what does so twice): the figure is the saddle's size less the slope's.
    Of equal cells, central ones come first.
    """
    potential = potentials(board, stones)
    value = {-BLACK: 1.0, -WHITE: -1.0} | dict(enumerate(potential))
    found = []
    for cell, stone in enumerate(stones):
        if not stone:
            around = [value[other] for other in _around(board, stones, cell)]
            found.append((cell, _harmonic(around, 2) - _harmonic(around, 1)))
    return sorted(found, key=lambda item: (-round(item[1], 9), _eccentricity(board, item[0])))


def _harmonic(values: Sequence[float], turns: int) -> float:
    """Return the size of what goes up and down some number of times around a cell."""
    return abs(sum(value * _TURNS[turns * k % 6] for k, value in enumerate(values)))


def _eccentricity(board: Board, cell: int) -> int:
    """Return the sum of the squared distances to all cells, on a lattice of hexagons."""
    assert board.lattice is not None
    x, y = board.lattice.places[cell]
    skew = 1 if (1, -1) in board.lattice.steps else -1
    return sum(
        (a - x) ** 2 + (b - y) ** 2 + skew * (a - x) * (b - y) for a, b in board.lattice.places
    )
