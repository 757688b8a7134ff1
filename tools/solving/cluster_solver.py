"""A solver whose work is done on a Dask cluster.

The top of the tree is here, see `proof_tree`; its leaves are jobs, each of which searches a
position up to a number of positions on some worker.  Every thread of a worker has a solver of its
own, whose table outlives the job.  If a worker is lost, another one repeats its job.
"""

from __future__ import annotations

import threading
import time
import uuid
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, NamedTuple, Self

from trivalent.bot.player import Stop
from trivalent.bot.solver.result_database import FallibleStore
from trivalent.bot.solver.solved_store import Solved
from trivalent.bot.solver.solver import NO_LIMITS, Progress, Solution, SolveLimits, Solver
from trivalent.core.board import Colour
from trivalent.core.games import make_board
from trivalent.core.position import Position
from trivalent.tools.common.dask_cluster import DaskCluster, was_lost
from trivalent.tools.solving import ClusterError
from trivalent.tools.solving.proof_tree import JobResult, TreeNode, apply, give_back, next_leaf

if TYPE_CHECKING:
    from collections.abc import Sequence

    from distributed import Future

    from trivalent.bot.solver.solved_store import SolvedStore, StoreError
    from trivalent.bot.solver.solver import SolveWatch
    from trivalent.core.board import Board

JOB_POSITIONS = 20_000
"""Positions that a job searches at most: a few seconds."""
_WAIT_SECONDS = 0.1
"""Longest wait for a job without a look at limits and signals."""


_of_thread = threading.local()


class Job(NamedTuple):
    """A position to search, in a form that is sent to workers."""

    game: str
    width: int
    height: int
    stones: bytes
    to_play: int


def run_job(job: Job, positions: int, memory: int) -> JobResult:
    """Search up to a number of positions on a worker."""
    board = make_board(job.game, job.width, job.height)
    solver: Solver | None = getattr(_of_thread, "solver", None)
    if solver is None or solver.board != board or _of_thread.memory != memory:
        _of_thread.solver = None  # frees its memory before the next one is allocated
        _of_thread.memory = memory
        solver = _of_thread.solver = Solver(board, memory=memory)
    position = Position(board)
    for cell, stone in enumerate(job.stones):
        if stone:
            position.setup(cell, Colour(stone))
    position.to_play = Colour(job.to_play)
    found = solver.solve(position, SolveLimits(nodes=positions))
    moves = solver.children(position) if found.winner is None else {}
    return JobResult(found.winner, found.move, found.carrier, found.work, moves)


