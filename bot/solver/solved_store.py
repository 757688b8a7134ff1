"""A store of solved positions: an SQLite database that later runs use again.

Nothing in it is taken on trust: a row counts only if its digest is right and its content makes
sense.  A file that isn't such a database is left untouched.  A position stands for all its images
under the symmetries of its board, including those that exchange the colours.
"""

from __future__ import annotations

import hashlib
import logging
from typing import TYPE_CHECKING, NamedTuple

from trivalent.bot.solver.result_database import Kind, ResultDatabase, StoreError
from trivalent.core.board import BLACK, EMPTY, WHITE, Colour

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from trivalent.core.board import Symmetry
    from trivalent.core.position import Position

__all__ = ["Solved", "SolvedStore", "StoreError", "canonical"]

LOGGER = logging.getLogger(__name__)

_TABLE = """
CREATE TABLE solved (
    position TEXT PRIMARY KEY,
    winner TEXT NOT NULL, move TEXT NOT NULL, work INTEGER NOT NULL, digest BLOB NOT NULL
) STRICT, WITHOUT ROWID
"""
_KIND = Kind("a store of solved positions", b"TriS", 1, _TABLE)
_PUT = """
INSERT INTO solved VALUES (?, ?, ?, ?, ?) ON CONFLICT (position) DO UPDATE SET
    winner = excluded.winner, move = excluded.move, work = excluded.work, digest = excluded.digest
WHERE excluded.winner != winner OR excluded.move != '' OR move = ''
"""
_COLOURS = {str(colour): colour for colour in (BLACK, WHITE)}


class Solved(NamedTuple):
    """What is known of a solved position."""

    winner: Colour
    move: int | None
    """A winning move, or the one that resists longest, if known."""
    work: int
    """Positions examined to find this out."""


class SolvedStore(ResultDatabase):
    """The positions solved so far.  Close it after use.

    Several processes may share a file; they wait for each other up to ten seconds.  Within a
    process, threads take turns: it is up to them.
    """

    def __init__(self, path: Path) -> None:
        """Open a file; create it if there is none.  Raise StoreError if that fails."""
        super().__init__(path, _KIND)

    def get(self, position: Position) -> Solved | None:
        """Return what is known of a position, or None.  Raise StoreError if reading fails."""
        name, symmetry = canonical(position)
        with self.errors():
            row = self.connection.execute(
                "SELECT winner, move, work, digest FROM solved WHERE position = ?", (name,)
            ).fetchone()
        if row is None:
            return None
        found = _read(position, name, symmetry, *row)
        if found is None:
            self.damaged += 1
            LOGGER.warning("%s: ignoring a damaged row", self.path)
        return found

    def put(self, position: Position, solved: Solved) -> None:
        """Store a solved position durably.  Raise StoreError if that fails."""
        self.put_all([(position, solved)])

    def put_all(self, solved: Iterable[tuple[Position, Solved]]) -> None:
        """Store solved positions durably, all or none of them.  Raise StoreError if that fails.

        A row with the same winner and a move isn't replaced by one without.
        """
        rows = [_row(*one) for one in solved]
        with self.errors(), self.transaction():
            self.connection.executemany(_PUT, [(*row, _digest(*row)) for row in rows])


def canonical(position: Position) -> tuple[str, Symmetry]:
    """Return a name common to all images of a position, and the symmetry that maps it there."""
    board = position.board
    named = []
    for number, symmetry in enumerate(board.symmetries):
        stones = bytearray(len(board))
        for cell, stone in enumerate(position.stones):
            stones[symmetry.cells[cell]] = _image(stone, symmetry)
        named.append((_image(position.to_play, symmetry), stones, number))
    to_play, stones, number = min(named)
    digits = "".join(map(str, stones))
    return (
        f"{board.game} {board.width}x{board.height} {Colour(to_play)} {digits}",
        board.symmetries[number],
    )


def _row(position: Position, solved: Solved) -> tuple[str, str, str, int]:
    """Return what is stored of a solved position, apart from the digest."""
    name, symmetry = canonical(position)
    move = "" if solved.move is None else position.board.names[symmetry.cells[solved.move]]
    return name, str(Colour(_image(solved.winner, symmetry))), move, solved.work


def _image(stone: int, symmetry: Symmetry) -> int:
    return Colour(stone).opponent if symmetry.swaps_colours and stone != EMPTY else stone


def _digest(name: str, winner: str, move: str, work: int) -> bytes:
    return hashlib.sha256(f"{_KIND.version}\n{name}\n{winner}\n{move}\n{work}".encode()).digest()


def _read(position: Position, name: str, symmetry: Symmetry, *row: object) -> Solved | None:
    """Return what a row says of a position, or None if it can't be true."""
    winner, move, work, digest = row
    if not (isinstance(winner, str) and isinstance(move, str) and isinstance(work, int)):
        return None
    if digest != _digest(name, winner, move, work) or winner not in _COLOURS:
        return None
    cell = None
    if move:
        try:
            cell = symmetry.cells.index(position.board.cell(move))
        except ValueError:
            return None
        if position.stone(cell) is not None:
            return None
    return Solved(Colour(_image(_COLOURS[winner], symmetry)), cell, work)
