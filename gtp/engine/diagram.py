"""Boards and positions drawn in plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trivalent.core.games import GAMES
from trivalent.gtp.engine.vertices import PLAIN, Vertices

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trivalent.core.board import Board
    from trivalent.core.position import Position

_SIGNS = ".BW"


def draw(position: Position, vertices: Vertices = PLAIN) -> str:
    """Draw a position, with a last line that says whose turn it is.

    No line is empty, because an empty line would end a GTP reply.
    """
    signs = [_SIGNS[content] for content in position.stones]
    return f"{draw_texts(position.board, signs, vertices)}\n{_status(position)}"


def draw_texts(board: Board, texts: Sequence[str], vertices: Vertices = PLAIN) -> str:
    """Draw a board with one of ``texts`` in each cell; no line is empty."""
    # Each row is shifted by half a cell against the next, so a cell is an even number of characters
    # wide.  At least one of them is a blank.
    widest = max(map(len, [*texts, vertices.column(board.width - 1)]))
    half = (widest + 2) // 2
    draw_shape = {"rhombus": _rhombus, "triangle": _triangle}[GAMES[board.game].drawing]
    lines = draw_shape(board, texts, vertices, half)
    return "\n".join(line.rstrip() for line in lines)


def _rows(board: Board, texts: Sequence[str], half: int) -> list[str]:
    """Return one line per row, with the cells ``2 * half`` characters apart."""
    rows: list[list[str]] = [[] for _ in range(board.height)]
    for (_, y), text in zip(board.coordinates, texts, strict=True):
        rows[y].append(text.ljust(2 * half))
    return ["".join(row).rstrip() for row in rows]


def _letters(board: Board, vertices: Vertices, half: int) -> str:
    """Return the line of column letters."""
    return "".join(vertices.column(x).ljust(2 * half) for x in range(board.width))


def _rhombus(board: Board, texts: Sequence[str], vertices: Vertices, half: int) -> list[str]:
    margin = len(str(board.height)) + 1
    letters = _letters(board, vertices, half)
    lines = [" " * margin + letters]
    for y, row in enumerate(_rows(board, texts, half)):
        indent = " " * (y * half)
        number = vertices.row(board, y)
        lines.append(f"{indent}{number:>{margin - 1}} {row}  {number}")
    lines.append(" " * (margin + board.height * half) + letters)
    return lines


def _triangle(board: Board, texts: Sequence[str], vertices: Vertices, half: int) -> list[str]:
    margin = len(str(board.height)) + 1
    lines = [
        " " * ((board.height - 1 - y) * half) + f"{vertices.row(board, y):>{margin - 1}} {row}"
        for y, row in enumerate(_rows(board, texts, half))
    ]
    return [*lines, " " * margin + _letters(board, vertices, half)]


def _status(position: Position) -> str:
    goal = GAMES[position.board.game].goal
    if position.winner is not None:
        return f"{position.winner} has won ({goal})"
    swapped = ", the players have exchanged colours" if position.players_swapped else ""
    return f"{position.to_play} to move ({goal}{swapped})"
