"""Lost positions that playouts alone judge won, and that knowledge judges right.

[AHH] (section V.A, figure 9) shows one from a game of Yopt, Black, with Wolve at the Computer
Olympiad of 2009: MoHex gives Black 71 to 73 % without knowledge and 1 to 8 % with it.  The text
doesn't say which position of the game the figure shows; all from move 32 to 40 behave like that.
"""

from __future__ import annotations

import pytest

from trivalent.bot import analyse
from trivalent.bot.solver.solver import Solver
from trivalent.core.board import WHITE
from trivalent.core.games import hex_board
from trivalent.core.position import Position

YOPT_WOLVE_2009 = (
    "b2 f5 d6 d5 e5 d7 i3 g6 j4 h7 i7 j5 h6 h5 i5 j3 i4 g8 i6 j1 h2 h9 g7 f8 c9 f7 b8 b7 c7 b9 "
    "c8 d10 c10 f3 f4 g3 e4 e3 d4 d3 i9 h3 i2 i8 c4 c3 a4 b4 k7 j7 a5 b5"
)
WOLVE_MOHEX_2011 = (  # Black began, and after the swap of sides White is Wolve
    "e2 swap g5 e6 f7 d8 d7 e7 d9 c9 b11 e8 e9 f8 f9 g8 g9 c10 f4 d5 d6 e5 c11 d10 e3 c4 c5 d4 "
    "d11 e10 e11 f10 f11 g10 g11 b9 a11 i10 h10 i9 h9 i7 i8 k7 j7 k6 j6 k5 j5 k4 j4 k3 j2 j3 h3"
)
PLAYOUTS_ALONE = {"fill_in": 0, "prune": 0, "vc_visits": 0}


def after(game: str, moves: int) -> Position:
    """Return the position after a number of moves of a game, not counting a swap of sides."""
    position = Position(hex_board(11))
    for name in [name for name in game.split() if name != "swap"][:moves]:
        position.play(position.to_play, position.board.cell(name))
    return position


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(
    ("game", "moves", "without", "with_it"),
    [
        (YOPT_WOLVE_2009, 34, 0.7, 0.0),
        (YOPT_WOLVE_2009, 38, 0.7, 0.0),
        (YOPT_WOLVE_2009, 40, 0.68, 0.0),
        (WOLVE_MOHEX_2011, 54, 0.6, 0.0),
    ],
)
def test_value_of_the_loser_falls(
    game: str, moves: int, without: float, with_it: float, seed: int
) -> None:
    """The loser is worth more than ``without`` by playouts alone, and at most ``with_it``."""
    position = after(game, moves)
    winner = Solver(position.board, memory=16).solve(position).winner

    def loser(net: str, **parameters: int) -> float:
        value = analyse(position, nodes=3000, seed=seed, net=net, **parameters).value
        return 1.0 - value if winner is position.to_play else value

    assert loser("none", **PLAYOUTS_ALONE) > without
    assert loser("shipped") <= with_it


def test_who_wins_the_game_of_2009() -> None:
    """Yopt was lost long before it knew."""
    solver = Solver(hex_board(11), memory=16)
    for moves in range(36, 53):
        assert solver.solve(after(YOPT_WOLVE_2009, moves)).winner is WHITE
