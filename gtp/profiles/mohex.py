"""MoHex's profile, commands and parameters, for scripts and HexGui's Options button."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from trivalent.bot.time_control import TimeSettings
from trivalent.core.board import BLACK
from trivalent.core.playouts.playout import statistics
from trivalent.core.position import Kind
from trivalent.gtp.commands.all_commands import COMMANDS
from trivalent.gtp.commands.analysis import MAX_PLAYOUTS
from trivalent.gtp.commands.game import final_score
from trivalent.gtp.commands.graphics import short
from trivalent.gtp.commands.live_analysis import win_rate
from trivalent.gtp.commands.parameters import table
from trivalent.gtp.commands.solver import PARAM_DFPN, session_solver, solver_position, winning_moves
from trivalent.gtp.engine.arguments import GtpError
from trivalent.gtp.engine.command import Command
from trivalent.gtp.engine.profile import Profile
from trivalent.gtp.engine.session import DEFAULT_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from trivalent.bot.player import MoveAnalysis
    from trivalent.gtp.engine.arguments import Arguments
    from trivalent.gtp.engine.session import Session

_SEARCH = {"max_time": "seconds", "max_games": "nodes", "use_livegfx": "live_graphics"}
_PLAYER = {"num_threads": "threads"}
_SOLVER_ONLY = {
    *("db_bak_filename", "db_bak_period", "db_bak_start", "epsilon", "guifx_deep_bounds"),
    *("thread_work", "tt_bak_filename", "tt_bak_period", "tt_bak_start", "tt_size"),
    *("widening_base", "widening_factor"),
}
"""Parameters of MoHex's solver that have no counterpart here."""


def _param_mohex(session: Session, arguments: Arguments) -> str:
    if not len(arguments):
        values = {key: getattr(session.search, ours) for key, ours in _SEARCH.items()}
        if session.search.seconds is None and not session.search.nodes:
            values["max_time"] = DEFAULT_SECONDS
        player = session.player.parameters
        for key, ours in _PLAYER.items():
            if hasattr(player, ours):
                values[key] = getattr(player, ours)
        if hasattr(player, "memory"):
            values["max_memory"] = player.memory << 20
        return table(values | session.foreign_parameters)
    arguments.expect_count(2)
    key, value = arguments.words
    try:
        if key in _SEARCH:
            session.search = session.search.updated({_SEARCH[key]: value})
        elif key == "max_memory" and hasattr(session.player.parameters, "memory"):
            megabytes = max(1, arguments.integer(1, 1, 2**62) >> 20)
            session.configure_player({"memory": str(megabytes)})
        elif key in _PLAYER and hasattr(session.player.parameters, _PLAYER[key]):
            session.configure_player({_PLAYER[key]: value})
        else:  # scripts also set some of the dozens of parameters of MoHex's own search
            _store_foreign(session, key, value)
    except ValueError as error:
        raise GtpError(str(error)) from None
    return ""


_MAX_FOREIGN = 100  # parameters
_MAX_FOREIGN_LENGTH = 100  # characters of a key or a value


def _store_foreign(session: Session, key: str, value: str) -> None:
    full = len(session.foreign_parameters) >= _MAX_FOREIGN and key not in session.foreign_parameters
    if full or max(len(key), len(value)) > _MAX_FOREIGN_LENGTH:
        raise GtpError(
            f"cannot store more than {_MAX_FOREIGN} parameters of {_MAX_FOREIGN_LENGTH} characters"
        )
    session.foreign_parameters[key] = value


def _param_dfpn(session: Session, arguments: Arguments) -> str:
    if len(arguments) == 2 and arguments.words[0] in _SOLVER_ONLY:
        return ""  # accepted and ignored, so that scripts go on
    return PARAM_DFPN.handler(session, arguments)


def _param_game(session: Session, arguments: Arguments) -> str:
    if not len(arguments):
        main = session.clock.settings.main if session.clock else 0
        return table({"allow_swap": session.game.allow_swap, "game_time": f"{main:g}"})
    arguments.expect_count(2)
    key, value = arguments.words
    try:
        if key == "game_time":
            seconds = arguments.seconds(1)
            session.restart_clock(TimeSettings(seconds) if seconds else None)
        elif key == "on_little_golem":
            arguments.integer(
                1, 0, 1
            )  # in MoHex it turns swap-pieces into swap, which no controller relies on
        else:
            session.game = session.game.updated({key: value})
    except ValueError as error:
        raise GtpError(str(error)) from None
    return ""


