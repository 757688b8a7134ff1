"""Finding puzzles, positions with a single winning move, and grading their difficulty."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trivalent.bot.player import Limits
from trivalent.bot.players.levels import LEVELS
from trivalent.bot.players.registry import make_player
from trivalent.bot.solver.solver import SolveLimits
from trivalent.bot.solver.stored_solver import make_solver
from trivalent.core.board import Colour
from trivalent.core.position import Position
from trivalent.core.records.record import Action, Record, Turn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trivalent.bot.player import Stop
    from trivalent.bot.solver.solved_store import SolvedStore, StoreError
    from trivalent.bot.solver.solver import Solver
    from trivalent.core.board import Board

ATTEMPTS = 3
"""Attempts of each level at a puzzle, with different seeds; most of them must be right."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known of a position as a puzzle for the side to move."""

    winner: Colour | None
    """None if it wasn't solved in time."""
    connected: bool = False
    """Whether the side to move also wins if the opponent moves first."""
    moves: tuple[int, ...] | None = None
    """The winning moves; None if some move wasn't decided in time."""

    @property
    def solution(self) -> int | None:
        """The only winning move, if there is exactly one."""
        return self.moves[0] if self.moves is not None and len(self.moves) == 1 else None


class PuzzleSolver:
    """Solves positions as puzzles, with a time limit for each.  Keeps one solver per board.

    A limit of 0 seconds is none.  With a store, what is solved is shared with other programs.
    """

    def __init__(
        self, seconds: float, memory: int, stop: Stop, store: SolvedStore | None = None
    ) -> None:
        self.stop = stop
        self._store = store
        self._seconds = seconds
        self._memory = memory
        self._solver: Solver | None = None

    def solve(self, position: Position) -> Verdict:
        """Find out who wins and by which moves, as far as the time allows."""
        if position.winner is not None:
            return Verdict(position.winner, connected=True)
        end = time.monotonic() + (self._seconds or math.inf)
        mover = position.to_play
        winner = self._winner(position, end)
        if winner is not mover:
            return Verdict(winner, moves=None if winner is None else ())
        passed = position.copy()
        passed.to_play = mover.opponent
        if self._winner(passed, end) is mover:
            return Verdict(mover, connected=True)
        found = self._solver_of(position.board).winning_moves(position, _until(end), self.stop)
        if None in found.values():
            return Verdict(mover)
        return Verdict(mover, moves=tuple(cell for cell, wins in found.items() if wins))

    @property
    def store_failure(self) -> StoreError | None:
        """Why the store isn't used any more, if so."""
        return self._solver.store_failure if self._solver else None

    def _winner(self, position: Position, end: float) -> Colour | None:
        return self._solver_of(position.board).solve(position, _until(end), self.stop).winner

    def _solver_of(self, board: Board) -> Solver:
        if self._solver is None or self._solver.board != board:
            self._solver = None  # free its memory before allocating the next one
            self._solver = make_solver(board, self._store, memory=self._memory)
        return self._solver


def _until(end: float) -> SolveLimits:
    return SolveLimits(seconds=None if math.isinf(end) else max(0.0, end - time.monotonic()))


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position, its only winning move, and the difficulty of finding it."""

    position: Position
    solution: int
    grade: int
    """The lowest level of the mcts player that finds the move, or the number of levels plus one."""
    source: str

    @property
    def task(self) -> str:
        """The task and its difficulty, in words."""
        harder = "more than " * (self.grade > len(LEVELS))
        grade = min(self.grade, len(LEVELS))
        mover = str(self.position.to_play).capitalize()
        return f"{mover} to play and win: grade {harder}{grade} of {len(LEVELS)}"

    def record(self) -> Record:
        """Return a record of the stones, the task, and the solution as the first move."""
        position = self.position
        record = Record(position.board)
        root = record.root
        root.setup = {cell: Colour(s) for cell, s in enumerate(position.stones) if s}
        root.to_play = position.to_play
        root.comment = f"{self.task} ({self.source})"
        root.add(Turn(position.to_play, Action.PLAY, self.solution))
        record.cursor = root
        return record


def find(positions: Iterator[Position], source: str, solver: PuzzleSolver) -> Iterator[Puzzle]:
    """Yield the puzzles among the positions of a game, which come in reverse order.

    Earlier positions are harder to solve, so give up after two that weren't solved in time.
    """
    unsolved = 0
    for position in positions:
        if solver.stop.is_set or unsolved == 2:
            return
        verdict = solver.solve(position)
        unsolved += verdict.winner is None
        if verdict.solution is not None:
            grade = grade_of(position, verdict.solution, solver.stop)
            if solver.stop.is_set:
                return
            yield Puzzle(position, verdict.solution, grade, source)


def grade_of(position: Position, solution: int, stop: Stop) -> int:
    """Return the lowest level that finds the solution, or the highest level plus one.

    Once ``stop`` is set, the grade means nothing.
    """
    for level in range(1, len(LEVELS) + 1):
        right = 0
        for seed in range(ATTEMPTS):
            player = make_player(
                "mcts", {"level": str(level), "seed": str(seed), "threads": "1", "memory": "64"}
            )
            player.set_position(position)
            answer = player.genmove(position.to_play, Limits(), stop)
            right += answer == solution
        if 2 * right > ATTEMPTS:
            return level
    return len(LEVELS) + 1


def backwards(position: Position) -> Iterator[Position]:
    """Yield the undecided positions of a game, the last one first, without the empty board."""
    position = position.copy()
    while position.history:
        position.undo()
        if position.winner is None and any(position.stones):
            yield position.copy()


def self_play(board: Board, seed: int, stop: Stop) -> Position:
    """Return a self-play game of a player of medium strength from a random opening.

    It is finished unless ``stop`` is set.
    """
    player = make_player("mcts", {"level": "5", "seed": str(seed), "threads": "1", "memory": "64"})
    opening = make_player("random", {"seed": str(seed)})
    position = Position(board)
    while position.winner is None and not stop.is_set:
        chooser = opening if len(position.history) < 2 else player
        chooser.set_position(position)
        answer = chooser.genmove(position.to_play, Limits(), stop)
        assert isinstance(answer, int)
        position.play(position.to_play, answer)
    return position
