"""The plain tree-search player: UCT over random playouts, with RAVE [AHH] or as [RP] have it."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from trivalent.bot.book.opening_book import book_parameter, book_random_parameter
from trivalent.bot.parameters import Parameters, choice, parameter
from trivalent.bot.player import (
    RESIGN,
    RESIGN_MEANING,
    Analysis,
    AvoidError,
    BasePlayer,
    MoveAnalysis,
)
from trivalent.bot.players._uct import Search
from trivalent.core.connection._arbiter import arbiter
from trivalent.core.connection._sliced import slices

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trivalent.bot.player import Answer, Limits, Stop, Watch
    from trivalent.core.board import Colour


PRESETS: dict[str, dict[str, Any]] = {
    "none": {},
    "raiko-peltonen": {"selection": "ucb", "exploration": 1.0, "expansion_threshold": 0},
}
"""Values of several parameters at once."""


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
    preset: str = choice(
        "none",
        PRESETS,
        "raiko-peltonen searches as Raiko and Peltonen do: it overrides selection with ucb, "
        "exploration with 1 and expansion_threshold with 0",
    )
    selection: str = choice(
        "rave",
        ("rave", "ucb"),
        "how a move is chosen in the tree: rave by its mean and its RAVE statistics; ucb by its "
        "upper confidence bound, where the playouts of a new node are the first visits of all "
        "moves whose cells the mover owns at the end",
    )
    fills: int = parameter(
        1,
        "playouts of a leaf: the rest of the board is filled at random this many times",
        low=1,
        high=1000,
    )
    bamboo: bool = parameter(
        default=False,
        meaning="playouts give the two cells of a bridge (bamboo connection) of the position to "
        "different colours",
    )
    expansion_threshold: int = parameter(
        5,
        "number of playouts through a node before it is expanded",
        low=0,
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
    book: str = book_parameter()
    book_random: float = book_random_parameter()


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
        p = replace(self.parameters, **PRESETS[self.parameters.preset])
        search = Search(
            arbiter(position.board),
            slices(position.board) if p.bamboo else None,
            position.stones,
            colour,
            seed=(p.seed ^ position.hash) & (2**64 - 1),
            rave=p.selection == "rave",
            fills=p.fills,
            expansion_threshold=p.expansion_threshold,
            rave_equivalence=p.rave_equivalence,
            exploration=p.exploration,
            memory=p.memory,
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
        nodes=search.leaves,
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
