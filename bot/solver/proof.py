"""Proofs of who wins: a strategy of the winner, small enough to be written down and checked.

A *node* of a strategy says what the winner can *join*, though the loser moves first: of the points
of its goal, all that are the winner's in the end will be in one chain.  Points are cells, and sides
of the board, which always count.  A node needs some stones, and the cells of its *carrier*, which
are empty, or the winner's, too; all other cells may be the loser's.  It has *replies*: to take a
cell, the key, and then to rely on other nodes, its parts, whose carriers have nothing in common.
Whatever cell the loser takes, the winner chooses a reply that does not use it; so what a reply uses
says which moves it answers, and no cell may be used by all replies.  A reply without a key, a pass,
holds by itself: a loser who goes into a part is answered there.

A node may take for granted that some points are linked, as stones or other nodes see to it: in a
reply, the stones, what the node itself takes for granted, and the parts before.

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

``with`` names stones that a node needs beside those that its parts need, and ``given`` points that
it takes to be linked, as in ``given b2-top``.  The last line is what the winner does first: to
pass if the loser is to move.  `trivalent verify` checks all of this, and has nothing in common
with what makes it.
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
    """A way for the winner to go on."""

    key: int | None
    """The cell to take; None: the parts hold as it is."""
    parts: tuple[int, ...] = ()
    """The numbers of the nodes to rely on then, from 0."""


class Node(NamedTuple):
    """What the winner can join.  Sets of cells and sides are bits of integers, see `Strategy`."""

    goal: int
    links: tuple[int, ...]
    """Sets of points that are taken to be linked."""
    stones: int
    """Stones that are needed beside those that parts need."""
    replies: tuple[Reply, ...]
    needs: int
    """All stones that are needed."""
    carrier: int
    """The cells that are needed beside those: empty ones, or further stones."""


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
        self.around = [sum(1 << other for other in near) for near in board.neighbours]
        for side, cells in enumerate(board.sides, len(board)):
            for cell in cells.cells:
                self.around[cell] |= 1 << side
        self._numbers: dict[tuple[object, ...], int] = {}

    def used(self, reply: Reply, stones: int) -> int:
        """Return the cells that a reply uses, but for stones that the winner has."""
        key = 0 if reply.key is None else 1 << reply.key
        cells = 0
        for part in reply.parts:
            cells |= self.nodes[part].carrier
        return key | cells & ~stones

    def add(
        self, goal: int, replies: Iterable[Reply], mine: int, links: Iterable[int] = ()
    ) -> int | None:
        """Return the number of a node, a new one if there is none like it.

        It gets those of the winner's stones that it needs; None if they are not enough.
        """
        replies, links = tuple(replies), tuple(links)
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
        number = self._numbers.setdefault((goal, links, stones, replies), len(self.nodes))
        if number == len(self.nodes):
            self.nodes.append(Node(goal, links, stones, replies, needs, carrier))
        return number

    def _inherited(self, reply: Reply) -> int:
        """Return the stones that a reply needs for its parts."""
        stones = 0
        for part in reply.parts:
            stones |= self.nodes[part].needs
        return stones if reply.key is None else stones & ~(1 << reply.key)

    def _shared(self, reply: Reply) -> int:
        """Return the cells that several parts would use, were they not stones."""
        once = twice = 0
        for part in reply.parts:
            carrier = self.nodes[part].carrier
            twice |= once & carrier
            once |= carrier
        return twice if reply.key is None else twice & ~(1 << reply.key)

    def _joining(
        self, goal: int, reply: Reply, links: tuple[int, ...], have: int, mine: int
    ) -> int | None:
        """Return which stones it takes, beside those there are, for a reply to join a goal."""
        key = 0 if reply.key is None else 1 << reply.key
        before = have
        joined = [*links]
        for part in reply.parts:
            node = self.nodes[part]
            for wanted in node.links:
                more = self.join(wanted, joined, have | key, mine)
                if more is None:
                    return None
                have |= more
            joined.append(node.goal)
        more = self.join(goal, joined, have | key, mine, key)
        return None if more is None else (have | more) & ~before

    def join(self, goal: int, links: list[int], have: int, mine: int, key: int = 0) -> int | None:
        """Return which stones it takes, beside some, to join a goal if some points are linked.

        None if no stones do.  The chain is where the goal has stones, or beside it, or where a key
        or a link is.
        """
        if any(goal & ~link == 0 for link in links):
            return 0
        beside = reduce(or_, links, self._near(goal & self.cells, links)) & (have | mine)
        starts = goal & have or beside | key or mine
        found = [self._completion(1 << s, goal, links, have, mine) for s in members(starts)]
        return min((f for f in found if f is not None), key=int.bit_count, default=None)

    def _completion(
        self, start: int, goal: int, links: list[int], have: int, mine: int
    ) -> int | None:
        """Return stones by which a chain comes from a start to all points of a goal."""
        before = have
        have |= start
        while goal & ~(chain := self._chain(start, links, have)):
            path = self._path(chain, goal & ~chain, links, have, mine)
            if path is None:
                return None
            have |= path
        return have & ~before

    def _chain(self, start: int, links: list[int], have: int) -> int:
        """Return the points of a chain, and those that it touches."""
        chain = fresh = start
        while inner := fresh & have:
            fresh = self._near(inner, links) & ~chain
            chain |= fresh
        return chain

    def _near(self, cells: int, links: list[int]) -> int:
        """Return what is next to some cells, or linked to them."""
        near = 0
        for cell in members(cells):
            near |= self.around[cell]
        for link in links:
            if link & cells:
                near |= link
        return near

    def _path(self, chain: int, missing: int, links: list[int], have: int, mine: int) -> int | None:
        """Return the fewest stones by which a chain comes to one of the missing points."""
        before: dict[int, int] = {}
        queue = deque(members(chain & have))
        seen = chain & have
        for cell in members(chain & mine & ~have):  # which the chain touches
            before[cell] = -1
            queue.append(cell)
            seen |= 1 << cell
        while queue:
            cell = queue.popleft()
            near = self._near(1 << cell, links)
            if near & missing:
                path = 0
                while cell >= 0:
                    path |= 1 << cell
                    cell = before.get(cell, -1)
                return path & ~have
            for other in members(near & (have | mine) & ~seen):
                seen |= 1 << other
                before[other] = cell
                if have >> other & 1:
                    queue.appendleft(other)  # it costs nothing
                else:
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
            if node.links:
                words += ["given", *("-".join(names[p] for p in members(l)) for l in node.links)]
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
