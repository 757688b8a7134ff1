"""Derive the winning openings of small boards with the solver.

Run ``python -m trivalent.tools.workshop.derive_openings 8 9 > new``, then move ``new`` to
bot/players/solved_openings.py.  The numbers are the largest sizes of Hex and Y; 8x8 Hex takes
hours, all others together about a minute.  Of openings that are symmetric to each other only one is
solved.
"""

from __future__ import annotations

import sys

from trivalent.bot.players.swap import after_opening, distinct_openings
from trivalent.bot.solver.solver import Solver
from trivalent.core.board import BLACK
from trivalent.core.games import REDUCED_GAMES, make_board
from trivalent.tools.common.endings import run_program

HEAD = '''"""Tables of the openings that win on solved boards.

Made by tools/workshop/derive_openings.py; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trivalent.core.board import Board

WINNING = {
'''

TAIL = '''}
"""By game and size: the cells at which Black, opening the game, wins."""


def wins(board: Board, cell: int) -> bool | None:
    """Whether opening at ``cell`` wins for Black; None if unsolved."""
    if board.width != board.height or (board.game, board.width) not in WINNING:
        return None
    return board.names[cell] in WINNING[board.game, board.width].split()
'''


def winning(game: str, size: int) -> list[str]:
    """Return the names of the cells at which Black's first move wins."""
    board = make_board(game, size)
    solver = Solver(board)
    winners: set[int] = set()
    for cell in distinct_openings(board):
        if solver.solve(after_opening(board, BLACK, cell)).winner is BLACK:
            winners.update(
                symmetry.cells[cell] for symmetry in board.symmetries if not symmetry.swaps_colours
            )
    return [board.names[cell] for cell in sorted(winners)]


def main() -> None:
    """Write the module to standard output."""
    sys.stdout.write(HEAD)
    for game, largest in zip(REDUCED_GAMES, map(int, sys.argv[1:]), strict=True):
        for size in range(1, largest + 1):
            names = winning(game, size)
            lines = [" ".join(names[i : i + 30]) for i in range(0, len(names), 30)]
            text = ' "\n        "'.join(lines)
            text = f'(\n        "{text}"\n    )' if len(lines) > 1 else f'"{text}"'
            sys.stdout.write(f'    ("{game}", {size}): {text},\n')
            sys.stdout.flush()
    sys.stdout.write(TAIL)


if __name__ == "__main__":
    sys.exit(run_program(main))
