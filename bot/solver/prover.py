"""The prover: from a solver's winning moves and virtual connections to a strategy.

A position that the winner has to defend is proven by replies that have no cell in common.  First
come the replies that make a virtual connection of the sides.  Then, for each move of the loser that
no reply answers yet, comes the solver's winning move with a proof of the position after it; mostly
such a proof answers many other moves as well.  A proof holds wherever its stones are present and
its carrier is empty, so every position is first looked up among those proven.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Protocol

from trivalent.bot.knowledge._virtual_connections import Connections, can_connect
from trivalent.bot.solver._node_index import NodeIndex
from trivalent.bot.solver.connection_proofs import ConnectionProofs
from trivalent.bot.solver.proof import Proof, Reply, Strategy, members

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trivalent.core.board import Colour
    from trivalent.core.position import Position


class Unproven(RuntimeError):  # noqa: N818  describes the position
    """The winner isn't known, or no proof was found."""


class Oracle(Protocol):
    """A source of winning moves."""

    def __call__(self, position: Position) -> tuple[Colour | None, int | None]:
        """Return the winner and, if that's the side to move, a winning move; None if unknown."""


def prove(position: Position, oracle: Oracle) -> Proof:
    """Return a proof of who wins a position, with its side to move.

    Raise Unproven if the oracle doesn't know.
    """
    winner, _ = oracle(position)
    if winner is None:
        raise Unproven(f"the winner of this position on {position.board} is not known")
    strategy = Strategy(position.board, winner)
    return _Prover(strategy, position.copy(), oracle).prove()


Parts = tuple[int, ...]
"""Nodes that win together: each takes as given only what those before it see to."""


_DIGITS = [bytes(49 if stone == chosen else 48 for stone in range(256)) for chosen in range(3)]
"""Binary digits that say which cells have a stone."""


