"""The administrative commands of GTP: identity, list of commands, help, quit."""

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
    arguments.expect_count(0)
    return session.profile.name


def _version(session: Session, arguments: Arguments) -> str:
    arguments.expect_count(0)
    # Under another engine's name, the version still says which program this is.
    version = VERSION if session.profile.name == "Trivalent" else f"Trivalent {VERSION}"
    network = session.player.network()
    return f"{version}, network {network}" if network else version


def _protocol_version(session: Session, arguments: Arguments) -> str:
    arguments.expect_count(0)
    return "2"


def _list_commands(session: Session, arguments: Arguments) -> str:
    arguments.expect_count(0)
    return "\n".join(session.commands)


def _known_command(session: Session, arguments: Arguments) -> str:
    arguments.expect_count(1)
    return "true" if arguments.words[0] in session.commands else "false"


def _help(session: Session, arguments: Arguments) -> str:
    arguments.expect_count(0, 1)
    if not len(arguments):
        return "\n".join(
            f"{command.name} {command.usage}".rstrip() for command in session.commands.values()
        )
    command = session.commands.get(arguments.words[0])
    if command is None:
        raise GtpError(f"unknown command: {arguments.words[0][:40]}")
    return explain(command)


def explain(command: Command) -> str:
    """Return the help text of a command: its usage, its effect, and when it fails."""
    lines = [f"{command.name} {command.usage}".rstrip(), f"  {command.effect}"]
    if command.fails:
        lines.append(f"  Fails if {command.fails}.")
    if command.reduced_only:
        lines.append("  Only for Hex and Y.")
    return "\n".join(lines)


def _quit(session: Session, arguments: Arguments) -> str:
    # Extra arguments are no reason to stay.
    session.ended = True
    return ""


def _cputime(session: Session, arguments: Arguments) -> str:
    arguments.expect_count(0)
    return f"{time.process_time():.3f}"


def _interrupt_supported(session: Session, arguments: Arguments) -> str:
    arguments.expect_count(0)
    return ""


def _analyze_commands(session: Session, arguments: Arguments) -> str:
    arguments.expect_count(0)
    return "\n".join(offered(session))


def offered(session: Session) -> list[str]:
    """Return the lines of HexGui's analyze dialog for the game being played."""
    game = session.position.board.game
    return [
        command.hexgui
        for command in session.commands.values()
        if command.hexgui and command.only in ("", game)
    ]


STANDARD = (
    Command("name", _name, "", "Returns the name of the engine."),
    Command(
        "version",
        _version,
        "",
        "Returns the version of the engine, and which network it uses, if any.",
    ),
    Command("protocol_version", _protocol_version, "", "Returns the version of GTP: 2."),
    Command("list_commands", _list_commands, "", "Lists all commands, one per line."),
    Command(
        "known_command", _known_command, "NAME", "Returns true if the command exists, else false."
    ),
    Command(
        "help",
        _help,
        "[NAME]",
        "Lists all commands with their arguments, or explains one of them.",
        "the command does not exist",
    ),
    Command("quit", _quit, "", "Ends the session."),
    Command("cputime", _cputime, "", "Returns the CPU time used so far, in seconds."),
    Command(
        "gogui-interrupt",
        _interrupt_supported,
        "",
        "Does nothing; its presence tells controllers that a line `# interrupt` ends a search "
        "early.",
    ),
    Command(
        "hexgui-analyze_commands",
        _analyze_commands,
        "",
        "Lists the entries of HexGui's analyze dialog: type/label/command.",
    ),
)
"""The standard family."""
