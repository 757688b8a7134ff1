"""Commands that solve the position on the board.  They have the names of MoHex's solver commands.

HexGui's Solve button sends two of them.  The solver keeps its transposition table until the board
or its parameters change.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from trivalent.gtp.commands.graphics import pairs, short
from trivalent.gtp.commands.parameters import parameter_command
from trivalent.gtp.engine.arguments import GtpError
from trivalent.gtp.engine.command import Command
from trivalent.gtp.engine.session import STDERR

if TYPE_CHECKING:
    from trivalent.bot.solver.solver import Progress, SolveLimits, Solver, SolveWatch
    from trivalent.core.position import Position
    from trivalent.gtp.engine.arguments import Arguments
    from trivalent.gtp.engine.session import Session

INTERVAL = 0.5
"""Seconds between two updates of the graphics."""

MAX_LABELS = 30
"""Maximum number of moves labelled, those closest to a proof first."""


def _position(session: Session, arguments: Arguments) -> Position:
    """Return a copy of the position, with the side to move taken from the argument, if any."""
    arguments.expect_count(0, 1)
    position = session.position.copy()
    if len(arguments):
        position.to_play = arguments.colour(0)
    return position


def _solver(session: Session) -> Solver:
    """Return the session's solver; make a new one if the board has changed."""
    from trivalent.bot.solver.solver import Solver  # noqa: PLC0415  keeps the start fast

    board = session.position.board
    if session.solver is None or session.solver.board != board:
        session.solver = None  # frees its memory before the next one is allocated
        parameters = session.solver_parameters
        session.solver = Solver(board, memory=parameters.memory, threads=parameters.threads)
    return session.solver


def _limits(session: Session) -> SolveLimits:
    from trivalent.bot.solver.solver import SolveLimits  # noqa: PLC0415  keeps the start fast

    user_limit = session.solver_parameters.timelimit or math.inf
    server_limit = math.inf if session.max_seconds is None else session.max_seconds
    seconds = min(user_limit, server_limit)
    return SolveLimits(seconds=None if math.isinf(seconds) else seconds)


def _watch(session: Session, solver: Solver, position: Position) -> SolveWatch | None:
    """Return a watch that draws what the solver does; None if graphics are off."""
    from trivalent.bot.solver.solver import SolveWatch  # noqa: PLC0415  keeps the start fast

    if not session.solver_parameters.use_guifx:
        return None

    def report(progress: Progress) -> None:
        if not progress.variation:
            return  # HexGui crashes on graphics without a move
        lines = _drawing(session, solver, position, progress)
        if session.profile.gogui_graphics:
            STDERR.info("gogui-gfx:\n%s\n", "\n".join(lines))
        else:
            session.channel.send_graphics("\n".join(["gogui-gfx:", "dfpn", *lines]))

    return SolveWatch(INTERVAL, report)


def _drawing(session: Session, solver: Solver, position: Position, progress: Progress) -> list[str]:
    variation = []
    side = position.to_play
    for cell in progress.variation:
        variation.append(f"{str(side)[0].upper()} {session.name(cell)}")
        side = side.opponent
    moves = sorted(solver.children(position).items(), key=lambda child: min(child[1]))[:MAX_LABELS]
    first = progress.variation[0]
    labels = [(session.name(cell), _bounds(*bounds)) for cell, bounds in moves] or [
        (session.name(first), _bounds(progress.phi, progress.delta))
    ]
    return [
        f"VAR {' '.join(variation)}",
        pairs("LABEL", labels),
        f"TEXT {_bounds(progress.phi, progress.delta)} after {progress.work} positions",
    ]


def _bounds(phi: int, delta: int) -> str:
    """Return proof:disproof number; W or L, which HexGui colours, if the move is solved."""
    return "W" if not phi else "L" if not delta else f"{short(phi)}:{short(delta)}"


def _solve_state(session: Session, arguments: Arguments) -> str:
    position = _position(session, arguments)
    solver = _solver(session)
    solution = solver.solve(
        position, _limits(session), session.channel.stop, _watch(session, solver, position)
    )
    # HexGui shows the reply as "Winning: ...".  If this command fails, it tries that of Wolve.
    return "unknown" if solution.winner is None else str(solution.winner)


