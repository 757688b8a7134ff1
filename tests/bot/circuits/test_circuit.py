"""Positions as circuits: against the rules of the board, and up to symmetry."""

from __future__ import annotations

import itertools
import math
import random
from typing import TYPE_CHECKING

import pytest

from trivalent.bot.circuits._circuit import solve_network
from trivalent.bot.circuits.charges import potentials, saddle_points
from trivalent.bot.circuits.circuit_parameters import CircuitParameters
from trivalent.bot.circuits.evaluation import (
    UNREACHABLE,
    circuit,
    evaluate,
    two_distance_score,
    two_distances,
)
from trivalent.bot.circuits.views import view
from trivalent.bot.knowledge._virtual_connections import Connections
from trivalent.bot.knowledge.virtual_connections import LIMITS
from trivalent.core.board import BLACK, WHITE, Board, Colour, Symmetry
from trivalent.core.games import hex_board, make_board, y_board
from trivalent.core.position import Position

if TYPE_CHECKING:
    from collections.abc import Iterator

PLAIN = CircuitParameters(connections="none", bridges=False, fill_in=False)
BOARDS = [hex_board(2), hex_board(5), hex_board(4, 6), hex_board(9), y_board(3), y_board(7)]


def random_positions(board: Board, count: int, seed: int = 1) -> Iterator[Position]:
    source = random.Random(seed)
    for _ in range(count):
        position = Position(board)
        cells = source.sample(range(len(board)), source.randrange(len(board) // 2 + 1))
        for cell in cells:
            position.setup(cell, source.choice(list(Colour)))
        position.to_play = source.choice(list(Colour))
        if position.winner is None:
            yield position


def image(position: Position, symmetry: Symmetry) -> Position:
    found = Position(position.board)
    for cell, stone in enumerate(position.stones):
        if stone:
            colour = Colour(stone)
            found.setup(symmetry.cells[cell], colour.opponent if symmetry.swaps_colours else colour)
    to_play = position.to_play
    found.to_play = to_play.opponent if symmetry.swaps_colours else to_play
    return found


def plain_points(position: Position, colour: Colour) -> dict[int, int]:
    """Return the point of each cell that the opponent doesn't hold: sides first, as in networks."""
    board, stones = position.board, position.stones
    goal = board.goal(colour)
    point: dict[int, int] = {}
    for cell, stone in enumerate(stones):
        if cell in point or stone == colour.opponent:
            continue
        chain, todo = {cell}, [cell]
        while stone and todo:
            for other in board.neighbours[todo.pop()]:
                if stones[other] == colour and other not in chain:
                    chain.add(other)
                    todo.append(other)
        touched = [i for i, side in enumerate(goal) if chain & set(board.sides[side].cells)]
        is_part_of_side = stone and touched and len(goal) == 2
        new = len(goal) + len(set(point.values()) - set(range(len(goal))))
        point |= dict.fromkeys(chain, touched[0] if is_part_of_side else new)
    return point


def plain_resistance(position: Position, colour: Colour) -> float:
    """Return a colour's resistance, from chains that a flood fill finds."""
    board, stones = position.board, position.stones
    goal = board.goal(colour)
    point = plain_points(position, colour)
    resistors: dict[tuple[int, int], float] = {}
    for cell, a in point.items():
        for other in board.neighbours[cell]:
            b = point.get(other, a)
            if a != b:
                resistors[min(a, b), max(a, b)] = 2.0 if stones[cell] or stones[other] else 1.0
        for i, side in enumerate(goal):
            if cell in board.sides[side].cells and a != i:
                resistors[i, a] = 1e6 if stones[cell] else 2.0
    points = max(len(goal), 1 + max(point.values(), default=0))
    return solve_network(points, [(*ends, c) for ends, c in resistors.items()], len(goal))[0]


@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_resistances_are_those_of_the_board(board: Board) -> None:
    checked = 0
    for position in random_positions(board, 30):
        found = evaluate(position, PLAIN)
        if found.winner is None:
            expected = [plain_resistance(position, colour) for colour in Colour]
            assert list(found.resistances) == pytest.approx(expected, rel=1e-9)
            checked += 1
    assert checked > 10


def wired_resistance(position: Position, colour: Colour, p: CircuitParameters) -> float:
    """Return a colour's resistance in the network of its virtual connections, without fill-in."""
    board, stones = position.board, position.stones
    connections = Connections(board, **LIMITS[p.connections])
    connections.build(stones, colour)
    needed: dict[tuple[int, int, bool], set[int]] = {}
    for full, first, last, carrier, _ in connections.all():
        needed.setdefault((first, last, full), set(carrier)).intersection_update(carrier)
    cells = [cell for cell, stone in enumerate(stones) if not stone]
    wires: dict[tuple[int, int], float] = {}
    for a, b in itertools.combinations(cells, 2):
        between = set(board.neighbours[a]) & set(board.neighbours[b])
        if b in board.neighbours[a]:
            wires[a, b] = 1.0
        elif len(between) == 2 and between <= set(cells):
            wires[a, b] = 1 / 3 if p.bridges else 0.0
    for (first, last, full), common in sorted(needed.items(), key=lambda item: -item[0][2]):
        most = (
            (p.cell_conductance if full else 0.0)
            if max(first, last) < len(board)
            else (2.0 if full else p.semi_conductance)
            if min(first, last) < len(board)
            else (p.chain_conductance if full else 0.0)
        )
        wires.setdefault((min(first, last), max(first, last)), most / (1 + len(common)))
    sides = [len(board), len(board) + 1]
    points = [*sides, *sorted({point for ends in wires for point in ends} - set(sides))]
    number = {point: i for i, point in enumerate(points)}
    network = [(number[a], number[b], w) for (a, b), w in wires.items() if w and [a, b] != sides]
    return solve_network(len(points), network)[0]


@pytest.mark.parametrize(
    "parameters",
    [
        CircuitParameters(fill_in=False),
        CircuitParameters(
            fill_in=False, bridges=True, cell_conductance=0, semi_conductance=0, chain_conductance=3
        ),
        CircuitParameters(fill_in=False, connections="quick", cell_conductance=5),
    ],
)
def test_wires_are_the_virtual_connections(parameters: CircuitParameters) -> None:
    checked = 0
    board = hex_board(7)
    made = circuit(board, parameters)
    for position in random_positions(board, 40, seed=6):
        winner, resistances, _, _ = made.judge(position.stones, position.to_play)
        if not winner:
            expected = [wired_resistance(position, colour, parameters) for colour in Colour]
            assert list(resistances) == pytest.approx(expected, rel=1e-9)
            checked += 1
    assert checked > 5


def test_a_small_board_by_hand() -> None:
    """On 2x2 Hex all current of a side with a1 goes through a2 and b2, and b1 is an alternative."""
    position = Position(hex_board(2))
    position.play(WHITE, position.board.cell("a1"))
    # Black: north - b1 (1/2), then b1 - a2 and b1 - b2 (1 each), which are neighbours, and south.
    black, white = evaluate(position, PLAIN).resistances
    assert black == pytest.approx(1 / 2 + (1 + 1 / 2) / 2)
    # White: west is a1, with a2 (1/2) and b1 (1/2); a2 - west as well (1/2: one wire with a1's).
    assert white == pytest.approx(plain_resistance(position, WHITE))


@pytest.mark.parametrize("board", [hex_board(6), hex_board(5, 7), y_board(7)], ids=str)
def test_images_of_a_position_have_the_same_circuits(board: Board) -> None:
    decided = 0
    for position in random_positions(board, 12, seed=3):
        found = evaluate(position)
        for symmetry in board.symmetries:
            other = evaluate(image(position, symmetry))
            swaps = symmetry.swaps_colours
            assert other.resistances == (found.resistances[::-1] if swaps else found.resistances)
            for cell, energy in enumerate(found.energies):
                assert other.energies[symmetry.cells[cell]] == energy
        decided += found.winner is not None
    assert decided < 12


def test_views_are_the_same_for_all_images() -> None:
    for position in random_positions(hex_board(5), 10):
        seen = view(position)
        for symmetry in position.board.symmetries:
            other = view(image(position, symmetry))
            assert (other.stones, other.to_play) == (seen.stones, seen.to_play)
            assert [other.cells[c] for c in other.originals] == list(range(25))


def test_the_seed_chooses_among_mirrored_views() -> None:
    views = {view(Position(hex_board(5)), seed).cells for seed in range(20)}
    assert len(views) == 2  # turned, or not: a mirror would exchange the colours


@pytest.mark.parametrize("board", [hex_board(5), y_board(6)], ids=str)
def test_a_stone_is_never_bad(board: Board) -> None:
    """An additional stone lowers the own resistance and raises the opponent's [Rayleigh]."""
    source = random.Random(4)
    for position in random_positions(board, 10):
        before = evaluate(position, PLAIN)
        cell = source.choice(position.empty_cells)
        position.setup(cell, BLACK)
        if before.winner is None and position.winner is None:
            after = evaluate(position, PLAIN)
            assert after.resistances[0] <= before.resistances[0] + 1e-9
            assert after.resistances[1] >= before.resistances[1] - 1e-9


def test_what_has_no_circuits() -> None:
    for board in (make_board("bent-y", 3), hex_board(17)):
        with pytest.raises(ValueError, match="no circuits on"):
            evaluate(Position(board))
    won = Position(hex_board(1))
    won.play(BLACK, 0)
    with pytest.raises(ValueError, match="the game is over: black has won"):
        evaluate(won)
    with pytest.raises(ValueError, match="5 stones for a board of 4 cells"):
        circuit(hex_board(2), PLAIN).judge(bytes(5), 1)


def test_a_virtual_win_has_no_resistance() -> None:
    position = Position(hex_board(5))
    position.play(BLACK, position.board.cell("c3"))
    found = evaluate(position)
    assert (found.winner, found.resistances) == (BLACK, (0.0, math.inf))
    assert found.score == math.inf


def test_the_field_of_charges() -> None:
    board = hex_board(5)
    empty = potentials(board, bytes(25))
    mirror = board.swap_map
    assert mirror is not None
    assert [-empty[cell] for cell in mirror] == pytest.approx(empty)
    assert board.names[saddle_points(board, bytes(25))[0][0]] == "c3"
    stones = bytearray(25)
    stones[board.cell("b2")], stones[board.cell("d4")] = BLACK, WHITE
    field = potentials(board, bytes(stones))
    assert (field[board.cell("b2")], field[board.cell("d4")]) == (1, -1)
    for cell, stone in enumerate(stones):  # no current is lost on the way
        inner = len(board.neighbours[cell]) == 6
        if inner and not stone:
            mean = sum(field[other] for other in board.neighbours[cell]) / 6
            assert field[cell] == pytest.approx(mean)


def test_distances_by_two() -> None:
    """By hand on 3x3: c2 and c3 have one good neighbour only, which the opponent takes."""
    board = hex_board(3)
    north, south = two_distances(board, bytes(9), BLACK)
    assert north == [1, 1, 1, 2, 2, 3, 3, 4, 5]
    assert south == north[::-1]
    assert two_distance_score([north, south], bytes(9)) == 4
    stones = bytes([2] * 3 + [0] * 6)
    assert two_distance_score(two_distances(board, stones, BLACK), stones) == UNREACHABLE
