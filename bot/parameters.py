"""Parameters of players and sessions: declared once, checked once, parsed from text in one place.

A component declares its parameters as a frozen dataclass derived from `Parameters`; each field is
made by `parameter`, `duration`, `choice` or `file`.  Command line, GTP, plan files and stored plans
all resolve names and values here.
"""

from __future__ import annotations

import dataclasses
import logging
from functools import cache
from types import NoneType
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

LOGGER = logging.getLogger(__name__)

_UNDECLARED: dict[str, object] = {
    "low": None,
    "high": None,
    "choices": (),
    "formerly": None,
    "former_values": {},
    "keeps_tree": False,
    "words": (),
    "check": None,
}


def _declared(default: object, meaning: str, **more: object) -> Any:  # noqa: ANN401  see `parameter`
    return dataclasses.field(default=default, metadata={**_UNDECLARED, "meaning": meaning, **more})


MAX_SECONDS = 1e9
"""Longest duration, about thirty years."""

AUTO = "auto"
"""The text of a duration that isn't set."""


def parameter(
    default: float,
    meaning: str,
    *,
    low: float | None = None,
    high: float | None = None,
    formerly: str | None = None,
    keeps_tree: bool = False,
) -> Any:  # noqa: ANN401  as dataclasses.field: the annotation of the field is its type
    """Declare a number or a switch: its default, its meaning with the unit, and its closed range.

    The default sets the type: bool (written 0 or 1), int or float.  ``formerly`` is the name that
    the previous version used.  ``keeps_tree`` declares that a tree grown with one value of the
    parameter may be searched on with another.
    """
    return _declared(default, meaning, low=low, high=high, formerly=formerly, keeps_tree=keeps_tree)


def choice(
    default: str,
    choices: Iterable[str],
    meaning: str,
    *,
    formerly: str | None = None,
    former_values: Mapping[str, str] | None = None,
    keeps_tree: bool = False,
) -> Any:  # noqa: ANN401  as dataclasses.field
    """Declare a parameter that takes one of a few words; see `parameter`.

    ``former_values`` maps what was written under the former name to today's words.
    """
    return _declared(
        default,
        meaning,
        choices=tuple(choices),
        formerly=formerly,
        former_values=dict(former_values or {}),
        keeps_tree=keeps_tree,
    )


def duration(meaning: str) -> Any:  # noqa: ANN401  as dataclasses.field
    """Declare a number of seconds, above 0 and up to 1e9, that is None unless it is set.

    As text, None is the word ``auto`` or 0.
    """
    return _declared(None, meaning, high=MAX_SECONDS)


def file(
    default: str,
    words: Iterable[str],
    meaning: str,
    check: Callable[[str], object],
    *,
    keeps_tree: bool = False,
) -> Any:  # noqa: ANN401  as dataclasses.field
    """Declare a parameter that names a file, or is one of a few words; see `parameter`.

    ``check`` raises ValueError, with one sentence, if it can't use the file.
    """
    return _declared(default, meaning, words=tuple(words), check=check, keeps_tree=keeps_tree)


