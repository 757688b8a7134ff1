"""Tables of the openings that win on solved boards.

Made by tools/workshop/derive_openings.py; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trivalent.core.board import Board

WINNING = {
    ("hex", 1): "a1",
    ("hex", 2): "b1 a2",
    ("hex", 3): "c1 a2 b2 c2 a3",
    ("hex", 4): "d1 c2 b3 a4",
    ("hex", 5): "e1 b2 c2 d2 e2 b3 c3 d3 a4 b4 c4 d4 a5",
    ("hex", 6): "f1 b2 c2 d2 e2 f2 a3 b3 c3 d3 e3 f3 a4 b4 c4 d4 e4 f4 a5 b5 c5 d5 e5 a6",
    ("hex", 7): "g1 c2 e2 f2 g2 b3 c3 d3 e3 f3 a4 b4 c4 d4 e4 f4 g4 b5 c5 d5 e5 f5 a6 b6 c6 e6 a7",
    ("hex", 8): (
        "h1 g2 h2 b3 c3 d3 e3 f3 g3 b4 c4 d4 e4 f4 g4 h4 a5 b5 c5 d5 e5 f5 g5 b6 c6 d6 e6 f6 g6 a7 "
        "b7 a8"
    ),
    ("y", 1): "a1",
    ("y", 2): "a1 a2 b2",
    ("y", 3): "a2 b2 b3",
    ("y", 4): "a2 b2 a3 b3 c3 b4 c4",
    ("y", 5): "b3 b4 c4",
    ("y", 6): "b4 c4 c5",
    ("y", 7): "b3 b4 c4 b5 c5 d5 b6 c6 d6 e6",
    ("y", 8): "b4 c4 c5 b6 c6 d6 e6 c7 e7",
    ("y", 9): "c5 c6 d6 c7 d7 e7",
}
"""By game and size: the cells at which Black, opening the game, wins."""


def wins(board: Board, cell: int) -> bool | None:
    """Whether opening at ``cell`` wins for Black; None if unsolved."""
    if board.width != board.height or (board.game, board.width) not in WINNING:
        return None
    return board.names[cell] in WINNING[board.game, board.width].split()
