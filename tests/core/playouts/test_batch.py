"""Fills in turn agree exactly with a plain program, cell by cell and playout by playout.

The plain program draws from the same streams of random numbers and follows the rule directly: a
stone that enters a bridge is answered on the bridge's other cell.
"""

from __future__ import annotations

import random
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import pytest

from trivalent.core._random import Random
from trivalent.core.board import BLACK, EMPTY, WHITE, Board, Colour
from trivalent.core.connection._sliced import slices
from trivalent.core.connection.edge_templates import TemplateReply, template_replies
from trivalent.core.framing import framing_of
from trivalent.core.games import hex_board, y_board
from trivalent.core.playouts import _batch
from trivalent.core.playouts.playout import PlayoutStatistics, statistics
from trivalent.core.position import Kind, Position

if TYPE_CHECKING:
    from collections.abc import Callable

BLOCK = 512
MASK = 2**64 - 1


class Reply(NamedTuple):
    """Where to answer when the opponent has entered a bridge."""

    partner: int
    ends: tuple[int, ...]
    side_of: tuple[Colour, ...]
    """The colours that can have this bridge: both of them if both ends are cells."""


def replies_of(board: Board) -> list[list[Reply]]:
    """Return for each cell the bridges that it may be in, in the order in which they're tried."""
    replies: list[list[Reply]] = [[] for _ in range(len(board))]
    for p in range(len(board)):
        for q in board.neighbours[p]:
            ends = tuple(set(board.neighbours[p]) & set(board.neighbours[q]))
            if q < p or not ends:
                continue
            shared = {n for n, side in enumerate(board.sides) if {p, q} <= set(side.cells)}
            of = tuple(c for c in Colour if len(ends) == 2 or shared & set(board.goal(c)))
            if of:
                replies[p].append(Reply(q, ends, of))
                replies[q].append(Reply(p, ends, of))
    return replies


def answer(stones: list[int], replies: list[Reply], cell: int, start: int) -> bool:
    """Answer the stone on a cell in the first bridge that it has entered, from a place on.

    Return whether there was one.
    """
    colour = Colour(stones[cell])
    for i in range(len(replies)):
        reply = replies[(start + i) % len(replies)]
        if (
            stones[reply.partner] == EMPTY
            and colour.opponent in reply.side_of
            and all(stones[end] == colour.opponent for end in reply.ends)
        ):
            stones[reply.partner] = colour.opponent
            return True
    return False


EdgeCarrier = tuple[frozenset[int], frozenset[int], int, int, int]


@lru_cache(maxsize=4)
def edge_carriers(board: Board) -> dict[int, list[EdgeCarrier]]:
    """Return the 4-3-2 templates along the sides by their stone, as the rules have them.

    Each has the cells of both ways to the side, the first cell of each, and the side's number.  A
    way is a cell of the second row and its two neighbours along the side; for the way that starts
    with a bridge, also the cells of the bridge.
    """
    found: dict[int, list[EdgeCarrier]] = {}
    for number, side in enumerate(board.sides):
        first = set(side.cells)
        second = {c for cell in first for c in board.neighbours[cell]} - first
        third = {c for cell in second for c in board.neighbours[cell]} - first - second
        feet = {c: first & set(board.neighbours[c]) for c in second}
        straight = {c for c in second if len(feet[c]) == 2}
        for stone in third:
            below = straight & set(board.neighbours[stone])
            for a in below:
                for b in straight - below:
                    bridge = set(board.neighbours[stone]) & set(board.neighbours[b])
                    if len(bridge) == 2 and len(bridge & third) == 1 and not feet[a] & feet[b]:
                        near, far = frozenset({a} | feet[a]), frozenset({b} | feet[b] | bridge)
                        if not near & far:
                            found.setdefault(stone, []).append((near, far, a, b, number))
    return found


def answer_at_edge(
    board: Board, stones: list[int], cell: int, start: int, order: list[TemplateReply]
) -> None:
    """Answer the stone on a cell in the first edge template that it has entered."""
    colour = Colour(stones[cell])
    carriers = edge_carriers(board)
    replies = [reply for reply in order if reply.intrusion == cell]
    for i in range(len(replies)):
        reply = replies[(start + i) % len(replies)]
        if stones[reply.stone] != colour.opponent:
            continue
        for near, far, a, b, side in carriers.get(reply.stone, ()):
            ways = ((near, b), (far, a))
            if (
                any(cell in way and reply.reply == first for way, first in ways)
                and side in board.goal(colour.opponent)
                and all(stones[c] == EMPTY for c in (near | far) - {cell})
                and {cell, reply.reply, *reply.others} == near | far
            ):
                stones[reply.reply] = colour.opponent
                return


