"""Parsers for the values of options; an invalid value is a usage error of one sentence."""

from __future__ import annotations

from argparse import ArgumentTypeError
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def integer(minimum: int, maximum: int) -> Callable[[str], int]:
    """Return a parser of integers within a range."""

    def parse(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = minimum - 1
        if not minimum <= value <= maximum:
            raise ArgumentTypeError(f"must be an integer from {minimum} to {maximum}, not {text!r}")
        return value

    return parse


positive_int = integer(1, 10**15)
"""Parses an integer from 1 to 10**15, which is more than any search will reach."""


def positive_float(text: str) -> float:
    """Parse a number above 0 and up to 1e9."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= 1e9:
        raise ArgumentTypeError(f"must be a positive number, not {text!r}")
    return value
