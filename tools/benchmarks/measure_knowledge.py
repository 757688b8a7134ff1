"""Benchmark of knowledge: the speed of fill-in and of the search for virtual connections.

The positions come from self-play games of mcts with few nodes and are the same in every set.  One
core, processor time, as in `trivalent.tools.benchmarks.measure_playouts`.
"""

from __future__ import annotations

import time
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trivalent.bot import analyse
from trivalent.bot.knowledge._virtual_connections import Connections
from trivalent.bot.knowledge.virtual_connections import LIMITS
from trivalent.core._isa import chosen as isa
from trivalent.core._random import Random
from trivalent.core.board import BLACK, WHITE
from trivalent.core.games import REDUCED_GAMES, make_board
from trivalent.core.position import Position
from trivalent.tools.benchmarks._bench import time_filling

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from trivalent.core.board import Board, Colour

FILLING = "fill-in"
"""The kind of the rows that measure fill-in."""
FILLINGS = {
    "patterns": "dead and captured cells by patterns",
    "inferior": "patterns, and vulnerable or reversible cells pruned",
    "dominated": "patterns, and vulnerable, reversible or dominated cells pruned",
    "whole board": "patterns, simplicial cells and clique-cutset fill-in",
}
"""The methods of fill-in, with a description."""

SEARCHES = {
    "quick": "mcts at nodes with few visits (and, without key probes, of the solver)",
    "large": "mcts on boards of more than 144 cells",
    "wide": "mcts at nodes with many visits, on smaller boards",
    "all": "trivalent explain and HexGui's vc- commands",
}
"""The H-searches by the names of their `LIMITS`, with their users."""

SEMI, FULL = 1, 2
"""Values of `Connections.winner` if such a connection joins the sides."""

MAX_SIZE = 16
"""The largest Hex board within the 256 cells on which connections are found."""

SETS = 10
"""Sets by default: about 40 seconds per size."""
QUICK_SETS = 2
"""Sets of a quick run: about 12 seconds."""
GAMES_PER_BOARD = 4
NODES = 50
"""Nodes per move of these games."""
TWELFTHS = (1, 2, 3, 4)
"""How full the board is in the positions, in twelfths."""
ROUNDS = 50
"""Repetitions of the fill-in of each position per set: one takes only microseconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgeRow:
    """One result of the benchmark."""

    game: str
    size: int
    kind: str
    """`FILLING`, or a name of `SEARCHES`."""
    way: str
    """A name of `FILLINGS`, or ``from scratch`` or ``after a move``: built anew, or updated."""
    isa: str
    """The instruction set of the kernels."""
    per_second: float
    """Positions (per colour, for connections) in the least disturbed sets: the 90 % quantile."""
    ratio: float
    """Speed relative to the first row of its kind."""
    found: float
    """Mean number of cells filled in or pruned, or of connections."""
    full: float | None
    """Share of positions whose sides a full connection joins; None for fill-in."""
    semi: float | None
    """Share of positions whose sides a full or a semi connection joins."""


@dataclass(frozen=True, slots=True)
class KnowledgePlan:
    """What to measure.  A plan has the same positions on every machine."""

    sizes: tuple[int, ...] = (11,)
    sets: int = SETS
    games: int = GAMES_PER_BOARD
    """Games per board."""
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Sample:
    """A position of a game, and the one after the next move."""

    stones: bytes
    to_play: Colour
    after: bytes


@dataclass(slots=True)
class Measured:
    """Time and results of one method on all samples."""

    count: int = 0
    """Number of positions processed."""
    seconds: float = 0.0
    found: int = 0
    full: int = 0
    semi: int = 0
    checksum: int = 0


def samples(board: Board, seed: int) -> list[Sample]:
    """Play a game from a random first move; return its positions filled to `TWELFTHS`."""
    # An additional move in every other position makes both colours move next, also on 11x11.
    wanted = [len(board) * n // 12 + n % 2 for n in TWELFTHS]
    position = Position(board)
    found = []
    for moves in range(max(wanted) + 1):
        if position.winner:
            break
        before, to_play = bytes(position.stones), position.to_play
        if moves:
            cell = analyse(position, nodes=NODES, seed=seed).moves[0].cell
        else:
            cell = Random(seed).below(len(board))
        position.play(to_play, cell)
        found += [Sample(before, to_play, bytes(position.stones))] * wanted.count(moves)
    return found


def fill_in(board: Board, of: list[Sample]) -> dict[str, Measured]:
    """Fill in all samples by all methods."""
    stones = b"".join(sample.stones for sample in of)
    to_play = bytes(sample.to_play for sample in of)
    results = {}
    for way in FILLINGS:
        seconds, filled = time_filling(board, way, stones, to_play, ROUNDS)
        results[way] = Measured(
            count=ROUNDS * len(of),
            seconds=seconds,
            found=ROUNDS * (stones.count(0) - filled.count(0)),
            checksum=zlib.crc32(filled),
        )
    return results


def connect(board: Board, of: list[Sample], limits: dict[str, int]) -> dict[str, Measured]:
    """Find both colours' connections after the moves of all samples, from scratch and updated."""
    before, now = Connections(board, **limits), Connections(board, **limits)
    methods: dict[str, Callable[[Sample, Colour], object]] = {
        "from scratch": lambda sample, colour: now.build(sample.after, colour),
        "after a move": lambda sample, _: before.follow(sample.after, now),
    }
    results = {way: Measured() for way in methods}
    for sample in of:
        for colour in (BLACK, WHITE):
            before.build(sample.stones, colour)
            for way, find in methods.items():
                start = time.process_time()
                find(sample, colour)
                seconds = time.process_time() - start
                measured, links = results[way], now.count
                measured.count += 1
                measured.seconds += seconds
                measured.found += links
                measured.full += now.winner >= FULL
                measured.semi += now.winner >= SEMI
                result = f"{links} {now.winner} {now.mustplay}"
                measured.checksum = zlib.crc32(result.encode(), measured.checksum)
    return results


