"""Virtual connections hold when played out, follow the rules, and survive moves.

Every connection holds inside its carrier, and no well-known template is missed.  The rules give
exactly these connections, and after moves they are as if found from scratch.
"""

from __future__ import annotations

import random
from collections import Counter

import pytest
from connection_play import Link, holds, some_stones
from slowness import repeats
from xh_figures import FIGURES, Figure
from xh_reference import PLAIN, XhSearch

from trivalent.bot.knowledge._virtual_connections import Connections, can_connect
from trivalent.bot.knowledge.virtual_connections import LIMITS
from trivalent.core.board import BLACK, WHITE, Board, Colour
from trivalent.core.connection.win_test import winners
from trivalent.core.games import hex_board, y_board
from trivalent.tools.workshop._soundness import Referee
from trivalent.tools.workshop.soundness import check_winners

CHECKED_CARRIER = 11
"""Cells of the largest carriers that are played out."""


def links(board: Board, stones: bytes, colour: Colour) -> tuple[list[int], list[Link]]:
    connections = Connections(board)
    connections.build(stones, colour)
    return connections.points, [
        Link(full, first, last, tuple(carrier))
        for full, first, last, carrier, _ in connections.all()
    ]


@pytest.mark.parametrize(
    ("seed", "positions"), [(1, 120), pytest.param(2, 20_000, marks=pytest.mark.soak)]
)
def test_every_connection_holds(seed: int, positions: int) -> None:
    rng = random.Random(seed)
    checked = 0
    positions = repeats(positions)
    for _ in range(positions):
        board = hex_board(*rng.choice([(4, 4), (5, 5), (6, 6), (5, 7), (7, 7)]))
        stones = some_stones(rng, board)
        for colour in (BLACK, WHITE):
            points, found = links(board, stones, colour)
            small = [link for link in found if len(link.carrier) <= CHECKED_CARRIER]
            for link in rng.sample(small, min(20, len(small))):
                assert holds(board, stones, colour, points, link), (board, stones, colour, link)
                checked += 1
    assert checked > 20 * positions


def test_a_broken_connection_is_noticed() -> None:
    """Play refutes a bridge and other connections with a cell too few."""
    board = hex_board(6)
    stones = bytearray(36)
    stones[board.cell("c3")] = 1
    points, found = links(board, bytes(stones), BLACK)
    chain = points[board.cell("c3")]
    bridge = Link(True, chain, board.cell("d1"), (board.cell("c2"), board.cell("d2")))
    assert holds(board, bytes(stones), BLACK, points, bridge)
    assert not holds(
        board, bytes(stones), BLACK, points, bridge._replace(carrier=bridge.carrier[:1])
    )
    refuted = 0
    for link in found:
        if link.full and 2 <= len(link.carrier) <= 8:
            fewer = link._replace(carrier=link.carrier[1:])
            refuted += not holds(board, bytes(stones), BLACK, points, fewer)
    assert refuted > 5


def carriers(board: Board, cell: str) -> set[frozenset[str]]:
    """Return the carriers of fulls from an empty cell to Black's lower side on an empty board."""
    _, found = links(board, bytes(len(board)), BLACK)
    return {
        frozenset(board.names[c] for c in link.carrier)
        for link in found
        if link.full and {link.first, link.last} == {len(board) + 1, board.cell(cell)}
    }


def test_templates_are_found() -> None:
    board = hex_board(11)
    assert carriers(board, "f10") == {frozenset({"e11", "f11"})}
    ziggurat = frozenset(["c11", "d11", "e11", "f11", "d10", "e10", "f10", "e9"])
    assert ziggurat in carriers(board, "f9")
    assert min(map(len, carriers(board, "f8"))) == 19  # template IV-1-a
    assert not carriers(board, "f7")


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_the_first_player_connects_on_small_boards(size: int) -> None:
    connections = Connections(hex_board(size))
    for colour in (1, 2):
        connections.build(bytes(size * size), colour)
        assert connections.winner == 1


