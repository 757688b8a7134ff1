"""Positions: stones, history, undo, swaps, hash, and the winner after every move.

The winner comes from one reduction pyramid for each colour (BPR+), brought up to date with every
stone and exactly undone; there is no other win test.
"""

from __future__ import annotations

from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from trivalent.core._random import Random
from trivalent.core.board import BLACK, EMPTY, GAMES, WHITE, Colour
from trivalent.core.connection._pyramid import Pyramid
from trivalent.core.connection._triangle import triangle

if TYPE_CHECKING:
    from trivalent.core.board import Board


class IllegalMove(ValueError):  # noqa: N818  the field's word for it
    """A move that the rules forbid; the position stays as it was."""


class Kind(Enum):
    """What a move does."""

    PLAY = "play"
    SETUP = "setup"
    SWAP_PIECES = "swap-pieces"
    SWAP_SIDES = "swap-sides"
    PASS = "pass"  # noqa: S105  no secret


class Move(NamedTuple):
    """One step of a game.

    ``colour`` is the mover's, for setup that of the new stone (None: the cell is emptied);
    ``cell`` is None for the swaps and for a pass.
    """

    kind: Kind
    colour: Colour | None
    cell: int | None


class _Record(NamedTuple):
    """A move and what takes it back: the stones and the side to move of before."""

    move: Move
    stones: tuple[tuple[int, int], ...]
    to_play: Colour
    players_swapped: bool


@lru_cache(maxsize=16)
def _hash_keys(board: Board) -> tuple[tuple[int, ...], ...]:
    """Zobrist keys: for the board and for White to move, then for each cell by colour."""
    random = Random((GAMES.index(board.game) << 16) + (board.width << 8) + board.height)
    board_and_side = (random.bits(), 0, random.bits())
    return board_and_side, *((0, random.bits(), random.bits()) for _ in range(len(board)))


