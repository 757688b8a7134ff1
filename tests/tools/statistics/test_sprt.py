"""The sequential test: published log-likelihood ratios, bounds, decisions that stay."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statistics_vectors import VECTORS

from trivalent.tools.statistics.pairs import Pairs
from trivalent.tools.statistics.sprt import MAX_ELO, MIN_GAP, Model, Sprt, Trial


@pytest.mark.parametrize("case", VECTORS["sprt_bounds"])
def test_bounds(case: dict[str, float]) -> None:
    lower, upper = Sprt(0, 10, case["alpha"], case["beta"]).bounds
    assert lower == pytest.approx(case["lower"], abs=1e-12)
    assert upper == pytest.approx(case["upper"], abs=1e-12)


@pytest.mark.parametrize("case", VECTORS["llr"], ids=lambda case: case["source"])
def test_ratio(case: dict[str, Any]) -> None:
    sprt = Sprt(case["elo0"], case["elo1"], model=case["model"])
    of_pairs = len(case["bins"]) == 5 or case.get("pairs3", False)
    counts = np.array([case["bins"]], dtype=float)
    found = sprt.llrs(counts, games=2 if of_pairs else 1)
    assert found[0] == pytest.approx(case["llr"], abs=case["tol"])
    if of_pairs:
        assert sprt.llr(case["bins"]) == found[0]


def test_closed_form_for_three_outcomes() -> None:
    """At the score 1/2 the maximum-likelihood distribution has a closed form."""
    sprt = Sprt(0, 30)
    n0, n1, n2 = 11, 70, 40
    t = 2.0 * (n2 - n0) / (n0 + n2)
    q = [n / 121 / (1 + t * x) for n, x in zip((n0, n1, n2), (-0.5, 0.0, 0.5), strict=True)]
    assert sum(q) == pytest.approx(1.0)
    assert q[0] == pytest.approx(q[2])
    assert q[0] == pytest.approx(0.2107438, abs=1e-7)
    own = sum(n * math.log(x * 121 / n) for n, x in zip((n0, n1, n2), q, strict=True))
    at_30 = sum(
        n * math.log(x * 121 / n)
        for n, x in zip((n0, n1, n2), (0.1576306, 0.5986058, 0.2437636), strict=True)
    )
    assert sprt.llr((n0, n1, n2)) == pytest.approx(at_30 - own, abs=1e-5)


models: tuple[Model, ...] = ("logistic", "normalized")


@given(
    st.sampled_from(models),
    st.lists(st.integers(0, 5000), min_size=3, max_size=5).filter(lambda n: len(n) != 4),
    st.floats(-1, 1),
    st.floats(-1, 1),
)
def test_results_are_always_finite(
    model: Model, counts: list[int], one: float, other: float
) -> None:
    low, high = sorted((one * MAX_ELO, other * MAX_ELO))
    if high - low >= MIN_GAP:
        sprt = Sprt(low, high, model=model)
        assert math.isfinite(sprt.llr(counts))
        assert math.isfinite(sprt.expected_pairs(low))
        assert math.isfinite(sprt.expected_pairs(high, 0.9))


def test_the_opponents_side_has_the_opposite_ratio() -> None:
    assert Sprt(-5, 20).llr((11, 70, 40)) == pytest.approx(-Sprt(-20, 5).llr((40, 70, 11)))


@pytest.mark.parametrize("elo", [-700, -260, 20, 260, 700, 1000])
def test_normalized_hypotheses_are_the_most_likely_ones(elo: float) -> None:
    """Against the best of all distributions of three outcomes, tried one by one."""
    counts = np.array([20.0, 50.0, 130.0])
    steps = np.linspace(1e-6, 1 - 1e-6, 1_000_001)
    even = (counts @ np.log([steps / 2, 1 - steps, steps / 2])).max()  # mean score 1/2
    # A mean other than 1/2 and the variance that belongs to it determine the three shares.
    means = 0.5 + math.copysign(0.5, elo) * steps
    deviations = (means - 0.5) / (math.sqrt(2) * elo / (800 / math.log(10)))
    won = 2 * (means**2 + deviations**2) - means
    shares = np.array([1 - 2 * means + won, 2 * (means - won), won])
    best = (counts @ np.log(shares[:, (shares > 0).all(axis=0)])).max()
    low, high = sorted((0.0, elo))
    ratio = Sprt(low, high, model="normalized").llr(counts.tolist())
    assert ratio == pytest.approx(math.copysign(1, elo) * (best - even), abs=0.01)


def test_no_pairs_give_ratio_0() -> None:
    assert Sprt(0, 10).llr((0, 0, 0)) == 0.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"elo0": 5, "elo1": 5}, r"^elo1 \(5\) must be at least 0.01 above elo0 \(5\)$"),
        ({"elo0": 5, "elo1": 0}, r"^elo1 \(0\) must be at least 0.01 above elo0 \(5\)$"),
        ({"elo0": math.nan, "elo1": 5}, r"^elo0 must be -1000 to 1000, not nan$"),
        ({"elo0": 0, "elo1": math.inf}, r"^elo1 must be -1000 to 1000, not inf$"),
        ({"elo0": 0, "elo1": 1e4, "model": "normalized"}, r"^elo1 must be -1000 to 1000, not"),
        ({"elo0": 0, "elo1": 5, "alpha": 0.0}, r"^alpha must be between 0 and 0.5, not 0.0$"),
        ({"elo0": 0, "elo1": 5, "beta": 0.5}, r"^beta must be between 0 and 0.5, not 0.5$"),
        ({"elo0": 0, "elo1": 5, "alpha": math.nan}, r"^alpha must be"),
        ({"elo0": 0, "elo1": 5, "model": "x"}, r"^model must be logistic or normalized, not 'x'$"),
    ],
)
def test_invalid_hypotheses_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Sprt(**arguments)


@pytest.mark.parametrize(
    ("split", "at_ends", "halfway"), [(0.5, 357, 584), (0.587, 295, 483), (0.738, 187, 306)]
)
def test_expected_length(split: float, at_ends: float, halfway: float) -> None:
    sprt = Sprt(0, 30)
    assert sprt.expected_pairs(0, split) == pytest.approx(at_ends, rel=0.01)
    assert sprt.expected_pairs(30, split) == pytest.approx(at_ends, rel=0.04)
    assert sprt.expected_pairs(15, split) == pytest.approx(halfway, rel=0.01)
    assert sprt.expected_pairs(15.002, split) == pytest.approx(halfway, rel=0.01)
    assert sprt.expected_pairs(-600) < sprt.expected_pairs(-100) < at_ends


@pytest.mark.parametrize(
    ("model", "tests", "within"), [("logistic", 150, 0.15), ("normalized", 25, 0.3)]
)
def test_expected_length_of_a_simulation(model: Model, tests: int, within: float) -> None:
    """Wald's approximation is right except for the overshoot."""
    sprt = Sprt(0, 40, 0.05, 0.1, model=model)
    shares = [0.2, 0.5, 0.3]  # 34.9 Elo, 49.6 normalized
    wins = np.random.default_rng(5).choice(3, size=(tests, 2000), p=shares)
    lengths = []
    for row in wins.tolist():
        trial = Trial(sprt)
        while not trial.decision:
            trial.extend(row[trial.pairs.total :][:100])
        lengths.append(trial.pairs.total)
    mean = sum(lengths) / len(lengths)
    assert sprt.expected_pairs(34.86, 0.5) == pytest.approx(mean, rel=within)


