"""What a reader or writer reports besides its result: warnings and decisions."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

_LINE_END = re.compile(r"\r\n|\n|\r")


class Remark(NamedTuple):
    """A warning about a place in a text."""

    line: int
    """From 1."""
    column: int
    """In characters, from 1."""
    text: str
    """What is wrong, and how it was read."""

    def __str__(self) -> str:
        return f"{self.line}:{self.column}: {self.text}"


class Notes:
    """Collects warnings about a text, and the decisions made in reading or writing it."""

    def __init__(self, text: str = "") -> None:
        self.warnings: list[Remark] = []
        self.decisions: list[str] = []
        """Sentences: what was chosen, and why."""
        self._starts = [0, *(match.end() for match in _LINE_END.finditer(text))]

    def warn(self, offset: int, text: str) -> None:
        """Add a warning about the character at an offset of the text."""
        line = bisect_right(self._starts, offset)
        self.warnings.append(Remark(line, offset - self._starts[line - 1] + 1, text))

    def decide(self, text: str) -> None:
        """Add a decision, unless it's there already."""
        if text not in self.decisions:
            self.decisions.append(text)
