"""The books that come with the program are sound, small and documented."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from places import ROOT

from trivalent.bot.book.book_file import BookFile
from trivalent.bot.book.book_parameters import SHIPPED, SHIPPED_IN, find_book
from trivalent.bot.book.opening_book import OpeningBook
from trivalent.bot.players import solved_openings
from trivalent.core.games import hex_board
from trivalent.core.position import Position
from trivalent.tools.book.book_checks import check

if TYPE_CHECKING:
    from pathlib import Path

SHIPPED_BOOKS = sorted(SHIPPED_IN.glob("*.book"))


def test_there_are_some() -> None:
    assert SHIPPED_BOOKS
    assert find_book(SHIPPED, hex_board(2)) is None


@pytest.mark.parametrize("path", SHIPPED_BOOKS, ids=lambda path: path.stem)
def test_a_shipped_book(path: Path) -> None:
    with BookFile.read(path) as file:
        assert find_book(SHIPPED, file.board) == path
        assert check(file, 0.0).faults == ()
        settings = file.settings
    assert path.stat().st_size <= 300 << 10
    text = (ROOT / "tools" / "book" / "README.md").read_text()
    command = f"trivalent book build {path.name} --size {settings.columns} --nodes {settings.nodes}"
    assert command in text


def test_the_book_of_y_9_and_the_solver_agree_on_the_first_moves() -> None:
    """The book's values come from searches, the table of solved openings from the solver."""
    with BookFile.read(SHIPPED_IN / "y-9x9.book") as file:
        board, moves = file.board, OpeningBook.of(file).moves(Position(file.board))
    assert len(moves) == len(board)
    assert all((move.value > 0.5) is solved_openings.wins(board, move.cell) for move in moves)
