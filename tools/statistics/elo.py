"""The Elo scale: a score s between 0 and 1 is ELO_PER_LOGIT ln(s / (1 - s)) points."""

from __future__ import annotations

import math

ELO_PER_LOGIT = 400.0 / math.log(10.0)
"""Elo points in a difference of one in log odds."""

NORMALIZED_ELO_PER_SIGMA = 2.0 * ELO_PER_LOGIT
"""Points of normalized Elo in a game's mean of one standard deviation above 1/2."""


def elo(score: float) -> float:
    """Return the difference in strength that gives a mean score.

    Raise ValueError unless 0 < score < 1: a perfect score has no finite difference.
    """
    if not 0.0 < score < 1.0:
        raise ValueError(f"a score of {score} has no finite Elo difference")
    return ELO_PER_LOGIT * (math.log(score) - math.log1p(-score))


def score(elo: float) -> float:
    """Return the mean score that a difference in strength gives."""
    if elo >= 0.0:
        return 1.0 / (1.0 + math.exp(-elo / ELO_PER_LOGIT))
    odds = math.exp(elo / ELO_PER_LOGIT)
    return odds / (1.0 + odds)
