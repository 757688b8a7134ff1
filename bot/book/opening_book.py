"""What a player reads from a book: the moves of a position with their values; its parameters."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from trivalent.bot.book.book_file import BookError, BookFile
from trivalent.bot.book.book_positions import Stones, canonical
from trivalent.bot.parameters import file, parameter
from trivalent.core.files import require_regular_file

if TYPE_CHECKING:
    from collections.abc import Callable

    from trivalent.bot.book.book_file import Entry
    from trivalent.core.board import Board
    from trivalent.core.position import Position

NO_BOOK = "none"
"""The name of no book."""
SHIPPED = "shipped"
"""The name of the books that come with the program, one per board."""
_SHIPPED_IN = Path(__file__).parent / "shipped"


class BookMove(NamedTuple):
    """A move that a book knows."""

    cell: int
    value: float
    """Probability that the move wins, 0 to 1."""
    proven: bool | None
    """True if the move is proven to win, False if it's proven to lose."""
    leads_to: str | None
    """The name of the position after the move; None if it isn't in the book, as after a drop-out
    move."""

    @property
    def order(self) -> tuple[bool, bool, float, int]:
        """The key that sorts moves from best to worst."""
        return self.proven is not True, self.proven is False, -self.value, self.cell


class OpeningBook:
    """The positions of a book as the moves of a position see them."""

    def __init__(self, board: Board, look: Callable[[str], Entry | None]) -> None:
        """Make a book of the positions that ``look`` finds by name."""
        self.board = board
        self._look = look

    @classmethod
    def of(cls, book: BookFile) -> Self:
        """Return the book in a file, which must stay open."""
        return cls(book.board, book.entry)

    def entry(self, position: Position) -> Entry | None:
        """Return what the book says about a position, or None.

        Raise BookError if the book is damaged.
        """
        return self._look(canonical(self.board, Stones.of(position))[0])

    def moves(self, position: Position) -> list[BookMove]:
        """Return the moves that the book knows in a position, from best to worst.

        The list is empty if the position isn't in the book or the game is over.  Symmetric moves
        are all there.  Raise BookError if the book is damaged.
        """
        if position.board != self.board or position.winner is not None:
            return []
        stones = Stones.of(position)
        name, symmetry = canonical(self.board, stones)
        entry = self._look(name)
        if entry is None:
            return []
        moves = []
        drop_out = self._drop_out(entry, stones, symmetry.cells)
        for cell in stones.empty(self.board):
            child, _ = canonical(self.board, stones.after(cell))
            found = self._look(child)
            if found is not None:
                proven = None if found.proven is None else not found.proven
                moves.append(BookMove(cell, 1 - found.value, proven, child))
            elif cell == drop_out:
                moves.append(BookMove(cell, entry.estimate, entry.proof, None))
        return sorted(moves, key=lambda move: move.order)

    def _drop_out(self, entry: Entry, stones: Stones, to_canonical: tuple[int, ...]) -> int | None:
        """Return the cell of an entry's drop-out move on the board as it lies."""
        if not entry.move:
            return None
        try:
            cell = to_canonical.index(self.board.cell(entry.move))
        except ValueError:
            cell = -1
        if cell not in stones.empty(self.board):
            raise BookError(f"the book is damaged: {entry.move} is no move in {entry.name!r}")
        return cell


def find_book(name: str, board: Board) -> Path | None:
    """Return the file of a book by its name, or None if there is no such book for the board."""
    if name == NO_BOOK:
        return None
    if name != SHIPPED:
        return Path(name)
    path = _SHIPPED_IN / f"{board.game}-{board.width}x{board.height}.book"
    return path if path.exists() else None


def check_book(name: str) -> None:
    """Raise ValueError if there is no such file, and BookError if it isn't a book."""
    if name in (NO_BOOK, SHIPPED):
        return
    path = Path(name)
    try:
        require_regular_file(path)
        if not path.exists():
            raise FileNotFoundError(2, "no such file")
    except OSError as error:
        raise ValueError(f"cannot read {name!r}: {error.strerror or error}") from None
    BookFile.read(path).close()


def book_parameter() -> Any:  # noqa: ANN401  as dataclasses.field
    """Declare the parameter that names a player's opening book."""
    return file(
        NO_BOOK,
        (SHIPPED, NO_BOOK),
        "file of an opening book, made by `trivalent book`, or shipped (the books that come with "
        "Trivalent, for some boards), or none; its best move is played where it knows the "
        "position, unless a short search proves a win or a loss",
        check_book,
        keeps_tree=True,
    )


def book_random_parameter() -> Any:  # noqa: ANN401  as dataclasses.field
    """Declare the parameter that brings variety into the moves from a book."""
    return parameter(
        0.0,
        "play any move of the book whose winning probability is at most this much below that of "
        "the best one, chosen by the seed; 0 always plays the best one",
        low=0.0,
        high=1.0,
        keeps_tree=True,
    )
