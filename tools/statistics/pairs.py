"""Elo from game pairs: the same opening played twice by the same engines with colours swapped.

Openings decide many games of Hex, so the two games of a pair are far from independent, and the
variance of their sum isn't that of two games.  The unit of the statistics is therefore the pair,
with three outcomes: LL, split, WW.  (In games with draws a pair has five outcomes, hence
*pentanomial* statistics in Fishtest and cutechess; ours are trinomial.)  A sample is a sequence of
counts for equally spaced scores from 0 to 1, so that the three counts of pairs, the two of single
games, and the five of pentanomial statistics are treated alike.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from trivalent.tools.statistics.elo import ELO_PER_LOGIT, NORMALIZED_ELO_PER_SIGMA, elo, score
from trivalent.tools.statistics.tails import (
    Z95,
    beta_quantile,
    beta_tail,
    binomial_tail,
    normal_cdf,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Pairs:
    """Numbers of pairs that an engine lost (LL), split, and won (WW)."""

    ll: int = 0
    split: int = 0
    ww: int = 0

    def __add__(self, other: Pairs) -> Pairs:
        return Pairs(self.ll + other.ll, self.split + other.split, self.ww + other.ww)

    @property
    def reversed(self) -> Pairs:
        """The same pairs from the opponent's point of view."""
        return Pairs(self.ww, self.split, self.ll)

    @property
    def counts(self) -> tuple[int, int, int]:
        """The counts of LL, split and WW: in order of the score."""
        return self.ll, self.split, self.ww

    @property
    def total(self) -> int:
        """The number of pairs."""
        return self.ll + self.split + self.ww

    @property
    def wins(self) -> int:
        """The number of games won."""
        return self.split + 2 * self.ww

    @property
    def losses(self) -> int:
        """The number of games lost."""
        return self.split + 2 * self.ll


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a sample says about the difference of two engines; None where a value doesn't exist."""

    units: int
    """The size of the sample, in pairs or games."""
    mean: float | None = None
    variance: float | None = None
    """Variance of one unit (the population variance)."""
    elo: float | None = None
    """None without units, and for a perfect score, which has no finite Elo."""
    low: float | None = None
    high: float | None = None
    """The 95 % confidence interval, mapped from scores to Elo; None where it is unbounded."""
    normalized_elo: float | None = None
    """The mean's distance from 1/2 in standard deviations of one game, times 800 / ln 10."""
    normalized_half: float | None = None
    los: float | None = None
    """Likelihood of superiority: the probability that the true mean exceeds 1/2."""
    skewness: float | None = None
    excess_kurtosis: float | None = None
    note: str = ""
    """Why values are missing or computed by another formula."""

    @property
    def half_width(self) -> float | None:
        """Half the width of the 95 % interval in Elo."""
        if self.low is None or self.high is None:
            return None
        return (self.high - self.low) / 2.0


def moments(counts: Sequence[float]) -> tuple[float, float, float, float]:
    """Return the mean of the scores and their second to fourth central moments.

    The counts are of equally spaced scores from 0 to 1; at least one must be positive.
    """
    total = math.fsum(counts)
    scores = [i / (len(counts) - 1) for i in range(len(counts))]

    def average(power: int, centre: float) -> float:
        powers = (n * (x - centre) ** power for n, x in zip(counts, scores, strict=True))
        return math.fsum(powers) / total

    mean = average(1, 0.0)
    return mean, average(2, mean), average(3, mean), average(4, mean)


