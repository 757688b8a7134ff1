"""Proofs of who wins: a strategy of the winner, small enough to be written down and checked.

A *node* of a strategy says that the winner can *join* some points in one chain, its goal, though
the loser moves first: cells with stones of the winner, and sides of the board.  It needs some
stones, and the empty cells of its *carrier*; all other cells may be the loser's.  It has *replies*:
to take a cell, the key, and then to rely on other nodes, its parts, whose carriers have nothing in
common.  Whatever cell the loser takes, the winner chooses a reply that does not use it; so what a
reply uses says which moves it answers, and no cell may be used by all replies.  A reply without a
key, a pass, holds by itself: a loser who goes into a part is answered there.

The written form names cells as the board does, and nodes by numbers from 1:

    trivalent proof 1
    board: hex 3x3
    black: b2
    white:
    to play: white
    winner: black
    1: join top b2: b1; c1
    2: join b2 bottom: a3; b3
    3: join top bottom: pass by 1 2
    first: pass by 3

``with`` names stones that a node needs beside those of its goal and those that its parts need.
The last line is what the winner does first: ``pass`` if the loser is to move.  `trivalent verify`
checks all of this, and has nothing in common with what makes it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, NamedTuple

from trivalent.core.board import BLACK, WHITE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from trivalent.core.board import Board, Colour

FORMAT = "trivalent proof 1"
"""The first line of a proof."""


class Reply(NamedTuple):
    """A way for the winner to go on."""

    key: int | None
    """The cell to take; None: the parts hold as it is."""
    parts: tuple[int, ...] = ()
    """The numbers of the nodes to rely on then, from 0."""


class Node(NamedTuple):
    """What the winner can join.  Sets of cells and sides are bits of integers, see `Strategy`."""

    goal: int
    stones: int
    """Stones that are needed beside those of the goal and those that parts need."""
    replies: tuple[Reply, ...]
    needs: int
    """All stones that are needed."""
    carrier: int
    """The empty cells that are needed."""


class Strategy:
    """Nodes that rely on earlier ones only; equal ones are kept once.

    In sets, bit c is the cell c, and behind the cells come the sides of the board.
    """

    def __init__(self, board: Board, winner: Colour) -> None:
        self.board = board
        self.winner = winner
        self.nodes: list[Node] = []
        self.cells = (1 << len(board)) - 1
        """All cells."""
        self.sides = sum(1 << (len(board) + side) for side in board.goal(winner))
        """The sides that win when they are joined."""
        self._around = [sum(1 << other for other in near) for near in board.neighbours]
        for side, cells in enumerate(board.sides, len(board)):
            for cell in cells.cells:
                self._around[cell] |= 1 << side
        self._numbers: dict[tuple[int, int, tuple[Reply, ...]], int] = {}

    def used(self, reply: Reply) -> int:
        """Return the cells that a reply uses."""
        cells = 0 if reply.key is None else 1 << reply.key
        for part in reply.parts:
            cells |= self.nodes[part].carrier
        return cells

    def _needed(self, reply: Reply) -> int:
        """Return the stones that a reply needs for its parts."""
        stones = 0
        for part in reply.parts:
            stones |= self.nodes[part].needs
        return stones if reply.key is None else stones & ~(1 << reply.key)

    def add(self, goal: int, replies: Iterable[Reply], mine: int) -> int | None:
        """Return the number of a node, a new one if there is none like it.

        It gets those of the winner's stones that it needs; None if they do not join the goal.
        """
        replies = tuple(replies)
        needs = goal & self.cells
        carrier = 0
        for reply in replies:
            needs |= self._needed(reply)
            carrier |= self.used(reply)
        inherited = needs | goal
        for reply in replies or (Reply(None),):
            joining = self._joining(goal, reply, needs, mine)
            if joining is None:
                return None
            needs |= joining
        stones = needs & ~inherited
        number = self._numbers.setdefault((goal, stones, replies), len(self.nodes))
        if number == len(self.nodes):
            self.nodes.append(Node(goal, stones, replies, needs, carrier))
        return number

    def _joining(self, goal: int, reply: Reply, have: int, mine: int) -> int | None:
        """Return which stones it takes, beside those there are, for a reply to join a goal."""
        parts = [self.nodes[part].goal for part in reply.parts]
        if any(goal & ~part == 0 for part in parts):
            return 0
        key = 0 if reply.key is None else 1 << reply.key
        have |= key
        # The chain is where the goal is, or what the reply adds; or, in a game that is over, any.
        start = goal & self.cells or key or reduce(or_, parts, 0) & self.cells
        starts = [start & -start] if start else [1 << cell for cell in members(mine)]
        found = [self._completion(first, goal, parts, have, mine) for first in starts]
        return min((f for f in found if f is not None), key=int.bit_count, default=None)

    def _completion(
        self, start: int, goal: int, parts: list[int], have: int, mine: int
    ) -> int | None:
        """Return stones by which a chain comes from a start to all points of a goal."""
        before = have
        have |= start
        while goal & ~(chain := self._chain(start, parts, have)):
            path = self._path(chain, goal & ~chain, have, mine)
            if path is None:
                return None
            have |= path
        return have & ~before

    def _chain(self, start: int, parts: list[int], have: int) -> int:
        """Return what is in one chain with a cell, and the sides that it reaches."""
        chain = fresh = start
        while fresh:
            near = 0
            for cell in members(fresh & self.cells):
                near |= self._around[cell]
            near &= have | ~self.cells
            for part in parts:
                if part & fresh & self.cells:
                    near |= part
            fresh = near & ~chain
            chain |= fresh
        return chain

    def _path(self, chain: int, missing: int, have: int, mine: int) -> int | None:
        """Return the stones of a shortest path from a chain to what it may need."""
        before: dict[int, int] = {}
        queue = [*members(chain & self.cells)]
        for cell in queue:  # which grows
            near = self._around[cell]
            if near & missing or near & have & ~chain:
                path = 0
                while cell in before:
                    path |= 1 << cell
                    cell = before[cell]  # noqa: PLW2901  back to the chain
                return path
            for other in members(near & mine & ~have):
                if other not in before:
                    before[other] = cell
                    queue.append(other)
        return None


@dataclass(frozen=True, slots=True)
class Proof:
    """That somebody wins a position."""

    board: Board
    stones: bytes
    """A byte for each cell: 0 empty, 1 black, 2 white."""
    to_play: Colour
    winner: Colour
    nodes: tuple[Node, ...]
    first: Reply
    """What the winner does at once: passes if the loser is to move."""

    @classmethod
    def of(cls, strategy: Strategy, stones: bytes, to_play: Colour, first: Reply) -> Proof:
        """Return the proof that a strategy is: those of its nodes that are needed."""
        wanted = set(first.parts)
        for number in range(len(strategy.nodes) - 1, -1, -1):
            if number in wanted:
                wanted.update(p for reply in strategy.nodes[number].replies for p in reply.parts)
        kept = sorted(wanted)
        places = {number: place for place, number in enumerate(kept)}

        def renumbered(reply: Reply) -> Reply:
            return Reply(reply.key, tuple(places[part] for part in reply.parts))

        nodes = [strategy.nodes[number] for number in kept]
        return cls(
            strategy.board,
            stones,
            to_play,
            strategy.winner,
            tuple(node._replace(replies=tuple(map(renumbered, node.replies))) for node in nodes),
            renumbered(first),
        )

    @property
    def carrier(self) -> frozenset[int]:
        """The empty cells that the winner needs."""
        cells = 0 if self.first.key is None else 1 << self.first.key
        for part in self.first.parts:
            cells |= self.nodes[part].carrier
        return frozenset(members(cells))

    def text(self) -> str:
        """Return the written form."""
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        board = self.board
        names = (*board.names, *(side.name for side in board.sides))
        yield FORMAT
        yield f"board: {board.game} {board.width}x{board.height}"
        for colour in (BLACK, WHITE):
            cells = (cell for cell, stone in enumerate(self.stones) if stone == colour)
            yield " ".join((f"{colour}:", *(names[cell] for cell in cells)))
        yield f"to play: {self.to_play}"
        yield f"winner: {self.winner}"
        for number, node in enumerate(self.nodes, 1):
            words = [f"{number}: join", *(names[point] for point in members(node.goal))]
            if node.stones:
                words += ["with", *(names[cell] for cell in members(node.stones))]
            replies = "; ".join(_reply(names, reply) for reply in node.replies)
            yield " ".join(words) + (f": {replies}" if replies else "")
        yield f"first: {_reply(names, self.first)}"


def _reply(names: Sequence[str], reply: Reply) -> str:
    words = ["pass" if reply.key is None else names[reply.key]]
    if reply.parts:
        words += ["by", *(str(part + 1) for part in reply.parts)]
    return " ".join(words)


def members(cells: int) -> Iterator[int]:
    """Return the numbers of the bits of a set, the lowest first."""
    while cells:
        lowest = cells & -cells
        yield lowest.bit_length() - 1
        cells ^= lowest
