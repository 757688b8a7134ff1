"""What bent Y and *Star have in common: cells in closed rings around a centre.

Each ring has the same number of sides.  The place of a cell is (ring, side, step): ring 0 is the
outermost, the sides go clockwise, and step 0 is the corner where a side begins.  A cell is named by
the letter of its ring and its number along it, so that the border is a1, a2, ...
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from itertools import accumulate
from math import atan2, cos, pi, sin, tau
from typing import TYPE_CHECKING

from trivalent.core.board import Side, Symmetry, column_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Point = tuple[float, float]


@dataclass(frozen=True)
class Rings:
    """The cells of a board in rings, numbered ring by ring from the border inwards."""

    sides: int
    """Sides of each ring."""
    steps: tuple[int, ...]
    """Cells along a side of each ring; 0 for a ring that is a single cell."""

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """The number of cells in each ring."""
        return tuple(max(1, self.sides * steps) for steps in self.steps)

    @cached_property
    def _starts(self) -> tuple[int, ...]:
        return (0, *accumulate(self.lengths))

    def __len__(self) -> int:
        return self._starts[-1]

    def cell(self, ring: int, side: int, step: int) -> int:
        """Return the cell at a place; steps beyond the side go on along the next one."""
        number = (side % self.sides * self.steps[ring] + step) % self.lengths[ring]
        return self._starts[ring] + number

    @property
    def coordinates(self) -> tuple[tuple[int, int], ...]:
        """(ring, number along it) of each cell, from 0."""
        return tuple(
            (ring, number) for ring, length in enumerate(self.lengths) for number in range(length)
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each cell."""
        return tuple(f"{column_name(ring)}{number + 1}" for ring, number in self.coordinates)

    def around(self, ring: int) -> list[tuple[int, int]]:
        """Return the edges along a ring."""
        first, length = self._starts[ring], self.lengths[ring]
        if length == 1:
            return []
        return [(first + i, first + (i + 1) % length) for i in range(length)]

    def inwards(self, ring: int) -> list[tuple[int, int]]:
        """Return the edges from a ring to the next one inside, whose sides are a step shorter.

        Step j of the inner ring touches steps j and j + 1 of the outer one; its corners also touch
        the last step of the side before.
        """
        edges = []
        for side in range(self.sides):
            for step in range(self.steps[ring + 1]):
                inner = self.cell(ring + 1, side, step)
                edges += [(inner, self.cell(ring, side, step + more)) for more in (0, 1)]
            edges.append((self.cell(ring + 1, side, 0), self.cell(ring, side, -1)))
        return edges

    def symmetries(self) -> tuple[Symmetry, ...]:
        """Return the rotations by whole sides, and those followed by a reflection."""
        found = []
        for mirrored in (False, True):
            for turn in range(self.sides):
                images = []
                for ring, number in self.coordinates:
                    length = self.lengths[ring]
                    turned = number + turn * self.steps[ring]
                    images.append(self._starts[ring] + (-turned if mirrored else turned) % length)
                found.append(Symmetry(tuple(images), swaps_colours=False))
        return tuple(found)

    def border(self, side: int) -> Side:
        """Return a side of the border, both corners included."""
        cells = tuple(self.cell(0, side, step) for step in range(self.steps[0] + 1))
        return Side(f"side {side + 1}", cells)

    def place(self, ring: int, number: int, core: float, height: float, depth: int) -> Point:
        """Return where a cell lies in the plane, y downwards.

        The ring ``depth`` is a regular polygon with corners at distance ``core``; the rings outside
        follow at distances of ``height``, and their corners become rounder.
        """
        steps = self.steps[ring]
        if not steps:
            return (0.0, 0.0)
        side, step = divmod(number, steps)
        out = depth - ring
        half = pi / self.sides
        # The angle from the middle of the side, where the polygon is straight and where it's round.
        straight = atan2((2 * step / steps - 1) * sin(half), cos(half))
        round_ = (2 * step / steps - 1) * half
        share = out / depth if depth else 0.0
        angle = straight + share * (round_ - straight)
        radius = core * cos(half) / cos(angle) + out * height
        return polar(radius, (2 * side + 1) * half + angle)


def polar(radius: float, angle: float) -> Point:
    """Return a point at a distance from 0, at an angle clockwise from the top, y downwards."""
    return (radius * sin(angle), -radius * cos(angle))


def clockwise(
    edges: Iterable[tuple[int, int]], layout: Sequence[Point]
) -> tuple[tuple[int, ...], ...]:
    """Return the neighbours of each cell, clockwise in the drawing and beginning at the top."""
    around: list[set[int]] = [set() for _ in layout]
    for one, other in edges:
        around[one].add(other)
        around[other].add(one)
    return tuple(
        tuple(sorted(cells, key=partial(_bearing, layout, here)))
        for here, cells in enumerate(around)
    )


def _bearing(layout: Sequence[Point], here: int, there: int) -> float:
    """Return the direction from one cell to another, clockwise from the top."""
    (x, y), (a, b) = layout[here], layout[there]
    return (atan2(a - x, y - b) + 1e-9) % tau
