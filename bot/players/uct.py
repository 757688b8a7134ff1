"""The plain tree-search player: UCT with RAVE over uniformly random playouts [AHH], [RP]."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trivalent.bot.parameters import Parameters, parameter
from trivalent.bot.player import (
    RESIGN,
    RESIGN_MEANING,
    Analysis,
    AvoidError,
    BasePlayer,
    MoveAnalysis,
)
from trivalent.bot.players._uct import Search
from trivalent.core.connection._triangle import triangle

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trivalent.bot.player import Answer, Limits, Stop, Watch
    from trivalent.core.board import Colour


@dataclass(frozen=True)
class UctParameters(Parameters):
    """Parameters of the UCT player."""

    seed: int = parameter(
        0,
        "random seed; the same seed, position and node limit give the same move",
        low=0,
        high=2**64 - 1,
    )
    resign: float = parameter(
        0.0,
        RESIGN_MEANING,
        low=0.0,
        high=1.0,
    )
    expansion_threshold: int = parameter(
        5,
        "number of playouts through a node before it is expanded",
        low=1,
        high=1_000_000,
        formerly="expand",
    )
    rave_equivalence: float = parameter(
        800.0,
        "number of visits at which a move's own playouts have the same weight as its RAVE "
        "statistics",
        low=1.0,
        high=1e9,
        formerly="rave",
    )
    exploration: float = parameter(
        0.0,
        "weight of the exploration term (UCT constant); the default is 0 because RAVE provides "
        "enough exploration",
        low=0.0,
        high=10.0,
        formerly="explore",
    )
    memory: int = parameter(
        256,
        "maximum memory of the tree in MiB; when the tree is full, the search continues without "
        "expanding it",
        low=1,
        high=57_000,  # 28 bytes a node, and 2**31 nodes
    )


class UctPlayer(BasePlayer):
    """Searches a new tree for every move.

    It is deterministic: seed, position and node limit determine the answer.
    """

    def __init__(self, parameters: UctParameters | None = None) -> None:
        super().__init__()
        self.parameters = parameters or UctParameters()

    def configure(self, values: Mapping[str, str]) -> None:
        """See `Player.configure`."""
        self.parameters = self.parameters.updated(values)

    def genmove(
        self, colour: Colour, limits: Limits, stop: Stop, watch: Watch | None = None
    ) -> Answer:
        """See `Player.genmove`."""
        began = time.monotonic()
        position = self._to_move(colour)
        if limits.avoid:
            raise AvoidError("uct can't leave moves out of its search")
        p = self.parameters
        search = Search(
            triangle(position.board),
            position.stones,
            colour,
            (p.seed ^ position.hash) & (2**64 - 1),
            p.expansion_threshold,
            p.rave_equivalence,
            p.exploration,
            p.memory,
        )
        nodes = -1 if limits.nodes is None else limits.nodes
        self._search(
            lambda seconds: search.run(nodes, seconds, stop),
            lambda seconds: _analysis(search, seconds),
            began,
            limits,
            watch,
        )
        if self._gives_up(p.resign):
            return RESIGN
        return self._analysis.moves[0].cell


def _analysis(search: Search, seconds: float) -> Analysis:
    moves = sorted(
        (
            MoveAnalysis(cell, visits, value, rave, {1: True, -1: False}.get(proven))
            for cell, visits, value, rave, proven in search.moves()
        ),
        key=_preference,
        reverse=True,
    )
    return Analysis(
        nodes=search.visits,
        seconds=seconds,
        moves=tuple(moves),
        variation=tuple(search.variation(moves[0].cell)),
    )


def _preference(move: MoveAnalysis) -> tuple[int, int, float]:
    """Rank wins before open moves before losses, then by visits, and unvisited moves by RAVE."""
    return (
        0 if move.proven is None else 1 if move.proven else -1,
        move.visits or 0,
        move.rave or 0.0,
    )
