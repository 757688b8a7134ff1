"""Workers: they play the games that they are given, here as threads of this process.

A worker is a thread, and most of the work is in the engines' own processes, which go on from game
to game.  What workers have to say goes into a queue of messages, which the runner reads.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, replace
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Protocol

from trivalent.tools.tournament.play import referee
from trivalent.tools.tournament.play.contestant import Contestant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trivalent.tools.tournament.model import Game, Record
    from trivalent.tools.tournament.plan.plan_model import Plan
    from trivalent.tools.tournament.run.events import Event


class WorkersError(RuntimeError):
    """Why there is nobody to play, in one sentence."""


@dataclass(frozen=True, slots=True)
class Begun:
    """A worker has begun a game."""

    game: str
    worker: str


@dataclass(frozen=True, slots=True)
class Ended:
    """A worker has played a game."""

    record: Record


@dataclass(frozen=True, slots=True)
class Lost:
    """A game came to nothing, by no fault of an engine: it has to be played again."""

    game: str
    reason: str


@dataclass(frozen=True, slots=True)
class Failed:
    """A worker has met a fault of this program."""

    game: str
    error: Exception


@dataclass(frozen=True, slots=True)
class Woken:
    """Somebody wants the runner to look around."""


@dataclass(frozen=True, slots=True)
class Told:
    """Somebody beside the run has something for whoever shows it."""

    event: Event


Message = Begun | Ended | Lost | Failed | Woken | Told


class Workers(Protocol):
    """Who plays the games: threads here, or a cluster."""

    messages: SimpleQueue[Message]

    @property
    def capacity(self) -> int:
        """How many games are played at the same time."""

    def give(self, game: Game) -> None:
        """Let a game be played as soon as somebody is free."""

    def withdraw(self) -> list[str]:
        """Take back the games that nobody has begun, and return their ids."""

    def abandon(self) -> None:
        """Let running games end at once, as interrupted."""

    def close(self) -> None:
        """End all engines and workers; no game may be running that was not abandoned."""


class Pool:
    """The contestants of a process: each plays one game at a time, some wait for the next."""

    _WAITING = 8
    """Processes that wait, whatever the number of games at a time; beyond it the longest waiting
    one ends."""

    def __init__(self, plan: Plan, at_once: int) -> None:
        self._plan = plan
        self._most = max(2 * at_once, self._WAITING)
        self._waiting: OrderedDict[int, Contestant] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, name: str) -> Contestant:
        """Return one that waits, the last one to have played, or a new one."""
        with self._lock:
            for key in reversed(self._waiting):
                if self._waiting[key].name == name:
                    return self._waiting.pop(key)
        return Contestant(self._plan.engine(name), self._plan)

    def give_back(self, contestant: Contestant) -> None:
        """Let one wait for its next game."""
        superfluous = None
        with self._lock:
            self._waiting[id(contestant)] = contestant
            if len(self._waiting) > self._most:
                _, superfluous = self._waiting.popitem(last=False)
        if superfluous:
            superfluous.close()

    def close(self) -> None:
        """End the processes of all that wait."""
        with self._lock:
            waiting = list(self._waiting.values())
            self._waiting.clear()
        for contestant in waiting:
            contestant.close()


def play(game: Game, plan: Plan, pool: Pool, stop: threading.Event) -> Record:
    """Play a game between contestants of the pool."""
    black, white = pool.take(game.black), pool.take(game.white)
    try:
        return referee.play(game, plan, black, white, stop=stop)
    finally:
        pool.give_back(black)
        pool.give_back(white)


def at_once(plan: Plan) -> int:
    """Return how many games to play at the same time on this machine."""
    if plan.concurrency:
        return plan.concurrency
    return max(1, cores() // threads(plan))


def threads(plan: Plan) -> int:
    """Return the most threads that an engine of ours uses; it is in charge of its own ones."""
    return max(int(engine.parameters.get("threads", "1")) or cores() for engine in plan.engines)


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0))


class LocalWorkers:
    """Threads of this process, one for each game that is played.

    Each may have some cores to itself and the engines that it starts: moves then pass between
    processes without waking another core.
    """

    def __init__(self, plan: Plan, *, cores: int = 0) -> None:
        self.messages: SimpleQueue[Message] = SimpleQueue()
        self.capacity = at_once(plan)
        self._cores = cores
        self._all_cores = sorted(os.sched_getaffinity(0))
        if cores * self.capacity > len(self._all_cores):
            raise WorkersError(
                f"{self.capacity} games at a time cannot have {cores} cores each: there are "
                f"{len(self._all_cores)}"
            )
        self._plan = plan
        self._pool = Pool(plan, self.capacity)
        self._games: SimpleQueue[Game | None] = SimpleQueue()
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []

    def give(self, game: Game) -> None:
        """Let a game be played as soon as a thread is free."""
        self._games.put(game)
        if len(self._threads) < self.capacity:
            number = len(self._threads)
            self._threads.append(threading.Thread(target=self._work, args=(number,)))
            self._threads[-1].start()

    def withdraw(self) -> list[str]:
        """Take back the games that nobody has begun, and return their ids."""
        return [game.id for game in self._untaken() if game]

    def abandon(self) -> None:
        """Let running games end at once, as interrupted."""
        self._stop.set()

    def close(self) -> None:
        """End all engines and threads."""
        for _ in self._threads:
            self._games.put(None)
        for thread in self._threads:
            thread.join()
        self._pool.close()

    def _untaken(self) -> Iterator[Game | None]:
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
            except Exception as error:  # noqa: BLE001 - it must not leave the runner waiting
                self.messages.put(Failed(game.id, error))
            else:
                self.messages.put(Ended(replace(record, worker=name)))
