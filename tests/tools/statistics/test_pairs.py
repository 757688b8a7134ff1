"""Elo from pairs: published results, worked examples, and cases without a result."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statistics_vectors import VECTORS

from trivalent.tools.statistics.elo import ELO_PER_LOGIT, NORMALIZED_ELO_PER_SIGMA, elo, score
from trivalent.tools.statistics.pairs import (
    Pairs,
    adjusted,
    correlation,
    estimate,
    expected_error_bar,
    game_level,
    mcnemar,
    pair_variance,
    pairs_needed,
    strata,
)
from trivalent.tools.statistics.tails import (
    Z95,
    beta_quantile,
    beta_tail,
    binomial_tail,
    chi_square_tail,
    normal_cdf,
    normal_quantile,
)

EXAMPLE = Pairs(11, 70, 40)


def finite(numbers: object) -> bool:
    """Return whether all numbers in nested dictionaries are finite."""
    if isinstance(numbers, dict):
        return all(map(finite, numbers.values()))
    return not isinstance(numbers, float) or math.isfinite(numbers)


def test_constants() -> None:
    constants = VECTORS["constants"]
    assert pytest.approx(constants["K"], abs=1e-12) == ELO_PER_LOGIT
    assert pytest.approx(constants["NK"], abs=1e-12) == NORMALIZED_ELO_PER_SIGMA
    assert pytest.approx(constants["z95"], abs=1e-12) == Z95
    half_width = constants["nelo_half_times_sqrt_games"]
    assert pytest.approx(half_width, abs=1e-9) == Z95 * NORMALIZED_ELO_PER_SIGMA
    for difference, expected in VECTORS["score_of_elo"].items():
        assert score(float(difference)) == pytest.approx(expected, abs=1e-12)
        assert elo(expected) == pytest.approx(float(difference), abs=1e-9)


@pytest.mark.parametrize("far", [-1e6, -5000.0, 5000.0, 1e6])
def test_scores_of_huge_differences_stay_between_0_and_1(far: float) -> None:
    assert 0.0 <= score(far) <= 1.0


@pytest.mark.parametrize("impossible", [0.0, 1.0, -0.1, 1.1, math.nan])
def test_perfect_scores_have_no_elo(impossible: float) -> None:
    with pytest.raises(ValueError, match="no finite Elo"):
        elo(impossible)


@pytest.mark.parametrize("case", VECTORS["wdl"], ids=lambda case: case["source"])
def test_game_level_figures_match_other_programs(case: dict[str, Any]) -> None:
    level = game_level(case["l"], case["d"], case["w"])
    whole = level.estimate
    found = {
        "elo": whole.elo,
        "elo_lo": whole.low,
        "elo_hi": whole.high,
        "elo_half": whole.half_width,
        "elo_half_derivative": level.half_derivative,
        "nelo": whole.normalized_elo,
        "nelo_half": whole.normalized_half,
        "los": whole.los,
        "los_erf": level.los_decisive,
        "los_beta": level.los_bayes,
        "wilson": level.wilson,
        "clopper_pearson": level.clopper_pearson,
    }
    expected = {name: value for name, value in case.items() if name in found}
    assert expected
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, abs=case["tol"]), name


@pytest.mark.parametrize("case", VECTORS["penta"], ids=lambda case: case["source"])
def test_pair_figures_match_other_programs(case: dict[str, Any]) -> None:
    whole = estimate(case["bins"])
    found: dict[str, float | None] = {
        "elo": whole.elo,
        "elo_lo": whole.low,
        "elo_hi": whole.high,
        "elo_half": whole.half_width,
        "nelo": whole.normalized_elo,
        "nelo_half": whole.normalized_half,
        "los": whole.los,
        "skewness": whole.skewness,
        "excess_kurtosis": whole.excess_kurtosis,
        "variance_pair": whole.variance,
        "variance_game": None if whole.variance is None else 2.0 * whole.variance,
    }
    if "mcnemar_one_sided" in case:
        pairs = Pairs(case["bins"][0], case["bins"][2], case["bins"][4])
        assert estimate(pairs.counts) == whole
        found["mcnemar_one_sided"], found["mcnemar_two_sided"] = mcnemar(pairs)
        found["rho"] = correlation(pairs)
        found["conditional_elo"], found["conditional_se"] = adjusted(pairs) or (None, None)
    expected = {name: value for name, value in case.items() if name in found}
    assert set(case) - set(expected) <= {"source", "bins", "tol", "nelo_tol"}
    for name, value in expected.items():
        tolerance = case.get(f"{name}_tol", case["tol"])
        assert found[name] == pytest.approx(value, abs=tolerance), name


def test_counts_from_the_opponents_side() -> None:
    assert EXAMPLE.reversed == Pairs(40, 70, 11)
    assert (EXAMPLE.wins, EXAMPLE.losses, EXAMPLE.total) == (150, 92, 121)
    here, there = estimate(EXAMPLE.counts), estimate(EXAMPLE.reversed.counts)
    assert here.elo is not None
    assert there.elo == pytest.approx(-here.elo)
    assert here.low is not None
    assert there.high == pytest.approx(-here.low)
    assert EXAMPLE + Pairs(1, 2, 3) == Pairs(12, 72, 43)


def test_no_games() -> None:
    nothing = estimate(Pairs().counts)
    assert (nothing.elo, nothing.low, nothing.high, nothing.los) == (None,) * 4
    assert nothing.note == "no games"
    assert correlation(Pairs()) is None
    assert mcnemar(Pairs()) == (1.0, 1.0)


def test_perfect_scores_have_one_bound() -> None:
    perfect = estimate((0, 20), games=1)
    assert perfect.elo is None
    assert perfect.high is None
    assert perfect.low == pytest.approx(316.638132, abs=1e-5)  # 0.05 ** (1 / 20)
    assert perfect.note == "perfect score: only a lower bound exists"
    hopeless = estimate((20, 0), games=1)
    assert (hopeless.elo, hopeless.low) == (None, None)
    assert hopeless.high == pytest.approx(-316.638132, abs=1e-5)
    assert hopeless.los is not None
    assert perfect.los == pytest.approx(1.0 - hopeless.los)


def test_split_pairs_alone_leave_an_interval() -> None:
    split = estimate(Pairs(split=100).counts)
    assert split.elo == 0.0
    # With 95 % confidence at most 2.95 % of pairs are others: all won, or all lost.
    assert split.high == pytest.approx(elo(0.5 + (1.0 - 0.05**0.01) / 2.0))
    assert split.half_width == pytest.approx(split.high)
    assert split.note.startswith("all units have the same score")


def test_small_samples_have_open_intervals() -> None:
    small = estimate(Pairs(0, 1, 1).counts)
    assert small.high is None
    assert small.half_width is None
    assert small.note == "sample too small for an upper bound"


@given(st.tuples(*[st.integers(0, 1000)] * 3))
def test_results_are_always_finite(counts: tuple[int, int, int]) -> None:
    assert finite(asdict(estimate(counts)))
    small = Pairs(*(count % 30 for count in counts))
    assert finite(asdict(game_level(*small.counts)))
    assert all(0.0 <= p <= 1.0 for p in mcnemar(small))
    rho = correlation(small)
    assert rho is None or -1.0 - 1e-9 <= rho <= 1.0 + 1e-9


def test_the_interval_has_its_nominal_coverage() -> None:
    """The true difference is in the interval of 95 % of simulated matches."""
    import numpy as np  # noqa: PLC0415  the statistics themselves don't need it

    shares = np.array([0.1, 0.55, 0.35])
    truth = elo(float(shares @ [0.0, 0.5, 1.0]))
    draws = np.random.default_rng(3).multinomial(200, shares, size=2000)
    covered = 0
    for counts in draws.tolist():
        whole = estimate(counts)
        assert whole.low is not None
        assert whole.high is not None
        covered += whole.low <= truth <= whole.high
    assert 0.935 <= covered / 2000 <= 0.965


def test_strata() -> None:
    case = VECTORS["stratified"]
    errors = strata({f"opening {i}": row for i, row in enumerate(case["pair_means"])})
    assert errors is not None
    assert errors.mean == pytest.approx(case["mean"])
    assert elo(errors.mean) == pytest.approx(case["elo"], abs=1e-6)
    assert errors.naive == pytest.approx(case["se_naive"], abs=1e-9)
    assert errors.random_openings == pytest.approx(case["se_openings_random"], abs=1e-9)
    assert errors.fixed_suite == pytest.approx(case["se_openings_fixed"], abs=1e-9)


def test_strata_of_few_games() -> None:
    assert strata({}) is None
    assert strata({"a1": []}) is None
    one = strata({"a1": [0.5, 1.0]})
    assert one is not None
    assert one.random_openings is None
    assert one.fixed_suite == pytest.approx(0.25)
    once = strata({"a1": [0.5], "b1": [1.0]})
    assert once is not None
    assert once.fixed_suite is None
    assert once.random_openings == pytest.approx(0.25)


def test_pairs_needed_for_an_error_bar() -> None:
    for case in VECTORS["pairs_needed"]:
        for split, expected in case["by_split"].items():
            assert abs(pairs_needed(case["half"], float(split)) - expected) <= 1
            half = expected_error_bar(expected, float(split))
            assert half == pytest.approx(case["half"], rel=1e-3)


def test_variance_of_a_pair() -> None:
    assert pair_variance(0.5, 0.5) == pytest.approx(0.125)
    mean, variance = 0.6198347107438017, 0.09101154292739567
    assert pair_variance(mean, 70 / 121) == pytest.approx(variance)
    assert pair_variance(0.9, 1.0) == pytest.approx(0.04)  # 0.9 allows at most 0.2 split pairs


def test_tails() -> None:
    assert normal_cdf(0.0) == 0.5
    assert normal_cdf(-30.0) == pytest.approx(4.9067e-198, rel=1e-4)
    assert normal_cdf(normal_quantile(0.3)) == pytest.approx(0.3)
    assert binomial_tail(8, 10) == pytest.approx((45 + 10 + 1) / 1024)
    assert binomial_tail(0, 5) == 1.0
    assert binomial_tail(6, 5) == 0.0
    assert binomial_tail(1, 2, 0.25) == pytest.approx(1 - 0.75**2)
    for least in range(31):
        exact = sum(math.comb(30, k) * 0.3**k * 0.7 ** (30 - k) for k in range(least, 31))
        assert binomial_tail(least, 30, 0.3) == pytest.approx(exact, rel=1e-12, abs=1e-15)
    # Far out, with many trials: the normal approximation with continuity correction.
    far = 1.0 - normal_cdf((51_000 - 0.5 - 50_000) / math.sqrt(25_000))
    assert binomial_tail(51_000, 100_000) == pytest.approx(far, rel=2e-3)
    assert beta_tail(0.25, 1, 1) == pytest.approx(0.75)
    assert (beta_tail(-1.0, 2, 2), beta_tail(2.0, 2, 2)) == (1.0, 0.0)
    assert beta_quantile(0.025, 1, 1) == pytest.approx(0.025)
    # From tables: the 5 % points of one, two, three and five degrees of freedom.
    for value, degrees in ((3.841459, 1), (5.991465, 2), (7.814728, 3), (11.070498, 5)):
        assert chi_square_tail(value, degrees) == pytest.approx(0.05, abs=1e-6)
    assert chi_square_tail(0.0, 3) == 1.0
