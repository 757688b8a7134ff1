"""Tails and quantiles of common distributions, by the standard library alone."""

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
    """Return the standard normal distribution function at z, accurate in both tails."""
    return math.erfc(-z / math.sqrt(2.0)) / 2.0


def normal_quantile(probability: float) -> float:
    """Return the standard normal quantile of a probability, 0 < p < 1."""
    return _NORMAL.inv_cdf(probability)


def chi_square_tail(value: float, degrees: int) -> float:
    """Return the probability that chi-square with ``degrees`` >= 1 exceeds a value >= 0."""
    # The regularized incomplete gamma function Q(a, x), by recurrence from a = 1/2 or a = 1.
    x = value / 2.0
    if x == 0.0:
        return 1.0
    tail = math.erfc(math.sqrt(x)) if degrees % 2 else math.exp(-x)
    for twice in range(2 - degrees % 2, degrees, 2):
        a = twice / 2.0
        tail += math.exp(a * math.log(x) - x - math.lgamma(a + 1.0))
    return min(1.0, tail)


def binomial_tail(successes: int, trials: int, probability: float = 0.5) -> float:
    """Return the probability of at least ``successes`` in a number of trials, 0 < p < 1."""
    if successes <= 0:
        return 1.0
    if successes > trials:
        return 0.0
    if successes <= trials * probability:  # the other tail is shorter
        return 1.0 - binomial_tail(trials - successes + 1, trials, 1.0 - probability)
    term = math.exp(
        math.lgamma(trials + 1)
        - math.lgamma(successes + 1)
        - math.lgamma(trials - successes + 1)
        + successes * math.log(probability)
        + (trials - successes) * math.log1p(-probability)
    )
    odds = probability / (1.0 - probability)
    total = 0.0
    for k in range(successes, trials + 1):
        total += term
        term *= (trials - k) / (k + 1) * odds
        if term < 1e-18 * total:
            break
    return total


def beta_tail(value: float, a: int, b: int) -> float:
    """Return the probability that beta(a, b), with integers a, b >= 1, exceeds a value."""
    if value <= 0.0:
        return 1.0
    if value >= 1.0:
        return 0.0
    return binomial_tail(b, a + b - 1, 1.0 - value)


def beta_quantile(probability: float, a: int, b: int) -> float:
    """Return the quantile of beta(a, b), with integers a, b >= 1."""
    return bisect(lambda value: 1.0 - beta_tail(value, a, b) - probability, 0.0, 1.0)


def bisect(
    increasing: Callable[[float], float], low: float, high: float, within: float = 0.0
) -> float:
    """Return the root of an increasing function in an interval, by bisection."""
    while high - low > within:
        middle = (low + high) / 2.0
        if not low < middle < high:
            break
        if increasing(middle) < 0.0:
            low = middle
        else:
            high = middle
    return (low + high) / 2.0
