"""Calibrates the values of reviews on games of the player against itself.

Every game begins with two random stones.  In half of the games, now and then, a player chooses
one of its five best moves at random, so that leads change.  A game ends when its winner is proven.
Games with even numbers fit the calibration, and the others check it.
"""

from __future__ import annotations

import argparse
import random
from typing import TYPE_CHECKING

import numpy as np

from trivalent.bot.player import Stop
from trivalent.bot.review.calibration import Calibration
from trivalent.bot.review.position_analyst import Effort, PositionAnalyst
from trivalent.core.games import REDUCED_GAMES, make_board
from trivalent.core.position import Position

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trivalent.bot.player import Analysis
    from trivalent.core.board import Colour

_SLIPS = 0.15
"""How often a player chooses among its five best moves, in half of the games."""


class _Game:
    """A game in progress."""

    def __init__(self, position: Position, seed: int) -> None:
        self.position = position
        self.values: list[float] = []
        """For each position, the value of its search to the side to move."""
        self.movers: list[Colour] = []
        self.is_best: list[bool] = []
        """For each position, whether the search's own move was played."""
        self.winner: Colour | None = None
        self._random = random.Random(seed)
        self._slips = seed % 4 >= 2
        for _ in range(2):
            position.play(position.to_play, self._random.choice(position.empty_cells))

    def take(self, analysis: Analysis) -> None:
        """Take notice of an analysis, and play a move."""
        best, mover = analysis.moves[0], self.position.to_play
        if best.proven is not None:
            self.winner = mover if best.proven else mover.opponent
            return
        slip = self._slips and self._random.random() < _SLIPS
        move = self._random.choice(analysis.considered[:5]) if slip else best
        self.values.append(best.value)
        self.movers.append(mover)
        self.is_best.append(move is best)
        self.position.play(mover, move.cell)
        self.winner = self.position.winner


def play(games: Sequence[_Game], effort: Effort, threads: int) -> None:
    """Play games to their ends, all at the same time."""
    with PositionAnalyst(None, Stop(), threads) as analyst:
        while playing := {id(g.position): g for g in games if g.winner is None}:
            positions = [game.position for game in playing.values()]
            for position, analysis in list(analyst.analyses(positions, effort)):
                playing[id(position)].take(analysis)


def _data(games: Sequence[_Game]) -> tuple[np.ndarray, np.ndarray]:
    """Return the values of all positions, and whether the side to move won."""
    values = [value for game in games for value in game.values]
    wins = [mover is game.winner for game in games for mover in game.movers]
    return np.array(values), np.array(wins, float)


def fit(values: np.ndarray, wins: np.ndarray) -> tuple[float, float]:
    """Return lean and slope by logistic regression, slightly drawn towards no change."""
    inside = np.clip(values, 1e-4, 1 - 1e-4)
    x = np.stack([np.ones_like(values), np.log(inside / (1 - inside))])
    prior = np.array([0.0, 1.0])
    found = prior.copy()
    for _ in range(30):  # Newton's method
        chances = 1 / (1 + np.exp(-found @ x))
        gradient = x @ (wins - chances) - (found - prior)
        hessian = (x * chances * (1 - chances)) @ x.T + np.eye(2)
        found += np.linalg.solve(hessian, gradient)
    return float(found[0]), float(found[1])


def _pairs(games: Sequence[_Game], calibration: Calibration) -> np.ndarray:
    """Return, for every own move of a search, the chance before it minus the chance after it."""
    found = [
        calibration.chance(before) + calibration.chance(after) - 1
        for game in games
        for before, after, is_best in zip(
            game.values[:-1], game.values[1:], game.is_best[:-1], strict=True
        )
        if is_best
    ]
    return np.array(found)


def report(games: Sequence[_Game]) -> None:
    """Print the calibration and how good it is."""
    fitted, checked = games[0::2], games[1::2]
    plain = Calibration(0.0, 1.0, 0.0)
    lean, slope = fit(*_data(fitted))
    calibration = Calibration(lean, slope, 0.0)
    noise = float(_pairs(fitted, calibration).std())
    print(f"lean={lean:.3f}, slope={slope:.3f}, noise={noise:.3f}")  # noqa: T201
    values, wins = _data(checked)
    chances = np.array([calibration.chance(value) for value in values])
    for what, found, pairs in (
        ("values", values, _pairs(checked, plain)),
        ("chances", chances, _pairs(checked, calibration)),
    ):
        brier = float(np.mean((found - wins) ** 2))
        print(  # noqa: T201
            f"{what}: Brier score {brier:.4f}, mean lean {pairs.mean():+.4f} in {len(pairs)} moves"
        )
    print(f"{len(values)} positions of {len(checked)} games")  # noqa: T201
    print("| chance | positions | mean chance | won |\n|---|---|---|---|")  # noqa: T201
    for low in np.arange(0, 1, 0.1):
        chosen = (chances >= low) & (chances < low + 0.1)
        if chosen.any():
            mean, won = chances[chosen].mean(), wins[chosen].mean()
            print(  # noqa: T201
                f"| {low:.0%} to {low + 0.1:.0%} | {chosen.sum()} | {mean:.0%} | {won:.0%} |"
            )


def main() -> None:
    """Play games, fit the calibration, and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", choices=REDUCED_GAMES)
    parser.add_argument("size", type=int)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    board = make_board(arguments.game, arguments.size)
    seeds = range(arguments.seed, arguments.seed + arguments.games)
    games = [_Game(Position(board), seed) for seed in seeds]
    play(games, Effort(nodes=arguments.nodes), arguments.threads)
    report(games)


if __name__ == "__main__":
    main()
