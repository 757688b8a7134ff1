"""Strategies for virtual connections: what H-search has found, turned into proof nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trivalent.bot.solver.proof import Reply, members

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from trivalent.bot.knowledge._virtual_connections import Connections
    from trivalent.bot.solver.proof import Strategy

Parts = tuple[int, ...]
"""Numbers of nodes that hold together."""

_NO_NODES = Reply(None)


class ConnectionProofs:
    """The winner's connections in one position as nodes of a strategy.

    Points are those of `Connections`: cells and, numbered after them, chains, the sides first.  A
    connection that passes over a side from one stone to another has no node, because the stones may
    be in different chains.  Nor has one made by the crossing rule.
    """

    def __init__(self, strategy: Strategy, connections: Connections, mine: int) -> None:
        """Set the connections, which stay valid until others are built with the same object.

        ``mine`` is the winner's stones.
        """
        self._strategy = strategy
        self._connections = connections
        self._mine = mine
        self._size = len(strategy.board)
        self._side_points = [
            1 << (self._size + side) for side in strategy.board.goal(strategy.winner)
        ]
        self._stones: dict[int, int] = {}
        """The stones of each chain."""
        for cell, point in enumerate(connections.points):
            if point >= self._size:
                self._stones[point] = self._stones.get(point, 0) | 1 << cell
        self._replies: dict[int, Reply | None] = {}

    def between_sides(self) -> Parts | None:
        """Return nodes that together join the sides, or None if there are none."""
        for number in self._connections.links(self._size, self._size + 1, full=True):
            reply = self._reply(number)
            if reply is not None and self._wins(reply):
                return reply.parts
        return None

    def threats(
        self, cost: Callable[[int], Any], wanted: Callable[[int], bool] = bool
    ) -> Iterator[Reply]:
        """Yield the replies that join the sides, those first whose carriers cost least.

        Nodes are made only for replies that are asked for and whose carriers are ``wanted`` then:
        most of them aren't needed.
        """
        carriers = {
            number: sum(1 << cell for cell in self._connections.link(number)[2])
            for number in self._connections.links(self._size, self._size + 1, full=False)
        }
        for number in sorted(carriers, key=lambda number: cost(carriers[number])):
            reply = self._reply(number) if wanted(carriers[number]) else None
            if reply is not None and self._wins(reply):
                yield reply

    def _wins(self, reply: Reply) -> bool:
        key = 0 if reply.key is None else 1 << reply.key
        goals = [self._strategy.nodes[part].goal for part in reply.parts]
        mine = self._mine | key
        return self._strategy.join(self._strategy.sides, goals, mine, mine) is not None

    def _reply(self, number: int) -> Reply | None:
        """Return the reply that makes a semi a full, or the pass that a full is."""
        if number not in self._replies:
            self._replies[number] = self._made(number)
        return self._replies[number]

    def _made(self, number: int) -> Reply | None:
        first, last, cells, key, rule, made_of = self._connections.link(number)
        if not cells:
            return _NO_NODES
        if rule == "cross":
            return None
        if rule == "or":
            return self._or(first, last, made_of)
        parts: Parts = ()
        for part in made_of:
            reply = self._reply(part) if part >= 0 else self._step(key, last, cells)
            if reply is None:
                return None
            parts += reply.parts
        return Reply(None if key < 0 else key, parts)

    def _or(self, first: int, last: int, semis: list[int]) -> Reply | None:
        """Return the node of a full that relies on whichever semi the loser leaves."""
        replies = []
        for semi in semis:
            reply = self._reply(semi)
            if reply is None:
                return None
            replies.append(reply)
        goal = self._end(first, replies[0]) | self._end(last, replies[0])
        if (first, last) == (self._size, self._size + 1):  # in Y: all three sides
            goal = self._strategy.sides
        node = self._strategy.add(goal, replies, self._mine)
        return None if node is None else Reply(None, (node,))

    def _step(self, key: int, cell: int, carrier: list[int]) -> Reply | None:
        """Return a pass for a step from a key to another cell, by no node or that of a bridge."""
        if key in self._strategy.board.neighbours[cell]:
            return _NO_NODES
        both = self._strategy.around[key] & self._strategy.around[cell]
        bridge = [Reply(other) for other in carrier if both >> other & 1]
        node = self._strategy.add(1 << key | 1 << cell, bridge, self._mine)
        return None if node is None else Reply(None, (node,))

    def _end(self, point: int, reply: Reply) -> int:
        """Return an end of a connection as a point of a goal: a side, or a stone near the reply."""
        if point < self._size:
            return 1 << point
        if point - self._size < len(self._side_points):
            return self._side_points[point - self._size]
        near = 0 if reply.key is None else self._strategy.around[reply.key]
        for part in reply.parts:
            near |= self._strategy.nodes[part].goal
        stones = self._stones[point]
        return 1 << next(members(stones & near or stones))
