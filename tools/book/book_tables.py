"""What a book says about a position: drawn, as a table, or as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trivalent.core.board import BLACK, EMPTY
from trivalent.gtp.engine.diagram import draw_texts
from trivalent.tools.book.book_lines import worth_text

if TYPE_CHECKING:
    from trivalent.bot.book.book_file import BookSettings, Entry
    from trivalent.bot.book.opening_book import BookMove, OpeningBook
    from trivalent.core.position import Position

_LEGEND = "the winning probability of each move in percent; W and L are proven wins and losses"


def drawing(book: OpeningBook, position: Position) -> str:
    """Return a position with the value of each move in its cell, and B and W for the stones."""
    texts = ["." if content == EMPTY else "*@"[content == BLACK] for content in position.stones]
    for move in book.moves(position):
        texts[move.cell] = value_text(move)
    lines = [draw_texts(book.board, texts), _LEGEND]
    if any(position.stones):
        lines.append("@ is a black stone, * a white one")
    return "\n".join(lines)


def value_text(move: BookMove) -> str:
    """Return the value of a move in two or three characters."""
    if move.proven is not None:
        return "W" if move.proven else "L"
    return f"{round(100 * move.value)}"


def summary(book: OpeningBook, settings: BookSettings, position: Position) -> str:
    """Return a sentence on who is to move, and how good the position is."""
    entry = book.entry(position)
    if entry is None:
        return "this position is not in the book"
    if entry.proven is not None:
        state = "wins (proven)" if entry.proven else "loses (proven)"
    elif settings.swap and not any(position.stones):
        state = f"opens; the best balance leaves it {100 * entry.value:.1f} %"
    else:
        state = f"wins {100 * entry.value:.1f} %"
    swap = ""
    if settings.swap and sum(map(bool, position.stones)) == 1:
        swap = "; better not swap" if entry.value > 0.5 else "; better swap"
    return f"{position.to_play} {state}{swap}"


def table(book: OpeningBook, position: Position, most: int) -> str:
    """Return the moves of a position from best to worst, one on each line."""
    lines = [
        f"{book.board.names[move.cell]:>4}  {worth_text(move)}" for move in book.moves(position)
    ]
    more = [f"and {len(lines) - most} more"] if len(lines) > most else []
    return "\n".join([*lines[:most], *more])


def as_json(book: OpeningBook, position: Position) -> dict[str, Any]:
    """Return what the book says about a position for programs.  Values are of the side to move."""
    entry: Entry | None = book.entry(position)
    return {
        "board": f"{book.board.game} {book.board.width}x{book.board.height}",
        "to_play": str(position.to_play),
        "in_book": entry is not None,
        "value": entry and entry.value,
        "proven": entry and entry.proven,
        "moves": [
            {
                "move": book.board.names[move.cell],
                "value": move.value,
                "proven": move.proven,
                "in_book": move.leads_to is not None,
            }
            for move in book.moves(position)
        ],
    }
