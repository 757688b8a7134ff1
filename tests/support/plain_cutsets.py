"""Clique-cutset fill-in by its definition, in Python sets: the oracle of `_cutsets`."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trivalent.core.board import Board, Colour


class Graph:
    """The empty cells, what each is linked to for a colour, and the sides that it has."""

    def __init__(self, board: Board, stones: Sequence[int], colour: Colour) -> None:
        goal = board.goal(colour)
        self.all = set(goal)
        sides: list[set[int]] = [set() for _ in stones]
        for side in goal:
            for cell in board.sides[side].cells:
                sides[cell].add(side)
        self.links = {
            cell: {other for other in board.neighbours[cell] if not stones[other]}
            for cell, stone in enumerate(stones)
            if not stone
        }
        self.has = {cell: set(sides[cell]) for cell in self.links}
        self.liberties: list[set[int]] = []
        left = {cell for cell, stone in enumerate(stones) if stone == colour}
        while left:
            todo, liberties, reached = [left.pop()], set[int](), set[int]()
            while todo:
                stone = todo.pop()
                reached |= sides[stone]
                for other in board.neighbours[stone]:
                    if other in left:
                        left.remove(other)
                        todo.append(other)
                    elif not stones[other]:
                        liberties.add(other)
            self._link(liberties)
            for cell in liberties:
                self.has[cell] |= reached
            self.liberties.append(liberties)
        self.almost = [
            {cell for cell in self.links if self.has[cell] >= self.all - {side}} for side in goal
        ]
        for cells in self.almost:
            self._link(cells)

    def _link(self, cells: Iterable[int]) -> None:
        for cell, other in itertools.permutations(cells, 2):
            self.links[cell].add(other)

    def without(self, cells: set[int]) -> None:
        """Remove nodes."""
        self.links = {
            cell: links - cells for cell, links in self.links.items() if cell not in cells
        }

    def killers(self, cell: int) -> set[int] | None:
        """Return the nodes whose removal would make a node dead; None if it's dead already."""
        if self.has[cell] == self.all:
            return set()
        around = self.links[cell]
        wrong = [{a, b} for a, b in itertools.combinations(around, 2) if b not in self.links[a]]
        wrong += [{a} for a in around if not self.has[cell] <= self.has[a]]
        return set.intersection(*wrong) if wrong else None

    def captured(self) -> set[int]:
        """Return the dead nodes and those captured by killers."""
        killers = {cell: self.killers(cell) for cell in self.links}
        found = {cell for cell, by in killers.items() if by is None or by}
        while True:
            wrong = {cell for cell in found if (by := killers[cell]) is not None and not by & found}
            if not wrong:
                return found
            found -= wrong

    def behind(self, clique: set[int]) -> set[int]:
        """Return the nodes that a clique cuts off."""
        left, found = set(self.links) - clique, set[int]()
        common = set.intersection(self.all, *(self.has[cell] for cell in clique))
        if clique and common == self.all:
            return set()
        while left:
            part, todo = set[int](), [left.pop()]
            while todo:
                cell = todo.pop()
                part.add(cell)
                new = self.links[cell] & left
                left -= new
                todo += new
            reached = set.union(*(self.has[cell] for cell in part))
            if (reached <= common) if clique else (reached != self.all):
                found |= part
        return found


def plain_fill(board: Board, stones: bytes, colour: Colour) -> bytes:
    """Return the stones with what a colour's graph gives its opponent filled in."""
    graph = Graph(board, stones, colour)
    found = graph.captured()
    graph.without(found)
    for clique in (set[int](), *graph.liberties, *graph.almost):
        left = clique & set(graph.links)
        if left or not clique:
            dead = graph.behind(left)
            graph.without(dead)
            found |= dead
    return bytes(colour.opponent if cell in found else stone for cell, stone in enumerate(stones))
