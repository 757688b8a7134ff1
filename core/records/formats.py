"""All formats of game records, and the functions that read and write them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from trivalent.core.games import GAMES
from trivalent.core.records.hexwiki import HOLDS as HEXBOARD
from trivalent.core.records.hexwiki import read_hexboard, write_hexboard
from trivalent.core.records.json_formats import (
    JSON,
    PLAYHEX_JSON,
    read_json,
    read_playhex_json,
    write_json,
    write_playhex_json,
)
from trivalent.core.records.move_lists import (
    MOVES,
    PLAYHEX_MOVES,
    UAIS,
    read_moves,
    read_uais,
    write_moves,
    write_playhex_moves,
    write_uais,
)
from trivalent.core.records.notation import find_notation
from trivalent.core.records.notes import Notes, Remark
from trivalent.core.records.record import Record, RecordError
from trivalent.core.records.sgf_dialects import DIALECTS, Dialect
from trivalent.core.records.sgf_reader import detect_dialect, read_games, read_record
from trivalent.core.records.sgf_writer import write_sgf
from trivalent.core.records.web_links import (
    HEXATA,
    HEXWORLD,
    read_hexata,
    read_hexworld,
    write_hexata,
    write_hexworld,
)
from trivalent.core.text import printable

if TYPE_CHECKING:
    from collections.abc import Callable

    from trivalent.core.board import Board
    from trivalent.core.records.fitting import Holds
    from trivalent.core.records.notation import Notation


@dataclass(frozen=True, slots=True)
class Request:
    """What the user tells us about a text, in case it doesn't say so itself."""

    notation: Notation | None = None
    board: Board | None = None
    game: int = 1
    """Which game of the file, from 1."""


@dataclass(frozen=True, slots=True)
class Format:
    """A format: its name, what it can hold, how to read and write it."""

    name: str
    title: str
    holds: Holds
    read: Callable[[str, Request, Notes], Record]
    write: Callable[[Record, Notation | None, Notes], str]


@dataclass(frozen=True, slots=True)
class Reading:
    """The result of reading a text."""

    record: Record
    format: str
    """The name of the format in which it was read."""
    warnings: list[Remark]
    decisions: list[str]
    """Sentences: what was chosen, and why."""


def _read_sgf(text: str, request: Request, notes: Notes, *, dialect: Dialect) -> Record:
    games = read_games(text, notes, dialect)
    if not 1 <= request.game <= len(games):
        raise RecordError(f"there is no game {request.game}: the file has {len(games)}")
    root = games[request.game - 1]
    if len(games) > 1:
        notes.warn(root.offset, f"this is game {request.game} of {len(games)}")
    return read_record(root, dialect, request.notation, request.board, notes)


def _sgf(dialect: Dialect) -> Format:
    return Format(
        dialect.name,
        dialect.title,
        dialect.holds,
        partial(_read_sgf, dialect=dialect),
        lambda record, notation, notes: write_sgf(record, dialect, notation, notes),
    )


FORMATS = {
    one.name: one
    for one in (
        *map(_sgf, DIALECTS.values()),
        Format(
            "hexworld",
            "link of hexworld.org/board",
            HEXWORLD,
            lambda text, _, notes: read_hexworld(text, notes),
            lambda record, _, notes: write_hexworld(record, notes),
        ),
        Format(
            "hexata",
            "text of Hexata and hex-study, with variations, Y too",
            HEXATA,
            lambda text, request, notes: read_hexata(text, request.notation, notes),
            write_hexata,
        ),
        Format(
            "moves",
            "size and moves, as in hex 11: a2 swap-pieces f6",
            MOVES,
            lambda text, request, notes: read_moves(text, request.notation, request.board, notes),
            write_moves,
        ),
        Format(
            "playhex-moves",
            "the moves of PlayHex, without a size",
            PLAYHEX_MOVES,
            lambda text, request, notes: read_moves(text, request.notation, request.board, notes),
            lambda record, _, notes: write_playhex_moves(record, notes),
        ),
        Format(
            "uais",
            "a game of the UAIS tournament: b a1,w a2,w resign,B",
            UAIS,
            lambda text, request, notes: read_uais(text, request.board, request.game, notes),
            lambda record, _, notes: write_uais(record, notes),
        ),
        Format(
            "hexwiki",
            "<hexboard> of HexWiki: a position, its moves numbered",
            HEXBOARD,
            lambda text, _, notes: read_hexboard(text, notes),
            lambda record, _, notes: write_hexboard(record, notes),
        ),
        Format(
            "playhex-json",
            "a game of PlayHex's export",
            PLAYHEX_JSON,
            lambda text, request, notes: read_playhex_json(text, request.game, notes),
            lambda record, _, notes: write_playhex_json(record, notes),
        ),
        Format(
            "json",
            "a whole record as JSON",
            JSON,
            lambda text, _request, _notes: read_json(text),
            lambda record, _notation, _notes: write_json(record),
        ),
    )
}
"""All formats by name."""

