"""The strong player: Monte Carlo tree search over batches of bit-sliced playouts."""

from __future__ import annotations

import math
import time
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

from trivalent.bot.evaluation._network_evaluator import NetworkEvaluator
from trivalent.bot.evaluation._pattern_policy import policy
from trivalent.bot.evaluation._playouts import PlayoutEvaluator
from trivalent.bot.evaluation.network_opinion import (
    describe_network,
    last_moves,
    load_network,
    network_on,
    network_opinion,
)
from trivalent.bot.knowledge._cutsets import cutset_fillin, has_cutset_fillin
from trivalent.bot.knowledge._fillin import filler
from trivalent.bot.knowledge._virtual_connections import Connections, can_connect
from trivalent.bot.knowledge.virtual_connections import LIMITS
from trivalent.bot.player import (
    RESIGN,
    Analysis,
    AvoidError,
    BasePlayer,
    Limits,
    MoveAnalysis,
    Stop,
)
from trivalent.bot.players.levels import LEVELS, most_appealing
from trivalent.bot.players.lost_positions import Effort, most_stubborn
from trivalent.bot.players.mcts_parameters import PLAYOUTS, WIDE_CELLS, MctsParameters
from trivalent.bot.search._search import Search
from trivalent.bot.search.background_solver import BackgroundSolver
from trivalent.bot.search.settings import SearchSettings
from trivalent.bot.solver.solver import Solver, can_solve
from trivalent.core.connection._arbiter import arbiter
from trivalent.core.connection._sliced import slices
from trivalent.core.games import GAMES
from trivalent.core.processors import usable_cores

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from trivalent.bot.evaluation._evaluator import Evaluator
    from trivalent.bot.evaluation._network import Network
    from trivalent.bot.player import Answer, NetworkOpinion, Watch
    from trivalent.core.board import Board, Colour
    from trivalent.core.position import Position