def toss(words: list[Random], weight: int | None, odd: bool, before: list[list[int]]) -> list[int]:
    """Return for each board whether its stone is black; keep the random digits in `before`."""
    if not odd:
        before[:] = [[word.bits() for word in words] for _ in range(1 if weight is None else 4)]
    digits = [[bits ^ (MASK * odd) for bits in digit] for digit in before]
    if weight is None:
        return [digits[0][number // 64] >> number % 64 & 1 for number in range(BLOCK)]
    numbers = [
        sum((digits[b][number // 64] >> number % 64 & 1) << b for b in range(4))
        for number in range(BLOCK)
    ]
    return [int(15 - number < weight) for number in numbers]


def fill_plainly(
    position: Position,
    seed: int,
    count: int,
    weights: bytes | None = None,
    *,
    templates: bool = False,
) -> list[list[int]]:
    """Return the full boards of the first playouts."""
    board = position.board
    replies = replies_of(board)
    edge_replies = template_replies(board) if templates else []

    def respond(stones: list[int], cell: int, start: int) -> None:
        if not answer(stones, replies[cell], cell, start) and templates:
            answer_at_edge(board, stones, cell, start, edge_replies)

    key = Random(seed).bits()
    full: list[list[int]] = []
    for block in range((count + BLOCK - 1) // BLOCK):
        words = [Random(key ^ (8 * block + word)) for word in range(8)]
        shuffler = Random(~key ^ block)
        order = position.empty_cells
        for i in range(len(order)):
            j = i + shuffler.below(len(order) - i)
            order[i], order[j] = order[j], order[i]
        boards = [list(position.stones) for _ in range(BLOCK)]
        last = position.last_move
        if last and last.kind is Kind.PLAY and last.cell is not None and order:
            column, row = framing_of(board).places[order[0]]
            for stones in boards:
                respond(stones, last.cell, column * framing_of(board).rows + row)
        digits: list[list[int]] = []
        for i, cell in enumerate(order):
            black = toss(words, weights[cell] if weights else None, i % 2 == 1, digits)
            for number, stones in enumerate(boards):
                if stones[cell] == EMPTY:
                    stones[cell] = BLACK if black[number] else WHITE
                    respond(stones, cell, i)
        full += boards
    return full[:count]


def count_plainly(
    position: Position, full: list[list[int]], winner: Callable[[Board, bytes], int]
) -> PlayoutStatistics:
    won = [winner(position.board, bytes(stones)) == BLACK for stones in full]
    cells = position.empty_cells
    owned = [[stones[cell] == BLACK for stones in full] for cell in cells]
    return PlayoutStatistics(
        len(full),
        sum(won),
        tuple(cells),
        tuple(map(sum, owned)),
        tuple(sum(o and w for o, w in zip(of_cell, won, strict=True)) for of_cell in owned),
    )


def in_play(board: Board, stones: int, seed: int) -> Position:
    """Return a position after random moves, a few of them next to the move before."""
    source = random.Random(seed)
    position = Position(board)
    for _ in range(stones):
        cells = position.empty_cells
        last = position.last_move
        if last and last.cell is not None and source.random() < 0.5:
            near = [cell for cell in board.neighbours[last.cell] if cell in cells]
            cells = near or cells
        position.play(position.to_play, source.choice(cells))
    return position


BOARDS = [
    hex_board(1), hex_board(2), hex_board(3), hex_board(5), hex_board(8), hex_board(3, 6),
    hex_board(7, 2), hex_board(1, 5), hex_board(5, 1),
    y_board(1), y_board(2), y_board(3), y_board(6), y_board(9),
]  # fmt: skip


@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_every_playout_is_that_of_plain_filling(
    board: Board, flood_fill: Callable[[Board, bytes], int]
) -> None:
    for seed in range(8):
        position = in_play(board, len(board) * seed // 8, seed)
        full = fill_plainly(position, seed, BLOCK + 100)
        for count in (1, 100, BLOCK + 100):
            expected = count_plainly(position, full[:count], flood_fill)
            assert statistics(position, count, seed, fill="in-turn") == expected


@pytest.mark.parametrize("board", [hex_board(3), hex_board(6), y_board(7)], ids=str)
def test_every_playout_with_templates_is_that_of_plain_filling(
    board: Board, flood_fill: Callable[[Board, bytes], int]
) -> None:
    answered = 0
    for seed in range(5):
        position = in_play(board, len(board) * seed // 8, seed)
        full = fill_plainly(position, seed, 70, templates=True)
        expected = count_plainly(position, full, flood_fill)
        assert statistics(position, 70, seed, fill="in-turn", templates=True) == expected
        answered += full != fill_plainly(position, seed, 70)
    assert answered or not template_replies(board)


@pytest.mark.parametrize("board", [hex_board(1), hex_board(6), y_board(5)], ids=str)
def test_every_weighted_playout_is_that_of_plain_filling(
    board: Board, flood_fill: Callable[[Board, bytes], int]
) -> None:
    for seed in range(4):
        position = in_play(board, len(board) * seed // 5, seed)
        weights = bytes(random.Random(seed).choices(range(17), k=len(board)))
        full = fill_plainly(position, seed, BLOCK + 100, weights)
        expected = count_plainly(position, full, flood_fill)
        found = statistics(position, BLOCK + 100, seed, fill="in-turn", weights=weights)
        assert found == expected


def test_weights_are_chances_in_sixteenths() -> None:
    """On a board in one row no stone is answered."""
    position = Position(hex_board(17, 1))
    found = statistics(position, 40_000, 3, fill="in-turn", weights=bytes(range(17)))
    for weight, share in enumerate(found.ownership):
        assert share == pytest.approx(weight / 16, abs=0.01)
    assert found.ownership[0] == 0
    assert found.ownership[16] == 1


def test_equal_weights_alternate_the_colours() -> None:
    position = Position(hex_board(18, 1))
    for count in (1, 2, 700):
        found = statistics(position, count, 5, fill="in-turn", weights=bytes([8] * 18))
        assert sum(found.black_owned) == 9 * count


@pytest.mark.parametrize("weights", [b"", bytes(8), bytes([17] * 9)])
def test_weights_that_do_not_fit_are_refused(weights: bytes) -> None:
    with pytest.raises(ValueError, match="0 to 16 for each cell"):
        statistics(Position(hex_board(3)), 1, 1, fill="in-turn", weights=weights)
    with pytest.raises(ValueError, match="weights are for the fill in turn"):
        statistics(Position(hex_board(3)), 1, 1, weights=bytes(9))


def test_rules_are_followed_where_they_matter() -> None:
    """The comparison above covers bridges of all kinds, entered and answered."""
    position = in_play(hex_board(8), 24, 3)
    replies = replies_of(position.board)
    saved = {True: 0, False: 0}
    for stones in fill_plainly(position, 1, 50):
        for cell, around in enumerate(replies):
            for reply in around:
                for colour in reply.side_of:
                    if all(stones[end] == colour for end in reply.ends):
                        pair = {stones[cell], stones[reply.partner]}
                        saved[len(reply.ends) == 1] += pair == {BLACK, WHITE}
    assert min(saved.values()) > 50


@pytest.mark.parametrize("words", [1, 2, 3, 4, 7, 8])
@pytest.mark.parametrize("options", [(1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 256), (0, 1, 1, 77)])
def test_fewer_words_play_the_first_playouts(
    words: int, options: tuple[bool, bool, bool, int]
) -> None:
    for position in (in_play(hex_board(6), 8, 1), in_play(y_board(7), 4, 2)):
        board, stones = slices(position.board), position.stones
        last = position.last_move
        assert last is not None
        assert last.cell is not None
        for count in (0, 1, 63, 64 * words - 1, 64 * words):
            arguments = (board, stones, position.to_play, last.cell, count, 5, *options)
            assert _batch.statistics(*arguments, words) == _batch.statistics(*arguments)


def connected(board: Board, names: str) -> Position:
    """Return a position with black stones and White to move."""
    position = Position(board)
    for name in names.split():
        position.setup(board.cell(name), BLACK)
    position.to_play = WHITE
    return position


@pytest.mark.parametrize(
    ("board", "names", "carrier"),
    [
        (hex_board(6), "d2 c4 c5", "d1 e1 c3 d3 b6 c6"),
        (hex_board(2), "b1", "a2 b2"),
        (y_board(3), "b2", "a1 a2 b3 c3"),
    ],
)
def test_a_win_by_bridges_is_certain(board: Board, names: str, carrier: str) -> None:
    """White owns all cells outside the bridges."""
    position = connected(board, names)
    for name in set(board.names) - set(names.split()) - set(carrier.split()):
        position.setup(board.cell(name), WHITE)
    assert statistics(position, 5000, 1, fill="in-turn").black_wins == 5000
    assert statistics(position, 5000, 1).black_wins < 5000
    # White enters a bridge: it has just happened, so it is answered.
    for cell in position.empty_cells:
        position.play(WHITE, cell)
        assert statistics(position, 700, 2, fill="in-turn").black_wins == 700
        position.undo()


def test_only_a_stone_just_played_is_answered() -> None:
    board = hex_board(2)
    position = connected(board, "b1")
    position.play(WHITE, board.cell("a2"))
    assert statistics(position, 600, 3, fill="in-turn").black_owned[1] == 600
    position.undo()
    position.setup(board.cell("a2"), WHITE)
    assert 0 < statistics(position, 600, 3, fill="in-turn").black_owned[1] < 600


def test_a_stone_gets_one_answer() -> None:
    """White enters two of Black's bridges at once; one of them is saved, each equally often."""
    board = hex_board(5)
    position = connected(board, "c2 d2 b4 d3")
    position.play(WHITE, board.cell("c3"))
    entered = [
        reply.partner
        for reply in replies_of(board)[board.cell("c3")]
        if all(position.stone(end) == BLACK for end in reply.ends)
        and position.stone(reply.partner) is None
    ]
    assert len(entered) >= 2
    found = [fill_plainly(position, seed, 1)[0] for seed in range(30)]
    assert all(any(stones[cell] == BLACK for cell in entered) for stones in found)


@pytest.mark.parametrize("board", [hex_board(7), y_board(8)], ids=str)
def test_neither_colour_is_favoured(board: Board) -> None:
    """Over many orders Black wins half of the playouts, and no cell is owned more by one colour.

    That is, not more than its mirror image is White's.
    """
    mirror = board.swap_map
    assert mirror is not None
    blocks = [statistics(Position(board), BLOCK, seed, fill="in-turn") for seed in range(400)]
    for shares in (
        [s.black_wins / BLOCK for s in blocks],
        *(
            [(s.black_owned[cell] + s.black_owned[image]) / BLOCK / 2 for s in blocks]
            for cell, image in enumerate(mirror)
        ),
    ):
        mean = sum(shares) / len(shares)
        variance = sum((share - mean) ** 2 for share in shares) / (len(shares) - 1)
        assert abs(mean - 0.5) < 5.5 * (variance / len(shares)) ** 0.5


def test_streams_continue() -> None:
    position = in_play(hex_board(9), 20, 1)
    counts = [0, 1, 63, 512, 513, 2000]
    found = [statistics(position, count, 4, fill="in-turn") for count in counts]
    for short, long in pairwise(found):
        assert 0 <= long.black_wins - short.black_wins <= long.playouts - short.playouts
    assert statistics(position, 2000, 5, fill="in-turn") != found[-1]


def test_the_value_of_a_cell_to_its_owner(flood_fill: Callable[[Board, bytes], int]) -> None:
    position = in_play(hex_board(4), 5, 9)
    full = fill_plainly(position, 2, 300)
    found = statistics(position, 300, 2, fill="in-turn")
    for colour in Colour:
        for cell, value in zip(found.cells, found.wins_of_owners(colour), strict=True):
            owners = [stones for stones in full if stones[cell] == colour]
            won = sum(flood_fill(position.board, bytes(stones)) == colour for stones in owners)
            assert value == won / len(owners)
    for black, white, pivotality in zip(
        found.wins_of_owners(BLACK), found.wins_of_owners(WHITE), found.pivotality, strict=True
    ):
        assert pivotality == pytest.approx(black + white - 1)


def test_a_cell_never_owned_has_the_value_of_the_position() -> None:
    assert PlayoutStatistics(4, 3, (7,), (0,), (0,)).wins_of_owners(BLACK) == (0.75,)
    assert PlayoutStatistics(4, 3, (7,), (4,), (3,)).wins_of_owners(WHITE) == (0.25,)
    assert PlayoutStatistics(0, 0, (7,), (0,), (0,)).wins_of_owners(BLACK) == (0.5,)
    only = statistics(Position(hex_board(1)), 1000, 1)
    assert only.pivotality == (1.0,)