_SIZE = r"[1-9][0-9]?(?:x[1-9][0-9]?)?"
_SIGNS = (
    ("hexata", r"\A\s*\S*y\.html#", "the page is y.html"),
    ("hexata", rf"\A\s*(?:\S*#)?{_SIZE},[^#(]*\(", "it is a size and moves with variations"),
    ("hexata", rf"\A\s*{_SIZE},", "it is a size and moves, and no link"),
    ("hexworld", rf"\A\s*\S*#{_SIZE}(?![0-9])", "it is a link with a size after #"),
    ("json", r'\A\s*\{[^{}]*"trivalent record"', "it says so"),
    ("playhex-json", r'\A\s*(?:\{\s*"|\[\s*\{)', "it is JSON, but not a record of ours"),
    ("hexwiki", r"<hexboard\b|\A\s*(?:size|contents)\s*=", "it looks like <hexboard>"),
    ("uais", r"(?m)^[bw]\s+[A-Za-z][0-9]{1,2}\s*(?:,|$)", "its cells have colours before them"),
    (
        "moves",
        rf"(?i)\A\s*(?:(?:{'|'.join(GAMES)})\s*)?(?:size\s*)?{_SIZE}\s*:",
        "it begins with a size",
    ),
    (
        "moves",
        r"(?i)\A\s*(?:[0-9]+\.+\s*)?(?:[a-z]{1,2}[1-9][0-9]?|pass)(?:[\s,;]|\Z)",
        "it begins with a move",
    ),
)
"""Signs by which `detect` knows the formats other than SGF, the surest first."""


def find_format(name: str) -> Format:
    """Return a format by name.  Raise RecordError if there is none."""
    try:
        return FORMATS[name]
    except KeyError:
        raise RecordError(f"unknown format {name!a} (known: {', '.join(FORMATS)})") from None


def detect(text: str) -> tuple[str, str]:
    """Return the name of a text's format, and the reason.  Raise RecordError if none fits."""
    for name, sign, why in _SIGNS:
        if re.search(sign, text):
            return name, why
    if "(" in text or ";" in text:
        dialect, why = detect_dialect(read_games(text, Notes())[0])
        return dialect.name, why
    raise RecordError(f"this text is in no known format: {printable(text)}")


def decode(data: bytes, notes: Notes) -> str:
    """Decode a file: UTF-8, else the character set that its CA property names, else Latin-1."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        pass
    named = re.search(rb"CA\s*\[([A-Za-z0-9_.:-]{1,40})\]", data)
    for charset in (named[1].decode() if named else "", "latin-1"):
        try:
            text = data.decode(charset)
        except (LookupError, ValueError):
            continue
        notes.decide(f"the text is not UTF-8; it is read as {charset}")
        return text
    raise AssertionError("Latin-1 has a letter for every byte")


def read(
    text: str | bytes,
    format: str | None = None,  # noqa: A002  the word for it
    *,
    notation: str | None = None,
    board: Board | None = None,
    game: int = 1,
) -> Reading:
    """Read a game record.

    Detect the format unless ``format`` names it.  ``notation`` (a key of `NOTATIONS`) overrides the
    format's own names of cells, ``board`` is for texts without a size, and ``game`` picks one of
    several games, from 1.  Skip with a warning what can't be read; raise RecordError if nothing
    can.
    """
    early = Notes()
    if isinstance(text, bytes):
        text = decode(text, early)
    text = text.removeprefix("\ufeff")
    notes = Notes(text)
    notes.decisions += early.decisions
    if format is None:
        format, why = detect(text)  # noqa: A001
        notes.decide(f"read as {format}: {why}")
    request = Request(find_notation(notation) if notation else None, board, game)
    record = find_format(format).read(text, request, notes)
    return Reading(record, format, notes.warnings, notes.decisions)


def write(
    record: Record,
    format: str,  # noqa: A002  the word for it
    *,
    notation: str | None = None,
    decisions: list[str] | None = None,
) -> str:
    """Return a record as text in a format, ending with a line end.

    ``notation`` (a key of `NOTATIONS`) overrides the format's own names of cells.  Append to
    ``decisions`` what was converted or dropped.  Raise RecordError, with the reason, if the format
    can't hold the record.
    """
    notes = Notes()
    chosen = find_notation(notation) if notation else None
    if chosen is not None and chosen.game != record.board.game:
        raise RecordError(f"the notation {chosen.name} is not for {record.board}")
    text = find_format(format).write(record, chosen, notes)
    if decisions is not None:
        decisions += notes.decisions
    return text
