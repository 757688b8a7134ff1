"""Metrics of predictors on held-out positions: how well they guess the search's move and the end.

A predictor takes positions on one board and returns the logits of the moves, [positions][cells],
and the side to move's chance of winning, [positions], or None.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from trivalent.bot.evaluation._network import Network
from trivalent.bot.evaluation._pattern_policy import policy
from trivalent.bot.evaluation.network_opinion import ask
from trivalent.tools.training.position_shards import FULL, LOST, OUTCOME, SHARE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from trivalent.bot.evaluation.network_file import NetworkFile
    from trivalent.tools.training.position_shards import Array, Positions

    Predictor = Callable[[Positions], tuple[Array, Array | None]]

_NEVER = -1e9


def measure(predict: Predictor, groups: Iterable[Positions]) -> dict[str, float]:
    """Return the figures of a predictor.

    ``positions``, ``top1``, ``top3`` and ``cross_entropy`` (nats) are of positions that were
    searched in full and not lost; ``value_error`` is the mean squared error of the chance of
    winning against the outcome, and ``value_positions`` the number of positions behind it.
    """
    ranks, entropies, errors = [], [], []
    for group in groups:
        logits, value = predict(group)
        legal = (group.considered > 0) & (group.stones == 0)
        logits = np.where(legal, logits, _NEVER)
        counts = ((group.flags & (FULL | LOST)) == FULL) & (group.visits.max(1) > 0)
        chosen, target = logits[counts], group.visits[counts].astype(float)
        if len(chosen):
            target /= target.sum(1, keepdims=True)
            move = target.argmax(1)
            own = np.take_along_axis(chosen, move[:, None], 1)
            ranks.append((chosen > own).sum(1))
            most = chosen.max(1, keepdims=True)
            shares = chosen - most - np.log(np.exp(chosen - most).sum(1, keepdims=True))
            entropies.append(-(target * np.maximum(shares, -30)).sum(1))
        if value is not None:
            known = (group.flags & OUTCOME) > 0
            errors.append((value - group.outcome)[known] ** 2)
    rank = np.concatenate(ranks) if ranks else np.zeros(0)
    figures: dict[str, float] = {"positions": len(rank)}
    if len(rank):
        figures["top1"] = float((rank < 1).mean())
        figures["top3"] = float((rank < 3).mean())
        figures["cross_entropy"] = float(np.concatenate(entropies).mean())
    if errors and sum(map(len, errors)):
        figures["value_positions"] = sum(map(len, errors))
        figures["value_error"] = float(np.concatenate(errors).mean())
    return {name: round(value, 4) for name, value in figures.items()}


def network_predictor(file: NetworkFile) -> Predictor:
    """Return the predictor of a network, by the kernels that play."""

    def predict(positions: Positions) -> tuple[Array, Array]:
        network = Network(file, positions.board)
        found = [
            ask(network, stones.tobytes(), int(colour), (int(last[0]), int(last[1])))
            for stones, colour, last in zip(
                positions.stones, positions.to_play, positions.last, strict=True
            )
        ]
        return np.array([one[0] for one in found]), np.array([one[1] for one in found])

    return predict


def pattern_predictor(positions: Positions) -> tuple[Array, None]:
    """Predict moves by the pattern policy."""
    patterns = policy(positions.board)
    logits = np.full(positions.stones.shape, -20.0)
    for row, (stones, colour, last) in enumerate(
        zip(positions.stones, positions.to_play, positions.last, strict=True)
    ):
        shares = patterns.shares(stones.tobytes(), int(colour), int(last[0]))
        for cell, share in shares.items():
            logits[row, cell] = np.log(max(share, 1e-9))
    return logits, None


def search_value_error(groups: Iterable[Positions]) -> float | None:
    """Return the mean squared error of the search's values, which a network may undercut."""
    errors = [
        (group.value / SHARE - group.outcome)[(group.flags & OUTCOME) > 0] ** 2 for group in groups
    ]
    total = sum(map(len, errors))
    return round(float(np.concatenate(errors).mean()), 4) if total else None
