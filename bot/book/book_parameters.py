"""The parameters of players that have an opening book, and the names of books."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from trivalent.bot.parameters import file, parameter
from trivalent.core.files import require_regular_file

if TYPE_CHECKING:
    from trivalent.core.board import Board

NO_BOOK = "none"
"""The name of no book."""
SHIPPED = "shipped"
"""The name of the books that come with the program, one per board."""
SHIPPED_IN = Path(__file__).parent / "shipped"
"""The folder of these books."""


class BookError(ValueError):
    """A book that can't be used; the message is one sentence."""


def find_book(name: str, board: Board) -> Path | None:
    """Return the file of a book by its name, or None if there is no such book for the board."""
    if name == NO_BOOK:
        return None
    if name != SHIPPED:
        return Path(name)
    path = SHIPPED_IN / f"{board.game}-{board.width}x{board.height}.book"
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
    from trivalent.bot.book.book_file import BookFile  # noqa: PLC0415  not at engine start-up

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
