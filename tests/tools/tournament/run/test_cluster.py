"""Tournaments on a real Dask cluster: a scheduler and two workers on this machine."""

import json
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from dask_clusters import Cluster
from tournaments import (
    begin,
    ends,
    engines_of,
    eventually,
    read_until,
    table,
    tournament,
    trivial_plan,
)

from trivalent.tools.tournament.plan.plan_file import load
from trivalent.tools.tournament.run.store import Store
from trivalent.tools.tournament.run.workers import WorkersError

cluster_module = pytest.importorskip("trivalent.tools.tournament.run.cluster")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with ExitStack() as stack:
        yield Cluster(tmp_path_factory.mktemp("cluster"), stack)


def _workers(database: Path) -> Counter[str]:
    with Store.read(database) as store:
        return Counter(record.worker for record in store.records())


def require_every_game_once(plan: Path, games: int) -> None:
    played = table(plan.with_suffix(".db"))
    assert len(played) == games
    assert len({game for game, *_ in played}) == games


def test_cluster_plays_the_same_games(cluster: Cluster, tmp_path: Path) -> None:
    plan = trivial_plan(tmp_path, size=3, seconds=0.01)
    here = tmp_path / "here.db"
    assert tournament("run", plan, "--store", here).returncode == 0
    done = tournament("run", plan, "--cluster", cluster.address, "--json")
    assert done.returncode == 0, done.stderr
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert sum(event["event"] == "game ended" for event in events) == 18
    begun = [event for event in events if event["event"] == "game begun"]
    assert {event["worker"] for event in begun} <= {"one", "two"}
    assert table(plan.with_suffix(".db")) == table(here)
    assert set(_workers(here)) == {"local 1", "local 2"}
    assert set(_workers(plan.with_suffix(".db"))) == {"one", "two"}
    assert eventually(lambda: not engines_of(tmp_path))


def test_killed_runner_is_continued_on_the_cluster(cluster: Cluster, tmp_path: Path) -> None:
    plan = trivial_plan(tmp_path, size=3, seconds=0.05)
    with begin(plan, "--cluster", cluster.address) as process:
        read_until(process, "game ended", 2)
        process.send_signal(signal.SIGKILL)
    assert tournament("run", plan, "--cluster", cluster.address).returncode == 0
    require_every_game_once(plan, 18)
    assert eventually(lambda: not engines_of(tmp_path))


def test_stop(cluster: Cluster, tmp_path: Path) -> None:
    plan = trivial_plan(tmp_path, size=3, seconds=1000)
    with begin(plan, "--cluster", cluster.address) as process:
        read_until(process, "game begun", 2)
        assert tournament("stop", plan, "--now").returncode == 0
        assert ends(process) == 3
    assert table(plan.with_suffix(".db")) == []
    assert eventually(lambda: not engines_of(tmp_path))


def test_games_of_a_killed_worker_are_played_by_another(tmp_path: Path) -> None:
    """The other worker replays its games, and its engines don't outlive it."""
    plan = trivial_plan(tmp_path, size=4, seconds=0.02)
    with ExitStack() as stack:
        cluster = Cluster(tmp_path, stack)
        with begin(plan, "--cluster", cluster.address) as process:
            read_until(process, "game ended", 8)
            cluster.workers[0].send_signal(signal.SIGKILL)
            read_until(process, "game ended", 4)
            cluster.add_worker("three")
            assert ends(process) == 0
        require_every_game_once(plan, 32)
        workers = _workers(plan.with_suffix(".db"))
        assert set(workers) <= {"one", "two", "three"}
        assert min(workers["one"], workers["two"]) > 0
        assert eventually(lambda: not engines_of(tmp_path))


def test_killed_scheduler_ends_the_run(tmp_path: Path) -> None:
    plan = trivial_plan(tmp_path, size=3, seconds=0.05)
    with ExitStack() as stack:
        cluster = Cluster(tmp_path, stack)
        with begin(plan, "--cluster", cluster.address) as process:
            read_until(process, "game ended", 2)
            cluster.scheduler.send_signal(signal.SIGKILL)
            output, complaint = process.communicate()
            assert process.returncode == 1
    assert f"lost the Dask scheduler at {cluster.address}" in output
    assert "Traceback" not in complaint
    assert tournament("run", plan).returncode == 0
    require_every_game_once(plan, 18)
    assert eventually(lambda: not engines_of(tmp_path))


def test_an_invalid_address_is_refused(tmp_path: Path) -> None:
    address = "nonsense://1"
    plan = trivial_plan(tmp_path, size=2)
    done = tournament("run", plan, "--cluster", address)
    assert done.returncode == 1
    assert f"no answer from a Dask scheduler at {address}: " in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("address", ["127.0.0.1", "tcp://127.0.0.1:1"])
def test_no_scheduler_at_the_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setattr("trivalent.tools.common.dask_cluster.CONNECT_SECONDS", 0.2)
    plan = load(trivial_plan(tmp_path, size=2))
    with pytest.raises(WorkersError, match=f"no answer from a Dask scheduler at {address}: "):
        cluster_module.ClusterWorkers(plan, address)
