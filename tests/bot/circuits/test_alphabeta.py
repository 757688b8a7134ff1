"""Alpha-beta finds what plain minimax finds, and what it proves is certain."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import pytest

from trivalent.bot._stop import Stop
from trivalent.bot.circuits._alphabeta import AlphaBeta
from trivalent.bot.circuits.circuit_parameters import CircuitParameters
from trivalent.bot.circuits.evaluation import circuit
from trivalent.bot.solver.solver import Solver
from trivalent.core.board import Board, Colour
from trivalent.core.games import hex_board, y_board
from trivalent.core.position import Position

if TYPE_CHECKING:
    from trivalent.bot.circuits._circuit import Circuit

PLAIN = CircuitParameters(connections="none", bridges=False, fill_in=False)
WON = 1000.0


def search_on(board: Board, parameters: CircuitParameters) -> AlphaBeta:
    p = parameters
    return AlphaBeta(
        circuit(board, p),
        depth=p.depth,
        width=p.width,
        root_width=p.root_width,
        memory=1,
        energy_weight=p.energy_weight,
    )


def positions(board: Board, count: int, seed: int) -> list[Position]:
    source = random.Random(seed)
    found: list[Position] = []
    while len(found) < count:
        position = Position(board)
        for cell in source.sample(range(len(board)), source.randrange(1, len(board) * 2 // 3)):
            position.setup(cell, source.choice(list(Colour)))
        position.to_play = source.choice(list(Colour))
        if position.winner is None:
            found.append(position)
    return found


class Minimax:
    """The same selective search without any bound or table."""

    def __init__(self, made: Circuit, width: int, energy_weight: float) -> None:
        self.made = made
        self.width = width
        self.energy_weight = energy_weight

    @lru_cache(maxsize=100_000)  # noqa: B019  it lives as long as a test
    def moves(
        self, stones: bytes, to_play: int
    ) -> tuple[int, tuple[float, ...], list[tuple[int, float]]]:
        """Return the winner or 0, the resistances, and the moves with what they cost."""
        winner, resistances, energies, cells = self.made.judge(stones, to_play)
        costs = [
            self.energy_weight * math.log((energies[cells[0]] + 1e-3) / (energies[cell] + 1e-3))
            for cell in cells
        ]
        return winner, tuple(resistances), list(zip(cells, costs, strict=True))

    def value(self, stones: bytes, to_play: int, depth: int, ply: int) -> float:
        winner, resistances, moves = self.moves(stones, to_play)
        if winner:
            return winner * (WON - ply)
        if depth == 0:
            black, white = (r + 1e-6 for r in resistances)
            return math.log(white / black) * (1 if to_play == 1 else -1)
        best, lost = -WON, 0
        for i, (cell, cost) in enumerate(moves):
            if i - lost >= self.width:
                break
            after = stones[:cell] + bytes([to_play]) + stones[cell + 1 :]
            value = -self.value(after, 3 - to_play, depth - 1, ply + 1)
            if abs(value) < WON / 2:
                value -= cost
            lost += value <= -WON / 2
            best = max(best, value)
        return best


@pytest.mark.parametrize("board", [hex_board(3), hex_board(4), y_board(4)], ids=str)
@pytest.mark.parametrize(("depth", "width"), [(1, 3), (2, 2), (2, 20), (4, 3)])
@pytest.mark.parametrize("energy_weight", [0.0, 0.7])
def test_values_are_those_of_minimax(
    board: Board, depth: int, width: int, energy_weight: float
) -> None:
    parameters = replace(
        PLAIN, depth=depth, width=width, root_width=width, energy_weight=energy_weight
    )
    search = search_on(board, parameters)
    reference = Minimax(circuit(board, parameters), width, energy_weight)
    open_values = 0
    for position in positions(board, 12, depth):
        search.set_position(position.stones, position.to_play)
        assert search.run(-1, -1.0, Stop()) is False
        expected = reference.value(position.stones, position.to_play, search.depth or depth, 0)
        _, _, chance, _, proven = search.moves()[0]
        if abs(expected) > WON / 2:
            assert proven == (1 if expected > 0 else -1)
        else:
            assert proven == 0
            assert chance == pytest.approx(1 / (1 + math.exp(-expected)), abs=1e-5)
            open_values += 1
    assert open_values > 2


@pytest.mark.parametrize("board", [hex_board(5), hex_board(4, 6), y_board(5)], ids=str)
def test_what_it_proves_is_certain(board: Board) -> None:
    solver = Solver(board, memory=16)
    search = search_on(board, CircuitParameters())
    seen = {1: 0, -1: 0, 0: 0}
    for position in positions(board, 30, 7):
        winning = solver.winning_moves(position)
        search.set_position(position.stones, position.to_play)
        search.run(300, -1.0, Stop())
        moves = search.moves()
        for cell, _, _, _, proven in moves:
            seen[proven] += 1
            if proven:
                assert winning[cell] == (proven > 0), (position.stones, position.to_play, cell)
    assert seen[1] > 10
    assert seen[-1] > 0


def test_limits_and_the_next_run() -> None:
    """A search continues where it was stopped, and ends as one that wasn't."""
    board = hex_board(7)
    whole, parts = (search_on(board, CircuitParameters(depth=2)) for _ in range(2))
    for search in (whole, parts):
        search.set_position(bytes(49), 1)
    assert whole.run(-1, -1.0, Stop()) is False
    for nodes in range(10, 2000, 25):
        parts.run(nodes, -1.0, Stop())
        assert parts.nodes <= nodes
    assert parts.depth == whole.depth == 2
    assert parts.moves()[0][0] == whole.moves()[0][0]
    stop = Stop()
    stop.set()
    parts.set_position(bytes(49), 2)
    assert parts.run(-1, -1.0, stop) is False
    assert parts.nodes == 1


def test_what_a_solver_tells_the_search() -> None:
    board = hex_board(6)
    search = search_on(board, CircuitParameters())
    search.set_position(bytes(36), 1)
    cells = [cell for cell, *_ in search.moves()]
    assert not search.learn(cells[0], -5)
    assert search.moves()[-1][0] == cells[0]
    assert search.learn(cells[3], 9)
    assert search.moves()[0][0::4] == (cells[3], 1)
    assert search.run(-1, -1.0, Stop()) is False
    search.set_position(bytes(36), 1)
    assert [search.learn(cell, -1) for cell in cells] == [False] * (len(cells) - 1) + [True]


def test_stones_that_do_not_fit() -> None:
    search = search_on(hex_board(3), PLAIN)
    with pytest.raises(ValueError, match="8 stones for a board of 9 cells, 1 to play"):
        search.set_position(bytes(8), 1)
