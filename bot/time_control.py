"""Clocks: how much time each player has left, and how much of it to spend on a move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trivalent.core.board import BLACK, WHITE

if TYPE_CHECKING:
    from trivalent.core.board import Colour

OVERHEAD = 0.05
"""Seconds of each move that are kept back for pipes, networks and the operating system."""

SHORTEST = 0.01
"""Seconds that a move gets even when there is no time left."""

HARD = 1.5
"""How much of its share a move may take if its choice is hard."""

RESERVE = 0.1
"""Seconds of a game that are never planned to be used: for a host that is busy for a moment."""


@dataclass(frozen=True, slots=True)
class TimeSettings:
    """Main time, then periods of byo-yomi in which so many stones must be played (Canadian).

    With neither increment nor byo-yomi the main time is all there is.
    """

    main: float
    """Seconds."""
    byo_yomi: float = 0.0
    """Seconds of a period."""
    stones: int = 0
    """Stones to play in a period."""
    increment: float = 0.0
    """Seconds that are added after each move in main time (Fischer)."""

    def __post_init__(self) -> None:
        if self.byo_yomi > 0 and self.stones < 1:
            raise ValueError("in byo-yomi at least one stone has to be played in a period")


@dataclass(slots=True)
class _Side:
    seconds: float
    stones: int  # left to play in the period, 0 in main time


class Clock:
    """The time of both players under one setting."""

    def __init__(self, settings: TimeSettings) -> None:
        self.settings = settings
        self._sides = {BLACK: self._full(), WHITE: self._full()}

    def _full(self) -> _Side:
        s = self.settings
        if s.main <= 0 and s.byo_yomi > 0:
            return _Side(s.byo_yomi, s.stones)
        return _Side(s.main, 0)

    def set_left(self, colour: Colour, seconds: float, stones: int) -> None:
        """Take over what the controller says is left: in main time if stones is 0."""
        self._sides[colour] = _Side(seconds, stones)

    def left(self, colour: Colour) -> tuple[float, int]:
        """Return the seconds left, and the stones to play in them (0 in main time)."""
        side = self._sides[colour]
        return side.seconds, side.stones

    def spend(self, colour: Colour, seconds: float) -> None:
        """A move took so many seconds."""
        side, s = self._sides[colour], self.settings
        side.seconds -= seconds
        if side.stones:
            side.stones -= 1
            if side.stones == 0:
                self._sides[colour] = _Side(s.byo_yomi, s.stones)
            return
        side.seconds += s.increment
        if side.seconds <= 0 and s.byo_yomi > 0:
            self._sides[colour] = _Side(max(0.0, s.byo_yomi + side.seconds), s.stones)

    def budget(self, colour: Colour, empty_cells: int) -> tuple[float, float | None]:
        """Return the seconds for the next move of a colour, and how many more a hard one may take.

        None is where what a move does not take is lost, so that there is no reason to end sooner.
        A game lasts until about half of the board is full; of the moves that are left, half are
        ours.
        """
        side, s = self._sides[colour], self.settings
        most = side.seconds
        if side.stones:
            share = side.seconds / side.stones
        else:
            share = side.seconds / max(4.0, empty_cells / 6) + s.increment
            if s.byo_yomi > 0:
                share = max(share, min(side.seconds, s.byo_yomi / s.stones))
            else:  # there is nothing behind the main time
                most -= min(RESERVE, side.seconds / 2)
        seconds = max(SHORTEST, min(share, most) - OVERHEAD)
        if side.stones == 1:
            return seconds, None
        return seconds, max(0.0, min(HARD * share, most) - OVERHEAD - seconds)
