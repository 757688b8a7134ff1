"""Vertices: how controllers write cells."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol

from trivalent.core.board import column_name

if TYPE_CHECKING:
    from trivalent.core.board import Board


class Vertices(Protocol):
    """A notation for cells: the name of the column, then the name of the row."""

    def column(self, x: int) -> str:
        """Return the name of column ``x``, counted from 0 at the left."""

    def row(self, board: Board, y: int) -> str:
        """Return the name of row ``y``, counted from 0 at the top."""

    def name(self, board: Board, cell: int) -> str:
        """Return the name of a cell."""

    def cell(self, board: Board, name: str) -> int:
        """Return the cell with that name, in any case.  Raise ValueError if there is none."""


class _Plain:
    """The notation of HexGui, MoHex and web sites: a1 is the upper left; no letter is skipped."""

    def column(self, x: int) -> str:
        return column_name(x)

    def row(self, board: Board, y: int) -> str:
        return str(y + 1)

    def name(self, board: Board, cell: int) -> str:
        return board.names[cell]

    def cell(self, board: Board, name: str) -> int:
        return board.cell(name)


_GO_LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
_GO_NAME = re.compile(r"([A-HJ-Z]{1,2})([1-9][0-9]?)", re.ASCII)


class _Go:
    """The notation of Go: A1 is the lower left; there is no I.  AA follows Z.

    It suits boards with rows and columns; others keep their names.
    """

    def column(self, x: int) -> str:
        tens, ones = divmod(x, len(_GO_LETTERS))
        return (_GO_LETTERS[tens - 1] if tens else "") + _GO_LETTERS[ones]

    def row(self, board: Board, y: int) -> str:
        return str(board.height - y)

    def name(self, board: Board, cell: int) -> str:
        if board.lattice is None:
            return board.names[cell]
        x, y = board.coordinates[cell]
        return self.column(x) + self.row(board, y)

    def cell(self, board: Board, name: str) -> int:
        if board.lattice is None:
            return board.cell(name)
        if name.isascii() and (match := _GO_NAME.fullmatch(name.upper())):
            letters, row = match.groups()
            x = -1
            for letter in letters:
                x = (x + 1) * len(_GO_LETTERS) + _GO_LETTERS.index(letter)
            place = f"{column_name(x)}{board.height + 1 - int(row)}"
            if place in board.names:
                return board.cell(place)
        last = self.name(board, len(board) - 1)
        raise ValueError(f"no cell {name[:20]!r} on {board} (lower right: {last}; no letter I)")


PLAIN: Vertices = _Plain()
GO: Vertices = _Go()
