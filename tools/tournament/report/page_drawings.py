"""Geometry of the drawings in a report: scales and curves.  No colours, no markup."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


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
