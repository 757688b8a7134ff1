"""The commands that read and write files.  A server leaves them out."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from trivalent.core.files import require_regular_file, write_file
from trivalent.gtp.engine.arguments import GtpError
from trivalent.gtp.engine.command import Command

if TYPE_CHECKING:
    from trivalent.core.records.record import Node, Record
    from trivalent.gtp.engine.arguments import Arguments
    from trivalent.gtp.engine.session import Session

LOGGER = logging.getLogger(__name__)

MAX_BYTES = 1 << 20
"""Bytes of a file that is read: many times a long game with comments and variations."""

MAX_WARNINGS = 20
"""Warnings about a file that are logged."""


def _name_and_rest(arguments: Arguments) -> tuple[Path, list[str]]:
    """Read the name of a file, in quotes if it has blanks in it, as HexGui writes it."""
    text = " ".join(arguments.words)
    if text.startswith('"'):
        name, quote, rest = text[1:].partition('"')
        if not (name and quote):
            raise arguments.misuse()
        return Path(name), rest.split()
    if not text:
        raise arguments.misuse()
    return Path(arguments.words[0]), list(arguments.words[1:])


def _loadsgf(session: Session, arguments: Arguments) -> str:
    path, rest = _name_and_rest(arguments)
    moves = None
    if rest:
        if len(rest) > 1 or not rest[0].isdigit():
            raise arguments.misuse()
        moves = int(rest[0][:9])
    record = _read(path)
    node = record.root.end() if moves is None else _after(record, moves)
    session.adopt(record.position(node))
    session.restart_clock(session.clock.settings if session.clock else None)
    return ""


def _after(record: Record, moves: int) -> Node:
    """Return the last node of the main line before its next move."""
    node = record.root
    for following in node.end().line():
        moves -= following.turn is not None
        if moves < 0:
            break
        node = following
    return node


def _read(path: Path) -> Record:
    from trivalent.core.records.formats import read  # noqa: PLC0415  an engine starts at once

    try:
        require_regular_file(path)
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # a NUL in a name is a ValueError
        raise GtpError(f"cannot load file: {getattr(error, 'strerror', error)}") from None
    if len(data) > MAX_BYTES:
        raise GtpError(f"cannot load file: it has more than {MAX_BYTES} bytes")
    try:
        reading = read(data)
    except ValueError as error:
        raise GtpError(f"cannot load file: {error}") from None
    for warning in reading.warnings[:MAX_WARNINGS]:
        LOGGER.warning("%s:%s", path, warning)
    if len(reading.warnings) > MAX_WARNINGS:
        LOGGER.warning("%s: and %d more", path, len(reading.warnings) - MAX_WARNINGS)
    return reading.record


def _savesgf(session: Session, arguments: Arguments) -> str:
    from trivalent.core.records.formats import write  # noqa: PLC0415  an engine starts at once
    from trivalent.core.records.record import Record  # noqa: PLC0415

    path, rest = _name_and_rest(arguments)
    if rest:
        raise arguments.misuse()
    text = write(Record.of(session.position), "sgf")
    try:
        write_file(path, lambda file: file.write_text(text, encoding="utf-8"))
    except (OSError, ValueError) as error:  # a NUL in a name is a ValueError
        raise GtpError(f"cannot save file: {getattr(error, 'strerror', error)}") from None
    return ""


FILES = (
    Command(
        "loadsgf",
        _loadsgf,
        "FILE [MOVES]",
        "The board and the game of a file, to the end of its main line or that many moves of it.  "
        "Reads SGF of all dialects, links, move lists.",
        "the file cannot be read",
    ),
    Command(
        "savesgf",
        _savesgf,
        "FILE",
        "Writes the game to a file.",
        "the file cannot be written",
        "none/Save SGF/savesgf %w",
    ),
)
"""The file family."""
