"""Positions and games that are the same up to a symmetry of the board.

Only symmetries that keep the colours count.  A symmetry that exchanges them (the mirror of Hex)
also exchanges who moves first, and in a tournament Black always does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trivalent.core.board import BLACK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trivalent.core.board import Board


def symmetry_maps(board: Board) -> list[tuple[int, ...]]:
    """Return, for each symmetry that keeps the colours, the image of every cell."""
    return [symmetry.cells for symmetry in board.symmetries if not symmetry.swaps_colours]


def position_key(board: Board, cells: Sequence[int]) -> bytes:
    """Return a key that two positions share if they're the same up to symmetry.

    Black and White occupy the cells in turn, Black first; the order of the moves of one colour
    doesn't matter.
    """
    images = []
    for places in symmetry_maps(board):
        stones = bytearray(len(board))
        for number, cell in enumerate(cells):
            stones[places[cell]] = BLACK if number % 2 == 0 else BLACK.opponent
        images.append(bytes(stones))
    return min(images)


def game_key(board: Board, moves: Sequence[str]) -> str:
    """Return a key that two games share if they're the same, move by move, up to symmetry.

    Moves are cell names or words such as swap-pieces; words are kept as they are.
    """
    cells = {name: cell for cell, name in enumerate(board.names)}
    numbers = [cells.get(move, -1) for move in moves]
    # Find the lexicographically least image.  A move or two usually decide which one it is, so
    # we drop images as we go instead of building them all.
    images = symmetry_maps(board)
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
