"""Read TOML tables strictly: keys have the right type and range, and none is unknown.

Each error is one sentence that starts with the place, such as ``engines.old.clock.nodes``.
"""

from __future__ import annotations

import math
import re
from difflib import get_close_matches
from typing import TYPE_CHECKING, NoReturn

from trivalent.core.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


_PLAIN_KEY = re.compile(r"[\w.+=,@-]*", re.ASCII)
"""Matches keys that messages show without quotes."""
_MAX_BITS = 64
"""Limit for integers.  Nothing needs more, and Python refuses to print integers of thousands of
digits."""


class PlanError(ValueError):
    """An invalid plan.  The message says where the error is and what would be right."""


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return the part of a message that suggests the intended word, or lists the known ones."""
    known = list(known)
    lower = {name.lower(): name for name in known}
    close = get_close_matches(word.lower(), lower, n=1, cutoff=0.5)
    if close:
        return f"did you mean {lower[close[0]]!a}?"
    return f"known: {', '.join(known)}" if known else "no keys are known here"


class Table:
    """A table whose keys are taken one by one.

    Every method that takes a key raises PlanError if the value has the wrong type, is out of range,
    or is missing and has no default.
    """

    def __init__(self, values: Mapping[str, object], place: str = "") -> None:
        self._values = dict(values)
        self._place = place
        self._known: list[str] = []

    def fail(self, key: str, complaint: str) -> NoReturn:
        """Raise PlanError about a key, or about the table itself if the key is empty."""
        place = self.place(key)
        raise PlanError(f"{place} {complaint}" if place else complaint)

    def place(self, key: str) -> str:
        """Return the full name of a key for messages, with the enclosing tables in front."""
        name = key if _PLAIN_KEY.fullmatch(key) else printable(key)
        return ".".join(part for part in (self._place, name) if part)

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def take(self, key: str) -> object:
        """Return the raw value of a key, or None if it's missing."""
        self._known.append(key)
        value = self._values.pop(key, None)
        if isinstance(value, int) and value.bit_length() > _MAX_BITS:
            self.fail(key, "must be a smaller number")
        return value

    def text(self, key: str, default: str | None = None) -> str:
        """Return a string without control characters."""
        value = self._given(key, default)
        if not isinstance(value, str):
            self.fail(key, f"must be a string, not {printable(value)}")
        if not value.isprintable():
            self.fail(key, f"must not contain control characters: {printable(value)}")
        return value

    def choice(self, key: str, known: Sequence[str], default: str | None = None) -> str:
        """Return a string that must be one of `known`."""
        value = self.text(key, default)
        if value not in known:
            self.fail(key, f"must be one of {', '.join(known)}, not {printable(value)}")
        return value

    def flag(self, key: str, *, default: bool) -> bool:
        """Return a boolean."""
        value = self._given(key, default)
        if not isinstance(value, bool):
            self.fail(key, f"must be true or false, not {printable(value)}")
        return value

    def integer(self, key: str, low: int, high: int, default: int | None = None) -> int:
        """Return an integer in the closed range from `low` to `high`."""
        value = self._given(key, default)
        if isinstance(value, bool) or not isinstance(value, int):
            self.fail(key, f"must be an integer, not {printable(value)}")
        if not low <= value <= high:
            self.fail(key, f"must be between {low} and {high}, not {value}")
        return value

    def number(self, key: str, low: float, high: float, default: float | None = None) -> float:
        """Return a number in the closed range from `low` to `high`."""
        value = self._given(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.fail(key, f"must be a number, not {printable(value)}")
        if not low <= value <= high:  # also rejects NaN
            self.fail(key, f"must be between {low:g} and {high:g}, not {value}")
        return float(value)

    def strings(self, key: str, default: Sequence[str] | None = None) -> tuple[str, ...]:
        """Return an array of strings without control characters."""
        value = self._given(key, default)
        if not isinstance(value, list | tuple):
            self.fail(key, f"must be an array of strings, not {printable(value)}")
        return tuple(Table({"": text}, self.place(key)).text("") for text in value)

    def table(self, key: str) -> Table:
        """Return a subtable, empty if it's missing."""
        value = self.take(key)
        if value is None:
            value = {}
        if not isinstance(value, dict):
            self.fail(key, f"must be a table, not {printable(value)}")
        return Table(value, self.place(key))

    def keys(self) -> list[str]:
        """Return the keys that haven't been taken yet, in file order."""
        return list(self._values)

    def fail_missing(self, key: str) -> NoReturn:
        """Raise PlanError because a key is missing."""
        close = get_close_matches(key, self._values, n=1)
        self.fail(key, f"is missing (did you mean {close[0]!a}?)" if close else "is missing")

    def finish(self) -> None:
        """Raise PlanError if a key is left that nothing has taken."""
        for key in self._values:
            where = f"{self._place}: " if self._place else ""
            raise PlanError(f"{where}unknown key {printable(key)} ({suggestion(key, self._known)})")

    def _given(self, key: str, default: object) -> object:
        value = self.take(key)
        if value is None:
            value = default
        if value is None:
            self.fail_missing(key)
        return value


def is_number(value: object) -> bool:
    """Return whether a value of a plan is a finite number."""
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)
