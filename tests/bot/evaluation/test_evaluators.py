"""Evaluators: a search combines those that it is given, and refuses what is none."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from trivalent.bot.evaluation._evaluator import Evaluator
from trivalent.bot.evaluation._pattern_policy import policy
from trivalent.bot.player import Stop
from trivalent.bot.players.mcts import make_tree, search_settings
from trivalent.bot.players.mcts_parameters import MctsParameters
from trivalent.bot.search._search import Search
from trivalent.core.games import hex_board, y_board
from trivalent.core.position import Position

if TYPE_CHECKING:
    from trivalent.core.board import Board


def searched(tree: Search, board: Board) -> list[tuple[int, int, float, float, int]]:
    position = Position(board)
    tree.set_position(position.stones, position.to_play, -1, 0)
    tree.run(300, -1.0, Stop(), 1)
    return tree.moves()


@pytest.mark.parametrize("board", [hex_board(7), y_board(7)], ids=str)
def test_priors_come_from_the_evaluators_that_have_any(board: Board) -> None:
    plain = search_settings(board, MctsParameters(prior_weight=0.0, net="none"))
    alone = searched(Search(plain), board)
    assert len(plain.evaluators) == 1
    assert alone == searched(Search(replace(plain, prior_weight=1.0)), board)
    both = replace(plain, evaluators=(*plain.evaluators, policy(board)), prior_weight=1.0)
    assert alone != searched(Search(both), board)
    assert searched(Search(both), board) == searched(
        make_tree(board, MctsParameters(net="none")), board
    )


@pytest.mark.parametrize("count", [0, 5])
def test_a_search_takes_one_to_four_evaluators(count: int) -> None:
    board = hex_board(5)
    settings = search_settings(board, MctsParameters())
    with pytest.raises(ValueError, match=f"1 to 4 evaluators, not {count}"):
        Search(replace(settings, evaluators=(policy(board),) * count))


def test_the_base_class_evaluates_nothing() -> None:
    settings = search_settings(hex_board(5), MctsParameters())
    with pytest.raises(NotImplementedError):
        Search(replace(settings, evaluators=(Evaluator(),))).reserve(1)