class Position:
    """A game in progress: the stones on a board, who is to move, and how it came about.

    Stones may be placed in any order and colour, also after the game is decided (a controller may
    do so); `legal_moves` and `winner` speak for the rules.  Not thread-safe.
    """

    def __init__(self, board: Board) -> None:
        self.board = board
        self.to_play = BLACK
        """The colour to move.  May be set; `undo` restores what it was before the move undone."""
        self.players_swapped = False
        """True after swap-sides: the player who began as Black now plays White."""
        self._stones = bytearray(len(board))
        self._pyramids = (Pyramid(triangle(board), BLACK), Pyramid(triangle(board), WHITE))
        self._keys = _hash_keys(board)
        self._hash = self._keys[0][EMPTY]
        self._records: list[_Record] = []

    def copy(self) -> Position:
        """Return an independent copy, history included."""
        other = Position.__new__(Position)
        other.board = self.board
        other.to_play = self.to_play
        other.players_swapped = self.players_swapped
        other._stones = self._stones.copy()
        other._pyramids = (self._pyramids[0].copy(), self._pyramids[1].copy())
        other._keys = self._keys
        other._hash = self._hash
        other._records = self._records.copy()
        return other

    @property
    def stones(self) -> bytes:
        """A byte for each cell: 0 empty, 1 black, 2 white."""
        return bytes(self._stones)

    def stone(self, cell: int) -> Colour | None:
        """Return the colour of the stone on a cell, or None.  Raise IllegalMove off the board."""
        self._check(cell)
        content = self._stones[cell]
        return Colour(content) if content else None

    @property
    def history(self) -> tuple[Move, ...]:
        """All moves so far, the first one first."""
        return tuple(record.move for record in self._records)

    @property
    def last_move(self) -> Move | None:
        """The latest move, or None at the start."""
        return self._records[-1].move if self._records else None

    @property
    def hash(self) -> int:
        """A 64-bit number for board, stones and side to move; the history does not enter."""
        return self._hash ^ self._keys[0][self.to_play]

    @property
    def winner(self) -> Colour | None:
        """The colour that has reached its goal, or None while the game is open."""
        if self._pyramids[0].apex:
            return BLACK
        return WHITE if self._pyramids[1].apex else None

    @property
    def empty_cells(self) -> list[int]:
        """The cells without a stone."""
        return [cell for cell, content in enumerate(self._stones) if content == EMPTY]

    @property
    def legal_moves(self) -> list[int]:
        """The cells that the side to move may take: none once the game is decided."""
        return [] if self.winner else self.empty_cells

    @property
    def may_swap(self) -> bool:
        """Whether this is the moment for a swap: one stone has been played and nothing else."""
        return len(self._records) == 1 and self._records[0].move.kind is Kind.PLAY

    def play(self, colour: Colour, cell: int) -> None:
        """Place a stone; the other colour is to move.

        Raise IllegalMove if the cell is taken or off the board, ValueError for no colour.
        """
        self._check(cell)
        next_to_play = Colour(colour).opponent
        if self._stones[cell] != EMPTY:
            raise IllegalMove(f"{self.board.names[cell]} is occupied")
        self._record(Move(Kind.PLAY, Colour(colour), cell), (cell,))
        self._put(cell, colour)
        self.to_play = next_to_play

    def setup(self, cell: int, colour: Colour | None) -> None:
        """Put a stone of that colour on a cell, or empty it, whatever it held.

        The side to move stays.  Raise IllegalMove off the board, ValueError for no colour.
        """
        self._check(cell)
        stone = None if colour is None else Colour(colour)
        self._record(Move(Kind.SETUP, stone, cell), (cell,))
        self._put(cell, EMPTY if stone is None else stone)

    def swap_pieces(self) -> None:
        """Take over the first stone: mirrored in the long diagonal, in the other colour.

        In Y it only changes colour.  The colours of the players stay, the first player moves next.
        Raise IllegalMove unless one stone has been played and nothing else, or if the board is not
        square.
        """
        if not self.may_swap:
            raise IllegalMove("swap-pieces is possible as second move only")
        if self.board.swap_map is None:
            raise IllegalMove(f"swap-pieces needs a square board, not {self.board}")
        first = self._records[0].move
        assert first.cell is not None
        assert first.colour is not None
        image = self.board.swap_map[first.cell]
        self._record(Move(Kind.SWAP_PIECES, first.colour.opponent, None), {first.cell, image})
        self._put(first.cell, EMPTY)
        self._put(image, first.colour.opponent)
        self.to_play = first.colour

    def swap_sides(self) -> None:
        """Exchange the players; the stone and the colour to move stay.

        Raise IllegalMove unless one stone has been played and nothing else.
        """
        if not self.may_swap:
            raise IllegalMove("swap-sides is possible as second move only")
        self._record(Move(Kind.SWAP_SIDES, self.to_play, None), ())
        self.players_swapped = not self.players_swapped

    def pass_turn(self, colour: Colour) -> None:
        """Do nothing; the other colour is to move.  Raise ValueError for no colour."""
        next_to_play = Colour(colour).opponent
        self._record(Move(Kind.PASS, Colour(colour), None), ())
        self.to_play = next_to_play

    def undo(self) -> Move:
        """Take back the latest move and return it.  Raise IllegalMove if there is none."""
        if not self._records:
            raise IllegalMove("there is no move to undo")
        record = self._records.pop()
        for cell, content in record.stones:
            self._put(cell, content)
        self.to_play = record.to_play
        self.players_swapped = record.players_swapped
        return record.move

    def _check(self, cell: int) -> None:
        if not 0 <= cell < len(self._stones):
            raise IllegalMove(f"no cell number {cell} on {self.board}")

    def _record(self, move: Move, cells: tuple[int, ...] | set[int]) -> None:
        """Remember a move and the present contents of the cells that it will change."""
        stones = tuple((cell, self._stones[cell]) for cell in cells)
        self._records.append(_Record(move, stones, self.to_play, self.players_swapped))

    def _put(self, cell: int, content: int) -> None:
        """Change what a cell holds, with pyramids and hash."""
        before = self._stones[cell]
        if content == before:
            return
        for colour in (before, content):
            if colour != EMPTY:
                self._pyramids[colour - 1].toggle(cell)
                self._hash ^= self._keys[cell + 1][colour]
        self._stones[cell] = content
