"""Levels: weaker players, whose errors last, but who answer threats and leave dead cells alone."""

from __future__ import annotations

import random
import statistics

import pytest
from searches import everything, placed, play_game, played, player_at
from slowness import patience, repeats

from trivalent.bot.knowledge._fillin import filler
from trivalent.bot.player import Analysis, Limits, MoveAnalysis, Stop
from trivalent.bot.players.levels import (
    LEVELS,
    Level,
    _errors,
    _errors_for_game,
    most_appealing,
)
from trivalent.bot.players.registry import make_player
from trivalent.core.board import BLACK, WHITE, Board, Colour
from trivalent.core.boards.star import star_board
from trivalent.core.games import hex_board, y_board
from trivalent.core.position import Position


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
    """The errors of level 5 are small where one move is by far the most natural one."""
    position = played(hex_board(11), "a3 f6 h5")
    moves = [answer(position, 5, seed) for seed in range(20)]
    others = [answer(position, 5, seed, net="none") for seed in range(20)]
    assert moves != others
    assert len(set(moves)) < len({answer(position, 1, seed) for seed in range(20)})


def test_errors_of_neighbours_are_alike() -> None:
    board = hex_board(11)
    fields = [_errors_for_game(board, f"{seed}") for seed in range(50)]
    many = [error for field in fields for error in field]
    assert statistics.mean(many) == pytest.approx(0, abs=0.05)
    assert statistics.stdev(many) == pytest.approx(1, abs=0.05)
    near = [
        field[cell] * field[other]
        for field in fields
        for cell, neighbours in enumerate(board.neighbours)
        for other in neighbours
    ]
    assert statistics.mean(near) > 0.3


def correlation(one: Position, other: Position, seed: int, another_seed: int) -> float:
    return statistics.correlation(_errors(one, seed), _errors(other, another_seed))


def test_half_of_an_error_lasts_through_a_game() -> None:
    board = hex_board(11)
    early, later = played(board, "a3 f6"), played(board, "a3 f6 h5 c9")
    elsewhere = played(board, "a3 f7 h5 c9")
    assert _errors(later, 1) == _errors(later, 1)
    same = [correlation(early, later, seed, seed) for seed in range(50)]
    opening = [correlation(early, elsewhere, seed, seed) for seed in range(50)]
    seeds = [correlation(early, later, seed, seed + 50) for seed in range(50)]
    assert statistics.mean(same) == pytest.approx(0.5, abs=0.1)
    assert statistics.mean(opening) == pytest.approx(0, abs=0.1)
    assert statistics.mean(seeds) == pytest.approx(0, abs=0.1)


def analysis_of(*moves: tuple[int, int, float, bool | None]) -> Analysis:
    """Return an analysis of moves, each a cell with its visits, prior, and what is proven."""
    found = [MoveAnalysis(cell, visits, 0.5, 0.5, proven, p) for cell, visits, p, proven in moves]
    return Analysis(1, 0.0, tuple(found), ())


@pytest.mark.parametrize("level", LEVELS)
def test_a_level_knows_what_is_proven(level: Level) -> None:
    position = Position(hex_board(5))
    for seed in range(30):
        won = analysis_of((3, 1, 0.1, True), (4, 0, 0.9, None))
        assert most_appealing(won, position, level, seed) == 3
        open_ones = analysis_of((5, 1, 0.1, None), (6, 0, 0.1, None), (4, 9, 0.8, False))
        assert most_appealing(open_ones, position, level, seed) in (5, 6)
        lost = analysis_of((7, 1, 0.1, False), (4, 9, 0.9, False))
        assert most_appealing(lost, position, level, seed) == 7


def test_appeal() -> None:
    """Without errors the most visits decide, then the prior; errors grow with the level's."""
    position = Position(hex_board(5))
    exact = Level(1, 0.0)
    found = analysis_of((3, 5, 0.1, None), (4, 4, 0.6, None), (5, 0, 0.3, None))
    assert most_appealing(found, position, exact, 1) == 3
    found = analysis_of((3, 0, 0.1, None), (4, 0, 0.6, None), (5, 0, 0.3, None))
    assert most_appealing(found, position, exact, 1) == 4
    chosen = [
        sum(most_appealing(found, position, Level(1, error), seed) == 4 for seed in range(200))
        for error in (0.0, 0.5, 2.0, 20.0)
    ]
    assert chosen == sorted(chosen, reverse=True)
    assert chosen[0] == 200 > chosen[1]
    assert chosen[3] == pytest.approx(67, abs=25), "one of three moves, nearly at random"


def test_a_level_plays_alike_whatever_was_searched_before() -> None:
    position = played(hex_board(7), "d5")
    for level in (1, 5, 7):
        player = player_at(position, level=f"{level}", memory="16")
        moves = [player.genmove(WHITE, Limits(), Stop()) for _ in range(3)]
        assert moves == 3 * [answer(position, level)]
        analysis = player.analysis()
        assert analysis.considered[0] == analysis.moves[0]
        assert analysis.variation[0] == moves[0]


@pytest.mark.parametrize("level", range(1, len(LEVELS) + 1))
def test_no_level_gives_up_a_chain_that_wins(level: int) -> None:
    """White intrudes into one of the bridges of a chain from side to side; one reply wins."""
    board = hex_board(11)
    bridges = [("h3", "i3"), ("g5", "h5"), ("f7", "g7"), ("e9", "f9")]
    for intrusion, reply in bridges + [(reply, intrusion) for intrusion, reply in bridges]:
        position = placed(board, BLACK, "i2 h4 g6 f8 e10", f"c3 c5 d6 c8 {intrusion}")
        assert board.names[answer(position, level)] == reply


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
