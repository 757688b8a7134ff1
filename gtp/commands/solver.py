"""Commands that solve the position on the board.  They have the names of MoHex's solver commands.

HexGui's Solve button sends two of them.  The solver keeps its transposition table until the board
or its parameters change.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from trivalent.gtp.commands.graphics import count, draw, pairs, short, shown_stones, variation
from trivalent.gtp.commands.parameters import parameter_command
from trivalent.gtp.engine.arguments import GtpError
from trivalent.gtp.engine.command import Command
from trivalent.gtp.engine.session import STDERR

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trivalent.bot.solver.solver import Progress, SolveLimits, Solver, SolveWatch
    from trivalent.core.position import Position
    from trivalent.gtp.engine.arguments import Arguments
    from trivalent.gtp.engine.session import Session

INTERVAL = 0.5
"""Seconds between two updates of the graphics."""

MAX_LABELS = 30
"""Maximum number of moves labelled, those closest to a proof first."""


def solver_position(session: Session, arguments: Arguments) -> Position:
    """Return a copy of the position, with the side to move taken from the argument, if any."""
    arguments.expect_count(0, 1)
    position = session.position.copy()
    if len(arguments):
        position.to_play = arguments.colour(0)
    return position


def session_solver(session: Session) -> Solver:
    """Return the session's solver; make a new one if the board has changed."""
    from trivalent.bot.solver.stored_solver import make_solver  # noqa: PLC0415  keeps the start fast

    board = session.position.board
    if session.solver is None or session.solver.board != board:
        session.solver = None  # frees its memory before the next one is allocated
        parameters = session.solver_parameters
        session.solver = make_solver(
            board, session.store, memory=parameters.memory, threads=parameters.threads
        )
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
        if progress.variation:
            draw(session, "dfpn", _lines(session, solver, position, progress))

    return SolveWatch(INTERVAL, report)


def _lines(session: Session, solver: Solver, position: Position, progress: Progress) -> list[str]:
    stones = shown_stones(session, progress.variation)
    moves = sorted(solver.children(position).items(), key=lambda child: min(child[1]))[:MAX_LABELS]
    labels = dict(moves) or {stones[0]: (progress.phi, progress.delta)}
    if session.profile.gogui_graphics:
        labels = {cell: bounds for cell, bounds in labels.items() if cell not in stones}
    mover = position.to_play
    if progress.phi and progress.delta:
        verdict = f"{mover} {progress.phi}:{progress.delta}"
    else:
        verdict = f"{mover if not progress.phi else mover.opponent} wins"
    return [
        variation(session, mover, stones),
        _labels(session, labels),
        f"TEXT {verdict} after {count(progress.work, 'position')}",
    ]


def _labels(session: Session, bounds: Mapping[int, tuple[int, int]]) -> str:
    entries = bounds.items()
    return pairs("LABEL", ((session.name(cell), _bounds(session, *b)) for cell, b in entries))


def _bounds(session: Session, phi: int, delta: int) -> str:
    """Return the proof and disproof number; W or L, which HexGui colours, if a move is solved."""
    if not (phi and delta):
        return "L" if phi else "W"
    # Both on one line would be cut off at either end in HexGui.
    mark = ":" if session.profile.gogui_graphics else "@"
    return f"{short(phi)}{mark}{short(delta)}"


def _solve_state(session: Session, arguments: Arguments) -> str:
    position = solver_position(session, arguments)
    solver = session_solver(session)
    solution = solver.solve(
        position, _limits(session), session.channel.stop, _watch(session, solver, position)
    )
    _report_store(session, solver)
    # HexGui shows the reply as "Winning: ...".  If this command fails, it tries that of Wolve.
    return "unknown" if solution.winner is None else str(solution.winner)


def _report_store(session: Session, solver: Solver) -> None:
    """Say so, once, if the store has failed."""
    if solver.store_failure and session.store:
        STDERR.warning("%s", solver.store_failure)
        session.store = None


def _find_winning(session: Session, arguments: Arguments) -> str:
    found = winning_moves(session, arguments)
    winning = " ".join(session.name(cell) for cell, wins in found.items() if wins)
    undecided = " ".join(session.name(cell) for cell, wins in found.items() if wins is None)
    if undecided and not _draws_result(session):
        raise GtpError(f"undecided: {undecided}; winning: {winning or 'none so far'}")
    return winning


def winning_moves(session: Session, arguments: Arguments) -> dict[int, bool | None]:
    """Find out for each empty cell whether it wins; None if the search was stopped before.

    Argument: [COLOUR].  Also draw the result for a GUI that shows graphics.  Raise GtpError if the
    game is over.
    """
    position = solver_position(session, arguments)
    _require_open_game(position)
    solver = session_solver(session)
    found = solver.winning_moves(
        position, _limits(session), session.channel.stop, _watch(session, solver, position)
    )
    _report_store(session, solver)
    if _draws_result(session):
        wins, undecided = sum(map(bool, found.values())), list(found.values()).count(None)
        so_far = f" so far, {count(undecided, 'move')} undecided" if undecided else ""
        decided = {cell: (not won, won) for cell, won in found.items() if won is not None}
        lines = ["VAR", _labels(session, decided)]
        draw(session, "dfpn", [*lines, f"TEXT {count(wins, 'winning move')}{so_far}"])
    return found


def _draws_result(session: Session) -> bool:
    """Whether the controller draws how a search ended, rather than showing failures."""
    return session.solver_parameters.use_guifx or not session.profile.shows_failures


def _variation(session: Session, arguments: Arguments) -> str:
    position = solver_position(session, arguments)
    _require_open_game(position)
    solver = session_solver(session)
    line = solver.pv(position)
    if not line and 0 in (solver.bounds(position) or ()):
        # It was solved without trying a move, so this takes no time.
        solution = solver.solve(position, _limits(session), session.channel.stop)
        line = () if solution.move is None else (solution.move,)
    if not line:
        raise GtpError("nothing is known about this position (use dfpn-solve-state)")
    return " ".join(map(session.name, line))


def _get_bounds(session: Session, arguments: Arguments) -> str:
    position = solver_position(session, arguments)
    return " ".join(
        f"{session.name(cell)} {_bounds(session, *bounds)}"
        for cell, bounds in session_solver(session).children(position).items()
    )


def _get_state(session: Session, arguments: Arguments) -> str:
    position = solver_position(session, arguments)
    bounds = session_solver(session).bounds(position)
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
        "Lists all winning moves.  With use_guifx 1 or --compat hexgui, a search that was stopped "
        "early lists those found so far and draws how many moves remain undecided.",
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
        "its proof and disproof numbers as PROOF@DISPROOF (with --compat gogui: PROOF:DISPROOF).",
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
