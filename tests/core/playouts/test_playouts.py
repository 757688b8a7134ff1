"""Playouts: the number of stones, equally likely fillings, and the number of wins.

All seeds are fixed, so nothing here fails now and then.  The limits are those that a right program
with another seed would pass but for once in `FALSE_ALARM` tries.
"""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations
from math import comb, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING

import pytest

from trivalent.core._random import Random
from trivalent.core.board import BLACK, EMPTY, WHITE, Board, Colour
from trivalent.core.connection.win_test import winner, winners
from trivalent.core.games import hex_board, y_board
from trivalent.core.playouts.playout import black_wins, fill
from trivalent.core.position import Position

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

FALSE_ALARM = 1e-6


def chi_square_limit(degrees: int, tail: float = FALSE_ALARM) -> float:
    """Return the quantile of 1 - tail (Wilson and Hilferty's approximation)."""
    z = NormalDist().inv_cdf(1 - tail)
    spread = 2 / (9 * degrees)
    return degrees * (1 - spread + z * sqrt(spread)) ** 3


def chi_square(counts: Iterable[int], expected: float) -> float:
    return sum((count - expected) ** 2 / expected for count in counts)


NORMAL_LIMIT = NormalDist().inv_cdf(1 - FALSE_ALARM / 2)


def placed(board: Board, *names: str, to_play: Colour | None = None) -> Position:
    position = Position(board)
    for name in names:
        position.play(position.to_play, board.cell(name))
    if to_play:
        position.to_play = to_play
    return position


def scattered(board: Board, seed: int) -> Position:
    """Return a position with a random number of stones of random colours."""
    source = random.Random(seed)
    position = Position(board)
    for cell in source.sample(range(len(board)), source.randint(0, len(board))):
        position.setup(cell, source.choice(list(Colour)))
    position.to_play = source.choice(list(Colour))
    return position


