"""The declaration of a GTP command."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from trivalent.gtp.engine.arguments import Arguments
    from trivalent.gtp.engine.session import Session


@dataclass(frozen=True, slots=True)
class Command:
    """A command: its handler, and what ``help`` and HexGui's analyze dialog say about it."""

    name: str
    handler: Callable[[Session, Arguments], str]
    """Returns the text of the reply; raises GtpError to refuse."""
    usage: str
    """The arguments, such as ``COLOUR CELL``."""
    effect: str
    """What the command does, in a sentence or two."""
    fails: str = ""
    """When it fails, apart from malformed arguments; completes the sentence "Fails if ...".  A
    command that fails leaves the state as it was."""
    hexgui: str = ""
    """Its line in hexgui-analyze_commands, type/label/command; empty: not offered there."""
    only: str = ""
    """The game for which it is offered there; empty: all games."""
    reduced_only: bool = False
    """Whether the command makes sense only for games whose boards can be reduced: Hex and Y."""
