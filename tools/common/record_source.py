"""Where the subcommands that look at a game take it from: a file, a link, or the record itself."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from trivalent.core.games import DEFAULT_GAME, make_board
from trivalent.core.records.formats import read
from trivalent.core.records.notation import NOTATIONS
from trivalent.core.records.record import RecordError

if TYPE_CHECKING:
    import argparse

    from trivalent.core.board import Board
    from trivalent.core.records.formats import Reading

MAX_BYTES = 64 << 20
"""Bytes of a source: larger than the collections of games on the web."""


class SourceError(ValueError):
    """Why there is no game to be had, in one sentence that names the source."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options that say what to read, and how."""
    parser.add_argument(
        "source",
        nargs="?",
        default="-",
        metavar="FILE|TEXT",
        help="a file, a link or the record itself; - (default) for standard input",
    )
    parser.add_argument(
        "--from", dest="source_format", metavar="FORMAT", help="the format to read (detected)"
    )
    parser.add_argument(
        "--notation", metavar="NAME", help="how the source names cells, if not as its format does"
    )
    parser.add_argument("--size", metavar="N|WxH", help="the board, where the source does not say")
    parser.add_argument(
        "--game", type=int, default=1, metavar="N", help="which game of several (1)"
    )


def read_game(arguments: argparse.Namespace) -> tuple[Reading, str]:
    """Read the game that the options name; return what to call its source, too.

    Warnings go to standard error.  Raise SourceError if nothing can be read.
    """
    name = "input"
    try:
        data, name = _source(arguments.source)
        reading = read(
            data,
            arguments.source_format,
            notation=arguments.notation,
            board=_board(arguments.size, arguments.notation),
            game=arguments.game,
        )
    except RecordError as error:
        raise SourceError(f"{name}: {error}") from None
    except OSError as error:
        raise SourceError(f"{error.filename or name}: {error.strerror or error}") from None
    for warning in reading.warnings:
        sys.stderr.write(f"{name}:{warning}\n")
    return reading, name


def _source(source: str) -> tuple[bytes, str]:
    """Return the record to read, and what to call it."""
    if source == "-":
        return _all_of(sys.stdin.buffer), "standard input"
    path = Path(source)
    with suppress(OSError, ValueError):  # a link may be too long for a name, or no name at all
        if path.exists():
            with path.open("rb") as file:
                return _all_of(file), source
    if not set(source) & set("#,:; ="):
        raise RecordError(f"there is no file {source!r}")
    return source.encode(errors="replace"), "argument"


def _all_of(file: BinaryIO) -> bytes:
    data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise RecordError(f"more than {MAX_BYTES >> 20} MiB are not read")
    return data


def _board(size: str | None, notation: str | None) -> Board | None:
    if size is None:
        return None
    game = NOTATIONS[notation].game if notation in NOTATIONS else DEFAULT_GAME
    sides = size.lower().split("x")
    if len(sides) > 2 or not all(side.isascii() and side.isdigit() for side in sides):
        raise RecordError(f"{size!r} is not a size (such as 11, or 9x13)")
    try:
        return make_board(game, *(int(side[:9]) for side in sides))
    except ValueError as error:
        raise RecordError(str(error)) from None
