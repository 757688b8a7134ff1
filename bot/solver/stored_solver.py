"""A solver with a store: what one program has solved, no other needs to solve again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trivalent.bot.solver.result_database import FallibleStore
from trivalent.bot.solver.solved_store import Solved
from trivalent.bot.solver.solver import INFINITY, NO_LIMITS, Solution, Solver

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trivalent.bot._stop import Stop
    from trivalent.bot.solver.solved_store import SolvedStore, StoreError
    from trivalent.bot.solver.solver import SolveLimits, SolveWatch
    from trivalent.core.board import Board
    from trivalent.core.position import Position


class StoredSolver(Solver):
    """A solver that first looks a position up in a store, and puts into it whatever it solves.

    If the store fails, it goes on without; the program should say so.
    """

    def __init__(
        self, board: Board, store: SolvedStore, *, memory: int = 256, threads: int = 1
    ) -> None:
        """See `Solver`.  Whoever has opened the store closes it."""
        super().__init__(board, memory=memory, threads=threads)
        self._store = FallibleStore(store)

    @property
    def store_failure(self) -> StoreError | None:
        """See `Solver.store_failure`."""
        return self._store.failure

    def known(self, position: Position) -> Solution | None:
        """Return what the store knows of a position, or None.

        It knows no carriers, and not of every won position how it is won.
        """
        if position.winner is not None:
            return None
        found = self._store.ask(lambda store: store.get(position))
        if found is None:
            return None
        won = found.winner is position.to_play
        phi, delta = (0, INFINITY) if won else (INFINITY, 0)
        carrier = frozenset(position.empty_cells)
        return Solution(found.winner, found.move, carrier, 0, 0.0, phi, delta)

    def solve(
        self,
        position: Position,
        limits: SolveLimits = NO_LIMITS,
        stop: Stop | None = None,
        watch: SolveWatch | None = None,
    ) -> Solution:
        """See `Solver.solve`."""
        if known := self.known(position):
            return known
        solution = super().solve(position, limits, stop, watch)
        if solution.winner is not None and position.winner is None:
            self.keep([(position, Solved(solution.winner, solution.move, solution.work))])
        return solution

    def winning_moves(
        self,
        position: Position,
        limits: SolveLimits = NO_LIMITS,
        stop: Stop | None = None,
        watch: SolveWatch | None = None,
    ) -> dict[int, bool | None]:
        """See `Solver.winning_moves`."""
        wins = super().winning_moves(position, limits, stop, watch)
        mover = position.to_play
        decided = []
        for cell, won in wins.items():
            if won is None:
                continue
            after = position.copy()
            after.play(mover, cell)
            if after.winner is None:
                decided.append((after, Solved(mover if won else mover.opponent, None, 0)))
        self.keep(decided)
        return wins

    def keep(self, solved: Iterable[tuple[Position, Solved]]) -> None:
        """Put positions into the store."""
        self._store.ask(lambda store: store.put_all(solved))


def make_solver(
    board: Board, store: SolvedStore | None = None, *, memory: int = 256, threads: int = 1
) -> Solver:
    """Return a solver, see `Solver`, that uses a store if there is one."""
    if store is None:
        return Solver(board, memory=memory, threads=threads)
    return StoredSolver(board, store, memory=memory, threads=threads)
