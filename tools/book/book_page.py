"""The page on which to walk through a book: a board with the values of its moves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from trivalent.bot.book.book_parameters import BookError
from trivalent.bot.book.book_positions import Stones, book_symmetries, canonical, stones_of
from trivalent.core import VERSION
from trivalent.core.position import Kind
from trivalent.tools.book.book_lines import evaluator_text
from trivalent.tools.tournament.report.html_page import STYLE
from trivalent.tools.tournament.report.web_pages import board_data, render

if TYPE_CHECKING:
    from trivalent.bot.book.book_file import BookFile, Entry
    from trivalent.core.board import Board
    from trivalent.core.position import Position

MAX_POSITIONS = 20_000
"""Positions on a page: those of the fewest stones, as pages of more would load slowly."""
_FOLDER = Path(__file__).parent


def page(book: BookFile, start: Position) -> str:
    """Return the page, which shows a position first, as HTML.

    Raise BookError if moves other than stones lead to the position or the book is damaged.
    """
    if any(move.kind is not Kind.PLAY for move in start.history):
        raise BookError("a page can't begin after a swap or pass")
    line = [move.cell for move in start.history if move.cell is not None]
    entries = {entry.name: entry for entry in book.entries()}
    kept = sorted(entries, key=lambda name: (_stones(name), name))[:MAX_POSITIONS]
    return render(
        _FOLDER / "book_page.html.jinja",
        style=STYLE.read_text("utf-8") + (_FOLDER / "book_page.css").read_text("utf-8"),
        script=(_FOLDER / "book_page.js").read_text("utf-8"),
        data=_data(book.board, entries, kept) | {"line": line, "swap": book.settings.swap},
        title=f"Opening book for {book.board}",
        settings=evaluator_text(book.settings),
        positions=len(entries),
        kept=len(kept),
        proven=sum(entry.proven is not None for entry in entries.values()),
        version=VERSION,
    )


def _stones(name: str) -> int:
    """Return the number of stones of a position from its name."""
    return len(name.replace("/", " ").split()) - 1


def _data(board: Board, entries: dict[str, Entry], kept: list[str]) -> dict[str, Any]:
    """Return the data of the script.

    A position is stored as its name has it: its value, whether it's proven, its moves, and the
    estimate of its drop-out move.  A move is a cell, the number of the position that it leads to
    (-1 for the drop-out move), and the number of the symmetry that turns the board as it then lies
    into that position.
    """
    number = {name: i for i, name in enumerate(kept)}
    symmetries = book_symmetries(board)
    index = {id(symmetry): i for i, symmetry in enumerate(symmetries)}
    positions = []
    for name in kept:
        entry, stones = entries[name], stones_of(board, name)
        moves = []
        for cell in stones.empty(board):
            child, symmetry = canonical(board, stones.after(cell))
            if child in number:
                moves.append([cell, number[child], index[id(symmetry)]])
            elif entry.move == board.names[cell]:
                moves.append([cell, -1, 0])
        positions.append(
            [round(entry.value, 6), entry.proven, moves, round(entry.estimate, 6), entry.proof]
        )
    root, _ = canonical(board, Stones())
    return {
        "board": board_data(board),
        "symmetries": [symmetry.cells for symmetry in symmetries],
        "positions": positions,
        "root": number.get(root, 0),
    }
