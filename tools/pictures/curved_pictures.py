"""Drawings of boards without rows: rings in the plane, and the sphere as two hemispheres.

A cell is drawn around its centre, up to the middles of the triangles that it forms with its
neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import atan2, cos, hypot, pi, sin, sqrt
from typing import TYPE_CHECKING

from trivalent.core.board import Aim

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trivalent.core.board import Board

Point = tuple[float, float]
Vector = tuple[float, float, float]

WIDTH = 17.32
"""Usual distance of neighbouring cells in a drawing."""
MARGIN = 22.0
"""Space around the cells for the names of rows and columns."""
_RIM = 0.62  # width of the border cells beyond their centres, in cells
_POINT = 0.35  # by how much the corners of the board stick out beyond that
_GLOBE_MARGIN = 6.0
_LEVEL = 1e-6  # polygons so near the equator lie on it
_HUB = 0.45  # size of the star in the middle of *Star, relative to its inner ring


@dataclass(frozen=True, slots=True)
class Picture:
    """Positions of the parts of a board."""

    width: float
    height: float
    centres: tuple[tuple[Point, ...], ...]
    """For each cell, where its stone is drawn: once, or for a pair of antipodes several times."""
    outlines: tuple[str, ...]
    """The outline of each cell, as an SVG path around all its centres."""
    edges: tuple[tuple[str, str], ...]
    """Outline of each side: its owner (black, white or both) and SVG path."""
    labels: tuple[tuple[float, float, str], ...]
    """Centre and text of the names of columns and rows, or of corners."""
    names: tuple[tuple[float, float, str], ...] = ()
    """Centre and text of names to write into the cells, where columns and rows don't tell them."""


def outline(points: Sequence[Point]) -> str:
    """Return the closed SVG path through points."""
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points) + "Z"


def rings_picture(board: Board) -> Picture:
    """Return the drawing of a board of rings, with a smooth border."""
    assert board.layout is not None
    points: list[Point] = [(x, y) for ((x, y),) in board.layout]
    border = {cell for side in board.sides for cell in side.cells}
    around = [_beside(board, cell, border) for cell in range(len(board))]
    tips = [
        _outwards(point, _RIM + (_POINT if len(cells) == 3 else 0)) if cell in border else point
        for cell, (point, cells) in enumerate(zip(points, around, strict=True))
    ]
    left = min(x for x, _ in points)
    top = min(y for _, y in points)
    right = max(x for x, _ in points)
    bottom = max(y for _, y in points)

    def at(point: Point) -> Point:
        return (
            (point[0] - left + _RIM) * WIDTH + MARGIN,
            (point[1] - top + _RIM) * WIDTH + MARGIN,
        )

    outlines = []
    rim: list[tuple[Point, Point, Point]] = []
    for cell, cells in enumerate(around):
        path = ""
        for one, other in zip(cells, (*cells[1:], cells[0]), strict=True):
            if other in board.neighbours[one] and other not in _across(board, one):
                corners = [_middle(points[cell], points[one], points[other])]
            else:
                corners = [
                    _middle(tips[cell], tips[end])
                    if cell in border
                    else _hub_corner(points[cell], points[end])
                    for end in (one, other)
                ]
            x, y = at(corners[0])
            path += f"{'L' if path else 'M'}{x:.1f} {y:.1f}"
            if len(corners) > 1 and cell in border:
                rim.append((corners[0], tips[cell], corners[1]))
                path += _bend(at(tips[cell]), at(corners[1]))
            elif len(corners) > 1:
                x, y = at(corners[1])
                path += f"L{x:.1f} {y:.1f}"
        outlines.append(path + "Z")
    centres = [at(point) for point in points]
    labelled = {side.cells[0] for side in board.sides} | {*board.corners}
    return Picture(
        width=(right - left + 2 * _RIM) * WIDTH + 2 * MARGIN,
        height=(bottom - top + 2 * _RIM) * WIDTH + 2 * MARGIN,
        centres=tuple((centre,) for centre in centres),
        outlines=tuple(outlines),
        edges=(("both", "".join(_arc(*map(at, ends)) for ends in rim)),),
        labels=tuple(
            (*at(_outwards(tips[cell], 0.5)), board.names[cell]) for cell in sorted(labelled)
        ),
        names=tuple((x, y, name) for (x, y), name in zip(centres, board.names, strict=True)),
    )


def _beside(board: Board, cell: int, border: set[int]) -> tuple[int, ...]:
    """Return the neighbours of a cell in the drawing, clockwise; the gap, if any, is at the end."""
    cells = tuple(c for c in board.neighbours[cell] if c not in _across(board, cell))
    inner = board.aim is Aim.SCORE and cell >= len(board) - 5
    if cell not in border and not inner:
        return cells
    for shift in range(len(cells)):
        turned = cells[shift:] + cells[:shift]
        first, last = turned[0], turned[-1]
        if last not in board.neighbours[first] or (inner and {first, last} <= _hub(board)):
            return turned
    return cells


