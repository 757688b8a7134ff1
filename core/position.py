"""Positions: stones, history, undo, swaps, hash, and the winner after every move.

The board brings the win test, which follows every stone that is placed or undone.
"""

from __future__ import annotations

from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from trivalent.core._random import Random
from trivalent.core.board import BLACK, EMPTY, WHITE, Colour
from trivalent.core.games import GAMES

if TYPE_CHECKING:
    from trivalent.core.board import Board


class IllegalMove(ValueError):  # noqa: N818  the field's word for it
    """A move that the rules forbid; the position is unchanged."""


class Kind(Enum):
    """What a move does."""

    PLAY = "play"
    SETUP = "setup"
    SWAP_PIECES = "swap-pieces"
    SWAP_SIDES = "swap-sides"
    PASS = "pass"  # noqa: S105  no secret


class Move(NamedTuple):
    """One step of a game.

    ``colour`` is the mover's; for setup it's that of the new stone, or None for an emptied cell.
    ``cell`` is None for swaps and passes.
    """

    kind: Kind
    colour: Colour | None
    cell: int | None


class _Change(NamedTuple):
    """What a cell held before a move, and what it held after."""

    cell: int
    before: int
    after: int


class _Record(NamedTuple):
    """A move and what is needed to undo it."""

    move: Move
    changes: tuple[_Change, ...]
    """In the order in which they were made."""
    to_play: Colour
    """The side to move before the move."""
    players_swapped: bool
    """Whether the players had swapped before the move."""


@lru_cache(maxsize=16)
def _hash_keys(board: Board) -> tuple[tuple[int, ...], ...]:
    """Return Zobrist keys: (board, unused, White to move), then for each cell by its content."""
    game = GAMES[board.game].number
    random = Random((game << 16) + (board.width << 8) + board.height)
    board_and_side = (random.bits(), 0, random.bits())
    return board_and_side, *((0, random.bits(), random.bits()) for _ in range(len(board)))


class Position:
    """A game in progress: the stones on a board, the side to move, and the moves so far.

    Stones may be placed in any order and colour, even after the game is decided, because GUIs and
    referees do so; `legal_moves` and `winner` follow the rules.  Not thread-safe.
    """

    def __init__(self, board: Board) -> None:
        self.board = board
        self.to_play = BLACK
        """The colour to move.  May be set; `undo` restores the value before the undone move."""
        self.players_swapped = False
        """True after swap-sides: the player who began as Black now plays White."""
        self._stones = bytearray(len(board))
        self._win_test = board.new_win_test()
        self._keys = _hash_keys(board)
        self._hash = self._keys[0][EMPTY]
        self._records: list[_Record] = []

    def copy(self) -> Position:
        """Return an independent copy, including the history."""
        other = Position.__new__(Position)
        other.board = self.board
        other.to_play = self.to_play
        other.players_swapped = self.players_swapped
        other._stones = self._stones.copy()
        other._win_test = self._win_test.copy()
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
        """A 64-bit hash of board, stones and side to move; independent of the history."""
        return self._hash ^ self._keys[0][self.to_play]

    @property
    def winner(self) -> Colour | None:
        """The colour that has reached its goal, or None while the game is open."""
        return (None, BLACK, WHITE)[self._win_test.winner]

    @property
    def empty_cells(self) -> list[int]:
        """The cells without a stone."""
        return [cell for cell, content in enumerate(self._stones) if content == EMPTY]

    @property
    def legal_moves(self) -> list[int]:
        """The cells on which the side to move may play: none once the game is decided."""
        return [] if self.winner else self.empty_cells

    @property
    def may_swap(self) -> bool:
        """Whether a swap is possible now: one stone has been played and nothing else."""
        return len(self._records) == 1 and self._records[0].move.kind is Kind.PLAY

    def play(self, colour: Colour, cell: int) -> None:
        """Place a stone; the other colour is to move.

        Raise IllegalMove if the cell is occupied or off the board, ValueError for no colour.
        """
        self._check(cell)
        mover = Colour(colour)
        if self._stones[cell] != EMPTY:
            raise IllegalMove(f"{self.board.names[cell]} is occupied")
        self._make(Move(Kind.PLAY, mover, cell), (cell, mover))
        self.to_play = mover.opponent

    def setup(self, cell: int, colour: Colour | None) -> None:
        """Put a stone of that colour on a cell, or empty it, whatever it held.

        The side to move stays.  Raise IllegalMove off the board, ValueError for no colour.
        """
        self._check(cell)
        stone = None if colour is None else Colour(colour)
        self._make(Move(Kind.SETUP, stone, cell), (cell, EMPTY if stone is None else stone))

    def swap_pieces(self) -> None:
        """Take over the first stone: it moves to `Board.swap_map` and changes colour.

        In Hex that mirrors it in the long diagonal, in Y it stays where it is.  The players keep
        their colours, and the first player moves next.  Raise IllegalMove unless one stone has been
        played and nothing else, or if the board has no such swap.
        """
        if not self.may_swap:
            raise IllegalMove("swap-pieces is possible as second move only")
        if self.board.swap_map is None:
            raise IllegalMove(f"swap-pieces needs a square board, not {self.board}")
        first = self._records[0].move
        assert first.cell is not None
        assert first.colour is not None
        taker = first.colour.opponent
        image = self.board.swap_map[first.cell]
        self._make(Move(Kind.SWAP_PIECES, taker, None), (first.cell, EMPTY), (image, taker))
        self.to_play = first.colour

    def swap_sides(self) -> None:
        """Exchange the players; the stone and the colour to move stay.

        Raise IllegalMove unless one stone has been played and nothing else.
        """
        if not self.may_swap:
            raise IllegalMove("swap-sides is possible as second move only")
        self._make(Move(Kind.SWAP_SIDES, self.to_play, None))
        self.players_swapped = not self.players_swapped

    def pass_turn(self, colour: Colour) -> None:
        """Place no stone; the other colour is to move.  Raise ValueError for no colour."""
        mover = Colour(colour)
        self._make(Move(Kind.PASS, mover, None))
        self.to_play = mover.opponent

    def undo(self) -> Move:
        """Undo the latest move and return it.  Raise IllegalMove if there is none."""
        if not self._records:
            raise IllegalMove("there is no move to undo")
        record = self._records.pop()
        for cell, before, after in reversed(record.changes):
            self._win_test.undo(cell, before, after)
            self._store(cell, after, before)
        self.to_play = record.to_play
        self.players_swapped = record.players_swapped
        return record.move

    def _check(self, cell: int) -> None:
        if not 0 <= cell < len(self._stones):
            raise IllegalMove(f"no cell number {cell} on {self.board}")

    def _make(self, move: Move, *contents: tuple[int, int]) -> None:
        """Give cells their new contents, one after the other, and remember how to undo that."""
        changes = []
        for cell, after in contents:
            before = self._stones[cell]
            if before != after:
                self._win_test.put(cell, before, after)
                self._store(cell, before, after)
                changes.append(_Change(cell, before, after))
        self._records.append(_Record(move, tuple(changes), self.to_play, self.players_swapped))

    def _store(self, cell: int, before: int, after: int) -> None:
        self._hash ^= self._keys[cell + 1][before] ^ self._keys[cell + 1][after]
        self._stones[cell] = after
