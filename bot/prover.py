"""Making proofs: from a solver's winning moves, and virtual connections, to a strategy.

A position that the winner has to defend is proven by replies that have no cell in common: those
after which a virtual connection holds, and then, for a move of the loser that none of them answers,
the winning move that the solver knows and the proof of what comes after it.  Mostly such a proof
answers many other moves as well.  A proof holds wherever its stones are and its carrier is empty:
so every position is first looked for among those that have been proven.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from trivalent.bot._connections import Connections, joins_two_sides
from trivalent.bot.links import Links
from trivalent.bot.proof import Proof, Reply, Strategy, members

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trivalent.core.board import Colour
    from trivalent.core.position import Position


class Unproven(RuntimeError):  # noqa: N818  what the position is
    """Time or memory have not been enough to prove who wins."""


class Oracle(Protocol):
    """Who knows winning moves."""

    def __call__(self, position: Position) -> tuple[Colour | None, int | None]:
        """Return who wins, and by which move if that is the side to move; None if unknown."""


def prove(position: Position, oracle: Oracle) -> Proof:
    """Return a proof of who wins a position, with its side to move.

    Raise Unproven where the oracle has no answer.
    """
    winner, _ = oracle(position)
    if winner is None:
        raise Unproven(f"who wins is not known on {position.board}")
    strategy = Strategy(position.board, winner)
    return _Prover(strategy, position.copy(), oracle).prove()


class _Prover:
    def __init__(self, strategy: Strategy, position: Position, oracle: Oracle) -> None:
        self.strategy = strategy
        self.position = position
        self.oracle = oracle
        self.winner = strategy.winner
        self.connections = Connections(position.board) if joins_two_sides(position.board) else None
        self.wins: list[int] = []
        """The nodes that join the sides."""

    def prove(self) -> Proof:
        stones, to_play = self.position.stones, self.position.to_play
        if to_play is self.winner and self.position.winner is None:
            first = self.attack(self.empty())
        else:
            first = Reply(None, (self.defend(),))
        return Proof.of(self.strategy, stones, to_play, first)

    def mine(self) -> int:
        return _set(cell for cell, stone in enumerate(self.position.stones) if stone == self.winner)

    def empty(self) -> int:
        return _set(self.position.empty_cells)

    def won(self, replies: list[Reply]) -> int:
        """Return the number of a node that wins by these replies."""
        number = self.strategy.add(self.strategy.sides, replies, self.mine())
        assert number is not None
        if number not in self.wins:
            self.wins.append(number)
        return number

    def links(self) -> Links | None:
        """Return the connections of the winner, if the sides are connected by any of them."""
        if self.connections is None:
            return None
        self.connections.build(self.position.stones, self.winner)
        if not self.connections.winner:
            return None
        return Links(self.strategy, self.connections, self.mine(), self.empty())

    def defend(self) -> int:
        """Return the number of a node that wins the position with the loser to move."""
        if self.position.winner is not None:
            return self.won([])
        mine, empty = self.mine(), self.empty()
        for number in self.wins:
            node = self.strategy.nodes[number]
            if not (node.needs & ~mine or node.carrier & ~empty):
                return number
        links = self.links()
        joined = links.between_sides() if links else None
        if joined is not None:
            self.wins.append(joined)
            return joined
        replies = links.threats() if links else []
        left = empty
        for reply in replies:
            left &= self.strategy.used(reply)
        while left:
            cell = next(members(left))
            self.position.play(self.winner.opponent, cell)
            reply = self.attack(left)
            self.position.undo()
            if reply.key is None:
                return reply.parts[0]
            replies.append(reply)
            left &= self.strategy.used(reply)
        return self.won(self.fewest(replies))

    def attack(self, left: int) -> Reply:
        """Return a reply that wins the position, one that uses few of some cells if it is known."""
        mine, empty = self.mine(), self.empty()
        best = None
        fewest = len(self.position.board) + 1
        for number in self.wins:
            node = self.strategy.nodes[number]
            key = node.needs & ~mine
            if key & (key - 1) or (key | node.carrier) & ~empty or key & node.carrier:
                continue
            count = ((key | node.carrier) & left).bit_count()
            if count < fewest:
                fewest = count
                best = Reply(key.bit_length() - 1 if key else None, (number,))
        if best is not None:
            return best
        links = self.links()
        joined = links.between_sides() if links else None
        if joined is not None:
            return Reply(None, (joined,))
        threats = links.threats() if links else []
        if threats:
            return min(threats, key=lambda reply: (self.strategy.used(reply) & left).bit_count())
        winner, cell = self.oracle(self.position)
        if winner is not self.winner or cell is None:
            raise Unproven(f"no winning move is known in a position of {self.position.board}")
        self.position.play(self.winner, cell)
        number = self.defend()
        self.position.undo()
        return Reply(cell, (number,))

    def fewest(self, replies: list[Reply]) -> list[Reply]:
        """Leave out replies that are not needed, those that use most first."""
        kept = sorted(replies, key=lambda reply: self.strategy.used(reply).bit_count())
        for reply in reversed(replies):
            others = [other for other in kept if other is not reply]
            left = self.strategy.cells if others else 0
            for other in others:
                left &= self.strategy.used(other)
            if others and not left:
                kept = others
        return kept


def _set(cells: Iterable[int]) -> int:
    return sum(1 << cell for cell in cells)
