"""The geometry of the pictures in a report: boards, intervals, curves.  No colours, no markup."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trivalent.core.board import Board

_WIDTH = 17.32
_SIDE = 10.0
"""Of a cell: a hexagon with a corner on top."""
_CORNERS = (
    (0.0, -_SIDE),
    (_WIDTH / 2, -_SIDE / 2),
    (_WIDTH / 2, _SIDE / 2),
    (0.0, _SIDE),
    (-_WIDTH / 2, _SIDE / 2),
    (-_WIDTH / 2, -_SIDE / 2),
)
"""Clockwise from the top; the edge from one to the next lies towards a neighbour."""
_TOWARDS = {
    "hex": ((1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1)),
    "y": ((0, -1), (1, 0), (1, 1), (0, 1), (-1, 0), (-1, -1)),
}
"""The step to the neighbour behind each edge."""
_MARGIN = 22.0
"""Around the cells, for the names of rows and columns."""

CELL = " ".join(f"{x:.2f},{y:.2f}" for x, y in _CORNERS)
"""The corners of a cell whose centre is 0, as SVG has them."""


@dataclass(frozen=True, slots=True)
class Picture:
    """Where the parts of a board are drawn."""

    width: float
    height: float
    centres: tuple[tuple[float, float], ...]
    """Of the cells, by number."""
    edges: tuple[tuple[str, str], ...]
    """The outline by sides: whose it is (black, white, both), and its path."""
    labels: tuple[tuple[float, float, str], ...]
    """Names of columns and rows, with the middle of each."""


def picture(board: Board) -> Picture:
    """Return the drawing of a board."""
    lean = 0.5 if board.game == "hex" else -0.5
    raw = [((x + lean * y) * _WIDTH, y * 1.5 * _SIDE) for x, y in board.coordinates]
    left = min(x for x, _ in raw) - _WIDTH / 2 - _MARGIN
    centres = tuple((x - left, y + _SIDE + _MARGIN) for x, y in raw)
    width = max(x for x, _ in centres) + _WIDTH / 2 + _MARGIN
    height = max(y for _, y in centres) + _SIDE + _MARGIN
    return Picture(width, height, centres, _edges(board, centres), _labels(board, centres))


def _edges(board: Board, centres: Sequence[tuple[float, float]]) -> tuple[tuple[str, str], ...]:
    inside = set(board.coordinates)
    paths: dict[str, list[str]] = {}
    for cell, (x, y) in enumerate(board.coordinates):
        for number, (dx, dy) in enumerate(_TOWARDS[board.game]):
            if (x + dx, y + dy) in inside:
                continue
            side = _side(board, x, y, dx, dy)
            ends = (_CORNERS[number], _CORNERS[(number + 1) % 6])
            (x0, y0), (x1, y1) = ((centres[cell][0] + a, centres[cell][1] + b) for a, b in ends)
            paths.setdefault(side, []).append(f"M{x0:.1f} {y0:.1f}L{x1:.1f} {y1:.1f}")
    return tuple((owner, "".join(path)) for owner, path in sorted(paths.items()))


def _side(board: Board, x: int, y: int, dx: int, dy: int) -> str:
    """Return who owns the edge of a cell towards a neighbour that is not there."""
    if board.game == "y":
        return "both"
    if not 0 <= y + dy < board.height:
        return "black"
    return "white"


def _labels(
    board: Board, centres: Sequence[tuple[float, float]]
) -> tuple[tuple[float, float, str], ...]:
    """Put the letters above the first cell of a column (below in Y), the numbers at the left."""
    labels = []
    last = board.height - 1
    for cell, (x, y) in enumerate(board.coordinates):
        cx, cy = centres[cell]
        letters = board.names[cell].rstrip("0123456789")
        if y == (0 if board.game == "hex" else last):
            away = -1.7 * _SIDE if board.game == "hex" else 1.7 * _SIDE
            labels.append((cx + (-0.4 * away if board.game == "hex" else 0.0), cy + away, letters))
        if x == 0:
            labels.append((cx - _WIDTH, cy, str(y + 1)))
    return tuple(labels)


@dataclass(frozen=True, slots=True)
class Scale:
    """A linear scale from numbers to places, with round numbers to mark."""

    low: float
    high: float
    length: float
    marks: tuple[float, ...]

    def __call__(self, value: float) -> float:
        """Return the place of a value, or the end of the scale beyond which it lies."""
        inside = min(max(value, self.low), self.high)
        return (inside - self.low) / (self.high - self.low) * self.length


def scale(values: Iterable[float], length: float, marks: int = 5) -> Scale:
    """Return a scale on which all values have a place; some marks, at round numbers."""
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
    """Return the SVG path along points."""
    return "".join(f"{'L' if i else 'M'}{x:.1f} {y:.1f}" for i, (x, y) in enumerate(points))


def thinned(values: Sequence[float], most: int) -> list[tuple[int, float]]:
    """Return at most about so many values with their indices; of each stretch both extremes."""
    if len(values) <= most:
        return list(enumerate(values))
    stretch = math.ceil(2 * len(values) / most)
    kept = {0, len(values) - 1}
    for begin in range(0, len(values), stretch):
        part = range(begin, min(begin + stretch, len(values)))
        kept |= {min(part, key=values.__getitem__), max(part, key=values.__getitem__)}
    return [(i, values[i]) for i in sorted(kept)]
