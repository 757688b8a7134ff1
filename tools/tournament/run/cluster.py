"""Workers on a Dask cluster: the same games, played on other machines.

Each game is a task whose key contains the game's id.  If a worker is lost, Dask's scheduler gives
its tasks to another worker.  A plugin on each worker keeps the engines from game to game; it closes
them when the run ends, or after a while without games because the runner is gone.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from distributed import Future, Worker, WorkerPlugin, get_worker

from trivalent.tools.common.dask_cluster import DaskCluster, was_lost
from trivalent.tools.tournament.run.workers import (
    Begun,
    Ended,
    Failed,
    Lost,
    Pool,
    WorkersError,
    play,
)

if TYPE_CHECKING:
    from trivalent.tools.tournament.model import Game, Record
    from trivalent.tools.tournament.plan.plan_model import Plan
    from trivalent.tools.tournament.run.workers import Message

_IDLE_SECONDS = 120.0
"""Seconds without a game after which a worker closes its engines; the next game starts new ones."""


class Host(WorkerPlugin):  # type: ignore[misc]
    """Keeps the engines of one cluster worker from game to game."""

    def __init__(self, plan: Plan, name: str) -> None:
        self._plan = plan
        self.name = name

    def setup(self, worker: Worker) -> None:
        """Set up in the worker's process."""
        self._worker = worker
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._over = threading.Event()
        self._pool = Pool(self._plan, worker.state.nthreads)
        self._last = time.monotonic()
        self.running: set[str] = set()
        threading.Thread(target=self._end_idle_engines, daemon=True).start()

    def teardown(self, worker: Worker) -> None:  # noqa: ARG002 - Dask gives it
        """Close all engines."""
        self.abandon()
        self._over.set()
        self._pool.close()

    def abandon(self) -> None:
        """Make running games end at once, as interrupted."""
        self._stop.set()

    def play(self, game: Game) -> Record:
        """Play a game in a thread of the worker."""
        with self._lock:
            self.running.add(game.id)
        self._worker.log_event(self.name, {"game": game.id, "name": str(self._worker.name)})
        try:
            record = play(game, self._plan, self._pool, self._stop)
        finally:
            with self._lock:
                self.running.discard(game.id)
                self._last = time.monotonic()
            if self._over.is_set():  # nobody else would close the engines just given back
                self._pool.close()
        return replace(record, worker=str(self._worker.name))

    def _end_idle_engines(self) -> None:
        while not self._over.wait(_IDLE_SECONDS / 4):
            with self._lock:
                idle = not self.running and time.monotonic() - self._last > _IDLE_SECONDS
            if idle:
                self._pool.close()


def _host(name: str, worker: Worker) -> Host:
    host: Host = worker.plugins[name]
    return host


def _play_on_worker(game: Game, name: str) -> Record:
    return _host(name, get_worker()).play(game)


def _abandon_on_worker(name: str, dask_worker: Worker) -> None:
    with suppress(KeyError):
        _host(name, dask_worker).abandon()


def _running_on_worker(name: str, dask_worker: Worker) -> list[str]:
    with suppress(KeyError):
        return list(_host(name, dask_worker).running)
    return []


class ClusterWorkers:
    """All threads of all workers of a Dask cluster, whose number may change."""

    def __init__(self, plan: Plan, address: str) -> None:
        """Connect.  Raise WorkersError if no scheduler answers at the address."""
        self.messages: SimpleQueue[Message] = SimpleQueue()
        self._name = f"trivalent-{plan.digest[:16]}"
        self._cluster = DaskCluster(address, WorkersError)
        with self._cluster.errors("no answer from a Dask scheduler"):
            client = self._cluster.client
            client.register_plugin(Host(plan, self._name), name=self._name)
            client.subscribe_topic(self._name, self._on_begun)
        self._futures: dict[str, Future] = {}
        self._attempts: Counter[str] = Counter()

    @property
    def capacity(self) -> int:
        """Number of games played in parallel: the threads of all workers, at least 1."""
        return self._cluster.capacity

    def submit(self, game: Game) -> None:
        """Queue a game for the next free worker."""
        self._attempts[game.id] += 1
        key = f"{self._name}/{game.id}/{self._attempts[game.id]}"
        future = self._cluster.submit(key, _play_on_worker, game, self._name)
        self._futures[game.id] = future
        future.add_done_callback(lambda done: self._on_done(game.id, done))

    def withdraw(self) -> list[str]:
        """Take back the games that haven't started; return their ids."""
        with self._cluster.errors("lost the Dask scheduler"):
            running = self._cluster.client.run(_running_on_worker, self._name, on_error="ignore")
        begun = {game for games in running.values() for game in games}
        waiting = [
            game
            for game, future in list(self._futures.items())
            if game not in begun and not future.done()
        ]
        self._cluster.client.cancel([self._futures.pop(game) for game in waiting])
        return waiting

    def abandon(self) -> None:
        """Make running games end at once, as interrupted."""
        if not self._cluster.gone:
            with suppress(Exception):  # unreachable workers can't be told
                self._cluster.client.run(_abandon_on_worker, self._name, on_error="ignore")

    def close(self) -> None:
        """Close all engines, and leave the cluster as it was."""
        self._cluster.cancel(list(self._futures.values()))
        if not self._cluster.gone:
            with suppress(Exception):  # as above
                self._cluster.client.unregister_worker_plugin(self._name)
        self._cluster.close()

    def _on_begun(self, event: tuple[float, Any]) -> None:
        _, message = event
        self.messages.put(Begun(message["game"], message["name"]))

    def _on_done(self, game: str, future: Future) -> None:
        """Report what became of a task; called in a thread of the Dask client."""
        known = self._futures.get(game) is future
        if not known:  # withdrawn
            return
        self._futures.pop(game, None)
        if future.status == "finished":
            self.messages.put(Ended(future.result()))
        elif was_lost(future):
            self.messages.put(Lost(game, f"{game} was lost with its worker and will be replayed"))
        else:
            self.messages.put(Failed(game, future.exception()))
