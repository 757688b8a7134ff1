"""Benchmark of the connection tests, after Browne and Tavener [BT, section 5.3].

Every method replays the same random games, with one test per game (on the full board) or one per
move (until a colour has won); the time of the same moves without tests is subtracted.  Methods
alternate set by set, so that a disturbance of the machine affects them all, and they must agree on
every result.  Times are processor time: other programs on the machine matter only through caches
and clock rate, and hardly at all in the least disturbed sets.

`_bench.pyx` explains how each method is timed and which costs count as its own.
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
from trivalent.core.games import REDUCED_GAMES, make_board
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
"""The methods by their names in `_bench.Replayer`, with their titles."""
YARDSTICK = "wqhuf"
"""The method that the others are compared with."""
MODES = {"per-game": "one test per game", "per-move": "one test per move"}
"""How often a game is tested, with titles."""
MANY_AT_ONCE = frozenset({"bpr-registers", "bpr-sliced"})
"""Methods that test many boards at once, hence only once per game."""

SETS = 250
"""Sets by default: about 30 seconds per size."""
QUICK_SETS = 30
"""Sets of a quick run: about 4 seconds."""
GAMES_PER_SET = 1024
"""Games per set on boards up to 11x11: whole blocks of the bit-sliced reduction."""
REPEATS = 16
"""Replays of a set by methods that take less than 0.1 milliseconds for it."""
REPEATED = frozenset({"bpr", "bpr-registers", "bpr-sliced"})
"""The methods that are so fast, with one test per game."""
BLOCK = 512
"""Games per block of the bit-sliced reduction, which takes as long for one game."""

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
"""Names of methods in the paper, where they differ: it has one BPR to compare all of ours with."""


def methods(mode: str) -> tuple[str, ...]:
    """Return the methods of a mode."""
    return tuple(m for m in METHODS if mode == "per-game" or m not in MANY_AT_ONCE)


def paper_ms(game: str, size: int, mode: str, method: str) -> float | None:
    """Return the paper's milliseconds per 10,000 games, or None if it has no such figure."""
    figures = PAPER.get((mode, game, PAPER_METHODS.get(method, method)))
    return figures[PAPER_SIZES.index(size)] if figures and size in PAPER_SIZES else None


def has_fast_kernel(board: Board) -> bool:
    """Return whether columns of a board are narrower than a 64-bit word.

    If not, a plane takes several vectors on every machine, and boards aren't interleaved.
    """
    return triangle(board).column_bits < 64


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionRow:
    """One result of the benchmark; None where a field doesn't apply.

    Times "of the least disturbed sets" are the 10 % quantile over all sets.
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
    """Milliseconds for all tests of 10,000 games, mean of the sets."""
    ci95: float
    """Half the 95 % confidence interval of that mean; unreliable below 20 sets."""
    paper_ms_per_10k: float | None
    """The figure of the paper."""
    moves_per_game: float
    """Moves per game, all of them or up to the win, mean of the sets."""
    ns_per_move: float
    """Nanoseconds that the tests add to a move, in the least disturbed sets."""
    speedup: float | None
    """Speed relative to WQHUF, in the least disturbed sets."""
    paper_speedup: float | None
    """Speed relative to WQHUF, from the paper's figures."""


