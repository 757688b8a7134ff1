"""Positions as the side to move sees them: the network's inputs and targets, in numpy.

A square board of side s becomes s * s places, row by row, as `network_reference.seats` orders them.
The places of a Y board beyond its triangle hold nothing and are masked.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from trivalent.bot.evaluation._network_inputs import OBSERVED, Observer
from trivalent.bot.evaluation.network_reference import ONE, RINGS, Sample, draw_planes, seats
from trivalent.tools.training.position_shards import (
    FULL,
    LOST,
    OUTCOME,
    OWNED,
    SHARE,
    UNOWNED,
    WON,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from trivalent.bot.evaluation.network_file import Architecture
    from trivalent.core.board import Board
    from trivalent.tools.training.position_shards import Array, Positions

OUTCOME_WEIGHT = 0.5
"""Weight of the outcome in the value target; the rest is the search's value, converted to a chance
of winning (`value_slope`)."""
MIN_SHARE = 0.01
"""Moves with a smaller share of the visits than this part of the largest are not targets."""
QUICK_WEIGHT = 0.3
"""Weight of the policy target of a quick search; that of a full one is 1."""


@dataclass(slots=True, eq=False)
class Examples:
    """Training examples on one board as the side to move sees them; P is the number of places."""

    board: Board
    stones: Array
    """[examples][P]: 0 nothing, 1 own, 2 the opponent's."""
    last: Array
    """[examples][2]: the places of the last two moves, or -1."""
    legal: Array
    """[examples][P]: 1 at the moves worth trying."""
    policy: Array
    """[examples][P]: the targets, in 65535ths."""
    weight: Array
    """[examples]: the weight of the policy's target."""
    ownership: Array
    """[examples][P]: the target, in 255ths."""
    owned: Array
    """[examples]: 1 if the ownership is a target, else 0."""
    value: Array
    """[examples]: the target, 0 to 1."""
    game: Array
    """[examples]: the game that the example is from."""
    observed: dict[str, Array]
    """Of the planes that show fill-in and playouts: [examples][P], in 127ths."""

    def __len__(self) -> int:
        return len(self.value)


@lru_cache(maxsize=64)
def places(board: Board) -> tuple[Array, Array, Array]:
    """Return the places of the cells seen by Black and by White, and the mask of the places."""
    side = board.width
    seen = []
    for colour in (1, 2):
        (row, column), _ = seats(board, colour)
        seen.append(np.asarray(row * side + column))
    mask = np.zeros(side * side, bool)
    mask[seen[0]] = True
    return seen[0], seen[1], mask


@lru_cache(maxsize=64)
def symmetries(board: Board) -> Array:
    """Return where each symmetry takes each place: [symmetries][P], the identity first.

    Symmetries that swap the colours are left out: the side to move sees the same in both images.
    """
    seen, _, _ = places(board)
    maps = [symmetry.cells for symmetry in board.symmetries if not symmetry.swaps_colours]
    result = np.tile(np.arange(board.width**2), (len(maps), 1))
    for number, cells in enumerate(maps):
        result[number, seen] = seen[np.array(cells)]
    return result


def observed(positions: Positions, names: Iterable[str]) -> dict[str, Array]:
    """Return those of the named planes that show fill-in and playouts: [positions][cells]."""
    wanted = {"own-filled", "opponent-filled", *OBSERVED} & set(names)
    if not wanted:
        return {}
    stones = np.ascontiguousarray(positions.stones, np.uint8)
    to_play = positions.to_play.astype(np.uint8)
    last = np.ascontiguousarray(positions.last[:, 0], np.int16)
    seen = Observer(positions.board).observe(stones, to_play, last)
    by_name = dict(zip(OBSERVED, seen.transpose(1, 0, 2), strict=True))
    by_name["pruned"] = (by_name["pruned"] > 0) * np.uint8(ONE)
    filled = np.where(stones == 0, by_name["filled"], 0)
    by_name["own-filled"] = (filled == to_play[:, None]) * np.uint8(ONE)
    by_name["opponent-filled"] = (filled == 3 - to_play[:, None]) * np.uint8(ONE)
    return {name: by_name[name] for name in sorted(wanted)}


def value_slope(groups: Iterable[Positions]) -> float:
    """Return the factor from the logit of a search's value to that of the chance of winning.

    The search is underconfident, since playouts hardly ever agree on the winner: of the positions
    that it values at 75%, 97% are won.  Networks would learn to be underconfident, too.  The factor
    is found by logistic regression (Newton's method) on the positions whose outcomes are known but
    not proven; it is 1 if there are none.
    """
    logits, outcomes = [np.zeros(0)], [np.zeros(0)]
    for group in groups:
        open_ = (group.flags & (OUTCOME | LOST | WON)) == OUTCOME
        logits.append(_logit(group.value[open_] / SHARE))
        outcomes.append(group.outcome[open_])
    x, y = np.concatenate(logits), np.concatenate(outcomes)
    slope = 1.0
    for _ in range(_NEWTON_STEPS):
        chance = 1 / (1 + np.exp(-slope * x))
        curvature = (x * x * chance * (1 - chance)).sum()
        slope += float((x * (y - chance)).sum() / (curvature + 1e-9))
        slope = min(max(slope, 1 / _STEEPEST), _STEEPEST)
    return slope


def _logit(share: Array) -> Array:
    inside = np.clip(share, 0.5 / SHARE, 1 - 0.5 / SHARE)
    result: Array = np.log(inside / (1 - inside))
    return result


