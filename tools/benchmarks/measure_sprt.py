"""Calibration of the SPRT: how often it decides wrongly, and after how many pairs.

Matches are simulated: every opening has a bias for Black, in log odds from a normal distribution,
and the two games of a pair are decided by the bias and the difference of the engines.  That
difference is chosen so that the mean score is exactly that of a hypothesis.
"""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from trivalent.tools.statistics.elo import score
from trivalent.tools.statistics.sprt import Sprt
from trivalent.tools.statistics.tails import bisect, normal_quantile

if TYPE_CHECKING:
    from collections.abc import Callable

BIASES = (0.0, 1.0, 2.5)
"""Standard deviations of the openings' bias in log odds; with the last, most pairs are split."""
HYPOTHESES = Sprt(0.0, 30.0)
SETS = 40
"""Sets by default: about a minute."""
QUICK_SETS = 2
"""Sets of a quick run: a few seconds."""
TESTS_PER_SET = 100

_BLOCK = 64
"""Pairs simulated at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SprtRow:
    """The results of the test while one hypothesis is true."""

    bias: float
    split: float
    """Share of split pairs."""
    truth: Literal["H0", "H1"]
    tests: int
    accepted_h1: float
    """Share of tests that accepted H1: alpha if H0 is true, the power if H1 is."""
    mean_pairs: float
    expected_pairs: float
    """Wald's approximation, which neglects the overshoot."""


@dataclass(frozen=True, slots=True)
class SprtPlan:
    """What to simulate.  A plan gives the same figures on every machine."""

    sprt: Sprt = HYPOTHESES
    biases: tuple[float, ...] = BIASES
    sets: int = SETS
    tests: int = TESTS_PER_SET
    """Tests per set, for each row."""
    seed: int = 1


def outcome_shares(bias: float, elo: float) -> tuple[float, float, float]:
    """Return the probabilities that a pair is lost, split and won.

    ``bias`` is the standard deviation of the openings' bias; the mean score over all openings is
    that of ``elo``.
    """
    openings = [bias * normal_quantile((i + 0.5) / 1000.0) for i in range(1000)]

    def shares(difference: float) -> tuple[float, float]:
        lost = won = 0.0
        for opening in openings:
            black = 1.0 / (1.0 + math.exp(-opening - difference))
            white = 1.0 / (1.0 + math.exp(opening - difference))
            lost += (1.0 - black) * (1.0 - white)
            won += black * white
        return lost / len(openings), won / len(openings)

    def excess(difference: float) -> float:
        lost, won = shares(difference)
        return 0.5 + (won - lost) / 2.0 - score(elo)

    lost, won = shares(bisect(excess, -20.0, 20.0, 1e-12))
    return lost, 1.0 - lost - won, won


def run_tests(
    sprt: Sprt, shares: tuple[float, float, float], tests: int, random: np.random.Generator
) -> tuple[int, int]:
    """Run a number of tests to their decision; return how many accepted H1, and the total pairs."""
    lower, upper = sprt.bounds
    outcomes = np.eye(3)
    counts = np.zeros((tests, 3))
    accepted = pairs = 0
    while len(counts):
        drawn = outcomes[random.choice(3, size=(len(counts), _BLOCK), p=shares)]
        path = counts[:, None, :] + drawn.cumsum(axis=1)
        llrs = sprt.llrs(path.reshape(-1, 3)).reshape(-1, _BLOCK)
        ended = (llrs <= lower) | (llrs >= upper)
        over = ended.any(axis=1)
        first = ended.argmax(axis=1)
        accepted += int((llrs[over, first[over]] >= upper).sum())
        pairs += int((first[over] + 1).sum()) + _BLOCK * int((~over).sum())
        counts = path[~over, -1]
    return accepted, pairs


def measure_sprt(
    plan: SprtPlan, on_set: Callable[[], None] = lambda: None
) -> tuple[list[SprtRow], str]:
    """Carry out a plan; return the rows and their checksum as a signature.

    Call ``on_set`` after each set of each row.
    """
    rows = []
    for number, bias in enumerate(plan.biases):
        truths: tuple[tuple[Literal["H0", "H1"], float], ...] = (
            ("H0", plan.sprt.elo0),
            ("H1", plan.sprt.elo1),
        )
        for truth, elo in truths:
            random = np.random.default_rng((plan.seed, number, truth == "H1"))
            shares = outcome_shares(bias, elo)
            accepted = pairs = 0
            for _ in range(plan.sets):
                more, length = run_tests(plan.sprt, shares, plan.tests, random)
                accepted, pairs = accepted + more, pairs + length
                on_set()
            tests = plan.sets * plan.tests
            rows.append(
                SprtRow(
                    bias=bias,
                    split=shares[1],
                    truth=truth,
                    tests=tests,
                    accepted_h1=accepted / tests,
                    mean_pairs=pairs / tests,
                    expected_pairs=plan.sprt.expected_pairs(elo, shares[1]),
                )
            )
    text = " ".join(f"{row.accepted_h1:.6f} {row.mean_pairs:.3f}" for row in rows)
    return rows, f"{zlib.crc32(text.encode()):08x}"
