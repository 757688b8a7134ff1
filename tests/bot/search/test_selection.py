"""The kernels of selection, compared with plain loops, on every instruction set.

Run as a program, this file prints the instruction set in use and how many moves it has compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pytest

from trivalent.bot.search._selection import choose, sample
from trivalent.core._isa import chosen

if TYPE_CHECKING:
    from instruction_sets import InstructionSet
    from numpy.typing import NDArray

COUNTS = (*range(1, 70), 120, 121, 361, 3969)
ONE = np.float32(1)


@dataclass
class Moves:
    """Attributes of moves as a search may have them."""

    visits: NDArray[np.uint32]
    value: NDArray[np.float32]
    mean: NDArray[np.float32]
    samples: NDArray[np.uint16]
    policy: NDArray[np.float32]
    proof: NDArray[np.int16]
    cell: NDArray[np.int16]

    def choose(self, rave: float, bonus: float, follow: float, puct: float = 0) -> int:
        return choose(
            self.visits, self.value, self.mean, self.samples, self.policy, self.proof,
            rave, bonus, follow, puct,
        )  # fmt: skip


def some_moves(rng: np.random.Generator, count: int) -> Moves:
    visits = rng.choice([0, 1, 2, 50, 1_000_000], count).astype(np.uint32)
    return Moves(
        visits,
        (visits * rng.random(count)).astype(np.float32),
        rng.random(count).astype(np.float32),
        rng.choice([1, 2, 40, 65534, 65535], count).astype(np.uint16),
        rng.random(count).astype(np.float32),
        rng.choice([0, 0, 0, -2], count).astype(np.int16),
        rng.permutation(2 * count)[:count].astype(np.int16),
    )


def plain_choice(moves: Moves, rave: float, bonus: float, follow: float, puct: float) -> int:
    best, at = np.float32(-1), -1
    weight, more_bonus, factor = np.float32(rave), np.float32(bonus), np.float32(follow)
    for i in range(len(moves.visits)):
        n, m = np.float32(moves.visits[i]), np.float32(moves.samples[i])
        more = ONE + weight * m
        score = (m * moves.mean[i] + more * moves.value[i]) / (m + more * n)
        score += (more_bonus + factor * moves.policy[i]) / np.sqrt(n + ONE)
        score += np.float32(puct) * moves.policy[i] / (n + ONE)
        if moves.proof[i] >= 0 and score > best:
            best, at = score, i
    return at


def compare(rng: np.random.Generator, count: int) -> None:
    moves = some_moves(rng, count)
    weights = [float(rng.choice([0, 0.05, 1000])), float(rng.choice([0, 0.1])), 1.0]
    weights.append(float(rng.choice([0, 30])))
    assert moves.choose(*weights) == plain_choice(moves, *weights)
    rates = rng.random(2 * count).astype(np.float32)
    rates[rng.random(2 * count) < 0.3] = np.nan
    means, samples = moves.mean.copy(), moves.samples.copy()
    for i, cell in enumerate(moves.cell):
        if not np.isnan(rates[cell]):
            samples[i] += samples[i] < 65535
            means[i] += (rates[cell] - means[i]) / np.float32(samples[i])
    sample(moves.mean, moves.samples, moves.cell, rates)
    assert moves.mean.tobytes() == means.tobytes()
    assert moves.samples.tobytes() == samples.tobytes()


def compare_all() -> int:
    rng = np.random.default_rng(3)
    for count in COUNTS:
        for _ in range(1 if count > 100 else 20):
            compare(rng, count)
    return sum(COUNTS)


def test_kernels_agree_with_plain_loops(isa: InstructionSet) -> None:
    assert isa.run(__file__).split() == [isa.name, str(sum(COUNTS))]


def test_the_first_of_equal_moves_is_chosen() -> None:
    moves = some_moves(np.random.default_rng(5), 40)
    for attribute in (moves.visits, moves.value, moves.mean, moves.policy, moves.proof):
        attribute[:] = 0
    moves.samples[:] = 7
    assert moves.choose(0.05, 0.1, 1.0) == 0
    moves.proof[:33] = -3
    assert moves.choose(0.05, 0.1, 1.0) == 33
    moves.proof[:] = -3
    assert moves.choose(0.05, 0.1, 1.0) == -1


def test_attributes_of_different_lengths_are_refused() -> None:
    moves = some_moves(np.random.default_rng(7), 5)
    rates = np.zeros(10, np.float32)
    with pytest.raises(ValueError, match="one element for each move"):
        sample(moves.mean[:4], moves.samples, moves.cell, rates)
    with pytest.raises(ValueError, match="no rate for cell"):
        sample(moves.mean, moves.samples, moves.cell, rates[: moves.cell.max()])
    moves.proof = moves.proof[:0]
    with pytest.raises(ValueError, match="one element for each move"):
        moves.choose(0.05, 0.1, 1.0)


if __name__ == "__main__":
    print(chosen(), compare_all())  # noqa: T201
