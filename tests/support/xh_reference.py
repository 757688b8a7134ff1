"""H-search and XH-search straight from their rules: slow, and without unrequested limits.

Henderson, Arneson and Hayward: Hex, Braids, the Crossing Rule, and XH-search.  All points take
part: empty cells, chains and sides.  They are numbered as in `Connections`: an empty cell by its
own number, chains from the number of cells on, the colour's sides first.  Sets of cells are
integers with a bit per cell, and so are sets of chains.

No rule makes a carrier smaller than its parts.  So carriers are settled in the order of their size:
when one is settled, everything that could make it redundant, which it contains, is known.  The
result is the only closure of the rules.  (With the crossing rule the closure would otherwise depend
on the order: a semi that contains another may be the one with the stepping stones.)
"""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from trivalent.core.board import Board, Colour

Pair = tuple[int, int]
Full = tuple[int, int, int]
"""A full from a known end: the other end, the carrier, the stepping stones."""


class Semi(NamedTuple):
    """What is known of a semi besides its ends and carrier."""

    keys: int
    """The cells with which its owner can begin."""
    near: Pair
    """Stepping stones by the end to which they have a full; they have a semi to the other."""


Fault = Literal["overlap", "end", "few", ""]
"""Faults: overlapping carriers in AND, an end in a carrier, semis of an OR sharing a cell."""


class Rules(NamedTuple):
    """Which rules apply, and how far."""

    crossing: bool = True
    """The crossing rule."""
    strong: bool = True
    """The strong crossing rule, with edge bridges as captured sets."""
    and_over_edge: bool = True
    """Whether AND joins fulls that meet in a side."""
    over_chains: bool = False
    """Whether AND joins a semi and a full that meet in a chain.  The paper leaves it out, since it
    gives nothing new except for semis of the crossing rule.
    """
    max_cells: int = 1000
    """Cells of the largest carrier."""
    max_semis: int = 1000
    """The number of semis that may make a full."""
    fault: Fault = ""
    """A deliberate mistake, for tests that must notice it."""


XH = Rules()
"""XH-search without limits."""

PLAIN = Rules(crossing=False, strong=False)
"""H-search without limits."""


def cells_of(mask: int) -> Iterator[int]:
    """Yield the numbers of the bits that are set."""
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1


class Graph:
    """The points of a colour in a position of Hex, and which of them touch."""

    def __init__(self, board: Board, stones: Sequence[int], colour: Colour) -> None:
        self.cells = len(board)
        self.point = [cell if not stones[cell] else -1 for cell in range(self.cells)]
        self.sides = [frozenset(board.sides[side].cells) for side in board.goal(colour)]
        own = {cell for cell in range(self.cells) if stones[cell] == colour}
        self.chains: list[frozenset[int]] = []
        for seeds in [*self.sides, *({cell} for cell in sorted(own))]:
            todo = [cell for cell in seeds if cell in own and self.point[cell] < 0]
            chain: set[int] = set()
            while todo:
                cell = todo.pop()
                if cell not in chain:
                    chain.add(cell)
                    self.point[cell] = self.cells + len(self.chains)
                    todo += [other for other in board.neighbours[cell] if other in own]
            if chain or len(self.chains) < len(self.sides):
                self.chains.append(frozenset(chain))
        self.touching: dict[int, int] = defaultdict(int)
        """The points that touch a point, as bits."""
        for cell in range(self.cells):
            for other in board.neighbours[cell]:
                self._touch(self.point[cell], self.point[other])
            for number, side in enumerate(self.sides):
                if cell in side:
                    self._touch(self.point[cell], self.cells + number)
        self.edge_bridges = {
            cell: bridge
            for cell in range(self.cells)
            for side in self.sides
            if self.point[cell] == cell and cell not in side
            for bridge in [sum(1 << other for other in board.neighbours[cell] if other in side)]
            if bridge.bit_count() == 2 and all(self.point[i] == i for i in cells_of(bridge))
        }
        """Per cell of the second row: the edge bridge that a stone there captures."""

    def _touch(self, a: int, b: int) -> None:
        if a != b and min(a, b) >= 0:
            self.touching[a] |= 1 << b
            self.touching[b] |= 1 << a


