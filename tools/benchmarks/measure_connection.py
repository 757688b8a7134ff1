"""Measuring the connection tests, after Browne and Tavener [BT, section 5.3].

Every method replays the same random games, with one test per game (on the full board) or one per
move (until a colour has won); the time of the same moves without tests is taken off.  The methods
take turns set by set, so that whatever disturbs the machine for a while disturbs them all, and have
to agree on every result.  Times are processor time: of other programs on the machine only what they
do to caches and clock rate is felt, and the least disturbed sets show hardly that.

How each method is timed, and what is its own expense, stands in _bench.pyx.
"""

from __future__ import annotations

import math
import statistics
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from trivalent.core._isa import chosen as isa
from trivalent.core._random import Random
from trivalent.core.connection._triangle import triangle
from trivalent.core.games import GAMES, make_board
from trivalent.tools.benchmarks import _bench

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from trivalent.core.board import Board

METHODS = {
    "uf": "UF",
    "wqhuf": "WQHUF",
    "path": "Path",
    "bfs": "BFS",
    "bpr-printed": "BPR printed",
    "bpr": "BPR",
    "bpr-registers": "BPR-registers",
    "bpr+": "BPR+",
    "bpr-sliced": "BPR-sliced",
}
"""The methods, by the names that `_bench.Replayer` takes, each with its title."""
YARDSTICK = "wqhuf"
"""The method that the others are compared with."""
MODES = {"per-game": "one test per game", "per-move": "one test per move"}
"""When a game is tested, each with its title."""
MANY_AT_ONCE = frozenset({"bpr-registers", "bpr-sliced"})
"""The methods that test many boards together, which there are not after a move."""

SETS = 250
"""Sets in a run of about 30 seconds for one size."""
QUICK_SETS = 30
"""Sets in a run of about 4 seconds."""
GAMES_A_SET = 1024
"""Games in a set on boards up to 11x11: whole blocks for the bit-sliced reduction."""
REPEATS = 16
"""Times that a set is replayed by a method that is done with it in less than 0.1 milliseconds."""
REPEATED = frozenset({"bpr", "bpr-registers", "bpr-sliced"})
"""These methods, once a game."""
BLOCK = 512
"""Games that the bit-sliced reduction takes as long for as for one."""

PAPER_SIZES = (7, 9, 11, 13, 15, 17, 19)
PAPER = {
    ("per-game", "hex", "uf"): (34.47, 64.30, 94.34, 121.7, 160.6, 205.5, 256.2),
    ("per-game", "hex", "wqhuf"): (35.90, 62.60, 91.21, 119.8, 153.6, 196.0, 245.3),
    ("per-game", "hex", "path"): (9.83, 16.83, 23.51, 31.15, 40.98, 51.77, 64.14),
    ("per-game", "hex", "bpr"): (1.44, 2.61, 3.16, 4.30, 5.13, 7.04, 8.60),
    ("per-game", "y", "uf"): (30.85, 52.30, 69.23, 94.57, 123.5, 159.0, 197.4),
    ("per-game", "y", "wqhuf"): (30.76, 51.37, 68.34, 93.80, 123.2, 157.1, 194.1),
    ("per-game", "y", "path"): (7.05, 12.54, 16.91, 23.22, 29.42, 38.38, 48.31),
    ("per-game", "y", "bpr"): (0.70, 1.19, 1.42, 1.78, 2.32, 2.94, 3.31),
    ("per-move", "hex", "uf"): (38.39, 66.67, 92.35, 128.8, 170.4, 218.4, 279.8),
    ("per-move", "hex", "wqhuf"): (38.59, 66.61, 92.93, 128.0, 170.8, 219.9, 278.7),
    ("per-move", "hex", "path"): (159.6, 419.4, 757.8, 1379.0, 2334.0, 3778.0, 5924.0),
    ("per-move", "hex", "bpr+"): (65.93, 131.4, 226.8, 357.5, 508.7, 708.0, 943.1),
    ("per-move", "y", "uf"): (21.57, 31.63, 40.12, 53.45, 67.15, 85.48, 100.1),
    ("per-move", "y", "wqhuf"): (21.90, 32.14, 40.75, 53.67, 68.00, 86.88, 103.5),
    ("per-move", "y", "path"): (82.36, 179.9, 312.8, 543.0, 890.5, 1430.0, 2067.0),
    ("per-move", "y", "bpr+"): (22.64, 47.34, 83.34, 126.2, 182.2, 251.9, 342.5),
}
"""Milliseconds per 10,000 games by mode, game and method, for `PAPER_SIZES` [BT, tables 2, 3]."""


