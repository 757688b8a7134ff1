"""The games: the boards of Hex and Y, and one declaration for each game.

A game to come needs a function that makes its boards (see `trivalent.core.boards` for those that
can't be reduced), and a declaration here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from trivalent.core.board import MAX_SIZE, Board, Side, Symmetry, column_name
from trivalent.core.boards import bent_y, renkula, star
from trivalent.core.boards.bent_y import bent_y_board
from trivalent.core.boards.renkula import renkula_board
from trivalent.core.boards.star import star_board
from trivalent.core.connection.incremental import pyramid_test
from trivalent.core.framing import hex_framing, y_framing
from trivalent.core.lattice import make_lattice

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


_CACHED = 16  # boards kept for each game; a 63x63 board takes about 2 MB


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


@dataclass(frozen=True, slots=True)
class Game:
    """What the program needs to know about a game before there is a board."""

    name: str
    """The name in commands, files and notations: one word in lower case."""
    title: str
    """The name in sentences."""
    number: int
    """Picks the game's hash keys and learned weights.  Never changes."""
    goal: str
    """How each player wins, as GTP's drawings say it."""
    make: Callable[[int, int], Board]
    """Makes the board of a width and a height, 1 to `max_size`."""
    oblong: bool
    """Whether width and height may differ."""
    drawing: Literal["rhombus", "triangle", "rings", "globe"]
    """The shape of a board in drawings: it decides where the names of the cells stand."""
    swap_moves_stone: bool
    """Whether swap-pieces moves the stone to `Board.swap_map`; if not, it only recolours it."""
    decided_by: Literal["connection", "points"] = "connection"
    """What decides a game that is played to its end: the name of that ending in results."""
    reduced: bool = True
    """Whether its boards have a framing and a lattice, which the reduction, all knowledge of the
    game and the solver need."""
    min_size: int = 1
    max_size: int = MAX_SIZE
    default_size: int = 11


_DECLARED = (
    Game(
        name="hex",
        title="Hex",
        number=0,
        goal="B joins top and bottom, W left and right",
        make=hex_board,
        oblong=True,
        drawing="rhombus",
        swap_moves_stone=True,
    ),
    Game(
        name="y",
        title="Y",
        number=1,
        goal="whoever joins all three sides wins",
        make=lambda size, _: y_board(size),
        oblong=False,
        drawing="triangle",
        swap_moves_stone=False,
    ),
    Game(
        name="bent-y",
        title="Bent Y",
        number=2,
        goal="whoever joins all three sides wins",
        make=lambda size, _: bent_y_board(size),
        oblong=False,
        drawing="rings",
        swap_moves_stone=False,
        reduced=False,
        min_size=bent_y.MIN_SIZE,
        max_size=bent_y.MAX_SIZE,
        default_size=5,
    ),
    Game(
        name="star",
        title="*Star",
        number=3,
        goal="a group with two or more border cells scores them less four; most points win",
        make=lambda size, _: star_board(size),
        oblong=False,
        drawing="rings",
        swap_moves_stone=False,
        decided_by="points",
        reduced=False,
        min_size=star.MIN_SIZE,
        max_size=star.MAX_SIZE,
        default_size=6,
    ),
    Game(
        name="renkula",
        title="Renkula!",
        number=4,
        goal="whoever joins a point of the sphere with the opposite one wins",
        make=lambda size, _: renkula_board(size),
        oblong=False,
        drawing="globe",
        swap_moves_stone=False,
        reduced=False,
        min_size=renkula.MIN_SIZE,
        max_size=renkula.MAX_SIZE,
        default_size=4,
    ),
)

GAMES = {game.name: game for game in _DECLARED}
"""All games by name."""

REDUCED_GAMES = tuple(game.name for game in _DECLARED if game.reduced)
"""The games whose boards can be reduced."""

DEFAULT_GAME = "hex"
"""The game where nobody names one."""


def find_game(name: str) -> Game:
    """Return the game of that name.  Raise ValueError if there is none."""
    try:
        return GAMES[name]
    except KeyError:
        raise ValueError(f"unknown game {name!r} (known: {', '.join(GAMES)})") from None


def make_board(game: str, width: int, height: int | None = None) -> Board:
    """Return the board of a game; width and height are equal unless both are given.

    Raise ValueError for an unknown game or a size that the game doesn't have.
    """
    declared = find_game(game)
    if height is None:
        height = width
    if width != height and not declared.oblong:
        raise ValueError(f"a {declared.title} board has one size, not {width} by {height}")
    return declared.make(width, height)