def estimate(counts: Sequence[int], games: int = 2) -> Estimate:
    """Return the Elo estimate of a sample whose units consist of ``games`` games each.

    The interval is mean +- z sqrt(variance / units).  If all units have the same score that has no
    width, and exact bounds replace it: for n perfect units, the score that produces them with
    probability 0.05; for n split pairs, the maximum share of other pairs, all won by one side.
    """
    units = sum(counts)
    if not units:
        return Estimate(0, note="no games")
    mean, variance, third, fourth = moments(counts)
    least = 0.05 ** (1.0 / units)
    known = partial(Estimate, units, mean, variance)
    if counts[-1] == units:
        note = "perfect score: only a lower bound exists"
        return known(low=elo(least), los=beta_tail(0.5, units + 1, 1), note=note)
    if counts[0] == units:
        note = "no win: only an upper bound exists"
        return known(high=-elo(least), los=beta_tail(0.5, 1, units + 1), note=note)
    if max(counts) == units:
        return known(
            elo=elo(mean),
            low=elo(mean * least),
            high=elo(1.0 - (1.0 - mean) * least),
            los=0.5 if mean == 0.5 else float(mean > 0.5),
            note="all units have the same score: the interval is the exact bound for unseen scores",
        )
    error = math.sqrt(variance / units)
    low, high = mean - Z95 * error, mean + Z95 * error
    unbounded = [
        side for side, bound in (("a lower", low > 0.0), ("an upper", high < 1.0)) if not bound
    ]
    return known(
        elo=elo(mean),
        low=elo(low) if low > 0.0 else None,
        high=elo(high) if high < 1.0 else None,
        normalized_elo=NORMALIZED_ELO_PER_SIGMA * (mean - 0.5) / math.sqrt(games * variance),
        normalized_half=Z95 * NORMALIZED_ELO_PER_SIGMA / math.sqrt(games * units),
        los=normal_cdf((mean - 0.5) / error),
        skewness=third / variance**1.5,
        excess_kurtosis=fourth / variance**2 - 3.0,
        note=f"sample too small for {' and '.join(unbounded)} bound" if unbounded else "",
    )


def mcnemar(pairs: Pairs) -> tuple[float, float]:
    """Return the p-values of McNemar's exact test: one-sided (this engine is better), two-sided.

    Openings cancel out: between equal engines each would win half of the pairs that aren't split.
    """
    decided = pairs.ww + pairs.ll
    two_sided = min(1.0, 2.0 * binomial_tail(max(pairs.ww, pairs.ll), decided))
    return binomial_tail(pairs.ww, decided), two_sided


def adjusted(pairs: Pairs) -> tuple[float, float] | None:
    """Return the Elo difference on a balanced opening, and its standard error.

    Conditional on a pair not being split, the bias of its opening cancels from the odds.
    Return None unless both engines have won a pair.
    """
    if not pairs.ww or not pairs.ll:
        return None
    return (
        ELO_PER_LOGIT / 2.0 * math.log(pairs.ww / pairs.ll),
        ELO_PER_LOGIT / 2.0 * math.sqrt(1.0 / pairs.ww + 1.0 / pairs.ll),
    )


def correlation(pairs: Pairs) -> float | None:
    """Return the correlation between the two games of a pair; -1 if openings decide every game."""
    if not pairs.wins or not pairs.losses:
        return None
    mean, variance, *_ = moments(pairs.counts)
    return 2.0 * variance / (mean * (1.0 - mean)) - 1.0


@dataclass(frozen=True, slots=True)
class GameLevel:
    """Figures that treat all games as independent, as other tools do.  For comparison only."""

    estimate: Estimate
    half_derivative: float | None
    """Half the interval in Elo by the delta method: from the slope of the scale at the mean."""
    wilson: tuple[float, float] | None
    clopper_pearson: tuple[float, float] | None
    """95 % intervals of the score."""
    los_decisive: float | None
    """Likelihood of superiority from wins and losses, by the normal approximation."""
    los_bayes: float | None
    """Likelihood of superiority with a uniform prior."""


