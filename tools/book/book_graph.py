"""The positions of a book as a graph: propagated values, and which position to expand next.

Drop-out expansion, after T. R. Lincke, *Strategies for the Automatic Construction of Opening
Books* (Computers and Games 2000).  Every position knows its *drop-out move*, the best one that
isn't in the book, and an estimate of it.  A position is worth the maximum over its drop-out move
and its moves in the book.  Expanding a position adds the position after its drop-out move, and
finds the next drop-out move.

The next position to expand is the one of the least priority number.  A drop-out move has::

    1 + (value of the position - estimate of the move) / width

and a move in the book has that with its own value, plus the number of the position that it leads
to: each move on the way from the root costs 1, and what it loses against the best one costs
1 / width (Lincke's omega) for each unit of winning probability.  Proven positions aren't expanded.
"""

from __future__ import annotations

import heapq
import math
from functools import partial
from typing import TYPE_CHECKING

from trivalent.bot.book.book_file import Entry
from trivalent.bot.book.book_positions import Stones, canonical, stones_of
from trivalent.bot.players.swap import distinct_openings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trivalent.bot.book.book_file import BookSettings


class Node:
    """A position of a book, with its neighbours."""

    __slots__ = (
        "after_drop_out", "children", "estimate", "move", "name", "parents", "pending", "priority",
        "proof", "proven", "stones", "value",
    )  # fmt: skip

    def __init__(self, name: str, stones: Stones) -> None:
        self.name = name
        self.stones = stones
        self.parents: dict[str, Node] = {}
        self.children: dict[str, Node] = {}
        self.move: int | None = None
        """The drop-out move."""
        self.after_drop_out = ""
        """The name of the position after it."""
        self.estimate = 0.0
        self.proof: bool | None = None
        self.value = 0.0
        self.proven: bool | None = None
        self.priority = math.inf
        self.pending = False
        """Whether the position is being expanded."""

    @property
    def is_stale(self) -> bool:
        """Whether the drop-out move is in the book by now, added from another position."""
        return self.after_drop_out in self.children


