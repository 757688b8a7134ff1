"""Check what the players take for granted against exhaustive play, and count.

Run as ``python -m trivalent.tools.workshop.soundness --counts FILE``.  The work comes in slices;
each finished slice is a line of JSON in the file, and the same command goes on with the others.  It
ends with a table, and with exit code 1 if anything was wrong.

* *filling in*: it changes the winner for neither side to move, and of winning moves that there are
  pruning leaves one, whether it drops reversible moves or not: in all positions of small boards, in
  random ones of larger boards; by patterns, and with what all of the board shows;
* *connections*: each one of up to `CARRIER` cells stands against every play inside its carrier, as
  found with all `LIMITS` by turns;
* *winners*: where up to `OPEN` cells are empty, who is connected has won, and if only some moves
  prevent a connection all others lose.
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
from trivalent.tools.workshop._soundness import Referee

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

CARRIER = 16
"""Cells of the largest carriers that are played out."""
OPEN = 16
"""Empty cells of the positions in which winners are checked."""

ALL = (("hex", 3, 3), ("hex", 3, 4), ("hex", 4, 3), ("y", 3, 3), ("y", 4, 4), ("hex", 3, 5),
       ("hex", 5, 3), ("y", 5, 5), ("hex", 4, 4))  # fmt: skip
"""The boards all positions of which are looked at."""
RANDOM = (("hex", 4, 5), ("hex", 5, 4), ("hex", 6, 3), ("y", 5, 5), ("y", 6, 6))
CONNECTED = (("hex", 4, 4), ("hex", 5, 5), ("hex", 6, 6), ("hex", 5, 7), ("hex", 7, 7), ("y", 4, 4),
             ("y", 5, 5), ("y", 6, 6), ("y", 7, 7))  # fmt: skip

_POSITIONS_A_SLICE = {"all": 1 << 20, "random": 20_000, "connections": 500}


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
        """The board whose positions are looked at."""
        return make_board(self.game, self.width, self.height)


@dataclass(frozen=True, slots=True)
class Count:
    """What a slice has come to."""

    positions: int
    connections: int
    winners: int
    failures: list[str]


def slices(scale: float) -> list[Slice]:
    """Return the work; 1 is all of it, less is a part of the random positions and small boards.

    What says most comes first: boards whose positions are one slice, then random positions, the
    connections, and all positions of larger boards.
    """
    small: list[Slice] = []
    large: list[Slice] = []
    for board in ALL:
        positions = 3 ** len(make_board(*board))
        if positions <= 3**16 * scale:
            numbers = range(math.ceil(positions / _POSITIONS_A_SLICE["all"]))
            (large if len(numbers) > 1 else small).extend(
                Slice("all", *board, number) for number in numbers
            )
    rest: list[Slice] = []
    for what, boards, positions in (
        ("random", RANDOM, 1_000_000),
        ("connections", CONNECTED, 100_000),
    ):
        number = math.ceil(positions * scale / _POSITIONS_A_SLICE[what] / len(boards))
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
    length = _POSITIONS_A_SLICE["all"]
    first, behind = part.number * length, min((part.number + 1) * length, 3 ** len(board))
    wrong = referee.check_all(filler(board), first, behind, Connections(board))
    return Count(behind - first, 0, 0, [referee.position(index).hex() for index in wrong])


def _random(part: Slice) -> Count:
    positions = _POSITIONS_A_SLICE["random"]
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
    for _ in range(_POSITIONS_A_SLICE["connections"]):
        share = rng.uniform(0.03, 0.3)
        stones = bytes(rng.choices((0, 1, 2), (1 - 2 * share, share, share), k=len(board)))
        if rng.random() < 0.5:
            stones = filler(board).fill(stones, BLACK)[0]
        for colour in (BLACK, WHITE):
            connections.build(stones, colour)
            checked, broken = referee.check_links(connections, stones, CARRIER)
            links += checked
            failures += [f"{stones.hex()} {colour} {link}" for link in broken]
            if stones.count(0) <= OPEN:
                checked, wrong = check_winners(connections, referee, stones, colour)
                winners += checked
                failures += [f"{stones.hex()} {colour} {claim}" for claim in wrong]
    return Count(_POSITIONS_A_SLICE["connections"], links, winners, failures)


def check_winners(
    connections: Connections, referee: Referee, stones: bytes, colour: int
) -> tuple[int, list[str]]:
    """Check what the connections between the sides say of the result.

    Return how many claims these were, and those that are wrong.
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
    """Do a part of the work."""
    return _CHECKS[part.what](part)


def _read(path: Path) -> dict[Slice, Count]:
    """Return what is done already; a line that was being written when all ended does not count."""
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
    """Do what is left to do, and show what has come out."""
    parser = argparse.ArgumentParser(description="Check what players rely on by exhaustive play.")
    parser.add_argument("--counts", type=Path, required=True, metavar="FILE", help="the results")
    parser.add_argument(
        "--scale", type=float, default=1.0, metavar="X", help="a part of the work (default: 1)"
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
    sys.exit(main())
