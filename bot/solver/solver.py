"""The solver: who wins a position of Hex or Y, with which moves, and which cells the win needs."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from trivalent.bot._stop import Stop
from trivalent.bot.knowledge._fillin import filler
from trivalent.bot.knowledge._virtual_connections import Connections
from trivalent.bot.solver._dfpn import INFINITY, MAX_CELLS, Dfpn
from trivalent.core.connection._arbiter import arbiter
from trivalent.core.connection._sliced import slices

if TYPE_CHECKING:
    from collections.abc import Callable

    from trivalent.bot.solver.solved_store import StoreError
    from trivalent.core.board import Board, Colour
    from trivalent.core.position import Position

__all__ = [
    "INFINITY",
    "NO_LIMITS",
    "Progress",
    "Solution",
    "SolveLimits",
    "SolveWatch",
    "Solver",
    "Stop",
]


@dataclass(frozen=True, slots=True)
class SolveLimits:
    """When a search ends: at the limit reached first, or when the position is solved."""

    nodes: int | None = None
    """Positions examined."""
    seconds: float | None = None
    """Seconds of wall-clock time."""

    def __post_init__(self) -> None:
        if self.nodes is not None and self.nodes < 0:
            raise ValueError(f"nodes must not be negative, but is {self.nodes}")
        if self.seconds is not None and not self.seconds >= 0:  # true of NaN, too
            raise ValueError(f"seconds must not be negative, but is {self.seconds}")


NO_LIMITS = SolveLimits()

MAX_UNWATCHED_SECONDS = 0.2
"""Longest stretch of search before Python can handle signals, if nobody watches."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a search has got."""

    work: int
    """Positions examined."""
    seconds: float
    """Seconds since the search began."""
    phi: int
    delta: int
    variation: tuple[int, ...]
    """The line being searched: the most promising moves of either side."""


@dataclass(frozen=True, slots=True)
class SolveWatch:
    """A callback that reports the progress of a search."""

    seconds: float
    """Seconds between two reports."""
    report: Callable[[Progress], None]
    """Called in the thread of the search, which waits for it to return."""


@dataclass(frozen=True, slots=True)
class Solution:
    """What is known of a position."""

    winner: Colour | None
    """None if the position isn't solved within the limits."""
    move: int | None
    """A winning move; if the side to move loses, the move that took the most work to refute.  None
    if the position isn't solved or the game is over.
    """
    carrier: frozenset[int]
    """Cells that the win needs: the winner wins even if the loser has all other empty cells.

    So a move of the loser outside the carrier threatens nothing.  Empty if the position isn't
    solved.
    """
    work: int
    """Positions examined in this call; 0 if the answer was known."""
    seconds: float
    """Seconds that the call took."""
    phi: int
    """Proof number of a win of the side to move: 0 if it wins, `INFINITY` if it loses."""
    delta: int
    """Proof number of its loss."""


def can_solve(board: Board) -> bool:
    """Return whether the solver can handle a board: one of up to 256 cells."""
    return len(board) <= MAX_CELLS


