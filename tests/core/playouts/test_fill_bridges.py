"""Batches of playouts: bridges of the position, repaired bridges, and symmetry."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import permutations
from math import sqrt
from typing import TYPE_CHECKING, Literal

import numpy as np
import pytest
from fillings import (
    BALANCED,
    BATCH,
    BRIDGES,
    EVERY_OPTION,
    FILLS,
    Options,
    Rhombus,
    boards_of,
    bridges_of,
    check_distribution,
    check_pairs,
    check_share,
    clearing,
    count_boards,
    expected_boards,
    independent,
    lost,
    name_of,
    normal_limit,
    opposite_pairs,
    placed,
    play,
    playouts,
    repairable,
    repairs,
    scattered,
)
from slowness import repeats

from trivalent.core.board import BLACK, WHITE, Board, Colour
from trivalent.core.games import hex_board, y_board
from trivalent.core.position import Position

if TYPE_CHECKING:
    from collections.abc import Sequence


# Bridges


def test_a_bridge_gets_a_stone_of_each_colour() -> None:
    """Bridges of both colours, inside and at the sides; the cells around them stay independent."""
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
def test_all_bridges_except_overlapping_ones(
    board: Board, fill: Literal["coins", "balanced"]
) -> None:
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
    """Three black stones, each a bridge away from the other two; all three bridges need c3."""
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
    count = 2 * BATCH
    wins = [play(position, count, seed, Options(repair=repair)).black_wins for seed in range(100)]
    expected = share + effect * round(256 * repair) / 256
    if expected in (0, 1):
        assert set(wins) == {count * expected}
    else:
        check_share(wins, count, expected)


def clearings(board: Board, empties: int, rhombi: range, count: int) -> list[Position]:
    """Return ``count`` positions in which a number of bridges in ``rhombi`` can arise."""
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
    """All options together, by enumerating the orders of repair and their outcomes.

    The playouts themselves tell which of two overlapping bridges counts.
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
    """Many first batches, each with an order of its own, would reveal a biased shuffle."""
    blocks = repeats(30_000)
    expected = expected_boards(position, options, [])
    owned = np.array([play(position, BATCH, seed, options).black_owned for seed in range(blocks)])
    for column, cell in enumerate(position.empty_cells):
        share = sum(p for stones, p in expected.items() if stones[cell] == BLACK)
        check_share(owned[:, column].tolist(), BATCH, float(share), owned.shape[1])


def explained(before: bytes, after: bytes, order: Sequence[Rhombus]) -> bool:
    """Return whether repairing every lost bridge can turn one board into the other."""
    return after in repairs({before: Fraction(1)}, order, Fraction(1))


@pytest.mark.parametrize("position", CLEARINGS, ids=name_of)
@pytest.mark.parametrize("fill", FILLS)
def test_one_order_of_repairs_explains_a_batch(
    position: Position, fill: Literal["coins", "balanced"]
) -> None:
    """With probability 1 no bridge stays lost, unless a later repair breaks it again.

    The filling is the same as without repair.
    """
    cells = len(position.board)
    for seed in range(3):
        plain, _ = playouts(position, range(BATCH), seed, Options(fill))
        mended, _ = playouts(position, range(BATCH), seed, Options(fill, repair=1.0))
        data = [boards_of(position, owned) for owned in (plain, mended)]
        steps = {
            (data[0][i : i + cells], data[1][i : i + cells])
            for i in range(0, BATCH * cells, cells)
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
    """There are also fewer of them than without repair."""
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
    count = 3 * BATCH
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
    """Balance, repair and reduction favour no direction."""
    position = scattered(board, len(board) // 2, 32)
    count, options = 2 * BATCH, Options("balanced", repair=0.7)
    plain = [play(position, count, seed, options).black_wins for seed in range(200)]
    for symmetry in board.symmetries[1:]:
        turned = Position(board)
        turned.to_play = position.to_play
        for cell, content in enumerate(position.stones):
            if content:
                turned.setup(symmetry.cells[cell], Colour(content))
        wins = [play(turned, count, 500 + seed, options).black_wins for seed in range(200)]
        check_share([a - b for a, b in zip(plain, wins, strict=True)], count, 0)
