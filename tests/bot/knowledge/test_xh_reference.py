"""The reference H-search and XH-search find connections that hold, and all that the rules give."""

from __future__ import annotations

import random
from itertools import combinations

import pytest
from slowness import repeats
from xh_figures import FIGURES, Figure
from xh_reference import PLAIN, Graph, Play, Rules, XhSearch, cells_of

from trivalent.core.board import BLACK, WHITE, Board, Colour
from trivalent.core.games import hex_board


def point(graph: Graph, board: Board, name: str) -> int:
    return graph.cells + 1 if name == "south" else graph.point[board.cell(name)]


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_figures(figure: Figure) -> None:
    """Each figure holds, has no cell too many, and needs the rule that it names.

    All semis that H-search finds for a full share one cell; XH-search has a semi without it.
    """
    board, stones = figure.board, figure.stones
    carrier, keys = figure.cells("*k#"), figure.cells("k")
    graph = Graph(board, stones, BLACK)
    a, b = (point(graph, board, name) for name in figure.ends)
    pair = min(a, b), max(a, b)
    play = Play(graph, a, b)
    assert play.holds(carrier, full=figure.full)
    assert not figure.full or play.holds(carrier, full=False)
    assert play.keys(carrier) & keys == keys
    if (
        carrier.bit_count() < 14
    ):  # larger carriers are minimal, too, but checking them takes seconds
        assert not any(play.holds(carrier & ~(1 << c), full=figure.full) for c in cells_of(carrier))
    plain = XhSearch(board, stones, BLACK, PLAIN)
    crossing = XhSearch(board, stones, BLACK, Rules(strong=False))
    strong = XhSearch(board, stones, BLACK)
    found = [search.has(a, b, carrier, full=figure.full) for search in (plain, crossing, strong)]
    assert found == [False, figure.rule == "crossing", True]
    if figure.full:
        common = carrier
        for semi in plain.semis[pair]:
            common &= semi
        assert common == figure.cells("#")
        new = [semi for semi in strong.semis[pair] if not semi & common]
        assert new
        assert all(play.keys(semi) & strong.semis[pair][semi].keys for semi in new)
    else:
        assert strong.semis[pair][carrier].keys == keys


@pytest.mark.parametrize(
    "rows",
    [
        ["OOOOOO", "OOX*OO", "O***OO", "****OO"],
        ["OOOOOOO", "OOOOX*O", "OO*****", "O******", "*******"],
        ["OOOOOOOO", "OOOO*X*O", "OO******", "O***O***", "********"],
    ],
    ids=["III-1-a", "IV-1-a", "IV-1-b"],
)
def test_templates_that_need_no_crossing(rows: list[str]) -> None:
    figure = Figure("", "", ("", ""), "\n".join(rows))
    search = XhSearch(figure.board, figure.stones, BLACK, PLAIN)
    stone = search.graph.point[figure.stones.index(1)]
    carrier = figure.cells("*")
    assert search.has(stone, search.cells + 1, carrier, full=True)
    for cell in cells_of(carrier):
        assert not search.has(stone, search.cells + 1, carrier & ~(1 << cell), full=True)


def some_stones(rng: random.Random, board: Board, empty: int) -> bytes:
    """Return stones around a connected empty region at the lower side."""
    stones = bytearray(rng.choices((1, 2), (0.6, 0.4), k=len(board)))
    region = [rng.choice(board.sides[board.goal(BLACK)[1]].cells)]
    while len(region) < empty:
        region.append(rng.choice(board.neighbours[rng.choice(region)]))
        region = list(dict.fromkeys(region))
    for cell in region:
        stones[cell] = 0
    return bytes(stones)


@pytest.mark.parametrize(
    ("seed", "positions"), [(1, 40), pytest.param(2, 5_000, marks=pytest.mark.soak)]
)
def test_every_connection_holds(seed: int, positions: int) -> None:
    """So does every key of a semi.  All connections by the crossing rule are played out."""
    rng = random.Random(seed)
    crossings = 0
    for _ in range(repeats(positions, 5)):
        board = hex_board(*rng.choice([(4, 4), (5, 4), (6, 4), (5, 5)]))
        stones = some_stones(rng, board, rng.randint(7, 13))
        colour = rng.choice((BLACK, BLACK, BLACK, WHITE))
        plain = XhSearch(board, stones, colour, PLAIN)
        search = XhSearch(board, stones, colour, Rules(over_chains=rng.random() < 0.5))
        for full, lists in ((True, search.fulls), (False, search.semis)):
            for pair, carriers in lists.items():
                for carrier, known in carriers.items():
                    assert not any(carrier >> end & 1 for end in pair)
                    new = not plain.has(*pair, carrier, full=full)
                    crossings += new
                    if new or rng.random() < 0.05:
                        play = Play(search.graph, *pair)
                        assert play.holds(carrier, full=full), (
                            board,
                            stones,
                            colour,
                            pair,
                            carrier,
                        )
                        keys = 0 if isinstance(known, int) else known.keys
                        assert play.keys(carrier) & keys == keys
    assert crossings


