"""Check what the players rely on against exhaustive play, and count.

Run ``python -m trivalent.tools.workshop.soundness --counts FILE``.  The work is divided into
slices; each finished slice is a line of JSON in the file, and the same command continues with the
others.  It prints a table at the end and exits with code 1 if anything was wrong.

* *fill-in*: it never changes the winner, whoever moves, and pruning leaves a winning move if there
  is one, with and without reversible moves: in all positions of small boards and random ones of
  larger boards; by patterns, and by all methods for the whole board;
* *connections*: every connection of up to `MAX_CARRIER` cells, found with all `LIMITS` in turn,
  holds against every play inside its carrier;
* *winners*: with up to `MAX_EMPTIES` empty cells, whoever is connected wins, and if only some moves
  stop a connection, all others lose.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import sys
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from trivalent.bot.knowledge._fillin import filler
from trivalent.bot.knowledge._virtual_connections import Connections
from trivalent.bot.knowledge.virtual_connections import LIMITS
from trivalent.core.board import BLACK, WHITE, Board, Colour
from trivalent.core.files import write_file
from trivalent.core.games import make_board
from trivalent.tools.common.endings import run_program
from trivalent.tools.workshop._soundness import Referee

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MAX_CARRIER = 16
"""Cells of the largest carriers that are played out."""
MAX_EMPTIES = 16
"""Empty cells of positions whose winner is checked."""

EXHAUSTIVE = (("hex", 3, 3), ("hex", 3, 4), ("hex", 4, 3), ("y", 3, 3), ("y", 4, 4), ("hex", 3, 5),
       ("hex", 5, 3), ("y", 5, 5), ("hex", 4, 4))  # fmt: skip
"""Boards of which all positions are checked."""
RANDOM = (("hex", 4, 5), ("hex", 5, 4), ("hex", 6, 3), ("y", 5, 5), ("y", 6, 6))
CONNECTED = (("hex", 4, 4), ("hex", 5, 5), ("hex", 6, 6), ("hex", 5, 7), ("hex", 7, 7), ("y", 4, 4),
             ("y", 5, 5), ("y", 6, 6), ("y", 7, 7))  # fmt: skip

POSITIONS_PER_SLICE = {"all": 1 << 20, "random": 20_000, "connections": 500}


@dataclass(frozen=True, slots=True)
class Slice:
    """A part of the work."""

    what: str
    """``all``, ``random`` or ``connections``."""
    game: str
    width: int
    height: int
    number: int

    @property
    def board(self) -> Board:
        """The board whose positions are checked."""
        return make_board(self.game, self.width, self.height)


@dataclass(frozen=True, slots=True)
class Count:
    """The result of a slice."""

    positions: int
    connections: int
    winners: int
    failures: list[str]


def slices(scale: float) -> list[Slice]:
    """Return the slices of the work, or a share of it.

    With ``scale`` below 1, large boards and random positions are left out.  The most informative
    slices come first: boards whose positions are one slice, random positions, connections, and
    finally all positions of larger boards.
    """
    small: list[Slice] = []
    large: list[Slice] = []
    for board in EXHAUSTIVE:
        positions = 3 ** len(make_board(*board))
        if positions <= 3**16 * scale:
            numbers = range(math.ceil(positions / POSITIONS_PER_SLICE["all"]))
            (large if len(numbers) > 1 else small).extend(
                Slice("all", *board, number) for number in numbers
            )
    rest: list[Slice] = []
    for what, boards, positions in (
        ("random", RANDOM, 1_000_000),
        ("connections", CONNECTED, 100_000),
    ):
        number = math.ceil(positions * scale / POSITIONS_PER_SLICE[what] / len(boards))
        rest += [Slice(what, *board, i) for i in range(number) for board in boards]
    return small + rest + large


@lru_cache(maxsize=1)
def _with_table(board: Board) -> Referee:
    referee = Referee(board)
    referee.tabulate()
    return referee


def _all(part: Slice) -> Count:
    board = part.board
    referee = _with_table(board)
    length = POSITIONS_PER_SLICE["all"]
    first, end = part.number * length, min((part.number + 1) * length, 3 ** len(board))
    wrong = referee.check_all(filler(board), first, end, Connections(board))
    return Count(end - first, 0, 0, [referee.position(index).hex() for index in wrong])


def _random(part: Slice) -> Count:
    positions = POSITIONS_PER_SLICE["random"]
    referee = Referee(part.board)
    wrong = referee.check_random(
        filler(part.board), positions, part.number, Connections(part.board)
    )
    return Count(positions, 0, 0, [stones.hex() for stones in wrong])


def _connections(part: Slice) -> Count:
    board = part.board
    rng = random.Random(f"{board} {part.number}")
    limits = list(LIMITS.values())[part.number % len(LIMITS)]
    referee, connections = Referee(board), Connections(board, **limits)
    links = winners = 0
    failures = []
    for _ in range(POSITIONS_PER_SLICE["connections"]):
        share = rng.uniform(0.03, 0.3)
        stones = bytes(rng.choices((0, 1, 2), (1 - 2 * share, share, share), k=len(board)))
        if rng.random() < 0.5:
            stones = filler(board).fill(stones, BLACK)[0]
        for colour in (BLACK, WHITE):
            connections.build(stones, colour)
            checked, broken = referee.check_links(connections, stones, MAX_CARRIER)
            links += checked
            failures += [f"{stones.hex()} {colour} {link}" for link in broken]
            if stones.count(0) <= MAX_EMPTIES:
                checked, wrong = check_winners(connections, referee, stones, colour)
                winners += checked
                failures += [f"{stones.hex()} {colour} {claim}" for claim in wrong]
    return Count(POSITIONS_PER_SLICE["connections"], links, winners, failures)


def check_winners(
    connections: Connections, referee: Referee, stones: bytes, colour: int
) -> tuple[int, list[str]]:
    """Check what connections between the sides claim about the result.

    Return the number of claims, and those that are wrong.
    """
    claims = []
    opponent = Colour(colour).opponent
    if connections.winner:
        claims.append((f"to play {colour}", referee.winner(stones, colour) == colour))
    if connections.winner == 2:
        claims.append((f"to play {opponent:d}", referee.winner(stones, opponent) == colour))
    must = connections.mustplay
    if must is not None:
        for cell, stone in enumerate(stones):
            if stone == 0 and cell not in must:
                after = stones[:cell] + bytes([opponent]) + stones[cell + 1 :]
                claims.append((f"cell {cell} loses", referee.winner(after, colour) == colour))
    return len(claims), [claim for claim, holds in claims if not holds]


_CHECKS: dict[str, Callable[[Slice], Count]] = {
    "all": _all,
    "random": _random,
    "connections": _connections,
}


def check(part: Slice) -> Count:
    """Check one slice."""
    return _CHECKS[part.what](part)


def _read(path: Path) -> dict[Slice, Count]:
    """Return the finished slices; a line cut off when the program was killed doesn't count."""
    done = {}
    if path.exists():
        for line in path.read_text("utf-8").splitlines(keepends=True):
            if line.endswith("\n"):
                both = json.loads(line)
                done[Slice(**both["slice"])] = Count(**both["count"])
    return done


