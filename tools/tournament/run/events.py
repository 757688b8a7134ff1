"""Events of a run, and their consumers that write lines: JSON for programs, text for people."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, TextIO

from trivalent.tools.statistics.elo import signed

if TYPE_CHECKING:
    from trivalent.tools.tournament.model import Game, Record


@dataclass(frozen=True, slots=True)
class RunStarted:
    """A run starts or continues."""

    name: str
    total: int
    """Games in the whole run.  A sequential test may end sooner, a knockout may need more."""
    played: int
    """Games that already have a result."""
    at_once: int
    """Games played in parallel."""


@dataclass(frozen=True, slots=True)
class GameBegun:
    """A worker has started a game."""

    game: Game
    attempt: int
    worker: str


@dataclass(frozen=True, slots=True)
class GameEnded:
    """A game has a stored result, or was void or abandoned."""

    game: Game
    record: Record
    played: int
    total: int


@dataclass(frozen=True, slots=True)
class LiveStanding:
    """The standing of an engine.  Elo is relative to the mean of all; None if it doesn't exist."""

    engine: str
    wins: int
    losses: int
    elo: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class RatingsChanged:
    """Current ratings, best engine first; sent from time to time, not after every game."""

    standings: tuple[LiveStanding, ...]


@dataclass(frozen=True, slots=True)
class StateChanged:
    """New state of the format in a sentence: a test's decision, the round of a Swiss."""

    state: str


@dataclass(frozen=True, slots=True)
class Notice:
    """A message for the user, in one sentence."""

    sentence: str


@dataclass(frozen=True, slots=True)
class RunEnded:
    """The run has ended, with the reason."""

    reason: str
    played: int
    total: int


Event = RunStarted | GameBegun | GameEnded | RatingsChanged | StateChanged | Notice | RunEnded
Consumer = Callable[[Event], None]


class JsonLines:
    """Writes each event as a line of JSON: its name, the time, and all its fields."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __call__(self, event: Event) -> None:
        """Write an event."""
        name = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(event).__name__).lower()
        line = {"event": name, "time": round(time.time(), 3), **asdict(event)}
        self._stream.write(json.dumps(line) + "\n")
        self._stream.flush()


class PlainLines:
    """Writes the important events as lines of text, for a log."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __call__(self, event: Event) -> None:
        """Write an event if it's important."""
        if line := event_text(event):
            self._stream.write(line + "\n")
            self._stream.flush()


def event_text(event: Event) -> str:
    """Return an event as a line of text; empty for the start of a game."""
    line = ""
    match event:
        case RunStarted():
            played = f"{event.played}/{event.total} games played"
            line = f"{event.name}: {played}, {event.at_once} in parallel"
        case GameEnded():
            line = f"[{event.played}/{event.total}] {outcome_text(event.game, event.record)}"
        case RatingsChanged():
            line = "ratings: " + ", ".join(map(standing_text, event.standings))
        case StateChanged():
            line = event.state
        case Notice():
            line = event.sentence
        case RunEnded():
            line = f"{event.reason}; {event.played}/{event.total} games played"
    return line


def outcome_text(game: Game, record: Record) -> str:
    """Return winner, loser, opening and ending of a game as a line of text."""
    detail = f" ({record.detail})" if record.detail else ""
    if not record.winner:
        players = f"{game.black} - {game.white}, {game.opening.name}"
        return f"{players}: void, {record.ending.value}{detail}"
    loser = game.white if record.winner == game.black else game.black
    seconds = f"{len(record.moves)} moves, {record.duration:.1f} s"
    return (
        f"{record.winner} beat {loser}, {game.opening.name}: "
        f"{record.ending.value}{detail}, {seconds}"
    )


def standing_text(row: LiveStanding) -> str:
    """Return the standing of an engine as a few words."""
    text = f"{row.engine} {row.wins}-{row.losses}"
    if row.elo is None:
        return text
    bounds = f" [{row.low:z.0f}, {row.high:z.0f}]" if None not in (row.low, row.high) else ""
    return f"{text} {signed(row.elo)}{bounds}"
