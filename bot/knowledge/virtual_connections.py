"""Virtual connections for people: between points that have names, with reasons.

`_virtual_connections` finds them.  To connect two empty cells, this module puts a stone on one of
them, so that connections may pass over other stones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trivalent.bot.knowledge._virtual_connections import Connections, can_connect
from trivalent.core.connection.win_test import winners

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trivalent.core.board import Board, Colour

SIDES = {"top": "north", "bottom": "south", "left": "west", "right": "east"}
"""The names of the sides of a board in GTP commands."""


@dataclass(frozen=True, slots=True)
class Link:
    """A virtual connection."""

    is_full: bool
    """Whether it holds even if the opponent moves first; a semi needs its owner to move first."""
    ends: tuple[int, int]
    """Points: cells, chains by their first cell, sides numbered after the cells; -1 all sides of Y.
    """
    carrier: tuple[int, ...]
    """The cells that it needs."""
    key: int
    """Where to play to make a semi a full; -1 for a full."""
    rule: str
    """The rule that made it: ``base``, ``and``, ``or``, ``cross``, ``tripod`` or ``key``."""
    parts: tuple[int, ...]
    """The connections it is made of, by their numbers; -1 is a step from the key."""
    stepping_stones: tuple[int, ...]
    """Chains that it joins with its ends, as far as its parts show [HAH]."""


ALL_SIDES = -1


LIMITS: dict[str, dict[str, int]] = {
    "quick": {"key_probes": 4},
    "large": {"max_fulls": 6, "max_semis": 16, "max_size": 40, "max_equal_fulls": 0},
    "wide": {"max_between": 4, "key_probes": 4},
    "all": {
        "max_fulls": 8, "max_semis": 24, "max_equal_fulls": 0, "max_between": 60,
        "and_over_edge": True, "max_extension": 60, "share_captured": True, "crossing_rounds": 9,
    },
}  # fmt: skip
"""The limits of H-search for each use; see `_hsearch.h`.

``quick``: the strong player at positions with few visits; without key probes, also the solver.
``large``: the same player on large boards.  ``wide``: on other boards, at positions with many
visits.  ``all``: people, who want to see everything.
"""


class VirtualConnections:
    """Connections of a colour in a position.

    Raise ValueError if the board has no lattice or more than 256 cells.
    """

    def __init__(self, board: Board, stones: Sequence[int], colour: Colour) -> None:
        if board.lattice is None:
            raise ValueError(f"no connections on {board}: its cells aren't on a lattice")
        if not can_connect(board):
            raise ValueError(f"no connections on {board}: more than 256 cells")
        self.board = board
        self.colour = colour
        self.stones = bytes(stones)
        self._found = Connections(board, **LIMITS["all"])
        self._found.build(self.stones, colour)
        self._points = self._found.points
        self._goal = board.goal(colour)

    @property
    def winner(self) -> int:
        """2 if the colour has connected its sides, 1 if it does so by moving first, else 0."""
        if winners(self.board, self.stones)[0] == self.colour:
            return 2
        return self._found.winner

    @property
    def mustplay(self) -> list[int] | None:
        """The cells that the opponent must choose from to stop all threats; None: any cell."""
        if self.winner == 2:
            return []
        return self._found.mustplay

    def side(self, word: str) -> int:
        """Return the point of a side by compass direction.  Raise ValueError for other words."""
        for side in self._goal:
            if word.lower() == SIDES[self.board.sides[side].name]:
                return len(self.board) + side
        raise ValueError(f"{word} is not a side of {self.colour} on {self.board}")

    def first(self, cell: int) -> int:
        """Return the point that a cell belongs to.  Raise ValueError for an opponent's stone."""
        if self._points[cell] < 0:
            raise ValueError(f"{self.board.names[cell]} does not belong to {self.colour}")
        return self._public(self._points[cell])

    def is_chain(self, point: int) -> bool:
        """Return whether a point is a chain or a side rather than an empty cell."""
        return self._inner(point) >= len(self.board)

    def cells(self, point: int) -> list[int]:
        """Return the cells of a point: the cell, the chain, or the stones joined to a side."""
        inner = self._inner(point)
        return [cell for cell, at in enumerate(self._points) if at == inner]

    def name(self, point: int) -> str:
        """Return the name of a point."""
        if point == ALL_SIDES:
            return "sides"
        if point >= len(self.board):
            return SIDES[self.board.sides[point - len(self.board)].name]
        return self.board.names[point]

    def between(self, a: int, b: int, *, full: bool) -> list[Link]:
        """Return the connections between two points, the smallest carriers first."""
        first, last = self._inner(a), self._inner(b)
        if first == last:
            return []
        if not (self.is_chain(a) or self.is_chain(b)):
            return self.with_stone(a).between(a, b, full=full)
        return self._sorted(self._found.links(first, last, full))

    def wins(self, *, full: bool) -> list[Link]:
        """Return the connections of all the colour's sides."""
        return self._sorted(self._found.links(len(self.board), len(self.board) + 1, full))

    def connected(self, a: int, *, full: bool) -> list[int]:
        """Return the points that a point is connected to."""
        if not self.is_chain(a):
            return self.with_stone(a).connected(a, full=full)
        return [b for b in self._all_points() if self.between(a, b, full=full)]

    def link(self, number: int) -> Link:
        """Return a connection by its number."""
        first, last, carrier, key, rule, parts = self._found.link(number)
        ends = (self._public(first), self._public(last))
        if len(self._goal) > 2 and (first, last) == (len(self.board), len(self.board) + 1):
            ends = (ALL_SIDES, ALL_SIDES)
        stones = sorted(map(self._public, self._stepping_stones(number)))
        return Link(key < 0, ends, tuple(carrier), key, rule, tuple(parts), tuple(stones))

    def _stepping_stones(self, number: int) -> set[int]:
        *_, rule, parts = self._found.link(number)
        if rule != "and":
            return set()
        numbers = [part for part in parts if part >= 0]
        ends = [set(self._found.link(part)[:2]) for part in numbers]
        middle = set.intersection(*ends) if len(ends) > 1 else set[int]()
        stones = {point for point in middle if point >= len(self.board)}
        return stones.union(*map(self._stepping_stones, numbers))

    def _sorted(self, numbers: list[int]) -> list[Link]:
        links = [self.link(number) for number in numbers]
        return sorted(links, key=lambda link: (len(link.carrier), link.carrier))

    def _all_points(self) -> list[int]:
        sides = [len(self.board) + side for side in self._goal]
        inner = sorted(set(self._points) - {-1})
        return sides + [p for p in map(self._public, inner) if p < len(self.board)]

    def with_stone(self, cell: int) -> VirtualConnections:
        """Return the connections that the colour would have with one more stone."""
        after = bytearray(self.stones)
        after[cell] = self.colour
        return VirtualConnections(self.board, after, self.colour)

    def _inner(self, point: int) -> int:
        """Return the number of a point in the search."""
        if point >= len(self.board):
            return len(self.board) + self._goal.index(point - len(self.board))
        return self._points[point]

    def _public(self, inner: int) -> int:
        chain = inner - len(self.board)
        if chain < 0:
            return inner
        if chain < len(self._goal):
            return len(self.board) + self._goal[chain]
        return self._points.index(inner)
