"""The runner: it gives out the games that are due, saves what comes of them, and knows when to end.

It is the only writer of the store.  What the workers are, threads or a cluster, makes no difference
to it.
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
    Lost,
    Told,
    Woken,
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
SPACING = 0.02
"""Seconds from one transaction to the next: faster games share one, slow ones never wait."""
RETRY = 2.0
"""Seconds until saving is tried again after it was impossible."""
PATIENCE = 600.0
"""Seconds after which nobody is expected to make room on the disk."""
FEW = 3
"""So often games may come to nothing, however few games a run has."""
LOSSES = 3
"""So often the same game may be lost with its worker."""


class Reason(Enum):
    """Why a run has ended."""

    FINISHED = "all games are played"
    STOPPED = "stopped before the end"
    VOID = "too many void games"
    UNSAVED = "results could not be saved"
    FAILED = "a fault of the program"


@dataclass(frozen=True, slots=True)
class Result:
    """How a run has ended."""

    reason: Reason
    sentence: str


class Breakers:
    """They say when games come to nothing too often for going on to make sense."""

    def __init__(self, plan: Plan) -> None:
        self._in_a_row = plan.faults.in_a_row
        self._share = plan.faults.share
        self._rows: Counter[frozenset[str]] = Counter()
        self._never_played = {engine.name for engine in plan.engines}
        self._games = 0
        self._void = 0
        self._times = 0
        """How often games have come to nothing, where those that run side by side count once."""
        self._begun: dict[str, tuple[int, int]] = {}
        """Row and times when a game began that runs."""

    def begin(self, game: Game) -> None:
        """Take note of the beginning of a game."""
        self._begun[game.id] = self._rows[frozenset((game.black, game.white))], self._times

    def add(self, game: Game, record: Record) -> str:
        """Take note of the end of a game; return why to stop, or nothing."""
        self._games += 1
        pairing = frozenset((game.black, game.white))
        now = self._rows[pairing]
        row, times = self._begun.pop(game.id, (now, self._times))
        if record.winner:
            self._rows[pairing] = 0
            self._never_played -= pairing
            return ""
        self._void += 1
        # A host that is suspended hits all games that run, and it has done so once.
        self._times = max(self._times, times + 1)
        self._rows[pairing] = max(now, min(now, row) + 1)
        last = f"the last one: {record.ending.value}{f', {record.detail}' * bool(record.detail)}"
        if record.ending is Ending.NOT_STARTED and record.blamed in self._never_played:
            return f"{record.blamed} does not start: {record.detail}"
        if self._rows[pairing] >= self._in_a_row:
            return (
                f"{self._rows[pairing]} void games in a row between {game.black} and "
                f"{game.white}; {last}"
            )
        if self._times > max(FEW, self._share * self._games):
            return f"{self._void} of {self._games} games are void; {last}"
        return ""


class Runner:
    """Plays what is missing of a run."""

    def __init__(
        self,
        plan: Plan,
        store: Store,
        workers: Workers,
        consumers: Sequence[Consumer],
    ) -> None:
        """Take up a run where its store has it; raise StoreError if that cannot be read."""
        self._plan = plan
        # A sequential test leaves out what repeats, and looks at the moves.
        self.schedule = Schedule(plan, store.records(whole=plan.format == "sprt"))
        self._total = self.schedule.total
        self._played = self.schedule.played
        self._store = store
        self._workers = workers
        self._consumers = list(consumers)
        self._breakers = Breakers(plan)
        self._attempts = Counter(store.void())
        self._losses: Counter[str] = Counter()
        self._given: dict[str, Game] = {}
        self._unsaved: list[tuple[Game, Record]] = []
        self._saved_at = 0.0
        self._trouble: tuple[float, str] | None = None
        """Since when results cannot be saved, and why."""
        self._result: Result | None = None
        self._stops = 0
        self._abandoned = self._withdrawn = False

    def stop(self, *, now: bool = False) -> bool:
        """Begin no more games; the second time, or now, abandon those that run.

        May be called from a signal handler.  Return whether running games are abandoned.
        """
        self._stops = 2 if now else self._stops + 1
        self._workers.messages.put(Woken())
        return self._stops >= 2

    def run(self) -> Result:
        """Play until all is played, somebody stops it, or it makes no sense to go on."""
        at_once = self._workers.capacity
        self._emit(RunStarted(self._plan.name, self._total, self._played, at_once))
        state = self.schedule.state
        try:
            while self._goes_on():
                self._give_out()
                self._hear()
                self._save()
                if self.schedule.state != state:
                    state = self.schedule.state
                    self._emit(StateChanged(state))
        except WorkersError as error:
            self._end(Reason.FAILED, str(error))
        finally:
            self._workers.abandon()
            self._workers.close()
            with suppress(StoreError):  # only after an exception is there anything left to save
                self._store.add(self._unsaved)
        all_played = self.schedule.decision or Reason.FINISHED.value
        result = self._result or Result(Reason.FINISHED, all_played)
        self._emit(RunEnded(result.sentence, self._played, self._total))
        return result

    def _goes_on(self) -> bool:
        if self._stops and not self._result:
            self._end(Reason.STOPPED, "stopped; the same command goes on with the missing games")
            if self._stops == 1:
                again = "the second time running ones are abandoned"
                self._emit(Notice(f"no more games begin; {again}"))
        if self._stops >= 2 and not self._abandoned:
            self._abandoned = True
            self._workers.abandon()
        if (self._result or self.schedule.done) and not self._withdrawn:
            self._withdrawn = True
            for game in self._workers.withdraw():
                self._given.pop(game, None)
        if self._given:
            return True
        if self._unsaved:
            return self._may_still_be_saved()
        return not (self._result or self.schedule.done)

    def _may_still_be_saved(self) -> bool:
        """Tell whether to go on for the sake of results that are not saved yet."""
        if self._trouble is None:
            return True
        since, why = self._trouble
        if time.monotonic() - since < PATIENCE and not self._stops:
            return True
        self._try_to_save()
        if self._unsaved:
            lost = f"{len(self._unsaved)} results are lost, and will be played again: {why}"
            self._result = Result(Reason.UNSAVED, lost)
        return False

    def _end(self, reason: Reason, sentence: str) -> None:
        """End once the games that run have ended; the first reason counts."""
        if self._result is None:
            self._result = Result(reason, sentence)

    def _give_out(self) -> None:
        """Give each worker a game, and another one to go on with at once."""
        if self._result or self._trouble:
            return
        most = 2 * self._workers.capacity
        due = self.schedule.due(most) if len(self._given) < most else []
        for game in due:
            if len(self._given) >= most:
                break
            if game.id not in self._given:
                self._given[game.id] = game
                self._workers.give(game)

    def _hear(self) -> None:
        """Take in what the workers say, and wait for it if they are silent."""
        waiting = SPACING if self._unsaved and not self._trouble else RETRY
        messages: list[Message] = []
        with suppress(Empty):
            messages.append(self._workers.messages.get(timeout=waiting))
            while len(messages) < 100:
                messages.append(self._workers.messages.get_nowait())
        for message in messages:
            self._take(message)

    def _take(self, message: Message) -> None:
        match message:
            case Begun(key, worker):
                if game := self._given.get(key):
                    self._breakers.begin(game)
                    self._emit(GameBegun(game, self._attempts[key] + 1, worker))
            case Ended(record):
                # One that was played elsewhere, too, after its worker was thought lost, is known.
                if game := self._given.pop(record.game, None):
                    self._add(game, record)
            case Lost(key, reason):
                self._given.pop(key, None)
                self._losses[key] += 1
                if self._losses[key] == LOSSES:
                    self._end(Reason.FAILED, f"{LOSSES} times in a row: {reason}")
                self._emit(Notice(reason))
            case Failed(key, error):
                self._given.pop(key, None)
                LOGGER.error("a fault of this program in %s", key, exc_info=error)
                self._end(Reason.FAILED, f"a fault of this program in {key}: {error!r}")
            case Told(event):
                self._emit(event)
            case Woken():
                pass

    def _add(self, game: Game, record: Record) -> None:
        record = replace(record, attempt=self._attempts[game.id] + 1)
        if record.ending is Ending.INTERRUPTED:  # by us: nothing that anybody has to know later
            self._emit(GameEnded(game, record, self._played, self._total))
            return
        if not record.winner:
            self._attempts[game.id] += 1
        self._unsaved.append((game, record))
        self.schedule.add(record)
        if why := self._breakers.add(game, record):
            self._end(Reason.VOID, why)

    def _save(self) -> None:
        """Save what has come in, unless the last transaction was only just now."""
        now = time.monotonic()
        if not self._unsaved or now - self._saved_at < (RETRY if self._trouble else SPACING):
            return
        self._try_to_save()

    def _try_to_save(self) -> None:
        try:
            self._store.add(self._unsaved)
        except StoreError as error:
            if self._trouble is None:
                self._trouble = (time.monotonic(), str(error))
                waiting = "results wait in memory, and no games begin until they can be saved"
                self._emit(Notice(f"{error}; {waiting}"))
        else:
            if self._trouble:
                self._trouble = None
                self._emit(Notice("results can be saved again"))
            for game, record in self._unsaved:
                self._played += bool(record.winner)
                self._emit(GameEnded(game, record, self._played, self._total))
            self._unsaved.clear()
        self._saved_at = time.monotonic()

    def _emit(self, event: Event) -> None:
        for consumer in list(self._consumers):
            try:
                consumer(event)
            except OSError:  # such as a closed pipe: what counts is in the store
                self._consumers.remove(consumer)
