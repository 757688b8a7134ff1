"""Boards: cells, names, neighbours, sides, goals, symmetries; the boards of Hex and Y.

A board is a planar graph: cells with their neighbours in cyclic order, sides, and for each colour
the sides that it must join with one chain.  Everything else (positions, playouts, search) numbers
the cells from 0 and asks the board.

Boards differ in what else they have.  A *framing* places the cells in a triangle that can be
reduced; a *lattice* places six-sided cells in rows, for patterns and drawings; and every board
brings the win test of its positions.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from trivalent.core.connection.incremental import pyramid_test
from trivalent.core.framing import Framing, hex_framing, y_framing
from trivalent.core.lattice import Lattice, make_lattice

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from trivalent.core.connection.incremental import WinTest

MAX_SIZE = 63
"""The longest side of a board, in cells.  A column of the framed triangle then fits 64 bits."""

_CACHED = 16  # boards kept for each game; a 63x63 board takes about 2 MB

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

    Cells are numbered row by row from 0.  Use `hex_board`, `y_board` or
    `trivalent.core.games.make_board`.
    """

    game: str
    """The name of the game, a key of `trivalent.core.games.GAMES`."""
    title: str
    """The board in a sentence: ``11x11 Hex``, ``Y 9``."""
    width: int
    """Number of columns."""
    height: int
    """Number of rows."""
    coordinates: tuple[tuple[int, int], ...]
    """(column, row) of each cell, from 0; the names of the cells follow them."""
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


def _names(coordinates: Iterable[tuple[int, int]]) -> tuple[str, ...]:
    return tuple(f"{column_name(x)}{y + 1}" for x, y in coordinates)


def _check_size(**sizes: int) -> None:
    for what, size in sizes.items():
        if not 1 <= size <= MAX_SIZE:
            raise ValueError(f"{what} must be 1 to {MAX_SIZE}, not {size}")


def hex_board(width: int, height: int | None = None) -> Board:
    """Return the Hex board of that many columns and rows; square if only one number is given.

    Raise ValueError unless both are 1 to 63.
    """
    return _hex_board(width, width if height is None else height)


@lru_cache(maxsize=_CACHED)
def _hex_board(w: int, h: int) -> Board:
    _check_size(width=w, height=h)
    coordinates = tuple((x, y) for y in range(h) for x in range(w))
    lattice = make_lattice(
        coordinates, lambda x, y: 0 if y < 0 else 1 if y == h else 2 if x < 0 else 3
    )
    cells = lattice.cells
    top = Side("top", tuple(cells[x, 0] for x in range(w)))
    bottom = Side("bottom", tuple(cells[x, h - 1] for x in range(w)))
    left = Side("left", tuple(cells[0, y] for y in range(h)))
    right = Side("right", tuple(cells[w - 1, y] for y in range(h)))
    identity = Symmetry(tuple(range(w * h)), swaps_colours=False)
    turned = Symmetry(identity.cells[::-1], swaps_colours=False)
    symmetries: tuple[Symmetry, ...] = (identity, turned)
    mirrored = None
    if w == h:
        mirrored = tuple(cells[y, x] for x, y in coordinates)
        symmetries += (
            Symmetry(mirrored, swaps_colours=True),
            Symmetry(mirrored[::-1], swaps_colours=True),
        )
    names = _names(coordinates)
    return Board(
        game="hex",
        title=f"{w}x{h} Hex",
        width=w,
        height=h,
        coordinates=coordinates,
        neighbours=lattice.neighbours(),
        sides=(top, bottom, left, right),
        goals=((0, 1), (2, 3)),
        symmetries=symmetries,
        swap_map=mirrored,
        framing=hex_framing(w, h),
        lattice=lattice,
        names=names,
        _cells={name: cell for cell, name in enumerate(names)},
        _win_test=pyramid_test,
        _made_by=(hex_board, (w, h)),
    )


def y_board(size: int) -> Board:
    """Return the triangular Y board with that many cells to a side: apex a1, row r has r cells.

    Raise ValueError unless the size is 1 to 63.
    """
    return _y_board(size)


@lru_cache(maxsize=_CACHED)
def _y_board(size: int) -> Board:
    _check_size(size=size)
    last = size - 1
    coordinates = tuple((x, y) for y in range(size) for x in range(y + 1))
    cells = {place: cell for cell, place in enumerate(coordinates)}
    # The lattice leans the other way: its rows begin with the places outside the triangle.
    lattice = make_lattice(
        ((x + last - y, y) for x, y in coordinates),
        lambda x, y: 0 if x + y < last else 2 if y > last else 1,
        first_step=1,
    )
    left = Side("left", tuple(cells[0, y] for y in range(size)))
    right = Side("right", tuple(cells[y, y] for y in range(size)))
    bottom = Side("bottom", tuple(cells[x, last] for x in range(size)))
    # The distances of a cell to the three sides add up to size - 1; a symmetry permutes them.
    distances = [(x, y - x, last - y) for x, y in coordinates]
    symmetries = tuple(
        Symmetry(
            tuple(cells[d[i], d[i] + d[j]] for d in distances),
            swaps_colours=False,
        )
        for i, j in ((0, 1), (1, 2), (2, 0), (1, 0), (2, 1), (0, 2))
    )
    names = _names(coordinates)
    return Board(
        game="y",
        title=f"Y {size}",
        width=size,
        height=size,
        coordinates=coordinates,
        neighbours=lattice.neighbours(),
        sides=(left, right, bottom),
        goals=((0, 1, 2), (0, 1, 2)),
        symmetries=symmetries,
        swap_map=symmetries[0].cells,
        framing=y_framing(size),
        lattice=lattice,
        names=names,
        _cells={name: cell for cell, name in enumerate(names)},
        _win_test=pyramid_test,
        _made_by=(y_board, (size,)),
    )
