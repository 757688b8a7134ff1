"""From the value that a search finds to a chance of winning.

The value of a search is not a frequency: it says less than it could in positions that are all but
decided, and it leans towards one side of the move.  Logistic regression on games of the player
against itself corrects both; see tools/review/README.md for the data, and for a table that compares
the chances with what became of the positions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Calibration:
    """How to read the values of searches in one game."""

    lean: float
    """What to add to the logit of a value of the side to move."""
    slope: float
    """What to multiply the logit with before."""
    noise: float
    """Standard deviation of the difference between the chance before a search's own move and the
    chance after it, by the next search."""

    def chance(self, value: float) -> float:
        """Return the side to move's chance of winning, given the value of a search."""
        inside = min(max(value, _LEAST), 1 - _LEAST)
        logit = self.lean + self.slope * math.log(inside / (1 - inside))
        return 1 / (1 + math.exp(-logit))


_LEAST = 1e-4
"""The least value that is told from a proven loss."""

CALIBRATIONS = {
    "hex": Calibration(lean=-0.071, slope=2.103, noise=0.035),
    "y": Calibration(lean=-0.144, slope=3.272, noise=0.044),
}
"""The calibrations of the games."""
