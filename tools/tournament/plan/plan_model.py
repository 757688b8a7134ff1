"""What a plan is once it has been read: plain data, which a run keeps and workers are sent.

`trivalent.tools.tournament.plan.plan_file` makes plans from files; this module knows of none.
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
    """When an engine that does not answer is given up, in seconds."""

    start: float = 60.0
    """From the start of a process to its first answer."""
    command: float = 30.0
    """For any command but genmove."""
    move: float = 600.0
    """For genmove where no clock ends earlier."""
    quit: float = 5.0
    """From `quit` to the first signal, and from that to the last."""


@dataclass(frozen=True, slots=True)
class Faults:
    """What becomes of games that an engine or the host has spoilt."""

    void: tuple[Ending, ...] = ()
    """Endings that count as void and not as lost, beside those that always do."""
    in_a_row: int = 2
    """So many void games of one pairing, one after the other, stop the run."""
    share: float = 0.01
    """If more than this share of all games is void, the run stops."""


@dataclass(frozen=True, slots=True)
class Gauntlet:
    """Each hero plays everyone who is none."""

    heroes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Matches:
    """The pairs of engines that play."""

    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Knockout:
    """Who loses a meeting is out; the order of the engines is the seeding."""

    tie_breaks: int = 10
    """Pairs that may be added to a drawn meeting; after them the better seeded goes on."""


@dataclass(frozen=True, slots=True)
class Swiss:
    """Engines of equal score meet, and never twice while that can be helped."""

    rounds: int


@dataclass(frozen=True, slots=True)
class Ladder:
    """From the last rung up, the winner of each meeting plays whoever is on the next rung."""

    passes: int = 1
    """The first finds the best of all, the king of the hill; further ones sort the rest."""


@dataclass(frozen=True, slots=True)
class Adaptive:
    """Every pairing plays a little, then those play on whose order is least certain."""

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
"""What belongs to each format; a round robin has no options."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Who plays what."""

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
    """How often two engines who meet play the openings, each with both colours."""
    seed: int = 0
    clock: TimeControl = field(default_factory=TimeControl)
    """Of all engines that have none of their own."""
    margin: float = DEFAULT_MARGIN
    """Seconds that an engine may be late."""
    move_limit: int = 0
    """A game with so many moves ends without a winner; 0 for no limit."""
    concurrency: int = 0
    """Games at a time; 0 for as many as there are cores for."""
    deadlines: Deadlines = field(default_factory=Deadlines)
    faults: Faults = field(default_factory=Faults)
    directory: str = "."
    """Where the plan comes from."""

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
        """A fingerprint of all that affects games, wherever the plan lies: 64 hexadecimals."""
        return sha256(json.dumps(essence(self), sort_keys=True).encode()).hexdigest()


def dumps(plan: Plan) -> str:
    """Return a plan as JSON, complete: `loads` needs no other file."""
    return json.dumps(dataclasses.asdict(plan))


def loads(text: str) -> Plan:
    """Return the plan that `dumps` has written."""
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


def essence(plan: Plan) -> dict[str, Any]:
    """Return what affects games, as plain data."""
    values = dataclasses.asdict(plan)
    for key in ("name", "concurrency", "directory"):
        del values[key]
    values["faults"] = values["faults"]["void"]
    for engine in values["engines"]:
        if engine["cwd"]:
            # A folder that moves as a whole is the same plan.
            engine["cwd"] = os.path.relpath(engine["cwd"], plan.directory)
    return values
