"""Cells filled in at nodes of the tree: results stay true, and these cells aren't searched."""

from __future__ import annotations

import random

import pytest

from trivalent.bot import analyse
from trivalent.bot.knowledge._cutsets import cutset_fillin
from trivalent.bot.knowledge._fillin import filler
from trivalent.bot.player import Limits, Stop
from trivalent.bot.players.mcts import MctsPlayer
from trivalent.bot.players.mcts_parameters import MctsParameters
from trivalent.core.board import BLACK, WHITE, Board
from trivalent.core.games import hex_board, y_board
from trivalent.core.position import Position
from trivalent.tools.workshop._soundness import Referee


def some_position(rng: random.Random, board: Board, empty: int) -> Position:
    while True:
        position = Position(board)
        for cell in rng.sample(range(len(board)), len(board) - empty):
            position.setup(cell, rng.choice((BLACK, WHITE)))
        if position.winner is None:
            position.to_play = rng.choice((BLACK, WHITE))
            return position


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("connections", [1, 4, 16])
@pytest.mark.parametrize(
    "board", [hex_board(4), hex_board(5), hex_board(7, 4), y_board(6)], ids=str
)
def test_what_is_proven_is_true(board: Board, connections: int, threads: int) -> None:
    """The later a node looks for connections, the more of its moves are in the tree already."""
    rng = random.Random(connections)
    referee = Referee(board)
    proven = 0
    for _ in range(40):
        position = some_position(rng, board, min(15, len(board) - 2))
        stones, colour = position.stones, position.to_play
        found = analyse(
            position, nodes=500, vc_visits=connections, threads=threads, batch=64, prior_weight=0.0
        )
        best = found.moves[0]
        if best.proven is not None:
            proven += 1
            assert best.proven == (referee.winner(stones, colour) == colour)
        for move in found.moves:
            if move.proven:
                after = bytearray(stones)
                after[move.cell] = colour
                assert referee.winner(after, colour.opponent) == colour
    assert proven > 30


def test_the_root_prunes_filled_in_cells() -> None:
    board = hex_board(11)
    position = Position(board)
    for names, colour in (("c9 b10 a11 e8", BLACK), ("b11 f3 h8 c3", WHITE)):
        for name in names.split():
            position.setup(board.cell(name), colour)
    locally, _ = filler(board).fill(position.stones, BLACK)
    filled = cutset_fillin(board).fill(position.stones)
    assert filled.count(0) < locally.count(0)
    moves = {move.cell for move in analyse(position, nodes=50).moves}
    assert moves <= {cell for cell, stone in enumerate(filled) if not stone}
    more = {move.cell for move in analyse(position, nodes=50, cutset_fill_in=False).moves}
    assert any(filled[cell] for cell in more)


def test_a_kept_tree_keeps_filled_in_cells() -> None:
    """When the game moves on, nodes move in memory together with the cells they have filled in."""
    board = hex_board(9)
    position = Position(board)
    player = MctsPlayer(MctsParameters().updated({"threads": "1", "memory": "1"}))
    player.set_position(position)
    while position.winner is None:
        colour = position.to_play
        move = player.genmove(colour, Limits(nodes=600), Stop())
        assert isinstance(move, int)
        position.play(colour, move)
        player.play(colour, move)
    assert position.winner in (BLACK, WHITE)
