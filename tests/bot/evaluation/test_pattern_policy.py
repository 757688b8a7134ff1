"""The pattern policy: symmetric, a distribution, and good at predicting a search."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
import pytest

from trivalent.bot.evaluation._pattern_policy import CODES, NEARBY, Policy
from trivalent.bot.player import Limits, Stop
from trivalent.bot.players.mcts import MctsPlayer
from trivalent.bot.players.mcts_parameters import MctsParameters
from trivalent.core.games import hex_board, y_board
from trivalent.core.position import Position
from trivalent.tools.workshop.train_pattern_policy import features, fit, play, write

if TYPE_CHECKING:
    from pathlib import Path

    from trivalent.core.board import Board

BOARDS = [hex_board(7), hex_board(11), hex_board(5, 9), y_board(8), hex_board(1), hex_board(63)]


def some_position(board: Board, seed: int) -> tuple[bytes, int]:
    rng = random.Random(seed)
    stones = bytearray(rng.choices((0, 1, 2), (2, 1, 1), k=len(board)))
    last = rng.randrange(len(board))
    stones[last] = rng.choice((1, 2))
    return bytes(stones), last


@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_shares_are_a_distribution_over_empty_cells(board: Board) -> None:
    for seed in range(20):
        stones, last = some_position(board, seed)
        for to_play in (1, 2):
            shares = Policy(board).shares(stones, to_play, last)
            assert set(shares) == {cell for cell, stone in enumerate(stones) if not stone}
            assert all(share > 0 for share in shares.values())
            assert not shares or sum(shares.values()) == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize("board", [hex_board(7), hex_board(4)], ids=str)
def test_colours_are_treated_alike(board: Board) -> None:
    """The mirrored board with colours exchanged has the same features."""
    mirrored = board.symmetries[2]
    assert mirrored.swaps_colours
    policy = Policy(board)
    for seed in range(20):
        stones, last = some_position(board, seed)
        image = bytearray(len(board))
        for cell, to in enumerate(mirrored.cells):
            image[to] = 3 - stones[cell] if stones[cell] else 0
        here = policy.features(stones, 1, last)
        there = policy.features(bytes(image), 2, mirrored.cells[last])
        for table in range(3):
            assert here[table] == [there[table][to] for to in mirrored.cells]


def test_features() -> None:
    """Features worked out by hand: b2 on 3x3 between a stone of each colour, seen by Black."""
    board = hex_board(3)
    stones = bytearray(9)
    stones[board.cell("b1")], stones[board.cell("c2")] = 1, 2
    around, behind, nearby = Policy(board).features(stones, 1, board.cell("c2"))
    b2, a3 = board.cell("b2"), board.cell("a3")
    assert around[b2] == 1 << 0 | 2 << 4  # above: own; to the right: the opponent's
    # Behind the neighbours: own sides above and below, the opponent's to the left and right.
    assert behind[b2] == 1 << 0 | 2 << 2 | 0 << 4 | 1 << 6 | 2 << 8 | 0 << 10
    assert nearby[b2] == 7 * 3 + (-1) + 4
    assert nearby[a3] == 7 * 4 + (-2) + 4
    assert Policy(board).features(stones, 1, -1)[2] == [0] * 9
    assert max(max(row) for row in (around, behind)) < CODES
    assert max(nearby) < NEARBY


@pytest.mark.parametrize(("board", "wanted"), [(hex_board(9), 0.15), (y_board(9), 0.15)], ids=str)
def test_predicts_the_choice_of_a_search(board: Board, wanted: float) -> None:
    """It does so far more often than one time in 60, on boards of a size it wasn't trained on."""
    rng = random.Random(3)
    hits = []
    for _ in range(8):
        position = Position(board)
        player = MctsPlayer(MctsParameters().updated({"threads": "1", "prior_weight": "0"}))
        for _ in range(2):
            position.play(position.to_play, rng.choice(list(position.legal_moves)))
        player.set_position(position)
        for _ in range(10):
            if position.winner is not None:
                break
            player.genmove(position.to_play, Limits(400), Stop())
            chosen = player.analysis().moves[0].cell
            last = position.last_move
            assert last is not None
            assert last.cell is not None
            shares = Policy(board).shares(position.stones, int(position.to_play), last.cell)
            hits.append(max(shares, key=lambda cell: shares[cell]) == chosen)
            player.play(position.to_play, chosen)
            position.play(position.to_play, chosen)
    assert sum(hits) > wanted * len(hits)


def test_training_learns(tmp_path: Path) -> None:
    """Training is repeatable, and writes a part of the file for each game."""
    board = hex_board(5)
    data = play(board, 60, 50, 1)
    again = play(board, 60, 50, 1)
    assert all(np.array_equal(data[name], again[name]) for name in data)
    tables = fit(data, features(board, data), 1)
    assert [len(table) for table in tables] == [CODES, CODES, NEARBY]
    file = tmp_path / "policy.bin"
    write(file, "y", tables)
    write(file, "hex", tables)
    held = file.read_bytes()
    assert len(held) == 2 * (2 * CODES + NEARBY)
    assert held[: len(held) // 2] == held[len(held) // 2 :]
    assert any(held)
