"""All formats of game records, and the functions that read and write them."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from trivalent.core.games import GAMES
from trivalent.core.records.hexwiki import HOLDS as HEXBOARD
from trivalent.core.records.hexwiki import read_diagram, split_page, write_hexboard
from trivalent.core.records.json_formats import JSON, read_json, split_json, write_json
from trivalent.core.records.move_lists import (
    MOVES,
    PLAYHEX_MOVES,
    UAIS,
    read_moves,
    read_uais,
    split_lines,
    split_moves,
    write_moves,
    write_playhex_moves,
    write_uais,
)
from trivalent.core.records.notation import find_notation
from trivalent.core.records.notes import Notes, Remark
from trivalent.core.records.record import Action, Record, RecordError
from trivalent.core.records.sgf_dialects import DIALECTS, Dialect
from trivalent.core.records.sgf_reader import (
    detect_dialect,
    read_games,
    read_record,
    split_games,
)
from trivalent.core.records.sgf_writer import write_sgf
from trivalent.core.records.site_exports import (
    PLAYHEX_JSON,
    detect_json,
    read_abstract_play,
    read_board_game_arena,
    read_playhex_json,
    write_playhex_json,
)
from trivalent.core.records.web_links import (
    HEXATA,
    HEXWORLD,
    read_hexata,
    read_hexworld,
    split_links,
    write_hexata,
    write_hexworld,
)
from trivalent.core.text import printable

if TYPE_CHECKING:
    from collections.abc import Callable

    from trivalent.core.board import Board
    from trivalent.core.records.fitting import Holds
    from trivalent.core.records.notation import Notation
    from trivalent.core.records.notes import Part


@dataclass(frozen=True, slots=True)
class Request:
    """What the user tells us about a text, in case it doesn't say so itself."""

    notation: Notation | None = None
    board: Board | None = None
    swap: Action | None = None
    """What the bare word ``swap`` means."""


@dataclass(frozen=True, slots=True)
class Format:
    """A format: its name, how to read it and, unless it is only read, what it can hold."""

    name: str
    title: str
    split: Callable[[str], list[Part]]
    """Returns the games of a text, at least one."""
    read: Callable[[str, Request, Notes], Record]
    """Reads one of them."""
    holds: Holds | None = None
    write: Callable[[Record, Notation | None, Notes], str] | None = None
    """Returns a text; texts one after the other are a collection."""
    suffix: str = ".txt"
    """How the names of its files end."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The result of reading a game."""

    record: Record
    format: str
    """The name of the format in which it was read."""
    warnings: list[Remark]
    decisions: list[str]
    """Sentences: what was chosen, and why."""

    @property
    def loss(self) -> Remark | None:
        """The first warning that moves or stones of the text are missing from the record."""
        return next((remark for remark in self.warnings if remark.is_loss), None)


def _read_sgf(text: str, request: Request, notes: Notes, *, dialect: Dialect) -> Record:
    root = read_games(text, notes, dialect)[0]
    return read_record(root, dialect, request.notation, request.board, notes, swap=request.swap)


def _sgf(dialect: Dialect) -> Format:
    return Format(
        dialect.name,
        dialect.title,
        partial(split_games, dialect=dialect),
        partial(_read_sgf, dialect=dialect),
        dialect.holds,
        lambda record, notation, notes: write_sgf(record, dialect, notation, notes),
        ".sgf",
    )


