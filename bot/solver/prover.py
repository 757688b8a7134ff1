"""Making proofs: from a solver's winning moves, and virtual connections, to a strategy.

A position that the winner has to defend is proven by replies that have no cell in common: those
after which a virtual connection holds, and then, for a move of the loser that none of them answers,
the winning move that the solver knows and the proof of what comes after it.  Mostly such a proof
answers many other moves as well.  A proof holds wherever its stones are and its carrier is empty:
so every position is first looked for among those that have been proven.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from trivalent.bot.knowledge._virtual_connections import Connections, can_connect
from trivalent.bot.solver.connection_proofs import ConnectionProofs
from trivalent.bot.solver.proof import Proof, Reply, Strategy, members

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trivalent.core.board import Colour
    from trivalent.core.position import Position


class Unproven(RuntimeError):  # noqa: N818  what the position is
    """Who wins is not known, or there is no proof of it."""


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


Parts = tuple[int, ...]
"""Nodes that win together: each one takes for granted only what those before it see to."""


class _Prover:
    def __init__(self, strategy: Strategy, position: Position, oracle: Oracle) -> None:
        self.strategy = strategy
        self.nodes = strategy.nodes
        self.position = position
        self.oracle = oracle
        self.winner = strategy.winner
        self.connections = Connections(position.board) if can_connect(position.board) else None
        self.wins: dict[int, tuple[int, int]] = {}
        """Nodes that join the sides, if what they take for granted holds: stones and carriers."""
        self.fulls: dict[int, list[int]] = {}
        """Nodes that take nothing for granted, by what they join."""

    def prove(self) -> Proof:
        stones, to_play = self.position.stones, self.position.to_play
        if to_play is self.winner and self.position.winner is None:
            first = self.attack(self.empty(), [])
        else:
            first = Reply(None, self.defend())
        return Proof.of(self.strategy, stones, to_play, first)

    def mine(self) -> int:
        return _set(cell for cell, stone in enumerate(self.position.stones) if stone == self.winner)

    def empty(self) -> int:
        return _set(self.position.empty_cells)

    def remember(self, parts: Parts) -> Parts:
        """Keep the nodes for other positions."""
        for part in parts:
            node = self.nodes[part]
            if node.goal & self.strategy.sides == self.strategy.sides:
                self.wins.setdefault(part, (node.needs, node.carrier))
            elif not node.links and part not in (known := self.fulls.setdefault(node.goal, [])):
                known.append(part)
        return parts

    def links(self) -> ConnectionProofs | None:
        """Return the connections of the winner, if the sides are connected by any of them."""
        if self.connections is None:
            return None
        self.connections.build(self.position.stones, self.winner)
        if not self.connections.winner:
            return None
        return ConnectionProofs(self.strategy, self.connections, self.mine())

    def supplied(self, number: int, mine: int, free: int) -> Parts | None:
        """Return parts that win by a node, whose stones and cells are there, or None.

        ``free`` are the cells that are empty or the winner's.
        """
        node = self.nodes[number]
        parts: list[int] = []
        joined: list[int] = []
        left = free & ~node.carrier | mine
        for link in node.links:
            if self.strategy.join(link, joined, mine, mine) is not None:
                continue
            for full in self.fulls.get(link, ()):
                if not (self.nodes[full].needs & ~mine or self.nodes[full].carrier & ~left):
                    parts.append(full)
                    joined.append(link)
                    left &= ~self.nodes[full].carrier | mine
                    break
            else:
                return None
        return (*parts, number)

    def known(self, mine: int, free: int) -> Parts | None:
        """Return parts that win a position with the loser to move, if such are known."""
        for number, (needs, carrier) in self.wins.items():
            if not (needs & ~mine or carrier & ~free):
                parts = self.supplied(number, mine, free)
                if parts is not None:
                    return parts
        return None

    def defend(self) -> Parts:
        """Return parts that win the position with the loser to move."""
        mine, empty = self.mine(), self.empty()
        if self.position.winner is not None:
            number = self.strategy.add(self.strategy.sides, [], mine)
            assert number is not None
            return self.remember((number,))
        parts = self.known(mine, mine | empty)
        if parts is not None:
            return parts
        links = self.links()
        parts = links.between_sides() if links else None
        if parts is not None:
            return self.remember(parts)
        lines = _Lines(self.strategy, mine, empty)
        for reply in links.threats() if links else ():
            lines.add(reply)
        while lines.left:
            self.position.play(self.winner.opponent, next(members(lines.left)))
            reply = self.attack(lines.left, lines.kept)
            self.position.undo()
            if reply.key is None:
                return reply.parts
            lines.add(reply)
        return self.remember(lines.parts())

    def attack(self, left: int, kept: list[int]) -> Reply:
        """Return a reply that wins the position: one that uses little of some cells.

        It should also leave alone what is to be kept, or make use of it.
        """
        mine, empty = self.mine(), self.empty()

        def cost(reply: Reply) -> tuple[int, int]:
            used = self.strategy.used(reply, mine)
            spoilt = [
                part for part in kept if part not in reply.parts and self.nodes[part].carrier & used
            ]
            return len(spoilt), (used & left).bit_count()

        found = []
        free = mine | empty
        for number, (needs, carrier) in self.wins.items():
            key = needs & ~mine
            if key & (key - 1) or (key | carrier) & ~free:
                continue
            parts = self.supplied(number, mine | key, free)
            if parts is not None:
                found.append(Reply(key.bit_length() - 1 if key else None, parts))
        if not found:
            links = self.links()
            parts = links.between_sides() if links else None
            if parts is not None:
                return Reply(None, self.remember(parts))
            found = links.threats() if links else []
        if found:
            return min(found, key=cost)
        cell = self.winning_move(mine, empty)
        self.position.play(self.winner, cell)
        parts = self.defend()
        self.position.undo()
        return Reply(cell, parts)

    def winning_move(self, mine: int, empty: int) -> int:
        """Return a winning move: one that repairs what the last move has broken, if that wins.

        Whatever is left is then as it was, and has been proven already or will be needed anyway.
        """
        for cell in dict.fromkeys(self.repairs(mine, empty)):
            if not empty >> cell & 1:
                continue
            self.position.play(self.winner, cell)
            winner, _ = self.oracle(self.position)
            self.position.undo()
            if winner is self.winner:
                return cell
        winner, move = self.oracle(self.position)
        if winner is not self.winner or move is None:
            raise Unproven(f"no winning move is known in a position of {self.position.board}")
        return move

    def repairs(self, mine: int, empty: int) -> Iterator[int]:
        """Yield moves by which the winner keeps what the last move has gone into."""
        last = self.position.last_move
        if last is None or last.cell is None:
            return
        gone = 1 << last.cell
        around = self.strategy.around
        have = mine | self.strategy.sides
        for cell in members(around[last.cell] & empty):
            if (around[cell] & around[last.cell] & have).bit_count() > 1:
                yield cell
        for goal, numbers in self.fulls.items():
            for number in numbers if not goal & ~have else ():
                node = self.nodes[number]
                if node.needs & ~mine or node.carrier & ~(mine | empty) != gone:
                    continue
                for reply in node.replies:
                    if reply.key is not None and not self.strategy.used(reply, mine) & gone:
                        yield reply.key


class _Lines:
    """Replies to the moves of the loser in a position, until there is one to each.

    What several replies rely on, and what holds before they are made, is kept out of them: a loser
    who goes there is answered there, and the rest stays as it is.
    """

    def __init__(self, strategy: Strategy, mine: int, empty: int) -> None:
        self.strategy = strategy
        self.mine = mine
        self.empty = empty
        self.replies: list[Reply] = []
        self.kept: list[int] = []
        """Parts that take nothing for granted and hold already."""

    @property
    def left(self) -> int:
        """The moves that have no answer yet."""
        cells = self.empty
        for reply in self.replies:
            cells &= self.strategy.used(reply, self.mine)
        for part in self.kept:
            cells &= ~self.strategy.nodes[part].carrier
        return cells

    def add(self, reply: Reply) -> None:
        """Take a reply, and let it decide on what is kept."""
        key = 0 if reply.key is None else 1 << reply.key
        self.kept = [part for part in self.kept if self._can_be_kept(part, reply)]
        for part in reply.parts:
            node = self.strategy.nodes[part]
            if part not in self.kept and not (
                node.links
                or node.needs & ~self.mine
                or node.carrier & key
                or node.goal & self.strategy.sides == self.strategy.sides
                or any(self.strategy.nodes[other].carrier & node.carrier for other in self.kept)
                or not all(self._can_be_kept(part, other) for other in self.replies)
            ):
                self.kept.append(part)
        self.replies.append(reply)

    def _can_be_kept(self, part: int, reply: Reply) -> bool:
        """Whether a reply leaves a part alone, or makes use of it as it is."""
        carrier = self.strategy.nodes[part].carrier & ~self.mine
        if part not in reply.parts:
            return not carrier & self.strategy.used(reply, self.mine)
        return reply.key is None or not carrier >> reply.key & 1

    def parts(self) -> Parts:
        """Return the parts that the position is won by."""
        replies = self._fewest()
        kept = [part for part in self.kept if any(part in reply.parts for reply in replies)]
        inner = [
            Reply(reply.key, tuple(part for part in reply.parts if part not in kept))
            for reply in replies
        ]
        number = self.strategy.add(
            self.strategy.sides,
            inner,
            self.mine,
            links=[self.strategy.nodes[part].goal for part in kept],
        )
        if number is None:
            raise Unproven("a strategy is there, but not in the form of a proof")
        return (*kept, number)

    def _fewest(self) -> list[Reply]:
        """Leave out replies that are not needed, those that use most first."""
        kept = self.replies
        for reply in sorted(
            kept, key=lambda reply: -self.strategy.used(reply, self.mine).bit_count()
        ):
            before = self.replies
            self.replies = [other for other in before if other is not reply]
            if not self.replies or self.left:
                self.replies = before
        return self.replies


def _set(cells: Iterable[int]) -> int:
    return sum(1 << cell for cell in cells)
