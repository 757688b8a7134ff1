"""``trivalent convert``: a game record from one format to another, or drawn."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from trivalent.core.board import BLACK, GAMES, WHITE, make_board
from trivalent.core.files import write_file
from trivalent.core.records.formats import FORMATS, read, write
from trivalent.core.records.notation import NOTATIONS
from trivalent.core.records.record import Action, RecordError
from trivalent.gtp.diagram import draw

if TYPE_CHECKING:
    import argparse

    from trivalent.core.board import Board
    from trivalent.core.records.record import Record

MOST_BYTES = 64 << 20
"""Bytes of a source: larger than the collections of games on the web."""

_BOARD = "board"  # not a format: nothing reads it


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``trivalent convert``."""
    parser.add_argument(
        "source",
        nargs="?",
        default="-",
        metavar="FILE|TEXT",
        help="a file, a link or the record itself; - (default) for standard input",
    )
    parser.add_argument(
        "--to",
        metavar="FORMAT",
        default=_BOARD,
        help=f"the format to write, or {_BOARD} (default): the position at the cursor or the end, "
        "and a link",
    )
    parser.add_argument(
        "--from", dest="source_format", metavar="FORMAT", help="the format to read (detected)"
    )
    parser.add_argument(
        "--notation", metavar="NAME", help="how the source names cells, if not as its format does"
    )
    parser.add_argument(
        "--write-notation", metavar="NAME", help="how to name cells, if not as the format does"
    )
    parser.add_argument("--size", metavar="N|WxH", help="the board, where the source does not say")
    parser.add_argument(
        "--game", type=int, default=1, metavar="N", help="which game of several (1)"
    )
    parser.add_argument("--explain", action="store_true", help="say what was decided, and why")
    parser.add_argument("-o", "--output", metavar="FILE", help="write to a file")
    parser.add_argument("--formats", action="store_true", help="list formats and notations")


def main(arguments: argparse.Namespace) -> int:
    """Convert; return 1, and say why, if that is impossible."""
    if arguments.formats:
        sys.stdout.write(_formats())
        return 0
    name = "input"
    try:
        data, name = _source(arguments.source)
        board = _board(arguments.size, arguments.notation)
        reading = read(
            data,
            arguments.source_format,
            notation=arguments.notation,
            board=board,
            game=arguments.game,
        )
        for warning in reading.warnings:
            _say(f"{name}:{warning}")
        decisions = reading.decisions
        text = _text(reading.record, arguments.to, arguments.write_notation, decisions)
        if arguments.explain:
            for decision in decisions:
                _say(f"{name}: {decision}")
        _write(text, arguments.output)
    except RecordError as error:
        _say(f"{name}: {error}")
        return 1
    except OSError as error:
        _say(f"{error.filename or 'standard output'}: {error.strerror or error}")
        return 1
    return 0


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")


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
    data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise RecordError(f"more than {MOST_BYTES >> 20} MiB are not read")
    return data


def _board(size: str | None, notation: str | None) -> Board | None:
    if size is None:
        return None
    game = NOTATIONS[notation].game if notation in NOTATIONS else GAMES[0]
    sides = size.lower().split("x")
    if len(sides) > 2 or not all(side.isascii() and side.isdigit() for side in sides):
        raise RecordError(f"{size!r} is no size (such as 11, or 9x13)")
    try:
        return make_board(game, *(int(side[:9]) for side in sides))
    except ValueError as error:
        raise RecordError(str(error)) from None


def _text(record: Record, to: str, notation: str | None, decisions: list[str]) -> str:
    if to != _BOARD:
        return write(record, to, notation=notation, decisions=decisions)
    drawing = draw(record.position()) + "\n"
    if record.players:
        names = (record.players.get(colour, "?") for colour in (BLACK, WHITE))
        drawing += " - ".join(names) + "\n"
    last = (record.cursor or record.root.end()).turn
    if last is not None and last.action in (Action.RESIGN, Action.FORFEIT):
        drawing += f"{last.colour}: {last.action.value}\n"
    if record.result:
        drawing += f"result: {record.result}\n"
    with suppress(RecordError):  # HexWorld has no Y, and not every position of Hex
        drawing += write(record, "hexworld")
    return drawing


def _write(text: str, output: str | None) -> None:
    """Write a file at once and whole, or to standard output."""
    if output is None:
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()
        return
    write_file(Path(output), lambda path: path.write_bytes(text.encode()))


def _formats() -> str:
    lines = [f"{one.name:14}{one.title}" for one in FORMATS.values()]
    lines += ["", "notations:"]
    lines += [f"{one.name:14}{one.purpose}" for one in NOTATIONS.values()]
    return "\n".join(lines) + "\n"
