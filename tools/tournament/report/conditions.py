"""The conditions of a run: what each engine was, and the clock it played by."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trivalent.gtp.server import address_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trivalent.tools.tournament.model import TimeControl
    from trivalent.tools.tournament.plan.plan_model import Plan


@dataclass(frozen=True, slots=True)
class Conditions:
    """The conditions of an engine: as in the plan, except for what it said about itself."""

    engine: str
    player: str
    """Built-in player; empty for other programs."""
    parameters: Mapping[str, str]
    """Parameters of the built-in player that the plan sets."""
    command: tuple[str, ...]
    address: str
    dialect: str
    """Empty for a built-in player."""
    startup: tuple[str, ...]
    environment: Mapping[str, str]
    clock: TimeControl
    versions: tuple[str, ...]
    """Name and version that the engine reported, in the order of their first games: more than one
    if the program has changed, none if it hasn't played since version 0.2 of this program."""


def conditions(plan: Plan, versions: Mapping[str, Sequence[str]]) -> tuple[Conditions, ...]:
    """Return the conditions of all engines, in the order of the plan."""
    return tuple(
        Conditions(
            engine=engine.name,
            player=engine.player,
            parameters=dict(engine.parameters),
            command=engine.command,
            address=address_text(engine.address) if engine.address else "",
            dialect="" if engine.player else engine.dialect,
            startup=engine.startup,
            environment=dict(engine.environment),
            clock=plan.clock_of(engine.name),
            versions=tuple(versions.get(engine.name, ())),
        )
        for engine in plan.engines
    )


def clock_text(clock: TimeControl) -> str:
    """Return a clock in words, such as "60 s + 1 s per move"."""
    limits = []
    if clock.move:
        limits.append(f"{clock.move:.10g} s per move")
    if clock.main or clock.increment:
        main = f"{clock.main:.10g} s" if clock.main else ""
        more = f" + {clock.increment:.10g} s per move" if clock.increment else ""
        limits.append((main + more).strip())
    if clock.byo_yomi:
        moves = "per move" if clock.stones == 1 else f"for every {clock.stones} moves"
        limits.append(f"{'then ' if clock.main else ''}{clock.byo_yomi:.10g} s {moves}")
    if clock.nodes:
        limits.append(f"{clock.nodes:,} nodes per move")
    return ", ".join(limits) or "no limit"


def program_text(engine: Conditions) -> str:
    """Return what an engine was as a line: a player with its parameters, or a program."""
    parts = [engine.player or shlex.join(engine.command) or engine.address]
    parts += [f"{name}={value}" for name, value in engine.parameters.items()]
    if engine.dialect not in ("", "plain"):
        parts.append(f"dialect {engine.dialect}")
    parts += [f"{name}={value}" for name, value in engine.environment.items()]
    return "; ".join([", ".join(parts), *engine.startup])


def engine_text(engine: Conditions) -> str:
    """Return all conditions of an engine as a line."""
    parts = [program_text(engine), clock_text(engine.clock), ", ".join(engine.versions)]
    return "; ".join(filter(None, parts))


def has_odds(engines: Sequence[Conditions]) -> bool:
    """Return whether the clocks of the engines differ."""
    return len({engine.clock for engine in engines}) > 1
