"""Sequential probability ratio test (SPRT) of two Elo hypotheses, pair by pair.

The statistic is the exact generalized likelihood ratio (GSPRT, as in Fishtest): under each
hypothesis the outcomes have the maximum-likelihood distribution with the mean of the hypothesis.
It's calibrated however strongly openings decide games.  Over single games the test would need
twice as many games where openings are decisive.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from trivalent.tools.statistics.elo import NORMALIZED_ELO_PER_SIGMA, score
from trivalent.tools.statistics.pairs import Pairs, pair_variance

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

Decision = Literal["", "H0", "H1"]
"""Undecided; H0 (elo0) accepted; H1 (elo1) accepted."""
Model = Literal["logistic", "normalized"]
"""The unit of elo0 and elo1: (logistic) Elo, or normalized Elo."""

MODELS: tuple[Model, ...] = get_args(Model)

MAX_ELO = 1000.0
"""Maximum absolute value of elo0 and elo1: a score of 99.7 %.  More can't be measured."""

MIN_GAP = 0.01
"""Minimum distance between elo0 and elo1."""

_RATIO_STEP = 0.4
_INSIDE = 1.0 - 1e-13
"""Keeps a search away from the poles at both ends, where rounding errors would divide by zero."""
_UNSEEN = 0.001
"""Count given to an outcome that has not occurred, so that the distribution always exists."""


@dataclass(frozen=True, slots=True)
class Sprt:
    """The hypotheses and error rates of a test, fixed before the first game.

    Raise ValueError for numbers that don't define a test.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    """Probability of accepting elo1 if elo0 is true (false positive)."""
    beta: float = 0.05
    """Probability of accepting elo0 if elo1 is true (false negative)."""
    model: Model = "logistic"

    def __post_init__(self) -> None:
        if self.model not in MODELS:
            raise ValueError(f"model must be {' or '.join(MODELS)}, not {self.model!r}")
        for name in ("elo0", "elo1"):
            value = getattr(self, name)
            if not -MAX_ELO <= value <= MAX_ELO:
                raise ValueError(f"{name} must be -{MAX_ELO:g} to {MAX_ELO:g}, not {value}")
        if not self.elo1 - self.elo0 >= MIN_GAP:
            raise ValueError(
                f"elo1 ({self.elo1:g}) must be at least {MIN_GAP:g} above elo0 ({self.elo0:g})"
            )
        for name in ("alpha", "beta"):
            value = getattr(self, name)
            if not 0.0 < value < 0.5:
                raise ValueError(f"{name} must be between 0 and 0.5, not {value}")

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios (LLR) at which elo0 and elo1 are accepted."""
        return (
            math.log(self.beta / (1.0 - self.alpha)),
            math.log((1.0 - self.beta) / self.alpha),
        )

    def llr(self, counts: Sequence[float]) -> float:
        """Return the log-likelihood ratio of elo1 to elo0 for counts of equally spaced scores.

        Three counts are pairs, as in `Pairs.counts`.  Return 0 for an empty sample.
        """
        if not any(counts):
            return 0.0
        return float(self.llrs(np.asarray([counts], dtype=np.float64))[0])

    def llrs(self, counts: Floats, games: int = 2) -> Floats:
        """Return the LLR of many samples: ``counts`` has a row for each, none of them empty.

        ``games`` is the number of games per unit, on which normalized Elo depends.
        """
        counts = np.where(counts == 0.0, _UNSEEN, counts)
        total = counts.sum(axis=1)
        shares = counts / total[:, None]
        values = np.linspace(0.0, 1.0, counts.shape[1])
        if self.model == "logistic":
            log0, log1 = (_with_mean(shares, values, score(e)) for e in (self.elo0, self.elo1))
        else:
            log0, log1 = (
                _with_ratio(shares, values, math.sqrt(games) * e / NORMALIZED_ELO_PER_SIGMA)
                for e in (self.elo0, self.elo1)
            )
        ratios: Floats = total * (shares * (log1 - log0)).sum(axis=1)
        return ratios

    def mean_score(self, elo: float, split: float = 0.5) -> float:
        """Return the mean score that an Elo difference in the unit of the test stands for.

        With normalized Elo it depends on the share of split pairs.
        """
        if self.model == "logistic":
            return score(elo)
        ratio = math.sqrt(2.0) * abs(elo) / NORMALIZED_ELO_PER_SIGMA
        low, high = 0.5, 1.0
        for _ in range(50):  # the ratio grows with the mean
            mean = (low + high) / 2.0
            if mean - 0.5 < ratio * math.sqrt(pair_variance(mean, split)):
                low = mean
            else:
                high = mean
        return low if elo > 0.0 else 1.0 - low

    def expected_pairs(self, elo: float, split: float = 0.5) -> float:
        """Return the expected number of pairs until the decision at a true Elo (Wald).

        ``split`` is the share of split pairs.  The overshoot of the last pair is neglected.
        """
        mean = score(elo)
        variance = max(pair_variance(mean, split), 1e-9)
        s0, s1 = self.mean_score(self.elo0, split), self.mean_score(self.elo1, split)
        drift = (mean - (s0 + s1) / 2.0) * (s1 - s0) / variance
        spread = (s1 - s0) ** 2 / variance
        lower, upper = self.bounds
        pull = 2.0 * drift / spread
        if abs(pull * max(upper, -lower)) < 1e-6:
            return -lower * upper / spread
        # Wald's probability of ending at the upper bound; all exponents are negative or zero.
        if pull > 0.0:
            up = math.expm1(pull * lower) / math.expm1(pull * (lower - upper))
        else:
            away = math.expm1(pull * (upper - lower))
            up = (math.exp(pull * (upper - lower)) - math.exp(pull * upper)) / away
        return (up * upper + (1.0 - up) * lower) / drift


