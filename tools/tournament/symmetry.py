"""What is the same up to a symmetry of the board: positions, and games.

Only symmetries that keep the colours count.  One that exchanges them (the mirror of Hex) also
exchanges who begins, and in a tournament Black always does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trivalent.core.board import BLACK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trivalent.core.board import Board


def maps(board: Board) -> list[tuple[int, ...]]:
    """Return where each cell goes under the symmetries that keep the colours."""
    return [symmetry.cells for symmetry in board.symmetries if not symmetry.swaps_colours]


def position_key(board: Board, cells: Sequence[int]) -> bytes:
    """Return what positions have in common that are the same up to symmetry.

    The position is that of different cells taken in turn, Black first; in which order does not
    matter.
    """
    images = []
    for places in maps(board):
        stones = bytearray(len(board))
        for number, cell in enumerate(cells):
            stones[places[cell]] = BLACK if number % 2 == 0 else BLACK.opponent
        images.append(bytes(stones))
    return min(images)


def game_key(board: Board, moves: Sequence[str]) -> str:
    """Return what games have in common that are the same, move by move, up to symmetry.

    Moves are names of cells of the board, and other words, such as swap-pieces, which stay.
    """
    cells = {name: cell for cell, name in enumerate(board.names)}
    numbers = [cells.get(move, -1) for move in moves]
    # Which image is the least is mostly decided by a move or two: no image is made in full.
    images = maps(board)
    for number in numbers:
        if len(images) == 1:
            break
        if number >= 0:
            least = min(places[number] for places in images)
            images = [places for places in images if places[number] == least]
    return " ".join(
        move if number < 0 else board.names[images[0][number]]
        for move, number in zip(moves, numbers, strict=True)
    )
