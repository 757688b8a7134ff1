"""Commands that read and write game records.  A server does not offer them."""

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
"""Maximum bytes of a file to load: many times a long game with comments and variations."""

MAX_WARNINGS = 20
"""Maximum number of warnings logged about a file."""


def _name_and_rest(arguments: Arguments) -> tuple[Path, list[str]]:
    """Split off the file name, which HexGui puts in quotes if it contains blanks."""
    text = " ".join(arguments.words)
    if text.startswith('"'):
        name, quote, rest = text[1:].partition('"')
        if not (name and quote):
            raise arguments.usage_error()
        return Path(name), rest.split()
    if not text:
        raise arguments.usage_error()
    return Path(arguments.words[0]), list(arguments.words[1:])


def _loadsgf(session: Session, arguments: Arguments) -> str:
    path, rest = _name_and_rest(arguments)
    moves = None
    if rest:
        if len(rest) > 1 or not rest[0].isdigit():
            raise arguments.usage_error()
        moves = int(rest[0][:9])
    record = _read(path)
    node = record.root.end() if moves is None else _after(record, moves)
    session.adopt(record.position(node))
    session.restart_clock(session.clock.settings if session.clock else None)
    return ""


def _after(record: Record, moves: int) -> Node:
    """Return the node of the main line after that many moves: the last one before the next move."""
    node = record.root
    for following in node.end().line():
        moves -= following.turn is not None
        if moves < 0:
            break
        node = following
    return node


def _read(path: Path) -> Record:
    from trivalent.core.records.formats import read  # noqa: PLC0415  keeps the start fast

    try:
        require_regular_file(path)
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise GtpError(f"cannot load file: {getattr(error, 'strerror', error)}") from None
    if len(data) > MAX_BYTES:
        raise GtpError(f"cannot load file: it is larger than {MAX_BYTES} bytes")
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
    from trivalent.core.records.formats import write  # noqa: PLC0415  keeps the start fast
    from trivalent.core.records.record import Record  # noqa: PLC0415

    path, rest = _name_and_rest(arguments)
    if rest:
        raise arguments.usage_error()
    text = write(Record.of(session.position), "sgf")
    try:
        write_file(path, lambda file: file.write_text(text, encoding="utf-8"))
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise GtpError(f"cannot save file: {getattr(error, 'strerror', error)}") from None
    return ""


FILES = (
    Command(
        "loadsgf",
        _loadsgf,
        "FILE [MOVES]",
        "Loads the board and the game from a file, up to the end of the main line or the given "
        "number of moves.  Reads links, move lists and all dialects of SGF.",
        "the file cannot be read",
    ),
    Command(
        "savesgf",
        _savesgf,
        "FILE",
        "Saves the game to a file as SGF.",
        "the file cannot be written",
        "none/Save SGF/savesgf %w",
    ),
)
"""The file family."""
