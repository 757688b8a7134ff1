"""Captured cells by their definition, decided by local search.

A *carrier* is a set of empty cells; its ring consists of the cells next to it.  A player captures a
carrier if, by answering every move of the opponent inside it with one of his own inside it, he
always reaches a filling that joins the stones of the ring at least as well as if the whole carrier
were his.  A single captured cell is *dead*: it doesn't matter whose it is.  An empty cell of the
ring may later become either player's, so a capture must hold for both.

A cell is *permanently inferior* for a player if the opponent is no worse off without a stone on it
than with one: then it may be the opponent's until somebody plays next to it [AHH].  This is so if
the carrier around the cell is as good for the opponent as it would be with such a stone: see
`LocalGames`.

The fast fill-in of `_fillin` uses patterns that tools/workshop/derive_fillin.py derives with the
functions of this module.  `inferior_cells` uses them to explain what has been filled in.
"""

from __future__ import annotations

import itertools
from functools import lru_cache
from typing import TYPE_CHECKING, Generic, TypeVar

from trivalent.core.board import BLACK, WHITE, Colour

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from trivalent.core.board import Board

Node = TypeVar("Node")

Chains = tuple[int, ...]
"""What stones join: the nodes of the ring on each chain, as bits."""


class Surroundings(Generic[Node]):
    """A carrier and the nodes around it, numbered: sets of them have a bit for each.

    The nodes of the ring come first, then the cells of the carrier, then nodes farther away.
    """

    def __init__(
        self,
        carrier: Sequence[Node],
        ring: Sequence[Node],
        neighbours: Callable[[Node], Iterable[Node]],
        farther: Iterable[Node] = (),
    ) -> None:
        self.bits = {node: 1 << i for i, node in enumerate((*ring, *carrier, *farther))}
        self._ring = (1 << len(ring)) - 1
        self._size, self._first = len(carrier), len(ring)
        self._links = {
            bit: sum(self.bits[other] for other in {*neighbours(node)} & self.bits.keys())
            for node, bit in self.bits.items()
        }
        self._chains: dict[int, Chains] = {}
        self._as_good: dict[tuple[int, int], int] = {}

    def bits_of(self, nodes: Iterable[Node]) -> int:
        """Return a set of nodes as bits."""
        return sum(self.bits[node] for node in nodes)

    def chains(self, stones: int) -> Chains:
        """Return what stones join, in the order of the ring."""
        if stones not in self._chains:
            self._chains[stones] = self._find_chains(stones)
        return self._chains[stones]

    def _find_chains(self, stones: int) -> Chains:
        found = []
        while start := stones & self._ring:
            chain, edge = 0, start & -start
            while edge:
                last = edge & -edge
                chain |= last
                edge = (edge | self._links[last]) & stones & ~chain
            found.append(chain & self._ring)
            stones &= ~chain
        return tuple(found)

    def fillings_as_good(self, own: int, opponent: int) -> int:
        """Return the fillings that are as good as having all cells, as a bit for each filling.

        A filling itself is a number with a bit for each own cell.  Every node of the ring is in one
        of the two sets of stones; a side that belongs to both players is in both.
        """
        if (own, opponent) not in self._as_good:
            last = (1 << self._size) - 1
            found = [
                (
                    self.chains(own | filling << self._first),
                    self.chains(opponent | (last ^ filling) << self._first),
                )
                for filling in range(last + 1)
            ]
            self._as_good[own, opponent] = sum(
                1 << filling for filling, joined in enumerate(found) if joined == found[last]
            )
        return self._as_good[own, opponent]


