"""What to play where all moves lose: what holds out longest, then what is hardest to answer.

A move holds out as long as the winner still needs stones, however well both sides play from there.
Among moves that hold out equally long, the best is the one after which an opponent who plays by
the priors is least likely to stay on the winning side: few replies win, or those that do look odd.
Where that doesn't decide, because any reply wins, it's the move that the priors prefer.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_
from typing import TYPE_CHECKING

from trivalent.bot.solver.solver import SolveLimits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from trivalent.bot.player import Stop
    from trivalent.bot.solver.solver import Solver
    from trivalent.core.board import Board, Colour
    from trivalent.core.position import Position

    Priors = Callable[[Position], dict[int, float]]
    """Returns, for each empty cell, the probability that the side to move plays there."""


@dataclass(slots=True)
class Effort:
    """What may be spent on a choice: positions, time until a moment of `time.monotonic`."""

    positions: int
    end: float
    stop: Stop

    def is_left(self) -> bool:
        """Whether anything is left."""
        return self.positions > 0 and not self.stop.is_set and time.monotonic() < self.end

    def share(self, parts: int) -> Effort:
        """Return one of several parts: an equal one of the positions, and of the time left."""
        now = time.monotonic()
        return Effort(self.positions // parts, now + (self.end - now) / parts, self.stop)

    def limits(self) -> SolveLimits:
        """Return the same for a solver."""
        return SolveLimits(self.positions, max(0.0, self.end - time.monotonic()))


def most_stubborn(
    solver: Solver, position: Position, moves: Sequence[int], priors: Priors, effort: Effort
) -> int:
    """Return the best of several moves, all of which lose.

    Among equals, and where the effort doesn't suffice to compare them, it's the one with the
    highest prior, and of several the first.
    """
    race = Race(position.board, position.to_play.opponent)
    longest = race.longest(position.stones, moves, effort.share(3))
    if len(longest) == 1:
        return longest[0]
    parts = 3 * len(longest)
    threats = [
        cell
        for cell in longest
        if effort.is_left() and _threatens(solver, position, cell, effort.share(parts))
    ]
    parts = 3 * len(threats)
    chances = {
        cell: _chance_to_err(solver, position, cell, priors, effort.share(parts))
        for cell in threats
        if effort.is_left()
    }
    shares = priors(position)
    return max(longest, key=lambda cell: (chances.get(cell, -1.0), shares.get(cell, 0.0)))


def _threatens(solver: Solver, position: Position, cell: int, effort: Effort) -> bool:
    """Whether the opponent has to reply to a losing move: with a pass it would lose its win.

    If not, any reply wins.  A move that the effort doesn't suffice for may be a threat.
    """
    after = position.copy()
    after.play(position.to_play, cell)
    after.to_play = position.to_play
    solution = solver.solve(after, effort.limits(), effort.stop)
    return solution.winner is not position.to_play.opponent


def _chance_to_err(
    solver: Solver, position: Position, cell: int, priors: Priors, effort: Effort
) -> float:
    """Return the probability that the opponent replies to a losing move with one that loses.

    Replies that the effort doesn't suffice to solve count as winning ones.
    """
    after = position.copy()
    after.play(position.to_play, cell)
    shares = priors(after)
    replies = solver.winning_moves(after, effort.limits(), effort.stop)
    return sum(shares.get(reply, 0.0) for reply, wins in replies.items() if wins is False)


class _ExhaustedError(Exception):
    """The effort is used up."""


class Race:
    """How many more stones a colour needs to join its sides, against the best resistance.

    Sets of cells are bit masks of rows one bit longer than the board is wide, so that a shift moves
    all cells to one of their neighbours.
    """

    def __init__(self, board: Board, winner: Colour) -> None:
        stride = board.width + 1
        self._bits = [1 << (y * stride + x) for x, y in board.coordinates]
        self._cells = sum(self._bits)
        self._winner = winner
        self._sides = [
            sum(self._bits[cell] for cell in board.sides[side].cells) for side in board.goal(winner)
        ]
        steps = {
            (board.coordinates[b][1] - y) * stride + board.coordinates[b][0] - x
            for a, (x, y) in enumerate(board.coordinates)
            for b in board.neighbours[a]
        }
        self._up = [step for step in steps if step > 0]
        self._down = [-step for step in steps if step < 0]
        self._carriers: dict[tuple[int, int, int], int | None] = {}
        self._effort: Effort | None = None

    def longest(self, stones: bytes, moves: Sequence[int], effort: Effort) -> list[int]:
        """Return those of the moves, all of which lose, after which the winner needs most stones.

        ``stones`` has a byte for each cell.  If the effort doesn't suffice, more may be returned.
        """
        own = sum(
            bit for bit, content in zip(self._bits, stones, strict=True) if content == self._winner
        )
        free = sum(bit for bit, content in zip(self._bits, stones, strict=True) if not content)
        self._effort = effort
        left = list(moves)
        for count in range(1, len(stones) + 1):
            try:
                longer = [
                    cell
                    for cell in left
                    if self._wins(own, free & ~self._bits[cell], count) is None
                ]
            except _ExhaustedError:
                break
            if not longer:
                break
            left = longer
        return left

    def _wins(self, own: int, free: int, count: int) -> int | None:
        """Return cells in which the winner, to move, joins its sides by at most ``count`` stones.

        None if it can't.
        """
        key = own, free, count
        if key in self._carriers:
            return self._carriers[key]
        if self._effort is None or not self._effort.is_left():
            raise _ExhaustedError
        self._effort.positions -= 1
        reaches = [self._reach(side, own, free, count) for side in self._sides]
        if not self._within(reaches, own, free, count):
            return None
        self._carriers[key] = carrier = self._find_win(reaches, own, free, count)
        return carrier

    def _find_win(self, reaches: list[list[int]], own: int, free: int, count: int) -> int | None:
        """As `_wins`, for sides that are near enough to each other."""
        tried = 0
        for length in range(1, count + 1):
            cells = self._useful(reaches, length) & free & ~tried
            tried |= cells
            for bit in _bits_of(cells):
                if length == 1:
                    return bit
                carrier = self._holds(own | bit, free ^ bit, count - 1)
                if carrier is not None:
                    return carrier | bit
        return None

    def _useful(self, reaches: list[list[int]], length: int) -> int:
        """Return the cells that may be among ``length`` free cells that join the winner's sides."""
        if len(reaches) == 2:
            one, other = reaches
            return reduce(or_, (one[i] & other[length + 1 - i] for i in range(1, length + 1)))
        return reduce(and_, (reach[length] for reach in reaches))

    def _holds(self, own: int, free: int, count: int) -> int | None:
        """As `_wins`, with the loser to move.

        A move of the loser outside the cells of a win is as good as a pass.
        """
        carrier = self._wins(own, free, count)
        if carrier is None:
            return None
        untried = carrier
        while untried:
            another = self._wins(own, free ^ (untried & -untried), count)
            if another is None:
                return None
            untried &= another
            carrier |= another
        return carrier

    def _within(self, reaches: list[list[int]], own: int, free: int, count: int) -> bool:
        """Whether ``count`` free cells can join the winner's sides."""
        if len(reaches) == 2:
            return bool(reaches[0][count] & self._sides[1])
        # Three sides join at a stone, or at a free cell, which counts once.
        one, other, last = reaches
        return any(
            one[i] & other[j] & (last[count - i - j] & own | last[count + 2 - i - j] & free)
            for i in range(count + 1)
            for j in range(count + 1 - i)
        )

    def _reach(self, side: int, own: int, free: int, most: int) -> list[int]:
        """Return the cells that a side reaches with 0, 1, ..., ``most + 2`` free cells."""
        reached = self._along(side & own, own)
        reaches = [reached]
        for _ in range(most + 2):
            border = (self._beside(reached) | side) & free
            reached = self._along(reached | border, own)
            reaches.append(reached)
        return reaches

    def _along(self, cells: int, own: int) -> int:
        """Return the cells, and the stones that they are connected to."""
        while more := self._beside(cells) & own & ~cells:
            cells |= more
        return cells

    def _beside(self, cells: int) -> int:
        found = 0
        for step in self._up:
            found |= cells << step
        for step in self._down:
            found |= cells >> step
        return found & self._cells


def _bits_of(mask: int) -> Iterator[int]:
    while mask:
        bit = mask & -mask
        yield bit
        mask ^= bit
