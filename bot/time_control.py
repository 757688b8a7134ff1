"""Clocks: how much time each player has left, and how much of it to spend on the next move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trivalent.core.board import BLACK, WHITE

if TYPE_CHECKING:
    from trivalent.core.board import Colour

OVERHEAD = 0.05
"""Seconds held back on each move for pipes, networks and the operating system."""

MIN_SECONDS = 0.01
"""Seconds that a move gets even if no time is left."""

HARD = 1.5
"""Factor by which a hard choice may exceed a move's share of the time."""

RESERVE = 0.1
"""Seconds of a game that no plan spends, in case the host is busy for a moment."""


@dataclass(frozen=True, slots=True)
class TimeSettings:
    """Main time, then byo-yomi: a number of stones to play in each period.

    Canadian byo-yomi gives a new period for every ``stones`` moves.  Japanese byo-yomi has one
    stone and several ``periods``: a move that takes longer than a period uses it up, and only the
    last one cannot be used up.  With neither increment nor byo-yomi, a player who has used up the
    main time loses.
    """

    main: float
    """Seconds."""
    byo_yomi: float = 0.0
    """Seconds in a period."""
    stones: int = 0
    """Stones to play in a period."""
    increment: float = 0.0
    """Seconds added after each move in main time (Fischer)."""
    periods: int = 1
    """Periods at the start; more than 1 need ``stones`` to be 1."""

    def __post_init__(self) -> None:
        if self.byo_yomi > 0 and self.stones < 1:
            raise ValueError(f"a byo-yomi period needs at least 1 stone, not {self.stones}")
        if self.periods > 1 and self.stones != 1:
            raise ValueError(f"each of several periods has 1 stone, not {self.stones}")


@dataclass(slots=True)
class _Side:
    seconds: float
    stones: int  # left to play in the period; 0 in main time


class Clock:
    """Both players' time under the same settings."""

    def __init__(self, settings: TimeSettings) -> None:
        self.settings = settings
        self._sides = {BLACK: self._full(), WHITE: self._full()}

    def _full(self) -> _Side:
        s = self.settings
        # All periods but the last can be spent like main time.
        main = s.main + (s.periods - 1) * s.byo_yomi
        if main <= 0 and s.byo_yomi > 0:
            return _Side(s.byo_yomi, s.stones)
        return _Side(main, 0)

    def set_left(self, colour: Colour, seconds: float, stones: int) -> None:
        """Set the time left, as the controller tells it: main time if ``stones`` is 0.

        If there were several periods at the start, ``stones`` is the number of periods left, as on
        KGS.
        """
        s = self.settings
        if s.periods > 1 and stones != 1:
            between = min(stones, s.periods) - 2 if stones else s.periods - 1
            seconds, stones = seconds + between * s.byo_yomi, 0
        self._sides[colour] = _Side(seconds, stones)

    def left(self, colour: Colour) -> tuple[float, int]:
        """Return the seconds left, and the stones to play in them (0 in main time)."""
        side = self._sides[colour]
        return side.seconds, side.stones

    def spend(self, colour: Colour, seconds: float) -> None:
        """Charge a move's seconds to its player."""
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
        """Return the seconds for a colour's next move, and the extra seconds for a hard choice.

        The latter is None if unused time is lost, so that the search has no reason to end early.
        The budget assumes that the game ends when about half of the board is full, and that half of
        the moves until then are ours.
        """
        side, s = self._sides[colour], self.settings
        limit = side.seconds
        if side.stones:
            share = side.seconds / side.stones
        else:
            share = side.seconds / max(4.0, empty_cells / 6) + s.increment
            if s.byo_yomi > 0:
                share = max(share, min(side.seconds, s.byo_yomi / s.stones))
            else:  # nothing follows the main time
                limit -= min(RESERVE, side.seconds / 2)
        seconds = max(MIN_SECONDS, min(share, limit) - OVERHEAD)
        if side.stones == 1:
            return seconds, None
        return seconds, max(0.0, min(HARD * share, limit) - OVERHEAD - seconds)
