"""The unit of all statistics: the outcome of one decided game."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one decided game."""

    game: str
    """Id of the game."""
    pair: str
    winner: str
    loser: str
    first: str
    """The engine that moved first, with Black."""
    opening: str
    repeat: bool = False
    """Whether the game repeats an earlier one of the same engines move by move, up to symmetry."""
