"""Win tests of boards that can't be reduced: all agree with the rules, on every kind of board."""

from __future__ import annotations

from itertools import product
from random import Random

import numpy as np
import pytest
from plain_winners import winners_by_rule
from slowness import repeats, thinned

from trivalent.core.board import BLACK, EMPTY, WHITE, Aim, Board
from trivalent.core.boards.bent_y import bent_y_board
from trivalent.core.boards.renkula import renkula_board
from trivalent.core.boards.star import star_board
from trivalent.core.connection._chains import ChainTest, chains
from trivalent.core.connection.win_test import GRAPH_METHODS, winner, winners
from trivalent.core.games import GAMES, hex_board, make_board, y_board

SMALLEST = [bent_y_board(2), star_board(2), renkula_board(1)]
SAMPLES = [  # and how many fillings the rules, which are slow, are applied to
    (bent_y_board(3), 300), (bent_y_board(5), 100), (bent_y_board(7), 30),
    (star_board(3), 300), (star_board(4), 100), (star_board(6), 60), (star_board(7), 40),
    (star_board(10), 15),
    (renkula_board(2), 200), (renkula_board(3), 60), (renkula_board(4), 20), (renkula_board(6), 4),
]  # fmt: skip
LARGEST = [bent_y_board(17), star_board(19), renkula_board(8)]
EVERY = [*SMALLEST, *(board for board, _ in SAMPLES), *LARGEST]
methods = pytest.mark.parametrize("method", GRAPH_METHODS)


def full_boards(board: Board, count: int, seed: int, share: float = 0.5) -> bytes:
    rng = np.random.default_rng(seed)
    return ((rng.random((count, len(board))) < share) + np.uint8(1)).astype(np.uint8).tobytes()


def each(board: Board, fillings: bytes) -> list[bytes]:
    n = len(board)
    return [fillings[at : at + n] for at in range(0, len(fillings), n)]


@pytest.mark.parametrize("board", SMALLEST, ids=str)
def test_all_fillings_of_the_smallest_boards(board: Board) -> None:
    random = Random(1)
    fillings = [bytes(one) for one in product((BLACK, WHITE), repeat=len(board))]
    expected = [winners_by_rule(board, one, random) for one in fillings]
    assert all(len(won) == 1 for won in expected)
    for method in GRAPH_METHODS:
        assert list(winners(board, b"".join(fillings), method)) == [min(won) for won in expected]
    assert sum(won == {BLACK} for won in expected) == len(fillings) / 2


@pytest.mark.parametrize(("board", "count"), SAMPLES, ids=str)
def test_random_fillings(board: Board, count: int) -> None:
    random = Random(2)
    fillings = full_boards(board, repeats(count, 4), 2)
    expected = [winners_by_rule(board, one, random) for one in each(board, fillings)]
    assert all(len(won) == 1 for won in expected)
    for method in GRAPH_METHODS:
        assert list(winners(board, fillings, method)) == [min(won) for won in expected]


