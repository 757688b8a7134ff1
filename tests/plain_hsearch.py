"""H-search in Hex as its rules say, slowly, and with the faults that one can make in it."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trivalent.core.board import Board, Colour

Fault = Literal["overlap", "end", "few", ""]
"""Carriers of an AND may overlap; an end may lie in a carrier; an OR of semis may have a cell in
common.
"""

Carrier = frozenset[int]
Pair = tuple[int, int]


class Claim(NamedTuple):
    full: bool
    chain: int
    point: int
    carrier: Carrier


class PlainSearch:
    """The connections of up to ``most`` cells, between points as `Connections` numbers them."""

    def __init__(
        self,
        board: Board,
        points: list[int],
        colour: Colour,
        most: int,
        *,
        fault: Fault = "",
    ) -> None:
        self.cells = len(board)
        self.most = most
        self.fault: Fault = fault
        self.fulls: dict[Pair, set[Carrier]] = {}
        self.semis: dict[Pair, set[Carrier]] = {}
        self.empty = [cell for cell, point in enumerate(points) if point == cell]
        chains = {point for point in points if point >= self.cells}
        self.chains = sorted({self.cells, self.cells + 1} | chains)
        self._add_steps(board, points, colour)
        while self._combine():
            pass

    def claims(self) -> list[Claim]:
        """Return what is connected, but for steps from cell to cell."""
        return [
            Claim(full, pair[1] - self.cells, pair[0], carrier)
            for full, lists in ((True, self.fulls), (False, self.semis))
            for pair, carriers in lists.items()
            if pair[1] >= self.cells
            for carrier in carriers
        ]

    def _add_steps(self, board: Board, points: list[int], colour: Colour) -> None:
        sides = [frozenset(board.sides[side].cells) for side in board.goal(colour)]
        for cell in self.empty:
            around = board.neighbours[cell]
            for neighbour in around:
                if points[neighbour] >= 0:
                    self._add(self.fulls, cell, points[neighbour], frozenset())
            for number, side in enumerate(sides):
                if cell in side:
                    self._add(self.fulls, cell, self.cells + number, frozenset())
            for a, b in combinations(around, 2):
                if a in board.neighbours[b] and points[a] == a and points[b] == b:
                    for far in set(board.neighbours[a]) & set(board.neighbours[b]) - {cell}:
                        if points[far] == far:
                            self._add(self.fulls, cell, far, frozenset({a, b}))

    def _add(self, lists: dict[Pair, set[Carrier]], a: int, b: int, carrier: Carrier) -> bool:
        pair = min(a, b), max(a, b)
        known = self.fulls.get(pair, set()) | lists.get(pair, set())
        if len(carrier) > self.most or any(other <= carrier for other in known):
            return False
        lists.setdefault(pair, set()).add(carrier)
        for weaker in (self.semis, lists):
            if pair in weaker:
                weaker[pair] = {c for c in weaker[pair] if c == carrier or not carrier < c}
        return True

    def _combine(self) -> bool:
        """Apply all rules once to all there is; return whether that gave anything."""
        at: dict[int, list[tuple[int, Carrier]]] = {}
        for (a, b), carriers in self.fulls.items():
            for carrier in carriers:
                at.setdefault(a, []).append((b, carrier))
                at.setdefault(b, []).append((a, carrier))
        found = []
        for mid, fulls in at.items():
            for (a, first), (b, second) in combinations(fulls, 2):
                if a == b or (first & second and self.fault != "overlap"):
                    continue
                if (a in second or b in first) and self.fault != "end":
                    continue
                if mid >= self.cells:
                    found.append((self.fulls, a, b, first | second))
                elif max(a, b) >= self.cells:
                    found.append((self.semis, a, b, first | second | {mid}))
        found += [
            (self.fulls, *pair, carrier) for pair in self.semis for carrier in self._ors(pair)
        ]
        return sum(self._add(*one) for one in found) > 0

    def _ors(self, pair: Pair) -> Iterator[Carrier]:
        semis = sorted(self.semis[pair], key=lambda carrier: (len(carrier), sorted(carrier)))
        allowed = 1 if self.fault == "few" else 0
        for count in (2, 3):
            for some in combinations(semis[:14], count):
                if len(frozenset.intersection(*some)) <= allowed:
                    yield frozenset.union(*some)