class MctsPlayer(BasePlayer):
    """Searches one tree, shared by its threads, and keeps it from move to move.

    With one thread it is deterministic: the seed, the position set, all moves and undos since, and
    the node limits of all searches so far determine the answer.  Without `reuse` the position and
    the node limit alone do.
    """

    def __init__(self, parameters: MctsParameters | None = None) -> None:
        super().__init__()
        self.parameters = parameters or MctsParameters()
        self._tree: Search | None = None
        self._solver: Solver | None = None
        self._made_for: tuple[Board, MctsParameters] | None = None

    def set_position(self, position: Position) -> None:
        """See `Player.set_position`."""
        super().set_position(position)
        if self._tree:
            self._tree.forget()

    def configure(self, values: Mapping[str, str]) -> None:
        """See `Player.configure`; also refuse a network for another game than the present one."""
        parameters = self.parameters.updated(values)
        game = self._position.board.game
        network = load_network(parameters.net, game)
        if "net" in values and network and network.architecture.game != game:
            raise ValueError(
                f"net: {parameters.net} is for {GAMES[network.architecture.game].title}, and the "
                f"game is {GAMES[game].title}"
            )
        self.parameters = parameters

    def genmove(
        self, colour: Colour, limits: Limits, stop: Stop, watch: Watch | None = None
    ) -> Answer:
        """See `Player.genmove`."""
        began = time.monotonic()
        position = self._to_move(colour)
        level = LEVELS[self.parameters.level - 1] if self.parameters.level else None
        if self._tree and (limits.avoid or level or not self.parameters.reuse):
            self._tree.forget()
        tree = self._tree_at(position)
        if limits.avoid:
            tree.run(1, 0.0, Stop(), 1)
            tree.exclude(limits.avoid)
            if not tree.moves():
                tree.forget()
                raise AvoidError
        nodes = limits.nodes
        if level:
            nodes = level.nodes if nodes is None else min(nodes, level.nodes)
        repeatable = nodes is not None and (limits.seconds is None or level is not None)
        threads = self.parameters.threads or (1 if repeatable else usable_cores())
        # A node limit sets the playing strength, which a solver would change.
        solving = None
        if nodes is None and not limits.avoid:
            solving = self._background_solver(position, tree, threads)
        searching = threads - 1 if solving else threads
        with solving or nullcontext():
            self._search(
                lambda seconds: tree.run(-1 if nodes is None else nodes, seconds, stop, searching),
                lambda seconds: _analysis(tree, seconds),
                began,
                limits,
                watch,
            )
        gives_up = self._gives_up(self.parameters.resign)
        if not gives_up and self._analysis.moves[0].proven is False:
            effort = _effort_for_lost(position, limits, nodes, began, stop)
            self._analysis = self._most_stubborn_first(position, tree, limits.avoid, effort)
        if level:
            cell = most_appealing(self._analysis, position, level, self.parameters.seed)
            best = next(move for move in self._analysis.moves if move.cell == cell)
            self._analysis = _with_best(self._analysis, tree, best)
        if limits.avoid:
            tree.forget()  # later searches consider all moves again
        return RESIGN if gives_up else self._analysis.moves[0].cell

    def _most_stubborn_first(
        self, position: Position, tree: Search, avoid: Collection[int], effort: Effort
    ) -> Analysis:
        """Return the analysis of a lost position, with the most stubborn move as the best one.

        It may be one that the search has left out as inferior: it loses as they all do.
        """
        analysis = self._analysis
        moves = {move.cell: move for move in analysis.moves}
        for cell in position.empty_cells:
            if cell not in moves and cell not in avoid:
                moves[cell] = MoveAnalysis(cell, 0, 0.0, None, proven=False)
        solvable = _can_solve_in_play(position.board)
        if len(moves) == 1 or not solvable or self.parameters.level or not effort.is_left():
            return analysis
        try:
            solver = Solver(position.board, memory=_STUBBORN_MEMORY)
        except MemoryError:
            return analysis
        best = most_stubborn(solver, position, list(moves), self._priors, effort)
        return _with_best(analysis, tree, moves[best])

    def _priors(self, position: Position) -> dict[int, float]:
        """Return the probability of each move, by the network or else by patterns."""
        network = _network(position.board, self.parameters)
        if network:
            return network_opinion(network, position).policy
        last, _ = last_moves(position)
        return policy(position.board).shares(position.stones, position.to_play, last)

    def network(self) -> str | None:
        """See `Player.network`."""
        network = _network(self._position.board, self.parameters)
        return describe_network(network.file) if network else None

    def network_opinion(self, colour: Colour) -> NetworkOpinion | None:
        """See `Player.network_opinion`."""
        position = self._to_move(colour)
        network = _network(position.board, self.parameters)
        return network_opinion(network, position) if network else None

    def ponder(self, limits: Limits, stop: Stop) -> None:
        """See `Player.ponder`; do nothing on a level, or if every search starts afresh."""
        if self.parameters.level or not self.parameters.reuse:
            return
        tree = self._tree_at(self._to_move(self._position.to_play))
        nodes = -1 if limits.nodes is None else limits.nodes
        seconds = -1.0 if limits.seconds is None else limits.seconds
        tree.run(nodes, seconds, stop, self.parameters.threads or usable_cores())

    def _background_solver(
        self, position: Position, tree: Search, threads: int
    ) -> BackgroundSolver | None:
        """Return the solver to run in one of the threads of a search, if any."""
        if (
            self._solver is None
            or threads < 2
            or len(position.empty_cells) > self.parameters.solver_max_empties
        ):
            return None
        tree.run(1, 0.0, Stop(), 1)  # so that the tree has a root
        return BackgroundSolver(self._solver, position, tree)

    def _tree_at(self, position: Position) -> Search:
        """Return the tree, with this position as its root."""
        tree = self._tree_on(position.board)
        last, previous = last_moves(position)
        tree.set_position(position.stones, position.to_play, last, position.hash, previous)
        return tree

    def _tree_on(self, board: Board) -> Search:
        """Return the tree, a new one if the board or a parameter that shapes it has changed.

        Also make a new one if a solver is wanted now: it takes part of the tree's memory.
        """
        parameters = self.parameters
        if self._tree is None or not self._tree_fits(board):
            self._tree = self._solver = None  # first: the new ones take as much memory
            self._tree, self._solver = _largest_tree(board, parameters)
        self._made_for = board, parameters
        return self._tree

    def _tree_fits(self, board: Board) -> bool:
        if self._made_for is None:
            return False
        before, parameters = self._made_for[1], self.parameters
        lacks_solver = (
            self._solver is None
            and _wants_solver(board, parameters)
            and not _wants_solver(board, before)  # or there was no memory for it
        )
        return self._made_for[0] == board and before.may_share_tree(parameters) and not lacks_solver


def _can_solve_in_play(board: Board) -> bool:
    """Return whether the solver is fast enough on a board to help in a game.

    Where it knows nothing but wins in one, it solves tiny boards only.
    """
    return board.lattice is not None and can_solve(board)


def _wants_solver(board: Board, parameters: MctsParameters) -> bool:
    threads = parameters.threads or usable_cores()
    return (
        threads > 1
        and parameters.solver_max_empties > 0
        and parameters.memory >= _SOLVER_SHARE
        and _can_solve_in_play(board)
    )


_STUBBORN_MEMORY = 16
"""Memory, in MiB, for solving the replies to moves in a lost position."""

_STUBBORN_POSITIONS = 20_000
_STUBBORN_SECONDS = 1.0
"""Most positions and seconds to spend on the choice of a move in a lost position."""


