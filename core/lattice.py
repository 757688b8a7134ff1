"""The hexagonal lattice: where six-sided cells lie, whatever the board's own coordinates.

A place is (column, row).  The neighbours of a place, where a row is drawn half a cell further to
the right than the row above it::

        (0,-1) (1,-1)
    (-1,0)  cell   (1,0)
        (-1,1) (0,1)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Place = tuple[int, int]
"""(column, row) on the lattice."""

STEPS = ((0, -1), (1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0))
"""The steps to the neighbours, clockwise: consecutive neighbours touch each other."""


@dataclass(frozen=True, eq=False, slots=True)
class Lattice:
    """The cells of a board on the hexagonal lattice."""

    places: tuple[Place, ...]
    """The place of each cell.  Rows are those of the board; row 0 is the top one."""
    cells: dict[Place, int]
    """The cell at each place."""
    steps: tuple[Place, ...]
    """`STEPS`, but from the neighbour on that comes first in the board's lists."""
    border: dict[Place, int]
    """The places just outside the board, each with the number of the side that it lies behind."""

    def neighbours(self) -> tuple[tuple[int, ...], ...]:
        """Return the neighbours of each cell, clockwise."""
        return tuple(
            tuple(
                self.cells[place]
                for dx, dy in self.steps
                if (place := (x + dx, y + dy)) in self.cells
            )
            for x, y in self.places
        )


def make_lattice(
    places: Iterable[Place], side_behind: Callable[[int, int], int], first_step: int = 0
) -> Lattice:
    """Return the lattice of a board whose cells lie at these places.

    ``side_behind`` names the side that a place just outside the board lies behind.
    """
    places = tuple(places)
    cells = {place: cell for cell, place in enumerate(places)}
    around = ((x + dx, y + dy) for x, y in places for dx, dy in STEPS)
    border = {place: side_behind(*place) for place in around if place not in cells}
    return Lattice(places, cells, STEPS[first_step:] + STEPS[:first_step], border)
