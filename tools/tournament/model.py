"""The data that the rooms of the tournament exchange.

A *plan* describes a tournament.  The *schedule* expands it into *games*, the *referee* plays a game
and returns a *record*, the *store* keeps the records, and every table and report is computed from
them.  The unit of statistics is the *pair*: one opening played twice, with colours exchanged.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class TimeControl:
    """Limits on an engine's thinking, in seconds.  0 means no limit of that kind."""

    move: float = 0.0
    """For each move."""
    main: float = 0.0
    increment: float = 0.0
    """Added after each move."""
    byo_yomi: float = 0.0
    """Length of a Canadian overtime period, which restarts after `stones` moves; used once the main
    time is gone."""
    stones: int = 1
    nodes: int = 0
    """Search limit passed to built-in players; the referee doesn't enforce it."""


@dataclass(frozen=True, slots=True)
class Engine:
    """A contestant.  Exactly one of player, command and address is given."""

    name: str
    player: str = ""
    """Name of a built-in player, run in a process of its own (``trivalent gtp --player``)."""
    parameters: Mapping[str, str] = field(default_factory=dict)
    """Parameters of a built-in player, as text."""
    command: tuple[str, ...] = ()
    """Program and arguments of a GTP engine, started without a shell."""
    address: tuple[str, int] | None = None
    """Host and port of a GTP engine that listens on TCP."""
    dialect: str = "plain"
    """How a foreign engine spells points, colours, swaps and clocks; see `engine_dialects`."""
    cwd: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    startup: tuple[str, ...] = ()
    """GTP commands sent after every start; each must succeed."""
    clock: TimeControl | None = None
    """Overrides the clock of the plan."""
    restart: bool = False
    """Start a new process for every game."""


@dataclass(frozen=True, slots=True)
class Opening:
    """Moves played before the engines take over, Black first, in this package's notation."""

    name: str
    moves: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Game:
    """One scheduled game.  The same plan and seed always give the same games."""

    id: str
    """Unique and stable; made of pairing, opening, round and colours."""
    pair: str
    """Id shared by the two games that differ only in colours."""
    round: int
    black: str
    """Engine that starts as Black (a swap may change its side)."""
    white: str
    opening: Opening
    seeds: tuple[int, int]
    """Seeds of the engines that start as Black and White, 0 <= seed < 2**31."""


class Ending(StrEnum):
    """How a game ended.  The endings of the second group are void: the game is replayed.

    Games that are played to their end have the ending that `Game.decided_by` of `core.games` names.
    """

    CONNECTION = "connection"
    POINTS = "points"
    RESIGNATION = "resignation"
    ILLEGAL_MOVE = "illegal move"
    OBJECTION = "objection to a legal move"
    TIME = "time"
    CRASH = "crash"
    NO_ANSWER = "no answer"
    PROTOCOL = "protocol"

    OVERLOAD = "overloaded host"
    SUSPENDED = "suspended host"
    NOT_STARTED = "engine not started"
    MOVE_LIMIT = "move limit"
    INTERRUPTED = "interrupted"


REGULAR = frozenset({Ending.CONNECTION, Ending.POINTS, Ending.RESIGNATION})
"""Endings that nobody is to blame for."""

VOID = frozenset(
    {
        Ending.OVERLOAD,
        Ending.SUSPENDED,
        Ending.NOT_STARTED,
        Ending.MOVE_LIMIT,
        Ending.INTERRUPTED,
    }
)


@dataclass(frozen=True, slots=True)
class Record:
    """Outcome of a game.  `winner` and `blamed` are names of engines, never colours."""

    game: str
    """Id of the game."""
    attempt: int
    """Counts from 1; greater than 1 after void attempts."""
    ending: Ending
    winner: str
    """Empty if the game is void."""
    blamed: str
    """Engine at fault; empty if none is."""
    detail: str
    """One sentence for the reader, such as the illegal answer of an engine."""
    moves: tuple[str, ...]
    """All moves including the opening: points, swap-pieces, swap-sides, pass, final resign."""
    seconds: tuple[float, ...]
    """Time of each move as measured by the referee; 0 for opening moves."""
    started: float
    """Seconds since the epoch; only shown, never used in a computation."""
    duration: float
    worker: str = "local"
    lag: float = 0.0
    """Longest delay of the referee itself while an engine's clock was running."""
    logs: Mapping[str, str] = field(default_factory=dict)
    """By engine: head and tail of its standard error, kept only for games with a fault."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """By engine: the name and version that it reported.  The store keeps them by run, not by game.
    """


Format = Literal[
    "round-robin", "gauntlet", "matches", "sprt", "knockout", "swiss", "ladder", "adaptive"
]
