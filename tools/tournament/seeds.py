"""Seeds: one number of the plan gives every engine of every game its own.

A seed depends on the names alone that it is for, never on the order of play, so that a game can be
played again by itself and a run goes on as it would have.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, TypeVar

from trivalent.core._random import Random

if TYPE_CHECKING:
    from collections.abc import Iterable

T = TypeVar("T")

SEEDS = 2**31
"""Seeds are below this: every engine that takes a seed takes these."""


def seed_for(master: int, *names: str) -> int:
    """Return the seed, 0 <= seed < 2**31, that a plan's seed gives to what has these names."""
    # Lengths keep the boundaries: ("ab", "c") is not ("a", "bc").
    text = f"{master}" + "".join(f"/{len(name)}:{name}" for name in names)
    return int.from_bytes(sha256(text.encode()).digest()[:8], "big") % SEEDS


def shuffled(items: Iterable[T], seed: int) -> list[T]:
    """Return the items in an order that the seed decides, the same in every version of Python."""
    result = list(items)
    random = Random(seed)
    for last in range(len(result) - 1, 0, -1):
        other = random.below(last + 1)
        result[last], result[other] = result[other], result[last]
    return result
