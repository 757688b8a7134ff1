"""Parameters of players: declared once, checked once, read from text in one way.

A component declares its parameters as a frozen dataclass derived from `Parameters`, each field made
by `parameter`.  The command line, GTP and configuration files all go through `Parameters.updated`.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def parameter(
    default: float,
    meaning: str,
    *,
    low: float | None = None,
    high: float | None = None,
) -> Any:  # noqa: ANN401  as dataclasses.field: the annotation of the field is its type
    """Declare a parameter: its default, its meaning with unit, and the closed range allowed.

    The type is that of the default: bool (written 0 or 1), int or float.
    """
    return dataclasses.field(
        default=default, metadata={"meaning": meaning, "low": low, "high": high}
    )


@dataclasses.dataclass(frozen=True)
class Parameters:
    """Base of all parameter classes.  A value outside its range raises ValueError."""

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            low, high = field.metadata["low"], field.metadata["high"]
            # Written so that a NaN is out of range.
            if not (low is None or value >= low):
                raise ValueError(f"{field.name} must be at least {low}, not {value}")
            if not (high is None or value <= high):
                raise ValueError(f"{field.name} must be at most {high}, not {value}")

    def updated(self, values: Mapping[str, str]) -> Self:
        """Return a copy with some values replaced, given as text.

        Raise ValueError for an unknown name, or a text that is not of the type or in the range of
        the parameter; the message says which.
        """
        fields = {field.name: field for field in dataclasses.fields(self)}
        changes: dict[str, float] = {}
        for name, text in values.items():
            kind = type(_named(fields, name).default)
            try:
                changes[name] = _READERS[kind](text)
            except (KeyError, ValueError):
                wanted = _WANTED[kind]
                raise ValueError(f"{name} must be {wanted}, not {text[:40]!r}") from None
        return dataclasses.replace(self, **changes)

    def explain(self, name: str | None = None) -> str:
        """Return a line for each parameter, or for one: name, value, range, meaning.

        Raise ValueError for an unknown name.
        """
        fields = {field.name: field for field in dataclasses.fields(self)}
        if name is not None:
            fields = {name: _named(fields, name)}
        return "\n".join(
            f"{field.name}={_written(getattr(self, field.name))} ({_range(field)}): "
            f"{field.metadata['meaning']}"
            for field in fields.values()
        )


def _named(fields: dict[str, dataclasses.Field[Any]], name: str) -> dataclasses.Field[Any]:
    if name not in fields:
        raise ValueError(f"unknown parameter {name[:40]!r} (known: {', '.join(fields)})")
    return fields[name]


def _written(value: float) -> str:
    """Return the text of a value, as `Parameters.updated` reads it."""
    return str(int(value)) if isinstance(value, bool) else str(value)


def _range(field: dataclasses.Field[Any]) -> str:
    if isinstance(field.default, bool):
        return "0 or 1"
    low, high = field.metadata["low"], field.metadata["high"]
    return f"{'' if low is None else low}..{'' if high is None else high}"


_READERS: dict[type, Callable[[str], float]] = {
    bool: {"0": False, "1": True}.__getitem__,
    int: int,
    float: float,
}
_WANTED = {bool: "0 or 1", int: "a whole number", float: "a number"}
