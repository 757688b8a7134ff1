"""Node analysis agrees with exhaustive search: who wins at once, which moves need to be tried."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from exhaustive import given_away, some_stones, wins

from trivalent.bot.knowledge._fillin import filler
from trivalent.bot.knowledge._node_analysis import NodeAnalyser
from trivalent.bot.knowledge._virtual_connections import Connections
from trivalent.bot.knowledge.inferior_cells import fill_in, moves_to_consider
from trivalent.bot.solver.solver import SolveLimits, Solver
from trivalent.core.board import Colour
from trivalent.core.connection._triangle import triangle
from trivalent.core.games import hex_board, y_board
from trivalent.core.position import Position

if TYPE_CHECKING:
    from trivalent.core.board import Board


@pytest.mark.parametrize(
    ("positions", "max_empty"), [(150, 10), pytest.param(20_000, 11, marks=[pytest.mark.soak])]
)
@pytest.mark.parametrize(
    "board", [hex_board(4), hex_board(4, 5), hex_board(9), y_board(5), y_board(8)], ids=str
)
def test_node_analysis_is_right(board: Board, positions: int, max_empty: int) -> None:
    """Wins by connections need only their carriers, and moves that are left out lose."""
    rng = random.Random(5)
    analyser = NodeAnalyser(triangle(board), filler(board), Connections(board))
    won = threats_seen = left_out = 0
    for _ in range(positions):
        stones = some_stones(rng, board, max_empty)
        to_play = rng.choice((1, 2))
        winner, move, carrier, moves, threats = analyser.analyse(stones, to_play)
        if winner:
            won += bool(carrier)
            loser = 3 - to_play if winner > 0 else to_play
            against = given_away(stones, carrier, loser)
            assert wins(board, against, to_play) == (winner > 0), (stones, to_play, carrier)
            if move >= 0:
                after = against[:move] + bytes([to_play]) + against[move + 1 :]
                assert not wins(board, after, 3 - to_play), (stones, to_play, move)
            continue
        for threat in threats:  # the opponent would win if he were to move
            threats_seen += 1
            assert wins(board, given_away(stones, threat, to_play), 3 - to_play), (stones, to_play)
        for cell, stone in enumerate(stones):
            if not stone and cell not in moves:
                left_out += 1
                after = stones[:cell] + bytes([to_play]) + stones[cell + 1 :]
                assert wins(board, after, 3 - to_play), (stones, to_play, cell)
    assert won > positions // 10
    assert left_out > 0 or threats_seen == 0
    wins.cache_clear()


@pytest.mark.parametrize("board", [hex_board(4), hex_board(6, 3), y_board(5)], ids=str)
def test_who_wins_at_once(board: Board) -> None:
    """With everything that is known together: fill-in, inferior cells, mustplay."""
    rng = random.Random(6)
    found: list[bool] = []
    for _ in range(60):
        filled, _ = fill_in(board, some_stones(rng, board, 9))
        colour = rng.choice((Colour.BLACK, Colour.WHITE))
        winner, moves = moves_to_consider(board, filled, colour)
        assert all(filled[cell] == 0 for cell in moves)
        if winner is not None:
            found.append(winner is colour)
            assert found[-1] == wins(board, filled, colour), (filled, colour)
    assert 10 < sum(found) < len(found) - 10
    wins.cache_clear()


@pytest.mark.parametrize("board", [hex_board(5), y_board(7)], ids=str)
def test_a_move_to_consider_wins_if_any_does(board: Board) -> None:
    rng = random.Random(7)
    solver = Solver(board, memory=8)
    narrowed = 0
    for _ in range(20):
        position = Position(board)
        for cell in rng.sample(range(len(board)), rng.randint(1, 3)):
            position.play(position.to_play, cell)
        filled, _ = fill_in(board, position.stones)
        winner, moves = moves_to_consider(board, filled, position.to_play)
        truth = solver.winning_moves(position)
        if winner is None:
            narrowed += len(moves) < filled.count(0)
            assert any(truth.values()) == any(truth[cell] for cell in moves), position.stones
        else:
            assert (winner is position.to_play) == any(truth.values()), position.stones
    assert narrowed > 5


def test_mustplay_and_inferior_cells_are_combined() -> None:
    """In this game of Y, White had 21 moves by the one and 4 by the other, and only 3 by both."""
    board = y_board(9)
    position = Position(board)
    for name in ["d7", "c5", "e8", "d6", "f7", "f8", "e7"]:
        position.play(position.to_play, board.cell(name))
    filled, _ = fill_in(board, position.stones)
    winner, moves = moves_to_consider(board, filled, position.to_play)
    assert winner is None
    assert [board.names[cell] for cell in moves] == ["f6", "c7", "g7"]
    solution = Solver(board, memory=1).solve(position, SolveLimits(nodes=200))
    assert solution.winner is Colour.BLACK