def test_large_boards_have_no_connections() -> None:
    assert can_connect(hex_board(16))
    assert not can_connect(hex_board(17))
    assert can_connect(y_board(22))
    assert not can_connect(y_board(23))
    with pytest.raises(ValueError, match="no connections on Y 23"):
        Connections(y_board(23))


@pytest.mark.parametrize("size", [3, 4, 5, 6, 7])
def test_every_connection_of_y_holds(size: int) -> None:
    """That includes connections to sides, which join nothing, and tripods to all three of them."""
    rng = random.Random(5)
    board = y_board(size)
    referee, connections = Referee(board), Connections(board)
    tripods = 0
    for _ in range(repeats(60 if size < 7 else 15, 5)):
        stones = some_stones(rng, board)
        for colour in (BLACK, WHITE):
            connections.build(stones, colour)
            _, broken = referee.check_links(connections, stones, 14)
            assert not broken, (stones, colour, broken)
            tripods += connections.winner > 0
            if size < 6:
                _, wrong = check_winners(connections, referee, stones, colour)
                assert not wrong, (stones, colour, wrong)
    assert tripods


def test_the_first_player_connects_on_small_boards_of_y() -> None:
    for size in (1, 2, 3, 4):
        connections = Connections(y_board(size))
        connections.build(bytes(len(y_board(size))), BLACK)
        assert connections.winner == 1, size


@pytest.mark.parametrize("use", LIMITS)
@pytest.mark.parametrize("board", [hex_board(7), y_board(7)], ids=str)
def test_connections_are_made_of_their_parts_by_the_rules(board: Board, use: str) -> None:
    """AND joins disjoint parts, except captured cells; semis of an OR have no cell in common."""
    rng = random.Random(6)
    connections = Connections(board, **LIMITS[use])
    captures = LIMITS[use].get("share_captured")
    rules = set()
    for _ in range(80):
        used = connections.build(some_stones(rng, board), rng.choice((BLACK, WHITE)))
        for number in range(used):
            first, last, cells, key, rule, parts = connections.link(number)
            carrier = set(cells)
            rules.add(rule)
            own = [connections.link(part) for part in parts if part >= 0]
            carriers = [set(part[2]) for part in own]
            assert all(part < number for part in parts)
            assert set().union(*carriers) <= carrier
            assert not carrier & {first, last}
            assert key == -1 or key in carrier
            if rule == "base":
                assert not parts
                assert not carrier
            elif rule == "key":
                assert not parts
                assert {first, last} == {len(board), len(board) + 1}
            elif rule == "or":
                assert key == -1
                assert all(part[3] >= 0 for part in own)
                assert {part[:2] for part in own} == {(first, last)}
                assert captures or set().union(*carriers) == carrier
                assert captures or not set.intersection(*carriers)
            elif rule != "cross" and not captures:
                assert sum(map(len, carriers)) == len(set().union(*carriers))
                assert sum(part[3] < 0 for part in own) >= len(own) - 1
                steps = parts.count(-1)
                more = len(carrier) - sum(map(len, carriers))
                assert more in ({0, 1} if steps == 0 else {1, 3, 1 + 2 * steps})
    tripods = {"tripod"} if board.game == "y" else set()
    keys = {"key"} if "key_probes" in LIMITS[use] and board.game == "hex" else set()
    assert rules | keys == {"base", "and", "or", "cross"} | tripods | keys


@pytest.mark.parametrize("use", LIMITS)
@pytest.mark.parametrize("board", [hex_board(5), hex_board(6, 5), y_board(6)], ids=str)
def test_connections_hold_whatever_the_limits(board: Board, use: str) -> None:
    rng = random.Random(7)
    referee, connections = Referee(board), Connections(board, **LIMITS[use])
    for _ in range(repeats(40, 4)):
        stones = some_stones(rng, board)
        for colour in (BLACK, WHITE):
            connections.build(stones, colour)
            _, broken = referee.check_links(connections, stones, 12)
            assert not broken, (stones, colour, broken)


