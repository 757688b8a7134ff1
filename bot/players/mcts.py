"""The strong player: Monte Carlo tree search over batches of bit-sliced playouts."""

from __future__ import annotations

import os
import time
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

from trivalent.bot.evaluation._pattern_policy import policy
from trivalent.bot.knowledge._cutsets import cutset_fillin, has_cutset_fillin
from trivalent.bot.knowledge._fillin import filler
from trivalent.bot.knowledge._virtual_connections import Connections, can_connect
from trivalent.bot.knowledge.virtual_connections import LIMITS
from trivalent.bot.player import (
    RESIGN,
    Analysis,
    BasePlayer,
    Limits,
    MoveAnalysis,
    Stop,
)
from trivalent.bot.players.mcts_parameters import FILLS, LEVELS, WIDE_CELLS, MctsParameters
from trivalent.bot.search._search import Search
from trivalent.bot.search.background_solver import BackgroundSolver
from trivalent.bot.solver._dfpn import MAX_CELLS
from trivalent.bot.solver.solver import Solver
from trivalent.core.connection._sliced import slices
from trivalent.core.connection._triangle import triangle
from trivalent.core.position import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trivalent.bot.player import Answer, Watch
    from trivalent.core.board import Board, Colour
    from trivalent.core.position import Position


class MctsPlayer(BasePlayer):
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

    def _beside(self, position: Position, tree: Search, threads: int) -> BackgroundSolver | None:
        """Return the solver that is to have one of the threads of a search, if it is to have it."""
        if (
            self._solver is None
            or threads < 2
            or len(position.empty_cells) > self.parameters.solver
        ):
            return None
        tree.run(1, 0.0, Stop(), 1)  # so that it has a root
        return BackgroundSolver(self._solver, position, tree)

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
        solves = threads > 1 and parameters.solver and share and len(board) <= MAX_CELLS
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
        regions=cutset_fillin(board)
        if p.fill_in and p.regions and has_cutset_fillin(board)
        else None,
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
