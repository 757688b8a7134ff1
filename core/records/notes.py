"""What a reader or writer reports besides its result: warnings and decisions."""

from __future__ import annotations

import copy
import re
from bisect import bisect_right
from itertools import pairwise
from typing import NamedTuple

_LINE_END = re.compile(r"\r\n|\n|\r")


class Part(NamedTuple):
    """A part of a text: one of its games."""

    offset: int
    text: str


def cut(text: str, begins: list[int]) -> list[Part]:
    """Cut a text into parts at the places where its games begin; the first part has the rest."""
    places = [0, *begins[1:], len(text)]
    return [Part(begin, text[begin:end]) for begin, end in pairwise(places)]


class Remark(NamedTuple):
    """A warning about a place in a text."""

    line: int
    """From 1."""
    column: int
    """In characters, from 1."""
    text: str
    """What is wrong, and how it was read."""
    is_loss: bool = False
    """Whether moves or stones of the text are missing from the record."""

    def __str__(self) -> str:
        return f"{self.line}:{self.column}: {self.text}"

    @property
    def outcome(self) -> str:
        """How it was read: the last clause, which is the same for all warnings of a kind."""
        return self.text.rpartition("; ")[2]


class Notes:
    """Collects warnings about a text, and the decisions made in reading or writing it."""

    def __init__(self, text: str = "") -> None:
        self.warnings: list[Remark] = []
        self.decisions: list[str] = []
        """Sentences: what was chosen, and why."""
        self._starts = [0, *(match.end() for match in _LINE_END.finditer(text))]
        self._begin = 0

    def of_part(self, offset: int) -> Notes:
        """Return new notes, without warnings, about the part of the text that begins there."""
        notes = copy.copy(self)
        notes.warnings = []
        notes.decisions = self.decisions.copy()
        notes._begin = self._begin + offset  # noqa: SLF001  of our own class
        return notes

    def place(self, offset: int) -> tuple[int, int]:
        """Return line and column of the character at an offset."""
        offset += self._begin
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def warn(self, offset: int, text: str) -> None:
        """Add a warning about the character at an offset."""
        self.warnings.append(Remark(*self.place(offset), text))

    def lose(self, offset: int, text: str) -> None:
        """Add a warning that moves or stones at an offset are missing from the record."""
        self.warnings.append(Remark(*self.place(offset), text, is_loss=True))

    def decide(self, text: str) -> None:
        """Add a decision, unless it's there already."""
        if text not in self.decisions:
            self.decisions.append(text)
