"""Positions of a book: one name for all that are the same up to symmetry and swap.

A position is its stones and the side to move; how it came about doesn't matter.  Where both colours
want the same (Y), or a mirror image exchanges them (square Hex), a position and the one with
exchanged colours are the same, so a book needs no positions after a swap.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, Self

from trivalent.core.board import BLACK, WHITE, Aim, Colour, Symmetry
from trivalent.core.position import Position

if TYPE_CHECKING:
    from trivalent.core.board import Board

_LETTERS = {BLACK: "b", WHITE: "w"}


class Stones(NamedTuple):
    """The stones on a board, and the side to move."""

    black: frozenset[int] = frozenset()
    white: frozenset[int] = frozenset()
    to_play: Colour = BLACK

    @classmethod
    def of(cls, position: Position) -> Self:
        """Return the stones of a position."""
        black = frozenset(i for i, content in enumerate(position.stones) if content == BLACK)
        white = frozenset(i for i, content in enumerate(position.stones) if content == WHITE)
        return cls(black, white, position.to_play)

    @property
    def number(self) -> int:
        """The number of stones."""
        return len(self.black) + len(self.white)

    def after(self, cell: int) -> Stones:
        """Return the stones after a move of the side to move."""
        if self.to_play is BLACK:
            return Stones(self.black | {cell}, self.white, WHITE)
        return Stones(self.black, self.white | {cell}, BLACK)

    def before(self) -> list[Stones]:
        """Return the stones before each move that the other side may have made last."""
        if self.to_play is WHITE:
            return [Stones(self.black - {cell}, self.white, BLACK) for cell in self.black]
        return [Stones(self.black, self.white - {cell}, WHITE) for cell in self.white]

    def empty(self, board: Board) -> list[int]:
        """Return the empty cells of the board."""
        taken = self.black | self.white
        return [cell for cell in range(len(board)) if cell not in taken]

    def position(self, board: Board) -> Position:
        """Return the position, without a history: it is the same whatever moves led to it."""
        position = Position(board)
        for colour, cells in ((BLACK, self.black), (WHITE, self.white)):
            for cell in sorted(cells):
                position.setup(cell, colour)
        position.to_play = self.to_play
        return position


@lru_cache(maxsize=16)
def book_symmetries(board: Board) -> tuple[Symmetry, ...]:
    """Return all symmetries of the game on a board, those that exchange the colours, too."""
    found = board.symmetries
    if board.aim is Aim.JOIN and board.shares_sides:
        found += tuple(Symmetry(one.cells, swaps_colours=True) for one in found)
    return found


def canonical(board: Board, stones: Stones) -> tuple[str, Symmetry]:
    """Return the name that all images of a position share, and the symmetry that leads to it.

    The name has the side to move, the cells of Black and those of White: ``b c3 e5/d4 f2``.  It's
    short, unlike that of `trivalent.bot.solver.solved_store`: books hold positions of few stones.
    """
    best: tuple[int, list[int], list[int]] | None = None
    chosen = board.symmetries[0]
    for symmetry in book_symmetries(board):
        black, white, to_play = stones
        if symmetry.swaps_colours:
            black, white, to_play = white, black, to_play.opponent
        cells = symmetry.cells
        image = (int(to_play), sorted(cells[i] for i in black), sorted(cells[i] for i in white))
        if best is None or image < best:
            best, chosen = image, symmetry
    assert best is not None
    to_play_first, *colours = best
    names = ["".join(" " * (i > 0) + board.names[c] for i, c in enumerate(s)) for s in colours]
    return f"{_LETTERS[Colour(to_play_first)]} {'/'.join(names)}", chosen


def stones_of(board: Board, name: str) -> Stones:
    """Return the stones that a name stands for.  Raise ValueError if it isn't a canonical name."""
    letter, _, cells = name.partition(" ")
    parts = cells.split("/")
    to_play = next((colour for colour, sign in _LETTERS.items() if sign == letter), None)
    if to_play is None or len(parts) != 2:
        raise ValueError(f"{name!r} isn't the name of a position")
    black, white = (frozenset(map(board.cell, part.split())) for part in parts)
    stones = Stones(black, white, to_play)
    if canonical(board, stones)[0] != name:
        raise ValueError(f"{name!r} isn't the name of a position")
    return stones
