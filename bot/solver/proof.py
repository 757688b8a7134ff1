"""Proofs of who wins: a strategy of the winner, small enough to write down and check.

A *node* of a strategy says what the winner can *join* even if the loser moves first: all points of
its goal that belong to the winner in the end will be in one chain.  Points are cells and sides of
the board; sides always belong to the winner.  A node needs some stones, and the cells of its
*carrier*, which must be empty or the winner's; all other cells may be the loser's.  It has
*replies*: take a cell, the key, and then rely on other nodes, the parts, whose carriers are
disjoint.  Whatever cell the loser takes, the winner chooses a reply that doesn't use it.  So the
cells that a reply uses tell which moves it answers, and no cell may be used by all replies.  A
reply without a key, a pass, holds as it is: if the loser plays into a part, he is answered there.

A node may take it as given that some points are linked, because stones or other nodes see to it:
in a reply, these are the stones, what the node itself takes as given, and the parts before.

The written form names cells as the board does, and nodes by numbers from 1:

    trivalent proof 1
    board: hex 3x3
    black: b2
    white:
    to play: white
    winner: black
    1: join top b2: b1; c1
    2: join b2 bottom: a3; b3
    3: join top bottom with b2: pass by 1 2
    first: pass by 3

``with`` names stones that a node needs besides those that its parts need; ``given`` names points
that it takes to be linked, as in ``given b2-top``.  The last line is the winner's first reply: a
pass if the loser is to move.  `trivalent verify` checks all of this and shares no code with the
prover.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_
from typing import TYPE_CHECKING, NamedTuple

from trivalent.core.board import BLACK, WHITE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from trivalent.core.board import Board, Colour

FORMAT = "trivalent proof 1"
"""The first line of a proof."""


class Reply(NamedTuple):
    """A way for the winner to continue."""

    key: int | None
    """The cell to take; None for a pass: the parts hold as they are."""
    parts: tuple[int, ...] = ()
    """The numbers of the nodes to rely on then, from 0."""


class Node(NamedTuple):
    """What the winner can join.  Sets of points are bits of integers, see `Strategy`."""

    goal: int
    given: tuple[int, ...]
    """Sets of points taken as linked."""
    stones: int
    """Stones needed besides those that the parts need."""
    replies: tuple[Reply, ...]
    needs: int
    """All stones needed."""
    carrier: int
    """Cells needed besides those: empty, or further stones of the winner."""


class Strategy:
    """Nodes that rely only on earlier ones; equal nodes are kept once.

    In sets of points, bit c is cell c; the sides of the board follow the cells.
    """

    def __init__(self, board: Board, winner: Colour) -> None:
        self.board = board
        self.winner = winner
        self.nodes: list[Node] = []
        self.cells = (1 << len(board)) - 1
        """All cells."""
        self.sides = sum(1 << (len(board) + side) for side in board.goal(winner))
        """The sides that the winner must join."""
        self.around = [sum(1 << other for other in near) for near in board.neighbours]
        self.around += (sum(1 << cell for cell in side.cells) for side in board.sides)
        for side, cells in enumerate(board.sides, len(board)):
            for cell in cells.cells:
                self.around[cell] |= 1 << side
        self._numbers: dict[tuple[object, ...], list[int]] = {}
        """Nodes that differ in their stones only."""

    def used(self, reply: Reply, stones: int) -> int:
        """Return the cells that a reply uses, except stones that the winner has."""
        key = 0 if reply.key is None else 1 << reply.key
        cells = 0
        for part in reply.parts:
            cells |= self.nodes[part].carrier
        return key | cells & ~stones

    def add(
        self, goal: int, replies: Iterable[Reply], mine: int, links: Iterable[int] = ()
    ) -> int | None:
        """Add a node unless there's one that joins the same in the same way; return its number.

        The node gets those of the winner's stones that it needs.  Return None if they don't
        suffice.
        """
        replies, links = tuple(replies), tuple(links)
        alike = self._numbers.setdefault((goal, links, replies), [])
        for number in alike:
            if not self.nodes[number].needs & ~mine:
                return number
        inherited = 0
        for reply in replies:
            inherited |= self._inherited(reply)
        needs = inherited
        for reply in replies or (Reply(None),):
            more = self._joining(goal, reply, links, needs, mine)
            if more is None:
                return None
            needs |= more | self._shared(reply)
        if replies and all(reply.key is not None for reply in replies):
            needs |= reduce(and_, (self.used(reply, needs) for reply in replies))
        stones = needs & ~inherited
        if stones & ~mine:
            return None
        carrier = reduce(or_, (self.used(reply, needs) for reply in replies), 0)
        alike.append(len(self.nodes))
        self.nodes.append(Node(goal, links, stones, replies, needs, carrier))
        return alike[-1]

    def _inherited(self, reply: Reply) -> int:
        """Return the stones that a reply needs for its parts."""
        stones = 0
        for part in reply.parts:
            stones |= self.nodes[part].needs
        return stones if reply.key is None else stones & ~(1 << reply.key)

    def _shared(self, reply: Reply) -> int:
        """Return the cells that several parts would use if they weren't stones."""
        once = twice = 0
        for part in reply.parts:
            carrier = self.nodes[part].carrier
            twice |= once & carrier
            once |= carrier
        return twice if reply.key is None else twice & ~(1 << reply.key)

    def _joining(
        self, goal: int, reply: Reply, links: tuple[int, ...], have: int, mine: int
    ) -> int | None:
        """Return the stones needed, besides ``have``, for a reply to join a goal, or None."""
        key = 0 if reply.key is None else 1 << reply.key
        before = have
        joined = [*links]
        for part in reply.parts:
            node = self.nodes[part]
            for wanted in node.given:
                more = self.join(wanted, joined, have | key, mine)
                if more is None:
                    return None
                have |= more
            joined.append(node.goal)
        more = self.join(goal, joined, have | key, mine)
        return None if more is None else (have | more) & ~before

    def join(self, goal: int, links: list[int], have: int, mine: int) -> int | None:
        """Return the stones needed, besides ``have``, to join a goal given some links; or None.

        The paths from all points of the goal meet at a stone, the one where they need the fewest.
        """
        for link in links:
            if not goal & ~link:
                return 0
        ends = [self._near(point, links) | 1 << point for point in members(goal)]
        stones = have
        for end in ends:
            stones = self._flood(stones & end, links, stones)
        if stones:
            return 0
        if not mine & ~have:
            return None
        first, *others = (self._paths(end, links, have, mine) for end in ends)
        found = [
            reduce(or_, (paths[stone] for paths in others), path)
            for stone, path in first.items()
            if all(stone in paths for paths in others)
        ]
        return min(found, key=int.bit_count, default=None)

    def _near(self, point: int, links: list[int]) -> int:
        """Return the points next to one or linked to it."""
        near = self.around[point]
        for link in links:
            if link >> point & 1:
                near |= link
        return near

    def _flood(self, found: int, links: list[int], stones: int) -> int:
        """Return the stones in one chain with those found."""
        if found == stones:
            return found
        fresh = found
        while fresh:
            point = fresh.bit_length() - 1
            more = self._near(point, links) & stones & ~found
            found |= more
            fresh ^= 1 << point | more
        return found

    def _paths(self, end: int, links: list[int], have: int, mine: int) -> dict[int, int]:
        """Return, for each stone, the fewest stones besides ``have`` that lead to it from an end.

        The end is given as the points next to it.
        """
        paths: dict[int, int] = {}
        left = have | mine
        queue = deque((stone, 0) for stone in members(end & have))
        queue.extend((stone, 1 << stone) for stone in members(end & mine & ~have))
        while queue:
            stone, path = queue.popleft()
            if stone in paths:
                continue
            paths[stone] = path
            left &= ~(1 << stone)
            for other in members(self._near(stone, links) & left):
                if have >> other & 1:
                    queue.appendleft((other, path))  # costs no stone
                else:
                    queue.append((other, path | 1 << other))
        return paths


@dataclass(frozen=True, slots=True)
class Proof:
    """A proof that a player wins a position."""

    board: Board
    stones: bytes
    """One byte per cell: 0 empty, 1 black, 2 white."""
    to_play: Colour
    winner: Colour
    nodes: tuple[Node, ...]
    first: Reply
    """The winner's first reply: a pass if the loser is to move."""

    @classmethod
    def of(cls, strategy: Strategy, stones: bytes, to_play: Colour, first: Reply) -> Proof:
        """Return a strategy as a proof, reduced to the nodes that it needs."""
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
        return frozenset(cell for cell in members(cells) if not self.stones[cell])

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
            if node.given:
                words += ["given", *("-".join(names[p] for p in members(l)) for l in node.given)]
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
    """Yield the numbers of the bits in a set, the lowest first."""
    while cells:
        lowest = cells & -cells
        yield lowest.bit_length() - 1
        cells ^= lowest