def black_share(board: Board, count: int, seed: int, method: str) -> float:
    """Return how many of many random fillings Black wins; in each of them one colour wins.

    Each colour is judged by its own stones alone.
    """
    fillings = np.frombuffer(full_boards(board, count, seed), np.uint8)
    alone = [np.where(fillings == colour, fillings, 0).tobytes() for colour in (BLACK, WHITE)]
    black, white = (np.frombuffer(winners(board, one, method), np.uint8) for one in alone)
    assert (black + white // 2 == 1).all()
    assert set(black) <= {0, 1}
    return float(black.mean())


@pytest.mark.parametrize("board", EVERY, ids=str)
def test_exactly_one_colour_wins_a_full_board(board: Board) -> None:
    count = 4000 if len(board) < 300 else 600
    share = black_share(board, count, 3, "flood-sliced")
    assert 0.4 < share < 0.6
    assert share == black_share(board, count, 3, "chains")


@pytest.mark.soak
@pytest.mark.parametrize(
    "board",
    [make_board(game.name, size) for game in GAMES.values() if not game.reduced
     for size in range(game.min_size, game.max_size + 1)],
    ids=str,
)  # fmt: skip
def test_exactly_one_colour_wins_each_of_a_million_full_boards(board: Board) -> None:
    """On every board that can be made."""
    seeds, count = range(50), 20_000
    share = sum(black_share(board, count, seed, "flood-sliced") for seed in seeds) / len(seeds)
    assert abs(share - 0.5) < 0.004  # eight standard deviations


@pytest.mark.parametrize(
    "board", [hex_board(1), hex_board(5), hex_board(3, 8), hex_board(11), y_board(2), y_board(9)],
    ids=str,
)  # fmt: skip
@methods
def test_hex_and_y_are_boards_with_chains_too(board: Board, method: str) -> None:
    rng = np.random.default_rng(4)
    boards = rng.choice(np.array([0, 1, 1, 1, 2, 2, 2], np.uint8), (700, len(board))).tobytes()
    assert winners(board, boards, method) == winners(board, boards, "bpr")


@pytest.mark.parametrize("board", [bent_y_board(4), star_board(4), renkula_board(3)], ids=str)
def test_open_positions(board: Board) -> None:
    """A colour has won if it wins even if all empty cells go to the opponent."""
    rng = np.random.default_rng(5)
    boards = rng.choice(np.array([0, 1, 1, 2, 2], np.uint8), (500, len(board)))
    expected = np.zeros(len(boards), np.uint8)
    for colour in (BLACK, WHITE):
        worst = np.where(boards == 0, colour.opponent, boards).astype(np.uint8).tobytes()
        expected[np.frombuffer(winners(board, worst), np.uint8) == colour] = colour
    assert {0, 1, 2} == set(expected)
    for method in GRAPH_METHODS:
        assert winners(board, boards.tobytes(), method) == expected.tobytes()


@pytest.mark.parametrize("board", [star_board(n) for n in (2, 3, 6, 7)], ids=str)
def test_a_stone_never_hurts_its_owner(board: Board) -> None:
    """So that a *Star position may be decided before the board is full."""
    if len(board) == 15:
        boards = thinned(np.array([*product((1, 2), repeat=15)], np.uint8))
    else:
        some = full_boards(board, repeats(20_000), 6)
        boards = np.frombuffer(some, np.uint8).reshape(-1, len(board))
    before = np.frombuffer(winners(board, boards.tobytes(), "flood-sliced"), np.uint8)
    for cell in range(0, len(board), 1 + len(board) // 16):
        for colour in (BLACK, WHITE):
            changed = boards.copy()
            changed[:, cell] = colour
            after = np.frombuffer(winners(board, changed.tobytes(), "flood-sliced"), np.uint8)
            assert not ((before == colour) & (after != colour)).any()


@methods
@pytest.mark.parametrize("board", [bent_y_board(3), star_board(3), renkula_board(2)], ids=str)
def test_any_number_of_boards(board: Board, method: str) -> None:
    boards = full_boards(board, 1100, 7)
    expected = winners(board, boards, "chains")
    for count in (0, 1, 63, 64, 65, 511, 512, 513, 1024, 1100):
        assert winners(board, boards[: count * len(board)], method) == expected[:count]
    with pytest.raises(ValueError, match="not a multiple"):
        winners(board, boards[:-1], method)


@pytest.mark.parametrize("board", [bent_y_board(4), renkula_board(3), star_board(3)], ids=str)
def test_winner_move_by_move(board: Board) -> None:
    """With stones removed and recoloured, and everything undone in the end."""
    random = Random(8)
    test = board.new_win_test()
    stones = bytearray(len(board))
    done: list[tuple[int, int, int]] = []
    seen = set()
    for step in range(1500):
        if done and random.random() < 0.35:
            cell, before, after = done.pop()
            test.undo(cell, before, after)
            stones[cell] = before
        else:
            cell = random.randrange(len(board))
            after = random.choice((BLACK, WHITE, EMPTY) if stones[cell] else (BLACK, WHITE))
            if after == stones[cell]:
                continue
            test.put(cell, stones[cell], after)
            done.append((cell, stones[cell], after))
            stones[cell] = after
        assert test.winner == (winner(board, stones) or 0)
        seen.add(test.winner)
        if step % 300 == 299:
            test = test.copy()
    assert seen == {0, 1, 2}
    while done:
        test.undo(*done.pop())
    assert test.winner == 0


def test_a_score_does_not_follow_from_chains() -> None:
    with pytest.raises(ValueError, match="a score doesn't follow from single chains"):
        ChainTest(chains(star_board(2)))


@pytest.mark.parametrize("method", ["bpr", "bpr-sliced", "wqhuf", "path"])
def test_boards_without_a_framing_have_no_reduction(method: str) -> None:
    board = bent_y_board(2)
    assert board.aim is Aim.JOIN
    with pytest.raises(ValueError, match=r"^Bent Y 2 has no framing: its connections can't be"):
        winners(board, bytes(9), method)
