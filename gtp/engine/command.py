"""A GTP command: what it does, and how it is listed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from trivalent.gtp.engine.arguments import Arguments
    from trivalent.gtp.engine.session import Session


@dataclass(frozen=True, slots=True)
class Command:
    """A command: what it does, and how it is listed."""

    name: str
    handler: Callable[[Session, Arguments], str]
    """Returns the text of the reply; raises GtpError to refuse."""
    usage: str
    """The arguments, as in ``COLOUR CELL``."""
    effect: str
    """What it does, in a sentence or two."""
    fails: str = ""
    """When it fails, apart from arguments unlike the usage; the state stays as it was."""
    hexgui: str = ""
    """Its line of hexgui-analyze_commands, if it is to be offered there: type/label/command."""
