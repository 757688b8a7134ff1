"""Opening suites: generated ones, and those read from files.

Every opening consists of moves on cells, Black first, and leaves the game undecided.  The openings
of a suite are different, also up to symmetry, unless the suite contains symmetric ones on purpose.
"""

from __future__ import annotations

import gzip
import re
from hashlib import sha256
from typing import TYPE_CHECKING

from trivalent.core._random import Random
from trivalent.core.position import IllegalMove, Position
from trivalent.core.records.formats import decode
from trivalent.core.records.notes import Notes
from trivalent.core.records.record import Action, RecordError
from trivalent.core.records.sgf_reader import detect_dialect, read_games, read_record
from trivalent.tools.tournament.model import Opening
from trivalent.tools.tournament.plan.strict_toml import PlanError
from trivalent.tools.tournament.symmetry import position_key, symmetry_maps

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from trivalent.core.board import Board
    from trivalent.core.records.record import Record

_MAX_NAME_LENGTH = 40
_MAX_FAILURES = 10_000
"""Consecutive random openings that were known already, after which a suite counts as complete."""
_MAX_FILE_BYTES = 64 << 20

NO_OPENING = Opening("empty")
"""The game starts on the empty board."""


def one_move(board: Board, *, distinct: bool) -> list[Opening]:
    """Return all openings of one move, or one of each class of symmetric ones."""
    cells: Iterable[int] = range(len(board))
    if distinct:
        symmetries = symmetry_maps(board)
        cells = [cell for cell in cells if cell == min(places[cell] for places in symmetries)]
    return [opening for cell in cells if (opening := _open(board, [cell]))]


def random_openings(board: Board, plies: int, count: int, seed: int) -> list[Opening]:
    """Return `count` different random openings of `plies` moves.

    Return fewer only if the board doesn't seem to have more.
    """
    random = Random(seed)
    suite: dict[bytes, Opening] = {}
    failures = 0
    while len(suite) < count and failures < _MAX_FAILURES and plies <= len(board):
        cells = list(range(len(board)))
        for at in range(plies):
            other = at + random.below(len(cells) - at)
            cells[at], cells[other] = cells[other], cells[at]
        cells = cells[:plies]
        key = position_key(board, cells)
        opening = None if key in suite else _open(board, cells)
        if opening is None:
            failures += 1
        else:
            suite[key] = opening
            failures = 0
    return list(suite.values())


def _open(board: Board, cells: Sequence[int]) -> Opening | None:
    """Return the opening with these cells, or None if it ends the game."""
    position = Position(board)
    for cell in cells:
        position.play(position.to_play, cell)
    return None if position.winner else _named(board, cells)


def _named(board: Board, cells: Sequence[int]) -> Opening:
    moves = tuple(board.names[cell] for cell in cells)
    name = "-".join(moves) or NO_OPENING.name
    if len(name) > _MAX_NAME_LENGTH:  # it becomes part of game ids and file names
        name = f"{moves[0]}-{moves[1]}-{len(moves)}-{sha256(name.encode()).hexdigest()[:12]}"
    return Opening(name, moves)


def read_line(board: Board, line: str) -> Opening:
    """Return the opening in a line of moves separated by spaces or commas.

    Raise ValueError, with the reason, if a word isn't a legal move or the game is over.
    """
    position = Position(board)
    cells = []
    for word in line.replace(",", " ").split():
        try:
            cell = board.cell(word)
        except ValueError as error:
            if word.lower() in {action.value for action in Action} | {"swap"}:
                raise ValueError(f"{word.lower()} can't be part of an opening") from None
            raise ValueError(str(error)) from None
        if position.winner:
            raise ValueError(f"{word.lower()} comes after the game is over")
        try:
            position.play(position.to_play, cell)
        except IllegalMove as error:
            raise ValueError(str(error)) from None
        cells.append(cell)
    if position.winner:
        raise ValueError(f"the game is over after {' '.join(board.names[cell] for cell in cells)}")
    return _named(board, cells)


def read_lines(board: Board, lines: Iterable[tuple[str, str]]) -> list[tuple[str, Opening]]:
    """Return the openings in lines of moves, each paired with its place for messages.

    Raise PlanError if a line isn't an opening.
    """
    openings = []
    for place, line in lines:
        try:
            openings.append((place, read_line(board, line)))
        except ValueError as error:
            raise PlanError(f"{place}: {error}") from None
    return openings


