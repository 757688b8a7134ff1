"""Levels: weaker players, which choose among the moves that look natural to them.

A level searches a few positions, as the full player does, and plays the move that appeals most: the
logarithm of its share of the visits, for which the network's policy counts as one visit, plus an
error.  One half of the error is drawn for each cell, much alike for neighbours, from the seed, the
colour and the game's first two moves: it holds from then on, so the level overrates some regions
and moves again and again, as people do.  The other half is drawn anew in each position.  What the
search has proven is beyond error, and moves that it has left out as inferior are not considered.
"""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trivalent.bot.player import Analysis, MoveAnalysis
    from trivalent.core.board import Board
    from trivalent.core.position import Position


class Level(NamedTuple):
    """A strength below the full one."""

    nodes: int
    """The node limit of a search."""
    error: float
    """Standard deviation of the errors of appeal, a logarithm."""


LEVELS = (
    Level(1, 20.0),
    Level(1, 7.0),
    Level(1, 3.7),
    Level(1, 2.7),
    Level(1, 1.4),
    Level(20, 0.0),
    Level(50, 0.0),
    Level(130, 0.0),
    Level(280, 0.0),
    Level(600, 0.0),
)
"""Levels from beginner up."""

_SMALLEST_SHARE = 1e-6
_RAVE_SCALE = 0.03
"""Difference in RAVE value that makes a move e times as natural, where no policy is known."""


def most_appealing(analysis: Analysis, position: Position, level: Level, seed: int) -> int:
    """Return the cell that a level plays after its search."""
    moves = analysis.moves
    if moves[0].proven is not None:  # the best one wins, or all lose
        return moves[0].cell
    errors = _errors(position, seed) if level.error else [0.0] * len(position.board)
    appeal = {
        move.cell: math.log(share + _SMALLEST_SHARE) + level.error * errors[move.cell]
        for move, share in zip(moves, _shares(moves), strict=True)
        if move.proven is None
    }
    return max(appeal, key=lambda cell: appeal[cell])


def _errors(position: Position, seed: int) -> list[float]:
    """Return an error for each cell, of standard deviation 1."""
    opening = [move.cell for move in position.history[:2]]
    lasting = _errors_for_game(position.board, f"{seed} {int(position.to_play)} {opening}")
    source = random.Random(f"{seed} {position.hash}")
    return [math.sqrt(0.5) * (error + source.gauss(0, 1)) for error in lasting]


def _shares(moves: Sequence[MoveAnalysis]) -> list[float]:
    """Return how much speaks for each move, in visits; the policy counts as one visit."""
    policy = [move.prior or 0.0 for move in moves]
    if not any(policy):  # on boards without network and patterns
        policy = [math.exp((move.rave or 0.0) / _RAVE_SCALE) for move in moves]
    total = sum(policy)
    return [(move.visits or 0) + share / total for move, share in zip(moves, policy, strict=True)]


def _errors_for_game(board: Board, seed: str) -> list[float]:
    """Return an error for each cell, of standard deviation 1 and correlated between neighbours."""
    source = random.Random(seed)
    drawn = [source.gauss(0, 1) for _ in range(len(board))]
    errors = []
    for cell, neighbours in enumerate(board.neighbours):
        near = (cell, *neighbours)
        errors.append(sum(drawn[other] for other in near) / math.sqrt(len(near)))
    return errors
