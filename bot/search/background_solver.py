"""A solver beside or before a search: its proofs prune moves of the root, or end the search."""

from __future__ import annotations

from threading import Thread
from typing import TYPE_CHECKING, Protocol, Self

from trivalent.bot._stop import Stop
from trivalent.bot.solver.solver import NO_LIMITS, SolveLimits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trivalent.bot.solver.solver import Solver
    from trivalent.core.position import Position

_SLICE = SolveLimits(seconds=0.05)
_AT_ONCE = SolveLimits(seconds=0)
_HOPEFUL = 0.5
"""Value above which the preferred move may turn out to be a proven win."""


class Provable(Protocol):
    """A search to whose moves proofs can be added while it runs."""

    def moves(self) -> Sequence[tuple[int, int, float, float | None, int]]:
        """Return the root's moves: cell, visits, value, RAVE value, and proof or 0."""

    def learn(self, cell: int, plies: int, /) -> bool:
        """Learn that a move wins in some plies, or loses if negative; return whether that's all."""


class BackgroundSolver:
    """A thread that solves a position while other threads search its tree: a context manager.

    The thread takes turns at the position itself and, while that looks winning, at the position
    after the move that the search prefers: a win there may be much easier to prove.  Who has no
    thread to spare calls `work` before the search instead.
    """

    def __init__(self, solver: Solver, position: Position, tree: Provable) -> None:
        """Prepare the thread.  It needs the solver to itself, and a tree that has a root."""
        self._solver = solver
        self._position = position.copy()
        self._tree = tree
        self._stop = Stop()
        self._thread = Thread(target=self._run, name="solver")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def work(self, seconds: float, stop: Stop) -> None:
        """Work on the position itself for at most so long, in this thread, before the search."""
        self._stop = stop
        self._solves_root(SolveLimits(seconds=seconds), _AT_ONCE)

    def _run(self) -> None:
        while not (
            self._stop.is_set or self._solves_root(_SLICE, NO_LIMITS) or self._solves_favourite()
        ):
            pass

    def _solves_root(self, limits: SolveLimits, for_another: SolveLimits) -> bool:
        """Work on the root for a while; return whether it is solved and the tree has learned so.

        If the tree lacks the winning move, others are tried within the second limits.
        """
        solution = self._solver.solve(self._position, limits, self._stop)
        if solution.winner is None:
            return False
        plies = 1 + len(solution.carrier)
        if solution.winner is not self._position.to_play:
            for cell, *_ in self._tree.moves():
                self._tree.learn(cell, -plies)
            return True
        assert solution.move is not None
        return self._tree.learn(solution.move, plies) or self._finds_another(for_another)

    def _finds_another(self, limits: SolveLimits) -> bool:
        """Find a winning move that the tree has, if it lacks the one that the solver found."""
        moves = sorted(self._tree.moves(), key=lambda move: -move[1])
        return any(self._solves_move(cell, limits) for cell, *_ in moves)

    def _solves_favourite(self) -> bool:
        """Work on the position after the most visited open move; return whether that move wins."""
        open_moves = [move for move in self._tree.moves() if not move[4]]
        if not open_moves:
            return False
        cell, _, value, *_ = max(open_moves, key=lambda move: move[1])
        return value > _HOPEFUL and self._solves_move(cell, _SLICE)

    def _solves_move(self, cell: int, limits: SolveLimits) -> bool:
        """Work on the position after a move; return whether the move is proven to win."""
        position, colour = self._position, self._position.to_play
        position.play(colour, cell)
        solution = self._solver.solve(position, limits, self._stop)
        position.undo()
        if solution.winner is None:
            return False
        wins = solution.winner is colour
        plies = 1 + len(solution.carrier)
        self._tree.learn(cell, plies if wins else -plies)
        return wins