def require_different(
    board: Board, openings: Sequence[tuple[str, Opening]], *, symmetric: bool
) -> list[Opening]:
    """Return the openings without their places.

    Raise PlanError if two are the same; symmetric ones count as the same unless `symmetric` is set.
    """
    seen: dict[bytes | frozenset[tuple[int, str]], tuple[str, Opening]] = {}
    for place, opening in openings:
        key: bytes | frozenset[tuple[int, str]]
        if symmetric:
            key = frozenset((number % 2, move) for number, move in enumerate(opening.moves))
        else:
            key = position_key(board, [board.cell(move) for move in opening.moves])
        if key in seen:
            first_place, first = seen[key]
            words = " ".join(opening.moves) or "the empty opening"
            if sorted(first.moves) == sorted(opening.moves):
                raise PlanError(f"{place}: {words} repeats {first_place}")
            raise PlanError(
                f"{place}: {words} is symmetric to {' '.join(first.moves)} ({first_place}); "
                "symmetric = true allows that"
            )
        seen[key] = place, opening
    return [opening for _, opening in openings]


def read_file(board: Board, path: Path, plies: int | None) -> list[tuple[str, Opening]]:
    """Return the openings in a file, with their places: lines of moves, or games in SGF.

    Byte order marks, all line endings and gzip are accepted.  If `plies` is given, only that many
    moves of each opening are used.  In files of lines, # starts a comment.  Raise PlanError, with
    the place, if the file can't be read or contains something that isn't an opening.
    """
    text = _text(path)
    if re.match(r"\s*\(\s*;", text):
        lines = list(_games(board, text, path.name))
    else:
        lines = []
        for number, line in enumerate(text.splitlines(), 1):
            if words := line.partition("#")[0].strip():
                lines.append((f"{path.name}:{number}", words))
    if plies is not None:
        lines = [(place, _cut(place, line, plies)) for place, line in lines]
    if not lines:
        raise PlanError(f"{path.name}: the file contains no openings")
    return read_lines(board, lines)


def _text(path: Path) -> str:
    try:
        if not path.is_file():
            raise PlanError(f"{path}: no such file")
        data = path.read_bytes()
        if data.startswith(b"\x1f\x8b"):
            with gzip.open(path) as file:
                data = file.read(_MAX_FILE_BYTES + 1)
    except (OSError, EOFError) as error:
        reason = getattr(error, "strerror", None) or "the file is damaged"
        raise PlanError(f"{path}: {reason}") from None
    if len(data) > _MAX_FILE_BYTES:
        raise PlanError(f"{path}: the file is larger than {_MAX_FILE_BYTES >> 20} MiB")
    return decode(data, Notes()).removeprefix("\ufeff")


def _games(board: Board, text: str, name: str) -> Iterator[tuple[str, str]]:
    """Yield the main line of each game in an SGF file as a line of moves, with its place."""
    notes = Notes(text)
    roots = read_games(text, notes)
    for number, root in enumerate(roots, 1):
        place = f"{name}, game {number}" if len(roots) > 1 else name
        dialect, _ = detect_dialect(root)
        says_board = root.value("SZ") is not None and not dialect.sheared
        try:
            record = read_record(root, dialect, None, None if says_board else board, notes)
        except RecordError as error:
            raise PlanError(f"{place}: {error}") from None
        if notes.warnings:
            raise PlanError(f"{name}:{notes.warnings[0]}")
        if record.board != board:
            raise PlanError(f"{place}: the board is {record.board}, but the plan has {board}")
        yield place, _main_line(record, place)


def _main_line(record: Record, place: str) -> str:
    words: list[str] = []
    for node in record.root.end().line():
        turn = node.turn
        if node.setup:
            raise PlanError(f"{place}: an opening can't contain setup stones")
        if turn is None:
            continue
        if turn.cell is not None and turn.colour != 1 + len(words) % 2:
            raise PlanError(f"{place}: the colours don't alternate, starting with Black")
        words.append(turn.action.value if turn.cell is None else record.board.names[turn.cell])
    return " ".join(words)


def _cut(place: str, line: str, plies: int) -> str:
    words = line.replace(",", " ").split()
    if len(words) < plies:
        raise PlanError(f"{place}: only {len(words)} moves, but plies = {plies}")
    return " ".join(words[:plies])
