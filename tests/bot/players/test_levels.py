"""Levels: weaker players, whose errors last, but who answer threats and leave dead cells alone."""

from __future__ import annotations

import random
import statistics

import pytest
from searches import everything, placed, play_game, played, player_at
from slowness import patience, repeats

from trivalent.bot.knowledge._fillin import filler
from trivalent.bot.player import Limits, Stop
from trivalent.bot.players.levels import LEVELS, _errors_for_game
from trivalent.bot.players.registry import make_player
from trivalent.core.board import BLACK, Board, Colour
from trivalent.core.boards.star import star_board
from trivalent.core.games import hex_board, y_board
from trivalent.core.position import Position

UPPER_HALF = range(len(LEVELS) // 2 + 1, len(LEVELS) + 1)


def answer(position: Position, level: int, seed: int = 0, **values: str) -> int:
    player = player_at(position, level=f"{level}", seed=f"{seed}", memory="16", **values)
    cell = player.genmove(position.to_play, Limits(), Stop())
    assert isinstance(cell, int)
    assert player.analysis().moves[0].cell == player.analysis().variation[0] == cell
    return cell


@pytest.mark.parametrize("board", [hex_board(11), y_board(11), star_board(4)], ids=str)
@pytest.mark.parametrize(("strong", "weak"), [("4", "1"), ("8", "5")])
def test_a_higher_level_wins(board: Board, strong: str, weak: str) -> None:
    """Levels far apart: 14 wins in 20 games, from 10 openings, are almost certain."""
    source = random.Random(5)
    limits = Limits(seconds=patience(5))
    openings = repeats(10)
    won = 0
    for seed in range(openings):
        opening = source.randrange(len(board))
        for colour in Colour:
            mine = make_player("mcts", {"seed": f"{seed}", "level": strong}), limits
            theirs = make_player("mcts", {"seed": f"{seed}", "level": weak}), limits
            won += play_game(board, {colour: mine, colour.opponent: theirs}, opening) is colour
    assert won >= 1.4 * openings


def test_levels_limit_the_search() -> None:
    position = played(hex_board(11), "d5")
    nodes = []
    for level in range(1, len(LEVELS) + 1):
        player = make_player("mcts", {"level": f"{level}"})  # on all cores
        found = []
        for _ in range(2):
            player.set_position(position)
            player.genmove(position.to_play, Limits(seconds=patience(60)), Stop())
            found.append(everything(player.analysis()))
        assert found[0] == found[1], "a level plays alike on every machine"
        assert player.analysis().nodes == LEVELS[level - 1].nodes
        nodes.append(player.analysis().nodes)
        player.set_position(position)
        player.genmove(position.to_play, Limits(nodes=1), Stop())
        assert player.analysis().nodes == 1
    assert nodes == sorted(nodes)
    errors = [level.error for level in LEVELS]
    assert errors == sorted(errors, reverse=True)


def test_the_network_says_what_is_natural() -> None:
    """The errors of level 5 are small where one move is much the most natural one."""
    position = played(hex_board(11), "a3 f6 h5")
    moves = [answer(position, 5, seed) for seed in range(20)]
    others = [answer(position, 5, seed, net="none") for seed in range(20)]
    assert moves != others
    assert len(set(moves)) < len({answer(position, 1, seed) for seed in range(20)})


def test_errors_last_through_a_game() -> None:
    board = hex_board(11)
    errors = _errors_for_game(board, "1 1")
    assert errors == _errors_for_game(board, "1 1")
    assert errors != _errors_for_game(board, "2 1")
    many = [error for seed in range(50) for error in _errors_for_game(board, f"{seed} 1")]
    assert statistics.mean(many) == pytest.approx(0, abs=0.05)
    assert statistics.stdev(many) == pytest.approx(1, abs=0.05)
    near = [
        errors[cell] * errors[other]
        for errors in (_errors_for_game(board, f"{seed}") for seed in range(50))
        for cell, neighbours in enumerate(board.neighbours)
        for other in neighbours
    ]
    assert statistics.mean(near) > 0.3, "neighbours are misjudged alike"


@pytest.mark.parametrize("level", UPPER_HALF)
def test_no_bridge_is_given_up(level: int) -> None:
    """White intrudes into one of the bridges that make Black's win: there's one good reply."""
    board = hex_board(11)
    chain = "i2 h4 g6 f8 e10"
    others = "c3 c5 d6 c8"
    bridges = [("h3", "i3"), ("g5", "h5"), ("f7", "g7"), ("e9", "f9")]
    for intrusion, reply in bridges + [(reply, intrusion) for intrusion, reply in bridges]:
        position = placed(board, BLACK, chain, f"{others} {intrusion}")
        for seed in range(4):
            assert board.names[answer(position, level, seed)] == reply


@pytest.mark.parametrize("board", [hex_board(7), y_board(8)], ids=str)
def test_no_move_into_dead_or_captured_cells(board: Board) -> None:
    """Neither side gains by playing into a cell that can be filled in."""
    source = random.Random(3)
    fill = filler(board)
    checked = 0
    for seed in range(100):
        position = Position(board)
        for _ in range(source.randrange(6, len(board) // 3)):
            position.play(position.to_play, source.choice(position.empty_cells))
        if position.winner is not None:
            continue
        filled, _ = fill.fill(position.stones, position.to_play)
        gone = [cell for cell in position.empty_cells if filled[cell]]
        if not gone or len(gone) == len(position.empty_cells):
            continue
        for level in (1, 3, 5):
            player = player_at(position, level=f"{level}", seed=f"{seed}")
            cell = player.genmove(position.to_play, Limits(), Stop())
            if player.analysis().moves[0].proven is None:
                checked += 1
                assert cell not in gone
    assert checked > 20
