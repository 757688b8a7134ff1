"""Batches of playouts: winners, streams of random numbers, coins and balanced fills."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise
from math import comb, nan, sqrt
from typing import TYPE_CHECKING

import numpy as np
import pytest
from fillings import (
    BALANCED,
    BATCH,
    COINS,
    Options,
    all_sorts,
    black_share,
    boards_of,
    check_distribution,
    check_share,
    chi_square_limit,
    clearing,
    count_boards,
    every_option,
    fillings,
    independent,
    name_of,
    normal_limit,
    play,
    playouts,
    scattered,
)

from trivalent.core._random import Random
from trivalent.core.board import BLACK, EMPTY, WHITE, Board, Colour
from trivalent.core.connection.win_test import winners
from trivalent.core.games import hex_board, y_board
from trivalent.core.playouts.playout import PlayoutStatistics, black_wins, statistics
from trivalent.core.position import Position

if TYPE_CHECKING:
    from fillings import Bits
    from numpy.typing import NDArray


@all_sorts
@every_option
def test_playouts_have_the_winner_that_union_find_says(
    position: Position, options: Options
) -> None:
    before = position.stones
    for numbers in (range(70), range(BATCH - 10, BATCH + 70)):
        owned, won = playouts(position, numbers, 1, options)
        found = winners(position.board, boards_of(position, owned), "wqhuf")
        assert [colour == BLACK for colour in found] == won.tolist()
        assert EMPTY not in found
        if options.fill == "balanced" and not options.repair:
            assert set(owned.sum(axis=1)) == {black_share(position)}
    assert position.stones == before


@all_sorts
@every_option
def test_longer_streams_continue_shorter_ones(position: Position, options: Options) -> None:
    counts = [0, 1, 2, 63, 64, 65, 300, 511, 512, 513, 1000, 1024, 1536, 5000]
    streams = [play(position, count, 2, options) for count in counts]
    assert [stream.playouts for stream in streams] == counts
    for stream in streams:
        assert stream.cells == tuple(position.empty_cells)
        assert len(stream.black_owned) == len(stream.black_owned_and_won) == len(stream.cells)
    for short, long in pairwise(streams):
        more = long.playouts - short.playouts
        wins = long.black_wins - short.black_wins
        assert 0 <= wins <= more
        for counters in ("black_owned", "black_owned_and_won"):
            for old, new in zip(getattr(short, counters), getattr(long, counters), strict=True):
                assert 0 <= new - old <= (more if counters == "black_owned" else wins)


@all_sorts
@every_option
def test_the_seed_fixes_the_result(position: Position, options: Options) -> None:
    assert play(position, 1000, 3, options) == play(position.copy(), 1000, 3, options)
    seen = {play(position, 1000, seed, options) for seed in (*range(60), -1, 2**63, 2**64 - 2)}
    assert len(seen) == 63


def test_seeds_of_any_size() -> None:
    position = Position(hex_board(5))
    for seed in (-1, -(2**70) - 3, 2**64, 10**40):
        assert play(position, 100, seed) == play(position, 100, seed % 2**64)


# Coins


@pytest.mark.parametrize("board", [hex_board(11), hex_board(7, 20), y_board(13)], ids=str)
def test_coins_are_fair(board: Board) -> None:
    """Check every cell, their sum, and that they spread neither too much nor too little."""
    count = 40_000
    result = play(Position(board), count, 4)
    z = (2 * np.array(result.black_owned) - count) / sqrt(count)
    cells = len(board)
    assert abs(z).max() < normal_limit(cells)
    assert abs(z.sum()) < normal_limit() * sqrt(cells)
    assert (z**2).sum() < chi_square_limit(cells)
    assert (z**2).sum() > 2 * cells - chi_square_limit(cells)


def correlations(a: Bits, b: Bits) -> NDArray[np.float64]:
    """Return, for every pair of columns, a standard normal number if they are independent."""
    return np.asarray((2.0 * a - 1).T @ (2.0 * b - 1) / sqrt(len(a)))


def test_coins_are_independent() -> None:
    """Coins depend on no others in the same playout, nor on any shortly after or a word later."""
    owned, _ = playouts(Position(hex_board(6)), range(3 * BATCH + 100), 5)
    cells = owned.shape[1]
    upper = np.triu_indices(cells, 1)
    assert abs(correlations(owned, owned)[upper]).max() < normal_limit(len(upper[0]))
    lags = [1, 2, 3, 7, 8, 16, 32, 63, 64, 65, 128, 192, 256, 448, BATCH - 1, BATCH, 2 * BATCH]
    for lag in lags:
        z = correlations(owned[:-lag], owned[lag:])
        assert abs(z).max() < normal_limit(len(lags) * cells**2)
    # The same cell at every lag, all cells together.
    for lag in range(1, 1100):
        a, b = 2 * owned[:-lag] - 1, 2 * owned[lag:] - 1
        assert abs(int((a * b).sum())) < normal_limit(1100) * sqrt(a.size)


def test_coins_of_other_seeds_are_independent() -> None:
    """Compare batches, also the second one of a seed with the first one of the next seed."""
    position = Position(hex_board(5))
    blocks = [
        playouts(position, range(b * BATCH, (b + 1) * BATCH), seed)[0]
        for seed in (0, 1, 2, 3, 8, 2**32)
        for b in range(2)
    ]
    pairs = list(combinations(blocks, 2))
    for a, b in pairs:
        z = float(np.trace(correlations(a, b))) / 5
        assert abs(z) < normal_limit(len(pairs))


@pytest.mark.parametrize(
    "position", [scattered(hex_board(4, 5), 7, 6), scattered(y_board(6), 7, 7)], ids=name_of
)
def test_every_filling_by_coins_is_equally_likely(position: Position) -> None:
    seen: Counter[bytes] = Counter()
    for seed in range(8):
        owned, _ = playouts(position, range(3 * BATCH), seed)
        seen += count_boards(position, owned)
    expected = fillings(position, "coins", [])
    assert len(expected) == 2**7
    check_distribution(seen, expected)


# Balance


@pytest.mark.parametrize("to_play", list(Colour))
def test_balance_is_exact_for_every_count(to_play: Colour) -> None:
    for empties in (1, 2, 5, 6):
        position = scattered(hex_board(3), empties, empties)
        position.to_play = to_play
        share = black_share(position)
        for count in range(2 * BATCH + 2):
            assert sum(play(position, count, 8, BALANCED).black_owned) == count * share


@pytest.mark.parametrize("to_play", list(Colour))
@pytest.mark.parametrize("bridges", [False, True])
def test_balance_is_exact_for_every_number_of_empty_cells(
    to_play: Colour,
    bridges: bool,
) -> None:
    for board in (hex_board(8), y_board(10), hex_board(31, 33)):
        numbers = range(len(board) + 1) if len(board) < 100 else (1, 255, 256, 257, 1022, 1023)
        for empties in numbers:
            position = scattered(board, empties, empties)
            position.to_play = to_play
            share = black_share(position)
            for count in (1, 700):
                result = play(position, count, 9, Options("balanced", bridges))
                assert sum(result.black_owned) == count * share


@pytest.mark.parametrize("to_play", list(Colour))
@pytest.mark.parametrize("empties", [2, 3, 4, 5, 6, 7, 8])
def test_every_balanced_filling_is_equally_likely(empties: int, to_play: Colour) -> None:
    position = scattered(hex_board(4, 5), empties, 10 + empties)
    position.to_play = to_play
    owned, _ = independent(position, 3000, 10 * empties, BALANCED)
    expected = fillings(position, "balanced", [])
    assert len(expected) == comb(empties, empties // 2)
    check_distribution(count_boards(position, owned), expected)


def chain_through(cells: tuple[int, ...], rows: int) -> Position:
    """Return a position with an empty cell in each row; Black wins with exactly these rows.

    Black's chain in the first column lacks a stone there; in all other rows the empty cell is in
    the last column, behind a wall.
    """
    board = hex_board(3, rows)
    position = Position(board)
    for row in range(rows):
        for column, colour in ((0, BLACK), (1, WHITE), (2, WHITE)):
            if column != (0 if row in cells else 2):
                position.setup(3 * row + column, colour)
    return position


@pytest.mark.parametrize("rows", [2, 3, 4, 5, 6, 7, 8])
def test_each_filling_wins_one_position(rows: int) -> None:
    """Each playout wins exactly one of the positions that only one filling wins."""
    needed = list(combinations(range(rows), (rows + 1) // 2))
    positions = [chain_through(cells, rows) for cells in needed]
    count = 600
    batches = [
        [play(position, count, seed, BALANCED).black_wins for position in positions]
        for seed in range(200)
    ]
    assert {sum(batch) for batch in batches} == {count}
    for wins in zip(*batches, strict=True):
        check_share(wins, count, 1 / len(needed), len(needed))


@pytest.mark.parametrize(
    "position",
    [
        Position(hex_board(3)),
        scattered(hex_board(4), 10, 11),
        clearing(hex_board(5), 9, 12),
        clearing(y_board(6), 10, 13),
        Position(y_board(4)),
        clearing(hex_board(6, 4), 9, 5),
    ],
    ids=name_of,
)
@pytest.mark.parametrize("options", [COINS, BALANCED], ids=str)
def test_black_wins_as_often_as_among_all_fillings(position: Position, options: Options) -> None:
    boards = list(fillings(position, options.fill, []))
    share = winners(position.board, b"".join(boards), "wqhuf").count(BLACK) / len(boards)
    assert 0 < share < 1
    count = 2 * BATCH
    wins = [play(position, count, seed, options).black_wins for seed in range(400)]
    check_share(wins, count, share)


@pytest.mark.parametrize(
    "position",
    [Position(hex_board(7)), scattered(hex_board(6, 9), 30, 14), scattered(y_board(8), 29, 18)],
    ids=name_of,
)
@pytest.mark.parametrize("to_play", list(Colour))
def test_black_wins_as_often_as_in_single_playouts(position: Position, to_play: Colour) -> None:
    position = position.copy()
    position.to_play = to_play
    count = 2 * BATCH
    wins = [play(position, count, seed, BALANCED).black_wins for seed in range(200)]
    source = Random(15)
    others = [black_wins(position, count, source) for _ in range(200)]
    assert 0.02 < sum(wins) / count / 200 < 0.98
    difference = [a - b for a, b in zip(wins, others, strict=True)]
    check_share(difference, count, 0)


def test_every_batch_has_its_own_order() -> None:
    """This holds for the second batch of a seed and the first one of its neighbours, too.

    If three cells get two black stones, the one that comes last in the order is visible: it has
    half of them in a batch, the others three quarters.
    """
    position = scattered(hex_board(3), 3, 16)
    position.to_play = BLACK
    seeds = 240
    last = []
    for seed in range(seeds):
        one, two = (play(position, n * BATCH, seed, BALANCED).black_owned for n in (1, 2))
        blocks = np.array([one, np.subtract(two, one)])
        last.append(blocks.argmin(axis=1))
    found = np.array(last)
    for partner in (0, 1, 2, 3):
        for a, b in ((0, 1), (1, 0), (0, 0), (1, 1)):
            if partner or a != b:
                others = found[np.arange(seeds) ^ partner, b]
                same = int((found[:, a] == others).sum())
                # Two and two are compared twice where the partner is mutual.
                spread = sqrt(2 * seeds * 2 / 9)
                assert abs(same - seeds / 3) < normal_limit(14) * spread


# The edges of what may be asked


@pytest.mark.parametrize("position", [Position(hex_board(1)), Position(y_board(1))], ids=name_of)
@every_option
def test_one_cell(position: Position, options: Options) -> None:
    for count in (0, 1, 700):
        for position.to_play in Colour:
            result = play(position, count, 40, options)
            assert result.cells == (0,)
            assert result.black_owned == result.black_owned_and_won == (result.black_wins,)
            if options.fill == "balanced":
                assert result.black_wins == (count if position.to_play is BLACK else 0)
    assert 250 < play(position, 700, 40, Options(repair=options.repair)).black_wins < 450


@pytest.mark.parametrize("board", [hex_board(1), hex_board(4, 3), hex_board(16), y_board(5)],
                         ids=str)  # fmt: skip
@every_option
def test_full_board(board: Board, options: Options) -> None:
    for seed in range(6):
        position = scattered(board, 0, seed)
        result = play(position, 600, seed, options)
        won = 600 if position.winner is BLACK else 0
        assert result == PlayoutStatistics(600, won, (), (), ())


@every_option
def test_decided_positions_stay_decided(options: Options) -> None:
    board = hex_board(5)
    for colour, line in ((BLACK, "c1 c2 c3 c4 c5"), (WHITE, "a3 b3 c3 d3 e3")):
        position = Position(board)
        for name in line.split():
            position.setup(board.cell(name), colour)
        result = play(position, 900, 41, options)
        assert result.black_wins == (900 if colour is BLACK else 0)
        won = result.black_owned if colour is BLACK else (0,) * len(result.cells)
        assert result.black_owned_and_won == won


@all_sorts
@every_option
def test_no_playouts(position: Position, options: Options) -> None:
    cells = tuple(position.empty_cells)
    zeros = (0,) * len(cells)
    assert play(position, 0, 42, options) == PlayoutStatistics(0, 0, cells, zeros, zeros)


def test_bad_arguments() -> None:
    position = Position(hex_board(3))
    for count in (-1, -512, -(2**40)):
        with pytest.raises(
            ValueError, match=f"^the number of playouts can't be negative: {count}$"
        ):
            statistics(position, count, 1)
    for fill in ("", "Coins", "fair"):
        message = f"^fill must be coins, balanced or in-turn, not '{fill}'$"
        with pytest.raises(ValueError, match=message):
            statistics(position, 1, 1, fill=fill)  # type: ignore[arg-type]
    for repair in (-0.01, 1.01, 256, -1, nan, float("inf")):
        with pytest.raises(ValueError, match=f"^repair must be 0 to 1, not {repair}$"):
            statistics(position, 1, 1, repair=repair)
    for options in (Options("in-turn", bridges=True), Options("in-turn", repair=0.5)):
        with pytest.raises(ValueError, match=r"^the fill in turn answers bridges itself: "):
            play(position, 1, 1, options)
    assert position.stones == bytes(9)
