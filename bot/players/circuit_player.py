"""The circuit players: they judge positions by electric circuits, most of them by search."""

from __future__ import annotations

import time
from contextlib import nullcontext
from typing import TYPE_CHECKING

from trivalent.bot.circuits._alphabeta import AlphaBeta
from trivalent.bot.circuits.charges import potentials, saddle_points
from trivalent.bot.circuits.circuit_parameters import CircuitParameters
from trivalent.bot.circuits.evaluation import check_board, circuit
from trivalent.bot.circuits.views import view
from trivalent.bot.player import (
    RESIGN,
    Analysis,
    AvoidError,
    BasePlayer,
    BoardError,
    MoveAnalysis,
)
from trivalent.bot.search.background_solver import BackgroundSolver
from trivalent.bot.solver.solver import Solver
from trivalent.core.board import BLACK
from trivalent.core.processors import usable_cores

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trivalent.bot.circuits.views import View
    from trivalent.bot.player import Answer, Limits, Stop, Watch
    from trivalent.core.board import Board, Colour
    from trivalent.core.position import Position


_SOLVER_SHARE = 0.4
"""How much of the time for a move a single thread takes at most to try to solve the position."""


class _Searched:
    """A search of a view, with the cells of the position: what `BackgroundSolver` works on."""

    def __init__(self, search: AlphaBeta, seen: View) -> None:
        self._search = search
        self._seen = seen

    def moves(self) -> list[tuple[int, int, float, float | None, int]]:
        """See `AlphaBeta.moves`."""
        return [
            (self._seen.originals[cell], visits, value, rave, proven)
            for cell, visits, value, rave, proven in self._search.moves()
        ]

    def learn(self, cell: int, plies: int) -> bool:
        """See `AlphaBeta.learn`."""
        return self._search.learn(self._seen.cells[cell], plies)

    def variation(self, cell: int) -> tuple[int, ...]:
        """See `AlphaBeta.variation`."""
        return tuple(self._seen.back(self._search.variation(self._seen.cells[cell])))


class CircuitPlayer(BasePlayer):
    """Plays by circuits, in the way that its parameters say.

    Every search starts afresh.  With a node limit and without a limit of time, seed and position
    determine the move, and a mirrored position the mirrored move.
    """

    def __init__(self, parameters: CircuitParameters | None = None) -> None:
        super().__init__()
        self.parameters = parameters or CircuitParameters()
        self._search_for: tuple[Board, CircuitParameters] | None = None
        self._alphabeta: AlphaBeta | None = None
        self._solver: Solver | None = None

    def configure(self, values: Mapping[str, str]) -> None:
        """See `Player.configure`."""
        self.parameters = self.parameters.updated(values)

    def genmove(
        self, colour: Colour, limits: Limits, stop: Stop, watch: Watch | None = None
    ) -> Answer:
        """See `Player.genmove`."""
        began = time.monotonic()
        position = self._to_move(colour)
        check_board(position.board)
        if not set(position.empty_cells) - limits.avoid:
            raise AvoidError
        if self.parameters.machine == "charges":
            if len(position.board.goals[0]) > 2:
                raise BoardError(
                    f"charges can't play on {position.board}: its sides belong to both players"
                )
            self._analysis = _play_at_saddle(
                position, view(position, self.parameters.seed), limits, began
            )
        else:
            self._run(position, limits, stop, watch, began)
        if self._gives_up(self.parameters.resign):
            return RESIGN
        return self._analysis.moves[0].cell

    def _run(
        self, position: Position, limits: Limits, stop: Stop, watch: Watch | None, began: float
    ) -> None:
        """Search, and store the analysis."""
        seen = view(position, self.parameters.seed)
        search = self._search_on(position.board)
        search.set_position(seen.stones, seen.to_play, {seen.cells[cell] for cell in limits.avoid})
        searched = _Searched(search, seen)
        nodes = -1 if limits.nodes is None else limits.nodes
        beside = (self.parameters.threads or usable_cores()) > 1
        solving = None
        if nodes < 0 and (beside or limits.seconds is not None):
            solving = self._background_solver(position, searched)
        if solving and not beside and limits.seconds is not None:
            solving.work(_SOLVER_SHARE * limits.seconds, stop)
        with (beside and solving) or nullcontext():
            self._search(
                lambda seconds: search.run(nodes, seconds, stop),
                lambda seconds: _analysis(searched, search, seen, seconds),
                began,
                limits,
                watch,
            )

    def _search_on(self, board: Board) -> AlphaBeta:
        """Return the search, a new one if the board or a parameter that shapes it has changed."""
        p = self.parameters
        before = self._search_for
        if (
            self._alphabeta is None
            or before is None
            or before[0] != board
            or not (before[1].may_share_tree(p))
        ):
            self._alphabeta = self._solver = None
            self._alphabeta = AlphaBeta(
                circuit(board, p),
                depth=p.depth,
                width=p.width,
                root_width=p.root_width,
                energy_weight=p.energy_weight,
                memory=p.memory,
            )
        self._search_for = board, p
        return self._alphabeta

    def _background_solver(
        self, position: Position, searched: _Searched
    ) -> BackgroundSolver | None:
        """Return the solver to run beside or before the search, if any."""
        p = self.parameters
        if len(position.empty_cells) > p.solver_max_empties:
            return None
        if self._solver is None:
            self._solver = Solver(position.board, memory=p.memory)
        return BackgroundSolver(self._solver, position, searched)


def _analysis(searched: _Searched, search: AlphaBeta, seen: View, seconds: float) -> Analysis:
    moves = tuple(
        MoveAnalysis(cell, visits, value, rave, {1: True, -1: False}.get(proven))
        for cell, visits, value, rave, proven in searched.moves()
    )
    return Analysis(
        nodes=search.nodes,
        seconds=seconds,
        moves=moves,
        variation=searched.variation(moves[0].cell),
        currents=tuple(seen.values_back(search.energies)),
    )


def _play_at_saddle(position: Position, seen: View, limits: Limits, began: float) -> Analysis:
    """Return the analysis of a position by charges."""
    points = saddle_points(position.board, seen.stones)
    share = sum(potentials(position.board, seen.stones)) / len(position.board)
    value = (1 + (share if seen.to_play is BLACK else -share)) / 2
    moves = tuple(
        MoveAnalysis(cell, None, value, None, None)
        for cell in seen.back(cell for cell, _ in points)
        if cell not in limits.avoid
    )
    return Analysis(1, time.monotonic() - began, moves, (moves[0].cell,))
