"""Ratings of the engines while a run goes on."""

from __future__ import annotations

import threading
import time
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from trivalent.tools.tournament.run.events import GameEnded, LiveStanding, Notice, RatingsChanged
from trivalent.tools.tournament.run.store import Store, StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from trivalent.core.board import Board
    from trivalent.tools.statistics.rating import Tally
    from trivalent.tools.tournament.model import Game, Record
    from trivalent.tools.tournament.plan.plan_model import Plan
    from trivalent.tools.tournament.run.events import Event

SPACING = 1.0
"""Minimum seconds between ratings."""
_SHARE = 0.05
"""Maximum share of the time spent on ratings, which take longer the more games there are."""

_PATIENCE = 1.0
"""Seconds to wait for a rating in progress when closing."""

Standings = tuple[LiveStanding, ...]


def standings(tally: Tally) -> Standings:
    """Return the standings of the engines that have played, best first."""
    # Imported late: numpy isn't needed before the first games have ended.
    from trivalent.tools.statistics.rating import rate
    from trivalent.tools.statistics.tails import Z95

    ratings = rate(tally)
    rows = []
    for engine, elo, error in zip(ratings.engines, ratings.elo, ratings.errors, strict=True):
        known = not ratings.virtual  # an engine has won or lost all its games
        low, high = (elo - Z95 * error, elo + Z95 * error) if known else (None, None)
        rows.append(
            LiveStanding(
                engine, tally.wins[engine], tally.losses[engine], elo if known else None, low, high
            )
        )
    return tuple(rows)


class RatingTally:
    """Accumulates what the ratings need, game by game."""

    def __init__(self, board: Board) -> None:
        from trivalent.tools.statistics.rating import Tally
        from trivalent.tools.tournament.results import Repetitions

        self.tally = Tally()
        self._repetitions = Repetitions(board)

    def add(self, game: Game, record: Record) -> None:
        """RatingTally a game, unless it's void."""
        from trivalent.tools.tournament.results import outcome

        if record.winner:
            repeat = self._repetitions.add(game, record)
            self.tally.add(outcome(game, record, repeat=repeat))


class Rater(threading.Thread):
    """A thread that rates the engines from time to time; it consumes the events of the run.

    It reads the games played before from the store, which may take some seconds.
    """

    def __init__(self, plan: Plan, store: Store, tell: Callable[[Event], object]) -> None:
        """Take the state of the store before the run continues."""
        super().__init__(name="rater", daemon=True)
        self._board = plan.board
        self._path, self._before = store.path, store.count()
        self._tell = tell
        self._ended: SimpleQueue[tuple[Game, Record] | None] = SimpleQueue()

    def __call__(self, event: Event) -> None:
        """RatingTally a game that has ended."""
        if isinstance(event, GameEnded) and event.record.winner:
            self._ended.put((event.game, event.record))

    def close(self) -> None:
        """Stop without a last rating."""
        self._ended.put(None)
        self.join(_PATIENCE)

    def run(self) -> None:
        """Rate the engines whenever there are new results, but not all the time."""
        try:
            self._run()
        except StoreError as error:
            self._tell(Notice(f"no live ratings: {error}"))

    def _run(self) -> None:
        count = RatingTally(self._board)
        for game, record in self._played_before():
            count.add(game, record)
        new = bool(count.tally.wins)
        due = 0.0
        while True:
            waiting = max(0.0, due - time.monotonic()) if new else None
            try:
                ended = self._ended.get(timeout=waiting)
            except Empty:
                began = time.monotonic()
                new = False
                self._tell(RatingsChanged(standings(count.tally)))
                now = time.monotonic()
                due = now + max(SPACING, (now - began) / _SHARE)
            else:
                if ended is None:
                    return
                count.add(*ended)
                new = True

    def _played_before(self) -> Iterator[tuple[Game, Record]]:
        with Store.read(self._path) as store:
            yield from store.played(self._before)
