"""The programs that measure reviews: calibration and seeded faults."""

from __future__ import annotations

import numpy as np
import pytest

from trivalent.bot.review.calibration import Calibration
from trivalent.bot.review.position_analyst import Effort
from trivalent.core.games import make_board
from trivalent.tools.workshop.calibrate_reviews import fit
from trivalent.tools.workshop.seed_faults import faulty_game, find_fault


def test_the_fit_finds_lean_and_slope() -> None:
    random = np.random.default_rng(1)
    values = random.uniform(0.02, 0.98, 20_000)
    true = Calibration(lean=-0.3, slope=1.4, noise=0.0)
    chances = np.array([true.chance(value) for value in values])
    wins = (random.uniform(size=len(values)) < chances).astype(float)
    lean, slope = fit(values, wins)
    assert lean == pytest.approx(-0.3, abs=0.06)
    assert slope == pytest.approx(1.4, abs=0.08)


@pytest.mark.parametrize(("game", "size"), [("hex", 4), ("y", 4)])
def test_seeded_faults_are_found(game: str, size: int) -> None:
    for seed in range(3):
        found = faulty_game(make_board(game, size), seed, nodes=60)
        assert found is not None
        assert find_fault(*found, Effort(nodes=60), 1) == (True, True)
