"""Workers that agree, and one that doesn't."""

from __future__ import annotations

from random import Random

import pytest

from trivalent.tools.statistics.outcomes import Outcome
from trivalent.tools.statistics.worker_agreement import agreement


def played(random: Random, worker: str, games: int, share: float) -> list[tuple[str, Outcome]]:
    """Return games of which a wins a share; each engine moves first in half of them."""
    rows = []
    for number in range(games):
        winner, loser = ("a", "b") if random.random() < share else ("b", "a")
        first = "ab"[number % 2]
        rows.append((worker, Outcome(f"{worker}{number}", "", winner, loser, first, "")))
    return rows


def test_p_values_of_equal_workers() -> None:
    """Among many runs of equal workers about one in twenty has p < 0.05."""
    random = Random(1)
    low = 0
    for _ in range(400):
        rows = agreement(played(random, "one", 60, 0.6) + played(random, "two", 60, 0.6))
        assert [row.games for row in rows] == [60, 60]
        assert rows[0].degrees == 2
        low += rows[0].p < 0.05
    assert 0.02 <= low / 400 <= 0.09


def test_a_broken_worker_comes_first() -> None:
    random = Random(2)
    rows = agreement(
        played(random, "one", 200, 0.6)
        + played(random, "slow", 200, 0.35)
        + played(random, "two", 200, 0.6)
    )
    assert rows[0].worker == "slow"
    assert rows[0].p < 1e-4
    assert rows[0].p < rows[1].p


@pytest.mark.parametrize("games", [0, 3])
def test_too_few_games_to_compare(games: int) -> None:
    random = Random(3)
    rows = agreement(played(random, "one", 50, 0.5) + played(random, "two", games, 0.5))
    assert {row.worker: row.degrees for row in rows}.get("two", 0) == 0
    assert all(row.p == 1.0 or row.degrees for row in rows)
    assert agreement([]) == []
