"""Measuring the tree search: how many leaves it evaluates a second, and how fast its tree grows.

From the empty board, on one core and on all.  Times are processor time, as in
`trivalent.tools.benchmarks.measure_playouts`.
"""

from __future__ import annotations

import os
import time
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trivalent.bot.player import Stop
from trivalent.bot.players.mcts import make_tree
from trivalent.bot.players.mcts_parameters import MctsParameters
from trivalent.core._isa import chosen as isa
from trivalent.core.board import BLACK
from trivalent.core.games import GAMES, make_board

if TYPE_CHECKING:
    from collections.abc import Callable

    from trivalent.core.board import Board

SIZES = (7, 11, 14, 19)
"""The board sizes unless others are asked for."""
SETS = 20
"""Sets in a run of about 10 seconds."""
QUICK_SETS = 4
"""Sets in a run of about 2 seconds."""
LEAVES_A_SET = 4096
"""Leaves in a set on boards up to 11x11."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRow:
    """One figure of the benchmark."""

    game: str
    size: int
    threads: int
    isa: str
    """The instruction set of the kernels."""
    leaves_per_second: float
    """Of all threads together, in the least disturbed sets: a tenth of the sets are faster."""
    nodes_per_second: float
    """Positions whose moves have entered the tree, in that set."""


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """What to measure.  The same plan gives the same searches by one thread on every machine."""

    sizes: tuple[int, ...] = SIZES
    sets: int = SETS
    leaves: int | None = None
    """Leaves a set; None: 4,096, and fewer on boards above 11x11."""
    seed: int = 1
    threads: tuple[int, ...] = ()
    """Numbers of threads; none: one, and one for each core."""

    def leaves_a_set(self, size: int) -> int:
        """Return the number of leaves in a set on a board of that size."""
        if self.leaves is not None:
            return self.leaves
        return max(16, LEAVES_A_SET * 11**3 // max(size, 11) ** 3)

    def numbers_of_threads(self) -> tuple[int, ...]:
        """Return the numbers of threads, each once."""
        return tuple(sorted(set(self.threads or (1, len(os.sched_getaffinity(0))))))


def search(board: Board, leaves: int, seed: int, threads: int) -> tuple[float, int, int, int]:
    """Search the empty board; return seconds, leaves, nodes, and a checksum of what came out.

    There are fewer leaves if the result is proven before.
    """
    tree = make_tree(board, MctsParameters(seed=seed), threads)
    tree.set_position(bytes(len(board)), BLACK, -1, 0)
    start = time.process_time()
    tree.run(leaves, -1.0, Stop(), threads)
    seconds = time.process_time() - start
    return seconds, tree.leaves, tree.nodes, zlib.crc32(repr(tree.moves()).encode())


def measure_search(
    plan: SearchPlan, on_set: Callable[[], None] = lambda: None
) -> tuple[list[SearchRow], str]:
    """Carry out a plan; return the rows and the signature, a checksum over what one thread finds.

    The signature depends on sizes, sets, leaves and seed, not on threads, speed or instruction set.
    ``on_set`` is called after each set of each board.
    """
    boards = [make_board(game, size) for game in GAMES for size in plan.sizes]
    threads = plan.numbers_of_threads()
    rates: dict[tuple[Board, int], list[tuple[float, float]]] = {
        (board, n): [] for board in boards for n in threads
    }
    signature = 0
    for number in range(plan.sets):
        for board in boards:
            leaves, seed = plan.leaves_a_set(board.height), plan.seed + number
            for n in threads:
                seconds, found, nodes, checksum = search(board, leaves, seed, n)
                share = n / max(seconds, 1e-9)
                rates[board, n].append((found * share, nodes * share))
                if n == 1:
                    signature = zlib.crc32(f"{checksum}".encode(), signature)
            on_set()
    rows = []
    for (board, n), of_sets in rates.items():
        by_leaves, by_nodes = sorted(of_sets, reverse=True)[len(of_sets) // 10]
        rows.append(
            SearchRow(
                game=board.game,
                size=board.height,
                threads=n,
                isa=isa(),
                leaves_per_second=by_leaves,
                nodes_per_second=by_nodes,
            )
        )
    return rows, f"{signature:08x}"
