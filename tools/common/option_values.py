"""Parsers for the values of options; an invalid value is a usage error of one sentence."""

from __future__ import annotations

import math
from argparse import ArgumentTypeError
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Callable


def refuse(parser: ArgumentParser) -> Callable[[str], NoReturn]:
    """Return a function that exits with 2 and one sentence, which says what is wrong.

    The usage, which `ArgumentParser.error` shows too, would not help: it was followed.
    """

    def fail(sentence: str) -> NoReturn:
        parser.exit(2, f"{parser.prog}: error: {sentence}\n")

    return fail


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


limit_int = integer(0, 10**15)
"""Parses a limit; 0 is none, as in the parameters of GTP."""


def positive_float(text: str) -> float:
    """Parse a number above 0 and up to 1e9."""
    value = _number(text)
    if not 0 < value <= 1e9:
        raise ArgumentTypeError(f"must be a positive number, not {text!r}")
    return value


def limit_float(text: str) -> float:
    """Parse a limit up to 1e9; 0 is none, as in the parameters of GTP."""
    value = _number(text)
    if not 0 <= value <= 1e9:
        raise ArgumentTypeError(f"must be a number, 0 for no limit, not {text!r}")
    return value


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
