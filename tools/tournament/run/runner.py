"""The runner hands out the games that are due, saves their records, and decides when to stop.

It's the only writer of the store, and doesn't care whether workers are local threads or a cluster.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum
from queue import Empty
from typing import TYPE_CHECKING

from trivalent.tools.tournament.model import Ending
from trivalent.tools.tournament.run.events import (
    GameBegun,
    GameEnded,
    Notice,
    RunEnded,
    RunStarted,
    StateChanged,
)
from trivalent.tools.tournament.run.schedule import Schedule
from trivalent.tools.tournament.run.store import StoreError
from trivalent.tools.tournament.run.workers import (
    Begun,
    Ended,
    Failed,
    ForwardedEvent,
    Lost,
    WakeUp,
    WorkersError,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trivalent.tools.tournament.model import Game, Record
    from trivalent.tools.tournament.plan.plan_model import Plan
    from trivalent.tools.tournament.run.events import Consumer, Event
    from trivalent.tools.tournament.run.store import Store
    from trivalent.tools.tournament.run.workers import Message, Workers

LOGGER = logging.getLogger("trivalent.tournament")
SAVE_SPACING = 0.02
"""Minimum seconds between transactions: fast games share one, slow games never wait."""
SAVE_RETRY = 2.0
"""Seconds between attempts to save after saving has failed."""
SAVE_PATIENCE = 600.0
"""Seconds after which the runner stops waiting for somebody to free disk space."""
TOLERATED_INCIDENTS = 3
"""Number of void incidents always tolerated, however few games a run has."""
MAX_LOSSES = 3
"""A run fails when the same game is lost this many times together with its worker."""


class Reason(Enum):
    """Why a run has ended."""

    FINISHED = "all games are played"
    STOPPED = "stopped before the end"
    VOID = "too many void games"
    UNSAVED = "results could not be saved"
    FAILED = "internal error"


@dataclass(frozen=True, slots=True)
class Result:
    """How a run has ended."""

    reason: Reason
    sentence: str


class Breakers:
    """Circuit breakers: stop the run when too many games are void."""

    def __init__(self, plan: Plan) -> None:
        self._in_a_row = plan.faults.in_a_row
        self._share = plan.faults.share
        self._rows: Counter[frozenset[str]] = Counter()
        self._never_played = {engine.name for engine in plan.engines}
        self._games = 0
        self._void = 0
        self._incidents = 0
        """Number of void incidents; games that ran in parallel count once."""
        self._begun: dict[str, tuple[int, int]] = {}
        """For each running game: void games in a row of its pairing, and incidents, when it began.
        """

    def begin(self, game: Game) -> None:
        """Note that a game has begun."""
        self._begun[game.id] = self._rows[frozenset((game.black, game.white))], self._incidents

    def add(self, game: Game, record: Record) -> str:
        """Note how a game has ended; return the reason to stop the run, or an empty string."""
        self._games += 1
        pairing = frozenset((game.black, game.white))
        now = self._rows[pairing]
        row, incidents = self._begun.pop(game.id, (now, self._incidents))
        if record.winner:
            self._rows[pairing] = 0
            self._never_played -= pairing
            return ""
        self._void += 1
        # Suspending the host spoils all running games, but it's only one incident.
        self._incidents = max(self._incidents, incidents + 1)
        self._rows[pairing] = max(now, min(now, row) + 1)
        last = f"the last one: {record.ending.value}{f', {record.detail}' * bool(record.detail)}"
        if record.ending is Ending.NOT_STARTED and record.blamed in self._never_played:
            return f"{record.blamed} doesn't start: {record.detail}"
        if self._rows[pairing] >= self._in_a_row:
            return (
                f"{self._rows[pairing]} void games in a row between {game.black} and "
                f"{game.white}; {last}"
            )
        if self._incidents > max(TOLERATED_INCIDENTS, self._share * self._games):
            return f"{self._void} of {self._games} games are void; {last}"
        return ""


class Runner:
    """Plays the missing games of a run."""

    def __init__(
        self,
        plan: Plan,
        store: Store,
        workers: Workers,
        consumers: Sequence[Consumer],
    ) -> None:
        """Continue the run in the store.  Raise StoreError if it can't be read."""
        self._plan = plan
        # A sequential test needs the moves, to leave out repetitions.
        self.schedule = Schedule(plan, store.records(whole=plan.format == "sprt"))
        self._total = self.schedule.total
        self._played = self.schedule.played
        self._store = store
        self._workers = workers
        self._consumers = list(consumers)
        self.output_failure: OSError | None = None
        """Why a consumer of events was given up."""
        self._breakers = Breakers(plan)
        self._attempts = Counter(store.void())
        self._losses: Counter[str] = Counter()
        self._dispatched: dict[str, Game] = {}
        self._unsaved: list[tuple[Game, Record]] = []
        self._saved_at = 0.0
        self._save_failure: tuple[float, str] | None = None
        """Time of the first failed attempt to save, and the reason; None while saving works."""
        self._result: Result | None = None
        self._stopped = self._to_abandon = self._abandoned = self._withdrawn = False

    def stop(self, *, abandon: bool = True) -> None:
        """Start no more games; abandon the running ones, or let them end.

        Safe to call from a signal handler.
        """
        self._stopped = True
        self._to_abandon |= abandon
        self._workers.messages.put(WakeUp())

    def run(self) -> Result:
        """Play until all games are decided, somebody stops the run, or a breaker trips."""
        at_once = self._workers.capacity
        self._emit(RunStarted(self._plan.name, self._total, self._played, at_once))
        state = self.schedule.state
        try:
            while self._must_continue():
                self._dispatch()
                self._receive()
                self._save()
                if self.schedule.state != state:
                    state = self.schedule.state
                    self._emit(StateChanged(state))
        except WorkersError as error:
            self._end(Reason.FAILED, str(error))
        finally:
            self._workers.abandon()
            self._workers.close()
            with suppress(StoreError):  # only an exception leaves anything to save
                self._store.add(self._unsaved)
        all_played = self.schedule.decision or Reason.FINISHED.value
        result = self._result or Result(Reason.FINISHED, all_played)
        self._emit(RunEnded(result.sentence, self._played, self._total))
        return result

    def _must_continue(self) -> bool:
        if self._stopped and not self._result:
            self._end(Reason.STOPPED, "stopped; run the same command again to continue")
            if not self._to_abandon:
                self._emit(Notice("waiting for running games to end; Ctrl-C abandons them"))
        if self._to_abandon and not self._abandoned:
            self._abandoned = True
            self._workers.abandon()
        if (self._result or self.schedule.done) and not self._withdrawn:
            self._withdrawn = True
            for game in self._workers.withdraw():
                self._dispatched.pop(game, None)
        if self._dispatched:
            return True
        if self._unsaved:
            return self._keep_trying_to_save()
        return not (self._result or self.schedule.done)

    def _keep_trying_to_save(self) -> bool:
        """Return whether to keep going because results haven't been saved yet."""
        if self._save_failure is None:
            return True
        since, why = self._save_failure
        if time.monotonic() - since < SAVE_PATIENCE and not self._stopped:
            return True
        self._try_to_save()
        if self._unsaved:
            lost = f"{len(self._unsaved)} results are lost and will be replayed: {why}"
            self._result = Result(Reason.UNSAVED, lost)
        return False

    def _end(self, reason: Reason, sentence: str) -> None:
        """End the run once the running games have ended; only the first reason counts."""
        if self._result is None:
            self._result = Result(reason, sentence)

    def _dispatch(self) -> None:
        """Give each worker one game to play and one to continue with."""
        if self._result or self._save_failure:
            return
        max_games = 2 * self._workers.capacity
        due = self.schedule.due(max_games) if len(self._dispatched) < max_games else []
        for game in due:
            if len(self._dispatched) >= max_games:
                break
            if game.id not in self._dispatched:
                self._dispatched[game.id] = game
                self._workers.submit(game)

    def _receive(self) -> None:
        """Process the messages of the workers; wait for one if there are none."""
        waiting = SAVE_SPACING if self._unsaved and not self._save_failure else SAVE_RETRY
        messages: list[Message] = []
        with suppress(Empty):
            messages.append(self._workers.messages.get(timeout=waiting))
            while len(messages) < 100:
                messages.append(self._workers.messages.get_nowait())
        for message in messages:
            self._handle(message)

    def _handle(self, message: Message) -> None:
        match message:
            case Begun(key, worker):
                if game := self._dispatched.get(key):
                    self._breakers.begin(game)
                    self._emit(GameBegun(game, self._attempts[key] + 1, worker))
            case Ended(record):
                # Ignore a second result: a worker thought lost may have finished the game.
                if game := self._dispatched.pop(record.game, None):
                    self._add(game, record)
            case Lost(key, reason):
                self._dispatched.pop(key, None)
                self._losses[key] += 1
                if self._losses[key] == MAX_LOSSES:
                    self._end(Reason.FAILED, f"{MAX_LOSSES} times in a row: {reason}")
                self._emit(Notice(reason))
            case Failed(key, error):
                self._dispatched.pop(key, None)
                LOGGER.error("internal error in game %s", key, exc_info=error)
                self._end(Reason.FAILED, f"internal error in game {key}: {error!r}")
            case ForwardedEvent(event):
                self._emit(event)
            case WakeUp():
                pass

    def _add(self, game: Game, record: Record) -> None:
        record = replace(record, attempt=self._attempts[game.id] + 1)
        if record.ending is Ending.INTERRUPTED:  # by us; not stored
            self._emit(GameEnded(game, record, self._played, self._total))
            return
        if not record.winner:
            self._attempts[game.id] += 1
        self._unsaved.append((game, record))
        self.schedule.add(record)
        if why := self._breakers.add(game, record):
            self._end(Reason.VOID, why)

    def _save(self) -> None:
        """Save new records, unless the latest transaction was just now."""
        now = time.monotonic()
        if not self._unsaved or now - self._saved_at < (
            SAVE_RETRY if self._save_failure else SAVE_SPACING
        ):
            return
        self._try_to_save()

    def _try_to_save(self) -> None:
        try:
            self._store.add(self._unsaved)
        except StoreError as error:
            if self._save_failure is None:
                self._save_failure = (time.monotonic(), str(error))
                waiting = "results are kept in memory, and no games start until saving works again"
                self._emit(Notice(f"{error}; {waiting}"))
        else:
            if self._save_failure:
                self._save_failure = None
                self._emit(Notice("saving works again"))
            for game, record in self._unsaved:
                self._played += bool(record.winner)
                self._emit(GameEnded(game, record, self._played, self._total))
            self._unsaved.clear()
        self._saved_at = time.monotonic()

    def _emit(self, event: Event) -> None:
        for consumer in list(self._consumers):
            try:
                consumer(event)
            except OSError as error:  # such as a closed pipe; the store has everything
                self.output_failure = error
                self._consumers.remove(consumer)