class BookGraph:
    """All positions of a book."""

    def __init__(self, settings: BookSettings, entries: Iterable[Entry] = ()) -> None:
        """Link the positions of a book and propagate their values anew.

        Raise ValueError for an entry that can't be.
        """
        self.settings = settings
        self.board = settings.board
        self.nodes: dict[str, Node] = {}
        self._root_name = canonical(self.board, Stones())[0]
        for entry in entries:
            node = self.nodes[entry.name] = Node(entry.name, stones_of(self.board, entry.name))
            move = self.board.cell(entry.move) if entry.move else None
            self.set_drop_out(node, move, entry.estimate, proof=entry.proof)
        if self._root_name not in self.nodes:
            self.nodes[self._root_name] = Node(self._root_name, Stones())
        for node in self.nodes.values():
            self._link_parents(node)
        self.update(self.nodes.values())

    @property
    def root(self) -> Node:
        """The empty board.  All its moves belong into the book, so it has no drop-out move."""
        return self.nodes[self._root_name]

    def find(self, stones: Stones) -> Node | None:
        """Return a position of the book, or None."""
        return self.nodes.get(canonical(self.board, stones)[0])

    def image(self, stones: Stones) -> Stones:
        """Return a position as its name has it."""
        return stones_of(self.board, canonical(self.board, stones)[0])

    def missing_openings(self) -> Iterator[Stones]:
        """Yield the first moves that aren't in the book yet, one of each set of images."""
        seen = set()
        for cell in distinct_openings(self.board):
            stones = Stones().after(cell)
            name = canonical(self.board, stones)[0]
            if name not in self.nodes and name not in seen:
                seen.add(name)
                yield stones

    def add(self, stones: Stones) -> Node:
        """Add a position, or return it if it's there already.  It's to be updated."""
        name, _ = canonical(self.board, stones)
        if name in self.nodes:
            return self.nodes[name]
        node = self.nodes[name] = Node(name, stones_of(self.board, name))
        self._link_parents(node)
        for cell in node.stones.empty(self.board):
            if child := self.find(node.stones.after(cell)):
                node.children[child.name] = child
                child.parents[name] = node
        return node

    def _link_parents(self, node: Node) -> None:
        for before in node.stones.before():
            if parent := self.find(before):
                parent.children[node.name] = node
                node.parents[parent.name] = parent

    def set_drop_out(
        self, node: Node, move: int | None, estimate: float, *, proof: bool | None
    ) -> None:
        """Set a position's drop-out move and its estimate.  The position is to be updated."""
        node.move, node.estimate, node.proof = move, estimate, proof
        node.after_drop_out = ""
        if move is not None:
            if move not in node.stones.empty(self.board):
                raise ValueError(f"{self.board.names[move]} is no move in {node.name!r}")
            node.after_drop_out, _ = canonical(self.board, node.stones.after(move))

    def moves_in_book(self, node: Node) -> frozenset[int]:
        """Return the cells of a position's moves that are in the book, with their images."""
        cells = node.stones.empty(self.board)
        return frozenset(cell for cell in cells if self.find(node.stones.after(cell)))

    def entry(self, node: Node) -> Entry:
        """Return what the file says about a position."""
        move = "" if node.move is None else self.board.names[node.move]
        return Entry(node.name, move, node.estimate, node.proof, node.value, node.proven)

    def update(self, nodes: Iterable[Node]) -> list[Node]:
        """Propagate values and priorities from these positions up to the root.

        Return the positions whose values have changed.
        """
        queue = [(-node.stones.number, node.name) for node in nodes]
        heapq.heapify(queue)
        changed = []
        latest = ""
        while queue:
            _, name = heapq.heappop(queue)
            if name == latest:
                continue
            latest, node = name, self.nodes[name]
            before = node.value, node.proven
            priority = node.priority
            self._evaluate(node)
            if before != (node.value, node.proven):
                changed.append(node)
            elif priority == node.priority:
                continue
            for parent in node.parents.values():
                heapq.heappush(queue, (-parent.stones.number, parent.name))
        return changed

    def _evaluate(self, node: Node) -> None:
        """Compute a position's value and priority from its moves."""
        children = node.children.values()
        worths = [self._worth(node, child) for child in children]
        won = any(child.proven is False for child in children)
        lost = False
        if node is self.root:
            won = won and not self.settings.swap
        elif not node.is_stale:
            worths.append(node.estimate)
            won = won or node.proof is True
            lost = node.proof is False and all(child.proven is True for child in children)
        node.proven = True if won else False if lost else None
        node.value = 1.0 if won else 0.0 if lost else max(worths, default=0.5)
        node.priority = math.inf
        if node.proven is None:
            node.priority = self._drop_out_priority(node)
            for child in children:
                node.priority = min(node.priority, self._priority_through(node, child))

    def _worth(self, node: Node, child: Node) -> float:
        """Return what a move in the book is worth to the side that makes it.

        An opening that may be swapped is worth what is left to its player in the worse case.
        """
        if node is self.root and self.settings.swap:
            return min(child.value, 1 - child.value)
        return 1 - child.value

    def _drop_out_priority(self, node: Node) -> float:
        if node.pending or node.move is None or node.proof is not None:
            return math.inf
        return self._cost(max(0.0, node.value - node.estimate))

    def _priority_through(self, node: Node, child: Node) -> float:
        return self._cost(node.value - self._worth(node, child)) + child.priority

    def _cost(self, loss: float) -> float:
        return 1 + loss / self.settings.width

    def next(self, start: Node | None = None) -> Node | None:
        """Return the position to expand next, from the root or another position on.

        Return None if there is none: all are proven, or being expanded.
        """
        node = start or self.root
        if math.isinf(node.priority):
            return None
        while self._drop_out_priority(node) > node.priority:
            node = min(node.children.values(), key=partial(self._priority_through, node))
        return node
