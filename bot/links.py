"""Virtual connections as strategies: what H-search has found, taken apart into its ANDs and ORs."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from trivalent.bot.proof import Reply, members

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trivalent.bot._connections import Connections
    from trivalent.bot.proof import Strategy

_SIDES = 2  # the first chains


class Links:
    """The connections of the winner in one position, and the nodes of a strategy for them.

    Points are those of `Connections`: cells and, numbered behind them, chains, the two sides first.
    What H-search has thrown away may be missing from the grounds of what it has kept; then there is
    no node.
    """

    def __init__(self, strategy: Strategy, connections: Connections, mine: int, empty: int) -> None:
        """Take the connections that have been built for a position."""
        self._strategy = strategy
        self._mine = mine
        self._empty = empty
        board = strategy.board
        self._neighbours = board.neighbours
        self._size = size = len(board)
        self._side_points = [1 << (size + side) for side in board.goal(strategy.winner)]
        self._chains: dict[int, int] = defaultdict(int)
        for cell, point in enumerate(connections.points):
            if point >= size:
                self._chains[point] |= 1 << cell
        self._found: dict[tuple[int, int], list[tuple[bool, list[int], int]]] = defaultdict(list)
        for full, chain, point, cells, key in connections.all():
            self._found[_ends(size + chain, point)].append((full, cells, key))
        self._fulls: dict[tuple[int, int], list[int]] = {}
        self._semis: dict[tuple[int, int], list[tuple[int, int]]] = {}
        self._known: dict[tuple[int, int, int], tuple[int, ...] | None] = {}

    def between_sides(self) -> tuple[int, ...] | None:
        """Return nodes that join the sides together, if they can be had."""
        first, second = self._size, self._size + 1
        for carrier in sorted(self._fulls_between(first, second), key=int.bit_count):
            parts = self._full(first, second, carrier)
            if parts is not None:
                return parts
        return None

    def threats(self) -> list[Reply]:
        """Return the replies after which the sides are joined."""
        first, second = self._size, self._size + 1
        found = []
        for carrier, key in self._semis_between(first, second):
            parts = self._semi(first, second, carrier, key)
            if parts is not None:
                found.append(Reply(key, parts))
        return found

    def _full(self, a: int, b: int, carrier: int) -> tuple[int, ...] | None:
        """Return the nodes that a connection between two points consists of."""
        question = (*_ends(a, b), carrier)
        if question not in self._known:
            self._known[question] = None  # nothing is its own ground
            parts = () if not carrier else self._and(a, b, carrier)
            if parts is None:
                number = self._or(a, b, carrier)
                parts = None if number is None else (number,)
            self._known[question] = parts
        return self._known[question]

    def _and(self, a: int, b: int, carrier: int) -> tuple[int, ...] | None:
        """Take a connection apart at a chain."""
        for via in self._chains:
            # At a side connections meet, but stones need not.
            if via in (a, b) or via < self._size + _SIDES:
                continue
            for first in self._fulls_between(a, via):
                if first & ~carrier:
                    continue
                for second in self._fulls_between(via, b):
                    if second & ~carrier or first & second:
                        continue
                    parts = self._both((a, via, first), (via, b, second))
                    if parts is not None:
                        return parts
        return None

    def _both(
        self, one: tuple[int, int, int], other: tuple[int, int, int]
    ) -> tuple[int, ...] | None:
        first = self._full(*one)
        second = None if first is None else self._full(*other)
        return None if first is None or second is None else first + second

    def _or(self, a: int, b: int, carrier: int) -> int | None:
        """Return the node of a connection that is made by whichever of its semis is left."""
        left = carrier
        replies = []
        if max(a, b) < self._size:  # a bridge, which is all that there is between cells
            semis = [(1 << cell, cell) for cell in members(carrier)]
        else:
            semis = self._semis_between(a, b)
        for cells, key in semis:
            if cells & ~carrier or left & ~cells == 0:
                continue
            parts = self._semi(a, b, cells, key)
            if parts is not None:
                replies.append(Reply(key, parts))
                left &= self._strategy.used(replies[-1], self._mine)
                if not left:
                    goal = self._end(a, replies[0]) | self._end(b, replies[0])
                    return self._strategy.add(goal, replies, self._mine)
        return None

    def _fulls_between(self, a: int, b: int) -> list[int]:
        """Return the carriers of connections, with a chain at one end at least."""
        ends = _ends(a, b)
        if ends not in self._fulls:
            self._fulls[ends] = [_set(cells) for full, cells, _ in self._found[ends] if full]
        return self._fulls[ends]

    def _semis_between(self, a: int, b: int) -> list[tuple[int, int]]:
        """Return the carriers and keys of semi connections, with a chain at one end at least."""
        ends = _ends(a, b)
        if ends not in self._semis:
            found = ((_set(cells), key) for full, cells, key in self._found[ends] if not full)
            self._semis[ends] = sorted(found, key=lambda semi: semi[0].bit_count())
        return self._semis[ends]

    def _semi(self, a: int, b: int, carrier: int, key: int) -> tuple[int, ...] | None:
        """Return the nodes that are left of a semi connection once the key is taken."""
        for first in self._steps(a, key):
            if first & ~carrier:
                continue
            for second in self._steps(b, key):
                if second & ~carrier or first & second:
                    continue
                parts = self._both((a, key, first), (b, key, second))
                if parts is not None:
                    return parts
        return None

    def _steps(self, point: int, key: int) -> Sequence[int]:
        """Return the carriers of the connections of a point with an empty cell."""
        if point >= self._size:
            return self._fulls_between(point, key)
        if key in self._neighbours[point]:
            return (0,)
        bridge = [cell for cell in self._neighbours[point] if cell in self._neighbours[key]]
        cells = sum(1 << cell for cell in bridge) & self._empty
        return (cells,) if cells.bit_count() == 2 else ()

    def _end(self, point: int, reply: Reply) -> int:
        """Return the point of a goal for one end of a connection: a side, or a stone near by."""
        if point < self._size:
            return 1 << point
        if point < self._size + _SIDES:
            return self._side_points[point - self._size]
        stones = self._chains[point]
        near = 0
        for part in reply.parts:
            near |= self._strategy.nodes[part].goal
        if reply.key is not None:
            near |= sum(1 << cell for cell in self._neighbours[reply.key])
        return 1 << next(members(stones & near or stones))


def _ends(a: int, b: int) -> tuple[int, int]:
    return (a, b) if a < b else (b, a)


def _set(cells: Iterable[int]) -> int:
    found = 0
    for cell in cells:
        found |= 1 << cell
    return found
