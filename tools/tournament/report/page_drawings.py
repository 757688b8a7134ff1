"""Geometry of the drawings in a report: boards, scales, curves.  No colours, no markup."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trivalent.core.board import Colour
from trivalent.core.games import GAMES
from trivalent.core.lattice import STEPS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trivalent.core.board import Board
    from trivalent.core.lattice import Lattice

_WIDTH = 17.32
_SIDE = 10.0
"""Side of a cell, which is a hexagon with a corner on top."""
_CORNERS = (
    (0.0, -_SIDE),
    (_WIDTH / 2, -_SIDE / 2),
    (_WIDTH / 2, _SIDE / 2),
    (0.0, _SIDE),
    (-_WIDTH / 2, _SIDE / 2),
    (-_WIDTH / 2, -_SIDE / 2),
)
"""Clockwise from the top; the edge from one to the next lies towards a neighbour."""
_TOWARDS = (*STEPS[1:], STEPS[0])
"""The step to the neighbour behind each edge."""
_MARGIN = 22.0
"""Space around the cells for the names of rows and columns."""

CELL = " ".join(f"{x:.2f},{y:.2f}" for x, y in _CORNERS)
"""Corners of a cell centred on 0, in SVG notation."""


@dataclass(frozen=True, slots=True)
class Picture:
    """Positions of the parts of a board."""

    width: float
    height: float
    centres: tuple[tuple[float, float], ...]
    """Centres of the cells, by cell number."""
    edges: tuple[tuple[str, str], ...]
    """Outline of each side: its owner (black, white or both) and SVG path."""
    labels: tuple[tuple[float, float, str], ...]
    """Centre and text of the names of columns and rows."""


def picture(board: Board) -> Picture:
    """Return the drawing of a board.  Raise ValueError if its cells are not on a lattice."""
    lattice = board.lattice
    if lattice is None:
        raise ValueError(f"there is no picture of {board}")
    raw = [((x + 0.5 * y) * _WIDTH, y * 1.5 * _SIDE) for x, y in lattice.places]
    left = min(x for x, _ in raw) - _WIDTH / 2 - _MARGIN
    centres = tuple((x - left, y + _SIDE + _MARGIN) for x, y in raw)
    width = max(x for x, _ in centres) + _WIDTH / 2 + _MARGIN
    height = max(y for _, y in centres) + _SIDE + _MARGIN
    edges = _edges(board, lattice, centres)
    return Picture(width, height, centres, edges, _labels(board, centres))


def _edges(
    board: Board, lattice: Lattice, centres: Sequence[tuple[float, float]]
) -> tuple[tuple[str, str], ...]:
    paths: dict[str, list[str]] = {}
    for cell, (x, y) in enumerate(lattice.places):
        for number, (dx, dy) in enumerate(_TOWARDS):
            side = lattice.border.get((x + dx, y + dy))
            if side is None:
                continue
            ends = (_CORNERS[number], _CORNERS[(number + 1) % 6])
            (x0, y0), (x1, y1) = ((centres[cell][0] + a, centres[cell][1] + b) for a, b in ends)
            paths.setdefault(_owner(board, side), []).append(
                f"M{x0:.1f} {y0:.1f}L{x1:.1f} {y1:.1f}"
            )
    return tuple((owner, "".join(path)) for owner, path in sorted(paths.items()))


def _owner(board: Board, side: int) -> str:
    """Return whose goal a side belongs to."""
    owners = [str(colour) for colour in Colour if side in board.goal(colour)]
    return owners[0] if len(owners) == 1 else "both"


def _labels(
    board: Board, centres: Sequence[tuple[float, float]]
) -> tuple[tuple[float, float, str], ...]:
    """Put the letters above a rhombus and below a triangle, the numbers at the left."""
    labels = []
    above = GAMES[board.game].drawing == "rhombus"
    row, away = (0, -1.7 * _SIDE) if above else (board.height - 1, 1.7 * _SIDE)
    for cell, (x, y) in enumerate(board.coordinates):
        cx, cy = centres[cell]
        letters = board.names[cell].rstrip("0123456789")
        if y == row:
            labels.append((cx - 0.4 * away if above else cx, cy + away, letters))
        if x == 0:
            labels.append((cx - _WIDTH, cy, str(y + 1)))
    return tuple(labels)


@dataclass(frozen=True, slots=True)
class Scale:
    """A linear scale from numbers to positions, with ticks at round numbers."""

    low: float
    high: float
    length: float
    marks: tuple[float, ...]

    def __call__(self, value: float) -> float:
        """Return the position of a value; values outside are moved to the nearest end."""
        inside = min(max(value, self.low), self.high)
        return (inside - self.low) / (self.high - self.low) * self.length


def scale(values: Iterable[float], length: float, marks: int = 5) -> Scale:
    """Return a scale that contains all values, with about `marks` ticks at round numbers."""
    known = list(values) or [0.0]
    low, high = min(known), max(known)
    if high - low < 1e-9:
        low, high = low - 1.0, high + 1.0
    rough = (high - low) / marks
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(nice * power for nice in (1.0, 2.0, 5.0, 10.0) if nice * power >= rough * 0.999)
    low, high = math.floor(low / step) * step, math.ceil(high / step) * step
    count = round((high - low) / step)
    return Scale(low, high, length, tuple(low + step * i for i in range(count + 1)))


def path(points: Iterable[tuple[float, float]]) -> str:
    """Return the SVG path through points."""
    return "".join(f"{'L' if i else 'M'}{x:.1f} {y:.1f}" for i, (x, y) in enumerate(points))


def thinned(values: Sequence[float], max_values: int) -> list[tuple[int, float]]:
    """Return about `max_values` of the values, with indices; keep the extremes of each stretch."""
    if len(values) <= max_values:
        return list(enumerate(values))
    stretch = math.ceil(2 * len(values) / max_values)
    kept = {0, len(values) - 1}
    for begin in range(0, len(values), stretch):
        part = range(begin, min(begin + stretch, len(values)))
        kept |= {min(part, key=values.__getitem__), max(part, key=values.__getitem__)}
    return [(i, values[i]) for i in sorted(kept)]
