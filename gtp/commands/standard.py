"""The commands of GTP itself: who are you, what can you do, goodbye."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from trivalent.core import VERSION
from trivalent.gtp.engine.arguments import GtpError
from trivalent.gtp.engine.command import Command

if TYPE_CHECKING:
    from trivalent.gtp.engine.arguments import Arguments
    from trivalent.gtp.engine.session import Session


def _name(session: Session, arguments: Arguments) -> str:
    arguments.expect(0)
    return session.profile.name


def _version(session: Session, arguments: Arguments) -> str:
    arguments.expect(0)
    # Whoever goes by another name here still says what it is.
    return VERSION if session.profile.name == "Trivalent" else f"Trivalent {VERSION}"


def _protocol_version(session: Session, arguments: Arguments) -> str:
    arguments.expect(0)
    return "2"


def _list_commands(session: Session, arguments: Arguments) -> str:
    arguments.expect(0)
    return "\n".join(session.commands)


def _known_command(session: Session, arguments: Arguments) -> str:
    arguments.expect(1)
    return "true" if arguments.words[0] in session.commands else "false"


def _help(session: Session, arguments: Arguments) -> str:
    arguments.expect(0, 1)
    if not len(arguments):
        return "\n".join(
            f"{command.name} {command.usage}".rstrip() for command in session.commands.values()
        )
    command = session.commands.get(arguments.words[0])
    if command is None:
        raise GtpError(f"unknown command: {arguments.words[0][:40]}")
    return explain(command)


def explain(command: Command) -> str:
    """Return two or three lines about a command: usage, effect, and when it fails."""
    lines = [f"{command.name} {command.usage}".rstrip(), f"  {command.effect}"]
    if command.fails:
        lines.append(f"  Fails if {command.fails}.")
    return "\n".join(lines)


def _quit(session: Session, arguments: Arguments) -> str:
    # Whatever follows the word, nobody who sends it wants to stay.
    session.ended = True
    return ""


def _cputime(session: Session, arguments: Arguments) -> str:
    arguments.expect(0)
    return f"{time.process_time():.3f}"


def _nothing(session: Session, arguments: Arguments) -> str:
    arguments.expect(0)
    return ""


def _analyze_commands(session: Session, arguments: Arguments) -> str:
    arguments.expect(0)
    return "\n".join(command.hexgui for command in session.commands.values() if command.hexgui)


STANDARD = (
    Command("name", _name, "", "The name of the engine."),
    Command("version", _version, "", "The version of the engine."),
    Command("protocol_version", _protocol_version, "", "The version of GTP: 2."),
    Command("list_commands", _list_commands, "", "All commands, one to a line."),
    Command("known_command", _known_command, "NAME", "Whether there is such a command."),
    Command(
        "help",
        _help,
        "[NAME]",
        "All commands with their arguments; or what one does, and when it fails.",
        "there is no such command",
    ),
    Command("quit", _quit, "", "Ends the session."),
    Command("cputime", _cputime, "", "The seconds of processor time used so far."),
    Command(
        "gogui-interrupt",
        _nothing,
        "",
        "Says that a line `# interrupt` ends a search early; does nothing itself.",
    ),
    Command(
        "hexgui-analyze_commands",
        _analyze_commands,
        "",
        "The entries of HexGui's analyze dialog: type/label/command.",
    ),
)
"""The standard family."""
