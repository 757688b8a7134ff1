"""Virtual connections played out: all play inside a carrier, by plain search."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from trivalent.bot.knowledge._fillin import filler

if TYPE_CHECKING:
    import random

    from trivalent.core.board import Board, Colour


class Link(NamedTuple):
    full: bool
    first: int
    last: int
    carrier: tuple[int, ...]


class Game:
    """The play inside the carrier of a connection."""

    def __init__(
        self, board: Board, stones: bytes, colour: Colour, points: list[int], link: Link
    ) -> None:
        self.board = board
        self.link = link
        self.ours = {cell for cell in range(len(board)) if stones[cell] == colour}
        self.sides = [frozenset(board.sides[side].cells) for side in board.goal(colour)]
        self.ends = [self.end(points, link.first), self.end(points, link.last)]

    def end(self, points: list[int], point: int) -> tuple[frozenset[int], int]:
        """Return the stones of a point and the number of its side, or -1."""
        size = len(self.board)
        if point < size:
            return frozenset({point}), -1
        cells = frozenset(cell for cell in range(size) if points[cell] == point)
        return cells, point - size if point - size < 2 else -1

    def joined(self, played: int) -> bool:
        (first, first_side), (last, last_side) = self.ends
        have = (
            self.ours
            | first
            | last
            | {c for i, c in enumerate(self.link.carrier) if played >> i & 1}
        )
        reached: set[int] = set()
        at_sides: set[int] = set()
        todo = list(first)
        new_sides = {first_side} - {-1}
        while todo or new_sides:
            for side in new_sides:
                todo += have & self.sides[side]
            at_sides |= new_sides
            while todo:
                cell = todo.pop()
                if cell not in reached:
                    reached.add(cell)
                    todo += (c for c in self.board.neighbours[cell] if c in have)
            new_sides = {side for side in (0, 1) if reached & self.sides[side]} - at_sides
        return bool(reached & last) or last_side in at_sides


def holds(board: Board, stones: bytes, colour: Colour, points: list[int], link: Link) -> bool:
    """Return whether a connection holds against every play inside its carrier."""
    joined = cache(Game(board, stones, colour, points, link).joined)
    cells = [1 << i for i in range(len(link.carrier))]

    @cache
    def play(mine: int, theirs: int, my_move: bool) -> bool:
        if joined(mine):
            return True
        moves = [cell for cell in cells if not (mine | theirs) & cell]
        if not moves:
            return False
        if my_move:
            return any(play(mine | move, theirs, False) for move in moves)
        return all(play(mine, theirs | move, True) for move in moves)

    return play(0, 0, not link.full)


def some_stones(rng: random.Random, board: Board) -> bytes:
    share = rng.uniform(0.03, 0.3)
    stones = bytes(rng.choices((0, 1, 2), (1 - 2 * share, share, share), k=len(board)))
    return filler(board).fill(stones, 1)[0] if rng.random() < 0.5 else stones