class XhSearch:
    """All connections that the rules give a colour, except those that contain others."""

    def __init__(
        self, board: Board, stones: Sequence[int], colour: Colour, rules: Rules = XH
    ) -> None:
        self.graph = Graph(board, stones, colour)
        self.rules = rules
        self.cells = len(board)
        self.most = min(rules.max_cells, list(stones).count(0))
        self.fulls: dict[Pair, dict[int, int]] = defaultdict(dict)
        """Per pair of points, the lower first: carriers with their stepping stones."""
        self.semis: dict[Pair, dict[int, Semi]] = defaultdict(dict)
        self._at: dict[int, dict[int, dict[int, int]]] = defaultdict(dict)  # fulls by each end
        self._new_fulls: list[dict[Pair, dict[int, int]]] = []
        self._new_semis: list[dict[Pair, dict[int, Semi]]] = []
        for _ in range(self.most + 1):
            self._new_fulls.append(defaultdict(dict))
            self._new_semis.append(defaultdict(dict))
        for a, others in self.graph.touching.items():
            for b in cells_of(others):
                self._propose_full(a, b, 0, 0)
        for size in range(self.most + 1):
            self._settle(size)

    def has(self, a: int, b: int, carrier: int, *, full: bool) -> bool:
        """Return whether two points are connected within a set of cells."""
        pair = min(a, b), max(a, b)
        found: Iterable[int] = self.fulls.get(pair, {})
        if not full:
            found = [*found, *self.semis.get(pair, {})]
        return any(known & carrier == known for known in found)

    def _settle(self, size: int) -> None:
        """Accept what is proposed of a size, and propose what can be made of it."""
        while self._new_fulls[
            size
        ]:  # over a chain, a full with an empty carrier makes others of the same size
            pair, carriers = self._new_fulls[size].popitem()
            for carrier, stones in carriers.items():
                self._take_full(pair, carrier, stones)
        while self._new_semis[size]:
            pair, proposals = self._new_semis[size].popitem()
            for carrier, semi in proposals.items():
                self._take_semi(pair, carrier, semi)

    def _propose_full(self, a: int, b: int, carrier: int, stones: int) -> None:
        pair = min(a, b), max(a, b)
        size = carrier.bit_count()
        if size > self.most:
            return
        for known, known_stones in self.fulls[pair].items():
            if known & carrier == known and (
                known != carrier or stones | known_stones == known_stones
            ):
                return
        new = self._new_fulls[size][pair]
        new[carrier] = new.get(carrier, 0) | stones

    def _propose_semi(self, a: int, b: int, carrier: int, semi: Semi) -> None:
        if a > b:
            a, b, semi = b, a, semi._replace(near=semi.near[::-1])
        size = carrier.bit_count()
        if size > self.most:
            return
        for known in self.fulls[a, b]:
            if known & carrier == known:
                return
        for known in self.semis[a, b]:
            if known & carrier == known and known != carrier:
                return
        new = self._new_semis[size][a, b]
        new[carrier] = _both(new.get(carrier), semi)

    def _take_full(self, pair: Pair, carrier: int, stones: int) -> None:
        fulls = self.fulls[pair]
        stones |= fulls.get(carrier, 0)
        if fulls.get(carrier) == stones or _contains_other(carrier, fulls):
            return
        fulls[carrier] = stones
        for end, mid in (pair, pair[::-1]):
            self._at[mid][end] = fulls
            self._meet_fulls(mid, (end, carrier, stones))
            if self.rules.over_chains and self._joins(mid):
                for ends, semis in list(self.semis.items()):
                    if mid in ends:
                        for other, semi in semis.items():
                            self._extend((ends, other, semi), mid, (end, carrier, stones))

    def _meet_fulls(self, mid: int, full: Full) -> None:
        """Combine a full with the fulls that one of its ends has to other points."""
        end, first, stones = full
        for other, others in self._at[mid].items():
            if other == end or (first >> other & 1 and self.rules.fault != "end"):
                continue
            for second, more in others.items():
                if first & second and self.rules.fault != "overlap":
                    continue
                if second >> end & 1 and self.rules.fault != "end":
                    continue
                carrier = first | second
                a, b = self._chain(end), self._chain(other)
                if mid < self.cells:
                    semi = Semi(1 << mid, (stones & ~b, more & ~a))
                    self._propose_semi(end, other, carrier | 1 << mid, semi)
                elif self._joins(mid):
                    both = stones | more | self._chain(mid)
                    self._propose_full(end, other, carrier, both & ~(a | b))

    def _chain(self, point: int) -> int:
        """Return the bit of a chain, or 0 for other points."""
        return 1 << point - self.cells if point >= self.cells else 0

    def _joins(self, point: int) -> bool:
        """Return whether fulls that meet in a point make a full."""
        return point >= self.cells + (0 if self.rules.and_over_edge else 2)

    def _take_semi(self, pair: Pair, carrier: int, semi: Semi) -> None:
        semis = self.semis[pair]
        semi = _both(semis.get(carrier), semi)
        if (
            semis.get(carrier) == semi
            or _contains_other(carrier, semis)
            or any(known & carrier == known for known in self.fulls[pair])
        ):
            return
        semis[carrier] = semi
        self._alternatives(pair, carrier)
        if self.rules.crossing and pair[1] < self.cells:
            self._cross(pair, carrier)
        if self.rules.over_chains:
            for mid in pair:
                if self._joins(mid):
                    for other, others in self._at[mid].items():
                        for second, stones in others.items():
                            self._extend((pair, carrier, semi), mid, (other, second, stones))

    def _extend(self, link: tuple[Pair, int, Semi], mid: int, full: Full) -> None:
        """Make a semi of a semi and a full that meet in a chain."""
        pair, first, semi = link
        end, second, stones = full
        far, near = pair[0], semi.near
        if far == mid:
            far, near = pair[1], near[::-1]
        if far == end or first & second or first >> end & 1 or second >> far & 1:
            return
        out = ~(self._chain(far) | self._chain(end))
        near = near[0] & out, (near[1] | stones | self._chain(mid)) & out
        self._propose_semi(far, end, first | second, Semi(semi.keys, near))

    def _alternatives(self, pair: Pair, first: int) -> None:
        """Make fulls of a semi and as few others as leave no cell common to all."""
        semis = list(self.semis[pair])
        fulls = list(self.fulls[pair])  # and those found below
        seen = set()

        def add(common: int, union: int, left: int) -> None:
            if union.bit_count() > self.most or (common, union, left) in seen:
                return
            seen.add((common, union, left))
            for known in fulls:
                if known & union == known:
                    return
            few = self.rules.fault == "few" and union != first
            if common.bit_count() <= few:
                fulls.append(union)
                self._propose_full(*pair, union, 0)
            elif left:
                cell = common & -common  # one of the others must avoid it
                for other in semis:
                    if not other & cell:
                        add(common & other, union | other, left - 1)

        add(first, first, self.rules.max_semis - 1)

    def _cross(self, pair: Pair, first: int) -> None:
        """Apply the crossing rule to a semi between two cells and two others of the same pair.

        One of the two stepping stones has a full to either end.  If both had one to the same end,
        they would make a smaller semi with that cell as key; in the strong rule, where these fulls
        may overlap, they wouldn't, and the paper's sketch of a proof wouldn't hold.
        """
        semis = self.semis[pair]
        x, y = pair
        captures = [(0, 1 << x | 1 << y)]
        if self.rules.strong:
            bridges = [(self.graph.edge_bridges.get(key, 0), 1 << key) for key in pair]
            captures += [(b, key) for b, key in bridges if b and not b & (1 << x | 1 << y)]
        for captured, keys in captures:
            apart = [other for other in semis if not other & first & ~captured and other != first]
            for second, third in combinations(apart, 2):
                if second & third & ~captured:
                    continue
                carrier = first | second | third | 1 << x | 1 << y | captured
                for one, two in permutations((first, second, third), 2):
                    for a in cells_of(semis[one].near[0]):
                        for b in cells_of(semis[two].near[1]):
                            if a != b:
                                self._propose_semi(
                                    self.cells + a, self.cells + b, carrier, Semi(keys, (0, 0))
                                )


