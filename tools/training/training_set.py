"""The training set of a generation: the window of the latest positions, and held-out games."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from trivalent.tools.training.mover_view import Planes, draw_batch, examples, value_slope
from trivalent.tools.training.position_shards import join

if TYPE_CHECKING:
    from trivalent.bot.evaluation.network_file import Architecture
    from trivalent.core.board import Board
    from trivalent.tools.training.mover_view import Batch, Examples
    from trivalent.tools.training.position_shards import Positions
    from trivalent.tools.training.training_folder import TrainingFolder

HELD_OUT = 20
"""One game in this many is held out."""
MAX_HELD_OUT = 4000
"""Held-out positions that are measured at most, the latest ones."""
MAX_WINDOW = 1_000_000
"""Positions in a window at most, which keeps memory below 3 GiB."""
_SLOWLY_FROM = 300_000
_POWER, _PACE = 0.75, 0.4


def window(positions: int) -> int:
    """Return how many of the latest positions to train on.

    All of the first 300,000; later the window grows as their number to the power of 0.75 (KataGo).
    """
    if positions <= _SLOWLY_FROM:
        return positions
    growth: float = ((positions / _SLOWLY_FROM) ** _POWER - 1) / _POWER
    return min(MAX_WINDOW, positions, int(_SLOWLY_FROM * (1 + _PACE * growth)))


@dataclass(slots=True)
class TrainingSet:
    """The positions of a generation, a group for each board."""

    training: list[Examples]
    planes: list[Planes]
    """To draw the groups of ``training``."""
    held_out: list[Positions]
    calibration: Positions
    """Positions on the largest board, for quantisation."""

    @property
    def size(self) -> int:
        """The number of training positions."""
        return sum(map(len, self.training))

    def batch(self, size: int, rng: np.random.Generator) -> tuple[Batch, Planes]:
        """Return a random minibatch of positions on one board, and the drawer of its planes."""
        weights = np.array([len(group) for group in self.training], float)
        number = rng.choice(len(self.training), p=weights / weights.sum())
        group, planes = self.training[number], self.planes[number]
        rows = rng.integers(len(group), size=size)
        return draw_batch(group, planes, rows, rng), planes


def load(folder: TrainingFolder, architecture: Architecture) -> TrainingSet:
    """Return the training set of all positions so far.  Raise ValueError if there are too few."""
    groups = [group for _, found in folder.positions() for group in found]
    wanted = window(sum(map(len, groups)))
    latest: list[Positions] = []
    for group in reversed(groups):
        if wanted > 0:
            latest.append(group[-wanted:] if len(group) > wanted else group)
        wanted -= len(group)
    by_board: dict[Board, list[Positions]] = {}
    for group in latest:
        by_board.setdefault(group.board, []).append(group)
    joined = [join(by_board[board]) for board in sorted(by_board, key=len)]
    training = [group[group.game % HELD_OUT != 0] for group in joined]
    training = [group for group in training if len(group)]
    if not training:
        raise ValueError("there are no positions to train on")
    share = MAX_HELD_OUT / max(1, sum(int((group.game % HELD_OUT == 0).sum()) for group in joined))
    held_out = [_some(group[group.game % HELD_OUT == 0], share) for group in joined]
    slope = value_slope(training)
    seen = [examples(group, architecture.planes, slope) for group in training]
    return TrainingSet(
        seen,
        [Planes(architecture, group.board) for group in seen],
        [group for group in held_out if len(group)],
        training[-1],
    )


def _some(positions: Positions, share: float) -> Positions:
    """Return a share of positions: the first ones, which are the latest."""
    return positions[: int(np.ceil(min(1.0, share) * len(positions)))]
