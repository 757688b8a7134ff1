"""Tables of a plan file, read strictly: each key once, by type and range, and none left over.

Every fault is one sentence that begins with the place, such as ``engines.old.clock.nodes``.
"""

from __future__ import annotations

import math
from difflib import get_close_matches
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


_MOST_BITS = 64
"""Of whole numbers.  Nothing needs more, and Python refuses to spell those of thousands."""


class PlanError(ValueError):
    """A plan that cannot be played; the message says where it is wrong, and how."""


def shown(value: object) -> str:
    """Return a value of a plan as a message shows it: plain ASCII, and not too long."""
    try:
        text = str(value).lower() if isinstance(value, bool) else ascii(value)
    except ValueError:  # Python does not spell numbers of thousands of digits
        text = "something very large"
    return text if len(text) <= 60 else f"{text[:57]}..."


def nearest(word: str, known: Iterable[str]) -> str:
    """Return the part of a message that says which word may be meant, or which words there are."""
    known = list(known)
    lower = {name.lower(): name for name in known}
    close = get_close_matches(word.lower(), lower, n=1, cutoff=0.5)
    if close:
        return f"did you mean {lower[close[0]]!a}?"
    return f"known: {', '.join(known)}" if known else "none are known"


class Table:
    """A table of which the keys are taken one by one.

    A method that takes a key raises PlanError where its value is of another type, out of range, or
    missing though there is no default.
    """

    def __init__(self, values: Mapping[str, object], place: str = "") -> None:
        self._values = dict(values)
        self._place = place
        self._known: list[str] = []

    def fail(self, key: str, complaint: str) -> NoReturn:
        """Raise PlanError about a key, or about the table itself where the key is empty."""
        place = self.place(key)
        raise PlanError(f"{place} {complaint}" if place else complaint)

    def place(self, key: str) -> str:
        """Return the name of a key in messages, the tables around it before it."""
        return ".".join(
            part for part in (self._place, key if key.isascii() else ascii(key)) if part
        )

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def take(self, key: str) -> object:
        """Return the value of a key as it stands, None if there is none."""
        self._known.append(key)
        value = self._values.pop(key, None)
        if isinstance(value, int) and value.bit_length() > _MOST_BITS:
            self.fail(key, "must be a smaller number")
        return value

    def text(self, key: str, default: str | None = None) -> str:
        """Return a text without control characters."""
        value = self._given(key, default)
        if not isinstance(value, str):
            self.fail(key, f"must be a text, not {shown(value)}")
        if not value.isprintable():
            self.fail(key, f"must be printable, not {shown(value)}")
        return value

    def choice(self, key: str, known: Sequence[str], default: str | None = None) -> str:
        """Return one of some words."""
        value = self.text(key, default)
        if value not in known:
            self.fail(key, f"must be one of {', '.join(known)}, not {shown(value)}")
        return value

    def flag(self, key: str, *, default: bool) -> bool:
        """Return true or false."""
        value = self._given(key, default)
        if not isinstance(value, bool):
            self.fail(key, f"must be true or false, not {shown(value)}")
        return value

    def whole(self, key: str, low: int, high: int, default: int | None = None) -> int:
        """Return a whole number of a closed range."""
        value = self._given(key, default)
        if isinstance(value, bool) or not isinstance(value, int):
            self.fail(key, f"must be a whole number, not {shown(value)}")
        if not low <= value <= high:
            self.fail(key, f"must be {low} to {high}, not {value}")
        return value

    def number(self, key: str, low: float, high: float, default: float | None = None) -> float:
        """Return a number of a closed range."""
        value = self._given(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.fail(key, f"must be a number, not {shown(value)}")
        if not low <= value <= high:  # nor is a NaN
            self.fail(key, f"must be {low:g} to {high:g}, not {value}")
        return float(value)

    def texts(self, key: str, default: Sequence[str] | None = None) -> tuple[str, ...]:
        """Return a list of texts without control characters."""
        value = self._given(key, default)
        if not isinstance(value, list | tuple):
            self.fail(key, f"must be a list of texts, not {shown(value)}")
        return tuple(Table({"": text}, self.place(key)).text("") for text in value)

    def table(self, key: str) -> Table:
        """Return a table, an empty one if there is none."""
        value = self.take(key)
        if value is None:
            value = {}
        if not isinstance(value, dict):
            self.fail(key, f"must be a table, not {shown(value)}")
        return Table(value, self.place(key))

    def keys(self) -> list[str]:
        """Return the keys that have not been taken yet, in the order of the file."""
        return list(self._values)

    def miss(self, key: str) -> NoReturn:
        """Raise PlanError because a key is missing."""
        close = get_close_matches(key, self._values, n=1)
        self.fail(key, f"is missing (is {close[0]!a} meant to be it?)" if close else "is missing")

    def finish(self) -> None:
        """Raise PlanError if a key is left that nobody knows."""
        for key in self._values:
            where = f"{self._place}: " if self._place else ""
            raise PlanError(f"{where}unknown key {shown(key)} ({nearest(key, self._known)})")

    def _given(self, key: str, default: object) -> object:
        value = self.take(key)
        if value is None:
            value = default
        if value is None:
            self.miss(key)
        return value


def is_number(value: object) -> bool:
    """Whether a value of a plan is a finite number."""
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)
