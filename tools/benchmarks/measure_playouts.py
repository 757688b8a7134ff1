"""Benchmark of random playouts: how many per second, for every way of filling the board.

It measures playouts one board at a time and bit-sliced, from the empty and a half-full board, on
one core and on all.  Times are processor time, as in `measure_connection`.  The figure of several
threads adds up the rates that each achieves in its own processor time while the others work: it
shows what threads cost each other in caches and clock rate, but not what other programs take.
"""

from __future__ import annotations

import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from threading import Barrier
from typing import TYPE_CHECKING, Literal

from trivalent.core._isa import chosen as isa
from trivalent.core._random import Random
from trivalent.core.games import GAMES, REDUCED_GAMES, make_board
from trivalent.core.playouts.playout import black_wins, statistics
from trivalent.core.position import Position
from trivalent.core.processors import usable_cores

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from trivalent.core.board import Board

FILLS = {
    "uniform": "one board at a time, every balanced filling equally likely",
    "coins": "a fair coin for each cell",
    "balanced": "every balanced filling equally likely",
    "bridges": "coins, with a stone of each colour in each bridge of the position",
    "repair": "coins, with broken bridges repaired afterwards",
    "bridges+repair": "coins with both",
    "in-turn": "cell by cell, with an immediate reply to every intrusion into a bridge",
}
"""The ways of filling with a description; all but the first are bit-sliced."""

_KINDS: dict[str, Literal["balanced", "in-turn"]] = {"balanced": "balanced", "in-turn": "in-turn"}