PAPER_METHODS = {"bpr-printed": "bpr", "bpr-registers": "bpr"}
"""Under which name the paper has a method: there is one BPR, which each of ours stands beside."""


def methods(mode: str) -> tuple[str, ...]:
    """Return the methods of a mode."""
    return tuple(m for m in METHODS if mode == "per-game" or m not in MANY_AT_ONCE)


def paper_ms(game: str, size: int, mode: str, method: str) -> float | None:
    """Return the milliseconds per 10,000 games of the paper, or None where it has none."""
    figures = PAPER.get((mode, game, PAPER_METHODS.get(method, method)))
    return figures[PAPER_SIZES.index(size)] if figures and size in PAPER_SIZES else None


def has_fast_class(board: Board) -> bool:
    """Return whether the columns of a board are narrower than a 64-bit word.

    Where they are not, a plane is several vectors on every machine and nothing is interleaved.
    """
    return triangle(board).column_bits < 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One figure of the benchmark: None where a field does not apply.

    The least disturbed sets are the fastest tenth; the time is that of the slowest among them.
    """

    game: str
    size: int
    mode: str
    """``per-game`` or ``per-move``."""
    method: str
    """A name of `METHODS`."""
    isa: str
    """The instruction set of the kernels."""
    ms_per_10k: float
    """Milliseconds for all tests of 10,000 games: mean of the sets."""
    ci95: float
    """Half of the 95 % confidence interval of that mean; means little below 20 sets."""
    paper_ms_per_10k: float | None
    """What the paper has for that."""
    moves_per_game: float
    """The moves of a game, all of them or up to the win: mean of the sets."""
    ns_per_move: float
    """Nanoseconds that the tests add to a move, in the least disturbed sets."""
    speedup: float | None
    """How many times as fast as WQHUF, in the least disturbed sets."""
    paper_speedup: float | None
    """The same of the paper's figures."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to measure.  The same plan gives the same games on every machine."""

    sizes: tuple[int, ...] = (11,)
    sets: int = SETS
    """At least 2."""
    games: int | None = None
    """Games a set; None: 1024, and on large boards fewer, lest a set take for ever."""
    seed: int = 1
    methods: tuple[str, ...] = tuple(METHODS)

    def games_a_set(self, size: int, mode: str) -> int:
        """Return the number of games in a set on a board of that size."""
        if self.games is not None:
            return self.games
        if mode == "per-game":
            return GAMES_A_SET if size < 20 else BLOCK
        # The slowest method looks at size^2 cells after each of size^2 moves.
        return max(10, GAMES_A_SET * 11**4 // max(size, 11) ** 4)


class _Sample(NamedTuple):
    """Seconds that one set took with and without tests, and the moves played in it."""

    tested: float
    untested: float
    moves: int


class _Measurement:
    """All that is measured on one board, set by set."""

    def __init__(self, board: Board, plan: Plan) -> None:
        self._board = board
        self._replayer = _bench.Replayer(board)
        self._games = {mode: plan.games_a_set(board.height, mode) for mode in MODES}
        self._samples: dict[str, dict[str, list[_Sample]]] = {
            mode: {method: [] for method in methods(mode) if method in plan.methods}
            for mode in MODES
        }
        self._random = Random(plan.seed)

    def add_set(self) -> list[int]:
        """Measure one set; return what came out, which no optimisation may change."""
        results = []
        for mode, samples in self._samples.items():
            orders = _bench.orders(len(self._board), self._games[mode], self._random)
            checksums = {}
            for method, sets in samples.items():
                for _ in range(REPEATS if mode == "per-game" and method in REPEATED else 1):
                    tested, untested, moves, checksums[method] = self._replayer.time_set(
                        method, every_move=mode == "per-move", orders=orders
                    )
                    sets.append(_Sample(tested, untested, moves))
            results.append(agreed(checksums, f"{self._board}, {MODES[mode]}"))
        return results

    def rows(self) -> Iterator[Row]:
        """Give a row for each mode and method."""
        for mode, samples in self._samples.items():
            ns = self._ns_per_move(samples)
            unit = ns.get(YARDSTICK, 0.0)
            for method, sets in samples.items():
                yield self._row(
                    mode,
                    method,
                    sets,
                    ns_per_move=ns[method],
                    # On a tiny board, or by a coarse clock, a method may take no time.
                    speedup=unit / ns[method] if unit > 0 and ns[method] > 0 else None,
                )

    @staticmethod
    def _ns_per_move(samples: dict[str, list[_Sample]]) -> dict[str, float]:
        tested = {m: _least_disturbed(s.tested / s.moves for s in samples[m]) for m in samples}
        untested = {m: _least_disturbed(s.untested / s.moves for s in samples[m]) for m in samples}
        # The moves without tests are the same for all but one: the best of all will do.
        same = min((t for method, t in untested.items() if method != "bpr-sliced"), default=0.0)
        return {
            method: 1e9 * (tested[method] - (untested[method] if method == "bpr-sliced" else same))
            for method in samples
        }

    def _row(
        self, mode: str, method: str, sets: list[_Sample], ns_per_move: float, speedup: float | None
    ) -> Row:
        game, size, games = self._board.game, self._board.height, self._games[mode]
        seconds = [(s.tested - s.untested) / games for s in sets]
        paper = paper_ms(game, size, mode, method)
        paper_unit = paper_ms(game, size, mode, YARDSTICK)
        return Row(
            game=game,
            size=size,
            mode=mode,
            method=method,
            isa=isa(),
            ms_per_10k=1e7 * statistics.fmean(seconds),
            ci95=1e7 * 1.96 * statistics.stdev(seconds) / math.sqrt(len(seconds)),
            paper_ms_per_10k=paper,
            moves_per_game=statistics.fmean(s.moves / games for s in sets),
            ns_per_move=ns_per_move,
            speedup=speedup,
            paper_speedup=paper_unit / paper if paper and paper_unit else None,
        )


def _least_disturbed(values: Iterable[float]) -> float:
    """Return what one value in ten is below."""
    ordered = sorted(values)
    return ordered[len(ordered) // 10]


def agreed(checksums: dict[str, int], where: str) -> int:
    """Return the checksum that all methods have.

    Raise RuntimeError naming the methods that differ from the others.
    """
    common = statistics.mode(checksums.values())
    wrong = [METHODS[method] for method, checksum in checksums.items() if checksum != common]
    if wrong:
        names = " and ".join(wrong)
        raise RuntimeError(f"the results of {names} differ from the other methods' on {where}")
    return common


def measure(plan: Plan, on_set: Callable[[], None] = lambda: None) -> tuple[list[Row], str]:
    """Carry out a plan; return the rows and the signature, a checksum over all results.

    The signature depends on sizes, sets, games and seed, not on methods, speed or instruction set.
    ``on_set`` is called after each set of each board.  Raise RuntimeError if methods disagree.
    """
    boards = [make_board(game, size) for game in GAMES for size in plan.sizes]
    measurements = [_Measurement(board, plan) for board in boards]
    signature = 0
    for _ in range(plan.sets):
        for measurement in measurements:
            results = " ".join(map(str, measurement.add_set()))
            signature = zlib.crc32(results.encode(), signature)
            on_set()
    return [row for measurement in measurements for row in measurement.rows()], f"{signature:08x}"
