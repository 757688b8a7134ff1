"""Workers play the games they're given; these ones are threads of this process.

Most of the work happens in the processes of the engines, which are reused from game to game.
Workers report to the runner through a queue of messages.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, replace
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Protocol

from trivalent.core.processors import usable_cores
from trivalent.tools.tournament.play import referee
from trivalent.tools.tournament.play.contestant import Contestant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trivalent.tools.tournament.model import Game, Record
    from trivalent.tools.tournament.plan.plan_model import Plan
    from trivalent.tools.tournament.run.events import Event


class WorkersError(RuntimeError):
    """Workers can't be started or reached; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class Begun:
    """A worker has started a game."""

    game: str
    worker: str


@dataclass(frozen=True, slots=True)
class Ended:
    """A worker has finished a game."""

    record: Record


@dataclass(frozen=True, slots=True)
class Lost:
    """A game was lost through no fault of an engine, and has to be replayed."""

    game: str
    reason: str


@dataclass(frozen=True, slots=True)
class Failed:
    """A worker hit an internal error."""

    game: str
    error: Exception


@dataclass(frozen=True, slots=True)
class WakeUp:
    """Wakes up the runner."""


@dataclass(frozen=True, slots=True)
class ForwardedEvent:
    """Passes an event from outside the runner to its consumers."""

    event: Event


Message = Begun | Ended | Lost | Failed | WakeUp | ForwardedEvent


class Workers(Protocol):
    """Whoever plays the games: local threads or a cluster."""

    messages: SimpleQueue[Message]

    @property
    def capacity(self) -> int:
        """Number of games played in parallel."""

    def submit(self, game: Game) -> None:
        """Queue a game for the next free worker."""

    def withdraw(self) -> list[str]:
        """Take back the games that haven't started; return their ids."""

    def abandon(self) -> None:
        """Make running games end at once, as interrupted."""

    def close(self) -> None:
        """Stop all engines and workers.  Running games must have been abandoned."""


class Pool:
    """Idle contestants of one process, kept for their next game."""

    _MIN_IDLE = 8
    """Minimum number of idle engines kept; beyond the limit, the one idle for longest is closed."""

    def __init__(self, plan: Plan, at_once: int) -> None:
        self._plan = plan
        self._max_idle = max(2 * at_once, self._MIN_IDLE)
        self._idle: OrderedDict[int, Contestant] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, name: str) -> Contestant:
        """Return the idle contestant that played last, or a new one."""
        with self._lock:
            for key in reversed(self._idle):
                if self._idle[key].name == name:
                    return self._idle.pop(key)
        return Contestant(self._plan.engine(name), self._plan)

    def give_back(self, contestant: Contestant) -> None:
        """Keep a contestant for its next game."""
        superfluous = None
        with self._lock:
            self._idle[id(contestant)] = contestant
            if len(self._idle) > self._max_idle:
                _, superfluous = self._idle.popitem(last=False)
        if superfluous:
            superfluous.close()

    def close(self) -> None:
        """Close all idle contestants."""
        with self._lock:
            idle = list(self._idle.values())
            self._idle.clear()
        for contestant in idle:
            contestant.close()


def play(game: Game, plan: Plan, pool: Pool, stop: threading.Event) -> Record:
    """Play a game between contestants from the pool."""
    black, white = pool.take(game.black), pool.take(game.white)
    try:
        return referee.play(game, plan, black, white, stop=stop)
    finally:
        pool.give_back(black)
        pool.give_back(white)


def at_once(plan: Plan) -> int:
    """Return how many games this machine plays in parallel."""
    if plan.concurrency:
        return plan.concurrency
    return max(1, usable_cores() // threads(plan))


def threads(plan: Plan) -> int:
    """Return the largest number of threads that an engine uses; foreign ones count as 1."""
    return max(
        int(engine.parameters.get("threads", "1")) or usable_cores() for engine in plan.engines
    )


class LocalWorkers:
    """Threads of this process, one per game in parallel.

    With ``cores``, each thread and its engines are pinned to that many cores of their own, so that
    passing a move between processes doesn't wake another core.
    """

    def __init__(self, plan: Plan, *, cores: int = 0) -> None:
        self.messages: SimpleQueue[Message] = SimpleQueue()
        self.capacity = at_once(plan)
        self._cores = cores
        if cores and not hasattr(os, "sched_setaffinity"):
            raise WorkersError("this system can't pin games to cores: run without --pin")
        if cores * self.capacity > usable_cores():
            raise WorkersError(
                f"not enough cores: {self.capacity} games in parallel with {cores} cores each, but "
                f"only {usable_cores()} are available"
            )
        self._all_cores = sorted(os.sched_getaffinity(0)) if cores else []
        self._plan = plan
        self._pool = Pool(plan, self.capacity)
        self._games: SimpleQueue[Game | None] = SimpleQueue()
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []

    def submit(self, game: Game) -> None:
        """Queue a game for the next free thread."""
        self._games.put(game)
        if len(self._threads) < self.capacity:
            number = len(self._threads)
            self._threads.append(threading.Thread(target=self._work, args=(number,)))
            self._threads[-1].start()

    def withdraw(self) -> list[str]:
        """Take back the games that haven't started; return their ids."""
        return [game.id for game in self._queued() if game]

    def abandon(self) -> None:
        """Make running games end at once, as interrupted."""
        self._stop.set()

    def close(self) -> None:
        """Stop all engines and threads."""
        for _ in self._threads:
            self._games.put(None)
        for thread in self._threads:
            thread.join()
        self._pool.close()

    def _queued(self) -> Iterator[Game | None]:
        with suppress(Empty):
            while True:
                yield self._games.get_nowait()

    def _work(self, number: int) -> None:
        name = f"local {number + 1}"
        if self._cores:
            first = number * self._cores
            os.sched_setaffinity(0, self._all_cores[first : first + self._cores])
        while game := self._games.get():
            self.messages.put(Begun(game.id, name))
            try:
                record = play(game, self._plan, self._pool, self._stop)
            except Exception as error:  # noqa: BLE001 - the runner must not wait forever
                self.messages.put(Failed(game.id, error))
            else:
                self.messages.put(Ended(replace(record, worker=name)))
