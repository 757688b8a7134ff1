"""Workers on a Dask cluster: the same games, on other machines.

A game is a task whose key has the game's id.  The scheduler of the cluster gives a task whose
worker is lost to another one.  Workers keep their engines from game to game in a plugin, which
ends them when the run ends, or when nothing has come for a while because the runner is gone.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from contextlib import contextmanager, suppress
from dataclasses import replace
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

import dask
from distributed import Client, Future, KilledWorker, Worker, WorkerPlugin, get_worker
from distributed.comm import resolve_address

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
    from collections.abc import Iterator

    from trivalent.tools.tournament.model import Game, Record
    from trivalent.tools.tournament.plan.plan_model import Plan
    from trivalent.tools.tournament.run.workers import Message

_CONNECTING = 10.0
"""Seconds to find the scheduler."""
_IDLE = 120.0
"""Seconds without a game after which the engines of a worker end; the next game starts others."""
_LOOK = 1.0
"""Seconds for which the number of workers is taken as known."""


class Host(WorkerPlugin):  # type: ignore[misc]
    """What a worker of the cluster keeps from game to game."""

    def __init__(self, plan: Plan, name: str) -> None:
        self._plan = plan
        self.name = name

    def setup(self, worker: Worker) -> None:
        """Be ready for games, in the process of the worker."""
        self._worker = worker
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._over = threading.Event()
        self._pool = Pool(self._plan, worker.state.nthreads)
        self._last = time.monotonic()
        self.running: set[str] = set()
        threading.Thread(target=self._end_idle_engines, daemon=True).start()

    def teardown(self, worker: Worker) -> None:  # noqa: ARG002 - Dask gives it
        """End all engines."""
        self.abandon()
        self._over.set()
        self._pool.close()

    def abandon(self) -> None:
        """Let running games end at once, as interrupted."""
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
            if self._over.is_set():  # and nobody else closes what was given back just now
                self._pool.close()
        return replace(record, worker=str(self._worker.name))

    def _end_idle_engines(self) -> None:
        while not self._over.wait(_IDLE / 4):
            with self._lock:
                idle = not self.running and time.monotonic() - self._last > _IDLE
            if idle:
                self._pool.close()


def _host(name: str, worker: Worker) -> Host:
    host: Host = worker.plugins[name]
    return host


def _play_there(game: Game, name: str) -> Record:
    return _host(name, get_worker()).play(game)


def _abandon_there(name: str, dask_worker: Worker) -> None:
    with suppress(KeyError):
        _host(name, dask_worker).abandon()


def _running_there(name: str, dask_worker: Worker) -> list[str]:
    with suppress(KeyError):
        return list(_host(name, dask_worker).running)
    return []


class ClusterWorkers:
    """The threads of all workers of a Dask cluster, however many there are at the time."""

    def __init__(self, plan: Plan, address: str) -> None:
        """Raise WorkersError if no scheduler answers at the address."""
        self.messages: SimpleQueue[Message] = SimpleQueue()
        self._name = f"trivalent-{plan.digest[:16]}"
        self._address = address
        self._gone = False
        # What it has to say at the terminal of the runner is tracebacks beside our own sentence.
        for name in [*logging.root.manager.loggerDict]:
            if name.startswith("distributed"):
                logging.getLogger(name).setLevel(logging.CRITICAL)
        with self._sentence("no Dask scheduler answers"):
            dask.config.set({"distributed.comm.timeouts.connect": _CONNECTING})
            resolve_address(address)  # where a Client only fails later, and untidily
            self._client = Client(address, timeout=_CONNECTING, set_as_default=False)
            self._client.register_plugin(Host(plan, self._name), name=self._name)
            self._client.subscribe_topic(self._name, self._hear)
        self._futures: dict[str, Future] = {}
        self._tries: Counter[str] = Counter()
        self._looked = 0.0
        self._threads = 0

    @property
    def capacity(self) -> int:
        """How many games are played at the same time: threads of workers, at least 1."""
        if time.monotonic() - self._looked > _LOOK:
            with self._sentence("there is no Dask scheduler any more"):
                self._threads = sum(self._client.nthreads().values())
            self._looked = time.monotonic()
        return max(1, self._threads)

    def give(self, game: Game) -> None:
        """Let a game be played as soon as a worker is free."""
        self._tries[game.id] += 1
        future = self._client.submit(
            _play_there,
            game,
            self._name,
            key=f"{self._name}/{game.id}/{self._tries[game.id]}",
            pure=False,
        )
        self._futures[game.id] = future
        future.add_done_callback(lambda done: self._take(game.id, done))

    def withdraw(self) -> list[str]:
        """Take back the games that nobody has begun, and return their ids."""
        with self._sentence("there is no Dask scheduler any more"):
            running = self._client.run(_running_there, self._name, on_error="ignore")
        begun = {game for games in running.values() for game in games}
        waiting = [
            game
            for game, future in list(self._futures.items())
            if game not in begun and not future.done()
        ]
        self._client.cancel([self._futures.pop(game) for game in waiting])
        return waiting

    def abandon(self) -> None:
        """Let running games end at once, as interrupted."""
        if not self._gone:
            with suppress(Exception):  # nobody who can be reached plays on
                self._client.run(_abandon_there, self._name, on_error="ignore")

    def close(self) -> None:
        """End all engines, and leave the cluster as it was."""
        if not self._gone:
            with suppress(Exception):  # as above
                self._client.cancel(list(self._futures.values()))
                self._client.unregister_worker_plugin(self._name)
        self._client.close(timeout=_CONNECTING)

    @contextmanager
    def _sentence(self, what: str) -> Iterator[None]:
        """Turn what goes wrong on the way to the scheduler into WorkersError."""
        try:
            yield
        except (OSError, RuntimeError, ValueError) as error:
            self._gone = True
            raise WorkersError(f"{what} at {self._address}: {error}") from None

    def _hear(self, event: tuple[float, Any]) -> None:
        _, message = event
        self.messages.put(Begun(message["game"], message["name"]))

    def _take(self, game: str, future: Future) -> None:
        """Pass on what has become of a task; in a thread of the client."""
        known = self._futures.get(game) is future
        if not known:  # it was withdrawn
            return
        self._futures.pop(game, None)
        if future.status == "finished":
            self.messages.put(Ended(future.result()))
        elif future.status == "error" and not isinstance(error := future.exception(), KilledWorker):
            self.messages.put(Failed(game, error))
        else:
            self.messages.put(Lost(game, f"{game} was lost with its workers, and is played again"))
