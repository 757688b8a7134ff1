"""Drawings of positions in plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trivalent.gtp.vertices import PLAIN, Vertices

if TYPE_CHECKING:
    from trivalent.core.board import Board
    from trivalent.core.position import Position

_SIGNS = ".BW"


def draw(position: Position, vertices: Vertices = PLAIN) -> str:
    """Return a drawing of the board and a line that says whose turn it is; no line is empty."""
    board = position.board
    # A cell takes two places, so that each row can be shifted by half a cell; columns beyond z
    # have names of two letters and need four.
    half = 1 if board.width <= 26 else 2
    lines = (_hex if board.game == "hex" else _y)(position, vertices, half)
    return "\n".join(line.rstrip() for line in [*lines, _status(position)])


def _rows(position: Position, half: int) -> list[str]:
    """Return the signs of each row, cells at their distance."""
    rows: list[list[str]] = [[] for _ in range(position.board.height)]
    for (_, y), content in zip(position.board.coordinates, position.stones, strict=True):
        rows[y].append(_SIGNS[content].ljust(2 * half))
    return ["".join(row).rstrip() for row in rows]


def _letters(board: Board, vertices: Vertices, half: int) -> str:
    return "".join(vertices.column(x).ljust(2 * half) for x in range(board.width))


def _hex(position: Position, vertices: Vertices, half: int) -> list[str]:
    board = position.board
    margin = len(str(board.height)) + 1
    letters = _letters(board, vertices, half)
    lines = [" " * margin + letters]
    for y, row in enumerate(_rows(position, half)):
        indent = " " * (y * half)
        number = vertices.row(board, y)
        lines.append(f"{indent}{number:>{margin - 1}} {row}  {number}")
    lines.append(" " * (margin + board.height * half) + letters)
    return lines


def _y(position: Position, vertices: Vertices, half: int) -> list[str]:
    board = position.board
    margin = len(str(board.height)) + 1
    lines = [
        " " * ((board.height - 1 - y) * half) + f"{vertices.row(board, y):>{margin - 1}} {row}"
        for y, row in enumerate(_rows(position, half))
    ]
    return [*lines, " " * margin + _letters(board, vertices, half)]


def _status(position: Position) -> str:
    goal = {
        "hex": "B joins top and bottom, W left and right",
        "y": "whoever joins all three sides wins",
    }[position.board.game]
    if position.winner is not None:
        return f"{position.winner} has won ({goal})"
    swapped = ", the players have exchanged colours" if position.players_swapped else ""
    return f"{position.to_play} to move ({goal}{swapped})"