def _final_score(session: Session, arguments: Arguments) -> str:
    arguments.expect_count(0)
    return "cannot score" if session.position.winner is None else final_score(session, arguments)


def _undo(session: Session, arguments: Arguments) -> str:
    arguments.expect_count(0)
    return _COMMON["undo"].handler(session, arguments) if session.position.last_move else ""


def _all_legal_moves(session: Session, arguments: Arguments) -> str:
    cells = _COMMON["all_legal_moves"].handler(session, arguments)
    may_swap = session.position.may_swap and session.game.allow_swap
    return _listed(["resign", *(["swap-pieces"] if may_swap else []), *cells.split()])


def _listed(words: Iterable[str]) -> str:
    """Return words as MoHex lists them: with a blank before each, on which some scripts rely."""
    return "".join(f" {word}" for word in words)


def _group_get(session: Session, arguments: Arguments) -> str:
    arguments.expect_count(1)
    if session.position.stone(arguments.cell(0)) is None:
        return ""
    return _COMMON["group-get"].handler(session, arguments)


def _solve_state(session: Session, arguments: Arguments) -> str:
    answer = _COMMON["dfpn-solve-state"].handler(session, arguments)
    return "empty" if answer == "unknown" else answer


def _find_winning(session: Session, arguments: Arguments) -> str:
    found = winning_moves(session, arguments)
    return _listed(session.name(cell) for cell, wins in found.items() if wins)


def _known_or_nothing(name: str) -> Callable[[Session, Arguments], str]:
    """Make a handler that answers with nothing where the common command refuses."""

    def handler(session: Session, arguments: Arguments) -> str:
        solver_position(session, arguments)  # raises for wrong arguments
        try:
            return _COMMON[name].handler(session, arguments)
        except GtpError:
            return ""

    return handler


def _get_bounds(session: Session, arguments: Arguments) -> str:
    position = solver_position(session, arguments)

    def written(phi: int, delta: int) -> str:
        # MoHex shows the numbers of the side that replies to the move.
        return f"{delta}:{phi}" if phi and delta else "L" if phi else "W"

    return _listed(
        f"{session.name(cell)} {written(*bounds)}"
        for cell, bounds in session_solver(session).children(position).items()
    )


def _values(session: Session, arguments: Arguments) -> str:
    arguments.expect_count(0)

    def written(move: MoveAnalysis) -> str:
        visits = move.visits or 0
        if move.proven is not None:
            return f"{'W' if move.proven else 'L'}@{visits}"
        return f"{_thousandths(move.value)}@{short(visits)}" if visits else "0"

    moves = session.analysis(session.position.to_play).moves
    return _listed(f"{session.name(move.cell)} {written(move)}" for move in moves)


def _thousandths(value: float) -> str:
    return f".{min(999, round(1000 * value)):03d}"


def _find_top_moves(session: Session, arguments: Arguments) -> str:
    arguments.expect_count(1, 2)
    colour = arguments.colour(0)
    most = arguments.integer(1, 1, 1000) if len(arguments) > 1 else 5
    best = session.analysis(colour).considered[:most]
    return _listed(
        f"{session.name(move.cell)} {rank}@{win_rate(move):.3f}"
        for rank, move in enumerate(best, 1)
    )


def _do_playouts(session: Session, arguments: Arguments) -> str:
    arguments.expect_count(0, 1)
    number = arguments.integer(0, 1, MAX_PLAYOUTS) if len(arguments) else 1000
    position = session.position
    if position.winner is not None:
        raise GtpError(f"the game is over, {position.winner} has won")
    found = statistics(position, number, position.hash, fill="in-turn")
    wins = found.black_wins if position.to_play is BLACK else number - found.black_wins
    return f"wins={wins} total={number} score={100 * wins / number:g}"


_COMMON = {command.name: command for command in COMMANDS}


def _instead(
    name: str, handler: Callable[[Session, Arguments], str], effect: str, fails: str = ""
) -> Command:
    """Return a common command with MoHex's replies; without ``fails`` it always succeeds."""
    return dataclasses.replace(_COMMON[name], handler=handler, effect=effect, fails=fails)


