"""An index of proof nodes: which of them hold in a position, decided for all nodes at once."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trivalent.bot.solver.proof import Node

_WORD = (1 << 64) - 1
_Places = slice | NDArray[np.intp]


class NodeIndex:
    """Nodes by their goals, the stones they need, and their carriers; numbers in order of adding.

    Each of these sets is a row of 64-bit words, so that one operation compares all nodes: a prover
    that went through its nodes one by one would take time proportional to their number squared.
    """

    def __init__(self, points: int) -> None:
        """Make an empty index for sets of ``points`` points, see `Strategy`."""
        self._words = (points + 63) // 64
        self._sets = np.zeros((3, self._words, 64), np.uint64)
        self._places: dict[int, int] = {}
        self._numbers: list[int] = []

    def add(self, number: int, node: Node) -> None:
        """Add a node, unless it is there already."""
        if number in self._places:
            return
        place = self._places[number] = len(self._numbers)
        self._numbers.append(number)
        if place == self._sets.shape[2]:
            self._sets = np.concatenate((self._sets, np.zeros_like(self._sets)), axis=2)
        for at, cells in enumerate((node.goal, node.needs, node.carrier)):
            self._sets[at, :, place] = self._split(cells)

    def holding(self, mine: int, free: int) -> Iterator[int]:
        """Yield nodes whose stones are among ``mine`` and whose carriers are among ``free``."""
        places = self._with_carriers_in(free)
        return self._chosen(places, ~self._outside(1, places, mine))

    def one_short(self, mine: int, free: int) -> Iterator[int]:
        """Yield nodes that may lack one stone, on a free cell, and whose carriers are free."""
        places = self._with_carriers_in(free)
        missing = self._without(1, places, mine)
        one = sum(map(np.bitwise_count, missing)) <= 1
        return self._chosen(places, one & ~self._outside(1, places, mine | free))

    def broken(self, have: int, mine: int, free: int, cell: int) -> Iterator[int]:
        """Yield nodes with goals among ``have`` that need ``mine``, ``free`` and one more cell."""
        gone = self._without(2, slice(len(self._numbers)), free)
        wrong = (word ^ part for word, part in zip(gone, self._split(1 << cell), strict=True))
        places = np.flatnonzero(reduce(or_, wrong) == 0)
        return self._chosen(
            places, ~(self._outside(0, places, have) | self._outside(1, places, mine))
        )

    def _split(self, points: int) -> list[np.uint64]:
        return [np.uint64(points >> 64 * i & _WORD) for i in range(self._words)]

    def _with_carriers_in(self, free: int) -> NDArray[np.intp]:
        """Return the places of the nodes left by the set that excludes most of them."""
        return np.flatnonzero(~self._outside(2, slice(len(self._numbers)), free))

    def _without(self, at: int, places: _Places, points: int) -> list[NDArray[np.uint64]]:
        """Return a set of each node without some points, word by word."""
        return [
            word[places] & others
            for word, others in zip(self._sets[at], self._split(~points), strict=True)
        ]

    def _outside(self, at: int, places: _Places, points: int) -> NDArray[np.bool_]:
        """Return whether a set of each node has other points."""
        outside: NDArray[np.bool_] = reduce(or_, self._without(at, places, points)) != 0
        return outside

    def _chosen(self, places: NDArray[np.intp], chosen: NDArray[np.bool_]) -> Iterator[int]:
        return (self._numbers[place] for place in places[chosen])