def measure_set(board: Board, of: list[Sample]) -> Iterator[tuple[str, str, Measured]]:
    """Measure everything once; yield kind, method and results."""
    for way, measured in fill_in(board, of).items():
        yield FILLING, way, measured
    for kind in SEARCHES:
        for way, measured in connect(board, of, LIMITS[kind]).items():
            yield kind, way, measured


def measure_knowledge(
    plan: KnowledgePlan, on_set: Callable[[], None] = lambda: None
) -> tuple[list[KnowledgeRow], str]:
    """Carry out a plan; return the rows and the signature, a checksum of all results.

    The signature depends on sizes, games and seed, but not on sets, speed or instruction set.  Call
    ``on_set`` after each set of each board.  Raise ValueError for boards of more than 256 cells.
    """
    boards = [make_board(game, size) for game in REDUCED_GAMES for size in plan.sizes]
    games = range(plan.seed, plan.seed + plan.games)
    samples_of = {board: [s for seed in games for s in samples(board, seed)] for board in boards}
    results: dict[tuple[Board, str, str], list[Measured]] = {}
    for _ in range(plan.sets):
        for board, of in samples_of.items():
            for kind, way, measured in measure_set(board, of):
                results.setdefault((board, kind, way), []).append(measured)
            on_set()
    rows: list[KnowledgeRow] = []
    signature = 0
    first: dict[tuple[Board, str], float] = {}
    for (board, kind, way), of_sets in results.items():
        measured = sorted(of_sets, key=lambda measured: measured.seconds)[len(of_sets) // 10]
        rate = measured.count / max(measured.seconds, 1e-9)
        rows.append(
            KnowledgeRow(
                game=board.game,
                size=board.height,
                kind=kind,
                way=way,
                isa=isa(),
                per_second=rate,
                ratio=rate / first.setdefault((board, kind), rate),
                found=measured.found / measured.count,
                full=None if kind == FILLING else measured.full / measured.count,
                semi=None if kind == FILLING else measured.semi / measured.count,
            )
        )
        signature = zlib.crc32(f"{measured.checksum}".encode(), signature)
    return rows, f"{signature:08x}"