def test_the_first_decision_stays() -> None:
    trial = Trial(Sprt(0, 100))
    wins = [2, 1, 2] * 40
    decided = next(n for n, _ in enumerate(wins, 1) if trial.add(wins[n - 1]))
    assert trial.decision == "H1"
    assert trial.pairs.total == decided == len(trial.curve)
    assert trial.curve[-2] < trial.sprt.bounds[1] <= trial.llr
    llr, pairs = trial.llr, trial.pairs
    trial.extend([0] * 1000)
    assert trial.decision == "H1"
    assert (trial.llr, trial.pairs) == (llr, pairs)
    assert trial.late == Pairs(ll=1000)


def test_decision_for_the_lower_bound() -> None:
    trial = Trial(Sprt(0, 100))
    assert trial.llr == 0.0
    assert trial.extend([0, 1] * 100) == "H0"
    assert trial.curve[-2] > trial.sprt.bounds[0] >= trial.llr


@given(st.lists(st.integers(0, 2), max_size=80), st.integers(0, 80))
def test_pairs_may_be_added_singly_or_together(wins: list[int], cut: int) -> None:
    single, parts = Trial(Sprt(0, 60)), Trial(Sprt(0, 60))
    for one in wins:
        single.add(one)
    parts.extend(wins[:cut])
    parts.extend(wins[cut:])
    assert parts.decision == single.decision
    assert (parts.pairs, parts.late) == (single.pairs, single.late)
    assert parts.curve == pytest.approx(single.curve)
