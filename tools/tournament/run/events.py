"""What happens in a run, for whoever shows it: people at a terminal, logs, programs."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from trivalent.tools.tournament.model import Game, Record


@dataclass(frozen=True, slots=True)
class RunStarted:
    """A run begins, or goes on."""

    name: str
    total: int
    """Games of the whole run; a test may end earlier, a knockout may need more."""
    played: int
    """Games that have a result already."""
    at_once: int
    """Games that are played at the same time."""


@dataclass(frozen=True, slots=True)
class GameBegun:
    """A worker has begun a game."""

    game: Game
    attempt: int
    worker: str


@dataclass(frozen=True, slots=True)
class GameEnded:
    """A game has a result that is saved, or is void or abandoned."""

    game: Game
    record: Record
    played: int
    total: int


@dataclass(frozen=True, slots=True)
class Standing:
    """Where an engine stands.  Elo is against the mean of all; None where it does not exist."""

    engine: str
    wins: int
    losses: int
    elo: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class RatingsChanged:
    """The ratings so far, the best engine first; now and then, not after every game."""

    standings: tuple[Standing, ...]


@dataclass(frozen=True, slots=True)
class StateChanged:
    """Where the format has got to, in a sentence: the decision of a test, the round of a Swiss."""

    state: str


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that people should know, in a sentence."""

    sentence: str


@dataclass(frozen=True, slots=True)
class RunEnded:
    """The run has ended, and why."""

    reason: str
    played: int
    total: int


Event = RunStarted | GameBegun | GameEnded | RatingsChanged | StateChanged | Notice | RunEnded
Consumer = Callable[[Event], None]


class JsonLines:
    """Writes a line of JSON for every event: its name, the time, and all that it holds."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __call__(self, event: Event) -> None:
        """Write an event."""
        name = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(event).__name__).lower()
        line = {"event": name, "time": round(time.time(), 3), **asdict(event)}
        self._stream.write(json.dumps(line) + "\n")
        self._stream.flush()


class PlainLines:
    """Writes a line of text for what matters to people who read a log."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __call__(self, event: Event) -> None:
        """Write an event, if it matters."""
        if line := plain(event):
            self._stream.write(line + "\n")
            self._stream.flush()


def plain(event: Event) -> str:
    """Return an event as a line for people; nothing for the beginnings of games."""
    line = ""
    match event:
        case RunStarted():
            played = f"{event.played}/{event.total} games played"
            line = f"{event.name}: {played}, {event.at_once} at a time"
        case GameEnded():
            line = f"[{event.played}/{event.total}] {outcome(event.game, event.record)}"
        case RatingsChanged():
            line = "ratings: " + ", ".join(map(standing, event.standings))
        case StateChanged():
            line = event.state
        case Notice():
            line = event.sentence
        case RunEnded():
            line = f"{event.reason}; {event.played}/{event.total} games played"
    return line


def outcome(game: Game, record: Record) -> str:
    """Return who won, against whom, from which opening and how, in a line."""
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


def standing(row: Standing) -> str:
    """Return where an engine stands, in a few words."""
    text = f"{row.engine} {row.wins}-{row.losses}"
    if row.elo is None:
        return text
    bounds = f" [{row.low:.0f}, {row.high:.0f}]" if None not in (row.low, row.high) else ""
    return f"{text} {row.elo:+.0f}{bounds}"
