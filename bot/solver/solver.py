"""The solver: who wins a position of Hex or Y, by which moves, and what the win needs."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trivalent.bot._stop import Stop
from trivalent.bot.knowledge._fillin import filler
from trivalent.bot.knowledge._virtual_connections import Connections, joins_two_sides
from trivalent.bot.solver._dfpn import INFINITY, LARGEST, Dfpn
from trivalent.core.connection._sliced import slices
from trivalent.core.connection._triangle import triangle

if TYPE_CHECKING:
    from collections.abc import Callable

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
    """When a search has to end, whichever comes first; without limits it ends when it is done."""

    nodes: int | None = None
    """Positions examined."""
    seconds: float | None = None
    """Seconds of wall-clock time."""

    def __post_init__(self) -> None:
        if self.nodes is not None and self.nodes < 0:
            raise ValueError(f"nodes must not be negative, as {self.nodes} is")
        if self.seconds is not None and not self.seconds >= 0:  # nor is a NaN
            raise ValueError(f"seconds must not be negative, as {self.seconds} is")


NO_LIMITS = SolveLimits()

LONGEST = 1.0
"""Seconds of a search without anyone looking on until Python can see to a signal."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a search has got."""

    work: int
    """Positions examined."""
    seconds: float
    phi: int
    delta: int
    variation: tuple[int, ...]
    """The line that the search is at: each side's most promising moves."""


@dataclass(frozen=True, slots=True)
class SolveWatch:
    """Somebody who looks on while a search runs."""

    seconds: float
    """The time between two reports."""
    report: Callable[[Progress], None]
    """Called in the thread of the search, which waits for it."""


@dataclass(frozen=True, slots=True)
class Solution:
    """What is known of a position."""

    winner: Colour | None
    """None: not solved within the limits."""
    move: int | None
    """A cell with which the side to move wins; if it loses, the one that took most work to refute.
    None if the position is not solved or the game is over.
    """
    carrier: frozenset[int]
    """Cells that the win needs: the winner wins even if all other empty cells are the loser's.

    So a move of the loser elsewhere threatens nothing.  Empty if the position is not solved.
    """
    work: int
    """Positions examined in this call: 0 if the answer was known."""
    seconds: float
    phi: int
    """What it takes at least to show that the side to move wins: 0 if it does, else `INFINITY` if
    it loses.
    """
    delta: int
    """The same for its loss."""


class Solver:
    """Solves positions of one board, by proof-number search.

    What it finds out stays in a table, so that a search that has been interrupted goes on where it
    was, and positions met on the way are answered at once.  Not thread-safe, but for `Stop`.
    """

    def __init__(self, board: Board, *, memory: int = 256, threads: int = 1) -> None:
        """Make a solver with a table of so many MiB, which so many threads share.

        Raise ValueError for a board of more than 256 cells, MemoryError if there is no room.
        """
        if len(board) > LARGEST:
            raise ValueError(f"{board} has more than {LARGEST} cells, too many to be solved")
        if memory < 1:
            raise ValueError(f"memory must be at least 1 MiB, not {memory}")
        if threads < 1:
            raise ValueError(f"threads must be at least 1, not {threads}")
        self.board = board
        self._search = Dfpn(
            triangle(board),
            slices(board),
            filler(board),
            Connections(board) if joins_two_sides(board) else None,
            [symmetry.cells for symmetry in board.symmetries if not symmetry.swaps_colours],
            memory=memory << 20,
            threads=threads,
        )

    @property
    def entries(self) -> int:
        """Positions in the table."""
        return self._search.entries

    @property
    def capacity(self) -> int:
        """Positions that the table has room for."""
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
        """Tell who wins a position, whatever its stones, with its side to move.

        Raise ValueError if it is on another board.
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
        if found is None:  # there was no time to begin
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
        """Tell of each empty cell whether the side to move wins there; None: not decided in time.

        The limits are for all of them together.  Raise ValueError if the position is on another
        board.
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
            solution = self.solve(position, left, stop, watch)
            position.undo()
            work += solution.work
            if solution.winner is None:
                continue
            wins[cell] = solution.winner is colour
            if solution.winner is not colour:  # the same win stands against moves elsewhere
                for other in wins.keys() - solution.carrier:
                    wins[other] = wins[other] or False
        return wins

    def bounds(self, position: Position) -> tuple[int, int] | None:
        """Return phi and delta of a position as the table has them, None if it has not.

        Raise ValueError if it is on another board.
        """
        self._check(position)
        found = self._search.look(position.stones, position.to_play)
        return found and found[:2]

    def children(self, position: Position) -> dict[int, tuple[int, int]]:
        """Return phi and delta of the moves that the table knows, for the side that makes them.

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
        """Return the principal variation, as far as the table has it.

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
        """Search, with reports, unless the position is solved; return the positions examined."""
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
                return work
            share = min(end - now, watch.seconds if watch else LONGEST)
            work += self._search.run(
                stones,
                colour,
                -1 if limits.nodes is None else limits.nodes - work,
                share,
                stop,
            )

    def _finish(self, stones: bytes, colour: Colour, carrier: list[int], stop: Stop) -> int:
        """Choose a move where any one in the carrier wins: the one that leaves the least to do."""
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
            raise ValueError(f"a position on {position.board} for a solver on {self.board}")


def _decided(winner: Colour, to_play: Colour) -> Solution:
    """Return the solution of a game that is over."""
    won = winner is to_play
    return Solution(
        winner, None, frozenset(), 0, 0.0, 0 if won else INFINITY, INFINITY if won else 0
    )