_COMMANDS = (
    Command(
        "param_mohex",
        _param_mohex,
        "[KEY VALUE]",
        "Shows or sets MoHex's parameters.  max_time, max_games, max_memory, num_threads and "
        "use_livegfx work as in MoHex; others are stored and have no effect.",
        "the value is out of range",
        "param/MoHex Parameters/param_mohex",
    ),
    Command(
        "param_game",
        _param_game,
        "[KEY VALUE]",
        "Shows or sets allow_swap and game_time, the seconds for the whole game (0: no clock).  "
        "on_little_golem is accepted and has no effect.",
        "the parameter does not exist, or the value is invalid",
        "param/Game Parameters/param_game",
    ),
    dataclasses.replace(
        PARAM_DFPN,
        handler=_param_dfpn,
        effect=f"{PARAM_DFPN.effect}  Those that only MoHex's solver has are accepted and ignored.",
    ),
    Command("final_score", _final_score, "", "Returns B+ or W+, or `cannot score` before the end."),
    _instead(
        "undo",
        _undo,
        f"{_COMMON['undo'].effect}  Does nothing if there is nothing to take back.",
    ),
    _instead(
        "all_legal_moves",
        _all_legal_moves,
        "Lists resign, swap-pieces where it is allowed, and the cells that may be played.",
    ),
    _instead(
        "group-get",
        _group_get,
        "Lists the cells of the chain that a stone belongs to; nothing for an empty cell.",
        "the cell is not on the board",
    ),
    _instead(
        "dfpn-solve-state",
        _solve_state,
        "Solves the position and returns who wins: black or white, or empty if the solver was "
        "stopped first.",
    ),
    _instead(
        "dfpn-solver-find-winning",
        _find_winning,
        "Lists all winning moves, or those found before the solver was stopped.",
        "the game is over",
    ),
    _instead(
        "dfpn-get-pv",
        _known_or_nothing("dfpn-get-pv"),
        "Returns the principal variation as far as the solver's table has it; may be nothing.",
    ),
    _instead(
        "dfpn-get-state",
        _known_or_nothing("dfpn-get-state"),
        "Returns what the solver's table holds about the position; may be nothing.",
    ),
    _instead(
        "dfpn-get-bounds",
        _get_bounds,
        "Lists what the solver's table holds about each move: W (win), L (loss), or the proof and "
        "disproof number of the position after it, as PROOF:DISPROOF.",
    ),
    Command(
        "mohex-values",
        _values,
        "",
        "Lists the moves of the search, each with .VALUE@VISITS, W@VISITS, L@VISITS, or 0 if it "
        "was not visited.",
        "the game is over",
    ),
    Command(
        "mohex-find-top-moves",
        _find_top_moves,
        "COLOUR [COUNT]",
        "Lists the best moves, 5 by default, each with RANK@VALUE.",
        "the game is over",
    ),
    Command(
        "mohex-do-playouts",
        _do_playouts,
        "[PLAYOUTS]",
        "Runs random playouts, 1000 by default, and counts the wins of the side to move.",
        "the game is over",
    ),
)

_ALIASES = {
    "dfs-clear-tt": "dfpn-clear-tt",
    "dfs-get-pv": "dfpn-get-pv",
    "dfs-get-state": "dfpn-get-state",
    "dfs-solve-state": "dfpn-solve-state",
    "dfs-solver-find-winning": "dfpn-solver-find-winning",
    "mohex-get-pv": "trivalent-pv",
    "mohex-rave-values": "trivalent-rave-values",
    "mohex-search-statistics": "trivalent-search",
    "mohex-cell-stats": "trivalent-ownership",
}
"""MoHex's names of common commands: alias to name."""

MOHEX = Profile(
    purpose="scripts and web workers written for MoHex; enables HexGui's Options button",
    name="MoHex",
    # Despite its name, swap-pieces leaves the stone where it is in MoHex.
    swaps={"swap-pieces": Kind.SWAP_SIDES},
    swap_answers={"swap-pieces": Kind.SWAP_SIDES},
    commands=_COMMANDS,
    aliases=_ALIASES,
)
"""The profile of MoHex."""
