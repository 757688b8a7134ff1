"""The calibration of the SPRT, on a small scale."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from benches import parse

from trivalent.tools.benchmarks.measure_sprt import (
    SprtPlan,
    measure_sprt,
    outcome_shares,
    run_tests,
)
from trivalent.tools.commands import bench
from trivalent.tools.statistics.elo import elo
from trivalent.tools.statistics.sprt import Sprt, Trial

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(("bias", "split"), [(0.0, 0.5), (1.0, 0.587), (2.5, 0.738)])
def test_pair_probabilities_match_the_mean_score(bias: float, split: float) -> None:
    lost, drawn, won = outcome_shares(bias, 0.0)
    assert lost == pytest.approx(won)
    assert drawn == pytest.approx(split, abs=5e-4)
    lost, drawn, won = outcome_shares(bias, 30.0)
    assert lost + drawn + won == pytest.approx(1.0)
    assert elo(won + drawn / 2) == pytest.approx(30.0)


def test_error_rates_and_lengths_are_as_expected() -> None:
    """Few tests and distant hypotheses; the benchmark runs more tests and closer ones."""
    plan = SprtPlan(sprt=Sprt(0.0, 100.0), sets=4)
    rows, _ = measure_sprt(plan)
    assert [(row.bias, row.truth) for row in rows] == [
        (bias, truth) for bias in (0.0, 1.0, 2.5) for truth in ("H0", "H1")
    ]
    for row in rows:
        assert row.tests == 400
        assert row.mean_pairs == pytest.approx(row.expected_pairs, rel=0.3)
        if row.truth == "H0":
            assert 0.005 < row.accepted_h1 <= 0.07
        else:
            assert 0.92 <= row.accepted_h1 < 0.995


def test_the_signature_depends_on_the_seed() -> None:
    plan = SprtPlan(sprt=Sprt(0.0, 100.0), biases=(1.0,), sets=1, tests=50)
    signature = measure_sprt(plan)[1]
    assert measure_sprt(plan)[1] == signature
    assert measure_sprt(replace(plan, seed=2))[1] != signature


@pytest.mark.parametrize("seed", range(8))
def test_decisions_agree_with_trials(seed: int) -> None:
    sprt, shares = Sprt(0.0, 100.0), (0.2, 0.5, 0.3)
    random = np.random.default_rng(seed)
    trial = Trial(sprt)
    while not trial.decision:  # in blocks of 64, as the benchmark draws them
        trial.extend(random.choice(3, size=(1, 64), p=shares)[0].tolist())
    accepted, pairs = run_tests(sprt, shares, 1, np.random.default_rng(seed))
    assert (accepted, pairs) == (trial.decision == "H1", trial.pairs.total)


def test_tables_and_json_of_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "rows.json"
    assert bench.main(parse("sprt", "--sets", "2", "--json", str(target))) == 0
    out, err = capsys.readouterr()
    lines = [line.rstrip() for line in out.splitlines()]
    assert err == ""
    assert "SPRT" in lines
    assert lines[-1].startswith("signature ")
    assert max(map(len, lines)) <= 100
    rows = json.loads(target.read_text())
    assert len(rows) == 6
    assert all(row["tests"] == 200 for row in rows)


def test_board_sizes_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        bench.main(parse("sprt", "--sizes", "11"))
    error = capsys.readouterr().err.splitlines()[-1]
    assert error.endswith("--sizes doesn't apply to sprt, which plays on no board")
