"""Tails and quantiles of the normal, binomial and beta distributions, from the standard library."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_NORMAL = NormalDist()

Z95 = _NORMAL.inv_cdf(0.975)
"""Half the width of a two-sided 95 % interval in standard errors."""


def normal_cdf(z: float) -> float:
    """Return the probability that a standard normal variable is below z; exact far out, too."""
    return math.erfc(-z / math.sqrt(2.0)) / 2.0


def normal_quantile(probability: float) -> float:
    """Return the z that a standard normal variable is below with that probability, 0 < p < 1."""
    return _NORMAL.inv_cdf(probability)


def chi_square_tail(value: float, degrees: int) -> float:
    """Return the probability that a chi-square variable exceeds a value >= 0; degrees >= 1."""
    # Q(a, x) of the incomplete gamma function, by the recurrence from a = 1/2 or a = 1.
    x = value / 2.0
    if x == 0.0:
        return 1.0
    tail = math.erfc(math.sqrt(x)) if degrees % 2 else math.exp(-x)
    for twice in range(2 - degrees % 2, degrees, 2):
        a = twice / 2.0
        tail += math.exp(a * math.log(x) - x - math.lgamma(a + 1.0))
    return min(1.0, tail)


def binomial_tail(least: int, trials: int, probability: float = 0.5) -> float:
    """Return the probability of at least so many successes; 0 < probability < 1."""
    if least <= 0:
        return 1.0
    if least > trials:
        return 0.0
    if least <= trials * probability:  # then the other tail is the shorter one
        return 1.0 - binomial_tail(trials - least + 1, trials, 1.0 - probability)
    term = math.exp(
        math.lgamma(trials + 1)
        - math.lgamma(least + 1)
        - math.lgamma(trials - least + 1)
        + least * math.log(probability)
        + (trials - least) * math.log1p(-probability)
    )
    odds = probability / (1.0 - probability)
    total = 0.0
    for successes in range(least, trials + 1):
        total += term
        term *= (trials - successes) / (successes + 1) * odds
        if term < 1e-18 * total:
            break
    return total


def beta_tail(value: float, a: int, b: int) -> float:
    """Return the probability that a beta variable with whole parameters >= 1 exceeds a value."""
    if value <= 0.0:
        return 1.0
    if value >= 1.0:
        return 0.0
    return binomial_tail(b, a + b - 1, 1.0 - value)


def beta_quantile(probability: float, a: int, b: int) -> float:
    """Return what a beta variable with whole parameters >= 1 is below with that probability."""
    return bisect(lambda value: 1.0 - beta_tail(value, a, b) - probability, 0.0, 1.0)


def bisect(
    increasing: Callable[[float], float], low: float, high: float, within: float = 0.0
) -> float:
    """Return where an increasing function passes 0 between two arguments."""
    while high - low > within:
        middle = (low + high) / 2.0
        if not low < middle < high:
            break
        if increasing(middle) < 0.0:
            low = middle
        else:
            high = middle
    return (low + high) / 2.0
