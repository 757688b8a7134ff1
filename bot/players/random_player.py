"""The random player: the weakest possible opponent, and a fixture for tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trivalent.bot.parameters import Parameters, parameter
from trivalent.bot.player import Analysis, AvoidError, BasePlayer, MoveAnalysis
from trivalent.core._random import Random

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trivalent.bot.player import Answer, Limits, Stop, Watch
    from trivalent.core.board import Colour


@dataclass(frozen=True)
class RandomParameters(Parameters):
    """Parameters of the random player."""

    seed: int = parameter(
        0, "random seed; equal seeds and positions give equal moves", low=0, high=2**64 - 1
    )


class RandomPlayer(BasePlayer):
    """Plays a random legal move, all equally likely, and never resigns."""

    def __init__(self, parameters: RandomParameters | None = None) -> None:
        super().__init__()
        self.parameters = parameters or RandomParameters()

    def configure(self, values: Mapping[str, str]) -> None:
        """See `Player.configure`."""
        self.parameters = self.parameters.updated(values)

    def genmove(
        self, colour: Colour, limits: Limits, stop: Stop, watch: Watch | None = None
    ) -> Answer:
        """See `Player.genmove`; stop, watch and the limits of effort have no effect."""
        position = self._to_move(colour)
        moves = [cell for cell in position.legal_moves if cell not in limits.avoid]
        if not moves:
            raise AvoidError
        cell = moves[Random(self.parameters.seed ^ position.hash).below(len(moves))]
        self._analysis = Analysis(1, 0.0, (MoveAnalysis(cell, None, 0.5, None, None),), (cell,))
        return cell
