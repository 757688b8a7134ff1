"""Captured cells, by their definition: local search.

A *carrier* is a set of empty cells, its ring what lies next to it.  A player captures the carrier
who, answering inside it each time the opponent moves there, always reaches a filling that joins the
stones of the ring no worse than if all of it were his.  A single captured cell is *dead*: it does
not matter whose it is.  Empty cells of the ring may become either player's: a capture has to hold
for both.

The fast filling in of `trivalent.core._fillin` goes by patterns, which tools/derive_fillin.py
derives by the functions of this module; here they also explain what it has filled in.
"""

from __future__ import annotations

import itertools
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

from trivalent.core.board import BLACK, WHITE, Colour

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from trivalent.core.board import Board

    Node = TypeVar("Node")


def joins(
    stones: Collection[Node],
    ring: Sequence[Node],
    neighbours: Callable[[Node], Iterable[Node]],
) -> tuple[int, ...]:
    """Return, for each node of the ring, the first one on the same chain of stones, -1 for none."""
    chain: dict[Node, int] = {}
    for number, start in enumerate(ring):
        todo = [start]
        while todo:
            at = todo.pop()
            if at in stones and at not in chain:
                chain[at] = number
                todo += neighbours(at)
    return tuple(chain.get(node, -1) for node in ring)


def fillings_as_good(
    carrier: Sequence[Node],
    ring: Sequence[Node],
    own: frozenset[Node],
    opponent: frozenset[Node],
    neighbours: Callable[[Node], Iterable[Node]],
) -> int:
    """Return a bit for each filling (a bit for each own cell) that is as good as all own.

    Every node of the ring is in one of the two sets of stones; a side of both is in both.
    """
    found = []
    for filling in range(1 << len(carrier)):
        mine = frozenset(cell for i, cell in enumerate(carrier) if filling >> i & 1)
        theirs = frozenset(carrier) - mine
        found.append(
            (joins(own | mine, ring, neighbours), joins(opponent | theirs, ring, neighbours))
        )
    return sum(1 << filling for filling, join in enumerate(found) if join == found[-1])


@lru_cache(maxsize=1 << 16)
def is_captured(good: int, size: int, own: int = 0, opponent: int = 0) -> bool:
    """Whether the player reaches a good filling of so many cells, the opponent to move.

    ``good`` has a bit for each filling; some cells may have been taken already.
    """
    cells = [1 << i for i in range(size) if not (own | opponent) >> i & 1]
    if not cells:
        return bool(good >> own & 1)
    for move in cells:
        replies = [cell for cell in cells if cell != move]
        if not replies:
            return bool(good >> own & 1)
        if not any(is_captured(good, size, own | reply, opponent | move) for reply in replies):
            return False
    return True


def captures(
    board: Board, stones: Sequence[int], carrier: Sequence[int], colour: Colour, entered: int = 0
) -> bool:
    """Whether a colour captures cells of a board.

    ``entered`` has a bit for each cell of the carrier where the opponent has a stone already.
    """
    return is_captured(_good(board, stones, carrier, colour, entered), len(carrier), 0, entered)


def answers(
    board: Board, stones: Sequence[int], carrier: Sequence[int], colour: Colour
) -> dict[int, int]:
    """Return how a colour answers each of the opponent's moves in a carrier that it captures."""
    good = _good(board, stones, carrier, colour, 0)
    found: dict[int, int] = {}
    for i, move in enumerate(carrier):
        for j, reply in enumerate(carrier):
            if i != j and is_captured(good, len(carrier), 1 << j, 1 << i):
                found.setdefault(move, reply)
    return found


def _good(
    board: Board, stones: Sequence[int], carrier: Sequence[int], colour: Colour, entered: int
) -> int:
    """Return the fillings that are as good as all own, or some of them if that is too few."""
    links, owners = _graph(board)
    ring = sorted({node for cell in carrier for node in links[cell]} - set(carrier))

    def holders(node: int) -> tuple[Colour, ...]:
        if node >= len(board):
            return owners[node - len(board)]
        return (Colour(stones[node]),) if stones[node] else ()

    held = {node: holders(node) for node in ring}
    own = frozenset(node for node in ring if colour in held[node])
    theirs = frozenset(node for node in ring if colour.opponent in held[node])
    unknown = [node for node in ring if not held[node]]
    good = (1 << (1 << len(carrier))) - 1
    for choice in itertools.product((True, False), repeat=len(unknown)):
        more = frozenset(node for node, is_own in zip(unknown, choice, strict=True) if is_own)
        good &= fillings_as_good(
            carrier, ring, own | more, theirs | frozenset(unknown) - more, links.__getitem__
        )
        if not is_captured(good, len(carrier), 0, entered):
            break
    return good


@lru_cache(maxsize=16)
def _graph(board: Board) -> tuple[list[tuple[int, ...]], list[tuple[Colour, ...]]]:
    """Return the neighbours of cells and sides (numbered behind the cells), and whose sides are."""
    links = [list(neighbours) for neighbours in board.neighbours]
    for number, side in enumerate(board.sides, len(board)):
        links.append(list(side.cells))
        for cell in side.cells:
            links[cell].append(number)
    owners = [
        tuple(colour for colour in (BLACK, WHITE) if side in board.goal(colour))
        for side in range(len(board.sides))
    ]
    return [tuple(nodes) for nodes in links], owners
