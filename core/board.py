"""Boards: cells, names, neighbours, sides, goals, symmetries; `games` makes them.

A board is a graph: cells with their neighbours in cyclic order, sides, and the aim: most often
that a colour joins some of the sides with one chain.  Everything else (positions, playouts, search)
numbers the cells from 0 and asks the board.

Boards differ in what else they have.  A *framing* places the cells in a triangle that can be
reduced; a *lattice* places six-sided cells in rows, for patterns and drawings; a *layout* places
the cells of other boards in the plane or on a sphere; and every board brings the win test of its
positions.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from trivalent.core.framing import Framing
    from trivalent.core.lattice import Lattice


MAX_SIZE = 63
"""The longest side of a board, in cells.  A column of the framed triangle then fits 64 bits."""

EMPTY = 0
"""What a cell without a stone holds; a cell with a stone holds its `Colour`."""


class Colour(IntEnum):
    """The colour of a stone, and of the player who places it.  Black moves first."""

    BLACK = 1
    WHITE = 2

    @property
    def opponent(self) -> Colour:
        """The other colour."""
        return Colour.WHITE if self is Colour.BLACK else Colour.BLACK

    def __str__(self) -> str:
        return self.name.lower()


BLACK, WHITE = Colour.BLACK, Colour.WHITE


class Aim(Enum):
    """How a colour wins."""

    JOIN = "join"
    """One of its chains touches all sides of its goal."""
    LOOP = "loop"
    """One of its chains has a closed path with an odd number of twisted edges: it holds a polygon
    and its antipode."""
    SCORE = "score"
    """It has more points; see `trivalent.core.boards.star`."""


class WinTest(Protocol):
    """Follows the stones of one position and knows who has won.

    What a cell holds is 0 (empty), 1 (black) or 2 (white).  Changes are undone in reverse order, so
    an implementation may keep a stack (union-find with rollback) or simply apply the inverse.
    """

    @property
    def winner(self) -> int:
        """1 if Black has won, 2 if White has, else 0."""

    def put(self, cell: int, before: int, after: int) -> None:
        """Replace what a cell holds: ``before``, by something else."""

    def undo(self, cell: int, before: int, after: int) -> None:
        """Undo the latest `put` that isn't undone yet; the arguments are the same."""

    def copy(self) -> WinTest:
        """Return an independent copy."""


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a board and the cells along it, in order."""

    name: str
    cells: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Symmetry:
    """A map of the board onto itself: cell c goes to ``cells[c]``.

    If ``swaps_colours``, the image is the same game only with the colours of all stones exchanged.
    """

    cells: tuple[int, ...]
    swaps_colours: bool


@dataclass(frozen=True, eq=False, slots=True)
class Board:
    """An empty board: immutable and shared (the constructors cache the latest ones).

    Cells are numbered row by row from 0, or ring by ring.  Use `hex_board`, `y_board` or
    `trivalent.core.games.make_board`.
    """

    game: str
    """The name of the game, a key of `trivalent.core.games.GAMES`."""
    title: str
    """The board in a sentence: ``11x11 Hex``, ``Y 9``."""
    width: int
    """Number of columns, or the size of a board that has one size."""
    height: int
    """Number of rows, or the size of a board that has one size."""
    coordinates: tuple[tuple[int, int], ...]
    """(column, row) of each cell, from 0; the names of the cells follow them.  On boards without a
    lattice, the column is the ring or the circle of latitude, and the row is the place along it."""
    neighbours: tuple[tuple[int, ...], ...]
    """The neighbours of each cell, clockwise in the diagram."""
    sides: tuple[Side, ...]
    goals: tuple[tuple[int, ...], tuple[int, ...]]
    """Numbers of the sides that Black, and those that White, must join with one chain."""
    symmetries: tuple[Symmetry, ...]
    """All symmetries, the identity first."""
    swap_map: tuple[int, ...] | None
    """Where swap-pieces moves the stone of each cell; None if the board has no such swap."""
    framing: Framing | None
    """The cells in a triangle, for the reduction; None for boards that can't be reduced."""
    lattice: Lattice | None
    """The cells on the hexagonal lattice; None for boards with other than six-sided cells."""
    names: tuple[str, ...]
    """The name of each cell, such as ``c4``."""
    _cells: dict[str, int]
    _win_test: Callable[[Board], WinTest]
    _made_by: tuple[Callable[..., Board], tuple[Any, ...]]
    aim: Aim = Aim.JOIN
    twisted: frozenset[tuple[int, int]] = frozenset()
    """Neighbours that touch each other's antipodes, both ways round (Renkula!)."""
    corners: tuple[int, ...] = ()
    """The cells that break a tie in points (*Star)."""
    layout: tuple[tuple[tuple[float, ...], ...], ...] | None = None
    """Where each cell lies: a point in the plane, neighbours about 1 apart and y downwards, or the
    two points of a pair of antipodes on the unit sphere.  None for boards with a lattice."""

    def __len__(self) -> int:
        return len(self.names)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Board):
            return NotImplemented
        return (self.game, self.width, self.height) == (other.game, other.width, other.height)

    def __hash__(self) -> int:
        return hash((self.game, self.width, self.height))

    def __repr__(self) -> str:
        return f"<Board: {self}>"

    def __str__(self) -> str:
        return self.title

    def __reduce__(self) -> tuple[Callable[..., Board], tuple[Any, ...]]:
        return self._made_by

    @property
    def all_names(self) -> Mapping[str, int]:
        """Every name of every cell; in Renkula!, a cell has two."""
        return MappingProxyType(self._cells)

    def cell(self, name: str) -> int:
        """Return the cell of that name, in any case.  Raise ValueError if there is none."""
        # Some letters beyond ASCII have one of ours as their lower case.
        cell = self._cells.get(name.lower()) if name.isascii() else None
        if cell is None:
            shown = name if len(name) <= 20 else name[:20] + "..."
            raise ValueError(f"no cell {shown!r} on {self} (last cell: {self.names[-1]})")
        return cell

    def goal(self, colour: Colour) -> tuple[int, ...]:
        """Return the numbers of the sides that this colour must join with one chain."""
        return self.goals[colour - 1]

    @property
    def shares_sides(self) -> bool:
        """Whether both colours join the same sides, as in Y."""
        return self.goals[0] == self.goals[1]

    def new_win_test(self) -> WinTest:
        """Return the win test of a new position on this board."""
        return self._win_test(self)


def column_name(column: int) -> str:
    """Return the letters of a column numbered from 0: a to z, then aa, ab, ..."""
    letters = ""
    column += 1
    while column:
        column, letter = divmod(column - 1, 26)
        letters = chr(ord("a") + letter) + letters
    return letters
