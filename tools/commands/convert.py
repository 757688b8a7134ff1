"""``trivalent convert``: convert a game record to another format, or draw it."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from trivalent.core.board import BLACK, WHITE
from trivalent.core.files import write_file
from trivalent.core.records.formats import FORMATS, write
from trivalent.core.records.notation import NOTATIONS
from trivalent.core.records.record import Action, RecordError
from trivalent.gtp.engine.diagram import draw
from trivalent.tools.common import record_source

if TYPE_CHECKING:
    import argparse

    from trivalent.core.records.record import Record

_BOARD, _SVG = "board", "svg"  # drawings; not formats, since nothing reads them


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``trivalent convert``."""
    record_source.add_arguments(parser)
    parser.add_argument(
        "--to",
        metavar="FORMAT",
        default=_BOARD,
        help=f"format to write; {_BOARD} (default) draws the position that the record points at, "
        f"or its last position, and adds a link to HexWorld; {_SVG} draws it as a picture",
    )
    parser.add_argument(
        "--write-notation",
        metavar="NAME",
        help="notation of cells in the output (default: that of its format)",
    )
    parser.add_argument(
        "--explain",
        action="store_true",
        help="report how ambiguities in the source were resolved, and why",
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="write to FILE instead of standard output"
    )
    parser.add_argument("--formats", action="store_true", help="list all formats and notations")


def main(arguments: argparse.Namespace) -> int:
    """Run ``trivalent convert``; return 1 and report the reason if the conversion fails."""
    if arguments.formats:
        sys.stdout.write(_formats())
        return 0
    name = ""
    try:
        reading, name = record_source.read_game(arguments)
        decisions = reading.decisions
        text = _text(reading.record, arguments.to, arguments.write_notation, decisions)
        if arguments.explain:
            for decision in decisions:
                _report(f"{name}: {decision}")
        _write(text, arguments.output)
    except record_source.SourceError as error:
        _report(str(error))
        return 1
    except RecordError as error:
        _report(f"{name}: {error}")
        return 1
    except OSError as error:
        _report(f"{error.filename or 'standard output'}: {error.strerror or error}")
        return 1
    return 0


def _report(line: str) -> None:
    sys.stderr.write(line + "\n")


def _text(record: Record, to: str, notation: str | None, decisions: list[str]) -> str:
    if to == _SVG:
        from trivalent.tools.common.svg_boards import svg

        return svg(record.position())
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
    with suppress(RecordError):  # HexWorld has no Y and can't show every position of Hex
        drawing += write(record, "hexworld")
    return drawing


def _write(text: str, output: str | None) -> None:
    """Write to a file, all or nothing, or to standard output."""
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
