"""The strong player: Monte Carlo tree search over batches of bit-sliced playouts."""

from __future__ import annotations

import os
import time
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from trivalent.bot._connections import Connections, can_connect
from trivalent.bot._dfpn import LARGEST
from trivalent.bot._mcts import Search
from trivalent.bot._policy import policy
from trivalent.bot.beside import Beside
from trivalent.bot.connections import LIMITS
from trivalent.bot.parameters import Parameters, parameter
from trivalent.bot.player import (
    RESIGN,
    RESIGN_MEANING,
    Analysis,
    Limits,
    MoveAnalysis,
    PositionKeeper,
    Stop,
)
from trivalent.bot.solver import Solver
from trivalent.core._fillin import filler
from trivalent.core._regions import has_regions, regions
from trivalent.core.connection._sliced import slices
from trivalent.core.connection._triangle import triangle
from trivalent.core.position import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trivalent.bot.player import Answer, Watch
    from trivalent.core.board import Board, Colour
    from trivalent.core.position import Position

FILLS = (
    (True, False, False, 0),
    (False, False, True, 256),
    (False, True, False, 0),
    (False, False, False, 0),
)
"""How a batch may be filled: in turn, balanced, with the bridges of the position, repaired."""


WIDE_CELLS = 144
"""Cells of the largest board on which there is time for long lists of connections, and for wide
ones: a search has to stop within 50 milliseconds."""

LEVELS = (
    (1, 1.0),
    (1, 0.4),
    (1, 0.27),
    (1, 0.18),
    (1, 0.12),
    (2, 0.15),
    (2, 0.1),
    (4, 0.02),
    (20, 0.0),
    (90, 0.0),
    (400, 0.0),
    (1800, 0.0),
    (8000, 0.0),
)
"""From beginner on: most nodes of a search, and its noise."""


@dataclass(frozen=True)
class MctsParameters(Parameters):
    """Parameters of the player of batches."""

    seed: int = parameter(
        0,
        "seed; with one thread the same seed, positions and node limits give the same moves",
        low=0,
        high=2**64 - 1,
    )
    level: int = parameter(
        0,
        f"how strong to play, from 1 (a beginner) to {len(LEVELS)}, by so few nodes and so much "
        "noise; 0 is as strong as it can, within the limits given",
        low=0,
        high=len(LEVELS),
    )
    resign: float = parameter(
        0.0,
        RESIGN_MEANING,
        low=0.0,
        high=1.0,
    )
    threads: int = parameter(
        0,
        "threads that search the tree; 0 is one for each core, but one alone where only the number "
        "of nodes is limited, so that the search can be repeated",
        low=0,
        high=256,
    )
    memory: int = parameter(
        512,
        "most memory for the tree in MiB, if there is as much; a full tree goes on without growing "
        "(a solver has a quarter of it)",
        low=1,
        high=65_535,  # 2**32 units of 16 bytes
    )
    reuse: bool = parameter(
        default=True, meaning="keep the tree from move to move, or begin each search anew"
    )
    fill: int = parameter(
        0,
        "how playouts fill the board: 0 cell by cell, answering at once who enters a bridge; "
        "1 by coins, mending bridges; 2 balanced; 3 by coins",
        low=0,
        high=3,
    )
    fill_in: bool = parameter(
        default=True, meaning="give dead and captured cells stones before the playouts"
    )
    regions: bool = parameter(
        default=True,
        meaning="where connections are looked for, fill in what is dead for all of the board and "
        "what they divide, for all positions below; needs fill_in (boards of up to 256 cells)",
    )
    prune: bool = parameter(
        default=True,
        meaning="leave out moves that the opponent can make dead, and those that others are "
        "preferable to; needs fill_in",
    )
    connections: int = parameter(
        16,
        "visits at which virtual connections are looked for, to prove wins and moves that lose; "
        "0 is never (boards of up to 256 cells)",
        low=0,
        high=1_000_000_000,
    )
    wide_connections: int = parameter(
        256,
        f"visits at which more of them are looked for, which takes longer; 0 is never (boards of "
        f"up to {WIDE_CELLS} cells)",
        low=0,
        high=1_000_000_000,
    )
    solver: int = parameter(
        90,
        "most empty cells of a position that one of several threads tries to solve while the "
        "others search; 0 is none (boards of up to 256 cells)",
        low=0,
        high=256,
    )
    batch: int = parameter(512, "playouts of a batch, rounded up to 64s", low=1, high=512)
    expand: int = parameter(
        1,
        "batches at a position until its moves enter the tree; more once that is half full",
        low=1,
        high=1_000_000,
    )
    rave: float = parameter(
        0.05,
        "how fast RAVE gives way to a move's own visits: its weight is m / (m + n + rave m n) "
        "after n visits and m samples",
        low=0.0,
        high=1000.0,
    )
    explore: float = parameter(
        0.02, "weight of exploration (UCT constant): values differ little", low=0.0, high=10.0
    )
    prior: int = parameter(
        1, "samples that the batch of a position counts for in its moves", low=1, high=10_000
    )
    policy: float = parameter(
        1.0,
        "weight of what a strong player is likely to choose, by what lies around a cell",
        low=0.0,
        high=100.0,
    )
    noise: float = parameter(
        0.0,
        "standard deviation of the error with which each position and each of its cells is judged",
        low=0.0,
        high=10.0,
    )


