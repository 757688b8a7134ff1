"""Framings: how the cells of a board lie inside the triangle that is reduced.

A template of stones around the cells turns the goal of another game into that of Y [BT, figures 3
to 5, 8]: a colour that joins the three sides of the triangle has reached its goal on the board.  A
framing is plain data.

The triangle has the places (column, row) with column + row < size.  (c, r), (c, r+1) and (c+1, r)
are neighbours of each other.  The sides are column 0, row 0, and the places with column + row =
size - 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trivalent.core.board import Board

Place = tuple[int, int]
"""(column, row) in the triangle."""


@dataclass(frozen=True, slots=True)
class Framing:
    """The places of a board's cells in a triangle, and the stones of the template.

    Only the first ``columns`` columns and ``rows`` rows need to be stored.  Everything beyond them
    has the colour of the last one throughout, so it reduces to itself.
    """

    size: int
    """Length of a side of the triangle, in places."""
    columns: int
    rows: int
    places: tuple[Place, ...]
    """The place of each cell."""
    black: tuple[Place, ...] = ()
    """The black stones of the template."""
    white: tuple[Place, ...] = ()
    """The white stones of the template."""


def y_framing(size: int) -> Framing:
    """Return the framing of a Y board, row by row from its apex.  Y needs no template."""
    last = size - 1
    return Framing(
        size=size,
        columns=size,
        rows=size,
        places=tuple((last - y, x) for y in range(size) for x in range(y + 1)),
    )


def hex_framing(width: int, height: int) -> Framing:
    """Return the framing of a Hex board, row by row [BT, figure 3].

    A row of the board is a column of the triangle.  The column of black stones behind the bottom
    joins two sides of the triangle, and so does the row of white stones behind the right side.  The
    third side is where the board's opposite side lies, so each colour still has to reach its
    template from there.
    """
    return Framing(
        size=width + height - 1,
        columns=height + 1,
        rows=width + 1,
        places=tuple((y, x) for y in range(height) for x in range(width)),
        black=tuple((height, x) for x in range(width - 1)),
        white=tuple((y, width) for y in range(height - 1)),
    )


def hexagon_framing(side: int) -> Framing:
    """Return the framing of a hexagon in which Black joins three sides that don't touch.

    This is the goal of Unlur and Cross [BT, figure 4].  White stones fill the corners of the
    triangle outside the hexagon; White owns the triangle exactly if Black can't join the sides.
    The cells go column by column, ``side`` of them in the first.
    """
    size = 3 * side - 2
    triangle = [(c, r) for c in range(size) for r in range(size - c)]
    corners = [
        (c, r)
        for c, r in triangle
        if c + r < side - 1 or c >= size - side + 1 or r >= size - side + 1
    ]
    inside = set(triangle) - set(corners)
    return Framing(
        size=size,
        columns=size,
        rows=size,
        places=tuple(place for place in triangle if place in inside),
        white=tuple(corners),
    )


def corner_framing(size: int) -> Framing:
    """Return the framing of a triangle in which White joins a corner to the opposite side.

    See [BT, figure 5].  Three white stones connect the corner to two sides of the larger triangle;
    black stones keep every other cell away from them.  The cells go column by column, the corner
    first.
    """
    around = range(size + 2)
    return Framing(
        size=size + 2,
        columns=size + 2,
        rows=size + 2,
        places=tuple((c + 1, r + 1) for c in range(size) for r in range(size - c)),
        black=tuple((0, r) for r in around if r > 1) + tuple((c, 0) for c in around if c > 1),
        white=((0, 0), (0, 1), (1, 0)),
    )


def framing_of(board: Board) -> Framing:
    """Return the framing of a board.  Raise ValueError if it has none."""
    if board.framing is None:
        raise ValueError(f"{board} has no framing: its connections can't be found by reduction")
    return board.framing
