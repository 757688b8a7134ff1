"""The games: one declaration for each, and the boards by their game's name.

A game to come needs a board (see `trivalent.core.board`) and a declaration here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from trivalent.core.board import MAX_SIZE, hex_board, y_board

if TYPE_CHECKING:
    from collections.abc import Callable

    from trivalent.core.board import Board


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
    drawing: Literal["rhombus", "triangle"]
    """The shape of a board in drawings: it decides where the names of the columns stand."""
    swap_moves_stone: bool
    """Whether swap-pieces moves the stone to `Board.swap_map`; if not, it only recolours it."""
    max_size: int = MAX_SIZE


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
)

GAMES = {game.name: game for game in _DECLARED}
"""All games by name."""

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
