"""The commands of GTP itself: who are you, what can you do, goodbye."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trivalent.core import VERSION
from trivalent.gtp.session import Command

if TYPE_CHECKING:
    from trivalent.gtp.session import Arguments, Session


def _name(session: Session, arguments: Arguments) -> str:
    arguments.expect(0)
    return "Trivalent"


def _version(session: Session, arguments: Arguments) -> str:
    arguments.expect(0)
    return VERSION


def _protocol_version(session: Session, arguments: Arguments) -> str:
    arguments.expect(0)
    return "2"


def _list_commands(session: Session, arguments: Arguments) -> str:
    arguments.expect(0)
    return "\n".join(session.commands)


def _known_command(session: Session, arguments: Arguments) -> str:
    arguments.expect(1)
    return "true" if arguments.words[0] in session.commands else "false"


def _quit(session: Session, arguments: Arguments) -> str:
    # Whatever follows the word, nobody who sends it wants to stay.
    session.ended = True
    return ""


def _hexgui_analyze_commands(session: Session, arguments: Arguments) -> str:
    arguments.expect(0)
    return "\n".join(command.hexgui for command in session.commands.values() if command.hexgui)


STANDARD = (
    Command("name", _name, "", "The name of the engine."),
    Command("version", _version, "", "The version of the engine."),
    Command("protocol_version", _protocol_version, "", "The version of GTP: 2."),
    Command("list_commands", _list_commands, "", "All commands, one to a line."),
    Command("known_command", _known_command, "NAME", "Whether there is such a command."),
    Command("quit", _quit, "", "Ends the session."),
    Command(
        "hexgui-analyze_commands",
        _hexgui_analyze_commands,
        "",
        "The entries of HexGui's analyze dialog.",
    ),
)
"""The standard family."""
