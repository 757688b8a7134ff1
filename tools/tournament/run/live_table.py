"""The live display of a run in a terminal: progress, standings, running games, latest results."""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Self

from rich import live
from rich.console import Group
from rich.padding import Padding
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from trivalent.tools.statistics.elo import signed, span
from trivalent.tools.tournament.run.events import (
    GameBegun,
    GameEnded,
    Notice,
    RatingsChanged,
    RunEnded,
    RunStarted,
    StateChanged,
    outcome_text,
)

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from trivalent.tools.tournament.run.events import Event, LiveStanding

_LINES = 5
"""Maximum number of latest results, and of notices."""
_ROWS = 16
"""Maximum number of running games listed; a cluster may play hundreds."""


class LiveTable:
    """Displays events in place, and leaves the last picture on the screen."""

    def __init__(self, console: Console) -> None:
        self._lock = threading.Lock()  # rich renders in a thread of its own
        self._began = time.monotonic()
        self._name = ""
        self._state = ""
        self._played = self._played_before = self._total = 0
        self._running: dict[str, tuple[float, GameBegun]] = {}
        self._last: deque[str] = deque(maxlen=_LINES)
        self._notices: deque[str] = deque(maxlen=_LINES)
        self._standings: tuple[LiveStanding, ...] = ()
        self._live = live.Live(
            console=console, refresh_per_second=4, get_renderable=self._picture_now
        )

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def __call__(self, event: Event) -> None:
        """Take in an event; the next redraw shows it."""
        with self._lock:
            match event:
                case RunStarted():
                    self._name = event.name
                    self._played = self._played_before = event.played
                    self._total = event.total
                    self._began = time.monotonic()
                case GameBegun():
                    self._running[event.game.id] = (time.monotonic(), event)
                case GameEnded():
                    self._running.pop(event.game.id, None)
                    self._played, self._total = event.played, event.total
                    self._last.append(outcome_text(event.game, event.record))
                case RatingsChanged():
                    self._standings = event.standings
                case StateChanged():
                    self._state = event.state
                case Notice():
                    self._notices.append(event.sentence)
                case RunEnded():
                    self._running.clear()
                    self._state = event.reason

    def _picture_now(self) -> RenderableType:
        with self._lock:
            parts: list[RenderableType] = [Text(f"{self._name}  {self._progress()}")]
            if self._total:
                bar = ProgressBar(total=self._total, completed=self._played, width=60)
                parts.append(Padding(bar))  # ends the line
            if self._state:
                parts.append(Text(self._state))
            if self._standings:
                parts.append(_table(self._standings))
            for began, event in list(self._running.values())[:_ROWS]:
                game, seconds = event.game, time.monotonic() - began
                line = f"{game.black} - {game.white}, {game.opening.name}, {seconds:.0f} s"
                parts.append(Text(f"{event.worker}: {line}", style="dim", overflow="ellipsis"))
            parts += [Text(line, overflow="ellipsis", no_wrap=True) for line in self._last]
            parts += [Text(line, style="bold") for line in self._notices]
            return Group(*parts)

    def _progress(self) -> str:
        """Return the number of games played, and the time left at the current pace."""
        text = f"{self._played}/{self._total} games"
        played = self._played - self._played_before
        if not played or self._played >= self._total:
            return text
        pace = (time.monotonic() - self._began) / played
        return f"{text}, {_duration(pace * (self._total - self._played))} left"


def _table(standings: tuple[LiveStanding, ...]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("engine", overflow="fold")
    for title in ("won", "lost", "Elo", "95 %"):
        table.add_column(title, justify="right")
    for row in standings:
        counts = (str(row.wins), str(row.losses))
        table.add_row(Text(row.engine), *counts, signed(row.elo), span(row.low, row.high))
    return table


def _duration(seconds: float) -> str:
    minutes = round(seconds / 60)
    if minutes < 1:
        return "less than a minute"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"