FORMATS = {
    one.name: one
    for one in (
        *map(_sgf, DIALECTS.values()),
        Format(
            "hexworld",
            "link of hexworld.org/board",
            split_links,
            lambda text, _, notes: read_hexworld(text, notes),
            HEXWORLD,
            lambda record, _, notes: write_hexworld(record, notes),
        ),
        Format(
            "hexata",
            "text of Hexata and hex-study, with variations, Y too",
            split_links,
            lambda text, request, notes: read_hexata(text, request.notation, notes),
            HEXATA,
            write_hexata,
        ),
        Format(
            "moves",
            "size and moves, as in hex 11: a2 swap-pieces f6",
            split_moves,
            lambda text, request, notes: read_moves(
                text, request.notation, request.board, notes, request.swap
            ),
            MOVES,
            write_moves,
        ),
        Format(
            "playhex-moves",
            "the moves of PlayHex, without a size, a game on each line",
            split_lines,
            lambda text, request, notes: read_moves(
                text, request.notation, request.board, notes, request.swap
            ),
            PLAYHEX_MOVES,
            lambda record, _, notes: write_playhex_moves(record, notes),
        ),
        Format(
            "uais",
            "a game of the UAIS tournament: b a1,w a2,w resign,B",
            split_lines,
            lambda text, request, notes: read_uais(text, request.board, notes),
            UAIS,
            lambda record, _, notes: write_uais(record, notes),
        ),
        Format(
            "hexwiki",
            "<hexboard> of HexWiki, and <hex>, only read: a position, its moves numbered",
            split_page,
            lambda text, _, notes: read_diagram(text, notes),
            HEXBOARD,
            lambda record, _, notes: write_hexboard(record, notes),
        ),
        Format(
            "playhex-json",
            "a game of PlayHex's export",
            split_json,
            lambda text, request, notes: read_playhex_json(text, request.swap, notes),
            PLAYHEX_JSON,
            lambda record, _, notes: write_playhex_json(record, notes),
            ".json",
        ),
        Format(
            "abstractplay",
            "a game of Hex or Y at Abstract Play as JSON: its state or its record (only read)",
            split_json,
            lambda text, _, notes: read_abstract_play(text, notes),
        ),
        Format(
            "boardgamearena",
            "the log of a game of Hex at Board Game Arena as JSON (only read)",
            partial(split_json, lists=False),
            lambda text, _, notes: read_board_game_arena(text, notes),
        ),
        Format(
            "json",
            "a whole record as JSON",
            split_json,
            lambda text, _request, _notes: read_json(text),
            JSON,
            lambda record, _notation, _notes: write_json(record),
            ".json",
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
    ("hexwiki", r"<hex(?:board\b|>)|\A\s*(?:size|contents)\s*=", "it looks like <hexboard>"),
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
"""Signs by which `detect` knows the formats other than SGF and JSON, the surest first."""
_JSON = re.compile(r"\s*(?:\{\s*\"|\[\s*\{)")
_SGF = re.compile(r"\s*\(\s*;")


def find_format(name: str) -> Format:
    """Return a format by name.  Raise RecordError if there is none."""
    try:
        return FORMATS[name]
    except KeyError:
        raise RecordError(f"unknown format {name!a} (known: {', '.join(FORMATS)})") from None


def detect(text: str) -> tuple[str, str]:
    """Return the name of a text's format, and the reason.  Raise RecordError if none fits."""
    if _JSON.match(text):
        return detect_json(text)
    for name, sign, why in () if _SGF.match(text) else _SIGNS:
        if re.search(sign, text):
            return name, why
    if "(" in text or ";" in text:
        dialect, why = detect_dialect(read_games(text, Notes())[0])
        return dialect.name, why
    raise RecordError(f"this text is in no known format: {printable(text)}")


_ORDER_MARKS = {  # the longer ones first: that of UTF-32 begins with that of UTF-16
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


def decode(data: bytes, notes: Notes) -> str:
    """Decode a file: by its byte order mark, as UTF-8, by its CA property, else as Latin-1.

    Without a mark, UTF-16 shows in the zero next to the first character, which is in ASCII.
    """
    marked = (charset for mark, charset in _ORDER_MARKS.items() if data.startswith(mark))
    named = re.search(rb"CA\s*\[([A-Za-z0-9_.:-]{1,40})\]", data)
    charsets = [
        *marked,
        *(["utf-16-be"] if data[:1] == b"\0" else ["utf-16-le"] if data[1:2] == b"\0" else []),
        "utf-8",
        *([named[1].decode()] if named else []),
        "latin-1",  # has a letter for every byte
    ]
    for charset in charsets:
        try:
            text = data.decode(charset)
        except (LookupError, ValueError):
            continue
        if charset not in ("utf-8", "utf-8-sig"):
            notes.decide(f"the text is not UTF-8; it is read as {charset}")
        return text
    raise AssertionError("unreachable")


class Games:
    """The games of a text, each of which is read when it is asked for.

    Detect the format unless ``format`` names it; every game may be in another dialect.
    ``notation`` (a key of `NOTATIONS`) overrides the format's own names of cells, ``board`` is for
    texts without a size, and ``swap`` is what the bare word means where a text doesn't tell.  Raise
    RecordError if nothing can be read.
    """

    def __init__(
        self,
        text: str | bytes,
        format: str | None = None,  # noqa: A002  the word for it
        *,
        notation: str | None = None,
        board: Board | None = None,
        swap: Action | None = None,
    ) -> None:
        early = Notes()
        if isinstance(text, bytes):
            text = decode(text, early)
        text = text.removeprefix("\ufeff")
        self._notes = Notes(text)
        self._notes.decisions = early.decisions
        self._format = format
        self._request = Request(find_notation(notation) if notation else None, board, swap)
        self._parts = find_format(format or detect(text)[0]).split(text)

    def __len__(self) -> int:
        return len(self._parts)

    def read(self, number: int = 1) -> Reading:
        """Read a game, counted from 1, and skip with a warning what can't be read.

        Raise RecordError if there is no such game, or if nothing of it can be read.
        """
        if not 1 <= number <= len(self):
            raise RecordError(f"there is no game {number}: the file has {len(self)}")
        part = self._parts[number - 1]
        notes = self._notes.of_part(part.offset)
        name = self._format
        if name is None:
            name, why = detect(part.text)
            notes.decide(f"read as {name}: {why}")
        record = find_format(name).read(part.text, self._request, notes)
        return Reading(record, name, notes.warnings, notes.decisions)

    def pick(self, number: int) -> Reading:
        """Read a game as `read` does, with a warning if the text has others."""
        reading = self.read(number)
        if len(self) > 1:
            line, column = self._notes.place(self._parts[number - 1].offset)
            note = f"this is game {number} of {len(self)}"
            reading.warnings.append(Remark(line, column, note))
        return reading


def read(
    text: str | bytes,
    format: str | None = None,  # noqa: A002  the word for it
    *,
    notation: str | None = None,
    board: Board | None = None,
    swap: Action | None = None,
    game: int = 1,
) -> Reading:
    """Read one game of a text, by default the first: see `Games`."""
    return Games(text, format, notation=notation, board=board, swap=swap).pick(game)


def write(
    record: Record,
    format: str,  # noqa: A002  the word for it
    *,
    notation: str | None = None,
    decisions: list[str] | None = None,
    losses: list[str] | None = None,
) -> str:
    """Return a record as text in a format, ending with a line end.

    ``notation`` (a key of `NOTATIONS`) overrides the format's own names of cells.  Append to
    ``decisions`` what was converted or dropped, and to ``losses`` which moves were dropped.  Raise
    RecordError, with the reason, if the format can't hold the record.
    """
    notes = Notes()
    chosen = find_notation(notation) if notation else None
    if chosen is not None and chosen.game != record.board.game:
        raise RecordError(f"the notation {chosen.name} is not for {record.board}")
    writes = find_format(format).write
    if writes is None:
        raise RecordError(f"{format} can only be read")
    text = writes(record, chosen, notes)
    if decisions is not None:
        decisions += notes.decisions
    if losses is not None:
        losses += [remark.text for remark in notes.warnings if remark.is_loss]
    return text
