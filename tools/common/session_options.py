"""The options of a GTP session, common to `trivalent gtp` and `trivalent serve`.

This module doesn't import numpy or rich, so that an engine answers its first command at once.
"""

from __future__ import annotations

import logging
import sys
from argparse import ArgumentTypeError
from pathlib import Path
from typing import TYPE_CHECKING

from trivalent.bot.book.book_parameters import NO_BOOK, BookError, check_book
from trivalent.bot.players.registry import PLAYERS, make_player
from trivalent.core.files import require_regular_file
from trivalent.core.games import DEFAULT_GAME, GAMES, make_board
from trivalent.core.position import Position
from trivalent.gtp.commands.all_commands import commands_for
from trivalent.gtp.commands.standard import explain
from trivalent.gtp.engine.session import SearchParameters, Session, SolverParameters
from trivalent.gtp.engine.syntax import parse
from trivalent.gtp.profiles.all_profiles import PROFILES
from trivalent.tools.common.option_values import limit_float, limit_int
from trivalent.tools.common.output_files import file_name, require_inputs_kept

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from trivalent.bot.parameters import Parameters
    from trivalent.bot.solver.solved_store import SolvedStore

LOGGER = logging.getLogger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of a session."""
    parser.add_argument(
        "--game", choices=GAMES, default=DEFAULT_GAME, help=f"the game (default: {DEFAULT_GAME})"
    )
    parser.add_argument(
        "--boardsize",
        type=_size,
        metavar="N|WxH",
        help="initial board size (default: "
        + ", ".join(f"{game.default_size} for {name}" for name, game in GAMES.items())
        + ")",
    )
    parser.add_argument(
        "--player",
        default="mcts",
        metavar="NAME",
        help=f"the player: {', '.join(PLAYERS)} (default: mcts)",
    )
    parser.add_argument(
        "--seconds",
        type=limit_float,
        default=0.0,
        metavar="S",
        help="maximum time per move in seconds; 0 (default): as the clock allows, or 1 without a "
        "clock or --nodes",
    )
    parser.add_argument(
        "--nodes",
        type=limit_int,
        default=0,
        metavar="N",
        help="maximum number of positions evaluated per move; 0 (default): no limit",
    )
    parser.add_argument(
        "--ponder",
        type=limit_float,
        default=0.0,
        metavar="S",
        help="after a move, keep searching until the next command, for at most S seconds; 0 "
        "(default): don't",
    )
    parser.add_argument(
        "--seed", metavar="N", help="random seed of the player; shorthand for --set seed=N"
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="set a parameter of the player; --set help lists all parameters",
    )
    parser.add_argument(
        "--compat",
        choices=PROFILES,
        default="none",
        help="adapt to a GUI or other controller: "
        + ", ".join(f"{name} ({profile.purpose})" for name, profile in PROFILES.items()),
    )
    parser.add_argument(
        "--store",
        type=file_name,
        metavar="FILE",
        help="share the database of solved positions in FILE with other programs",
    )
    parser.add_argument("--config", metavar="FILE", help="run the GTP commands in FILE first")
    parser.add_argument(
        "--help-commands", action="store_true", help="explain all GTP commands and exit"
    )


def _size(text: str) -> tuple[int, ...]:
    try:
        sides = tuple(map(int, text.lower().split("x")))
    except ValueError:
        sides = ()
    if len(sides) not in (1, 2):
        raise ArgumentTypeError(f"must be a board size such as 11 or 9x13, not {text!r}")
    return sides


def asked_for_help(arguments: argparse.Namespace, *, files: bool = True) -> bool:
    """Print the help that ``--set help`` or ``--help-commands`` asks for; return whether any."""
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


def require_inputs_kept_by_log(arguments: argparse.Namespace, option: str) -> None:
    """Exit with a usage error if the log in the file of an option would be added to an input."""
    inputs = [word.partition("=")[2] for word in arguments.set]
    try:
        require_inputs_kept({option: arguments.log}, [*inputs, *filter(None, [arguments.config])])
    except ValueError as error:
        arguments.fail(str(error))


def make_session(
    arguments: argparse.Namespace,
    *,
    files: bool = True,
    max_seconds: float | None = None,
    defaults: Mapping[str, str] | None = None,
) -> Session:
    """Return the session that the options describe; exit with a usage error if they are invalid.

    ``files`` allows commands that read and write files.  No search takes more than ``max_seconds``.
    ``defaults`` are values for parameters of the player and the solver; names that one of them
    doesn't have are ignored there.
    """
    _check_player(arguments)
    values = _known_parameters(PLAYERS[arguments.player][0], defaults or {})
    for setting in arguments.set:
        key, equals, value = setting.partition("=")
        if not equals:
            arguments.fail(f"--set takes KEY=VALUE, not {setting!r}")
        values[key] = value
    if arguments.seed is not None:
        values["seed"] = arguments.seed
    try:
        size = arguments.boardsize or (GAMES[arguments.game].default_size,)
        board = make_board(arguments.game, *size)
        _drop_damaged_book(values)
        player = make_player(arguments.player, values)
        player.set_position(Position(board))
        player.configure({key: values[key] for key in player.parameters.files() if key in values})
    except ValueError as error:
        arguments.fail(str(error))
    profile = PROFILES[arguments.compat]
    search = SearchParameters(
        nodes=arguments.nodes, seconds=arguments.seconds or None, ponder=arguments.ponder
    )
    session = Session(
        player,
        commands_for(profile, files=files),
        board=board,
        search=search,
        profile=profile,
        max_seconds=max_seconds,
        files=files,
    )
    session.solver_parameters = SolverParameters().updated(
        _known_parameters(SolverParameters, defaults or {})
    )
    if arguments.store:
        session.store = _open_store(arguments)
    if arguments.config:
        try:
            _configure(session, Path(arguments.config))
        except (OSError, ValueError) as error:
            arguments.fail(f"--config: {error}")
    return session


def _open_store(arguments: argparse.Namespace) -> SolvedStore:
    """Open the store of solved positions; exit with a usage error if that fails."""
    from trivalent.bot.solver.solved_store import SolvedStore, StoreError

    inputs = [word.partition("=")[2] for word in arguments.set]
    try:
        require_inputs_kept(
            {"--store": arguments.store}, [*inputs, *filter(None, [arguments.config])]
        )
        store = SolvedStore(Path(arguments.store))
    except (ValueError, StoreError) as error:
        arguments.fail(str(error))
    return store


def _drop_damaged_book(values: dict[str, str]) -> None:
    """Drop the book with a warning if it's damaged: an engine that a GUI starts plays on without.

    Raise ValueError if there is no such file.
    """
    try:
        check_book(values.get("book", NO_BOOK))
    except BookError as error:
        LOGGER.warning("book: %s; playing without a book", error)
        del values["book"]


def _known_parameters(kind: type[Parameters], values: Mapping[str, str]) -> dict[str, str]:
    """Return the values of the parameters that this kind has."""
    return {key: value for key, value in values.items() if key in kind.__dataclass_fields__}


def _configure(session: Session, path: Path) -> None:
    """Run the GTP commands in a file.  Raise ValueError if one fails or ends the session."""
    require_regular_file(path)
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if request := parse(line):
                reply = session.run(request.name, request.arguments)
                if not reply.ok or reply.end:
                    reason = reply.text or "a configuration must not end the session"
                    raise ValueError(f"{path}:{number}: {request.name}: {reason}")
