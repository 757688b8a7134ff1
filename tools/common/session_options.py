"""The options that make a GTP session: what `trivalent gtp` and `trivalent serve` have in common.

Neither numpy nor rich is imported here: an engine has to answer its first command at once.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from trivalent.bot.players.registry import PLAYERS, make_player
from trivalent.core.board import make_board
from trivalent.core.files import require_regular_file
from trivalent.gtp.commands.all_commands import commands_for
from trivalent.gtp.commands.standard import explain
from trivalent.gtp.engine.session import SearchParameters, Session, SolverParameters
from trivalent.gtp.engine.syntax import parse
from trivalent.gtp.profiles.all_profiles import PROFILES

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from trivalent.bot.parameters import Parameters


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of a session."""
    parser.add_argument("--game", choices=("hex", "y"), default="hex", help="default: hex")
    parser.add_argument(
        "--boardsize",
        type=_size,
        default=(11,),
        metavar="N|WxH",
        help="size at the start (default: 11)",
    )
    parser.add_argument(
        "--player",
        default="mcts",
        metavar="NAME",
        help=f"who plays: {', '.join(PLAYERS)} (default: mcts)",
    )
    parser.add_argument(
        "--seconds", type=positive_float, metavar="S", help="most seconds a move (default: 1)"
    )
    parser.add_argument(
        "--nodes",
        type=positive_int,
        metavar="N",
        help="most positions evaluated a move (default: no limit)",
    )
    parser.add_argument(
        "--ponder",
        type=positive_float,
        metavar="S",
        help="think on after a move, until the next command comes, but S seconds at most",
    )
    parser.add_argument("--seed", metavar="N", help="seed of the player, as --set seed=N")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="set a parameter of the player; --set help lists them",
    )
    parser.add_argument(
        "--compat",
        choices=PROFILES,
        default="none",
        help="adapt to a controller: "
        + "; ".join(f"{name}, {profile.purpose}" for name, profile in PROFILES.items()),
    )
    parser.add_argument(
        "--config", metavar="FILE", help="run the GTP commands of that file before all others"
    )
    parser.add_argument(
        "--help-commands", action="store_true", help="explain all GTP commands, and end"
    )


def positive_float(text: str) -> float:
    """Read an option that takes a number from 0, exclusively, to 1e9."""
    value = float(text)
    if not 0 < value <= 1e9:
        raise ValueError
    return value


def positive_int(text: str) -> int:
    """Read an option that takes a whole number from 1 to 10**15."""
    value = int(text)
    if not 1 <= value <= 10**15:  # which no search will ever reach
        raise ValueError
    return value


positive_float.__name__ = "positive number"
positive_int.__name__ = "whole number from 1 to 10**15"


def _size(text: str) -> tuple[int, ...]:
    sides = tuple(map(int, text.lower().split("x")))
    if len(sides) > 2:
        raise ValueError
    return sides


_size.__name__ = "size (such as 11 or 9x13)"


def asked_for_help(arguments: argparse.Namespace, *, files: bool = True) -> bool:
    """Print what ``--set help`` or ``--help-commands`` ask for; return whether they were there."""
    if "help" in arguments.set:
        _check_player(arguments)
        parameters, _ = PLAYERS[arguments.player]
        sys.stdout.write(parameters().explain() + "\n")
        return True
    if arguments.help_commands:
        commands = commands_for(PROFILES[arguments.compat], files=files)
        sys.stdout.write("\n\n".join(map(explain, commands)) + "\n")
        return True
    return False


def _check_player(arguments: argparse.Namespace) -> None:
    if arguments.player not in PLAYERS:
        arguments.fail(f"unknown player {arguments.player!r} (known: {', '.join(PLAYERS)})")


def make_session(
    arguments: argparse.Namespace,
    *,
    files: bool = True,
    max_seconds: float | None = None,
    defaults: Mapping[str, str] | None = None,
) -> Session:
    """Return the session that the options describe; end the program if they make no sense.

    Its commands may touch files or not; `max_seconds` is what no search exceeds.  ``defaults`` are
    for those parameters among them that the player or the solver has.
    """
    _check_player(arguments)
    values = _those_of(PLAYERS[arguments.player][0], defaults or {})
    for setting in arguments.set:
        key, equals, value = setting.partition("=")
        if not equals:
            arguments.fail(f"--set wants KEY=VALUE, not {setting!r}")
        values[key] = value
    if arguments.seed is not None:
        values["seed"] = arguments.seed
    try:
        board = make_board(arguments.game, *arguments.boardsize)
        player = make_player(arguments.player, values)
    except ValueError as error:
        arguments.fail(str(error))
    profile = PROFILES[arguments.compat]
    search = SearchParameters(
        nodes=arguments.nodes or 0,
        seconds=arguments.seconds or 0.0,
        ponder=arguments.ponder or 0.0,
    )
    session = Session(
        player,
        commands_for(profile, files=files),
        board=board,
        search=search,
        profile=profile,
        max_seconds=max_seconds,
    )
    session.solver_parameters = SolverParameters().updated(
        _those_of(SolverParameters, defaults or {})
    )
    if arguments.config:
        try:
            _configure(session, Path(arguments.config))
        except (OSError, ValueError) as error:
            arguments.fail(f"--config: {error}")
    return session


def _those_of(kind: type[Parameters], values: Mapping[str, str]) -> dict[str, str]:
    """Return the values of those parameters that there are."""
    return {key: value for key, value in values.items() if key in kind.__dataclass_fields__}


def _configure(session: Session, path: Path) -> None:
    """Run the commands of a file.  Raise ValueError if one fails."""
    require_regular_file(path)
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if request := parse(line):
                reply = session.run(request.name, request.arguments)
                if not reply.ok or reply.end:
                    reason = reply.text or "nothing would come after it"
                    raise ValueError(f"{path}:{number}: {request.name}: {reason}")
