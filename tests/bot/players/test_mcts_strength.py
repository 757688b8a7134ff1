"""The strength of the mcts player: against uct, and with evaluation noise."""

from __future__ import annotations

import random
import statistics

import pytest
from searches import (
    play_game,
    played,
    player_at,
    search,
)

from trivalent.bot.player import Limits
from trivalent.bot.players.registry import make_player
from trivalent.core.board import Board, Colour
from trivalent.core.games import hex_board, y_board


@pytest.mark.parametrize(
    ("board", "openings", "nodes", "score"),
    [
        (hex_board(9), 1, 1000, 1),
        pytest.param(hex_board(11), 20, 4000, 28, marks=pytest.mark.strength),
        pytest.param(y_board(11), 20, 4000, 28, marks=pytest.mark.strength),
    ],
    ids=str,
)
def test_beats_uct(board: Board, openings: int, nodes: int, score: int) -> None:
    """Play each opening with both colours; a batch takes as long as about five single playouts."""
    source = random.Random(2)
    won = 0
    for seed in range(openings):
        opening = source.randrange(len(board))
        for colour in Colour:
            mine = make_player("mcts", {"seed": f"{seed}"}), Limits(nodes=nodes)
            theirs = make_player("uct", {"seed": f"{seed}"}), Limits(nodes=5 * nodes)
            won += play_game(board, {colour: mine, colour.opponent: theirs}, opening) is colour
    assert won >= score


def test_evaluation_noise_depends_on_position_and_seed() -> None:
    """The error of a position is the same at every evaluation, and differs between seeds."""
    position = played(hex_board(9), "c3")
    values = [
        [
            search(player_at(position, seed=seed, evaluation_noise=noise), position, 1).value
            for _ in range(2)
        ]
        for seed, noise in (("1", "0"), ("1", "0.3"), ("2", "0.3"))
    ]
    assert all(first == second for first, second in values)
    assert len({first for first, _ in values}) == 3
    spread = []
    for seed in range(200):
        player = player_at(position, seed=f"{seed}", evaluation_noise="0.1", reuse="0")
        spread.append(search(player, position, 1).moves[0].value)
    assert 0.08 < statistics.stdev(spread) < 0.12
    assert 0.4 < statistics.mean(spread) < 0.6
