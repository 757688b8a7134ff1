"""Parameters of players: declared once, checked once, read from text in one way.

A component declares its parameters as a frozen dataclass derived from `Parameters`, each field made
by `parameter`.  The command line, GTP and configuration files all go through `Parameters.updated`.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Mapping


def parameter(
    default: float,
    meaning: str,
    *,
    low: float | None = None,
    high: float | None = None,
) -> Any:  # noqa: ANN401  as dataclasses.field: the annotation of the field is its type
    """Declare a parameter: its default, its meaning with unit, and the closed range allowed."""
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
            if name not in fields:
                raise ValueError(f"unknown parameter {name!r} (known: {', '.join(fields)})")
            whole = isinstance(fields[name].default, int)
            try:
                changes[name] = int(text) if whole else float(text)
            except ValueError:
                what = "a whole number" if whole else "a number"
                raise ValueError(f"{name} must be {what}, not {text[:40]!r}") from None
        return dataclasses.replace(self, **changes)

    @classmethod
    def explain(cls) -> str:
        """Return a line for each parameter: name, default, range, meaning."""
        lines = []
        for field in dataclasses.fields(cls):
            low, high = field.metadata["low"], field.metadata["high"]
            bounds = f"{'' if low is None else low}..{'' if high is None else high}"
            lines.append(f"{field.name}={field.default} ({bounds}): {field.metadata['meaning']}")
        return "\n".join(lines)
