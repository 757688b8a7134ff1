"""The Elo scale: a score s between 0 and 1 corresponds to (400 / ln 10) ln(s / (1 - s)) points."""

from __future__ import annotations

import math

ELO_PER_LOGIT = 400.0 / math.log(10.0)
"""Elo points per unit of log odds (logit)."""

NORMALIZED_ELO_PER_SIGMA = 2.0 * ELO_PER_LOGIT
"""Normalized Elo of a mean score one standard deviation of a single game above 1/2."""


def elo(score: float) -> float:
    """Return the Elo difference that predicts a mean score.

    Raise ValueError unless 0 < score < 1: a perfect score has no finite difference.
    """
    if not 0.0 < score < 1.0:
        raise ValueError(f"a score of {score} has no finite Elo difference")
    return ELO_PER_LOGIT * (math.log(score) - math.log1p(-score))


def score(elo: float) -> float:
    """Return the mean score that an Elo difference predicts."""
    if elo >= 0.0:
        return 1.0 / (1.0 + math.exp(-elo / ELO_PER_LOGIT))
    odds = math.exp(elo / ELO_PER_LOGIT)
    return odds / (1.0 + odds)


def signed(elo: float | None) -> str:
    """Return an Elo difference as text, rounded and with its sign; an empty string for None.

    Zero is +0, on whichever side it was rounded.
    """
    return "" if elo is None else f"{elo:+z.0f}"


def span(low: float | None, high: float | None) -> str:
    """Return an interval of Elo differences as text; it may be open on one side."""
    if low is None and high is None:
        return ""
    if high is None:
        return f"> {signed(low)}"
    if low is None:
        return f"< {signed(high)}"
    return f"{signed(low)} to {signed(high)}"
