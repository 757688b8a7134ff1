"""Finds out about the positions of a game: by searches, several at once, and by the solver.

A search uses one thread and starts afresh, and the solver forgets everything before each position.
So with limits in nodes every answer depends on the position alone, whatever was asked before and
in whichever order: a review that was interrupted ends like one that was not.
"""

from __future__ import annotations

import threading
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self, TypeVar

from trivalent.bot.player import Limits, MoveAnalysis, Stop
from trivalent.bot.players.registry import make_player
from trivalent.bot.review.review_store import Proof
from trivalent.bot.solver.result_database import FallibleStore
from trivalent.bot.solver.solver import SolveLimits, Solver, SolveWatch, can_solve
from trivalent.core import VERSION

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trivalent.bot.player import Analysis, Player
    from trivalent.bot.review.review_store import ReviewStore
    from trivalent.bot.solver.result_database import StoreError
    from trivalent.core.board import Board, Colour
    from trivalent.core.position import Position

_SOLVER_MEMORY = 64
_SMALL_TREE, _LARGE_TREE = 128, 512  # MiB
_SMALL_NODES = 20_000
"""Most nodes that a small tree has room for on the usual boards."""
_Result = TypeVar("_Result")


class Interrupted(RuntimeError):  # noqa: N818  no error
    """The review was stopped before its end; what it found out is in the store."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How much a review does for each position: exactly one of the two limits is positive."""

    nodes: int = 0
    """Nodes of a search."""
    seconds: float = 0.0
    """Seconds of a search, and of the solver."""

    def times(self, factor: int) -> Effort:
        """Return a larger effort."""
        return Effort(self.nodes * factor, self.seconds * factor)

    @property
    def unit(self) -> str:
        """What is limited."""
        return "nodes" if self.nodes else "seconds"

    @property
    def amount(self) -> float:
        """The limit."""
        return self.nodes or self.seconds


QUICK = Effort(nodes=1_000)
DEFAULT = Effort(nodes=10_000)

_USUAL_CELLS = 121
_PROOF_SHARE = 4
"""Positions that the solver may examine for each node of a search, on a board of usual size."""


_WAKE_SECONDS = 0.2
"""How long a signal may go unheard."""


def _as_completed(futures: Iterable[Future[_Result]]) -> Iterator[Future[_Result]]:
    """Yield futures as they end.

    The wait has gaps, in which handlers of signals run: Python doesn't hear a signal that comes
    just before a wait without end, such as that of `as_completed`, until something ends the wait.
    """
    pending = {*futures}
    while pending:
        done, pending = wait(pending, _WAKE_SECONDS, FIRST_COMPLETED)
        yield from done