def _effort_for_lost(
    position: Position, limits: Limits, nodes: int | None, began: float, stop: Stop
) -> Effort:
    """Return what the limits of a search leave for choosing among lost moves."""
    end = time.monotonic() + _STUBBORN_SECONDS
    if limits.seconds is not None:
        end = min(end, began + limits.seconds)
    if nodes is None:
        return Effort(_STUBBORN_POSITIONS, end, stop)
    # With a node limit the move must not depend on the machine's speed.  A position takes as long
    # as several leaves of the search, the more the larger the board.
    positions = min(_STUBBORN_POSITIONS, 16 * nodes // len(position.board))
    return Effort(positions, math.inf if limits.seconds is None else end, stop)


_SOLVER_SHARE = 4
"""A solver gets one part in this many of the memory."""


def _largest_tree(board: Board, parameters: MctsParameters) -> tuple[Search, Solver | None]:
    """Return a tree, and a solver to run beside it if one is wanted.

    Together they take the memory that the parameters allow, or less if the machine has less.  Raise
    MemoryError if it has next to none.
    """
    while True:
        try:
            return _tree_and_solver(board, parameters)
        except MemoryError:
            if parameters.memory == 1:
                raise
            parameters = replace(parameters, memory=parameters.memory // 2)


def _tree_and_solver(board: Board, parameters: MctsParameters) -> tuple[Search, Solver | None]:
    """As `_largest_tree`, of just the memory that the parameters allow."""
    share = parameters.memory // _SOLVER_SHARE if _wants_solver(board, parameters) else 0
    solver = Solver(board, memory=share) if share else None
    tree = make_tree(board, replace(parameters, memory=parameters.memory - share))
    tree.reserve(parameters.threads or usable_cores())
    return tree, solver


def analyse(
    position: Position,
    *,
    nodes: int | None = None,
    seconds: float | None = None,
    **parameters: float | str,
) -> Analysis:
    """Search a position with the strong player, whose parameters may be given by name.

    The search uses one thread unless ``threads`` says otherwise; then equal positions, node limits
    and parameters give equal analyses, except for the time taken.  Without any limit it takes a
    second.  Raise ValueError if the game is over, and for an unknown parameter or an unsuitable
    value.
    """
    if nodes is None and seconds is None:
        seconds = 1.0
    values = {
        name: f"{value:d}" if isinstance(value, int) else f"{value}"
        for name, value in parameters.items()
    }
    player = MctsPlayer()
    player.set_position(position)
    player.configure({"threads": "1"} | values)
    player.genmove(position.to_play, Limits(nodes, seconds), Stop())
    return player.analysis()


def make_tree(board: Board, parameters: MctsParameters) -> Search:
    """Return a new tree for positions on a board."""
    return Search(search_settings(board, parameters))


def search_settings(board: Board, parameters: MctsParameters) -> SearchSettings:
    """Return the parts and parameters of a search on a board."""
    p = parameters
    has_wide_limits = len(board) <= WIDE_CELLS
    quick = LIMITS["quick" if has_wide_limits else "large"]
    wide = LIMITS["wide"] if has_wide_limits else quick
    has_patterns = board.lattice is not None  # those of fill-in and policy lie on the lattice
    fills_in = p.fill_in and has_patterns
    connects = p.vc_visits > 0 and can_connect(board)
    fills_by_cutsets = fills_in and p.cutset_fill_in and has_cutset_fillin(board)
    patterns = policy(board) if has_patterns else None
    evaluators: list[Evaluator] = [
        PlayoutEvaluator(
            slices(board),
            playouts=p.batch,
            how=PLAYOUTS[p.playouts],
            policy=patterns if p.playout_policy else None,
            strength=p.playout_policy,
        )
    ]
    if p.prior_weight and patterns:
        evaluators.append(patterns)
    if network := _network(board, p):
        evaluators.append(NetworkEvaluator(network, temperature=p.net_temperature))
    return SearchSettings(
        arbiter=arbiter(board),
        evaluators=tuple(evaluators),
        filler=filler(board) if fills_in else None,
        cutsets=cutset_fillin(board) if fills_by_cutsets else None,
        vc_quick=Connections(board, **quick) if connects else None,
        vc_wide=Connections(board, **wide) if connects else None,
        seed=p.seed,
        memory=p.memory,
        prune=p.prune,
        vc_visits=p.vc_visits,
        vc_wide_visits=p.vc_wide_visits if has_wide_limits else 0,
        expansion_threshold=p.expansion_threshold,
        rave_weight=p.rave_weight,
        rave_prior_count=p.rave_prior_count,
        exploration=p.exploration,
        prior_weight=p.prior_weight,
        evaluation_noise=p.evaluation_noise,
        net_visits=p.net_visits,
        net_value_weight=p.net_value_weight,
        net_prior_weight=p.net_prior_weight,
        net_rave_weight=p.net_rave_weight,
        net_puct=p.net_puct,
    )


def _network(board: Board, parameters: MctsParameters) -> Network | None:
    """Return the network to ask about positions on a board, if any."""
    return network_on(load_network(parameters.net, board.game), board)


def _with_best(analysis: Analysis, tree: Search, best: MoveAnalysis) -> Analysis:
    """Return an analysis with a certain move as the best one."""
    others = [move for move in analysis.moves if move.cell != best.cell]
    variation = tree.variation(best.cell) or [best.cell]
    return replace(analysis, moves=(best, *others), variation=tuple(variation))


def _analysis(tree: Search, seconds: float) -> Analysis:
    priors = tree.priors()
    moves = tuple(
        MoveAnalysis(cell, visits, value, rave, distance > 0 if distance else None, priors[cell])
        for cell, visits, value, rave, distance in tree.moves()
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
