"""``trivalent verify``: check a proof of who wins, independently of how it was found.

`trivalent.bot.solver.proof` describes the format.  The checker shares no code with the prover; of
the program it uses only the boards and the drawing for the user.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, NamedTuple

from trivalent.core.board import BLACK, WHITE, Colour
from trivalent.core.games import make_board
from trivalent.core.position import Position
from trivalent.gtp.engine.diagram import draw
from trivalent.tools.common.output_files import STANDARD
from trivalent.tools.common.record_source import opened

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable


class InvalidProofError(ValueError):
    """A proof that doesn't hold or can't be parsed; the message names the line and the reason."""


class _Node(NamedTuple):
    """A connection: the points it joins, by number (cells, then sides), and the cells it needs."""

    goal: _Points
    links: list[_Points]
    stones: _Points
    carrier: _Points


_Points = frozenset[int]
# A reply of the winner: the cell it takes, if any, and the connections it then relies on.
_Reply = tuple[_Points, list[_Node]]
_NODE = re.compile(
    r"(\d+): join((?: \w+)+?)(?: given((?: [\w-]+)+?))?(?: with((?: \w+)+))?(?:: (.+))?"
)
_REPLY = re.compile(r"(?:pass|([a-z]+\d+))(?: by((?: \d{1,9})+))?", re.ASCII)


def check(lines: Iterable[str]) -> tuple[Position, Colour, int]:
    """Return the position, its proven winner, and the number of nodes.

    Raise InvalidProofError if the proof is wrong.
    """
    return _Checker(lines).check()


class _Checker:
    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = enumerate(lines, 1)
        self.line = 0
        self.nodes: list[_Node] = []

    def wrong(self, reason: str) -> InvalidProofError:
        return InvalidProofError(f"line {self.line}: {reason}")

    def next(self) -> str:
        self.line, text = next(self.lines, (self.line + 1, ""))
        return text.rstrip()

    def field(self, pattern: str) -> tuple[str, ...]:
        found = re.fullmatch(pattern, self.next(), re.ASCII)
        if not found:
            raise self.wrong(f"expected {pattern!r}")
        return found.groups()

    def check(self) -> tuple[Position, Colour, int]:
        position, winner = self.read_header()
        while not (text := self.next()).startswith("first: "):
            self.nodes.append(self.read_node(text))
        first = self.read_reply(text.removeprefix("first: "))
        if first[0] and position.to_play is not winner:
            raise self.wrong(f"it isn't {winner}'s turn")
        goal = frozenset(self.size + side for side in self.board.goal(winner))
        mine = frozenset(c for c in range(self.size) if position.stone(c) is winner)
        stones, [used] = self.needs(goal, [], mine, [first])
        if wrong := (stones - mine) | (used | first[0]).difference(position.empty_cells):
            raise self.wrong(f"the proof doesn't fit what is on {self.names[min(wrong)]}")
        if self.next():
            raise self.wrong("unexpected text after the line 'first:'")
        return position, winner, len(self.nodes)

    def read_header(self) -> tuple[Position, Colour]:
        self.field("trivalent proof 1")
        game, width, height = self.field(r"board: (hex|y) (\d\d?)x(\d\d?)")
        try:
            self.board = make_board(game, int(width), int(height))
        except ValueError as error:
            raise self.wrong(str(error)) from None
        self.size = len(self.board)
        self.names = (*self.board.names, *(side.name for side in self.board.sides))
        self.around = [set(cells) for cells in self.board.neighbours]
        for point, side in enumerate(self.board.sides, self.size):
            for cell in side.cells:
                self.around[cell].add(point)
        position = Position(self.board)
        for colour in (BLACK, WHITE):
            for cell in self.points(self.field(rf"{colour}:((?: \w+)*)")[0], self.size):
                if position.stone(cell):
                    raise self.wrong(f"two stones on {self.names[cell]}")
                position.setup(cell, colour)
        position.to_play = Colour[self.field("to play: (black|white)")[0].upper()]
        return position, Colour[self.field("winner: (black|white)")[0].upper()]

    def points(self, names: str | None, end: int) -> _Points:
        """Return the points with these names; only numbers below ``end`` are allowed."""
        found = [self.names.index(n) if n in self.names else end for n in (names or "").split()]
        if len(set(found)) < len(found) or max(found, default=-1) >= end:
            raise self.wrong("a name is repeated or unknown")
        return frozenset(found)

    def read_reply(self, text: str) -> _Reply:
        found = _REPLY.fullmatch(text)
        if not found:
            raise self.wrong(f"{text[:40]!r} isn't a reply")
        numbers = [int(number) for number in (found[2] or "").split()]
        if numbers and not 1 <= min(numbers) <= max(numbers) <= len(self.nodes):
            raise self.wrong("a reply relies on a node that doesn't come before it")
        return self.points(found[1], self.size), [self.nodes[number - 1] for number in numbers]

    def read_node(self, text: str) -> _Node:
        """Parse a node and check it: there must be a reply to every move of the loser."""
        found = _NODE.fullmatch(text)
        if not found or found[1] != str(len(self.nodes) + 1):
            raise self.wrong(f"expected '{len(self.nodes) + 1}: join ...' or 'first: ...'")
        end = len(self.names)
        goal = self.points(found[2], end)
        links = [self.points(x.replace("-", " "), end) for x in (found[3] or "").split()]
        replies = [self.read_reply(reply) for reply in (found[5] or "pass").split("; ")]
        stones, uses = self.needs(goal, links, self.points(found[4], self.size), replies)
        carrier = _Points().union(*uses)
        # A reply without a key needs no move: an intrusion into one of its parts is answered there.
        for cell in sorted(carrier) if all(key for key, _ in replies) else ():
            if all(cell in used for used in uses):
                raise self.wrong(f"there is no reply to {self.names[cell]}")
        return _Node(goal, links, stones, carrier)

    def needs(
        self, goal: _Points, links: list[_Points], stones: _Points, replies: list[_Reply]
    ) -> tuple[_Points, list[_Points]]:
        """Return the stones that the replies need and the cells that each uses.

        Raise InvalidProofError unless every reply joins the goal.
        """
        stones = stones.union(*(p.stones - key for key, parts in replies for p in parts))
        for key, parts in replies:
            joined = [*links]
            for part in parts:
                if not all(self.joins(link, stones | key, joined) for link in part.links):
                    raise self.wrong("a part relies on a connection that doesn't exist")
                joined.append(part.goal)
            if not self.joins(goal, stones | key, joined):
                raise self.wrong("a reply doesn't join the goal")
        return stones, [self.used(key, parts, stones) for key, parts in replies]

    def used(self, key: _Points, parts: list[_Node], stones: _Points) -> _Points:
        """Return the empty cells that a reply uses, each for one purpose only."""
        cells = key - stones
        for part in parts:
            carrier = part.carrier - stones - key
            if cells & carrier:
                raise self.wrong(f"{self.names[min(cells & carrier)]} is used twice")
            cells |= carrier
        return cells

    def joins(self, goal: _Points, stones: _Points, links: list[_Points]) -> bool:
        """Return whether stones and links join the points of a goal in one chain."""
        for start in stones:
            chain, grown = _Points(), _Points([start])
            while chain != grown:
                chain = grown
                # The chain doesn't continue beyond a side or an empty cell.
                inner = chain & stones
                near = [link for link in links if not link.isdisjoint(inner)]
                grown = chain.union(*(self.around[cell] for cell in inner), *near)
            if goal <= chain:
                return True
        return any(goal <= link for link in links)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``trivalent verify``."""
    parser.add_argument(
        "proof",
        metavar="FILE",
        help="a proof written by `trivalent solve --proof`; - reads standard input",
    )


def main(arguments: argparse.Namespace) -> int:
    """Run ``trivalent verify``; return 1 and report where the proof fails if it is wrong."""
    name = "standard input" if arguments.proof == STANDARD else arguments.proof
    try:
        with opened(arguments.proof) as file:
            position, winner, nodes = check(line.decode("ascii", "replace") for line in file)
    except (OSError, InvalidProofError) as error:
        reason = f"refuted: {error}" if isinstance(error, InvalidProofError) else error.strerror
        sys.stderr.write(f"{name}: {reason}\n")
        return 1
    sys.stdout.write(
        f"{draw(position)}\n{name}: proven in {nodes} steps: {winner} wins "
        f"{position.board} with {position.to_play} to move\n"
    )
    return 0
