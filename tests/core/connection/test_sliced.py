"""Bit-sliced playouts and connection tests.

`statistics` promises that playout n is the same whatever the count, so the difference between the
counts of n + 1 and of n playouts is that playout, cell by cell: most tests look at single playouts.

All seeds are fixed, so nothing here fails now and then.  The limits are those that a right program
with another seed would pass but for about once in 1 / `FALSE_ALARM` tries, test by test.

Run as a program, this file prints the instruction set in use and a digest of what it computes.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from fractions import Fraction
from functools import lru_cache
from hashlib import sha256
from itertools import combinations, pairwise, permutations, product
from math import comb, nan, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import pytest

from trivalent.core._isa import chosen
from trivalent.core._random import Random
from trivalent.core.board import BLACK, EMPTY, WHITE, Board, Colour, hex_board, make_board, y_board
from trivalent.core.connection.win_test import winners
from trivalent.core.playouts.playout import PlayoutStatistics, black_wins, statistics
from trivalent.core.position import Position

if TYPE_CHECKING:
    from collections.abc import Sequence

    from instruction_sets import InstructionSet
    from numpy.typing import NDArray

    Bits = NDArray[np.int64]  # 0 and 1: a row for each playout, a column for each empty cell

BLOCK = 512
"""Playouts that the kernels hold at once; the order in which they recolour stones is common."""

DIGEST = "ac0e6d0373363d2a"
"""What every instruction set of every machine computes.  A new one means that a result changed."""

FALSE_ALARM = 1e-6


class Options(NamedTuple):
    fill: Literal["coins", "balanced", "in-turn"] = "coins"
    bridges: bool = False
    repair: float = 0.0

    def __str__(self) -> str:
        bridges = " bridges" if self.bridges else ""
        return f"{self.fill}{bridges}{f' repair {self.repair}' if self.repair else ''}"


COINS, BALANCED, BRIDGES = Options(), Options("balanced"), Options(bridges=True)
IN_TURN = Options("in-turn")
FILLS: list[Literal["coins", "balanced"]] = ["coins", "balanced"]
EVERY_OPTION = [
    Options(fill, bridges, repair)
    for fill, bridges, repair in product(FILLS, (False, True), (0.0, 0.3, 1.0))
]


def play(position: Position, count: int, seed: int, options: Options = COINS) -> PlayoutStatistics:
    return statistics(
        position,
        count,
        seed,
        fill=options.fill,
        bridges=options.bridges,
        repair=options.repair,
    )


def playouts(
    position: Position, numbers: range, seed: int, options: Options = COINS
) -> tuple[Bits, Bits]:
    """Return single playouts of a stream: which empty cells Black owned, and whether he won."""
    counts = [play(position, n, seed, options) for n in (*numbers, numbers.stop)]
    table = np.array(
        [(s.black_wins, *s.black_owned, *s.black_owned_and_won) for s in counts], np.int64
    )
    table = np.diff(table, axis=0)
    assert table.min() >= 0
    assert table.max() <= 1
    empties = len(counts[0].cells)
    won, owned = table[:, 0], table[:, 1 : empties + 1]
    assert np.array_equal(table[:, empties + 1 :], owned * won[:, None])
    return owned, won


def independent(
    position: Position, count: int, seed: int, options: Options = COINS
) -> tuple[Bits, Bits]:
    """Return single playouts of as many streams, from all parts of a block and beyond it."""
    rows = [
        playouts(position, range(n, n + 1), seed + i, options)
        for i in range(count)
        for n in [i * 197 % 600]
    ]
    return np.vstack([owned for owned, _ in rows]), np.hstack([won for _, won in rows])


def boards_of(position: Position, owned: Bits) -> bytes:
    """Return the full boards, one after the other."""
    stones = np.tile(np.frombuffer(position.stones, np.uint8), (len(owned), 1))
    stones[:, position.empty_cells] = np.where(owned, BLACK, WHITE)
    return stones.tobytes()


def black_share(position: Position) -> int:
    """Return how many of the empty cells Black gets when the players go on in turn."""
    empties = len(position.empty_cells)
    return (empties + 1) // 2 if position.to_play is BLACK else empties // 2


def placed(board: Board, black: str = "", white: str = "") -> Position:
    position = Position(board)
    for colour, names in ((BLACK, black), (WHITE, white)):
        for name in names.split():
            position.setup(board.cell(name), colour)
    return position


def scattered(board: Board, empties: int, seed: int) -> Position:
    """Return a position with stones of random colours on all but so many cells."""
    source = random.Random(seed)
    position = Position(board)
    for cell in source.sample(range(len(board)), len(board) - empties):
        position.setup(cell, source.choice(list(Colour)))
    position.to_play = source.choice(list(Colour))
    return position


def clearing(board: Board, empties: int, seed: int) -> Position:
    """Return the same with the empty cells next to each other, where bridges come about."""
    source = random.Random(seed)
    cells = [source.randrange(len(board))]
    while len(cells) < empties:
        cell = source.choice(board.neighbours[source.choice(cells)])
        if cell not in cells:
            cells.append(cell)
    position = Position(board)
    for cell in set(range(len(board))) - set(cells):
        position.setup(cell, source.choice(list(Colour)))
    position.to_play = source.choice(list(Colour))
    return position


# Limits


def normal_limit(tries: int = 1) -> float:
    """Return what none of so many standard normal numbers exceeds in size."""
    return NormalDist().inv_cdf(1 - FALSE_ALARM / 2 / tries)


def chi_square_limit(degrees: int) -> float:
    """Return the quantile of 1 - FALSE_ALARM (Wilson and Hilferty's approximation)."""
    spread = 2 / (9 * degrees)
    return degrees * float(1 - spread + normal_limit() * sqrt(spread)) ** 3


def check_distribution(seen: Counter[bytes], expected: dict[bytes, Fraction]) -> None:
    """Compare counts with probabilities; outcomes too rare for the test are taken together."""
    count = seen.total()
    assert set(seen) <= {outcome for outcome, share in expected.items() if share}
    rare_seen, rare_expected = 0, 0.0
    total, degrees = 0.0, -1
    for outcome, share in expected.items():
        if (mean := float(share * count)) < 8:
            rare_seen += seen[outcome]
            rare_expected += mean
        else:
            total += (seen[outcome] - mean) ** 2 / mean
            degrees += 1
    if rare_expected >= 8:
        total += (rare_seen - rare_expected) ** 2 / rare_expected
        degrees += 1
    assert degrees >= 1
    assert total < chi_square_limit(degrees)


def check_share(wins: Sequence[int], of: int, share: float, tries: int = 1) -> None:
    """Compare independent batches with a probability, by the spread of the batches themselves.

    That of coins would be too narrow where the playouts of a block have an order in common.
    """
    batches = np.array(wins)
    error = float(batches.std(ddof=1)) / sqrt(len(batches))
    assert abs(float(batches.mean()) - of * share) <= normal_limit(tries) * error


# Bridges as the rules of the board have them


class Rhombus(NamedTuple):
    """Two cells next to each other, and what has to be of a colour to make them a bridge of it."""

    pair: tuple[int, int]
    ends: tuple[tuple[int, ...] | None, tuple[int, ...] | None]
    """For Black and for White: the cells, or None where it takes a side that is not theirs."""


@lru_cache(maxsize=8)
def rhombi_of(board: Board) -> list[Rhombus]:
    found = []
    for p in range(len(board)):
        for q in board.neighbours[p]:
            common = tuple(set(board.neighbours[p]) & set(board.neighbours[q]))
            if p > q or not common:
                continue
            if len(common) == 2:
                found.append(Rhombus((p, q), (common, common)))
            else:
                sides = [i for i, side in enumerate(board.sides) if {p, q} <= set(side.cells)]
                black, white = (
                    common if any(i in board.goal(colour) for i in sides) else None
                    for colour in Colour
                )  # fmt: skip
                found.append(Rhombus((p, q), (black, white)))
    return found


def holder(rhombus: Rhombus, stones: Sequence[int]) -> int:
    """Return the colour that the ends belong to, or 0."""
    for colour, ends in zip(Colour, rhombus.ends, strict=True):
        if ends is not None and all(stones[cell] == colour for cell in ends):
            return colour
    return 0


def bridges_of(position: Position) -> list[tuple[int, int]]:
    stones = position.stones
    return [
        rhombus.pair
        for rhombus in rhombi_of(position.board)
        if all(stones[cell] == EMPTY for cell in rhombus.pair) and holder(rhombus, stones)
    ]


def opposite_pairs(position: Position, owned: Bits) -> list[tuple[int, int]]:
    """Return which bridges of the position had a stone of each colour in all playouts."""
    column = {cell: i for i, cell in enumerate(position.empty_cells)}
    return [
        (p, q)
        for p, q in bridges_of(position)
        if (owned[:, column[p]] != owned[:, column[q]]).all()
    ]


def check_pairs(position: Position, pairs: list[tuple[int, int]]) -> None:
    """Check that no cell is in two pairs, and that only overlapping bridges were left out."""
    cells = [cell for pair in pairs for cell in pair]
    assert len(cells) == len(set(cells))
    for pair in bridges_of(position):
        assert pair in pairs or set(pair) & set(cells)


def fillings(position: Position, fill: str, pairs: list[tuple[int, int]]) -> dict[bytes, Fraction]:
    """Return all full boards with their probabilities, before any repair."""
    cells = [cell for pair in pairs for cell in pair]
    free = [cell for cell in position.empty_cells if cell not in cells]
    share = black_share(position) - len(pairs)
    found = []
    for colours in product(Colour, repeat=len(free)):
        if fill == "balanced" and colours.count(BLACK) != share:
            continue
        for firsts in product(Colour, repeat=len(pairs)):
            stones = bytearray(position.stones)
            for cell, colour in zip(free, colours, strict=True):
                stones[cell] = colour
            for (p, q), colour in zip(pairs, firsts, strict=True):
                stones[p], stones[q] = colour, colour.opponent
            found.append(bytes(stones))
    return dict.fromkeys(found, Fraction(1, len(found)))


def repairable(position: Position, pairs: list[tuple[int, int]]) -> list[Rhombus]:
    """Return where bridges may come about in the filling."""
    cells = {cell for pair in pairs for cell in pair}
    open_cells = set(position.empty_cells) - cells
    return [rhombus for rhombus in rhombi_of(position.board) if set(rhombus.pair) <= open_cells]


def lost(rhombus: Rhombus, stones: Sequence[int]) -> bool:
    """Whether one colour has the ends and the other one both cells between them."""
    colour = holder(rhombus, stones)
    return bool(colour) and all(stones[cell] == 3 - colour for cell in rhombus.pair)


def recoloured(stones: bytes, cell: int) -> bytes:
    return stones[:cell] + bytes([3 - stones[cell]]) + stones[cell + 1 :]


def repairs(
    before: dict[bytes, Fraction], order: Sequence[Rhombus], chance: Fraction
) -> dict[bytes, Fraction]:
    """Return the probabilities after one go over the rhombi."""
    now = before
    for rhombus in order:
        then: dict[bytes, Fraction] = {}
        for stones, share in now.items():
            outcomes = [(stones, share)]
            if lost(rhombus, stones):
                p, q = (recoloured(stones, cell) for cell in rhombus.pair)
                outcomes = [(p, share * chance / 2), (q, share * chance / 2)]
                outcomes.append((stones, share * (1 - chance)))
            for outcome, part in outcomes:
                if part:
                    then[outcome] = then.get(outcome, Fraction(0)) + part
        now = then
    return now


def expected_boards(
    position: Position, options: Options, pairs: list[tuple[int, int]]
) -> dict[bytes, Fraction]:
    """Return the exact probability of every full board."""
    before = fillings(position, options.fill, pairs)
    chance = Fraction(round(256 * options.repair), 256)
    if not chance:
        return before
    orders = list(permutations(repairable(position, pairs)))
    total: dict[bytes, Fraction] = {}
    for order in orders:
        for stones, share in repairs(before, order, chance).items():
            total[stones] = total.get(stones, Fraction(0)) + share / len(orders)
    assert sum(total.values()) == 1
    return total


def count_boards(position: Position, owned: Bits) -> Counter[bytes]:
    data, cells = boards_of(position, owned), len(position.board)
    return Counter(data[i : i + cells] for i in range(0, len(data), cells))


# Single playouts

ALL_SORTS = [
    Position(hex_board(3)),
    Position(hex_board(11)),
    scattered(hex_board(4, 9), 20, 1),
    scattered(hex_board(9, 2), 11, 2),
    scattered(hex_board(13, 11), 90, 3),
    Position(y_board(4)),
    scattered(y_board(9), 31, 4),
    scattered(y_board(12), 60, 5),
]


def name_of(position: object) -> str | None:
    if isinstance(position, Position):
        return f"{position.board} {len(position.empty_cells)} empty"
    return str(position) if isinstance(position, Options) else None


all_sorts = pytest.mark.parametrize("position", ALL_SORTS, ids=name_of)
every_option = pytest.mark.parametrize("options", EVERY_OPTION, ids=str)


@all_sorts
@every_option
def test_playouts_have_the_winner_that_union_find_says(
    position: Position, options: Options
) -> None:
    before = position.stones
    for numbers in (range(70), range(BLOCK - 10, BLOCK + 70)):
        owned, won = playouts(position, numbers, 1, options)
        found = winners(position.board, boards_of(position, owned), "wqhuf")
        assert [colour == BLACK for colour in found] == won.tolist()
        assert EMPTY not in found
        if options.fill == "balanced" and not options.repair:
            assert set(owned.sum(axis=1)) == {black_share(position)}
    assert position.stones == before


@all_sorts
@every_option
def test_longer_streams_go_on_from_shorter_ones(position: Position, options: Options) -> None:
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
    """Every cell; all cells together; and the cells neither too uneven nor too even."""
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
    """Of each other in a playout, and of all in the playouts shortly after, or a word later."""
    owned, _ = playouts(Position(hex_board(6)), range(3 * BLOCK + 100), 5)
    cells = owned.shape[1]
    upper = np.triu_indices(cells, 1)
    assert abs(correlations(owned, owned)[upper]).max() < normal_limit(len(upper[0]))
    lags = [1, 2, 3, 7, 8, 16, 32, 63, 64, 65, 128, 192, 256, 448, BLOCK - 1, BLOCK, 2 * BLOCK]
    for lag in lags:
        z = correlations(owned[:-lag], owned[lag:])
        assert abs(z).max() < normal_limit(len(lags) * cells**2)
    # The same cell at every lag, all cells together.
    for lag in range(1, 1100):
        a, b = 2 * owned[:-lag] - 1, 2 * owned[lag:] - 1
        assert abs(int((a * b).sum())) < normal_limit(1100) * sqrt(a.size)


def test_coins_of_other_seeds_are_independent() -> None:
    """Block by block: also the second block of a seed and the first one of the next."""
    position = Position(hex_board(5))
    blocks = [
        playouts(position, range(b * BLOCK, (b + 1) * BLOCK), seed)[0]
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
        owned, _ = playouts(position, range(3 * BLOCK), seed)
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
        for count in range(2 * BLOCK + 2):
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
    """Return a position with an empty cell in each row, in which Black needs just these rows.

    His chain in the first column lacks a stone there; in all other rows the empty cell is in the
    last column, behind a wall.
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
    """Over all positions that only one filling wins, each playout is one win."""
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
    count = 2 * BLOCK
    wins = [play(position, count, seed, options).black_wins for seed in range(400)]
    check_share(wins, count, share)


@pytest.mark.parametrize(
    "position",
    [Position(hex_board(7)), scattered(hex_board(6, 9), 30, 14), scattered(y_board(8), 29, 18)],
    ids=name_of,
)
@pytest.mark.parametrize("to_play", list(Colour))
def test_black_wins_as_often_as_board_by_board(position: Position, to_play: Colour) -> None:
    position = position.copy()
    position.to_play = to_play
    count = 2 * BLOCK
    wins = [play(position, count, seed, BALANCED).black_wins for seed in range(200)]
    source = Random(15)
    others = [black_wins(position, count, source) for _ in range(200)]
    assert 0.02 < sum(wins) / count / 200 < 0.98
    difference = [a - b for a, b in zip(wins, others, strict=True)]
    check_share(difference, count, 0)


def test_every_block_has_an_order_of_its_own() -> None:
    """Also the second block of a seed, compared with the first one of its neighbours.

    Of three cells that get two Black stones the one that comes last in the order shows: it has
    half of them in a block, the others three quarters.
    """
    position = scattered(hex_board(3), 3, 16)
    position.to_play = BLACK
    seeds = 240
    last = []
    for seed in range(seeds):
        one, two = (play(position, n * BLOCK, seed, BALANCED).black_owned for n in (1, 2))
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


# Bridges


def test_a_bridge_gets_a_stone_of_each_colour() -> None:
    """Whoever it belongs to, inside and at the sides; the cells around get what they like."""
    cases = [
        (placed(hex_board(5), black="c2 b4"), ("b3", "c3")),
        (placed(hex_board(5), white="b2 c3"), ("b3", "c2")),
        (placed(hex_board(5), black="c2"), ("c1", "d1")),
        (placed(hex_board(5), black="c4"), ("b5", "c5")),
        (placed(hex_board(5), white="b3"), ("a3", "a4")),
        (placed(hex_board(5), white="d3"), ("e2", "e3")),
        (placed(y_board(6), black="b4"), ("a3", "a4")),
        (placed(y_board(6), white="b4"), ("a3", "a4")),
        (placed(y_board(6), black="c4"), ("c3", "d4")),
        (placed(y_board(6), white="c5"), ("c6", "d6")),
        (placed(y_board(6), white="c3 d5"), ("c4", "d4")),
    ]
    for position, names in cases:
        cells = tuple(sorted(position.board.cell(name) for name in names))
        assert cells in bridges_of(position)
        index = [position.empty_cells.index(cell) for cell in cells]
        for fill in FILLS:
            for count in (1, 1000):
                result = play(position, count, 20, Options(fill, bridges=True))
                p, q = (result.black_owned[i] for i in index)
                assert p + q == count
                if count > 1:
                    assert abs(p - q) < normal_limit() * sqrt(count)
            owned, _ = playouts(position, range(300), 20, Options(fill))
            assert (owned[:, index[0]] == owned[:, index[1]]).any()


@pytest.mark.parametrize(
    ("black", "white", "pair"),
    [
        ("c2", "", ("a2", "a3")),  # no stone at all near it
        ("", "c2", ("c1", "d1")),  # the side is Black's
        ("b3", "", ("a3", "a4")),  # the side is White's
        ("c2", "b4", ("b3", "c3")),  # ends of both colours
        ("c2", "", ("b3", "c3")),  # one end only
        ("c3", "", ("b4", "c4")),  # not yet at the side
    ],
)
def test_no_bridge(black: str, white: str, pair: tuple[str, str]) -> None:
    position = placed(hex_board(5), black, white)
    index = [position.empty_cells.index(position.board.cell(name)) for name in pair]
    owned, _ = playouts(position, range(200), 21, BRIDGES)
    both = Counter(zip(*(owned[:, i].tolist() for i in index), strict=True))
    assert set(both) == {(0, 0), (0, 1), (1, 0), (1, 1)}


@pytest.mark.parametrize(
    "board",
    [
        hex_board(2),
        hex_board(4),
        hex_board(7),
        hex_board(3, 8),
        hex_board(9, 2),
        y_board(3),
        y_board(5),
        y_board(8),
    ],
    ids=str,
)
@pytest.mark.parametrize("fill", FILLS)
def test_all_bridges_but_overlapping_ones(board: Board, fill: Literal["coins", "balanced"]) -> None:
    options = Options(fill, bridges=True)
    overlapping = seen = 0
    for seed in range(12):
        position = scattered(board, round(len(board) * (0.4 + 0.04 * seed)), 22 + seed)
        owned, _ = playouts(position, range(480, 560), seed, BRIDGES)
        pairs = opposite_pairs(position, owned)
        check_pairs(position, pairs)
        overlapping += len(pairs) < len(bridges_of(position))
        seen += len(pairs)
        owned_by_black = play(position, 777, seed, options).black_owned
        column = {cell: i for i, cell in enumerate(position.empty_cells)}
        assert all(owned_by_black[column[p]] + owned_by_black[column[q]] == 777 for p, q in pairs)
    assert seen > 0
    assert overlapping > 0 or len(board) < 9


def test_of_overlapping_bridges_one_counts() -> None:
    """Three stones of Black, each a bridge away from the two others, all by way of c3."""
    position = placed(hex_board(5), black="c2 b4 d3")
    overlapping = [pair for pair in bridges_of(position) if position.board.cell("c3") in pair]
    assert len(overlapping) == 3
    owned, _ = playouts(position, range(200), 23, BRIDGES)
    pairs = opposite_pairs(position, owned)
    check_pairs(position, pairs)
    assert len(set(overlapping) & set(pairs)) == 1


WON_BY_BRIDGES = [
    placed(hex_board(3), black="b2"),
    placed(hex_board(11), black="g2 f4 e6 d8 c10"),
    placed(hex_board(3, 11), black="b2 b3 b4 b5 b6 b7 b8 b9 b10"),
    placed(y_board(4), black="b3"),
    placed(y_board(7), black="c5 b6 e6"),
]


@pytest.mark.parametrize("position", WON_BY_BRIDGES, ids=name_of)
@pytest.mark.parametrize("fill", FILLS)
@pytest.mark.parametrize("repair", [0.0, 1.0])
def test_a_win_by_bridges_alone_is_certain(
    position: Position, fill: Literal["coins", "balanced"], repair: float
) -> None:
    assert not position.winner
    board = position.board
    reflection = board.swap_map if board.width == board.height else None
    for seed in range(5):
        result = play(position, 2000, seed, Options(fill, bridges=True, repair=repair))
        assert result.black_wins == 2000
        assert result.black_owned_and_won == result.black_owned
        if not repair:
            assert play(position, 2000, seed, Options(fill)).black_wins < 2000
        if reflection:
            other = Position(board)
            for cell, content in enumerate(position.stones):
                if content:
                    other.setup(reflection[cell], WHITE)
            result = play(other, 2000, seed, Options(fill, bridges=True, repair=repair))
            assert result.black_wins == 0
            assert set(result.black_owned_and_won) == {0}


# Repair


ONE_BRIDGE = [
    # Of the two cells left Black, or White, needs one, and has none of them in a quarter.
    (placed(hex_board(3), "b1 a3", "a1 c1 c2 b3 c3"), 3 / 4, 1 / 4),
    (placed(hex_board(3), "a1 a3 b3 c2 c3", "c1 a2"), 1 / 4, -1 / 4),
    (placed(hex_board(3), "b2 b3", "a1 a2 a3 c2 c3"), 3 / 4, 1 / 4),  # a bridge to the top
    (placed(hex_board(3), "a1 b1 c1 b3 c3", "b2 c2"), 1 / 4, -1 / 4),  # ... to the left
    (placed(hex_board(3), "b1 b2", "a1 a2 c1 c2 c3"), 3 / 4, 1 / 4),  # ... to the bottom
    (placed(hex_board(3), "a1 b1 a3 b3 c3", "a2 b2"), 1 / 4, -1 / 4),  # ... to the right
    (placed(y_board(2), black="b2"), 3 / 4, 1 / 4),
    (placed(y_board(2), white="b2"), 1 / 4, -1 / 4),
    (placed(y_board(2), black="a2"), 3 / 4, 1 / 4),
    (placed(y_board(2), white="a2"), 1 / 4, -1 / 4),
    (placed(y_board(2), black="a1"), 3 / 4, 1 / 4),
    (placed(y_board(2), white="a1"), 1 / 4, -1 / 4),
    # White has no bridge to the top, nor Black one to the left: c1 alone counts, or a3.
    (placed(hex_board(3), "c2 c3", "a1 a2 a3 b2 b3"), 1 / 2, 0),
    (placed(hex_board(3), "a1 b1 c1 b2 c2", "b3 c3"), 1 / 2, 0),
    # Ends of both colours: b2 alone counts.
    (placed(hex_board(3), "a1 b1 c1 b3", "a3 c2 c3"), 1 / 2, 0),
]


@pytest.mark.parametrize("repair", [0.0, 1 / 256, 0.25, 0.5, 0.6, 255 / 256, 1.0])
@pytest.mark.parametrize(("position", "share", "effect"), ONE_BRIDGE)
def test_one_bridge_is_repaired_in_proportion(
    position: Position, share: float, effect: float, repair: float
) -> None:
    assert len(position.empty_cells) == 2
    assert len(repairable(position, [])) == 1
    count = 2 * BLOCK
    wins = [play(position, count, seed, Options(repair=repair)).black_wins for seed in range(100)]
    expected = share + effect * round(256 * repair) / 256
    if expected in (0, 1):
        assert set(wins) == {count * expected}
    else:
        check_share(wins, count, expected)


def clearings(board: Board, empties: int, rhombi: range, count: int) -> list[Position]:
    """Return positions in which so many bridges may come about."""
    found: list[Position] = []
    seed = 0
    while len(found) < count:
        position = clearing(board, empties, seed)
        if len(repairable(position, [])) in rhombi:
            found.append(position)
        seed += 1
    return found


CLEARINGS = [
    *clearings(hex_board(4), 4, range(2, 6), 4), *clearings(hex_board(6), 5, range(3, 6), 4),
    *clearings(hex_board(2, 5), 5, range(3, 6), 2), *clearings(y_board(4), 4, range(2, 6), 3),
    *clearings(y_board(7), 5, range(3, 6), 3),
]  # fmt: skip


@pytest.mark.parametrize("options", EVERY_OPTION, ids=str)
def test_every_full_board_has_its_exact_probability(options: Options) -> None:
    """All options together; the orders of repair and what each makes of a filling are enumerated.

    Which of two overlapping bridges counts is taken from the playouts themselves.
    """
    for i, position in enumerate(CLEARINGS):
        pairs = []
        if options.bridges:
            owned, _ = playouts(position, range(200), i, BRIDGES)
            pairs = opposite_pairs(position, owned)
            check_pairs(position, pairs)
        expected = expected_boards(position, options, pairs)
        if len(expected) > 1:
            owned, _ = independent(position, 1000, 1000 * i, options)
            check_distribution(count_boards(position, owned), expected)


@pytest.mark.parametrize(
    ("position", "options"),
    [
        (clearing(hex_board(4), 3, 60), BALANCED),
        (clearing(hex_board(4), 7, 60), BALANCED),
        *((position, Options(repair=1.0)) for position in CLEARINGS[::3]),
    ],
    ids=name_of,
)
def test_orders_are_fair(position: Position, options: Options) -> None:
    """Many first blocks, each of which has one order: a shuffle that favours some would show."""
    blocks = 30_000
    expected = expected_boards(position, options, [])
    owned = np.array([play(position, BLOCK, seed, options).black_owned for seed in range(blocks)])
    for column, cell in enumerate(position.empty_cells):
        share = sum(p for stones, p in expected.items() if stones[cell] == BLACK)
        check_share(owned[:, column].tolist(), BLOCK, float(share), owned.shape[1])


def explained(before: bytes, after: bytes, order: Sequence[Rhombus]) -> bool:
    """Whether some coins turn one board into the other, if every lost bridge is repaired."""
    return after in repairs({before: Fraction(1)}, order, Fraction(1))


@pytest.mark.parametrize("position", CLEARINGS, ids=name_of)
@pytest.mark.parametrize("fill", FILLS)
def test_one_order_of_repairs_explains_a_block(
    position: Position, fill: Literal["coins", "balanced"]
) -> None:
    """With the probability 1 no bridge stays lost, but for what later repairs undo.

    The filling is that of the same playout without repair.
    """
    cells = len(position.board)
    for seed in range(3):
        plain, _ = playouts(position, range(BLOCK), seed, Options(fill))
        mended, _ = playouts(position, range(BLOCK), seed, Options(fill, repair=1.0))
        data = [boards_of(position, owned) for owned in (plain, mended)]
        steps = {
            (data[0][i : i + cells], data[1][i : i + cells])
            for i in range(0, BLOCK * cells, cells)
        }  # fmt: skip
        rhombi = repairable(position, [])
        assert any(
            all(explained(before, after, order) for before, after in steps)
            for order in permutations(rhombi)
        )


@pytest.mark.parametrize(
    "board", [hex_board(5), hex_board(11), hex_board(6, 13), y_board(10)], ids=str
)
@pytest.mark.parametrize("bridges", [False, True])
def test_only_overlapping_bridges_stay_lost(
    board: Board,
    bridges: bool,
) -> None:
    """And fewer than without repair."""
    position = scattered(board, len(board) * 2 // 3, 30)
    pairs = []
    if bridges:
        owned, _ = playouts(position, range(100), 31, BRIDGES)
        pairs = opposite_pairs(position, owned)
    rhombi = repairable(position, pairs)
    losses = []
    for repair in (0.0, 1.0):
        options = Options(bridges=bridges, repair=repair)
        owned, _ = playouts(position, range(200), 31, options)
        data = boards_of(position, owned)
        boards = [data[i : i + len(board)] for i in range(0, len(data), len(board))]
        losses.append([[r for r in rhombi if lost(r, stones)] for stones in boards])
    before, after = (sum(map(len, block)) for block in losses)
    assert before > 100
    assert after < 0.75 * before
    for block in losses[1]:
        for rhombus in block:
            (ends,) = {e for e in rhombus.ends if e is not None}
            touched = {*rhombus.pair, *ends}
            assert any(touched & set(other.pair) for other in rhombi if other != rhombus)


# Symmetry


@pytest.mark.parametrize(
    "board", [hex_board(2), hex_board(3), hex_board(6), hex_board(11), y_board(4), y_board(11)],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("repair", [0.0, 0.5, 1.0])
def test_colours_are_treated_alike(board: Board, repair: float) -> None:
    position = Position(board)
    count = 3 * BLOCK
    results = [play(position, count, seed, Options(repair=repair)) for seed in range(150)]
    wins = [result.black_wins for result in results]
    check_share(wins, count, 0.5)
    if not repair:
        assert abs(2 * sum(wins) - 150 * count) < normal_limit() * sqrt(150 * count)
    # A cell and its reflection in the long diagonal, where each colour has the other one's place.
    if board.game == "hex":
        for cell, other in enumerate(board.symmetries[2].cells):
            owned = [r.black_owned[cell] + r.black_owned[other] for r in results]
            check_share(owned, 2 * count, 0.5, len(board))


@pytest.mark.parametrize("board", [hex_board(5, 8), y_board(7)], ids=str)
def test_positions_may_be_turned(board: Board) -> None:
    """Balance, repair and reduction know no directions."""
    position = scattered(board, len(board) // 2, 32)
    count, options = 2 * BLOCK, Options("balanced", repair=0.7)
    plain = [play(position, count, seed, options).black_wins for seed in range(200)]
    for symmetry in board.symmetries[1:]:
        turned = Position(board)
        turned.to_play = position.to_play
        for cell, content in enumerate(position.stones):
            if content:
                turned.setup(symmetry.cells[cell], Colour(content))
        wins = [play(turned, count, 500 + seed, options).black_wins for seed in range(200)]
        check_share([a - b for a, b in zip(plain, wins, strict=True)], count, 0)


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
        with pytest.raises(ValueError, match=f"^there are no {count} playouts$"):
            statistics(position, count, 1)
    for fill in ("", "Coins", "fair"):
        message = f"^fill must be coins, balanced or in-turn, not '{fill}'$"
        with pytest.raises(ValueError, match=message):
            statistics(position, 1, 1, fill=fill)  # type: ignore[arg-type]
    for repair in (-0.01, 1.01, 256, -1, nan, float("inf")):
        with pytest.raises(ValueError, match=f"^repair must be 0 to 1, not {repair}$"):
            statistics(position, 1, 1, repair=repair)
    for options in (Options("in-turn", bridges=True), Options("in-turn", repair=0.5)):
        with pytest.raises(ValueError, match=r"^a fill in turn .*: no bridges, no repair$"):
            play(position, 1, 1, options)
    assert position.stones == bytes(9)


def random_boards(board: Board, count: int, seed: int) -> bytes:
    """Return boards, many of them not full, of which both colours win some."""
    rng = np.random.default_rng(seed)
    empty = rng.uniform(-0.2, 0.3, (count, 1)).clip(0)
    black = empty + (1 - empty) * rng.uniform(0.4, 0.6, (count, 1))
    draws = rng.random((count, len(board)))
    return ((draws >= empty).astype(np.uint8) + (draws >= black)).tobytes()


SIZES = [
    *((game, size, None) for game in ("hex", "y") for size in range(1, 64)),
    ("hex", 1, 63), ("hex", 63, 1), ("hex", 2, 63), ("hex", 63, 2), ("hex", 15, 16),
    ("hex", 16, 15), ("hex", 20, 21), ("hex", 21, 20), ("hex", 31, 63), ("hex", 63, 32),
]  # fmt: skip


@pytest.mark.parametrize(("game", "width", "height"), SIZES)
def test_every_size(game: str, width: int, height: int | None) -> None:
    board = make_board(game, width, height)
    count = 67 if len(board) < 1000 else 9
    boards = random_boards(board, count, width)
    expected = winners(board, boards, "wqhuf")
    for method in ("bpr-sliced", "bpr-registers"):
        assert winners(board, boards, method) == expected
    position = scattered(board, len(board) * 3 // 4, width)
    for options in (BALANCED, Options(bridges=True, repair=0.8), IN_TURN):
        owned, won = playouts(position, range(509, 514), width, options)
        found = winners(board, boards_of(position, owned), "wqhuf")
        assert [colour == BLACK for colour in found] == won.tolist()
        if options.fill == "balanced":
            assert set(owned.sum(axis=1)) == {black_share(position)}
        if options.bridges:
            check_pairs_loosely(position, owned)


def check_pairs_loosely(position: Position, owned: Bits) -> None:
    """Check on few playouts that every bridge, or one that overlaps it, has both colours."""
    pairs = opposite_pairs(position, owned)
    taken = {cell for pair in pairs for cell in pair}
    assert all(set(pair) & taken for pair in bridges_of(position))


# Connection tests of many boards


@pytest.mark.parametrize("method", ["bpr-sliced", "bpr-registers"])
@pytest.mark.parametrize(
    "board",
    [hex_board(1), hex_board(4), hex_board(11), hex_board(13, 18), y_board(2), y_board(14),
     hex_board(19), y_board(17), hex_board(25), y_board(33)],
    ids=str,
)  # fmt: skip
def test_winners_of_any_number_of_boards(board: Board, method: str) -> None:
    cells = len(board)
    boards = random_boards(board, 3 * BLOCK + 5, 50)
    expected = winners(board, boards, "wqhuf")
    assert len(set(expected)) >= 2
    counts = [*range(70), 127, 128, 129, 255, 300, 510, 511, 512, 513, 577, 1023, 1024, 1025, 1541]
    for count in counts:
        # From another board on each time: nothing hangs on its place in the batch.
        first = count % 7 if count < 1500 else 0
        part = boards[first * cells : (first + count) * cells]
        assert winners(board, part, method) == expected[first : first + count]
    if cells > 1:
        for length in (1, cells - 1, cells + 1, 600 * cells - 1):
            with pytest.raises(ValueError, match="not a multiple"):
                winners(board, bytes(length), method)


# All instruction sets


def digest() -> str:
    """Return a digest of everything above, from inputs that every machine makes alike."""
    random = Random(1)
    result = sha256()
    sizes = [("hex", 1, 1), ("hex", 3, 3), ("hex", 11, 11), ("hex", 7, 16), ("hex", 19, 20),
             ("hex", 20, 21), ("hex", 31, 32), ("hex", 2, 63), ("hex", 63, 40),
             ("y", 1, 1), ("y", 5, 5), ("y", 16, 16), ("y", 17, 17), ("y", 22, 22), ("y", 33, 33),
             ("y", 63, 63)]  # fmt: skip
    for game, width, height in sizes:
        board = make_board(game, width, height)
        position = Position(board)
        for cell in range(len(board)):
            content = random.below(5)
            if 0 < content < 3:
                position.setup(cell, Colour(content))
        for options in EVERY_OPTION:
            for count in (1, 700):
                counts = play(position, count, random.below(1000), options)
                result.update(repr(counts).encode())
        boards = bytes(random.below(3) for _ in range(min(70 * len(board), 10_000)))
        boards = boards[: len(boards) // len(board) * len(board)]
        for method in ("bpr-sliced", "bpr-registers"):
            result.update(winners(board, boards, method))
    return result.hexdigest()[:16]


def test_every_instruction_set_computes_the_same(isa: InstructionSet) -> None:
    assert isa.run(__file__).split() == [isa.name, DIGEST]


if __name__ == "__main__":
    sys.stdout.write(f"{chosen()} {digest()}\n")