class MctsPlayer(PositionKeeper):
    """Searches one tree, shared by its threads, and keeps it while the game goes on.

    One thread is deterministic: the seed, the position set, what has been played and undone since,
    and all node limits so far fix the answer; without reuse only the position and the limit count.
    """

    def __init__(self, parameters: MctsParameters | None = None) -> None:
        super().__init__()
        self.parameters = parameters or MctsParameters()
        self._tree: Search | None = None
        self._made_for: tuple[Board, MctsParameters] | None = None
        self._solver: Solver | None = None

    def set_position(self, position: Position) -> None:
        """See `Player.set_position`."""
        super().set_position(position)
        if self._tree:
            self._tree.forget()

    def configure(self, values: Mapping[str, str]) -> None:
        """See `Player.configure`."""
        self.parameters = self.parameters.updated(values)

    def genmove(
        self, colour: Colour, limits: Limits, stop: Stop, watch: Watch | None = None
    ) -> Answer:
        """See `Player.genmove`."""
        began = time.monotonic()
        position = self._to_move(colour)
        if self._tree and not self.parameters.reuse:
            self._tree.forget()
        tree = self._tree_at(position)
        nodes = limits.nodes
        if self.parameters.level:
            nodes = min(nodes or LEVELS[-1][0], LEVELS[self.parameters.level - 1][0])
        repeatable = nodes is not None and (limits.seconds is None or self.parameters.level > 0)
        threads = self.parameters.threads or (1 if repeatable else _cores())
        # A number of nodes says how strong to play: no solver must help then.
        beside = self._beside(position, tree, threads) if nodes is None else None
        searching = threads - 1 if beside else threads
        with beside or nullcontext():
            self._search(
                lambda seconds: tree.run(-1 if nodes is None else nodes, seconds, stop, searching),
                lambda seconds: _analysis(tree, seconds),
                began,
                limits,
                watch,
            )
        if self._gives_up(self.parameters.resign):
            return RESIGN
        return self._analysis.moves[0].cell

    def ponder(self, limits: Limits, stop: Stop) -> None:
        """See `Player.ponder`.  A weaker level does not, nor who begins each search anew."""
        if self.parameters.level or not self.parameters.reuse:
            return
        tree = self._tree_at(self._to_move(self._position.to_play))
        nodes = -1 if limits.nodes is None else limits.nodes
        seconds = -1.0 if limits.seconds is None else limits.seconds
        tree.run(nodes, seconds, stop, self.parameters.threads or _cores())

    def _beside(self, position: Position, tree: Search, threads: int) -> Beside | None:
        """Return the solver that is to have one of the threads of a search, if it is to have it."""
        if (
            self._solver is None
            or threads < 2
            or len(position.empty_cells) > self.parameters.solver
        ):
            return None
        tree.run(1, 0.0, Stop(), 1)  # so that it has a root
        return Beside(self._solver, position, tree)

    def _tree_at(self, position: Position) -> Search:
        """Return the tree, grown or to be grown from a position."""
        tree = self._tree_on(position.board)
        tree.set_position(position.stones, position.to_play, _just_played(position), position.hash)
        return tree

    def _tree_on(self, board: Board) -> Search:
        """Return the tree, a new one if the board or the parameters are others than before."""
        if self._tree is None or self._made_for != (board, self.parameters):
            self._tree = self._solver = None  # first: the next ones take as much memory
            self._tree, self._solver = _largest_tree(board, self.parameters)
            self._made_for = board, self.parameters
        return self._tree