@dataclass(frozen=True, slots=True)
class ConnectionPlan:
    """What to measure.  A plan gives the same games on every machine."""

    sizes: tuple[int, ...] = (11,)
    sets: int = SETS
    """At least 2."""
    games: int | None = None
    """Games per set; None for 1024, and fewer on large boards."""
    seed: int = 1
    methods: tuple[str, ...] = tuple(METHODS)

    def games_per_set(self, size: int, mode: str) -> int:
        """Return the number of games per set on a board of a size."""
        if self.games is not None:
            return self.games
        if mode == "per-game":
            return GAMES_PER_SET if size < 20 else BLOCK
        # The slowest method visits size^2 cells after each of size^2 moves.
        return max(10, GAMES_PER_SET * 11**4 // max(size, 11) ** 4)


class _Sample(NamedTuple):
    """Seconds that a set took with and without tests, and the moves played in it."""

    tested: float
    untested: float
    moves: int


class _Measurement:
    """The measurement of one board, set by set."""

    def __init__(self, board: Board, plan: ConnectionPlan) -> None:
        self._board = board
        self._replayer = _bench.Replayer(board)
        self._games = {mode: plan.games_per_set(board.height, mode) for mode in MODES}
        self._samples: dict[str, dict[str, list[_Sample]]] = {
            mode: {method: [] for method in methods(mode) if method in plan.methods}
            for mode in MODES
        }
        self._random = Random(plan.seed)

    def add_set(self) -> list[int]:
        """Measure one set; return its results, which no optimisation may change."""
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

    def rows(self) -> Iterator[ConnectionRow]:
        """Yield a row for each mode and method."""
        for mode, samples in self._samples.items():
            ns = self._ns_per_move(samples)
            unit = ns.get(YARDSTICK, 0.0)
            for method, sets in samples.items():
                yield self._row(
                    mode,
                    method,
                    sets,
                    ns_per_move=ns[method],
                    # On a tiny board or with a coarse clock a method may take no time.
                    speedup=unit / ns[method] if unit > 0 and ns[method] > 0 else None,
                )

    @staticmethod
    def _ns_per_move(samples: dict[str, list[_Sample]]) -> dict[str, float]:
        tested = {m: _least_disturbed(s.tested / s.moves for s in samples[m]) for m in samples}
        untested = {m: _least_disturbed(s.untested / s.moves for s in samples[m]) for m in samples}
        # All methods but one play moves without tests alike, so that the best time serves them all.
        same = min((t for method, t in untested.items() if method != "bpr-sliced"), default=0.0)
        return {
            method: 1e9 * (tested[method] - (untested[method] if method == "bpr-sliced" else same))
            for method in samples
        }

    def _row(
        self, mode: str, method: str, sets: list[_Sample], ns_per_move: float, speedup: float | None
    ) -> ConnectionRow:
        game, size, games = self._board.game, self._board.height, self._games[mode]
        seconds = [(s.tested - s.untested) / games for s in sets]
        paper = paper_ms(game, size, mode, method)
        paper_unit = paper_ms(game, size, mode, YARDSTICK)
        return ConnectionRow(
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
    """Return the 10 % quantile."""
    ordered = sorted(values)
    return ordered[len(ordered) // 10]


def agreed(checksums: dict[str, int], where: str) -> int:
    """Return the checksum common to all methods.

    Raise RuntimeError that names the methods which differ from the majority.
    """
    common = statistics.mode(checksums.values())
    wrong = [METHODS[method] for method, checksum in checksums.items() if checksum != common]
    if wrong:
        names = " and ".join(wrong)
        raise RuntimeError(f"the results of {names} differ from the other methods' on {where}")
    return common


def measure_connection_tests(
    plan: ConnectionPlan, on_set: Callable[[], None] = lambda: None
) -> tuple[list[ConnectionRow], str]:
    """Carry out a plan; return the rows and the signature, a checksum of all results.

    The signature depends on sizes, sets, games and seed, but not on methods, speed or instruction
    set.  Call ``on_set`` after each set of each board.  Raise RuntimeError if methods disagree.
    """
    boards = [make_board(game, size) for game in REDUCED_GAMES for size in plan.sizes]
    measurements = [_Measurement(board, plan) for board in boards]
    signature = 0
    for _ in range(plan.sets):
        for measurement in measurements:
            results = " ".join(map(str, measurement.add_set()))
            signature = zlib.crc32(results.encode(), signature)
            on_set()
    return [row for measurement in measurements for row in measurement.rows()], f"{signature:08x}"
