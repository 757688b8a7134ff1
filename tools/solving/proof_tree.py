"""The top of a proof-number tree, whose leaves are jobs for solvers elsewhere [PL].

A job either solves the position of its leaf or says how hard its moves look; then the leaf is
split, and each move becomes a leaf.  The next job is the leaf that the most promising moves lead
to.  A move below which jobs are running looks harder than it is, so that jobs spread over the tree.

Results have carriers, as in the solver: a refutation of one move refutes every move outside its
carrier, and takes back the jobs below these.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from trivalent.bot.solver.solver import INFINITY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trivalent.core.board import Colour
    from trivalent.core.position import Position

UNSEEN = 1 << 20
"""Proof numbers of moves that a solver hasn't looked at: it takes them for bad ones."""


class JobResult(NamedTuple):
    """What a solver has found out about a position."""

    winner: Colour | None
    """None if the position isn't solved."""
    move: int | None
    """A winning move, if the side to move wins."""
    carrier: frozenset[int]
    """Cells that the win needs, see `Solution`."""
    work: int
    """Positions examined."""
    moves: dict[int, tuple[int, int]]
    """Phi and delta of the moves in the solver's table, for the side that makes them."""


@dataclass(slots=True, eq=False)
class TreeNode:
    """A position of the tree."""

    position: Position
    parent: TreeNode | None = None
    cell: int | None = None
    """The move that leads here from the parent."""
    phi: int = 1
    """The proof number of a win of the side to move, and of its loss:"""
    delta: int = 1
    running: int = 0
    """Jobs at work here and below."""
    children: list[TreeNode] = field(default_factory=list)
    winner: Colour | None = None
    move: int | None = None
    carrier: frozenset[int] = frozenset()
    work: int = 0
    dropped: bool = False
    """Whether the position doesn't matter any more."""

    @property
    def is_open(self) -> bool:
        """Whether the position is neither solved nor dropped."""
        return self.winner is None and not self.dropped

    def line(self) -> Iterator[TreeNode]:
        """Yield this node and those above it."""
        node: TreeNode | None = self
        while node:
            yield node
            node = node.parent


def next_leaf(root: TreeNode) -> TreeNode | None:
    """Return the most promising leaf without a running job, or None; count it as running."""
    leaf = _search(root)
    if leaf:
        for node in leaf.line():
            node.running += 1
    return leaf


def _search(node: TreeNode) -> TreeNode | None:
    if not node.is_open:
        return None
    if not node.children:
        return None if node.running else node
    moves = [child for child in node.children if child.is_open]
    for child in sorted(moves, key=lambda child: child.delta * (1 + child.running)):
        if leaf := _search(child):
            return leaf
    return None


def give_back(leaf: TreeNode) -> None:
    """Count a job as ended, with or without a result."""
    for node in leaf.line():
        node.running -= 1


def apply(leaf: TreeNode, result: JobResult) -> None:
    """Take over the result of a leaf's job, and what follows from it for the nodes above."""
    for node in leaf.line():
        node.work += result.work
    if not all(node.is_open for node in leaf.line()):
        return  # another job has made it pointless
    if result.winner is None:
        _split(leaf, result)
    else:
        _solve(leaf, result.winner, result.move, result.carrier)
    for node in leaf.line():
        _update(node)


def _split(leaf: TreeNode, result: JobResult) -> None:
    mover = leaf.position.to_play
    for cell in leaf.position.empty_cells:
        position = leaf.position.copy()
        position.play(mover, cell)
        # What the mover has to prove the opponent has to disprove.
        delta, phi = result.moves.get(cell, (UNSEEN, 1))
        child = TreeNode(position, leaf, cell, phi, delta)
        if position.winner is not None:
            _solve(child, position.winner, None, frozenset())
        leaf.children.append(child)


def _solve(node: TreeNode, winner: Colour, move: int | None, carrier: frozenset[int]) -> None:
    won = winner is node.position.to_play
    node.winner, node.move, node.carrier = winner, move, carrier
    node.phi, node.delta = (0, INFINITY) if won else (INFINITY, 0)
    for child in node.children:
        child.dropped = True


def _update(node: TreeNode) -> None:
    """Recompute the numbers of a node from those of its moves; solve it if they do."""
    if not node.children or node.winner is not None:
        return
    mover = node.position.to_play
    for child in node.children:
        if child.winner is mover:
            assert child.cell is not None
            _solve(node, mover, child.cell, child.carrier | {child.cell})
            return
    refuted = [child for child in node.children if child.winner is not None]
    for child in node.children:  # a win that doesn't need its cell refutes it, too
        if child.is_open and any(child.cell not in other.carrier for other in refuted):
            child.dropped = True
    moves = [child for child in node.children if child.is_open]
    if moves:
        node.phi = min(child.delta for child in moves)
        node.delta = min(sum(child.phi for child in moves), INFINITY - 1)
    else:
        carrier = frozenset[int]().union(*(child.carrier for child in refuted))
        hardest = max(refuted, key=lambda child: child.work)
        _solve(node, mover.opponent, hardest.cell, carrier)
