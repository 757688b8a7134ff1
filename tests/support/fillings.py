"""Single playouts of a batch, the exact probabilities of their boards, and limits of chance.

`statistics` promises that playout n is the same whatever the count, so the difference between the
counts of n + 1 and of n playouts is that one playout, cell by cell.

All seeds are fixed, so no test fails now and then.  A correct program with other seeds would break
a limit about once in 1 / `FALSE_ALARM` runs.
"""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from functools import lru_cache
from itertools import permutations, product
from math import sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import pytest

from trivalent.core.board import BLACK, EMPTY, WHITE, Board, Colour
from trivalent.core.games import hex_board, y_board
from trivalent.core.playouts.playout import PlayoutStatistics, statistics
from trivalent.core.position import Position

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Bits = NDArray[np.int64]  # 0 and 1: a row for each playout, a column for each empty cell

BATCH = 512
"""Playouts that the kernels play at once; they share the order in which cells are recoloured."""

FALSE_ALARM = 1e-6
"""The chance that a correct program breaks a limit, for each test."""


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
    """Return single playouts of ``count`` streams, from all parts of a batch and beyond."""
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
    """Return how many of the empty cells Black gets if the players take turns."""
    empties = len(position.empty_cells)
    return (empties + 1) // 2 if position.to_play is BLACK else empties // 2


def placed(board: Board, black: str = "", white: str = "") -> Position:
    position = Position(board)
    for colour, names in ((BLACK, black), (WHITE, white)):
        for name in names.split():
            position.setup(board.cell(name), colour)
    return position


def scattered(board: Board, empties: int, seed: int) -> Position:
    """Return a position with ``empties`` empty cells and random stones on the others."""
    source = random.Random(seed)
    position = Position(board)
    for cell in source.sample(range(len(board)), len(board) - empties):
        position.setup(cell, source.choice(list(Colour)))
    position.to_play = source.choice(list(Colour))
    return position


def clearing(board: Board, empties: int, seed: int) -> Position:
    """Return the same with the empty cells next to each other, so that bridges can arise."""
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
    """Return the limit that none of ``tries`` standard normal numbers exceeds in size."""
    return NormalDist().inv_cdf(1 - FALSE_ALARM / 2 / tries)


def chi_square_limit(degrees: int) -> float:
    """Return the quantile of 1 - FALSE_ALARM (Wilson and Hilferty's approximation)."""
    spread = 2 / (9 * degrees)
    return degrees * float(1 - spread + normal_limit() * sqrt(spread)) ** 3


def check_distribution(seen: Counter[bytes], expected: dict[bytes, Fraction]) -> None:
    """Compare counts with probabilities; outcomes too rare for the test are pooled."""
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
    """Compare independent samples with a probability, by the spread of the samples themselves.

    The spread of coins would be too narrow if the playouts of a batch share an order.
    """
    batches = np.array(wins)
    error = float(batches.std(ddof=1)) / sqrt(len(batches))
    assert abs(float(batches.mean()) - of * share) <= normal_limit(tries) * error


# Bridges as the rules of the board have them


class Rhombus(NamedTuple):
    """Two neighbouring cells, and the ends that a colour must hold to make them its bridge."""

    pair: tuple[int, int]
    ends: tuple[tuple[int, ...] | None, tuple[int, ...] | None]
    """For Black and for White: the ends, or None if one end is a side of the opponent."""


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
    """Return the colour that holds the ends, or 0."""
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
    """Return the bridges of the position that had a stone of each colour in all playouts."""
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
    """Return the pairs of cells that can become bridges in the filling."""
    cells = {cell for pair in pairs for cell in pair}
    open_cells = set(position.empty_cells) - cells
    return [rhombus for rhombus in rhombi_of(position.board) if set(rhombus.pair) <= open_cells]


def lost(rhombus: Rhombus, stones: Sequence[int]) -> bool:
    """Return whether one colour holds the ends and the other both cells between them."""
    colour = holder(rhombus, stones)
    return bool(colour) and all(stones[cell] == 3 - colour for cell in rhombus.pair)


def recoloured(stones: bytes, cell: int) -> bytes:
    return stones[:cell] + bytes([3 - stones[cell]]) + stones[cell + 1 :]


def repairs(
    before: dict[bytes, Fraction], order: Sequence[Rhombus], chance: Fraction
) -> dict[bytes, Fraction]:
    """Return the probabilities after one pass over the rhombi."""
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