@dataclasses.dataclass(frozen=True)
class Parameters:
    """Base of all parameter classes.  A value outside its range raises ValueError."""

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            low, high = field.metadata["low"], field.metadata["high"]
            choices = field.metadata["choices"]
            if choices and value not in choices:
                raise ValueError(f"{field.name} must be {_wanted(field)}, not {value!r}")
            if _kind(field) is NoneType:
                if value is None:
                    continue
                if not value > 0:
                    raise ValueError(f"{field.name} must be above 0, not {value}")
            # Written so that NaN is out of range.
            if not (low is None or value >= low):
                raise ValueError(f"{field.name} must be at least {low}, not {value}")
            if not (high is None or value <= high):
                raise ValueError(f"{field.name} must be at most {high}, not {value}")
            if _kind(field) is str and not choices:
                try:
                    field.metadata["check"](value)
                except ValueError as error:
                    raise ValueError(f"{field.name}: {error}") from None

    @classmethod
    def names(cls, *, former: bool = False) -> list[str]:
        """Return the names of all parameters, or the former names of renamed ones."""
        return list(_former(cls) if former else _fields(cls))

    @classmethod
    def choices(cls, name: str) -> tuple[str, ...]:
        """Return the words that a parameter takes, by its present or former name; () for numbers.

        Raise ValueError for an unknown name.
        """
        words: tuple[str, ...] = _field(cls, name).metadata["choices"]
        return words

    @classmethod
    def files(cls) -> list[str]:
        """Return the names of the parameters that take files."""
        return [field.name for field in dataclasses.fields(cls) if field.metadata["check"]]

    @classmethod
    def set_to_files(cls, values: Mapping[str, str]) -> list[str]:
        """Return the names of the parameters that these values would set to files."""
        return [
            name
            for name in cls.files()
            if name in values and values[name] not in _field(cls, name).metadata["words"]
        ]

    @classmethod
    def translated(cls, values: Mapping[str, str]) -> dict[str, str]:
        """Return the values under today's names, reading names and words of the previous version.

        Unknown names stay as they are.  Raise ValueError if a parameter is given under both names.
        """
        former = _former(cls)
        result: dict[str, str] = {}
        for name, text in values.items():
            field = former.get(name)
            today = field.name if field else name
            if today in result:
                raise ValueError(f"{name} and {today} are the same parameter: set {today} only")
            result[today] = field.metadata["former_values"].get(text, text) if field else text
        return result

    def updated(self, values: Mapping[str, str]) -> Self:
        """Return a copy with some values replaced, given as text.

        Names of the previous version are understood, with a warning in the log.  Raise ValueError
        for an unknown name and for text that doesn't have the parameter's type or range; the
        message names the parameter and says what would be right.
        """
        former = _former(type(self))
        changes: dict[str, float | str | None] = {}
        for name, text in self.translated(values).items():
            field = _field(type(self), name)
            try:
                changes[name] = _READERS[_kind(field)](text)
            except (KeyError, ValueError):
                raise ValueError(f"{name} must be {_wanted(field)}, not {text[:40]!r}") from None
        result = dataclasses.replace(self, **changes)
        for name in values.keys() & former.keys():
            _warn_of_renaming(name, former[name].name)
        return result

    def may_share_tree(self, other: Self) -> bool:
        """Whether a search with these parameters may go on in a tree that others have grown."""
        return all(
            field.metadata["keeps_tree"] or getattr(self, field.name) == getattr(other, field.name)
            for field in dataclasses.fields(self)
        )

    def explain(self, name: str | None = None) -> str:
        """Return a line for each parameter, or for one: name, value, range, meaning.

        Raise ValueError for an unknown name.
        """
        fields = dataclasses.fields(self) if name is None else [_field(type(self), name)]
        return "\n".join(
            f"{field.name}={_written(getattr(self, field.name))} ({_range(field)}): "
            f"{field.metadata['meaning']}"
            for field in fields
        )


@cache
def _warn_of_renaming(former: str, name: str) -> None:
    """Log a warning, once in a process however often the former name is read."""
    LOGGER.warning("the parameter %s is now called %s", former, name)


def _fields(kind: type[Parameters]) -> dict[str, dataclasses.Field[Any]]:
    return {field.name: field for field in dataclasses.fields(kind)}


def _former(kind: type[Parameters]) -> dict[str, dataclasses.Field[Any]]:
    """Return the parameters that have changed their names, by their former ones."""
    fields = dataclasses.fields(kind)
    return {field.metadata["formerly"]: field for field in fields if field.metadata["formerly"]}


def _field(kind: type[Parameters], name: str) -> dataclasses.Field[Any]:
    fields = _fields(kind)
    field = fields.get(name) or _former(kind).get(name)
    if field is None:
        raise ValueError(f"unknown parameter {name[:40]!r} (known: {', '.join(fields)})")
    return field


def _kind(field: dataclasses.Field[Any]) -> type:
    return type(field.default)


def _written(value: float | str | None) -> str:
    """Return the text of a value, as `Parameters.updated` reads it."""
    if value is None:
        return AUTO
    return str(int(value)) if isinstance(value, bool) else str(value)


def _wanted(field: dataclasses.Field[Any]) -> str:
    """Describe the values that a parameter takes, for error messages."""
    choices = field.metadata["choices"]
    return f"one of {', '.join(choices)}" if choices else _WANTED[_kind(field)]


def _range(field: dataclasses.Field[Any]) -> str:
    if field.metadata["choices"]:
        return " or ".join(field.metadata["choices"])
    if _kind(field) is str:
        return f"a file, {' or '.join(field.metadata['words'])}"
    if _kind(field) is bool:
        return "0 or 1"
    if _kind(field) is NoneType:
        return f"above 0 up to {MAX_SECONDS:g}, or {AUTO}"
    low, high = field.metadata["low"], field.metadata["high"]
    return f"{'' if low is None else low}..{'' if high is None else high}"


def _read_duration(text: str) -> float | None:
    return None if text == AUTO or float(text) == 0 else float(text)


_READERS: dict[type, Callable[[str], float | str | None]] = {
    bool: {"0": False, "1": True}.__getitem__,
    int: int,
    float: float,
    str: str,
    NoneType: _read_duration,
}
_WANTED = {
    bool: "0 or 1",
    int: "a whole number",
    float: "a number",
    NoneType: f"a number or {AUTO}",
}