_NEWTON_STEPS = 20
_STEEPEST = 10.0


def examples(positions: Positions, planes: Iterable[str], slope: float = 1.0) -> Examples:
    """Return the examples that positions give to a network with these input planes.

    ``slope`` is that of `value_slope`.
    """
    board, count = positions.board, len(positions)
    shown = observed(positions, planes)
    stones = positions.stones.astype(np.uint8)
    policy = _pruned(positions.visits)
    black = positions.black
    result = {name: _blank(board, count, kind) for name, kind in _KINDS.items()}
    for name in shown:
        result[name] = _blank(board, count, "u1")
    last = np.full((count, 2), -1, np.int16)
    for colour in (1, 2):
        rows = np.flatnonzero(positions.to_play == colour)
        seen = places(board)[colour - 1]
        at = np.ix_(rows, seen)
        relative = np.array([0, 1, 2] if colour == 1 else [0, 2, 1], np.uint8)
        result["stones"][at] = relative[stones[rows]]
        result["legal"][at] = positions.considered[rows] & (stones[rows] == 0)
        result["policy"][at] = policy[rows]
        result["ownership"][at] = black[rows] if colour == 1 else OWNED - black[rows]
        for name, content in shown.items():
            result[name][at] = content[rows]
        cells = positions.last[rows]
        last[rows] = np.where(cells >= 0, seen[cells], -1)
    known = (positions.flags & OUTCOME) > 0
    outcome = np.where(known, OUTCOME_WEIGHT, 0)
    chance = 1 / (1 + np.exp(-slope * _logit(positions.value / SHARE)))
    value = outcome * positions.outcome + (1 - outcome) * chance
    weight = np.where((positions.flags & FULL) > 0, 1, QUICK_WEIGHT)
    weight[((positions.flags & LOST) > 0) | ~result["policy"].any(1)] = 0
    return Examples(
        board,
        last=last,
        owned=((positions.flags & UNOWNED) == 0).astype(np.float32),
        value=value.astype(np.float32),
        weight=weight.astype(np.float32),
        game=positions.game,
        observed={name: result.pop(name) for name in shown},
        **result,
    )


_KINDS = {"stones": "u1", "legal": "u1", "policy": "u2", "ownership": "u1"}


def _blank(board: Board, count: int, kind: str) -> Array:
    return np.zeros((count, board.width**2), kind)


def _pruned(visits: Array) -> Array:
    """Return the visits without those of moves that the search hardly tried."""
    return np.where(visits >= MIN_SHARE * visits.max(1, keepdims=True), visits, 0)


class Planes:
    """Draws the inputs of examples on one board, as `network_reference.draw_planes` would."""

    def __init__(self, architecture: Architecture, board: Board) -> None:
        self.names = architecture.planes
        self.side = board.width
        empty = draw_planes(architecture, Sample(board, bytes(len(board)), 1))
        self.empty = empty[..., : len(self.names)]
        self.mask = places(board)[2]

    def draw(self, stones: Array, last: Array, observed: Mapping[str, Array]) -> Array:
        """Return bytes [examples][side + 4][side + 4][planes]; see `Examples` for the arguments."""
        count, side = len(stones), self.side
        planes = np.repeat(self.empty[None], count, 0)
        inside = planes[:, RINGS:-RINGS, RINGS:-RINGS]
        for number, name in enumerate(self.names):
            if name in {"own", "opponent"}:
                drawn = (stones == 1 + (name == "opponent")) * np.uint8(ONE)
                drawn = np.where(self.mask, drawn, inside[0, :, :, number].reshape(-1))
            elif name in {"last", "last-but-one"}:
                place = last[:, int(name != "last")]
                drawn = np.zeros(stones.shape, np.uint8)
                rows = np.flatnonzero(place >= 0)
                drawn[rows, place[rows]] = ONE
            elif name in observed:
                drawn = observed[name]
            else:
                continue
            inside[..., number] = drawn.reshape(count, side, side)
        return planes


@dataclass(slots=True, eq=False)
class Batch:
    """A minibatch on one board, in floats."""

    planes: Array
    legal: Array
    policy: Array
    """Shares of the moves, times the weight of the target."""
    ownership: Array
    owned: Array
    """1 where the ownership is a target, else 0."""
    value: Array


def draw_batch(
    found: Examples, planes: Planes, rows: Array, rng: np.random.Generator | None
) -> Batch:
    """Return the examples with these numbers as a batch, each turned by a random symmetry.

    Without ``rng`` nothing is turned.
    """
    maps = symmetries(found.board)
    places_ = maps[rng.integers(len(maps), size=len(rows)) if rng else np.zeros(len(rows), int)]
    at = np.arange(len(rows))[:, None]

    def turned(array: Array) -> Array:
        result = np.empty_like(array, shape=(len(rows), array.shape[1]))
        result[at, places_] = array[rows]
        return result

    last = found.last[rows]
    last = np.where(last >= 0, np.take_along_axis(places_, np.maximum(last, 0), 1), -1)
    shown = {name: turned(content) for name, content in found.observed.items()}
    policy = turned(found.policy).astype(np.float32)
    total = policy.sum(1, keepdims=True)
    return Batch(
        planes.draw(turned(found.stones), last, shown).astype(np.float32) / ONE,
        turned(found.legal).astype(np.float32),
        policy * found.weight[rows, None] / np.where(total > 0, total, 1),
        turned(found.ownership).astype(np.float32) / OWNED,
        found.owned[rows],
        found.value[rows],
    )
