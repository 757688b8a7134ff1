"""Geometry of drawn boards, for reports and SVG.  No colours, no markup."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trivalent.core.board import Colour
from trivalent.core.games import GAMES
from trivalent.core.lattice import STEPS
from trivalent.tools.pictures.curved_pictures import (
    MARGIN,
    WIDTH,
    Picture,
    globe_picture,
    outline,
    rings_picture,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trivalent.core.board import Board
    from trivalent.core.lattice import Lattice

_SIDE = 10.0
"""Side of a cell, which is a hexagon with a corner on top."""
_CORNERS = (
    (0.0, -_SIDE),
    (WIDTH / 2, -_SIDE / 2),
    (WIDTH / 2, _SIDE / 2),
    (0.0, _SIDE),
    (-WIDTH / 2, _SIDE / 2),
    (-WIDTH / 2, -_SIDE / 2),
)
"""Clockwise from the top; the edge from one to the next lies towards a neighbour."""
_TOWARDS = (*STEPS[1:], STEPS[0])
"""The step to the neighbour behind each edge."""


def picture(board: Board) -> Picture:
    """Return the drawing of a board."""
    drawing = GAMES[board.game].drawing
    if drawing == "rings":
        return rings_picture(board)
    if drawing == "globe":
        return globe_picture(board)
    lattice = board.lattice
    assert lattice is not None
    raw = [((x + 0.5 * y) * WIDTH, y * 1.5 * _SIDE) for x, y in lattice.places]
    left = min(x for x, _ in raw) - WIDTH / 2 - MARGIN
    centres = tuple((x - left, y + _SIDE + MARGIN) for x, y in raw)
    width = max(x for x, _ in centres) + WIDTH / 2 + MARGIN
    height = max(y for _, y in centres) + _SIDE + MARGIN
    edges = _edges(board, lattice, centres)
    return Picture(
        width=width,
        height=height,
        centres=tuple((centre,) for centre in centres),
        outlines=tuple(outline([(x + a, y + b) for a, b in _CORNERS]) for x, y in centres),
        edges=edges,
        labels=_labels(board, centres),
    )


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
            labels.append((cx - WIDTH, cy, str(y + 1)))
    return tuple(labels)
