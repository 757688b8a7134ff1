"""The arguments of a command: typed access to the words after its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trivalent.core.board import BLACK, WHITE
from trivalent.core.text import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trivalent.core.board import Board, Colour
    from trivalent.gtp.engine.vertices import Vertices


class GtpError(ValueError):
    """A command was refused; the message becomes the text of the failure reply."""


class Arguments:
    """The words after a command name.  Every method that reads one raises GtpError."""

    def __init__(self, words: Sequence[str], usage: str, board: Board, vertices: Vertices) -> None:
        self.words = words
        self._usage = usage
        self._board = board
        self._vertices = vertices

    def __len__(self) -> int:
        return len(self.words)

    def expect_count(self, low: int, high: int | None = None) -> None:
        """Require exactly ``low`` arguments, or ``low`` to ``high`` of them."""
        if not low <= len(self.words) <= (low if high is None else high):
            raise self.usage_error()

    def part(self, words: Sequence[str]) -> Arguments:
        """Return some of the words as arguments of the same command."""
        return Arguments(words, self._usage, self._board, self._vertices)

    def usage_error(self) -> GtpError:
        """Return an error that tells the user how to call the command."""
        return GtpError(f"usage: {self._usage}")

    def colour(self, index: int) -> Colour:
        """Read a colour: b, w, black or white, in any case."""
        word = self.words[index]
        if is_colour(word):
            return BLACK if word[0] in "bB" else WHITE
        raise GtpError(f"invalid colour {printable(word)} (black or white)")

    def cell(self, index: int) -> int:
        """Read a vertex and return its cell."""
        try:
            return self._vertices.cell(self._board, self.words[index])
        except ValueError as error:
            raise GtpError(f"illegal move: {error}") from None

    def cells(self, index: int) -> list[int]:
        """Read vertices separated by commas, and return the cells among them, without passes."""
        names = self.words[index].split(",")
        try:
            return [
                self._vertices.cell(self._board, name)
                for name in names
                if name.lower() not in ("", "pass")
            ]
        except ValueError as error:
            raise GtpError(str(error)) from None

    def integer(self, index: int, low: int, high: int) -> int:
        """Read a whole number from ``low`` to ``high``."""
        word = self.words[index]
        # The length is checked first because Python is slow to convert thousands of digits, and
        # raises an error of its own for more than 4300.
        if len(word) <= 20 and word.removeprefix("-").isdigit() and low <= int(word) <= high:
            return int(word)
        raise GtpError(f"{printable(word)} is not a whole number from {low} to {high}")

    def seconds(self, index: int) -> float:
        """Read a duration in seconds, up to 1e9 (about thirty years)."""
        word = self.words[index]
        try:
            value = float(word)
        except ValueError:
            value = -1.0
        if not 0 <= value <= 1e9:
            raise GtpError(f"{printable(word)} is not a number of seconds from 0 to 1e9")
        return value


def is_colour(word: str) -> bool:
    """Return whether a word names a colour."""
    return word.lower() in ("b", "w", "black", "white")