class Solver:
    """Solve positions of one board by df-pn search.

    All results stay in a table: an interrupted search resumes where it was, and positions met on
    the way are answered at once.  Not thread-safe, except for `Stop`.
    """

    def __init__(self, board: Board, *, memory: int = 256, threads: int = 1) -> None:
        """Make a solver with ``threads`` threads that share a table of ``memory`` MiB.

        Raise ValueError for a board that `can_solve` refuses or wrong numbers, MemoryError if
        there's no room.
        """
        if not can_solve(board):
            raise ValueError(f"{board} has more than {MAX_CELLS} cells, too many to solve")
        if memory < 1:
            raise ValueError(f"memory must be at least 1 MiB, not {memory}")
        if threads < 1:
            raise ValueError(f"threads must be at least 1, not {threads}")
        self.board = board
        self.examined = 0
        """Positions examined in all searches so far."""
        self._search = Dfpn(
            arbiter(board),
            slices(board),
            filler(board) if board.lattice else None,
            Connections(board) if board.lattice else None,
            [symmetry.cells for symmetry in board.symmetries if not symmetry.swaps_colours],
            memory=memory << 20,
            threads=threads,
        )

    @property
    def store_failure(self) -> StoreError | None:
        """Why a store isn't used any more, see `StoredSolver`."""
        return None

    @property
    def entries(self) -> int:
        """The number of positions in the table."""
        return self._search.entries

    @property
    def capacity(self) -> int:
        """The number of positions for which the table has room."""
        return self._search.capacity

    def clear(self) -> None:
        """Forget everything."""
        self._search.clear()

    def solve(
        self,
        position: Position,
        limits: SolveLimits = NO_LIMITS,
        stop: Stop | None = None,
        watch: SolveWatch | None = None,
    ) -> Solution:
        """Find out who wins a position, whatever its stones, with its side to move.

        Raise ValueError if the position is on another board.
        """
        self._check(position)
        began = time.monotonic()
        colour = position.to_play
        if position.winner is not None:
            return _decided(position.winner, colour)
        stones = position.stones
        stop = stop or Stop()
        work = self._run(stones, colour, limits, stop, watch)
        found = self._search.look(stones, colour)
        if found is None:  # the search ended before it began
            return Solution(None, None, frozenset(), work, time.monotonic() - began, 1, 1)
        phi, delta, _, move, carrier = found
        if phi and delta:
            return Solution(None, None, frozenset(), work, time.monotonic() - began, phi, delta)
        if move < 0:
            move = carrier[0] if delta == 0 else self._finish(stones, colour, carrier, stop)
        return Solution(
            winner=colour if phi == 0 else colour.opponent,
            move=move,
            carrier=frozenset(carrier),
            work=work,
            seconds=time.monotonic() - began,
            phi=phi,
            delta=delta,
        )

    def winning_moves(
        self,
        position: Position,
        limits: SolveLimits = NO_LIMITS,
        stop: Stop | None = None,
        watch: SolveWatch | None = None,
    ) -> dict[int, bool | None]:
        """Return, for each empty cell, whether the side to move wins there; None if undecided.

        The limits apply to all moves together.  The watch sees one move after the other: its
        variation begins with the move, and phi and delta are those of the move's win and loss.
        Raise ValueError if the position is on another board.
        """
        self._check(position)
        began = time.monotonic()
        stop = stop or Stop()
        colour = position.to_play
        wins: dict[int, bool | None] = dict.fromkeys(position.empty_cells)
        if position.winner is not None:
            return dict.fromkeys(wins, position.winner is colour)
        work = 0
        position = position.copy()
        for cell, known in wins.items():
            if known is not None:
                continue
            left = SolveLimits(
                None if limits.nodes is None else max(0, limits.nodes - work),
                None
                if limits.seconds is None
                else max(0.0, began + limits.seconds - time.monotonic()),
            )
            position.play(colour, cell)
            solution = self.solve(position, left, stop, watch and _before(cell, watch))
            position.undo()
            work += solution.work
            if solution.winner is None:
                continue
            wins[cell] = solution.winner is colour
            if solution.winner is not colour:  # the same win refutes all moves outside its carrier
                for other in wins.keys() - solution.carrier:
                    wins[other] = wins[other] or False
        return wins

    def bounds(self, position: Position) -> tuple[int, int] | None:
        """Return phi and delta of a position from the table, or None.

        Raise ValueError if the position is on another board.
        """
        self._check(position)
        found = self._search.look(position.stones, position.to_play)
        return found and found[:2]

    def children(self, position: Position) -> dict[int, tuple[int, int]]:
        """Return phi and delta of the moves in the table, for the side that makes them.

        Raise ValueError if the position is on another board.
        """
        self._check(position)
        found = {}
        stones = bytearray(position.stones)
        for cell in position.empty_cells:
            stones[cell] = position.to_play
            after = self._search.look(stones, position.to_play.opponent)
            stones[cell] = 0
            if after:
                found[cell] = after[1], after[0]
        return found

    def pv(self, position: Position) -> tuple[int, ...]:
        """Return the principal variation as far as the table has it.

        Raise ValueError if the position is on another board.
        """
        self._check(position)
        return self._variation(position.stones, position.to_play)

    def _variation(self, stones: bytes, colour: Colour) -> tuple[int, ...]:
        line: list[int] = []
        after = bytearray(stones)
        while (found := self._search.look(after, colour)) and found[3] >= 0:
            line.append(found[3])
            after[found[3]] = colour
            colour = colour.opponent
        return tuple(line)

    def _run(
        self,
        stones: bytes,
        colour: Colour,
        limits: SolveLimits,
        stop: Stop,
        watch: SolveWatch | None,
    ) -> int:
        """Search with reports until a limit is reached; return the number of positions examined."""
        began = time.monotonic()
        end = math.inf if limits.seconds is None else began + limits.seconds
        work = 0
        while True:
            found = self._search.look(stones, colour)
            now = time.monotonic()
            if found and work and watch:
                watch.report(
                    Progress(work, now - began, *found[:2], self._variation(stones, colour))
                )
            if (
                (found and not (found[0] and found[1]))
                or stop.is_set
                or now >= end
                or (limits.nodes is not None and work >= limits.nodes)
            ):
                self.examined += work
                return work
            share = min(end - now, watch.seconds if watch else MAX_UNWATCHED_SECONDS)
            work += self._search.run(
                stones,
                colour,
                -1 if limits.nodes is None else limits.nodes - work,
                share,
                stop,
            )

    def _finish(self, stones: bytes, colour: Colour, carrier: list[int], stop: Stop) -> int:
        """Return the move that leaves the smallest carrier, where any in the carrier wins."""
        after = bytearray(stones)
        best, smallest = carrier[0], math.inf
        for cell in carrier:
            after[cell] = colour
            self._run(bytes(after), colour.opponent, NO_LIMITS, stop, None)
            found = self._search.look(after, colour.opponent)
            after[cell] = 0
            if found and found[1] == 0 and len(found[4]) < smallest:
                best, smallest = cell, len(found[4])
        return best

    def _check(self, position: Position) -> None:
        if position.board != self.board:
            raise ValueError(f"the solver is for {self.board}, the position is on {position.board}")


def _before(cell: int, watch: SolveWatch) -> SolveWatch:
    """Return a watch of the position after a move that reports on the position before it."""

    def report(progress: Progress) -> None:
        watch.report(
            replace(
                progress,
                phi=progress.delta,
                delta=progress.phi,
                variation=(cell, *progress.variation),
            )
        )

    return SolveWatch(watch.seconds, report)


def _decided(winner: Colour, to_play: Colour) -> Solution:
    """Return the solution of a game that is over."""
    won = winner is to_play
    return Solution(
        winner, None, frozenset(), 0, 0.0, 0 if won else INFINITY, INFINITY if won else 0
    )
