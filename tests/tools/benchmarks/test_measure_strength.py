"""The benchmark of playing strength: its studies are valid plans, and are played."""

import json
from pathlib import Path

import pytest
from benches import parse

from trivalent.bot.players.registry import make_player
from trivalent.core.games import REDUCED_GAMES
from trivalent.tools.benchmarks import measure_strength
from trivalent.tools.commands import bench
from trivalent.tools.tournament.plan import plan_file


@pytest.mark.parametrize("game", REDUCED_GAMES)
@pytest.mark.parametrize("study", measure_strength.STUDIES)
def test_studies_are_valid_plans(study: str, game: str, tmp_path: Path) -> None:
    wanted = measure_strength.StrengthPlan(tmp_path, (study,), (game,), sets=150)
    made = measure_strength.STUDIES[study](game, 0.1)
    if not made.matches:
        assert study == "threads"
        pytest.skip("there is one core")
    plan = plan_file.parse(measure_strength.plan_text(made, game, wanted), tmp_path)
    assert [engine.name for engine in plan.engines] == [player.name for player in made.players]
    assert 150 <= plan.rounds * len(plan.openings) < 153
    for engine in plan.engines:  # valid parameters and values
        make_player("mcts", dict(engine.parameters))


def test_the_ablation_switches_off_every_part() -> None:
    names = {player.name for player in measure_strength.ablation("hex", 0.1).players}
    assert names >= {"full", "without-fill-in", "without-connections", "the-64-playouts-a-leaf"}
    assert names >= {"without-knowledge", "without-regions", "without-wide-connections"}
    switches = {"fill_in", "cutset_fill_in", "prune", "vc_visits", "vc_wide_visits"}
    switches |= {"prior_weight", "reuse"}
    assert {name for off in measure_strength.WITHOUT.values() for name in off} >= switches


def test_a_study_is_played_and_then_shown_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["strength", "--study", "time", "--game", "hex", "--sizes", "3", "--sets", "2"]
    words += [
        "--seconds",
        "0.001",
        "--folder",
        str(tmp_path),
        "--json",
        str(tmp_path / "rows.json"),
    ]
    assert bench.main(parse(*words)) == 0
    out, err = capsys.readouterr()
    assert "16/16 games played" in err
    rows = json.loads((tmp_path / "rows.json").read_text())
    matches = [(row["engine"], row["opponent"]) for row in rows]
    assert matches == [(f"{2 * n:g}s", f"{n:g}s") for n in (0.001, 0.002, 0.004, 0.008)]
    assert all(row["lost"] + row["split"] + row["won"] <= 2 for row in rows)
    assert [line.split()[0] for line in out.splitlines() if "0.008s" in line] == [
        "0.008s",
        "0.016s",
    ]
    # Everything has been played, so that the same command only shows the results.
    assert bench.main(parse(*words)) == 0
    again = capsys.readouterr()
    assert again.out == out
    assert "[1/16]" not in again.err


def test_a_failed_study_returns_the_exit_code_of_the_tournament(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["strength", "--study", "time", "--game", "y", "--sets", "2", "--folder", str(tmp_path)]
    (tmp_path / "y11-time-0.1s-2.toml").write_text("size = 3\n[engines.a]\nplayer = 'nobody'\n")
    assert bench.main(parse(*words)) == 2
    assert "nobody" in capsys.readouterr().err
