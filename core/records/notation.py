"""Notations: how other programs and sites name cells.

Nothing in a text distinguishes the notations of Y, so we never guess.  Each format has its own
notation, and the user can name another.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trivalent.core.board import column_name
from trivalent.core.records.record import RecordError

if TYPE_CHECKING:
    from collections.abc import Callable

    from trivalent.core.board import Board

_NAME = re.compile(r"([A-Za-z]{1,2})([1-9][0-9]?)")


@dataclass(frozen=True, slots=True)
class Notation:
    """A way to name cells by letters (the column) and a number (the row).

    Two functions convert between columns and rows of the names and of the board.  They take column
    and row, from 0, and the number of rows.
    """

    name: str
    game: str
    purpose: str
    to_board: Callable[[int, int, int], tuple[int, int]]
    from_board: Callable[[int, int, int], tuple[int, int]]

    def cell(self, board: Board, word: str) -> int:
        """Return the cell of that name.  Raise ValueError if there is none."""
        match = _NAME.fullmatch(word)
        if match is None:
            return board.cell(word)  # raises
        return self.cell_at(board, column_number(match[1]), int(match[2]) - 1, word)

    def cell_at(self, board: Board, x: int, y: int, word: str) -> int:
        """Return the cell of that column and row from 0.  Raise ValueError if there is none."""
        x, y = self.to_board(x, y, board.height)
        if min(x, y) < 0:
            raise ValueError(f"no cell {word!a} on {board} in the notation {self.name}")
        try:
            return board.cell(f"{column_name(x)}{y + 1}")
        except ValueError:
            raise ValueError(f"no cell {word!a} on {board}") from None

    def word(self, board: Board, cell: int) -> str:
        """Return the name of a cell, in lower case."""
        x, y = self.place(board, cell)
        return f"{column_name(x)}{y + 1}"

    def place(self, board: Board, cell: int) -> tuple[int, int]:
        """Return column and row of a cell in this notation, from 0."""
        return self.from_board(*board.coordinates[cell], board.height)


def size_name(board: Board, between: str = "x") -> str:
    """Return the size of a board as text; one number if width and height are equal."""
    if board.width == board.height:
        return str(board.width)
    return f"{board.width}{between}{board.height}"


def column_number(letters: str) -> int:
    """Return the column with these letters, from 0: the inverse of `column_name`."""
    number = 0
    for letter in letters.lower():
        number = number * 26 + ord(letter) - ord("a") + 1
    return number - 1


def _same(x: int, y: int, _n: int) -> tuple[int, int]:
    return x, y


def _upside_down(x: int, y: int, n: int) -> tuple[int, int]:
    return x, n - 1 - y


def _mirrored(x: int, y: int, n: int) -> tuple[int, int]:
    return n - 1 - x, y


def _transposed(x: int, y: int, _n: int) -> tuple[int, int]:
    return y, x


def _from_morat(x: int, y: int, n: int) -> tuple[int, int]:
    return y, n - 1 - x


def _to_morat(x: int, y: int, n: int) -> tuple[int, int]:
    return n - 1 - y, x


NOTATIONS = {
    notation.name: notation
    for notation in (
        Notation("hex", "hex", "Hex everywhere: a1 upper left", _same, _same),
        Notation("y", "y", "Trivalent and HexGui: a1 on top, column <= row", _same, _same),
        Notation(
            "y-puzzle",
            "y",
            "HexWiki's puzzles, hex-study, OpenSpiel: column + row <= size + 1",
            _upside_down,
            _upside_down,
        ),
        Notation(
            "y-swapmap",
            "y",
            "HexWiki's swap maps: column + row > size",
            _mirrored,
            _mirrored,
        ),
        Notation(
            "y-morat",
            "y",
            "morat: as y-puzzle, but the letter is the row",
            _from_morat,
            _to_morat,
        ),
        Notation(
            "y-abstractplay",
            "y",
            "Abstract Play: as y, but the letter is the row",
            _transposed,
            _transposed,
        ),
        Notation("bent-y", "bent-y", "ring and place: a1 is a corner of the border", _same, _same),
        Notation("star", "star", "ring and place: a1 is a corner of the border", _same, _same),
        Notation("renkula", "renkula", "circle of latitude and place: a1 is a pole", _same, _same),
    )
}
"""All notations by name.  Ours are those with the name of a game."""


def has_several(game: str) -> bool:
    """Return whether the cells of a game have more than one notation."""
    return sum(notation.game == game for notation in NOTATIONS.values()) > 1


def find_notation(name: str) -> Notation:
    """Return a notation by name.  Raise RecordError if there is none."""
    try:
        return NOTATIONS[name]
    except KeyError:
        known = ", ".join(NOTATIONS)
        raise RecordError(f"unknown notation {name!a} (known: {known})") from None
