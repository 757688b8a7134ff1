"""A test whether workers agree: a slow or faulty host shows in the results of its games."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

from trivalent.tools.statistics.tails import chi_square_tail

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trivalent.tools.statistics.outcomes import Outcome

_MIN_VARIANCE = 2.0
"""Minimum variance of a worker's wins for the normal approximation."""


class Agreement(NamedTuple):
    """How a worker's results compare with those of all workers."""

    worker: str
    games: int
    chi_square: float
    degrees: int
    """Number of ordered pairings of which it has played enough; 0 if nothing can be compared."""
    p: float
    """Probability of such a difference if all workers are alike."""


def agreement(played: Iterable[tuple[str, Outcome]]) -> list[Agreement]:
    """Compare workers by their decided games; return the least probable one first.

    Within each ordered pairing (who moves first) the wins in a worker's games are compared with the
    share of wins in all games.  Among many workers one always looks odd: compare p with 0.05
    divided by their number (Bonferroni).
    """
    games: Counter[str] = Counter()
    strata: defaultdict[tuple[str, str], dict[str, list[int]]] = defaultdict(dict)
    for worker, outcome in played:
        games[worker] += 1
        second = outcome.loser if outcome.first == outcome.winner else outcome.winner
        counts = strata[outcome.first, second].setdefault(worker, [0, 0])
        counts[outcome.first == outcome.winner] += 1
    totals: defaultdict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for by_worker in strata.values():
        lost, won = (sum(counts[i] for counts in by_worker.values()) for i in (0, 1))
        everything = lost + won
        for worker, (its_lost, its_won) in by_worker.items():
            its = its_lost + its_won
            # The hypergeometric variance: the worker's games are drawn without replacement.
            share = won / everything
            variance = its * share * (1.0 - share) * (everything - its) / max(everything - 1, 1)
            if variance >= _MIN_VARIANCE:
                totals[worker][0] += (its_won - its * share) ** 2 / variance
                totals[worker][1] += 1
    rows = []
    for worker, count in games.items():
        value, degrees = totals[worker]
        p = chi_square_tail(value, int(degrees)) if degrees else 1.0
        rows.append(Agreement(worker, count, value, int(degrees), p))
    return sorted(rows, key=lambda row: (row.p, row.worker))
