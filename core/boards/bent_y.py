"""Bent Y: Y on a board whose middle is a triangle and whose border is almost round.

A regular triangle of side s is surrounded by s - 1 rings.  Its corners are the only cells with five
neighbours; they spread the middle of the board out, so that it decides less than in the regular
triangle.  Either colour wins by joining all three sides of the board with one chain; the corners of
the board belong to two sides each.  See [RP], and C. Schensted and C. Titus, *Mudcrack Y & Poly-Y*.
"""

from __future__ import annotations

from functools import lru_cache
from math import sqrt

from trivalent.core.board import Board
from trivalent.core.boards.rings import Rings, clockwise
from trivalent.core.connection.incremental import chain_test

MIN_SIZE, MAX_SIZE = 2, 17  # the names of cells have numbers of two digits
_HEIGHT = 1.0


def bent_y_board(size: int) -> Board:
    """Return the bent Y board around a triangle with that many cells to a side.

    Sizes 2 to 7 have 9, 27, 55, 93, 141 and 199 cells.  Raise ValueError unless the size is 2 to
    17.
    """
    return _bent_y_board(size)


@lru_cache(maxsize=16)
def _bent_y_board(size: int) -> Board:
    if not MIN_SIZE <= size <= MAX_SIZE:
        raise ValueError(f"size must be {MIN_SIZE} to {MAX_SIZE}, not {size}")
    last = size - 1
    # The triangle has rings of its own: triangles whose sides are three cells shorter each time.
    rings = Rings(3, (*range(2 * last, last, -1), *range(last, -1, -3)))
    edges = [edge for ring in range(len(rings.steps)) for edge in rings.around(ring)]
    edges += [edge for ring in range(last) for edge in rings.inwards(ring)]
    edges += _within_triangle(rings, last)
    layout = tuple(
        rings.place(ring, number, last / sqrt(3), _HEIGHT, last)
        if ring <= last
        else rings.place(ring, number, rings.steps[ring] / sqrt(3), 0.0, ring)
        for ring, number in rings.coordinates
    )
    names = rings.names
    symmetries = rings.symmetries()
    return Board(
        game="bent-y",
        title=f"Bent Y {size}",
        width=size,
        height=size,
        coordinates=rings.coordinates,
        neighbours=clockwise(edges, layout),
        sides=tuple(rings.border(side) for side in range(3)),
        goals=((0, 1, 2), (0, 1, 2)),
        symmetries=symmetries,
        swap_map=symmetries[0].cells,
        framing=None,
        lattice=None,
        names=names,
        layout=tuple((point,) for point in layout),
        _cells={name: cell for cell, name in enumerate(names)},
        _win_test=chain_test,
        _made_by=(bent_y_board, (size,)),
    )


def _within_triangle(rings: Rings, outer: int) -> list[tuple[int, int]]:
    """Return the edges between the rings of the triangle, of which ``outer`` is the first."""
    places: dict[tuple[int, ...], int] = {}  # by the distances from the three sides
    for ring in range(outer, len(rings.steps)):
        steps, depth = rings.steps[ring], ring - outer
        for side in range(3):
            for step in range(max(1, steps)):
                distances = [depth] * 3
                distances[side] += steps - step
                distances[(side + 1) % 3] += step
                places[tuple(distances)] = rings.cell(ring, side, step)
    edges = []
    for place, cell in places.items():
        for up in range(3):
            for down in range(3):
                beside = list(place)
                beside[up] += 1
                beside[down] -= 1
                other = places.get(tuple(beside))
                if other is not None and up != down:
                    edges.append((cell, other))
    return edges