class ClusterSolver:
    """Solves positions of one board on a cluster; see `Solver` for the methods that it shares."""

    def __init__(
        self,
        board: Board,
        address: str,
        store: SolvedStore | None = None,
        *,
        memory: int = 256,
        job_positions: int = JOB_POSITIONS,
    ) -> None:
        """Connect.  Each thread of a worker gets a table of ``memory`` MiB.

        Raise ClusterError if no scheduler answers at the address.
        """
        self.board = board
        self._store = FallibleStore(store)
        self._memory = memory
        self._job_positions = job_positions
        self._cluster = DaskCluster(address, ClusterError)
        self._name = f"trivalent-solve-{uuid.uuid4()}"
        self._jobs: dict[int, tuple[Future, TreeNode]] = {}
        self._ended: SimpleQueue[int] = SimpleQueue()
        self._count = 0
        self._variation: tuple[int, ...] = ()
        self.examined = 0
        """See `Solver.examined`."""

    @property
    def store_failure(self) -> StoreError | None:
        """Why the store isn't used any more; the search goes on without."""
        return self._store.failure

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._cluster.cancel([future for future, _ in self._jobs.values()])
        self._cluster.close()

    def solve(
        self,
        position: Position,
        limits: SolveLimits = NO_LIMITS,
        stop: Stop | None = None,
        watch: SolveWatch | None = None,
    ) -> Solution:
        """See `Solver.solve`.  Raise ClusterError if the cluster fails."""
        began = time.monotonic()
        root = TreeNode(position.copy())
        if position.winner is None:
            self._run([root], limits, stop or Stop(), watch)
            self._variation = _variation(root)
        winner = root.winner or position.winner
        return Solution(
            winner=winner,
            move=root.move,
            carrier=root.carrier,
            work=root.work,
            seconds=time.monotonic() - began,
            phi=root.phi,
            delta=root.delta,
        )

    def winning_moves(
        self,
        position: Position,
        limits: SolveLimits = NO_LIMITS,
        stop: Stop | None = None,
        watch: SolveWatch | None = None,
    ) -> dict[int, bool | None]:
        """See `Solver.winning_moves`; moves are decided at the same time."""
        mover = position.to_play
        wins: dict[int, bool | None] = dict.fromkeys(position.empty_cells)
        if position.winner is not None:
            return dict.fromkeys(wins, position.winner is mover)
        roots = []
        for cell in wins:
            after = position.copy()
            after.play(mover, cell)
            roots.append(TreeNode(after, cell=cell, winner=after.winner))
        self._run(roots, limits, stop or Stop(), watch)
        for root in roots:
            assert root.cell is not None
            if root.winner is not None:
                wins[root.cell] = root.winner is mover
            elif root.dropped:
                wins[root.cell] = False
        return wins

    def pv(self, position: Position) -> tuple[int, ...]:  # noqa: ARG002  as `Solver` has it
        """Return the principal variation of the position solved last, as far as it is here."""
        return self._variation

    def _run(
        self, roots: Sequence[TreeNode], limits: SolveLimits, stop: Stop, watch: SolveWatch | None
    ) -> None:
        """Run jobs until all roots are decided or a limit is reached."""
        began = reported = time.monotonic()
        try:
            while not stop.is_set and any(root.is_open for root in roots):
                work = sum(root.work for root in roots)
                now = time.monotonic()
                if (limits.seconds is not None and now - began >= limits.seconds) or (
                    limits.nodes is not None and work >= limits.nodes
                ):
                    return
                if watch and now - reported >= watch.seconds:
                    reported = now
                    root = next(root for root in roots if root.is_open)
                    watch.report(
                        Progress(work, now - began, root.phi, root.delta, _variation(root))
                    )
                self._submit(roots)
                self._wait(roots)
        finally:
            self.examined += sum(root.work for root in roots)
            self._cluster.cancel([future for future, _ in self._jobs.values()])
            self._jobs.clear()

    def _submit(self, roots: Sequence[TreeNode]) -> None:
        """Keep all workers busy."""
        while len(self._jobs) < self._cluster.capacity:
            leaf = next(filter(None, map(next_leaf, roots)), None)
            if leaf is None:
                return
            if known := self._known(leaf.position):
                self._apply(roots, leaf, known)
                continue
            position = leaf.position
            self._count += 1
            number = self._count
            future = self._cluster.submit(
                f"{self._name}/{number}",
                run_job,
                Job(
                    self.board.game,
                    self.board.width,
                    self.board.height,
                    position.stones,
                    int(position.to_play),
                ),
                self._job_positions,
                self._memory,
            )
            self._jobs[number] = future, leaf
            future.add_done_callback(lambda _, number=number: self._ended.put(number))

    def _wait(self, roots: Sequence[TreeNode]) -> None:
        """Take over the next result, if one comes soon."""
        try:
            number = self._ended.get(timeout=_WAIT_SECONDS)
        except Empty:
            return
        if number not in self._jobs:  # taken back
            return
        future, leaf = self._jobs.pop(number)
        if future.status == "finished":
            result: JobResult = future.result()
            self._keep(leaf.position, result)
            self._apply(roots, leaf, result)
        elif was_lost(future):
            give_back(leaf)  # it will be chosen again
        else:
            raise ClusterError(f"a worker failed: {future.exception()}")

    def _apply(self, roots: Sequence[TreeNode], leaf: TreeNode, result: JobResult) -> None:
        """Take over the result of a leaf, and take back jobs that it has made pointless."""
        give_back(leaf)
        apply(leaf, result)
        *_, root = leaf.line()
        if root.winner is root.position.to_play:  # the move was refuted, and others with it
            for other in roots:
                other.dropped |= other.winner is None and other.cell not in root.carrier
        pointless = [
            number
            for number, (_, running) in self._jobs.items()
            if not all(node.is_open for node in running.line())
        ]
        jobs = [self._jobs.pop(number) for number in pointless]
        self._cluster.cancel([future for future, _ in jobs])
        for _, running in jobs:
            give_back(running)

    def _known(self, position: Position) -> JobResult | None:
        """Return what the store knows of a position."""
        found = self._store.ask(lambda store: store.get(position))
        if found is None:
            return None
        return JobResult(found.winner, found.move, frozenset(position.empty_cells), 0, {})

    def _keep(self, position: Position, result: JobResult) -> None:
        """Put a solved position into the store."""
        if result.winner is not None:
            solved = Solved(result.winner, result.move, result.work)
            self._store.ask(lambda store: store.put_all([(position, solved)]))


def _variation(node: TreeNode) -> tuple[int, ...]:
    """Return the moves that lead to the most promising leaf or, in solved positions, decide."""
    line = [] if node.cell is None else [node.cell]
    while node.children:
        if node.winner is None:
            node = min((child for child in node.children if child.is_open), key=_delta)
        else:
            solved = [child for child in node.children if child.cell == node.move]
            if not solved:
                break
            node = solved[0]
        assert node.cell is not None
        line.append(node.cell)
    if node.winner is not None and node.move is not None:
        line.append(node.move)
    return tuple(line)


def _delta(node: TreeNode) -> int:
    return node.delta