def test_key_probes_find_semis_that_the_rules_miss() -> None:
    """These semis win and hold."""
    board = hex_board(5)
    rng = random.Random(10)
    referee, rules, keys = Referee(board), Connections(board), Connections(board, key_probes=4)
    before, after = Connections(board, key_probes=4), Connections(board, key_probes=4)
    found = followed = 0
    for _ in range(1500):
        cells = rng.sample(range(len(board)), rng.randrange(len(board) // 3, len(board) * 2 // 3))
        stones = bytearray(len(board))
        for number, cell in enumerate(cells):
            stones[cell] = 1 + number % 2
        for colour in (BLACK, WHITE):
            rules.build(stones, colour)
            keys.build(stones, colour)
            assert keys.winner >= rules.winner
            if rules.winner or not keys.winner:
                continue
            found += 1
            number = keys.links(len(board), len(board) + 1, False)[0]
            *_, carrier, key, rule, _ = keys.link(number)
            assert rule == "key"
            assert key in carrier
            _, wrong = check_winners(keys, referee, bytes(stones), colour)
            _, broken = referee.check_links(keys, bytes(stones), len(board))
            assert not wrong + broken, (bytes(stones), colour, wrong, broken)
            before.build(stones[: cells[0]] + b"\0" + stones[cells[0] + 1 :], colour)
            before.follow(stones, after)
            followed += after.winner > 0
    assert found > 5
    assert followed > 5


WITHOUT_LIMITS = {
    "max_fulls": 10_000, "max_semis": 64, "max_ors": 64, "max_size": 99, "max_between": 99,
    "greedy_fulls": False, "and_over_edge": True, "max_extension": 99, "crossing_rounds": 0,
}  # fmt: skip
"""Even so, two points have at most 64 semis."""


@pytest.mark.parametrize("over_edge", [False, True])
@pytest.mark.parametrize("over_chains", [False, True])
def test_connections_are_exactly_the_closure_of_the_rules(
    over_edge: bool,
    over_chains: bool,
) -> None:
    rng = random.Random(8)
    compared = 0
    while compared < 25:
        board = hex_board(*rng.choice([(4, 4), (5, 4), (3, 5), (5, 5)]))
        stones, colour = some_stones(rng, board), rng.choice((BLACK, WHITE))
        most, ors = rng.choice((4, 5)), rng.choice((2, 3, 4))
        if any(winners(board, stones)):
            continue
        limits = WITHOUT_LIMITS | {
            "max_size": most, "max_between": most, "max_ors": ors, "and_over_edge": over_edge,
            "max_extension": 99 if over_chains else -1,
        }  # fmt: skip
        connections = Connections(board, **limits)
        connections.build(stones, colour)
        found = connections.all()
        if max(Counter(link[:3] for link in found).values()) > 40:  # some may have been dropped
            continue
        plain = XhSearch(
            board, stones, colour,
            PLAIN._replace(
                and_over_edge=over_edge, over_chains=over_chains, max_cells=most, max_semis=ors
            ),
        )  # fmt: skip
        expected = {
            (full, frozenset(pair), carrier)
            for full, pairs in ((True, plain.fulls), (False, plain.semis))
            for pair, carriers in pairs.items()
            for carrier in carriers
            # Neighbours have only their step.
            if max(pair) >= len(board) or pair[1] not in board.neighbours[pair[0]]
        }
        assert expected == {
            (full, frozenset((first, last)), sum(1 << cell for cell in carrier))
            for full, first, last, carrier, _ in found
        }
        compared += 1


def named(
    connections: Connections, board: Board
) -> set[tuple[bool, frozenset[int], tuple[int, ...]]]:
    """Return the connections, with chains named by their first stones."""
    points, sides = connections.points, len(board) + len(board.goals[0])

    def name(point: int) -> int:
        return len(board) + points.index(point) if point >= sides else -point

    return {
        (full, frozenset((name(first), name(last))), tuple(carrier))
        for full, first, last, carrier, _ in connections.all()
    }


@pytest.mark.parametrize("crossings", [0, 9])
@pytest.mark.parametrize("board", [hex_board(4), hex_board(5), y_board(5)], ids=str)
def test_following_moves_finds_what_a_search_from_scratch_does(
    board: Board, crossings: int
) -> None:
    """After moves of both sides, several at once, and after moves that are taken back."""
    rng = random.Random(9)
    limits = WITHOUT_LIMITS | {"max_size": 5, "max_between": 5, "crossing_rounds": crossings}
    followed = 0
    for _ in range(12):
        colour = rng.choice((BLACK, WHITE))
        stones = bytearray(len(board))
        now = Connections(board, **limits)
        now.build(stones, colour)
        while stones.count(0) > 4:
            for _ in range(2):  # the first of the two is taken back
                before = now.all()
                after = bytearray(stones)
                empty = [cell for cell, stone in enumerate(stones) if not stone]
                for cell in rng.sample(empty, rng.choice((1, 1, 2, 3))):
                    after[cell] = rng.choice((BLACK, WHITE))
                then, anew = Connections(board, **limits), Connections(board, **limits)
                now.follow(after, then)
                anew.build(after, colour)
                lists = Counter(link[:3] for link in [*before, *anew.all()])
                if not any(winners(board, bytes(after))) and max(lists.values()) < 64:
                    assert named(then, board) == named(anew, board)
                    followed += 1
                assert now.all() == before
            now, stones = anew, after
    assert followed > 100


def test_only_other_connections_on_the_same_board_can_follow() -> None:
    connections = Connections(hex_board(4))
    for other in (connections, Connections(hex_board(5)), Connections(hex_board(2, 8))):
        with pytest.raises(ValueError, match="connections on the same board"):
            connections.follow(bytes(16), other)


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_figures_of_the_paper(figure: Figure) -> None:
    """Each figure is found by the rule that it illustrates, and not without it."""
    found = []
    for more in ({}, {"crossing_rounds": 9}, {"crossing_rounds": 9, "share_captured": True}):
        connections = Connections(figure.board, **WITHOUT_LIMITS | {"max_ors": 8} | more)
        connections.build(figure.stones, BLACK)
        points = [*connections.points, len(figure.board) + 1]
        first, last = (
            points[-1 if name == "south" else figure.board.cell(name)] for name in figure.ends
        )
        found.append(
            any(
                not sum(1 << cell for cell in connections.link(number)[2]) & ~figure.cells("*k#")
                for full in {True, figure.full}
                for number in connections.links(first, last, full)
            )
        )
    assert found == [False, figure.rule == "crossing", True]


def test_stones_that_do_not_fit_are_refused() -> None:
    connections, other = Connections(hex_board(4)), Connections(hex_board(4))
    for stones, colour in (
        (bytes(15), 1),
        (bytes(17), 1),
        (b"", 2),
        (bytes(16), 0),
        (bytes(16), 3),
    ):
        with pytest.raises(ValueError, match="for a board of 16 cells"):
            connections.build(stones, colour)
    with pytest.raises(ValueError, match="15 stones for a board of 16 cells"):
        connections.follow(bytes(15), other)


def test_removed_stones_start_a_search_from_scratch() -> None:
    board = y_board(3)
    before, after, anew = Connections(board), Connections(board), Connections(board)
    before.build(bytes([1, 1, 0, 0, 2, 0]), BLACK)
    stones = bytes([0, 2, 1, 0, 2, 0])
    before.follow(stones, after)
    anew.build(stones, BLACK)
    assert after.all() == anew.all()


def test_unknown_connections_are_refused() -> None:
    connections = Connections(hex_board(4))
    with pytest.raises(ValueError, match="no connection 0"):
        connections.link(0)
    connections.build(bytes(16), BLACK)
    for first, last in ((25, 2), (2, 2), (-1, 2), (2, 18)):
        with pytest.raises(ValueError, match="are not two points"):
            connections.links(first, last, True)
