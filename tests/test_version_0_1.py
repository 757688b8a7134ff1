"""Files that version 0.1 wrote are still read: plans, databases, proofs and solver stores."""

from __future__ import annotations

import json
import logging
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from places import DATA
from tournaments import TRIVALENT, tournament

from trivalent.bot.solver.solved_store import SolvedStore
from trivalent.core import VERSION
from trivalent.core.games import hex_board
from trivalent.core.position import Position
from trivalent.tools.tournament.plan import plan_file
from trivalent.tools.tournament.plan.plan_model import loads
from trivalent.tools.tournament.plan.strict_toml import PlanError
from trivalent.tools.tournament.run.store import Store

if TYPE_CHECKING:
    from pathlib import Path

OLD = DATA / "version-0.1"

TODAY = {
    "fill = 3": 'playouts = "coin"',
    "policy": "prior_weight",
    "explore": "exploration",
    "prior = ": "rave_prior_count = ",
    "expand": "expansion_threshold",
    "rave = 0.1": "rave_weight = 0.1",
    "rave = 400": "rave_equivalence = 400",
    "wide_connections": "vc_wide_visits",
    "connections": "vc_visits",
    "regions": "cutset_fill_in",
    "noise": "evaluation_noise",
    "solver": "solver_max_empties",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a copy of the files."""
    return shutil.copytree(OLD, tmp_path / "old")


def test_former_names_are_translated(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        plan = plan_file.load(folder / "plan.toml")
    assert plan.engine("other+explore=0.5").parameters == {
        "threads": "1",
        "playouts": "coin",
        "prior_weight": "0.5",
        "exploration": "0.5",
        "rave_prior_count": "2",
        "expansion_threshold": "2",
        "rave_weight": "0.1",
        "vc_visits": "8",
        "vc_wide_visits": "0",
        "cutset_fill_in": "0",
        "evaluation_noise": "0.01",
        "solver_max_empties": "0",
    }
    assert plan.engine("uct").parameters == {
        "exploration": "0.1",
        "rave_equivalence": "400",
        "expansion_threshold": "3",
    }
    assert "the parameter fill is now called playouts" in caplog.messages
    assert len(caplog.messages) == len(set(caplog.messages))


def test_a_stored_plan_is_the_plan_in_its_file(folder: Path) -> None:
    with Store.open(folder / "plan.db") as store:
        stored = loads(store.plan_text)
    assert stored.digest == plan_file.load(folder / "plan.toml").digest


def test_a_run_goes_on_where_it_ended(folder: Path) -> None:
    plan = folder / "plan.toml"
    assert "20 of 24 games" in tournament("status", plan).stdout
    report = json.loads(tournament("report", plan, "--json", "-").stdout)
    assert [engine["versions"] for engine in report["engines"]] == 4 * [[]]
    run = tournament("run", plan, "--changed-programs")
    assert (run.returncode, "24 games" in run.stdout + run.stderr) == (0, True), run
    report = json.loads(tournament("report", plan, "--json", "-").stdout)
    assert report["games"] == 24
    assert [f"Trivalent {VERSION}"] in [engine["versions"] for engine in report["engines"]]


# Games in which `mcts` is lost are played otherwise since 0.2.
@pytest.mark.parametrize("game", ["plain~uct~a4~1b", "other+explore=0.02~uct~b4~1b"])
def test_games_are_replayed_move_by_move(folder: Path, game: str) -> None:
    replay = tournament("replay", folder / "plan.db", game)
    assert (replay.returncode, replay.stderr) == (0, "")
    assert replay.stdout.endswith("identical, move by move\n")


def test_a_run_is_extended(folder: Path) -> None:
    plan = folder / "plan.toml"
    plan.write_text(plan.read_text("utf-8").replace("rounds = 1", "rounds = 2"), "utf-8")
    extended = tournament("extend", plan)
    assert extended.returncode == 0, extended.stderr
    assert "20 of 48 games" in tournament("status", plan).stdout


def test_todays_names_make_another_grid_but_the_same_engines(folder: Path) -> None:
    before = plan_file.load(folder / "plan.toml")
    text = (folder / "plan.toml").read_text("utf-8")
    for old, new in TODAY.items():
        assert old in text
        text = text.replace(old, new)
    after = plan_file.parse(text, folder)
    assert [engine.parameters for engine in after.engines] == [
        engine.parameters for engine in before.engines
    ]


def test_a_parameter_is_not_given_twice(folder: Path) -> None:
    text = (
        (folder / "plan.toml").read_text("utf-8").replace("fill = 3", 'fill = 3\nplayouts = "coin"')
    )
    with pytest.raises(PlanError, match="fill and playouts are the same parameter"):
        plan_file.parse(text, folder)


def test_a_proof_is_verified(folder: Path) -> None:
    verified = subprocess.run(
        [TRIVALENT, "verify", folder / "opening.proof"], capture_output=True, text=True, check=False
    )
    assert (verified.returncode, verified.stderr) == (0, "")
    assert "white" in verified.stdout


def test_a_solver_store_is_read(folder: Path) -> None:
    position = Position(hex_board(4))
    for name in ("b1", "c2", "d3"):
        position.play(position.to_play, position.board.cell(name))
    with SolvedStore(folder / "solved.db") as store:
        solved = store.get(position)
    assert solved is not None
    assert (str(solved.winner), solved.move) == ("white", position.board.cell("b2"))