def _find_winning(session: Session, arguments: Arguments) -> str:
    position = _position(session, arguments)
    _require_open_game(position)
    solver = _solver(session)
    found = solver.winning_moves(
        position, _limits(session), session.channel.stop, _watch(session, solver, position)
    )
    winning = " ".join(session.name(cell) for cell, wins in found.items() if wins)
    if open_moves := [cell for cell, wins in found.items() if wins is None]:
        names = " ".join(map(session.name, open_moves))
        raise GtpError(f"undecided: {names}; winning: {winning or 'none so far'}")
    return winning


def _variation(session: Session, arguments: Arguments) -> str:
    position = _position(session, arguments)
    _require_open_game(position)
    line = _solver(session).pv(position)
    if not line:
        raise GtpError("nothing is known about this position (use dfpn-solve-state)")
    return " ".join(map(session.name, line))


def _get_bounds(session: Session, arguments: Arguments) -> str:
    position = _position(session, arguments)
    return " ".join(
        f"{session.name(cell)} {_bounds(*bounds)}"
        for cell, bounds in _solver(session).children(position).items()
    )


def _get_state(session: Session, arguments: Arguments) -> str:
    position = _position(session, arguments)
    bounds = _solver(session).bounds(position)
    if bounds is None:
        raise GtpError("nothing is known about this position (use dfpn-solve-state)")
    phi, delta = bounds
    if phi and delta:
        return f"proof number {phi}, disproof number {delta} for {position.to_play}"
    return f"{position.to_play if not phi else position.to_play.opponent} wins"


def _require_open_game(position: Position) -> None:
    if position.winner is not None:
        raise GtpError(f"the game is over, {position.winner} has won")


def _clear(session: Session, arguments: Arguments) -> str:
    arguments.expect_count(0)
    if session.solver:
        session.solver.clear()
    return ""


def _set_parameters(session: Session, values: dict[str, str]) -> None:
    before, after = session.solver_parameters, session.solver_parameters.updated(values)
    session.solver_parameters = after
    if (before.memory, before.threads) != (after.memory, after.threads):
        session.solver = None


PARAM_DFPN = parameter_command(
    "param_dfpn",
    "Solver Parameters",
    "the parameters of the solver",
    lambda session: session.solver_parameters,
    _set_parameters,
)
"""The parameter command of the solver; the mohex profile accepts more parameters."""

_OVER = "the game is over"
_COLOUR = "[COLOUR]"

_COMMANDS = (
    Command(
        "dfpn-solve-state",
        _solve_state,
        _COLOUR,
        "Solves the position and returns who wins: black or white, or unknown if the solver was "
        "stopped first.",
        hexgui="string/Solve State/dfpn-solve-state %m",
    ),
    Command(
        "dfpn-solver-find-winning",
        _find_winning,
        _COLOUR,
        "Lists all winning moves.",
        f"{_OVER}, or some moves remain undecided; the error lists them",
        "plist/Find Winning/dfpn-solver-find-winning %m",
    ),
    Command(
        "dfpn-get-pv",
        _variation,
        _COLOUR,
        "Returns the principal variation, as far as it is still in the solver's table.",
        f"{_OVER}, or nothing is known about the position",
        "var/Solver Variation/dfpn-get-pv %m",
    ),
    Command(
        "dfpn-get-bounds",
        _get_bounds,
        _COLOUR,
        "Lists what the solver's table holds about each move: W (win), L (loss), or "
        "its proof and disproof numbers as PROOF:DISPROOF.",
        hexgui="pspairs/Solver Bounds/dfpn-get-bounds %m",
    ),
    Command(
        "dfpn-get-state",
        _get_state,
        _COLOUR,
        "Returns what the solver's table holds about the position.",
        "nothing is known about the position",
        "string/Solver State/dfpn-get-state %m",
    ),
    Command(
        "dfpn-clear-tt",
        _clear,
        "",
        "Clears the solver's transposition table.",
        hexgui="none/Clear Solver/dfpn-clear-tt",
    ),
)

SOLVER = (*(replace(command, reduced_only=True) for command in _COMMANDS), PARAM_DFPN)
"""The solver family."""
