"""What the parts of the tournament hand to each other.

A *plan* says who plays what.  The *schedule* turns it into *games*, the *referee* turns a game into
a *record*, the *store* keeps records, and everything that is shown is computed from them.  The unit
of statistics is the *pair*: the same opening played twice with colours exchanged.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class TimeControl:
    """What an engine may use for its moves.  All in seconds; 0 stands for none of its kind."""

    move: float = 0.0
    """For every move alone."""
    main: float = 0.0
    increment: float = 0.0
    """Added after every move."""
    byo_yomi: float = 0.0
    """A period, which starts afresh after so many stones (Canadian); after main time."""
    stones: int = 1
    nodes: int = 0
    """Limit of the search, handed to our own players; the referee does not measure it."""


@dataclass(frozen=True, slots=True)
class Engine:
    """One contestant: exactly one of player, command and address is given."""

    name: str
    player: str = ""
    """One of our own players, run as `trivalent gtp --player` in a process."""
    parameters: Mapping[str, str] = field(default_factory=dict)
    """Of our own player, as texts that its Parameters read."""
    command: tuple[str, ...] = ()
    """Any GTP program, started without a shell."""
    address: tuple[str, int] | None = None
    """Host and port of a GTP engine that listens."""
    dialect: str = "plain"
    """How a foreign program spells points, colours, swaps and clocks: see `engine_dialects`."""
    cwd: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    startup: tuple[str, ...] = ()
    """GTP commands sent after every start; each must succeed."""
    clock: TimeControl | None = None
    """Instead of the plan's."""
    restart: bool = False
    """A new process for every game."""


@dataclass(frozen=True, slots=True)
class Opening:
    """Moves made before the engines play, in the package's own spelling, Black first."""

    name: str
    moves: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Game:
    """One game of the schedule, the same in every run of the same plan and seed."""

    id: str
    """Unique and stable: pairing, opening, round and side are in it."""
    pair: str
    """Shared by the two games that differ only by exchanged colours."""
    round: int
    black: str
    """Name of the engine that begins with Black (it may change sides by a swap)."""
    white: str
    opening: Opening
    seeds: tuple[int, int]
    """For the engines that begin with Black and with White, 0 <= seed < 2**31."""


class Ending(StrEnum):
    """How a game ended; the second group is void, and is played again."""

    CONNECTION = "connection"
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
    """What became of a game.  Winner and blamed are names of engines, never colours."""

    game: str
    """Id of the game."""
    attempt: int
    """From 1; more than 1 after void attempts."""
    ending: Ending
    winner: str
    """Empty for a void game."""
    blamed: str
    """Who is at fault, empty where nobody is."""
    detail: str
    """One sentence for people, such as what an engine said that was not a move."""
    moves: tuple[str, ...]
    """All of them with the opening: points, swap-pieces, swap-sides, pass, and a last resign."""
    seconds: tuple[float, ...]
    """Of every move, measured by the referee; 0 for those of the opening."""
    started: float
    """Seconds since the epoch; for people only, nothing is computed from it."""
    duration: float
    worker: str = "local"
    lag: float = 0.0
    """The longest that the referee itself was held up while an engine's clock ran."""
    logs: Mapping[str, str] = field(default_factory=dict)
    """By engine: the bounded head and tail of its standard error, kept where a game has a fault."""


Format = Literal[
    "round-robin", "gauntlet", "matches", "sprt", "knockout", "swiss", "ladder", "adaptive"
]
