"""Virtual connections as strategies: what H-search has found, with the grounds that it had."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trivalent.bot.solver.proof import Reply, members

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trivalent.bot.knowledge._virtual_connections import Connections
    from trivalent.bot.solver.proof import Strategy

Parts = tuple[int, ...]


class ConnectionProofs:
    """The connections of the winner in one position, and the nodes of a strategy for them.

    Points are those of `Connections`: cells and, numbered behind them, chains, the sides first.
    Where H-search went over a side to come from one stone to another there is no node: the stones
    need not be in one chain.  There is none for the crossing rule either.
    """

    def __init__(self, strategy: Strategy, connections: Connections, mine: int) -> None:
        """Take the connections that have been built for a position, until others are."""
        self._strategy = strategy
        self._connections = connections
        self._mine = mine
        self._size = len(strategy.board)
        self._side_points = [
            1 << (self._size + side) for side in strategy.board.goal(strategy.winner)
        ]
        self._stones: dict[int, int] = {}
        """Of each chain."""
        for cell, point in enumerate(connections.points):
            if point >= self._size:
                self._stones[point] = self._stones.get(point, 0) | 1 << cell
        self._known: dict[int, Parts | None] = {}

    def between_sides(self) -> Parts | None:
        """Return nodes that join the sides together, if they can be had."""
        for number in self._connections.links(self._size, self._size + 1, full=True):
            parts = self._full(number)
            if parts is not None and self._wins(Reply(None, parts)):
                return parts
        return None

    def threats(self) -> list[Reply]:
        """Return the replies after which the sides are joined."""
        numbers = self._connections.links(self._size, self._size + 1, full=False)
        replies = [self._semi(number) for number in numbers]
        return [reply for reply in replies if reply is not None and self._wins(reply)]

    def _wins(self, reply: Reply) -> bool:
        key = 0 if reply.key is None else 1 << reply.key
        goals = [self._strategy.nodes[part].goal for part in reply.parts]
        mine = self._mine | key
        return self._strategy.join(self._strategy.sides, goals, mine, mine) is not None

    def _full(self, number: int) -> Parts | None:
        """Return the nodes that a connection consists of."""
        if number not in self._known:
            first, last, cells, _, rule, grounds = self._connections.link(number)
            if not cells:
                self._known[number] = ()
            elif rule == "or":
                self._known[number] = self._or(first, last, grounds)
            else:
                self._known[number] = _all(map(self._part, grounds))
        return self._known[number]

    def _or(self, first: int, last: int, semis: list[int]) -> Parts | None:
        """Return the node of a connection by whichever of some semi connections is left."""
        replies = [self._semi(semi) for semi in semis]
        found = [reply for reply in replies if reply is not None]
        if len(found) < len(replies):
            return None
        goal = self._end(first, found[0]) | self._end(last, found[0])
        if (first, last) == (self._size, self._size + 1):  # which in Y stands for all three
            goal = self._strategy.sides
        node = self._strategy.add(goal, found, self._mine)
        return None if node is None else (node,)

    def _semi(self, number: int) -> Reply | None:
        """Return the reply that makes a semi connection full."""
        _, point, cells, key, rule, grounds = self._connections.link(number)
        if rule == "cross":
            return None
        parts = _all(
            self._step(key, point, cells) if ground < 0 else self._part(ground)
            for ground in grounds
        )
        return None if parts is None else Reply(key, parts)

    def _part(self, number: int) -> Parts | None:
        """Return the nodes of a full, or those that the key of a semi leaves."""
        if self._connections.link(number)[3] < 0:
            return self._full(number)
        reply = self._semi(number)
        return None if reply is None else reply.parts

    def _step(self, key: int, cell: int, carrier: list[int]) -> Parts | None:
        """Return the nodes for a step from a key to another cell: none, or that of a bridge."""
        if key in self._strategy.board.neighbours[cell]:
            return ()
        both = self._strategy.around[key] & self._strategy.around[cell]
        bridge = [Reply(other) for other in carrier if both >> other & 1]
        node = self._strategy.add(1 << key | 1 << cell, bridge, self._mine)
        return None if node is None else (node,)

    def _end(self, point: int, reply: Reply) -> int:
        """Return the point of a goal for one end of a connection: a side, or a stone near by."""
        if point < self._size:
            return 1 << point
        if point - self._size < len(self._side_points):
            return self._side_points[point - self._size]
        near = 0 if reply.key is None else self._strategy.around[reply.key]
        for part in reply.parts:
            near |= self._strategy.nodes[part].goal
        stones = self._stones[point]
        return 1 << next(members(stones & near or stones))


def _all(found: Iterable[Parts | None]) -> Parts | None:
    """Return all parts together, None if some are missing."""
    together: Parts = ()
    for parts in found:
        if parts is None:
            return None
        together += parts
    return together