def every_fill(position: Position) -> list[bytes]:
    empty = position.empty_cells
    fills = []
    for mine in combinations(empty, (len(empty) + 1) // 2):
        stones = bytearray(position.stones)
        for cell in empty:
            stones[cell] = position.to_play if cell in mine else position.to_play.opponent
        fills.append(bytes(stones))
    return fills


FEW_FILLS = {
    "7 empty, White to move": placed(hex_board(3), "b2", "c1", to_play=WHITE),
    "8 empty, White to move": placed(hex_board(3), "a1"),
    "6 empty, Black to move": placed(y_board(4), "a1", "b2", "c3", "d4"),
    "5 empty, decided": placed(hex_board(2, 4), "a1", "b1", "b2", to_play=BLACK),
}
positions_with_few_fills = pytest.mark.parametrize(
    "position", FEW_FILLS.values(), ids=FEW_FILLS.keys()
)


@pytest.mark.parametrize(
    "board", [hex_board(1), hex_board(4), hex_board(7, 4), hex_board(63), y_board(1), y_board(6),
              y_board(63)], ids=str,
)  # fmt: skip
def test_fill_completes_the_board(board: Board) -> None:
    source = Random(1)
    for seed in range(30):
        position = scattered(board, seed)
        before = position.stones
        n = before.count(EMPTY)
        full = fill(position, source)
        assert position.stones == before
        assert len(full) == len(board)
        assert all(new == old for new, old in zip(full, before, strict=True) if old != EMPTY)
        added = Counter(new for new, old in zip(full, before, strict=True) if old == EMPTY)
        expected = {position.to_play: (n + 1) // 2, position.to_play.opponent: n // 2}
        assert added == Counter(expected)
        assert winner(board, full) is not None


def test_every_fill_of_an_empty_position() -> None:
    fills = {fill(Position(hex_board(2)), Random(seed)) for seed in range(200)}
    assert fills == set(every_fill(Position(hex_board(2))))
    assert len(fills) == comb(4, 2)


@positions_with_few_fills
def test_fill_is_uniform(position: Position) -> None:
    possible = every_fill(position)
    source = Random(2)
    counts = Counter(fill(position, source) for _ in range(1000 * len(possible)))
    assert set(counts) == set(possible)
    assert chi_square(counts.values(), 1000) < chi_square_limit(len(possible) - 1)


def naive_shuffle(cells: list[int], source: random.Random) -> None:
    """Exchange every cell with any other cell: the well-known mistake."""
    for i in range(len(cells)):
        j = source.randrange(len(cells))
        cells[i], cells[j] = cells[j], cells[i]


def cyclic_shuffle(cells: list[int], source: random.Random) -> None:
    """Exchange every cell with a later one but never with itself (Sattolo's shuffle)."""
    for i in range(len(cells) - 1):
        j = source.randrange(i + 1, len(cells))
        cells[i], cells[j] = cells[j], cells[i]


def right_shuffle(cells: list[int], source: random.Random) -> None:
    for i in range(len(cells)):
        j = source.randrange(i, len(cells))
        cells[i], cells[j] = cells[j], cells[i]


@pytest.mark.parametrize(
    ("shuffle", "uniform"),
    [(naive_shuffle, False), (cyclic_shuffle, False), (right_shuffle, True)],
)
def test_the_test_of_uniformity_tells_shuffles_apart(
    shuffle: Callable[[list[int], random.Random], None],
    uniform: bool,
) -> None:
    empty = FEW_FILLS["7 empty, White to move"].empty_cells
    source = random.Random(3)
    counts: dict[tuple[int, ...], int] = dict.fromkeys(combinations(empty, 4), 0)
    for _ in range(1000 * len(counts)):
        cells = empty.copy()
        shuffle(cells, source)
        counts[tuple(sorted(cells[:4]))] += 1
    assert (chi_square(counts.values(), 1000) < chi_square_limit(len(counts) - 1)) == uniform


@pytest.mark.parametrize(
    ("degrees", "published"), [(5, 20.515), (10, 29.588), (30, 59.703), (100, 149.449)]
)
def test_limits_are_near_the_published_ones(degrees: int, published: float) -> None:
    assert chi_square_limit(degrees, 0.001) == pytest.approx(published, rel=0.02)
    assert pytest.approx(4.8916, abs=1e-4) == NORMAL_LIMIT


@positions_with_few_fills
def test_black_wins_as_often_as_among_all_fills(position: Position) -> None:
    won = winners(position.board, b"".join(every_fill(position)))
    share = won.count(BLACK) / len(won)
    playouts = 100_000
    error = sqrt(playouts * share * (1 - share))
    wins = black_wins(position, playouts, Random(4))
    assert abs(wins - playouts * share) <= NORMAL_LIMIT * error


@pytest.mark.parametrize(
    "position",
    [
        Position(hex_board(11)),
        placed(hex_board(11), "f6"),
        placed(hex_board(8, 10), "d5", "e5"),
        placed(y_board(12), "f8"),
        placed(y_board(12), "f8", to_play=BLACK),
        placed(hex_board(20), "j10"),
        placed(hex_board(33, 32), "p16", to_play=WHITE),
    ],
    ids=lambda position: str(position.board),
)
def test_black_wins_as_often_as_among_fills(position: Position) -> None:
    playouts = 4000
    wins = black_wins(position, playouts, Random(5))
    source = Random(6)
    fills = b"".join(fill(position, source) for _ in range(playouts))
    other = winners(position.board, fills, "bfs").count(BLACK)
    share = (wins + other) / (2 * playouts)
    assert 0.02 < share < 0.98
    assert abs(wins - other) <= NORMAL_LIMIT * sqrt(2 * playouts * share * (1 - share))


@pytest.mark.parametrize("board", [hex_board(10), hex_board(7)], ids=str)
def test_playouts_do_not_depend_on_each_other(board: Board) -> None:
    """The wins in short batches spread as those of a coin do."""
    position = Position(board)
    source = Random(7)
    batches, size = 400, 64
    wins = [black_wins(position, size, source) for _ in range(batches)]
    share = sum(wins) / (batches * size)
    spread = sum((count - size * share) ** 2 for count in wins) / (size * share * (1 - share))
    assert spread < chi_square_limit(batches - 1)
    assert spread > 2 * (batches - 1) - chi_square_limit(batches - 1)


def test_the_side_to_move_gets_the_odd_cell() -> None:
    """Count in a column of three cells, which White wins with any stone."""
    board = hex_board(1, 3)
    position = Position(board)
    assert black_wins(position, 1000, Random(8)) == 0
    one_cell_left = placed(board, "a1", to_play=BLACK)
    one_cell_left.setup(board.cell("a2"), BLACK)
    assert black_wins(one_cell_left, 1000, Random(8)) == 1000
    one_cell_left.to_play = WHITE
    assert black_wins(one_cell_left, 1000, Random(8)) == 0


@pytest.mark.parametrize("board", [hex_board(1), y_board(1)], ids=str)
def test_one_cell(board: Board) -> None:
    for colour in Colour:
        position = Position(board)
        position.to_play = colour
        assert fill(position, Random(9)) == bytes([colour])
        assert black_wins(position, 50, Random(9)) == (50 if colour is BLACK else 0)


@pytest.mark.parametrize("board", [hex_board(4), hex_board(3, 6), y_board(5)], ids=str)
def test_full_board(board: Board) -> None:
    won = set()
    for seed in range(20):
        position = Position(board)
        for cell, content in enumerate(fill(position, Random(seed))):
            position.setup(cell, Colour(content))
        assert fill(position, Random(10)) == position.stones
        assert black_wins(position, 50, Random(10)) == (50 if position.winner is BLACK else 0)
        won.add(position.winner)
    assert won == set(Colour)


def test_decided_positions_stay_decided() -> None:
    board = hex_board(5)
    for colour, line in ((BLACK, "c1 c2 c3 c4 c5"), (WHITE, "a3 b3 c3 d3 e3")):
        position = Position(board)
        for name in line.split():
            position.setup(board.cell(name), colour)
        for position.to_play in Colour:
            assert black_wins(position, 500, Random(11)) == (500 if colour is BLACK else 0)


def test_no_playouts() -> None:
    source = Random(12)
    assert black_wins(Position(hex_board(5)), 0, source) == 0
    assert source.bits() == Random(12).bits()


def test_same_seed_same_result() -> None:
    position = placed(hex_board(9), "e5")

    def results(seed: int) -> list[object]:
        source = Random(seed)
        return [
            fill(position, source),
            black_wins(position, 300, source),
            fill(position, source),
            source.bits(),
        ]

    assert results(13) == results(13)
    everything = [tuple(results(seed)) for seed in range(50)]
    assert len({result[0] for result in everything}) == 50
    assert len({result[1] for result in everything}) > 10
    assert len({result[3] for result in everything}) == 50
    assert results(13)[0] != results(13)[2]


class Xoshiro:
    """xoshiro256++ with the seed spread by splitmix64, as Blackman and Vigna publish them."""

    mask = 2**64 - 1

    def __init__(self, seed: int) -> None:
        self.s = []
        for i in range(1, 5):
            z = (seed + i * 0x9E3779B97F4A7C15) & self.mask
            z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & self.mask
            z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & self.mask
            self.s.append(z ^ (z >> 31))

    def rotated(self, x: int, by: int) -> int:
        return ((x << by) | (x >> (64 - by))) & self.mask

    def bits(self) -> int:
        s = self.s
        result = (self.rotated((s[0] + s[3]) & self.mask, 23) + s[0]) & self.mask
        t = (s[1] << 17) & self.mask
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = self.rotated(s[3], 45)
        return result

    def below(self, n: int) -> int:
        while True:
            product = (self.bits() >> 32) * n
            if product % 2**32 >= 2**32 % n:
                return product >> 32


@pytest.mark.parametrize("seed", [0, 1, 12345, 2**63, 2**64 - 1, -1, -(2**70) - 3, 10**40])
def test_random_numbers_are_the_published_ones(seed: int) -> None:
    source, reference = Random(seed), Xoshiro(seed)
    assert [source.bits() for _ in range(100)] == [reference.bits() for _ in range(100)]
    for n in (1, 2, 3, 7, 121, 3969, 2**16, 2**30 + 1, 2**31 - 1):
        for _ in range(100):
            number = source.below(n)
            assert number == reference.below(n)
            assert 0 <= number < n


def test_the_reference_starts_as_published() -> None:
    """The first outputs of splitmix64 from seed 0."""
    assert Xoshiro(0).s[:3] == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]


@pytest.mark.parametrize("n", [0, -1, -(2**31)])
def test_there_is_no_random_number_below_one(n: int) -> None:
    with pytest.raises(ValueError, match=f"^n must be at least 1, not {n}$"):
        Random(14).below(n)
