"""Boards: cells, names, neighbours, sides, goals, symmetries.

A board is a planar graph: cells with their neighbours in cyclic order, sides, and for each colour
the sides that it has to join with one chain.  Everything else (positions, playouts, search) sees
cells as numbers from 0 and asks the board.  Hex and Y also have a *framing*: the place of every
cell in a triangle, which is what the reduction needs.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import TYPE_CHECKING

from trivalent.core.framing import Framing, hex_framing, y_framing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

MAX_SIZE = 63
"""The longest side of a board.  A column of the framed triangle then fits one 64-bit word."""

_CACHED = 16  # boards kept of each game; one of 63x63 takes about 2 MB

EMPTY = 0
"""What a cell without a stone holds, beside the two colours."""


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

    Where ``swaps_colours`` is true the image is the same game only if every stone changes colour.
    """

    cells: tuple[int, ...]
    swaps_colours: bool


@dataclass(frozen=True, eq=False, slots=True)
class Board:
    """An empty board: immutable and shared (the constructors cache the last ones used).

    Cells are numbered row by row from 0.  Use `hex_board`, `y_board` or `make_board`.
    """

    game: str
    """``hex`` or ``y``."""
    width: int
    """Number of columns."""
    height: int
    """Number of rows."""
    coordinates: tuple[tuple[int, int], ...]
    """(column, row) of each cell, from 0, as a diagram draws it."""
    neighbours: tuple[tuple[int, ...], ...]
    """The neighbours of each cell, clockwise in the diagram."""
    sides: tuple[Side, ...]
    goals: tuple[tuple[int, ...], tuple[int, ...]]
    """Numbers of the sides that Black, and those that White, must join with one chain."""
    symmetries: tuple[Symmetry, ...]
    """All symmetries, the identity first."""
    swap_map: tuple[int, ...] | None
    """Where the stone of a cell goes under swap-pieces; None where that swap is impossible."""
    framing: Framing
    names: tuple[str, ...]
    """The name of each cell, such as ``c4``."""
    _cells: dict[str, int]

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
        if self.game == "y":
            return f"Y {self.height}"
        return f"{self.width}x{self.height} Hex"

    def __reduce__(self) -> tuple[Callable[[str, int, int], Board], tuple[str, int, int]]:
        return make_board, (self.game, self.width, self.height)

    def cell(self, name: str) -> int:
        """Return the cell of that name, in any case.  Raise ValueError if there is none."""
        # Beyond ASCII there are letters whose lower case is one of ours.
        cell = self._cells.get(name.lower()) if name.isascii() else None
        if cell is None:
            shown = name if len(name) <= 20 else name[:20] + "..."
            raise ValueError(f"no cell {shown!r} on {self} (last cell: {self.names[-1]})")
        return cell

    def goal(self, colour: Colour) -> tuple[int, ...]:
        """Return the numbers of the sides that this colour must join with one chain."""
        return self.goals[colour - 1]


def column_name(column: int) -> str:
    """Return the letters of a column numbered from 0: a to z, then aa, ab, ..."""
    letters = ""
    column += 1
    while column:
        column, letter = divmod(column - 1, 26)
        letters = chr(ord("a") + letter) + letters
    return letters


# Steps to the neighbours in cyclic order: two that follow each other are neighbours themselves.
_HEX_RING = ((0, -1), (1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0))
_Y_RING = ((0, -1), (1, 0), (1, 1), (0, 1), (-1, 0), (-1, -1))


def _graph(
    coordinates: Iterable[tuple[int, int]], ring: tuple[tuple[int, int], ...]
) -> tuple[dict[tuple[int, int], int], tuple[tuple[int, ...], ...]]:
    """Number the coordinates and list the neighbours of each."""
    index = {place: cell for cell, place in enumerate(coordinates)}
    return index, tuple(
        tuple(index[x + dx, y + dy] for dx, dy in ring if (x + dx, y + dy) in index)
        for x, y in index
    )


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
    cells, neighbours = _graph([(x, y) for y in range(h) for x in range(w)], _HEX_RING)
    top = Side("top", tuple(cells[x, 0] for x in range(w)))
    bottom = Side("bottom", tuple(cells[x, h - 1] for x in range(w)))
    left = Side("left", tuple(cells[0, y] for y in range(h)))
    right = Side("right", tuple(cells[w - 1, y] for y in range(h)))
    identity = Symmetry(tuple(cells.values()), swaps_colours=False)
    turned = Symmetry(identity.cells[::-1], swaps_colours=False)
    symmetries: tuple[Symmetry, ...] = (identity, turned)
    mirrored = None
    if w == h:
        mirrored = tuple(cells[y, x] for x, y in cells)
        symmetries += (
            Symmetry(mirrored, swaps_colours=True),
            Symmetry(mirrored[::-1], swaps_colours=True),
        )
    names = _names(cells)
    return Board(
        game="hex",
        width=w,
        height=h,
        coordinates=tuple(cells),
        neighbours=neighbours,
        sides=(top, bottom, left, right),
        goals=((0, 1), (2, 3)),
        symmetries=symmetries,
        swap_map=mirrored,
        framing=hex_framing(w, h),
        names=names,
        _cells={name: cell for cell, name in enumerate(names)},
    )


def y_board(size: int) -> Board:
    """Return the triangular Y board with that many cells to a side: apex a1, row r has r cells.

    Raise ValueError unless it is 1 to 63.
    """
    return _y_board(size)


@lru_cache(maxsize=_CACHED)
def _y_board(size: int) -> Board:
    _check_size(size=size)
    last = size - 1
    cells, neighbours = _graph([(x, y) for y in range(size) for x in range(y + 1)], _Y_RING)
    left = Side("left", tuple(cells[0, y] for y in range(size)))
    right = Side("right", tuple(cells[y, y] for y in range(size)))
    bottom = Side("bottom", tuple(cells[x, last] for x in range(size)))
    # The distances of a cell to the three sides add up to size - 1; a symmetry permutes them.
    distances = [(x, y - x, last - y) for x, y in cells]
    symmetries = tuple(
        Symmetry(
            tuple(cells[d[i], d[i] + d[j]] for d in distances),
            swaps_colours=False,
        )
        for i, j in ((0, 1), (1, 2), (2, 0), (1, 0), (2, 1), (0, 2))
    )
    names = _names(cells)
    return Board(
        game="y",
        width=size,
        height=size,
        coordinates=tuple(cells),
        neighbours=neighbours,
        sides=(left, right, bottom),
        goals=((0, 1, 2), (0, 1, 2)),
        symmetries=symmetries,
        swap_map=symmetries[0].cells,
        framing=y_framing(size),
        names=names,
        _cells={name: cell for cell, name in enumerate(names)},
    )


def make_board(game: str, width: int, height: int | None = None) -> Board:
    """Return the board of ``hex`` or ``y``; the height of a Y board, if given, equals its width.

    Raise ValueError for another game or a size that the game does not have.
    """
    if game == "hex":
        return hex_board(width, height)
    if game == "y":
        if height is not None and height != width:
            raise ValueError(f"a Y board has one size, not {width} by {height}")
        return y_board(width)
    raise ValueError(f"unknown game {game!r} (known: {', '.join(GAMES)})")


GAMES = ("hex", "y")
"""The games, by the names that `make_board` takes."""
