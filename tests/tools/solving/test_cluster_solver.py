"""Solving on a real Dask cluster: the answers are those of one solver, whatever happens."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest
from dask_clusters import Cluster

from trivalent.bot.solver.solved_store import SolvedStore
from trivalent.bot.solver.solver import Progress, SolveLimits, Solver, SolveWatch
from trivalent.core.board import BLACK, WHITE
from trivalent.core.games import hex_board
from trivalent.core.position import Position
from trivalent.tools.cli import main
from trivalent.tools.solving import ClusterError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

cluster_solver = pytest.importorskip("trivalent.tools.solving.cluster_solver")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with ExitStack() as stack:
        yield Cluster(tmp_path_factory.mktemp("cluster"), stack)


def test_the_command(cluster: Cluster, tmp_path: Path) -> None:
    """All moves of a small board, with results in a store."""
    store = tmp_path / "solved.db"
    command = [sys.executable, "-c", "from trivalent.tools.cli import main; main()", "solve"]
    words = ["hex 4:", "--all-winning", "--cluster", cluster.address, "--json", "--store", store]
    done = subprocess.run([*command, *words], capture_output=True, text=True, check=True)
    values = json.loads(done.stdout)
    assert (values["winner"], set(values["winning"])) == ("black", {"d1", "c2", "b3", "a4"})
    assert done.stderr == ""
    with SolvedStore(store) as opened:
        solved = opened.get(Position(hex_board(4)))
    assert solved
    assert solved.winner is BLACK


def test_a_killed_worker_changes_nothing(tmp_path: Path) -> None:
    """Its job is done by another worker."""
    board = hex_board(6)
    position = Position(board)
    position.play(BLACK, board.cell("a3"))
    with ExitStack() as stack:
        cluster = Cluster(tmp_path, stack)
        solver = stack.enter_context(
            cluster_solver.ClusterSolver(board, cluster.address, memory=1, job_positions=40)
        )
        reports: list[Progress] = []

        def report(progress: Progress) -> None:
            reports.append(progress)
            if progress.work and cluster.workers[0].poll() is None:
                cluster.workers[0].kill()

        solution = solver.solve(position, watch=SolveWatch(0.0, report))
        assert reports[-1].variation
        assert cluster.workers[0].wait() < 0
    alone = Solver(board, memory=1).solve(position)
    assert solution.winner is alone.winner is BLACK
    assert solution.work > 40
    after = position.copy()
    for cell in set(position.empty_cells) - solution.carrier:
        after.setup(cell, WHITE)
    assert Solver(board, memory=1).solve(after).winner is BLACK


def test_limits_and_stored_results(cluster: Cluster, tmp_path: Path) -> None:
    """A run that has ended early is continued with the results in the store."""
    board = hex_board(6)
    position = Position(board)
    position.play(BLACK, board.cell("a3"))
    with SolvedStore(tmp_path / "solved.db") as store:
        with cluster_solver.ClusterSolver(
            board, cluster.address, store, memory=1, job_positions=30
        ) as solver:
            part = solver.solve(position, SolveLimits(nodes=200))
            assert part.winner is None
            assert 0 < part.work < 1000
        with cluster_solver.ClusterSolver(board, cluster.address, store, memory=1) as solver:
            assert solver.solve(position).winner is BLACK
            again = solver.solve(position)
            assert (again.winner, again.work) == (BLACK, 0)


@pytest.mark.parametrize("address", ["nonsense://1", "tcp://127.0.0.1:1"])
def test_no_scheduler(
    address: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("trivalent.tools.common.dask_cluster.CONNECT_SECONDS", 0.2)
    assert main(["solve", "hex 4:", "--cluster", address]) == 1
    err = capfd.readouterr().err
    assert err.startswith(f"trivalent solve: no answer from a Dask scheduler at {address}: ")
    assert err.count("\n") == 1
    with pytest.raises(ClusterError, match="no answer"):
        cluster_solver.ClusterSolver(hex_board(4), address)


def test_proofs_are_refused(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["solve", "hex 4:", "--cluster", "tcp://127.0.0.1:1", "--proof", "x"])
    assert "--proof needs the solver's table: not with --cluster" in capfd.readouterr().err