class _Prover:
    def __init__(self, strategy: Strategy, position: Position, oracle: Oracle) -> None:
        self.strategy = strategy
        self.nodes = strategy.nodes
        self.position = position
        self.oracle = oracle
        self.winner = strategy.winner
        self.connections = (
            Connections(position.board, crossing_rounds=0) if can_connect(position.board) else None
        )
        points = len(position.board) + len(position.board.sides)
        self.wins = NodeIndex(points)
        """Nodes that join the sides, given their links."""
        self.fulls = NodeIndex(points)
        """Other nodes, without given links, """
        self.fulls_of: dict[int, NodeIndex] = defaultdict(lambda: NodeIndex(points))
        """and the same by their goals."""

    def prove(self) -> Proof:
        stones, to_play = self.position.stones, self.position.to_play
        if to_play is self.winner and self.position.winner is None:
            first = self.attack(self.empty(), [])
        else:
            first = Reply(None, self.defend())
        return Proof.of(self.strategy, stones, to_play, first)

    def mine(self) -> int:
        return self.cells_with(self.winner)

    def empty(self) -> int:
        return self.cells_with(0)

    def cells_with(self, stone: int) -> int:
        return int(self.position.stones[::-1].translate(_DIGITS[stone]), 2)

    def remember(self, parts: Parts) -> Parts:
        """Keep nodes for other positions; return them."""
        for part in parts:
            node = self.nodes[part]
            if node.goal & self.strategy.sides == self.strategy.sides:
                self.wins.add(part, node)
            elif not node.given:
                self.fulls.add(part, node)
                self.fulls_of[node.goal].add(part, node)
        return parts

    def connection_proofs(self) -> ConnectionProofs | None:
        """Return the winner's connections if they join the sides."""
        if self.connections is None:
            return None
        self.connections.build(self.position.stones, self.winner)
        if not self.connections.winner:
            return None
        return ConnectionProofs(self.strategy, self.connections, self.mine())

    def with_given_links(self, number: int, mine: int, free: int) -> Parts | None:
        """Return nodes that win with a node whose stones and cells are present, or None.

        They supply the links that it takes as given.  ``free`` is the cells that are empty or the
        winner's.
        """
        node = self.nodes[number]
        parts: list[int] = []
        joined: list[int] = []
        left = free & ~node.carrier | mine
        for link in node.given:
            if self.strategy.join(link, joined, mine, mine) is not None:
                continue
            full = next(iter(self.fulls_of[link].holding(mine, left)), None)
            if full is None:
                return None
            parts.append(full)
            joined.append(link)
            left &= ~self.nodes[full].carrier | mine
        return (*parts, number)

    def known(self, mine: int, free: int) -> Parts | None:
        """Return known nodes that win a position with the loser to move, or None."""
        for number in self.wins.holding(mine, free):
            parts = self.with_given_links(number, mine, free)
            if parts is not None:
                return parts
        return None

    def defend(self) -> Parts:
        """Return nodes that win the position with the loser to move."""
        mine, empty = self.mine(), self.empty()
        if self.position.winner is not None:
            number = self.strategy.add(self.strategy.sides, [], mine)
            assert number is not None
            return self.remember((number,))
        parts = self.known(mine, mine | empty)
        if parts is not None:
            return parts
        proofs = self.connection_proofs()
        parts = proofs.between_sides() if proofs else None
        if parts is not None:
            return self.remember(parts)
        defence = _Replies(self.strategy, mine, empty)
        for reply in proofs.threats(int.bit_count, defence.lacks) if proofs else ():
            defence.add(reply)
        while defence.left:
            self.position.play(self.winner.opponent, next(members(defence.left)))
            reply = self.attack(defence.left, defence.kept)
            self.position.undo()
            if reply.key is None:
                return reply.parts
            defence.add(reply)
        return self.remember(defence.parts())

    def attack(self, left: int, kept: list[int]) -> Reply:
        """Return a winning reply, one that uses few of the cells in ``left``.

        It should also leave the nodes in ``kept`` alone, or rely on them.
        """
        mine, empty = self.mine(), self.empty()

        def cost(used: int, parts: Parts = ()) -> tuple[int, int]:
            others = [part for part in kept if part not in parts]
            spoilt = sum(1 for part in others if self.nodes[part].carrier & used)
            return spoilt, (used & left).bit_count()

        free = mine | empty
        used = {
            number: (self.nodes[number].carrier | self.nodes[number].needs) & ~mine
            for number in self.wins.one_short(mine, free)
        }
        for number in sorted(used, key=lambda number: cost(used[number], (number,))):
            key = self.nodes[number].needs & ~mine
            parts = self.with_given_links(number, mine | key, free)
            if parts is not None:
                return Reply(key.bit_length() - 1 if key else None, parts)
        if proofs := self.connection_proofs():
            parts = proofs.between_sides()
            if parts is not None:
                return Reply(None, self.remember(parts))
            if threat := next(proofs.threats(cost), None):
                return threat
        cell = self.winning_move(mine, empty)
        self.position.play(self.winner, cell)
        parts = self.defend()
        self.position.undo()
        return Reply(cell, parts)

    def winning_move(self, mine: int, empty: int) -> int:
        """Return a winning move, preferably one that repairs what the last move has broken.

        The rest of the position then stays as it was, and has been proven or will have to be
        anyway.
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
            raise Unproven(f"no winning move is known in a position on {self.position.board}")
        return move

    def repairs(self, mine: int, empty: int) -> Iterator[int]:
        """Yield moves that restore what the last move has intruded into."""
        last = self.position.last_move
        if last is None or last.cell is None:
            return
        gone = 1 << last.cell
        around = self.strategy.around
        have = mine | self.strategy.sides
        for cell in members(around[last.cell] & empty):
            if (around[cell] & around[last.cell] & have).bit_count() > 1:
                yield cell
        for number in self.fulls.broken(have, mine, mine | empty, last.cell):
            for reply in self.nodes[number].replies:
                if reply.key is not None and not self.strategy.used(reply, mine) & gone:
                    yield reply.key


class _Replies:
    """Replies to the loser's moves in a position, collected until each move has one.

    Parts that hold before any reply and that several replies rely on are kept out of the replies:
    if the loser plays into one, he is answered there, and the rest stays as it is.
    """

    def __init__(self, strategy: Strategy, mine: int, empty: int) -> None:
        self.strategy = strategy
        self.mine = mine
        self.empty = empty
        self.replies: list[Reply] = []
        self.kept: list[int] = []
        """Parts that hold already and take no links as given."""
        self.left = empty
        """The loser's moves without a reply."""

    def lacks(self, carrier: int) -> bool:
        """Return whether a reply with a carrier answers moves that have none yet."""
        return bool(self.left & ~carrier)

    def add(self, reply: Reply) -> None:
        """Add a reply and decide which parts to keep out of the replies."""
        key = 0 if reply.key is None else 1 << reply.key
        self.kept = [part for part in self.kept if self._can_be_kept(part, reply)]
        for part in reply.parts:
            node = self.strategy.nodes[part]
            if part not in self.kept and not (
                node.given
                or node.needs & ~self.mine
                or node.carrier & key
                or node.goal & self.strategy.sides == self.strategy.sides
                or any(self.strategy.nodes[other].carrier & node.carrier for other in self.kept)
                or not all(self._can_be_kept(part, other) for other in self.replies)
            ):
                self.kept.append(part)
        self.replies.append(reply)
        self.left = self._unanswered(self.replies)

    def _unanswered(self, replies: list[Reply]) -> int:
        cells = self.empty
        for reply in replies:
            cells &= self.strategy.used(reply, self.mine)
        for part in self.kept:
            cells &= ~self.strategy.nodes[part].carrier
        return cells

    def _can_be_kept(self, part: int, reply: Reply) -> bool:
        """Return whether a reply leaves a part alone or relies on it as it is."""
        carrier = self.strategy.nodes[part].carrier & ~self.mine
        if part not in reply.parts:
            return not carrier & self.strategy.used(reply, self.mine)
        return reply.key is None or not carrier >> reply.key & 1

    def parts(self) -> Parts:
        """Return the nodes that win the position."""
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
            raise Unproven("a strategy was found, but it cannot be written as a proof")
        return (*kept, number)

    def _fewest(self) -> list[Reply]:
        """Return the replies without those that aren't needed, dropping the largest first."""
        left = self.replies
        for reply in sorted(
            left, key=lambda reply: -self.strategy.used(reply, self.mine).bit_count()
        ):
            others = [other for other in left if other is not reply]
            if others and not self._unanswered(others):
                left = others
        return left