@lru_cache(maxsize=1 << 16)
def is_captured(good: int, size: int, own: int = 0, opponent: int = 0) -> bool:
    """Return whether the player reaches a good filling of `size` cells, the opponent to move.

    ``good`` has a bit for each filling.  ``own`` and ``opponent`` are the cells taken so far, as
    bits.
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


Local = tuple[int, ...]
"""The stones in a carrier, per cell: 1 the player's, -1 the opponent's, 0 none."""
Joins = tuple[Chains, Chains]
"""What the player's stones join, and the opponent's."""


class LocalGames:
    """Compare positions of a carrier in all contexts at once.

    A context is a choice of stones for the ring; sets of contexts have a bit for each.  One
    position is at least as good as another, for the player, if he has an answer to every move of
    the opponent in the first one and to every move of his own in the second one.  He answers with a
    move of his own in the first position, or with one of the opponent's in the second.  Whatever he
    can achieve on a board with the second position he can then achieve with the first [SEL].
    """

    def __init__(self, contexts: int, compare: Callable[[Local, Local], int]) -> None:
        """Set the number of contexts, and how to compare two fillings.

        ``compare`` returns the contexts in which the first filling joins at least as much as the
        second, as `joins_as_much` does for one context.
        """
        self._everywhere = (1 << contexts) - 1
        self._compare = compare
        self._found: dict[tuple[Local, Local], int] = {}

    def at_least(self, first: Local, second: Local) -> int:
        """Return the contexts in which the first position is at least as good as the second."""
        if (first, second) not in self._found:
            self._found[first, second] = self._at_least(first, second)
        return self._found[first, second]

    def _at_least(self, first: Local, second: Local) -> int:
        if all(a >= b for a, b in zip(first, second, strict=True)):
            return self._everywhere
        if 0 not in first and 0 not in second:
            return self._compare(first, second)
        holds = self._everywhere
        moves = itertools.chain(
            ((after, second) for after in _moves(first, -1)),
            ((first, after) for after in _moves(second, 1)),
        )
        for after in moves:
            holds &= self._answered(*after, holds)
            if not holds:
                break
        return holds

    def _answered(self, first: Local, second: Local, wanted: int) -> int:
        """Return the contexts in which the player has an answer, or some that contain the wanted.

        Not moving at all is an answer, too.
        """
        answers = itertools.chain(
            [(first, second)],
            ((first, answer) for answer in _moves(second, -1)),
            ((answer, second) for answer in _moves(first, 1)),
        )
        found = 0
        for answer in answers:
            found |= self.at_least(*answer)
            if not wanted & ~found:
                break
        return found


def _moves(position: Local, stone: int) -> Iterator[Local]:
    """Yield the positions after each move of a player."""
    for cell, held in enumerate(position):
        if held == 0:
            yield (*position[:cell], stone, *position[cell + 1 :])


def joins_as_much(first: Joins, second: Joins) -> bool:
    """Return whether one filling joins as much for the player, and no more against him."""
    (ours, theirs), (others_ours, others_theirs) = first, second
    return _refines(ours, others_ours) and _refines(others_theirs, theirs)


def _refines(more: Chains, less: Chains) -> bool:
    """Return whether nodes on the same chain in ``less`` are on the same chain in ``more``."""
    return all(any(not chain & ~other for other in more) for chain in less)


def captures(
    board: Board, stones: Sequence[int], carrier: Sequence[int], colour: Colour, entered: int = 0
) -> bool:
    """Return whether a colour captures a carrier.

    ``entered`` has a bit for each cell of the carrier that already has a stone of the opponent.
    """
    return is_captured(_good(board, stones, carrier, colour, entered), len(carrier), 0, entered)


def answers(
    board: Board, stones: Sequence[int], carrier: Sequence[int], colour: Colour
) -> dict[int, int]:
    """Return a colour's reply to each move of the opponent in a carrier that it captures."""
    good = _good(board, stones, carrier, colour, 0)
    found: dict[int, int] = {}
    for i, move in enumerate(carrier):
        for j, reply in enumerate(carrier):
            if i != j and is_captured(good, len(carrier), 1 << j, 1 << i):
                found.setdefault(move, reply)
    return found


def is_inferior(
    board: Board, stones: Sequence[int], carrier: Sequence[int], cell: int, colour: Colour
) -> bool:
    """Return whether a cell of a carrier is permanently inferior for a colour's opponent."""
    near = _surroundings(board, tuple(carrier))
    around = list(_contexts(board, stones, carrier, colour))
    empty = (0,) * len(carrier)
    given = tuple(int(other == cell) for other in carrier)

    def holds(contexts: list[tuple[int, int]]) -> bool:
        def joined(filling: Local) -> Iterator[Joins]:
            mine, theirs = (
                near.bits_of(c for c, held in zip(carrier, filling, strict=True) if held == stone)
                for stone in (1, -1)
            )
            for own, opponent in contexts:
                yield near.chains(own | mine), near.chains(opponent | theirs)

        def compare(first: Local, second: Local) -> int:
            return int(all(map(joins_as_much, joined(first), joined(second))))

        return bool(LocalGames(1, compare).at_least(empty, given))

    # Two single contexts refute most cells much faster than all contexts together.
    return holds(around[:1]) and holds(around[-1:]) and holds(around)


def _good(
    board: Board, stones: Sequence[int], carrier: Sequence[int], colour: Colour, entered: int
) -> int:
    """Return the fillings as good as having all cells, or a subset if the capture fails anyway."""
    near = _surroundings(board, tuple(carrier))
    good = (1 << (1 << len(carrier))) - 1
    for own, theirs in _contexts(board, stones, carrier, colour):
        good &= near.fillings_as_good(own, theirs)
        if not is_captured(good, len(carrier), 0, entered):
            break
    return good


def _contexts(
    board: Board, stones: Sequence[int], carrier: Sequence[int], colour: Colour
) -> Iterator[tuple[int, int]]:
    """Yield what each player has of a carrier's ring, for each way to fill its empty cells."""
    _, owners = _graph(board)
    own = theirs = 0
    unknown = []
    for node, bit in _surroundings(board, tuple(carrier)).bits.items():
        if node in carrier:
            continue
        if node < len(board) and not stones[node]:
            unknown.append(bit)
            continue
        held = (stones[node],) if node < len(board) else owners[node - len(board)]
        own |= bit * (colour in held)
        theirs |= bit * (colour.opponent in held)
    rest = sum(unknown)
    for choice in itertools.product((True, False), repeat=len(unknown)):
        more = sum(itertools.compress(unknown, choice))
        yield own | more, theirs | rest ^ more


@lru_cache(maxsize=1024)
def _surroundings(board: Board, carrier: tuple[int, ...]) -> Surroundings[int]:
    links, _ = _graph(board)
    ring = sorted({node for cell in carrier for node in links[cell]} - set(carrier))
    return Surroundings(carrier, ring, links.__getitem__)


@lru_cache(maxsize=16)
def _graph(board: Board) -> tuple[list[tuple[int, ...]], list[tuple[Colour, ...]]]:
    """Return the neighbours of cells and sides, which follow the cells, and the sides' owners."""
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