def _largest_tree(board: Board, parameters: MctsParameters) -> tuple[Search, Solver | None]:
    """Return a tree, and a solver for beside it if there is to be one.

    They take the memory asked for, or a part of it where there is less.  Raise MemoryError if
    there is next to none.
    """
    threads = parameters.threads or _cores()
    while True:
        share = parameters.memory // 4
        solves = threads > 1 and parameters.solver and share and len(board) <= LARGEST
        try:
            solver = Solver(board, memory=share) if solves else None
            rest = replace(parameters, memory=parameters.memory - (share if solver else 0))
            return make_tree(board, rest, threads), solver
        except MemoryError:
            if parameters.memory == 1:
                raise
            parameters = replace(parameters, memory=parameters.memory // 2)


def analyse(
    position: Position,
    *,
    nodes: int | None = None,
    seconds: float | None = None,
    **parameters: float,
) -> Analysis:
    """Search a position, by the strong player with these parameters, and return what it found out.

    One thread is used unless ``threads`` says otherwise; then the same position, nodes and
    parameters give the same analysis, but for the seconds.  Without any limit it takes a second.
    Raise ValueError if the game is over, or for an unknown parameter or a value that does not fit.
    """
    if nodes is None and seconds is None:
        seconds = 1.0
    values = {
        name: f"{value:d}" if isinstance(value, int) else f"{value}"
        for name, value in parameters.items()
    }
    player = MctsPlayer(MctsParameters().updated({"threads": "1"} | values))
    player.set_position(position)
    player.genmove(position.to_play, Limits(nodes, seconds), Stop())
    return player.analysis()


def make_tree(board: Board, parameters: MctsParameters, threads: int) -> Search:
    """Return a new tree for positions of a board, to be searched by so many threads at most."""
    p = parameters
    connects = p.connections and can_connect(board)
    widens = len(board) <= WIDE_CELLS
    few = LIMITS["quick" if widens else "large"]
    return Search(
        triangle(board),
        slices(board),
        seed=p.seed,
        threads=threads,
        lanes=(p.batch + 63) // 64 * 64,
        fill=FILLS[p.fill],
        filler=filler(board) if p.fill_in else None,
        prune=p.prune,
        regions=regions(board) if p.fill_in and p.regions and has_regions(board) else None,
        connections=Connections(board, **few) if connects else None,
        wide=Connections(board, **(LIMITS["wide"] if widens else few)) if connects else None,
        connect=p.connections,
        connect_wide=p.wide_connections if widens else 0,
        expand=p.expand,
        rave=p.rave,
        explore=p.explore,
        prior=p.prior,
        policy=policy(board),
        follow=p.policy,
        noise=LEVELS[p.level - 1][1] if p.level else p.noise,
        memory=p.memory,
    )


def _cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0))


def _just_played(position: Position) -> int:
    """Return the cell of the last move if it was the opponent's stone, or -1."""
    last = position.last_move
    if last is None or last.cell is None or last.kind is not Kind.PLAY:
        return -1
    return last.cell if last.colour is not position.to_play else -1


def _analysis(tree: Search, seconds: float) -> Analysis:
    found = sorted(tree.moves(), key=_goodness, reverse=True)
    moves = tuple(
        MoveAnalysis(cell, visits, value, rave, proof > 0 if proof else None)
        for cell, visits, value, rave, proof in found
    )
    owners = tree.owners()
    return Analysis(
        nodes=tree.leaves,
        seconds=seconds,
        moves=moves,
        variation=tuple(tree.variation(moves[0].cell)),
        ownership=tuple(owned for owned, _ in owners),
        pivotality=tuple(pivotality for _, pivotality in owners),
    )


def _goodness(move: tuple[int, int, float, float, int]) -> tuple[int, int, int, float]:
    """Wins before open moves before losses: the shortest win, the longest loss.

    Then by visits; RAVE decides between unvisited moves.
    """
    _, visits, _, rave, proof = move
    return (proof > 0) - (proof < 0), -proof, visits, rave
