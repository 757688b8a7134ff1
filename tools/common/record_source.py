"""Reading the game that a subcommand works on: from a file, a link, or the text of a record."""

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
"""Maximum size of a source in bytes: above that of the game collections on the web."""


class SourceError(ValueError):
    """A source with no readable game; the message is one sentence that names the source."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options that name a game and its format."""
    parser.add_argument(
        "source",
        nargs="?",
        default="-",
        metavar="FILE|TEXT",
        help="game record: a file name, a link, or the record itself; - (default) reads standard "
        "input",
    )
    parser.add_argument(
        "--from",
        dest="source_format",
        metavar="FORMAT",
        help="format of the source (default: detect it)",
    )
    parser.add_argument(
        "--notation",
        metavar="NAME",
        help="notation of cells in the source (default: that of its format)",
    )
    parser.add_argument(
        "--size", metavar="N|WxH", help="board size, if the source doesn't specify one"
    )
    parser.add_argument(
        "--game",
        type=int,
        default=1,
        metavar="N",
        help="which game of the file to use, counted from 1 (default: 1)",
    )


def read_game(arguments: argparse.Namespace) -> tuple[Reading, str]:
    """Read the game that the options name; return it with the name of its source.

    Write warnings to standard error.  Raise SourceError if there is no readable game.
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
    """Return the data of a source and its name."""
    if source == "-":
        return _read_all(sys.stdin.buffer), "standard input"
    path = Path(source)
    with suppress(OSError, ValueError):  # a link may be too long for a file name, or no valid one
        if path.exists():
            with path.open("rb") as file:
                return _read_all(file), source
    if not set(source) & set("#,:; ="):
        raise RecordError(f"there is no file {source!r}")
    return source.encode(errors="replace"), "argument"


def _read_all(file: BinaryIO) -> bytes:
    data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise RecordError(f"larger than the maximum of {MAX_BYTES >> 20} MiB")
    return data


def _board(size: str | None, notation: str | None) -> Board | None:
    if size is None:
        return None
    game = NOTATIONS[notation].game if notation in NOTATIONS else DEFAULT_GAME
    sides = size.lower().split("x")
    if len(sides) > 2 or not all(side.isascii() and side.isdigit() for side in sides):
        raise RecordError(f"{size!r} isn't a board size (use one such as 11 or 9x13)")
    try:
        return make_board(game, *(int(side[:9]) for side in sides))
    except ValueError as error:
        raise RecordError(str(error)) from None
