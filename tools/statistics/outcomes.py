"""What the statistics count: one decided game."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Outcome:
    """One decided game."""

    game: str
    """Its id."""
    pair: str
    winner: str
    loser: str
    first: str
    """The engine that began, with Black."""
    opening: str
    repeat: bool = False
    """Whether it is move by move an earlier game of the same engines, up to a symmetry."""
