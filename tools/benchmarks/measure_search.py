"""Benchmark of the tree search: leaves evaluated and nodes expanded per second.

It searches the empty board without a network and with the shipped one, on one core and on all.
Times are processor time, as in `trivalent.tools.benchmarks.measure_playouts`.
"""

from __future__ import annotations

import time
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trivalent.bot.evaluation._network import MAX_SIDE
from trivalent.bot.evaluation.network_opinion import NO_NETWORK, SHIPPED
from trivalent.bot.player import Stop
from trivalent.bot.players.mcts import make_tree
from trivalent.bot.players.mcts_parameters import MctsParameters
from trivalent.core._isa import chosen as isa
from trivalent.core.board import BLACK
from trivalent.core.games import REDUCED_GAMES, make_board
from trivalent.core.processors import usable_cores

if TYPE_CHECKING:
    from collections.abc import Callable

    from trivalent.core.board import Board

SIZES = (7, 11, 14, 19)
"""Default board sizes."""
SETS = 20
"""Sets by default: about 40 seconds."""
QUICK_SETS = 4
"""Sets of a quick run: about 8 seconds."""
LEAVES_PER_SET = 4096
"""Leaves per set on boards up to 11x11."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRow:
    """One result of the benchmark."""

    game: str
    size: int
    net: str
    """``none`` or ``shipped``, as the parameter of `mcts`."""
    threads: int
    isa: str
    """The instruction set of the kernels."""
    leaves_per_second: float
    """Total of all threads in the least disturbed sets: the 90 % quantile."""
    nodes_per_second: float
    """Nodes expanded (positions whose moves are in the tree), in the same set."""


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """What to measure.  With one thread a plan gives the same searches on every machine."""

    sizes: tuple[int, ...] = SIZES
    sets: int = SETS
    leaves: int | None = None
    """Leaves per set; None for 4,096, and fewer above 11x11."""
    seed: int = 1
    threads: tuple[int, ...] = ()
    """Numbers of threads to measure; empty for one, and one per core."""

    def leaves_per_set(self, size: int) -> int:
        """Return the number of leaves per set on a board of a size."""
        if self.leaves is not None:
            return self.leaves
        return max(16, LEAVES_PER_SET * 11**3 // max(size, 11) ** 3)

    def numbers_of_threads(self) -> tuple[int, ...]:
        """Return the distinct numbers of threads."""
        return tuple(sorted(set(self.threads or (1, usable_cores()))))

    def players(self) -> list[tuple[Board, str]]:
        """Return each board with each network that plays on it."""
        return [
            (make_board(game, size), net)
            for game in REDUCED_GAMES
            for size in self.sizes
            for net in (NO_NETWORK, SHIPPED)
            if net == NO_NETWORK or size <= MAX_SIDE
        ]


def search(
    board: Board, leaves: int, seed: int, threads: int, net: str = NO_NETWORK
) -> tuple[float, int, int, int]:
    """Search the empty board; return seconds, leaves, nodes, and a checksum of the results.

    The search ends with fewer leaves once the result is proven.
    """
    tree = make_tree(board, MctsParameters(seed=seed, net=net))
    tree.set_position(bytes(len(board)), BLACK, -1, 0)
    start = time.process_time()
    tree.run(leaves, -1.0, Stop(), threads)
    seconds = time.process_time() - start
    return seconds, tree.leaves, tree.nodes, zlib.crc32(repr(tree.moves()).encode())


def measure_search(
    plan: SearchPlan, on_set: Callable[[], None] = lambda: None
) -> tuple[list[SearchRow], str]:
    """Carry out a plan; return the rows and the signature, a checksum of one thread's results.

    The signature depends on sizes, sets, leaves and seed, but not on threads, speed or instruction
    set.  Call ``on_set`` after each set of each board with each network.
    """
    players = plan.players()
    threads = plan.numbers_of_threads()
    rates: dict[tuple[Board, str, int], list[tuple[float, float]]] = {
        (*player, n): [] for player in players for n in threads
    }
    signature = 0
    for number in range(plan.sets):
        for board, net in players:
            leaves, seed = plan.leaves_per_set(board.height), plan.seed + number
            for n in threads:
                seconds, found, nodes, checksum = search(board, leaves, seed, n, net)
                share = n / max(seconds, 1e-9)
                rates[board, net, n].append((found * share, nodes * share))
                if n == 1:
                    signature = zlib.crc32(f"{checksum}".encode(), signature)
            on_set()
    rows = []
    for (board, net, n), of_sets in rates.items():
        by_leaves, by_nodes = sorted(of_sets, reverse=True)[len(of_sets) // 10]
        rows.append(
            SearchRow(
                game=board.game,
                size=board.height,
                net=net,
                threads=n,
                isa=isa(),
                leaves_per_second=by_leaves,
                nodes_per_second=by_nodes,
            )
        )
    return rows, f"{signature:08x}"
