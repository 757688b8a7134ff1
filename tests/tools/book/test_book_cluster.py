"""Books built on a Dask cluster, and by workers that die."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING

import pytest
from books import build, content, settings

from trivalent.bot.book.book_file import BookFile
from trivalent.tools.book.book_builder import BookBuilder
from trivalent.tools.book.book_checks import check
from trivalent.tools.book.evaluation_workers import local_workers
from trivalent.tools.cli import main
from trivalent.tools.tournament.run.workers import WorkersError

if TYPE_CHECKING:
    from pathlib import Path

distributed = pytest.importorskip("distributed")


def test_a_cluster_builds_a_sound_book(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "cluster.book"
    words = ["--size", "5", "--nodes", "20", "--expansions", "1000"]
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, protocol="tcp://", host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
    ) as cluster:  # fmt: skip
        address = cluster.scheduler_address
        assert main(["book", "build", str(path), *words, "--cluster", address]) == 0
    assert "all lines are proven" in capsys.readouterr().err
    with BookFile.read(path) as file:
        assert check(file, 10.0).faults == ()
    build(tmp_path / "here.book", settings(size=5, nodes=20))
    openings = [row for row in content(tmp_path / "here.book") if row[0].startswith("b /")]
    assert [row[4] for row in content(path) if row[0].startswith("b /")] == [
        row[4] for row in openings
    ]


def test_without_a_cluster_it_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trivalent.tools.common.dask_cluster.CONNECT_SECONDS", 0.2)
    words = ["--size", "5", "--nodes", "20", "--cluster", "tcp://127.0.0.1:1"]
    assert main(["book", "build", str(tmp_path / "book"), *words]) == 1
    errors = capsys.readouterr().err
    assert errors.startswith("trivalent book: no answer from a Dask scheduler")
    assert errors.count("\n") == 1


def test_a_dead_worker_ends_the_build_with_a_sentence(tmp_path: Path) -> None:
    about = settings(size=9, nodes=10_000)
    with BookBuilder.open(tmp_path / "book", about) as builder, local_workers(1) as workers:
        assert isinstance(workers, ProcessPoolExecutor)
        pid = workers.submit(os.getpid).result()
        killed: list[int] = []

        def stops(_: int) -> bool:
            if not killed:
                os.kill(pid, 9)
                killed.append(pid)
            return False

        with pytest.raises(WorkersError, match="a worker failed"):
            builder.build(workers, 1, stops=stops, report=lambda _: None)
