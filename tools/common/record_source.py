"""Reading the games that a subcommand works on: from a file, a link, or the text of a record."""

from __future__ import annotations

import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from trivalent.core.games import DEFAULT_GAME, GAMES, make_board
from trivalent.core.records.formats import Games
from trivalent.core.records.notation import NOTATIONS
from trivalent.core.records.record import Action, RecordError
from trivalent.tools.common.option_values import integer
from trivalent.tools.common.output_files import STANDARD

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

    from trivalent.core.board import Board
    from trivalent.core.records.formats import Reading

_SWAPS = {"pieces": Action.SWAP_PIECES, "sides": Action.SWAP_SIDES}

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
    add_options(parser)
    parser.add_argument(
        "--game",
        type=integer(1, 10**9),
        default=1,
        metavar="N",
        help="which game of the file to use, counted from 1 (default: 1)",
    )


def add_many_arguments(parser: argparse.ArgumentParser, games: str, done: str) -> None:
    """Declare the options that name any number of ``games`` with which something is ``done``."""
    parser.add_argument(
        "sources",
        nargs="*",
        default=[STANDARD],
        metavar="FILE|FOLDER|TEXT",
        help=f"{games}: names of files or of folders with files, links, or records themselves; - "
        f"(default) reads standard input.  All games in them are {done}",
    )
    add_options(parser)
    parser.add_argument(
        "--game",
        type=integer(1, 10**9),
        metavar="N",
        help="use only this game of each source, counted from 1",
    )


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options that say how to read a game."""
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
        "--swap",
        choices=_SWAPS,
        help="what the word swap means where the source doesn't tell: pieces (the stone changes "
        "place and colour) or sides (the stone stays, the players change colours)",
    )


def require_reduced(board: Board, what: str) -> None:
    """Raise SourceError if a board can't be reduced, for a program whose results need that."""
    if not GAMES[board.game].reduced:
        raise SourceError(f"{what} are for Hex and Y, not for {board}")


def read_game(arguments: argparse.Namespace) -> tuple[Reading, str]:
    """Read the game that the options name; return it with the name of its source.

    Write warnings to standard error.  Raise SourceError if there is no readable game, or if moves
    or stones would be missing from it: then it's not the position that was meant.
    """
    games, name = read_games(arguments.source, arguments)
    try:
        reading = games.pick(arguments.game)
    except RecordError as error:
        raise SourceError(f"{name}: {error}") from None
    if reading.loss:
        raise SourceError(f"{name}:{reading.loss}")
    for warning in reading.warnings:
        sys.stderr.write(f"{name}:{warning}\n")
    return reading, name


def read_games(source: str, arguments: argparse.Namespace) -> tuple[Games, str]:
    """Return the games of a source, to be read as the options say, and its name.

    Raise SourceError if there is none.
    """
    name = "input"
    try:
        name = source_name(source)
        games = Games(
            _data(source),
            arguments.source_format,
            notation=arguments.notation,
            board=_board(arguments.size, arguments.notation),
            swap=_SWAPS.get(arguments.swap),
        )
    except RecordError as error:
        raise SourceError(f"{name}: {error}") from None
    except OSError as error:
        raise SourceError(f"{error.filename or name}: {error.strerror or error}") from None
    return games, name


def files_of(sources: Iterable[str]) -> Iterator[tuple[str, Path]]:
    """Yield all sources and the files in folders, each with its name below an output folder.

    Raise ValueError for a folder without files.
    """
    for source in sources:
        folder = Path(source)
        if not exists(source) or not folder.is_dir():
            yield source, Path(folder.name)
            continue
        found = [
            path
            for path in sorted(folder.rglob("*"))
            if path.is_file() and not any(p.startswith(".") for p in path.relative_to(folder).parts)
        ]
        if not found:
            raise ValueError(f"{source}: this folder has no files")
        yield from ((str(path), path.relative_to(folder)) for path in found)


def source_name(source: str) -> str:
    """Return the name of a source in messages: a file's own, or what else it is.

    Raise RecordError if it looks like the name of a file that doesn't exist.
    """
    if source == STANDARD:
        return "standard input"
    if exists(source):
        return source
    if not set(source) & set("#,:; ="):
        raise RecordError(f"there is no file {source!r}")
    return "argument"


def exists(source: str) -> bool:
    """Return whether a source is the name of something in the file system."""
    with suppress(OSError, ValueError):  # a link may be too long for a file name, or no valid one
        return source not in ("", STANDARD) and Path(source).exists()
    return False


@contextmanager
def opened(name: str) -> Iterator[BinaryIO]:
    """Open a file to read it, or standard input if the name is -.  Raise OSError if that fails."""
    if name == STANDARD:
        yield sys.stdin.buffer
    else:
        with Path(name).open("rb") as file:
            yield file


def read_bytes(name: str) -> bytes:
    """Return the content of a file, or of standard input if the name is -.

    Raise RecordError if it's too long, and OSError if it can't be read.
    """
    with opened(name) as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise RecordError(f"larger than the maximum of {MAX_BYTES >> 20} MiB")
    return data


def _data(source: str) -> bytes:
    if source != STANDARD and not exists(source):
        return source.encode(errors="replace")
    return read_bytes(source)


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