class PositionAnalyst:
    """Answers questions about positions, from the store if it knows them: a context manager.

    Only one thread may ask.  If the store fails, it goes on without; the program should say so.
    """

    def __init__(self, store: ReviewStore | None, stop: Stop, threads: int) -> None:
        self._store = FallibleStore(store)
        self._stop = stop
        self._pool = ThreadPoolExecutor(threads, "review")
        self._local = threading.local()
        self._network: tuple[Board, str | None] | None = None
        self._proofs: dict[object, Proof] = {}
        self._solving: dict[object, Future[Proof]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._pool.shutdown(cancel_futures=True)

    @property
    def store_failure(self) -> StoreError | None:
        """Why the store is no longer used, or None."""
        return self._store.failure

    def analyses(
        self, positions: Iterable[Position], effort: Effort
    ) -> Iterator[tuple[Position, Analysis]]:
        """Yield the analyses of open positions in the order in which they are known.

        Raise Interrupted once the review is stopped.
        """
        todo = []
        for position in positions:
            if found := self._kept(position, effort):
                yield position, found
            else:
                todo.append(position)
        futures = {self._pool.submit(self._search, position, effort): position for position in todo}
        for future in _as_completed(futures):
            found = future.result()
            if self._stop.is_set:
                raise Interrupted
            position = futures[future]
            self._keep(position, effort, found)
            yield position, found

    def _kept(self, position: Position, effort: Effort) -> Analysis | None:
        question = self._question(position, effort)
        return self._store.ask(lambda store: store.analysis(position, question, effort.amount))

    def _keep(self, position: Position, effort: Effort, found: Analysis) -> None:
        question = self._question(position, effort)
        self._store.ask(lambda store: store.put_analysis(position, question, effort.amount, found))

    def _question(self, position: Position, effort: Effort) -> str:
        """Return what is asked about a position, which changes with the player and its network."""
        if self._network is None or self._network[0] != position.board:
            player = self._player(effort)
            player.set_position(position)
            self._network = position.board, player.network()
        return f"search {VERSION} {effort.unit} {self._network[1]}"

    def _search(self, position: Position, effort: Effort) -> Analysis:
        player = self._player(effort)
        player.set_position(position)
        limits = Limits(effort.nodes or None, effort.seconds or None)
        player.genmove(position.to_play, limits, self._stop)
        return _rounded(player.analysis())

    def _player(self, effort: Effort) -> Player:
        """Return the player of this thread."""
        memory = _SMALL_TREE if 0 < effort.nodes <= _SMALL_NODES else _LARGE_TREE
        if getattr(self._local, "memory", 0) != memory:
            self._local.player = make_player(
                "mcts",
                {
                    "threads": "1",
                    "reuse": "0",
                    "memory": str(memory),
                    "resign": "1e-9",  # or it would look for the most stubborn move when lost
                },
            )
            self._local.memory = memory
        player: Player = self._local.player
        return player

    def proof(self, position: Position, effort: Effort) -> Proof:
        """Return who wins an open position, as far as the effort finds out.

        Raise Interrupted once the review is stopped.
        """
        key = _key(position, effort)
        if key not in self._proofs:
            self.prepare_proof(position, effort)
            if future := self._solving.pop(key, None):
                found = next(_as_completed([future])).result()
                if self._stop.is_set:
                    raise Interrupted
                question = _solver_question(effort)
                self._store.ask(
                    lambda store: store.put_proof(position, question, effort.amount, found)
                )
                self._proofs[key] = found
        return self._proofs[key]

    def prepare_proof(self, position: Position, effort: Effort) -> None:
        """Begin to solve a position that `proof` is likely to be asked about."""
        key = _key(position, effort)
        if key in self._proofs or key in self._solving:
            return
        question = _solver_question(effort)
        if position.winner is not None or not can_solve(position.board):
            found: Proof | None = Proof(position.winner)
        else:
            found = self._store.ask(lambda store: store.proof(position, question, effort.amount))
        if found:
            self._proofs[key] = found
        else:
            self._solving[key] = self._pool.submit(self._solve, position, effort)

    def _solve(self, position: Position, effort: Effort) -> Proof:
        solver = self._solver(position.board)
        solver.clear()
        limits = SolveLimits(_proof_nodes(position, effort), effort.seconds or None)
        # Without a watch the search would pause now and then, and go on a bit differently.
        watch = SolveWatch(1e9, lambda _: None)
        solution = solver.solve(position, limits, self._stop, watch)
        if solution.winner is None:
            return Proof(None)
        line = solver.pv(position)
        if solution.move is not None and not line:
            line = (solution.move,)
        return Proof(solution.winner, solution.move, (*sorted(solution.carrier),), line)

    def _solver(self, board: Board) -> Solver:
        """Return the solver of this thread."""
        if getattr(self._local, "solver_board", None) != board:
            self._local.solver = None  # free its memory before allocating the next one
            self._local.solver = Solver(board, memory=_SOLVER_MEMORY)
            self._local.solver_board = board
        solver: Solver = self._local.solver
        return solver


def _solver_question(effort: Effort) -> str:
    return f"solve {VERSION} {effort.unit}"


def _key(position: Position, effort: Effort) -> tuple[Board, bytes, Colour, Effort]:
    return position.board, position.stones, position.to_play, effort


def _proof_nodes(position: Position, effort: Effort) -> int | None:
    """Return how many positions the solver may examine, on every board for about as long."""
    if not effort.nodes:
        return None
    return round(effort.nodes * _PROOF_SHARE * (_USUAL_CELLS / len(position.board)) ** 2) or 1


def _rounded(analysis: Analysis) -> Analysis:
    """Return an analysis as the store keeps it."""
    moves = (
        MoveAnalysis(
            move.cell,
            move.visits,
            round(move.value, 5),
            None,
            move.proven,
            None if move.prior is None else round(move.prior, 4),
        )
        for move in analysis.moves
    )
    ownership = (round(share, 3) for share in analysis.ownership)
    return replace(analysis, moves=(*moves,), ownership=(*ownership,), pivotality=())