def _contains_other(carrier: int, others: Iterable[int]) -> bool:
    return any(other & carrier == other and other != carrier for other in others)


def _both(known: Semi | None, semi: Semi) -> Semi:
    """Return what two ways of making the same semi give together."""
    if known is None:
        return semi
    near = known.near[0] | semi.near[0], known.near[1] | semi.near[1]
    return Semi(known.keys | semi.keys, near)


class Play:
    """The play about whether two points get connected, tried out in full."""

    def __init__(self, graph: Graph, a: int, b: int) -> None:
        self.graph = graph
        self.a, self.b = a, b
        chains = sum(1 << graph.cells + chain for chain in range(len(graph.chains)))
        self.own = chains | 1 << a | 1 << b
        self.known: dict[tuple[int, int, bool], Pair] = {}
        self.success: dict[tuple[int, bool], int] = defaultdict(int)

    def holds(self, carrier: int, *, full: bool) -> bool:
        """Whether they get connected within these cells."""
        return bool(self._result(0, carrier, not full)[0])

    def keys(self, carrier: int) -> int:
        """The first moves within these cells that connect them."""
        return sum(
            1 << cell
            for cell in cells_of(carrier)
            if self._result(1 << cell, carrier & ~(1 << cell), False)[0]
        )

    def _joined(self, mine: int) -> bool:
        mine |= self.own
        chain, new = 0, 1 << self.a
        while new:
            chain |= new
            if chain >> self.b & 1:
                return True
            reached = 0
            for point in cells_of(new):
                reached |= self.graph.touching[point]
            new = reached & mine & ~chain
        return False

    def _result(self, mine: int, free: int, owner_moves: bool) -> Pair:
        """Whether they get connected, and the free cells that the winner needs for that."""
        if self._joined(mine):
            return 1, 0
        if not self._joined(mine | free):
            return 0, 0
        place = mine, free, owner_moves
        if place in self.known:
            return self.known[place]
        must = free
        needed = 0
        connected = int(not owner_moves)
        while must:
            move = max(cells_of(must), key=lambda cell: self.success[cell, owner_moves])
            taken = 1 << move
            result, sub = self._result(
                mine | taken if owner_moves else mine, free & ~taken, not owner_moves
            )
            if result == owner_moves:
                self.success[move, owner_moves] += 1
                connected, needed = result, sub | taken
                break
            needed |= sub
            must &= sub & ~taken
        self.known[place] = connected, needed
        return connected, needed