def _line(part: Slice, count: Count) -> str:
    return json.dumps({"slice": asdict(part), "count": asdict(count)}) + "\n"


def _table(done: dict[Slice, Count]) -> str:
    lines = [f"{'':12}{'board':10}{'positions':>14}{'connections':>14}{'winners':>12}{'wrong':>8}"]
    groups: dict[tuple[str, str], list[Count]] = {}
    for part, count in done.items():
        groups.setdefault((part.what, str(part.board)), []).append(count)
        groups.setdefault((part.what, "together"), []).append(count)
    for (what, board), counts in sorted(groups.items()):
        sums = (
            sum(count.positions for count in counts),
            sum(count.connections for count in counts),
            sum(count.winners for count in counts),
            sum(len(count.failures) for count in counts),
        )
        figures = "".join(f"{n:>{width},}" for n, width in zip(sums, (14, 14, 12, 8), strict=True))
        lines.append(f"{what:12}{board:10}{figures}")
    return "\n".join(lines) + "\n"


def main(words: Sequence[str] | None = None) -> int:
    """Do the remaining work and print the result."""
    parser = argparse.ArgumentParser(
        description="Check by exhaustive play what the players rely on."
    )
    parser.add_argument(
        "--counts", type=Path, required=True, metavar="FILE", help="where to keep the results"
    )
    parser.add_argument(
        "--scale",
        type=float,
        default=1.0,
        metavar="X",
        help="the share of the work to do (default: 1)",
    )
    arguments = parser.parse_args(words)
    os.nice(max(0, 10 - os.nice(0)))
    done = _read(arguments.counts)
    text = "".join(_line(part, count) for part, count in done.items())
    write_file(arguments.counts, lambda path: path.write_text(text, "utf-8"))
    with arguments.counts.open("a", encoding="utf-8") as file:
        for part in slices(arguments.scale):
            if part not in done:
                done[part] = check(part)
                file.write(_line(part, done[part]))
                file.flush()
    sys.stdout.write(_table(done))
    return any(count.failures for count in done.values())


if __name__ == "__main__":
    sys.exit(run_program(main))
