"""Clocks enforced by the referee, and measurements that tell a slow engine from a slow host.

All times are seconds of the monotonic clock, which can't be set and stands still while the host is
suspended.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from trivalent.gtp.client.guard import OnePerProcess

if TYPE_CHECKING:
    from collections.abc import Callable

    from trivalent.tools.tournament.model import TimeControl

BEAT_SECONDS = 0.01
"""Interval between beats of the pulse."""
_NOTICEABLE = 0.002
"""Shorter delays of a beat are the normal inaccuracy of sleeping."""
_MAX_DELAYS = 4096
_SUSPENDED_SECONDS = 0.1
_CLOCKS_OF_SUSPENSION = (
    ("CLOCK_BOOTTIME", "CLOCK_MONOTONIC"),  # Linux
    ("CLOCK_MONOTONIC", "CLOCK_UPTIME_RAW"),  # macOS
)
"""Clocks that count the time of suspensions, with those that stand still then."""


class Left(NamedTuple):
    """The reading of a clock."""

    seconds: float
    stones: int
    """Stones to be played in that time; 0 in main time."""


class Clock:
    """The time of one engine in one game."""

    def __init__(self, control: TimeControl) -> None:
        self._control = control
        self._main = control.main
        self._period = control.byo_yomi
        self._stones = control.stones

    @property
    def runs(self) -> bool:
        """Whether the remaining time changes from move to move, so that the engine must be told."""
        return bool(self._control.main or self._control.byo_yomi or self._control.increment)

    @property
    def left(self) -> Left:
        """The remaining time, as the engine is told."""
        if self._main > 0 or not self._control.byo_yomi:
            return Left(self._main, 0)
        return Left(self._period, self._stones)

    @property
    def limit(self) -> float | None:
        """Seconds that the next move may take; None means no limit."""
        c = self._control
        limits = [c.move] if c.move else []
        if self.runs:
            limits.append(self._main + (self._period if c.byo_yomi else 0.0))
        return min(limits, default=None)

    def spend(self, seconds: float) -> None:
        """Deduct the time of a move.  Time beyond the limit is forgiven: nothing falls below 0."""
        c = self._control
        over = seconds - self._main
        self._main = max(0.0, -over) + c.increment
        if over >= 0 and c.byo_yomi:
            self._period = max(0.0, self._period - over)
            self._stones -= 1
            if self._stones == 0:
                self._period, self._stones = c.byo_yomi, c.stones


class Pulse:
    """Measures how long this process is held up: a thread that sleeps and notes how late it wakes.

    The thread competes for the same processors and the same interpreter as the threads that wait
    for engines; a delay that hits it hits them, too.  Thread-safe.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._delays: deque[tuple[float, float]] = deque(
            maxlen=_MAX_DELAYS
        )  # (time of waking, delay)
        self._due = now() + BEAT_SECONDS

    def start(self) -> None:
        """Start beating; the thread lives as long as the process."""
        threading.Thread(target=self._run, name="pulse", daemon=True).start()

    def _run(self) -> None:
        while True:
            time.sleep(BEAT_SECONDS)
            self.beat()

    def beat(self) -> None:
        """Record how late this beat is, and schedule the next one."""
        now = self._now()
        if now - self._due > _NOTICEABLE:
            self._delays.append((now, now - self._due))
        self._due = now + BEAT_SECONDS

    def lag(self, since: float) -> float:
        """Return the longest delay that ended after `since` or is still going on."""
        present = self._now() - self._due
        worst = present if present > _NOTICEABLE else 0.0
        for number in range(1, len(self._delays) + 1):
            when, late = self._delays[-number]
            if when < since:
                break
            worst = max(worst, late)
        return worst


def _start_pulse() -> Pulse:
    beating = Pulse()
    beating.start()
    return beating


pulse = OnePerProcess(_start_pulse)
"""The pulse of this process; it starts beating at the first `get`."""


def suspension() -> float:
    """Return how many seconds the host has been suspended since it booted.

    On systems without a clock that counts them this is always 0.
    """
    for clocks in _CLOCKS_OF_SUSPENSION:
        if all(hasattr(time, clock) for clock in clocks):
            counting, standing = (time.clock_gettime(getattr(time, clock)) for clock in clocks)
            return counting - standing
    return 0.0


def was_suspended(before: float) -> bool:
    """Return whether the host has been suspended since `suspension` returned `before`."""
    return suspension() - before > _SUSPENDED_SECONDS


class Starvation:
    """Measures how long a thread was runnable but had to wait for a processor.  Must be closed."""

    def __init__(self, number: int | None) -> None:
        """Watch the thread with this id (for a main thread, the process id); None: watch none."""
        self._descriptor = -1
        with suppress(OSError):  # not all systems provide this file
            if number is not None:
                self._descriptor = os.open(f"/proc/{number}/schedstat", os.O_RDONLY)

    def seconds(self) -> float:
        """Return the seconds so far, or 0 if they're unknown or the thread has ended."""
        try:
            return int(os.pread(self._descriptor, 100, 0).split()[1]) / 1e9
        except (OSError, ValueError, IndexError):
            return 0.0

    def close(self) -> None:
        """Stop watching."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
