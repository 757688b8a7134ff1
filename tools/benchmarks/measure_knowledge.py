"""Measuring how fast what is known of positions is found: cells filled in, and connections.

In positions of games that the strong player plays against itself with few nodes, the same ones in
every set.  On one core, in processor time, as in `trivalent.tools.benchmarks.measure_playouts`.
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
from trivalent.core.games import GAMES, make_board
from trivalent.core.position import Position
from trivalent.tools.benchmarks._bench import time_filling

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from trivalent.core.board import Board, Colour

FILLING = "filling in"
"""The first kind."""
FILLINGS = {
    "patterns": "dead and captured cells by patterns",
    "inferior": "by patterns, with the cells that a reply makes dead",
    "dominated": "by patterns, with those and the cells to which others are preferable",
    "whole board": "by patterns, simplicial cells and regions cut off",
}
"""The ways to fill in, each with what it is."""

SEARCHES = {
    "quick": "mcts at few visits of a position, and, without tries, the solver",
    "large": "mcts on boards of more than 144 cells",
    "wide": "mcts, at many visits, on others",
    "all": "what people are shown",
}
"""The H-searches by their `LIMITS`, each with who uses it."""

SEMI, FULL = 1, 2
"""`Connections.winner` where such a connection joins the sides."""

MAX_SIZE = 16
"""A larger rhombus has more cells than connections are found on."""

SETS = 10
"""Sets in a run of 40 seconds for one size."""
QUICK_SETS = 2
"""Sets in a run of 12 seconds."""
GAMES_A_BOARD = 4
NODES = 50
"""For a move of these games."""
TWELFTHS = (1, 2, 3, 4)
"""How full the board is in the positions that are looked at."""
ROUNDS = 50
"""How often a set fills in each position, which takes microseconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgeRow:
    """One figure of the benchmark."""

    game: str
    size: int
    kind: str
    """`FILLING`, or a name of `SEARCHES`."""
    way: str
    """A name of `FILLINGS`; or ``from scratch``, or ``after a move`` from what was known before."""
    isa: str
    """The instruction set of the kernels."""
    per_second: float
    """Positions filled in, or looked at for one colour, in the least disturbed sets: a tenth of the
    sets are faster."""
    ratio: float
    """To the first row of its kind."""
    found: float
    """On average: cells that are filled in or need not be tried, or connections."""
    full: float | None
    """In which share of them a full connection joins the sides; None for filling in."""
    semi: float | None
    """In which share of them a full or a semi connection does."""


@dataclass(frozen=True, slots=True)
class KnowledgePlan:
    """What to measure.  The same plan looks at the same positions on every machine."""

    sizes: tuple[int, ...] = (11,)
    sets: int = SETS
    games: int = GAMES_A_BOARD
    """Games a board."""
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Sample:
    """A position of a game, and the next one."""

    stones: bytes
    to_play: Colour
    after: bytes


@dataclass(slots=True)
class Outcome:
    """What looking at all samples in some way took, and what it gave."""

    looks: int = 0
    seconds: float = 0.0
    found: int = 0
    full: int = 0
    semi: int = 0
    checksum: int = 0


def samples(board: Board, seed: int) -> list[Sample]:
    """Play a game, from a random first move; return its positions as full as `TWELFTHS` says."""
    # With a move more for every other one both colours are to move, also on 11x11.
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


def fill_in(board: Board, of: list[Sample]) -> dict[str, Outcome]:
    """Fill in all samples, in all ways."""
    stones = b"".join(sample.stones for sample in of)
    to_play = bytes(sample.to_play for sample in of)
    outcomes = {}
    for way in FILLINGS:
        seconds, filled = time_filling(board, way, stones, to_play, ROUNDS)
        outcomes[way] = Outcome(
            looks=ROUNDS * len(of),
            seconds=seconds,
            found=ROUNDS * (stones.count(0) - filled.count(0)),
            checksum=zlib.crc32(filled),
        )
    return outcomes


def connect(board: Board, of: list[Sample], limits: dict[str, int]) -> dict[str, Outcome]:
    """Find the connections of both colours after the moves of all samples, in both ways."""
    before, now = Connections(board, **limits), Connections(board, **limits)
    looks: dict[str, Callable[[Sample, Colour], object]] = {
        "from scratch": lambda sample, colour: now.build(sample.after, colour),
        "after a move": lambda sample, _: before.follow(sample.after, now),
    }
    outcomes = {way: Outcome() for way in looks}
    for sample in of:
        for colour in (BLACK, WHITE):
            before.build(sample.stones, colour)
            for way, look in looks.items():
                start = time.process_time()
                look(sample, colour)
                seconds = time.process_time() - start
                outcome, count = outcomes[way], now.count
                outcome.looks += 1
                outcome.seconds += seconds
                outcome.found += count
                outcome.full += now.winner >= FULL
                outcome.semi += now.winner >= SEMI
                result = f"{count} {now.winner} {now.mustplay}"
                outcome.checksum = zlib.crc32(result.encode(), outcome.checksum)
    return outcomes


def measure_set(board: Board, of: list[Sample]) -> Iterator[tuple[str, str, Outcome]]:
    """Measure all there is once; give kinds, ways and what came out."""
    for way, outcome in fill_in(board, of).items():
        yield FILLING, way, outcome
    for kind in SEARCHES:
        for way, outcome in connect(board, of, LIMITS[kind]).items():
            yield kind, way, outcome


def measure_knowledge(
    plan: KnowledgePlan, on_set: Callable[[], None] = lambda: None
) -> tuple[list[KnowledgeRow], str]:
    """Carry out a plan; return the rows and the signature, a checksum over all that is found.

    The signature depends on sizes, games and seed, not on sets, speed or instruction set.
    ``on_set`` is called after each set of each board.  Raise ValueError for boards of more than 256
    cells.
    """
    boards = [make_board(game, size) for game in GAMES for size in plan.sizes]
    games = range(plan.seed, plan.seed + plan.games)
    looked_at = {board: [s for seed in games for s in samples(board, seed)] for board in boards}
    outcomes: dict[tuple[Board, str, str], list[Outcome]] = {}
    for _ in range(plan.sets):
        for board, of in looked_at.items():
            for kind, way, outcome in measure_set(board, of):
                outcomes.setdefault((board, kind, way), []).append(outcome)
            on_set()
    rows: list[KnowledgeRow] = []
    signature = 0
    first: dict[tuple[Board, str], float] = {}
    for (board, kind, way), of_sets in outcomes.items():
        outcome = sorted(of_sets, key=lambda outcome: outcome.seconds)[len(of_sets) // 10]
        rate = outcome.looks / max(outcome.seconds, 1e-9)
        rows.append(
            KnowledgeRow(
                game=board.game,
                size=board.height,
                kind=kind,
                way=way,
                isa=isa(),
                per_second=rate,
                ratio=rate / first.setdefault((board, kind), rate),
                found=outcome.found / outcome.looks,
                full=None if kind == FILLING else outcome.full / outcome.looks,
                semi=None if kind == FILLING else outcome.semi / outcome.looks,
            )
        )
        signature = zlib.crc32(f"{outcome.checksum}".encode(), signature)
    return rows, f"{signature:08x}"
