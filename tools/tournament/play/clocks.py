"""Clocks that the referee enforces, and what tells an engine's delay from one of the host.

All times are seconds of the monotonic clock, which nobody can set and which stands still while the
host is suspended.
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

_BEAT = 0.01
_NOTICEABLE = 0.002
"""A delay of a beat below that is nothing but the ordinary grain of sleeping."""
_KEPT = 4096
_SUSPENDED = 0.1


class Left(NamedTuple):
    """What a clock shows."""

    seconds: float
    stones: int
    """To be played in that time; 0 in main time."""


class Clock:
    """The time of one engine in one game."""

    def __init__(self, control: TimeControl) -> None:
        self._control = control
        self._main = control.main
        self._period = control.byo_yomi
        self._stones = control.stones

    @property
    def runs(self) -> bool:
        """Whether there is anything left to tell of from move to move."""
        return bool(self._control.main or self._control.byo_yomi or self._control.increment)

    @property
    def left(self) -> Left:
        """What the engine may be told."""
        if self._main > 0 or not self._control.byo_yomi:
            return Left(self._main, 0)
        return Left(self._period, self._stones)

    @property
    def limit(self) -> float | None:
        """The seconds that the next move may take; None if any."""
        c = self._control
        limits = [c.move] if c.move else []
        if self.runs:
            limits.append(self._main + (self._period if c.byo_yomi else 0.0))
        return min(limits, default=None)

    def spend(self, seconds: float) -> None:
        """A move took so long.  Whatever is beyond the limit is forgiven: nothing falls below 0."""
        c = self._control
        over = seconds - self._main
        self._main = max(0.0, -over) + c.increment
        if over >= 0 and c.byo_yomi:
            self._period = max(0.0, self._period - over)
            self._stones -= 1
            if self._stones == 0:
                self._period, self._stones = c.byo_yomi, c.stones


class Pulse:
    """How long this process has been held up: a thread that sleeps and sees how late it wakes.

    It competes for the same processors, and for the same interpreter, as the threads that wait for
    engines: what holds it up holds them up.  Thread-safe.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._delays: deque[tuple[float, float]] = deque(maxlen=_KEPT)  # when woken, how late
        self._due = now() + _BEAT

    def start(self) -> None:
        """Begin to beat, for as long as the process lives."""
        threading.Thread(target=self._run, name="pulse", daemon=True).start()

    def _run(self) -> None:
        while True:
            time.sleep(_BEAT)
            self.beat()

    def beat(self) -> None:
        """Note how late it is, and when the next beat is due."""
        now = self._now()
        if now - self._due > _NOTICEABLE:
            self._delays.append((now, now - self._due))
        self._due = now + _BEAT

    def lag(self, since: float) -> float:
        """Return the longest delay that has ended since then, or goes on."""
        present = self._now() - self._due
        worst = present if present > _NOTICEABLE else 0.0
        for number in range(1, len(self._delays) + 1):
            when, late = self._delays[-number]
            if when < since:
                break
            worst = max(worst, late)
        return worst


def _beating() -> Pulse:
    beating = Pulse()
    beating.start()
    return beating


pulse = OnePerProcess(_beating)
"""The pulse of this process, which beats from the first time on that it is asked for."""


def suspension() -> float:
    """Return the seconds that the host has been suspended since it was started."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) - time.clock_gettime(time.CLOCK_MONOTONIC)


def was_suspended(before: float) -> bool:
    """Whether the host has been suspended since `suspension` returned that."""
    return suspension() - before > _SUSPENDED


class Starvation:
    """How long a thread has wanted to run but had to wait for a processor.  To be closed."""

    def __init__(self, number: int | None) -> None:
        """Look at that thread; the first one of a process has its number.  None: at nothing."""
        self._descriptor = -1
        with suppress(OSError):  # such as a system that does not tell
            if number is not None:
                self._descriptor = os.open(f"/proc/{number}/schedstat", os.O_RDONLY)

    def seconds(self) -> float:
        """Return the seconds so far; 0 where they are not known, or the thread has ended."""
        try:
            return int(os.pread(self._descriptor, 100, 0).split()[1]) / 1e9
        except (OSError, ValueError, IndexError):
            return 0.0

    def close(self) -> None:
        """Look no longer."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
