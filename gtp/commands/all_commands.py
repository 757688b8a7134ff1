"""The list of all GTP commands, by family."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from trivalent.gtp.commands.analysis import ANALYSIS
from trivalent.gtp.commands.circuits import CIRCUITS
from trivalent.gtp.commands.files import FILES
from trivalent.gtp.commands.game import GAME
from trivalent.gtp.commands.knowledge import KNOWLEDGE
from trivalent.gtp.commands.live_analysis import LIVE_ANALYSIS
from trivalent.gtp.commands.parameters import PARAMETERS
from trivalent.gtp.commands.review import REVIEW
from trivalent.gtp.commands.solver import SOLVER
from trivalent.gtp.commands.standard import STANDARD
from trivalent.gtp.commands.time_settings import TIMES

if TYPE_CHECKING:
    from trivalent.gtp.engine.command import Command
    from trivalent.gtp.engine.profile import Profile

FAMILIES = {
    "standard": STANDARD,
    "game": GAME,
    "time": TIMES,
    "parameters": PARAMETERS,
    "analysis": ANALYSIS,
    "knowledge": KNOWLEDGE,
    "circuits": CIRCUITS,
    "live analysis": LIVE_ANALYSIS,
    "review": REVIEW,
    "solver": SOLVER,
    "files": FILES,
}
"""The commands that every controller gets, by family."""

COMMANDS = tuple(command for family in FAMILIES.values() for command in family)
"""The same commands, in the order of list_commands."""


def commands_for(profile: Profile, *, files: bool = True) -> tuple[Command, ...]:
    """Return the commands of a profile; without ``files``, leave out those that access files."""
    commands = {
        command.name: command
        for command in (*COMMANDS, *profile.commands)
        if command.name not in profile.lacks
    }
    if not files:
        for command in FILES:
            del commands[command.name]
    for alias, name in profile.aliases.items():
        commands[alias] = dataclasses.replace(commands[name], name=alias, hexgui="")
    return tuple(commands.values())