def _hub(board: Board) -> set[int]:
    """Return the inner ring of *Star."""
    return set(range(len(board) - 5, len(board))) if board.aim is Aim.SCORE else set()


def _across(board: Board, cell: int) -> set[int]:
    """Return the cells of the inner ring of *Star that aren't next to this one along the ring."""
    hub = _hub(board)
    if cell not in hub:
        return set()
    first = len(board) - 5
    return {first + (cell - first + more) % 5 for more in (2, 3)}


def _middle(*points: Point) -> Point:
    return (
        sum(x for x, _ in points) / len(points),
        sum(y for _, y in points) / len(points),
    )


def _hub_corner(here: Point, there: Point) -> Point:
    """Return where two cells of the inner ring of *Star meet at the star."""
    x, y = _middle(here, there)
    return _HUB * x, _HUB * y


def _outwards(point: Point, by: float) -> Point:
    far = 1 + by / hypot(*point)
    return point[0] * far, point[1] * far


def _bend(towards: Point, end: Point) -> str:
    """Return the piece of an SVG path that bends towards a point on its way to another one.

    Pieces that meet in the middle between two such points go on smoothly: a quadratic spline.
    """
    return f"Q{towards[0]:.1f} {towards[1]:.1f} {end[0]:.1f} {end[1]:.1f}"


def _arc(begin: Point, towards: Point, end: Point) -> str:
    return f"M{begin[0]:.1f} {begin[1]:.1f}{_bend(towards, end)}"


@dataclass(frozen=True, slots=True)
class _Polygon:
    """A polygon of the sphere."""

    cell: int
    name: str
    centre: Vector
    corners: tuple[Vector, ...]


def globe_picture(board: Board) -> Picture:
    """Return the drawing of a sphere: its hemispheres, seen from outside, touch at the meridian.

    Polygons on the equator are drawn on both.  The projection keeps areas.
    """
    radius = 1.06 * sqrt((len(board) + 1) * WIDTH**2 * sqrt(3) / 2 / pi)  # cells differ in size
    polygons = list(_polygons(board))
    # Polygons that lie across the equator stick out.
    reach = max(
        hypot(*_projected(corner, south=False))
        for polygon in polygons
        if polygon.centre[2] > -_LEVEL
        for corner in polygon.corners
    )
    half = reach * radius + _GLOBE_MARGIN
    centres: list[list[Point]] = [[] for _ in range(len(board))]
    outlines = [""] * len(board)
    names = []
    for polygon in polygons:
        for south in (False, True):
            if (-1 if south else 1) * polygon.centre[2] < -_LEVEL:
                continue

            def at(vector: Vector, south: bool = south) -> Point:  # noqa: FBT001
                x, y = _projected(vector, south=south)
                return (3 if south else 1) * half + radius * x, half + radius * y

            centre = at(polygon.centre)
            centres[polygon.cell].append(centre)
            outlines[polygon.cell] += outline([at(corner) for corner in polygon.corners])
            names.append((*centre, polygon.name))
    return Picture(
        width=4 * half,
        height=2 * half,
        centres=tuple(map(tuple, centres)),
        outlines=tuple(outlines),
        edges=(),
        labels=(),
        names=tuple(names),
    )


def _projected(vector: Vector, *, south: bool) -> Point:
    """Return the equal-area projection of a point, the equator being the unit circle."""
    x, y, z = vector
    far = sqrt(max(0.0, 1 - (-z if south else z)))
    longitude = atan2(y, x)
    return (-far if south else far) * cos(longitude), -far * sin(longitude)


def _polygons(board: Board) -> Iterator[_Polygon]:
    assert board.layout is not None
    by_place = {}
    for name, cell in board.all_names.items():
        by_place[cell, name != board.names[cell]] = name
    for cell, around in enumerate(board.neighbours):
        for sheet in (False, True):
            here = board.layout[cell][sheet]
            beside = [board.layout[c][sheet ^ ((cell, c) in board.twisted)] for c in around]
            corners = [
                _unit(here, one, other)
                for one, other in zip(beside, (*beside[1:], beside[0]), strict=True)
            ]
            yield _Polygon(cell, by_place[cell, sheet], here, tuple(corners))  # type: ignore[arg-type]


def _unit(*vectors: tuple[float, ...]) -> Vector:
    """Return the point of the sphere in the middle of some others."""
    x, y, z = (sum(vector[axis] for vector in vectors) for axis in range(3))
    length = sqrt(x * x + y * y + z * z)
    return x / length, y / length, z / length