def test_play_refutes_what_does_not_hold() -> None:
    """For example a bridge of one cell, or a template that lacks a cell."""
    board = hex_board(5)
    stones = bytearray(25)
    stones[board.cell("c3")] = 1
    graph = Graph(board, bytes(stones), BLACK)
    stone = graph.point[board.cell("c3")]
    bridge = [1 << board.cell(name) for name in ("c2", "d2")]
    play = Play(graph, stone, board.cell("d1"))
    assert play.holds(sum(bridge), full=True)
    assert play.holds(bridge[0], full=False)
    assert not play.holds(bridge[0], full=True)
    template = sum(1 << board.cell(name) for name in ("b4", "c4", "d4", "a5", "b5", "c5", "d5"))
    play = Play(graph, stone, 26)
    assert not play.holds(template, full=True)
    assert play.holds(template | 1 << board.cell("d3"), full=True)


def test_captured_cells_are_part_of_a_carrier() -> None:
    """Two semis overlap in one cell of an edge bridge; without its other cell nothing holds."""
    rows = ["XXOXOO", "OOX.*X", "OXX*.*", "****.*"]
    figure = Figure("", "", ("", ""), "\n".join(rows))
    search = XhSearch(figure.board, figure.stones, BLACK)
    ends = search.cells + 1, search.cells + 2
    assert not search.has(*ends, figure.cells("*"), full=False)
    assert not Play(search.graph, *ends).holds(figure.cells("*"), full=False)


@pytest.mark.parametrize("size", [2, 3, 4])
@pytest.mark.parametrize("colour", [BLACK, WHITE])
def test_the_first_player_connects_on_small_boards(size: int, colour: Colour) -> None:
    search = XhSearch(hex_board(size), bytes(size * size), colour)
    assert search.has(search.cells, search.cells + 1, (1 << size * size) - 1, full=False)
    assert not search.has(search.cells, search.cells + 1, (1 << size * size) - 1, full=True)


def test_no_rule_gives_anything_new() -> None:
    """No carrier contains another, and no rule of H-search adds anything to the result."""
    rng = random.Random(3)
    for _ in range(12):
        board = hex_board(4, 4)
        search = XhSearch(board, some_stones(rng, board, rng.randint(5, 9)), BLACK, PLAIN)
        for pair, semis in search.semis.items():
            both = [*search.fulls[pair], *semis]
            assert len(both) == len(set(both))
            assert not any(a & b == a for a, b in combinations(search.fulls[pair], 2))
            assert not any(a & b in (a, b) for a, b in combinations(semis, 2))
            assert not any(a & b == a for a in search.fulls[pair] for b in semis)
            for count in range(2, min(len(semis), 8) + 1):
                for some in combinations(list(semis)[:8], count):
                    common, union = some[0], 0
                    for semi in some:
                        common &= semi
                        union |= semi
                    assert common or search.has(*pair, union, full=True)
        links = [(*pair, carrier) for pair, fulls in search.fulls.items() for carrier in fulls]
        links += [(b, a, carrier) for a, b, carrier in links]
        for mid, a, first in links:
            for other, b, second in links:
                if other != mid or a >= b or first & second or first >> b & 1 or second >> a & 1:
                    continue
                if mid < search.cells:
                    assert search.has(a, b, first | second | 1 << mid, full=False)
                else:
                    assert search.has(a, b, first | second, full=True)


def test_limits_leave_out_what_they_say() -> None:
    """A limit of cells leaves out exactly the larger carriers; one of semis, some fulls."""
    board = hex_board(5, 4)
    stones = bytes(20)
    search = XhSearch(board, stones, BLACK)
    small = XhSearch(board, stones, BLACK, Rules(max_cells=9))
    for whole, part in ((search.fulls, small.fulls), (search.semis, small.semis)):
        for pair, carriers in whole.items():
            few = {carrier for carrier in carriers if carrier.bit_count() <= 9}
            assert few == set(part.get(pair, {}))
    two = XhSearch(board, stones, BLACK, Rules(max_semis=2))
    fulls = [(pair, carrier) for pair, some in two.fulls.items() for carrier in some]
    assert all(search.has(*pair, carrier, full=True) for pair, carrier in fulls)
    no_sides = XhSearch(board, stones, BLACK, Rules(and_over_edge=False))
    assert sum(map(len, no_sides.fulls.values())) < sum(map(len, search.fulls.values()))
