"""Derive the seed of every engine in every game from the one seed of the plan.

A seed depends only on the names it's derived from, not on the order of play.  Any game can
therefore be replayed by itself, and an interrupted run continues as it would have gone on.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, TypeVar

from trivalent.core._random import Random

if TYPE_CHECKING:
    from collections.abc import Iterable

T = TypeVar("T")

SEEDS = 2**31
"""Seeds are below this limit, which every engine that takes a seed accepts."""


def seed_for(master: int, *names: str) -> int:
    """Return the seed, 0 <= seed < 2**31, derived from a master seed and some names."""
    # The lengths mark the boundaries: ("ab", "c") and ("a", "bc") give different seeds.
    text = f"{master}" + "".join(f"/{len(name)}:{name}" for name in names)
    return int.from_bytes(sha256(text.encode()).digest()[:8], "big") % SEEDS


def shuffled(items: Iterable[T], seed: int) -> list[T]:
    """Return the items in an order determined by the seed, the same in every Python version."""
    result = list(items)
    random = Random(seed)
    for last in range(len(result) - 1, 0, -1):
        other = random.below(last + 1)
        result[last], result[other] = result[other], result[last]
    return result
