"""``trivalent convert``: convert game records to another format, or draw them."""

from __future__ import annotations

import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from trivalent.core.board import BLACK, WHITE
from trivalent.core.records.formats import FORMATS, find_format, write
from trivalent.core.records.notation import NOTATIONS
from trivalent.core.records.record import Action, RecordError
from trivalent.gtp.engine.diagram import draw
from trivalent.tools.common import record_source
from trivalent.tools.common.output_files import (
    STANDARD,
    OutputError,
    make_folder,
    require_inputs_kept,
    write_output,
)
from trivalent.tools.common.record_source import SourceError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from trivalent.core.records.formats import Games, Reading
    from trivalent.core.records.record import Record

_BOARD, _SVG = "board", "svg"  # drawings; not formats, since nothing reads them

_SUFFIXES = {_BOARD: ".txt", _SVG: ".svg"}

_OUTCOMES = ("converted", "with missing moves or stones", "failed")
_CONVERTED, _LOSSY, _FAILED = _OUTCOMES

INCOMPLETE = 3
"""The exit code if everything was converted, but moves are missing."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``trivalent convert``."""
    parser.epilog = (
        "exit codes: 0 everything is converted; 1 something couldn't be converted; 2 error on the "
        "command line; 3 everything is converted as far as possible, but moves or stones of the "
        "source are missing: they can't be read, or are in variations that the format can't hold"
    )
    record_source.add_many_arguments(parser, "game records", "converted")
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
        "-o",
        "--output",
        metavar="FILE|FOLDER",
        default=STANDARD,
        help="write to FILE, or one file for each source to FOLDER, which exists or ends with /; - "
        "(default) writes to standard output",
    )
    parser.add_argument("--formats", action="store_true", help="list all formats and notations")


def main(arguments: argparse.Namespace) -> int:
    """Run ``trivalent convert`` and return the exit code."""
    if arguments.formats:
        sys.stdout.write(_formats())
        return 0
    conversion = _Conversion(arguments)
    try:
        if arguments.to not in (_BOARD, _SVG):
            find_format(arguments.to)
    except RecordError as error:
        _report(str(error))
        return 1
    try:
        sources = list(record_source.files_of(arguments.sources))
        targets = _targets(sources, arguments)
    except ValueError as error:
        arguments.fail(str(error))
    texts: dict[str, str] = {}
    for (source, _), target in zip(sources, targets, strict=True):
        text = "".join(conversion.of_source(source))
        texts[target] = texts.get(target, "") + text
    for target, text in texts.items():
        if text:
            conversion.write(text, target)
    if len(sources) > 1 or conversion.counts.total() > 1:
        conversion.summarize(len(sources))
    return conversion.exit_code


def _report(line: str) -> None:
    sys.stderr.write(line + "\n")


def _is_folder(output: str) -> bool:
    return output.endswith("/") or (output != STANDARD and Path(output).is_dir())


def _targets(sources: Sequence[tuple[str, Path]], arguments: argparse.Namespace) -> list[str]:
    """Return the file to write for each source.

    Raise ValueError if a source would be overwritten, if two would be written to the same file, or
    if one is no file and there is a file for each.
    """
    output = arguments.output
    if arguments.to == _SVG and len(sources) > 1 and not _is_folder(output):
        raise ValueError("a picture shows one game: convert several files with --output FOLDER/")
    files = [source for source, _ in sources]
    if not _is_folder(output):
        require_inputs_kept({"--output": output}, files)
        return [output] * len(sources)
    suffix = FORMATS[arguments.to].suffix if arguments.to in FORMATS else _SUFFIXES[arguments.to]
    targets: dict[str, str] = {}
    for source, name in sources:
        if not record_source.exists(source):
            raise ValueError(f"{source[:40]!r} is no file: only files are converted to a folder")
        targets[f"--output for {source}"] = str((Path(output) / name).with_suffix(suffix))
    require_inputs_kept(targets, files)
    return list(targets.values())


class _Conversion:
    """Converts sources one by one, and counts what happens."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._arguments = arguments
        self.counts: Counter[str] = Counter()
        self._warnings: Counter[str] = Counter()
        self.exit_code = 0

    def of_source(self, source: str) -> Iterable[str]:
        """Yield the games of a source as texts; report what goes wrong."""
        try:
            games, name = record_source.read_games(source, self._arguments)
        except SourceError as error:
            self._fail(str(error))
            return
        only = self._arguments.game
        if self._arguments.to == _SVG and only is None and len(games) > 1:
            self._fail(f"{name}: a picture shows one of {len(games)} games: choose it with --game")
            return
        for number in range(1, len(games) + 1) if only is None else [only]:
            text = self._of_game(games, number, name)
            if text is not None:
                yield text

    def _of_game(self, games: Games, number: int, name: str) -> str | None:
        place = f"{name}, game {number}" if len(games) > 1 else name
        arguments = self._arguments
        try:
            reading = games.read(number)
            for warning in reading.warnings:
                self._warnings[warning.outcome] += 1
                _report(f"{name}:{warning}")
            losses: list[str] = []
            text = self._text(reading, losses)
            for loss in losses:
                self._warnings[loss] += 1
                _report(f"{place}: {loss}")
        except RecordError as error:
            self._fail(f"{place}: {error}")
            return None
        if arguments.explain:
            for decision in reading.decisions:
                _report(f"{place}: {decision}")
        if reading.loss or losses:
            self.counts[_LOSSY] += 1
            self.exit_code = self.exit_code or INCOMPLETE
        else:
            self.counts[_CONVERTED] += 1
        return f"{place}:\n{text}\n" if arguments.to == _BOARD and len(games) > 1 else text

    def _text(self, reading: Reading, losses: list[str]) -> str:
        """Return a game in the format that is asked for; add the moves that are lost."""
        to, notation = self._arguments.to, self._arguments.write_notation
        if to == _BOARD:
            return _drawing(reading.record)
        if to == _SVG:
            from trivalent.tools.pictures.svg_boards import svg

            return svg(reading.record.position())
        decisions = reading.decisions
        return write(reading.record, to, notation=notation, decisions=decisions, losses=losses)

    def _fail(self, reason: str) -> None:
        self.counts[_FAILED] += 1
        self.exit_code = 1
        _report(reason)

    def write(self, text: str, target: str) -> None:
        """Write to a file, all or nothing, or to standard output; report what goes wrong."""
        try:
            if _is_folder(self._arguments.output):
                make_folder(Path(target).parent)
            write_output(target, text)
        except OutputError as error:
            self.exit_code = 1
            _report(str(error))

    def summarize(self, sources: int) -> None:
        """Report how many games were converted, and what was warned about."""
        done = ", ".join(f"{self.counts[what]} {what}" for what in _OUTCOMES if self.counts[what])
        _report(f"{_count(self.counts.total(), 'game')} from {_count(sources, 'source')}: {done}")
        for what, count in self._warnings.most_common():
            _report(f"{_count(count, 'warning')}: {what}")


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _drawing(record: Record) -> str:
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


def _formats() -> str:
    lines = [f"{one.name:15}{one.title}" for one in FORMATS.values()]
    lines += ["", "notations:"]
    lines += [f"{one.name:15}{one.purpose}" for one in NOTATIONS.values()]
    return "\n".join(lines) + "\n"
