"""The tree that the mcts player keeps: pondering, reuse, parameters and memory."""

from __future__ import annotations

import threading
from itertools import pairwise

import pytest
from searches import (
    everything,
    player_at,
    search,
    used,
    used_after,
    visits,
)

from trivalent.bot.player import Limits, Stop
from trivalent.core.board import BLACK, WHITE
from trivalent.core.games import hex_board, make_board
from trivalent.core.position import Position


def test_the_next_search_profits_from_pondering() -> None:
    position = Position(make_board("hex", 7))
    for parameters, helps in (({}, True), ({"reuse": "0"}, False), ({"level": "3"}, False)):
        player = player_at(position, **parameters)
        cell = player.genmove(BLACK, Limits(nodes=10), Stop())
        assert isinstance(cell, int)
        player.play(BLACK, cell)
        before = player.analysis()
        player.ponder(Limits(nodes=3000), Stop())
        assert player.analysis() is before
        expected = player.genmove(WHITE, Limits(nodes=1), Stop())
        assert isinstance(expected, int)
        assert (visits(player.analysis()) > 1000) == helps


def test_a_stop_ends_pondering() -> None:
    player = player_at(Position(make_board("hex", 11)))
    stop = Stop()
    timer = threading.Timer(0.2, stop.set)
    timer.start()
    player.ponder(Limits(), stop)  # without a limit
    timer.join()


def test_the_tree_is_reused() -> None:
    position = Position(hex_board(7))
    player = player_at(position)
    first = search(player, position, 4000)
    for cell in first.variation[:2]:
        position.play(position.to_play, cell)
        player.play(position.to_play.opponent, cell)
    second = search(player, position, 1)
    assert second.nodes == 1
    assert visits(second) > 100
    assert second.variation[0] == first.variation[2]
    # The tree still has the positions before these moves.
    for _ in range(2):
        position.undo()
        player.undo()
    assert visits(search(player, position, 1)) == visits(first) + 1
    player = player_at(position, reuse="0")
    search(player, position, 4000)
    assert visits(search(player, position, 10)) == 9


def test_the_order_of_moves_does_not_matter() -> None:
    position = Position(hex_board(7))
    straight, around = player_at(position), player_at(position)
    first, second, third = search(straight, position, 5000).variation[:3]
    assert search(around, position, 5000).variation[:3] == (first, second, third)
    for player, cells in ((straight, (first, second, third)), (around, (third, second, first))):
        for colour, cell in zip((BLACK, WHITE, BLACK), cells, strict=True):
            player.play(colour, cell)
    for player in (straight, around):
        player.genmove(WHITE, Limits(nodes=1), Stop())
    assert straight.analysis().moves == around.analysis().moves
    assert visits(straight.analysis()) > 50


def test_another_side_to_move_is_another_position() -> None:
    position = Position(hex_board(6))
    player = player_at(position)
    search(player, position, 2000)
    player.genmove(WHITE, Limits(nodes=10), Stop())
    assert visits(player.analysis()) == 9


@pytest.mark.parametrize(
    ("name", "value"), [("resign", "0.1"), ("solver_max_empties", "30"), ("threads", "2")]
)
def test_parameters_that_do_not_shape_the_tree_keep_it(name: str, value: str) -> None:
    position = Position(hex_board(9))
    player = player_at(position, solver_max_empties="0")
    search(player, position, 1000)
    player.configure({"solver_max_empties": "0"} | {name: value})
    assert visits(search(player, position, 1)) >= 999


def test_parameters_that_shape_the_tree_make_a_new_one() -> None:
    position = Position(hex_board(6))
    player = player_at(position)
    search(player, position, 2000)
    player.configure({"exploration": "0.5"})
    changed = search(player, position, 500)
    assert visits(changed) == 499
    fresh = player_at(position, exploration="0.5")
    assert everything(changed) == everything(search(fresh, position, 500))


def test_a_full_tree_goes_on_without_growing() -> None:
    position = Position(hex_board(11))
    player = player_at(position, memory="1")
    analysis = search(player, position, 5000)
    assert analysis.nodes == 5000
    assert 0.9 < used(player) <= 1
    assert visits(analysis) == 4999


def test_a_fuller_tree_grows_more_slowly() -> None:
    position = Position(hex_board(11))
    player = player_at(position, memory="4")
    grown = [used_after(player, position, nodes) for nodes in range(500, 3500, 500)]
    steps = [b - a for a, b in pairwise([0, *grown])]
    slower = [step for step, share in zip(steps[1:], grown, strict=False) if share > 0.5]
    assert len(slower) > 2
    assert max(slower) < steps[0] / 2


def test_the_largest_board_fits_the_least_memory() -> None:
    position = Position(hex_board(63))
    assert visits(search(player_at(position, memory="1"), position, 40)) == 39


def test_moving_the_nodes_changes_nothing() -> None:
    """A tree more than half full drops the positions that the game has left behind."""
    position = Position(hex_board(9))
    small, large = player_at(position, memory="4"), player_at(position, memory="64")
    nodes = 1
    used_after(small, position, nodes)
    assert small._tree is not None
    while used(small) <= 0.5:  # from there on fewer moves enter it
        nodes += 1
        small._tree.run(nodes, -1.0, Stop(), 1)
    used_after(small, position, nodes)
    line = small.analysis().variation[:4]
    assert search(large, position, nodes).variation[:4] == line
    for cell in line:
        for player in (small, large):
            player.play(position.to_play, cell)
        position.play(position.to_play, cell)
    before = used(small)
    found = [everything(search(player, position, 1)) for player in (small, large)]
    assert found[0] == found[1]
    assert used(small) < before / 2
    assert used(large) > before / 16
    # It grows as the other tree does.
    found = [everything(search(player, position, 500)) for player in (small, large)]
    assert found[0] == found[1]
    # Positions that have been dropped are searched afresh.
    for _ in line:
        position.undo()
        small.undo()
    assert visits(search(small, position, 5)) == 4


@pytest.mark.parametrize("threads", ["1", "2"])
def test_whole_games_in_little_memory(threads: str) -> None:
    position = Position(hex_board(8))
    player = player_at(position, memory="1", threads=threads)
    while position.winner is None:
        cell = player.genmove(position.to_play, Limits(nodes=1500), Stop())
        assert cell in position.legal_moves
        assert isinstance(cell, int)
        player.play(position.to_play, cell)
        position.play(position.to_play, cell)