def game_level(losses: int, draws: int, wins: int) -> GameLevel:
    """Return the figures of a match of independent games."""
    whole = estimate((losses, draws, wins), games=1)
    decisive, n = wins + losses, wins + losses + draws
    half = None
    if whole.elo is not None and whole.mean is not None and whole.variance is not None:
        slope = ELO_PER_LOGIT / (whole.mean * (1.0 - whole.mean))
        half = Z95 * math.sqrt(whole.variance / n) * slope
    if not decisive:
        return GameLevel(whole, half, None, None, None, None)
    share = wins / decisive
    z2 = Z95 * Z95 / decisive
    centre = (share + z2 / 2.0) / (1.0 + z2)
    spread = math.sqrt(share * (1.0 - share) * z2 + z2 * z2 / 4.0) / (1.0 + z2)
    exact = (
        beta_quantile(0.025, wins, losses + 1) if wins else 0.0,
        beta_quantile(0.975, wins + 1, losses) if losses else 1.0,
    )
    return GameLevel(
        whole,
        half,
        (max(0.0, centre - spread), min(1.0, centre + spread)),
        exact,
        normal_cdf((wins - losses) / math.sqrt(decisive)),
        beta_tail(0.5, wins + 1, losses + 1),
    )


@dataclass(frozen=True, slots=True)
class Strata:
    """Standard errors of a match in which a suite of openings was played for several rounds."""

    mean: float
    naive: float
    """Pools all pairs, as if each had its own opening."""
    random_openings: float | None
    """Error of the mean over all possible openings, of which the suite is a sample; None if it has
    only one opening."""
    fixed_suite: float | None
    """Error of the mean on exactly this suite; None unless an opening was repeated."""


def strata(scores: Mapping[str, Sequence[float]]) -> Strata | None:
    """Return the errors of the mean, given the pair scores (0, 1/2, 1) of every opening.

    All openings have the same weight.  Return None without pairs.
    """
    rows = [row for row in scores.values() if row]
    if not rows:
        return None
    m = len(rows)
    means = [math.fsum(row) / len(row) for row in rows]
    mean = math.fsum(means) / m
    everything = [value for row in rows for value in row]
    pooled = math.fsum(everything) / len(everything)
    naive = math.sqrt(math.fsum((x - pooled) ** 2 for x in everything)) / len(everything)
    across = math.sqrt(math.fsum((x - mean) ** 2 for x in means) / (m - 1) / m) if m > 1 else None
    repeated = [(row, its_mean) for row, its_mean in zip(rows, means, strict=True) if len(row) > 1]
    within = None
    if repeated:
        # An opening played once is given the mean variance of those that were repeated.
        variances = [
            math.fsum((x - its_mean) ** 2 for x in row) / (len(row) - 1)
            for row, its_mean in repeated
        ]
        typical = math.fsum(variances) / len(variances)
        known = math.fsum(v / len(row) for v, (row, _) in zip(variances, repeated, strict=True))
        within = math.sqrt(known + typical * (m - len(repeated))) / m
    return Strata(mean, naive, across, within)


def expected_error_bar(pairs: int, split: float = 0.5, elo: float = 0.0) -> float:
    """Return the 95 % error bar in Elo to expect from a number of pairs (at least 1).

    ``split`` is the share of split pairs: 0.5 if openings decide nothing.  It is reduced to the
    maximum that the difference ``elo`` allows.
    """
    mean = score(elo)
    return (
        Z95 * math.sqrt(pair_variance(mean, split) / pairs) * ELO_PER_LOGIT / (mean * (1.0 - mean))
    )


def pairs_needed(half: float, split: float = 0.5) -> int:
    """Return the number of pairs between equal engines that gives a 95 % error bar in Elo."""
    return math.ceil((Z95 * 4.0 * ELO_PER_LOGIT / half) ** 2 * (1.0 - split) / 4.0 - 1e-9)


def pair_variance(mean: float, split: float) -> float:
    """Return the variance of a pair's score, from its mean and the share of split pairs."""
    split = min(split, 2.0 * min(mean, 1.0 - mean))
    won = mean - split / 2.0
    return max(0.0, won + split / 4.0 - mean * mean)