def _with_mean(shares: Floats, values: Floats, mean: float) -> Floats:
    """Return ln(q / p) for the maximum-likelihood distributions q with a mean, by rows of p."""
    return _tilted(shares, np.broadcast_to(values - mean, shares.shape))


def _with_ratio(shares: Floats, values: Floats, ratio: float) -> Floats:
    """Return ln(q / p) for the maximum-likelihood q whose mean is 1/2 + ratio * deviation."""
    guess = np.full_like(shares, 1.0 / len(values))
    # The iteration converges from the solution for a ratio nearby.
    steps = max(1, math.ceil(abs(ratio) / _RATIO_STEP))
    for step in range(1, steps + 1):
        for _ in range(10):  # each iteration reduces the error about a hundredfold
            mean = guess @ values
            deviation = np.sqrt(((values - mean[:, None]) ** 2 * guess).sum(axis=1))
            standard = (values - mean[:, None]) / deviation[:, None]
            weight = ratio * step / steps * deviation / 2.0
            constraint = values - 0.5 - weight[:, None] * (1.0 + standard**2)
            logs = _tilted(shares, constraint)
            guess = shares * np.exp(logs)
    return logs


def _tilted(shares: Floats, constraint: Floats) -> Floats:
    """Return -ln(1 + t f) with t such that the constraint f has mean 0 under p / (1 + t f).

    f must have both signs in every row.  The mean decreases from one pole to the other; multiplied
    by the distance from both poles it's nearly linear, so Newton's method takes few steps.
    """
    least, most = constraint.min(axis=1), constraint.max(axis=1)
    low, high = -_INSIDE / most, -_INSIDE / least
    width = high - low
    t = np.zeros_like(low)
    for _ in range(100):
        ratio = constraint / (1.0 + t[:, None] * constraint)
        mean = np.einsum("ij,ij->i", shares, ratio)
        slope = -np.einsum("ij,ij,ij->i", shares, ratio, ratio)
        poles = (1.0 + t * least) * (1.0 + t * most)
        value = mean * poles
        low = np.where(value >= 0.0, t, low)
        high = np.where(value <= 0.0, t, high)
        step = value / (slope * poles + mean * (least + most + 2.0 * t * least * most))
        newton = t - step
        inside = (low < newton) & (newton < high)
        following = np.where(inside | (low == high), newton, (low + high) / 2.0)
        following = np.clip(following, low, high)
        moved = np.abs(following - t)
        t = following
        if (moved <= 1e-15 * width).all():
            break
    logs: Floats = -np.log1p(t[:, None] * constraint)
    return logs


class Trial:
    """A running test: takes pairs as they are completed, and keeps its first decision.

    Pairs completed after the decision, from games in progress, are counted separately: including
    them would invalidate the error rates.
    """

    def __init__(self, sprt: Sprt) -> None:
        self.sprt = sprt
        self.pairs = Pairs()
        """The pairs that the decision is based on."""
        self.late = Pairs()
        self.decision: Decision = ""
        self.curve: list[float] = []
        """The LLR after each pair."""

    @property
    def llr(self) -> float:
        """The current LLR, or that of the decision."""
        return self.curve[-1] if self.curve else 0.0

    def add(self, wins: int) -> Decision:
        """Add a completed pair, of which the engine under test won 0, 1 or 2 games."""
        return self.extend([wins])

    def extend(self, wins: Sequence[int]) -> Decision:
        """Add pairs in the order of completion; return the decision so far."""
        steps = np.eye(3)[np.asarray(wins, dtype=np.intp)]
        counted = 0
        if not self.decision and len(wins):
            llrs = self.sprt.llrs(np.cumsum(steps, axis=0) + np.asarray(self.pairs.counts))
            lower, upper = self.sprt.bounds
            ends = np.flatnonzero((llrs <= lower) | (llrs >= upper))
            counted = int(ends[0]) + 1 if len(ends) else len(wins)
            self.curve += llrs[:counted].tolist()
            self.pairs += _summed(steps[:counted])
            if len(ends):
                self.decision = "H1" if self.llr >= upper else "H0"
        self.late += _summed(steps[counted:])
        return self.decision


def _summed(steps: Floats) -> Pairs:
    ll, split, ww = steps.sum(axis=0).astype(int).tolist()
    return Pairs(ll, split, ww)
