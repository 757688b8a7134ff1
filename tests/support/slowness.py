"""How to test on a slow machine: the environment variable TRIVALENT_TEST_SLOWNESS.

It says how many times slower than usual the machine is, 1 unless set.  Random repetitions are
divided by it and time limits multiplied.  .ci/arm64 sets it, because an emulated processor is slow.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SLOWNESS = float(os.environ.get("TRIVALENT_TEST_SLOWNESS", "1"))
if not 1 <= SLOWNESS < 1000:
    raise ValueError(f"TRIVALENT_TEST_SLOWNESS must be at least 1 and below 1000, not {SLOWNESS}")


def repeats(count: int, least: int = 1) -> int:
    """Return how many of ``count`` random repetitions to run: ``least`` of them or more."""
    return max(min(count, least), round(count / SLOWNESS))


def thinned(rows: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the rows to test: all of them, or some that are spread over all."""
    return rows[:: round(SLOWNESS)]


def patience(seconds: float) -> float:
    """Return after how many seconds a program that usually needs less than ``seconds`` hangs."""
    return seconds * SLOWNESS
