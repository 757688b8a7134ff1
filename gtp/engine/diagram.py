"""Boards and positions drawn in plain text."""

from __future__ import annotations

from math import atan2, tau
from typing import TYPE_CHECKING

from trivalent.core.board import BLACK, WHITE, column_name
from trivalent.core.games import GAMES
from trivalent.gtp.engine.vertices import PLAIN, Vertices

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trivalent.core.board import Board
    from trivalent.core.position import Position

_SIGNS = ".BW"
_LABEL = 1.3  # distance of a corner's name from the corner, in cells


def draw(position: Position, vertices: Vertices = PLAIN) -> str:
    """Draw a position, with a last line that says whose turn it is.

    No line is empty, because an empty line would end a GTP reply.
    """
    board = position.board
    signs = [_SIGNS[content] for content in position.stones]
    lines = [draw_texts(board, signs, vertices)]
    if board.layout is not None:  # its cells aren't easily counted in the drawing
        for colour in (BLACK, WHITE):
            cells = [cell for cell, content in enumerate(position.stones) if content == colour]
            names = " ".join(vertices.name(board, cell) for cell in cells)
            lines.append(f"{colour}: {names or 'no stones'}")
    return "\n".join([*lines, _status(position)])


def draw_texts(board: Board, texts: Sequence[str], vertices: Vertices = PLAIN) -> str:
    """Draw a board with one of ``texts`` in each cell; no line is empty."""
    # Each row is shifted by half a cell against the next, so a cell is an even number of characters
    # wide.  At least one of them is a blank.
    widest = max(map(len, [*texts, vertices.column(board.width - 1)]))
    half = (widest + 2) // 2
    draw_shape = _SHAPES[GAMES[board.game].drawing]
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


def _rings(board: Board, texts: Sequence[str], vertices: Vertices, half: int) -> list[str]:
    """Draw each cell where it lies in the plane, with the names of the corners beside them."""
    assert board.layout is not None
    spots = [
        (points[0][0], points[0][1], text)
        for points, text in zip(board.layout, texts, strict=True)
        if text
    ]
    corners = sorted(
        {cells[0] for cells in (side.cells for side in board.sides)} | {*board.corners}
    )
    for cell in corners:
        x, y = board.layout[cell][0]
        far = 1 + _LABEL / (x * x + y * y) ** 0.5
        spots.append((x * far, y * far, vertices.name(board, cell)))
    left, top = min(x for x, _, _ in spots), min(y for _, y, _ in spots)
    lines: dict[int, list[tuple[int, str]]] = {}
    for x, y, text in spots:
        line = round((y - top) * 2)
        lines.setdefault(line, []).append((round((x - left) * 2 * half), text))
    drawn = [_spread(sorted(lines.get(line, []))) for line in range(max(lines) + 1)]
    letters = column_name(max(ring for ring, _ in board.coordinates))
    return [
        *(line for line in drawn if line.strip()),
        f"a1, a2, ... clockwise along the border, rings a to {letters} inwards",
    ]


def _globe(board: Board, texts: Sequence[str], vertices: Vertices, half: int) -> list[str]:
    """Draw a circle of latitude in each line, from pole to pole, and every polygon on it."""
    assert board.layout is not None
    circles: dict[str, list[tuple[int, str]]] = {}
    width = 10 * board.width * half
    for name, cell in sorted(board.all_names.items()):
        x, y, _ = board.layout[cell][name != board.names[cell]]
        column = round((atan2(y, x) + 1e-9) % tau / tau * width)
        circles.setdefault(name.rstrip("0123456789"), []).append((column, texts[cell]))
    return [
        *(f"{letters} {_spread(sorted(found))}" for letters, found in sorted(circles.items())),
        "a pole to a pole, each circle numbered from the left; a stone holds two opposite points",
    ]


def _spread(texts: Sequence[tuple[int, str]]) -> str:
    """Return a line with texts at these columns, or further right if there's no room."""
    line = ""
    for column, text in texts:
        line = line.ljust(column) if len(line) < column else f"{line} " if line else line
        line += text
    return line


_SHAPES = {"rhombus": _rhombus, "triangle": _triangle, "rings": _rings, "globe": _globe}


def _status(position: Position) -> str:
    goal = GAMES[position.board.game].goal
    if position.winner is not None:
        return f"{position.winner} has won ({goal})"
    swapped = ", the players have exchanged colours" if position.players_swapped else ""
    return f"{position.to_play} to move ({goal}{swapped})"
