"""A plan as plain data: what a database stores and what workers receive.

`plan_file` builds plans from TOML files; this module knows nothing about files.
"""

from __future__ import annotations

import dataclasses
import json
import os
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal

from trivalent.bot.players.registry import PLAYERS
from trivalent.core.games import make_board
from trivalent.tools.statistics.sprt import Sprt
from trivalent.tools.tournament.model import Ending, Engine, Format, Opening, TimeControl

if TYPE_CHECKING:
    from trivalent.core.board import Board

DEFAULT_MARGIN = 0.1
Swap = Literal["off", "pieces", "sides"]


@dataclass(frozen=True, slots=True)
class Deadlines:
    """Seconds until an engine that doesn't answer is given up."""

    start: float = 60.0
    """From starting the process to its first answer."""
    command: float = 30.0
    """For every command except genmove."""
    move: float = 600.0
    """For genmove, unless a clock ends sooner."""
    quit: float = 5.0
    """Between `quit` and SIGTERM, and between SIGTERM and SIGKILL."""


@dataclass(frozen=True, slots=True)
class Faults:
    """When a spoilt game is void, and when void games stop the run."""

    void: tuple[Ending, ...] = ()
    """Endings that make a game void instead of lost, besides those that always do."""
    in_a_row: int = 2
    """Number of consecutive void games of one pairing that stops the run."""
    share: float = 0.01
    """The run stops when a larger share of its games than this is void."""


@dataclass(frozen=True, slots=True)
class Gauntlet:
    """Each hero plays every engine that isn't a hero."""

    heroes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Matches:
    """Only the listed pairs of engines play."""

    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Knockout:
    """The loser of a meeting is out.  The order of the engines is the seeding."""

    tie_breaks: int = 10
    """Maximum number of pairs added to a drawn meeting; after them the better seed advances."""


@dataclass(frozen=True, slots=True)
class Swiss:
    """Engines of equal score meet, and no two meet again as long as that can be avoided."""

    rounds: int


@dataclass(frozen=True, slots=True)
class Ladder:
    """Going up the rungs, the winner of each meeting challenges the engine on the next rung."""

    passes: int = 1
    """The first pass finds the best engine (king of the hill); further passes sort the rest."""


@dataclass(frozen=True, slots=True)
class Adaptive:
    """Every pairing plays a few pairs; then the pairings whose order is least certain play on."""

    pairs: int
    """Pairs of games in all."""
    batch: int
    """Pairs of games between two looks at the results."""


Options = Gauntlet | Matches | Sprt | Knockout | Swiss | Ladder | Adaptive
OPTIONS: dict[Format, type[Options]] = {
    "gauntlet": Gauntlet,
    "matches": Matches,
    "sprt": Sprt,
    "knockout": Knockout,
    "swiss": Swiss,
    "ladder": Ladder,
    "adaptive": Adaptive,
}
"""Options of each format; a round robin has none."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A complete description of a tournament."""

    name: str
    game: str
    width: int
    height: int
    engines: tuple[Engine, ...]
    openings: tuple[Opening, ...]
    swap: Swap = "off"
    format: Format = "round-robin"
    options: Options | None = None
    rounds: int = 1
    """How often two engines that meet play every opening, each time with both colours."""
    seed: int = 0
    clock: TimeControl = field(default_factory=TimeControl)
    """For all engines without a clock of their own."""
    margin: float = DEFAULT_MARGIN
    """Seconds by which an engine may exceed its time."""
    move_limit: int = 0
    """A game with this many moves ends without a winner; 0 means no limit."""
    concurrency: int = 0
    """Games played at a time; 0 means as many as there are cores for."""
    deadlines: Deadlines = field(default_factory=Deadlines)
    faults: Faults = field(default_factory=Faults)
    directory: str = "."
    """Folder of the plan file."""

    @property
    def board(self) -> Board:
        """The empty board."""
        return make_board(self.game, self.width, self.height)

    def engine(self, name: str) -> Engine:
        """Return an engine by name.  Raise KeyError if there is none."""
        for engine in self.engines:
            if engine.name == name:
                return engine
        raise KeyError(name)

    def clock_of(self, name: str) -> TimeControl:
        """Return the clock of an engine.  Raise KeyError if there is no such engine."""
        return self.engine(name).clock or self.clock

    @property
    def digest(self) -> str:
        """SHA-256 of everything that affects the games, in hexadecimal; not of the folder."""
        return sha256(json.dumps(game_essentials(self), sort_keys=True).encode()).hexdigest()


def dumps(plan: Plan) -> str:
    """Return the plan as JSON; `loads` needs no other file."""
    return json.dumps(dataclasses.asdict(plan))


def loads(text: str) -> Plan:
    """Return the plan that `dumps` wrote."""
    values = json.loads(text)
    made = {
        "engines": tuple(_engine(engine) for engine in values["engines"]),
        "openings": tuple(Opening(o["name"], tuple(o["moves"])) for o in values["openings"]),
        "options": _options(values["format"], values["options"]),
        "clock": TimeControl(**values["clock"]),
        "deadlines": Deadlines(**values["deadlines"]),
        "faults": Faults(
            tuple(Ending(ending) for ending in values["faults"]["void"]),
            values["faults"]["in_a_row"],
            values["faults"]["share"],
        ),
    }
    return Plan(**values | made)


def _engine(values: dict[str, Any]) -> Engine:
    made: dict[str, Any] = {
        "command": tuple(values["command"]),
        "startup": tuple(values["startup"]),
        "address": tuple(values["address"]) if values["address"] else None,
        "clock": TimeControl(**values["clock"]) if values["clock"] else None,
    }
    if values["player"] in PLAYERS:  # a plan of the previous version has its names
        made["parameters"] = PLAYERS[values["player"]][0].translated(values["parameters"])
    return Engine(**values | made)


def _options(form: Format, values: dict[str, Any] | None) -> Options | None:
    if values is None:
        return None
    made: dict[str, Any] = {key: _tuples(value) for key, value in values.items()}
    return OPTIONS[form](**made)


def _tuples(value: object) -> object:
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value


def game_essentials(plan: Plan) -> dict[str, Any]:
    """Return what affects the games, as plain data."""
    values = dataclasses.asdict(plan)
    for key in ("name", "concurrency", "directory"):
        del values[key]
    values["faults"] = values["faults"]["void"]
    for engine in values["engines"]:
        if engine["cwd"]:
            # Moving the whole folder doesn't change the plan.
            engine["cwd"] = os.path.relpath(engine["cwd"], plan.directory)
    return values
