"""Clique-cutset fill-in and decomposition keep the winner and do what their definitions say."""

from __future__ import annotations

import random

import pytest
from plain_cutsets import plain_fill
from slowness import repeats

from trivalent.bot.knowledge._cutsets import cutset_fillin, has_cutset_fillin
from trivalent.bot.knowledge._decomposition import decomposed
from trivalent.bot.knowledge._fillin import filler
from trivalent.bot.knowledge._virtual_connections import Connections
from trivalent.core.board import BLACK, WHITE, Board
from trivalent.core.games import hex_board, y_board
from trivalent.tools.workshop._soundness import Referee

BOARDS = [hex_board(1), hex_board(2, 5), hex_board(5), hex_board(8), hex_board(11, 6),
          hex_board(11), hex_board(16), y_board(1), y_board(2), y_board(7), y_board(13),
          y_board(22)]  # fmt: skip


def some_stones(rng: random.Random, board: Board) -> bytes:
    share = rng.uniform(0.05, 0.45)
    return bytes(rng.choices((0, 1, 2), (1 - 2 * share, share, share), k=len(board)))


def drawn(text: str) -> bytes:
    """Read a diagram in which x is Black and o is White."""
    return bytes(".xo".index(stone) for stone in text if stone in ".xo")


@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_fill_in_agrees_with_its_definition(board: Board) -> None:
    rng = random.Random(1)
    for _ in range(20):
        stones = some_stones(rng, board)
        for colour in (BLACK, WHITE):
            assert cutset_fillin(board).fill_once(stones, colour) == plain_fill(
                board, stones, colour
            )


@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_fill_in_continues_until_nothing_changes(board: Board) -> None:
    rng = random.Random(2)
    for _ in range(20):
        stones = some_stones(rng, board)
        filled = cutset_fillin(board).fill(stones)
        assert all(a in (0, b) for a, b in zip(stones, filled, strict=True))
        assert filler(board).fill(filled, BLACK)[0] == filled
        for colour in (BLACK, WHITE):
            assert cutset_fillin(board).fill_once(filled, colour) == filled


CUT_OFF = [
    (
        hex_board(5),
        """
        . . . . o
         . . . . x
          . . x . .
           . x . . .
            x o . . .""",
        """
        . . . . o
         . . . . x
          . . x . o
           . x . o o
            x o o o o""",
    ),
    (
        y_board(7),
        """
        .
        . .
        . . o
        . . o .
        . . o . .
        . . o . . x
        . . o . . . .""",
        """
        .
        . .
        . . o
        . . o o
        . . o o o
        . . o o o x
        . . o o o o o""",
    ),
]


@pytest.mark.parametrize(("board", "before", "after"), CUT_OFF)
def test_a_region_behind_a_clique_is_filled_in(board: Board, before: str, after: str) -> None:
    """Black can only enter the region through cells that his chain links to a side.

    In the Y position, the region reaches no other side than the right one.
    """
    stones = drawn(before)
    assert cutset_fillin(board).fill_once(stones, BLACK, cutsets=False) == stones
    assert cutset_fillin(board).fill_once(stones, BLACK) == drawn(after)


def test_nothing_is_filled_in_on_the_empty_board() -> None:
    board = hex_board(11)
    assert cutset_fillin(board).fill(bytes(121)) == bytes(121)


@pytest.mark.parametrize(
    "board", [hex_board(3, 4), hex_board(4), hex_board(5), y_board(4), y_board(5)], ids=str
)
def test_fill_in_keeps_the_winner(board: Board) -> None:
    referee = Referee(board)
    assert referee.check_random(filler(board), repeats(1000), 3, Connections(board)) == []
    _, further, divided = referee.counts()
    assert further > repeats(500)
    assert divided > repeats(10, 0) or board.game == "y"


def test_decomposition_keeps_the_winner() -> None:
    board = hex_board(5)
    rng = random.Random(4)
    connections = Connections(board)
    referee = Referee(board)
    found = 0
    for _ in range(repeats(3000, 600)):
        stones = cutset_fillin(board).fill(some_stones(rng, board))
        if not 8 < stones.count(0) < 16:
            continue
        for colour in (BLACK, WHITE):
            connections.build(stones, colour)
            filled = decomposed(connections, stones)
            if filled == stones:
                continue
            found += 1
            assert all(b in (a, colour) for a, b in zip(stones, filled, strict=True) if b != a)
            for to_play in (BLACK, WHITE):
                assert referee.winner(filled, to_play) == referee.winner(stones, to_play)
    assert found > repeats(10)


def test_wrong_arguments_are_refused() -> None:
    board = hex_board(3)
    assert not has_cutset_fillin(hex_board(17))
    with pytest.raises(ValueError, match="more than 256 cells"):
        cutset_fillin(hex_board(17))
    with pytest.raises(ValueError, match="8 stones for a board of 9 cells"):
        cutset_fillin(board).fill(bytes(8))
    with pytest.raises(ValueError, match="not 3"):
        cutset_fillin(board).fill_once(bytes(9), 3)
    with pytest.raises(ValueError, match="8 stones for a board of 9 cells"):
        decomposed(Connections(board), bytes(8))
