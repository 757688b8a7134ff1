"""The circuits of a position for people: resistances, energies, and distances by two."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trivalent.bot.circuits._circuit import Circuit
from trivalent.bot.circuits.circuit_parameters import NO_CONNECTIONS, CircuitParameters
from trivalent.bot.circuits.views import view
from trivalent.bot.knowledge._fillin import filler
from trivalent.bot.knowledge._virtual_connections import Connections, can_connect
from trivalent.bot.knowledge.virtual_connections import LIMITS
from trivalent.bot.player import BoardError
from trivalent.core.board import BLACK
from trivalent.core.connection._triangle import triangle

if TYPE_CHECKING:
    from trivalent.core.board import Board, Colour
    from trivalent.core.position import Position


def check_board(board: Board) -> None:
    """Raise BoardError for a board that has no circuits."""
    if not (can_connect(board) and board.framing):
        raise BoardError(f"no circuits on {board}: they need a board of Hex or Y, up to 256 cells")


def circuit(board: Board, parameters: CircuitParameters) -> Circuit:
    """Return how positions of a board become circuits.  Raise BoardError if it has none."""
    check_board(board)
    p = parameters
    connects = p.connections != NO_CONNECTIONS
    return Circuit(
        triangle(board),
        filler(board),
        Connections(board, **(LIMITS[p.connections] if connects else {})),
        fills_in=p.fill_in,
        connects=connects,
        mustplay=p.mustplay,
        both=p.energy == "both",
        bridges=p.bridges,
        cells=p.cell_conductance,
        semis=p.semi_conductance,
        chains=p.chain_conductance,
    )


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What the circuits say about a position."""

    winner: Colour | None
    """The side that has connected its sides, at least virtually; then all else is empty."""
    resistances: tuple[float, float]
    """Black's resistance and White's; 0 for the winner and infinite for the loser."""
    energies: tuple[float, ...]
    """The current through each cell in both circuits: how much depends on it."""

    @property
    def score(self) -> float:
        """The logarithm of White's resistance over Black's: positive if Black is ahead."""
        black, white = self.resistances
        if not black or not white:
            return math.inf if not black else -math.inf
        return math.log(white / black)


def evaluate(position: Position, parameters: CircuitParameters | None = None) -> Evaluation:
    """Evaluate an open position by its circuits, with the side to move that it has.

    The answer for an image of the position is the image of this one.  Raise BoardError for a board
    that has no circuits, ValueError if the game is over.
    """
    if position.winner is not None:
        raise ValueError(f"the game is over: {position.winner} has won")
    seen = view(position)
    made = circuit(position.board, parameters or CircuitParameters())
    winner, resistances, energies, _ = made.judge(seen.stones, seen.to_play)
    if winner:
        won = position.to_play if winner > 0 else position.to_play.opponent
        return Evaluation(won, (0.0, math.inf) if won is BLACK else (math.inf, 0.0), ())
    assert len(resistances) == 2
    black, white = resistances[::-1] if seen.swaps_colours else resistances
    return Evaluation(None, (black, white), tuple(seen.values_back(energies)))


UNREACHABLE = 1_000_000
"""A distance by two to a side that can't be reached."""


def two_distances(board: Board, stones: bytes, colour: Colour) -> list[list[int]]:
    """Return, for each side of a colour, the distance by two of each cell [vR].

    Neighbours are cells that are next to each other or to the same chain of the colour.  A cell's
    distance is 1 if the side is a neighbour, and else 1 more than the second least distance of its
    neighbours: the opponent takes the best one.  Stones have none: `UNREACHABLE`.
    """
    neighbours, beside = _neighbours_over_chains(board, stones, colour)
    found = []
    for side in board.goals[colour - 1]:
        distance = [UNREACHABLE] * len(board)
        for cell in beside[side]:
            distance[cell] = 1
        changed = True
        while changed:
            changed = False
            for cell, others in neighbours.items():
                near = sorted(distance[other] for other in others)[:2]
                if len(near) == 2 and 1 + near[1] < distance[cell]:
                    distance[cell] = 1 + near[1]
                    changed = True
        found.append(distance)
    return found


def _neighbours_over_chains(
    board: Board, stones: bytes, colour: Colour
) -> tuple[dict[int, set[int]], dict[int, set[int]]]:
    """Return the empty neighbours of each empty cell and of each side, over a colour's chains."""
    beside: dict[int, set[int]] = {side: set() for side in board.goals[colour - 1]}
    neighbours: dict[int, set[int]] = {c: set() for c, stone in enumerate(stones) if not stone}
    on_side = {side: set(board.sides[side].cells) for side in beside}
    for start, near in neighbours.items():
        seen, todo = {start}, [start]
        while todo:
            cell = todo.pop()
            if cell != start and not stones[cell]:
                near.add(cell)
                continue
            for side, cells in on_side.items():
                if cell in cells:
                    beside[side].add(start)
            for other in board.neighbours[cell]:
                if other not in seen and stones[other] in (0, colour):
                    seen.add(other)
                    todo.append(other)
    return neighbours, beside


def two_distance_score(distances: list[list[int]], stones: bytes) -> int:
    """Return the least sum of a cell's distances to all sides; `UNREACHABLE` if there's none."""
    sums = [sum(of_cell) for of_cell in zip(*distances, strict=True)]
    empty = [total for total, stone in zip(sums, stones, strict=True) if not stone]
    return min(UNREACHABLE, *empty) if empty else UNREACHABLE