SETS = 100
"""Sets by default: about 10 seconds per size."""
QUICK_SETS = 20
"""Sets of a quick run: about 2 seconds."""
PLAYOUTS_PER_SET = 1 << 18
"""Bit-sliced playouts per set on boards up to 11x11."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayoutRow:
    """One result of the benchmark."""

    game: str
    size: int
    fill: str
    """A name of `FILLS`."""
    empties: int
    """Number of empty cells of the starting position."""
    threads: int
    isa: str
    """The instruction set of the kernels."""
    playouts_per_second: float
    """Total of all threads in the least disturbed sets: the 90 % quantile."""


@dataclass(frozen=True, slots=True)
class PlayoutPlan:
    """What to measure.  A plan gives the same playouts on every machine."""

    sizes: tuple[int, ...] = (11,)
    """Empty for the usual size of each game."""
    sets: int = SETS
    playouts: int | None = None
    """Playouts per set; None for 262,144, and fewer above 11x11 or one board at a time."""
    seed: int = 1
    threads: tuple[int, ...] = ()
    """Numbers of threads to measure; empty for one, and one per core."""
    games: tuple[str, ...] = REDUCED_GAMES

    def boards(self) -> list[Board]:
        """Return the boards to measure: of every size, or of each game's usual size."""
        return [
            make_board(game, size)
            for game in self.games
            for size in self.sizes or (GAMES[game].default_size,)
        ]

    def playouts_per_set(self, size: int, fill: str) -> int:
        """Return the number of playouts per set on a board of a size."""
        if self.playouts is not None:
            return self.playouts
        # A reduction takes size^3 steps; a single playout takes about 32 times as long.
        count = PLAYOUTS_PER_SET * 11**3 // max(size, 11) ** 3
        return max(64, count // 32) if fill == "uniform" else max(512, count // 512 * 512)

    def numbers_of_threads(self) -> tuple[int, ...]:
        """Return the distinct numbers of threads."""
        return tuple(sorted(set(self.threads or (1, usable_cores()))))


def half_full(board: Board, seed: int) -> Position:
    """Return a position with random alternating stones on half of the cells.

    It has fewer stones if a player wins earlier.
    """
    position = Position(board)
    random = Random(seed)
    for _ in range(len(board) // 2):
        cells = position.legal_moves
        if not cells:
            break
        position.play(position.to_play, cells[random.below(len(cells))])
    return position


def play(position: Position, fill: str, count: int, seed: int) -> tuple[object, ...]:
    """Carry out playouts; return their results."""
    if fill == "uniform":
        return (black_wins(position, count, Random(seed)),)
    found = statistics(
        position,
        count,
        seed,
        fill=_KINDS.get(fill, "coins"),
        bridges="bridges" in fill,
        repair=float("repair" in fill),
    )
    return found.black_wins, found.black_owned, found.black_owned_and_won


class _Team:
    """A number of threads that do the same work at the same time; one is the calling thread."""

    def __init__(self, threads: int, exit_stack: ExitStack) -> None:
        self.threads = threads
        self._pool = exit_stack.enter_context(ThreadPoolExecutor(threads))
        self._barrier = Barrier(threads)

    def time(self, work: Callable[[], object]) -> tuple[list[float], set[int]]:
        """Do the work in every thread; return the seconds of each, and the distinct checksums."""
        others = [self._pool.submit(self._one, work) for _ in range(self.threads - 1)]
        results = [self._one(work), *(future.result() for future in others)]
        return [seconds for seconds, _ in results], {result for _, result in results}

    def _one(self, work: Callable[[], object]) -> tuple[float, int]:
        self._barrier.wait()
        start = time.thread_time()
        result = work()
        seconds = time.thread_time() - start
        return seconds, zlib.crc32(repr(result).encode())


class _Measurement:
    """The measurement of one position, set by set."""

    def __init__(self, position: Position, plan: PlayoutPlan, teams: list[_Team]) -> None:
        self._position = position
        self._teams = teams
        self._seed = plan.seed
        size = position.board.height
        self._counts = {fill: plan.playouts_per_set(size, fill) for fill in FILLS}
        self._rates: dict[tuple[str, int], list[float]] = {
            (fill, team.threads): [] for fill in FILLS for team in teams
        }

    def add_set(self, number: int) -> list[int]:
        """Measure one set; return its results, which no optimisation may change."""
        results: list[int] = []
        for fill, count in self._counts.items():
            work = partial(play, self._position, fill, count, self._seed * 1_000_003 + number)
            found: set[int] = set()
            for team in self._teams:
                seconds, checksums = team.time(work)
                # With a coarse clock a few playouts may take no time.
                self._rates[fill, team.threads].append(sum(count / max(s, 1e-9) for s in seconds))
                found |= checksums
            if len(found) != 1:
                raise RuntimeError(f"the same {fill} playouts differ on {self._position.board}")
            results.extend(found)
        return results

    def rows(self) -> Iterator[PlayoutRow]:
        """Yield a row for each fill and number of threads."""
        board = self._position.board
        for (fill, threads), rates in self._rates.items():
            yield PlayoutRow(
                game=board.game,
                size=board.height,
                fill=fill,
                empties=len(self._position.empty_cells),
                threads=threads,
                isa=isa(),
                playouts_per_second=sorted(rates, reverse=True)[len(rates) // 10],
            )


def measure_playouts(
    plan: PlayoutPlan, on_set: Callable[[], None] = lambda: None
) -> tuple[list[PlayoutRow], str]:
    """Carry out a plan; return the rows and the signature, a checksum of all results.

    The signature depends on sizes, sets, playouts and seed, but not on threads, speed or
    instruction set.  Call ``on_set`` after each set of each board.  Raise RuntimeError if threads
    disagree.
    """
    boards = plan.boards()
    with ExitStack() as exit_stack:
        teams = [_Team(threads, exit_stack) for threads in plan.numbers_of_threads()]
        measurements = [
            [
                _Measurement(Position(board), plan, teams),
                _Measurement(half_full(board, plan.seed), plan, teams),
            ]
            for board in boards
        ]
        signature = 0
        for number in range(plan.sets):
            for of_board in measurements:
                for measurement in of_board:
                    results = " ".join(map(str, measurement.add_set(number)))
                    signature = zlib.crc32(results.encode(), signature)
                on_set()
    rows = [row for of_board in measurements for m in of_board for row in m.rows()]
    return rows, f"{signature:08x}"
