"""Openings: the suites that are made here, and those that are read from files.

All moves are cells, Black first, and leave the game open.  The openings of a suite are different,
also up to symmetry, unless it is one that has all images on purpose.
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
from trivalent.tools.tournament.symmetry import maps, position_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from trivalent.core.board import Board
    from trivalent.core.records.record import Record

_LONGEST_NAME = 40
_MOST_FAILURES = 10_000
"""Random openings in a row that were there before, until a suite counts as complete."""
_LARGEST_FILE = 64 << 20

NO_OPENING = Opening("empty")
"""The game begins on the empty board."""


def one_move(board: Board, *, distinct: bool) -> list[Opening]:
    """Return all openings of one move, or one of each set that are the same up to symmetry."""
    cells: Iterable[int] = range(len(board))
    if distinct:
        symmetries = maps(board)
        cells = [cell for cell in cells if cell == min(places[cell] for places in symmetries)]
    return [opening for cell in cells if (opening := _open(board, [cell]))]


def random_openings(board: Board, plies: int, count: int, seed: int) -> list[Opening]:
    """Return different random openings of so many moves, at most as many as asked for.

    Fewer are returned only where the board seems to have no more.
    """
    random = Random(seed)
    suite: dict[bytes, Opening] = {}
    failures = 0
    while len(suite) < count and failures < _MOST_FAILURES and plies <= len(board):
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
    """Return the opening of these cells, None if it ends the game."""
    position = Position(board)
    for cell in cells:
        position.play(position.to_play, cell)
    return None if position.winner else _named(board, cells)


def _named(board: Board, cells: Sequence[int]) -> Opening:
    moves = tuple(board.names[cell] for cell in cells)
    name = "-".join(moves) or NO_OPENING.name
    if len(name) > _LONGEST_NAME:  # it becomes part of the names of games and of files
        name = f"{moves[0]}-{moves[1]}-{len(moves)}-{sha256(name.encode()).hexdigest()[:12]}"
    return Opening(name, moves)


def read_line(board: Board, line: str) -> Opening:
    """Return the opening of a line of moves, separated by spaces or commas.

    Raise ValueError, with the reason, if there is a word that is no legal move, or if the game is
    over.
    """
    position = Position(board)
    cells = []
    for word in line.replace(",", " ").split():
        try:
            cell = board.cell(word)
        except ValueError as error:
            if word.lower() in {action.value for action in Action} | {"swap"}:
                raise ValueError(f"{word.lower()} cannot be part of an opening") from None
            raise ValueError(str(error)) from None
        if position.winner:
            raise ValueError(f"{word.lower()} comes after the end of the game")
        try:
            position.play(position.to_play, cell)
        except IllegalMove as error:
            raise ValueError(str(error)) from None
        cells.append(cell)
    if position.winner:
        raise ValueError(f"the game is over after {' '.join(board.names[cell] for cell in cells)}")
    return _named(board, cells)


def read_lines(board: Board, lines: Iterable[tuple[str, str]]) -> list[tuple[str, Opening]]:
    """Return the openings of lines of moves; before each is its place, for messages.

    Raise PlanError if a line is no opening.
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

    Raise PlanError if one is there twice, also up to symmetry unless that is allowed.
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
                raise PlanError(f"{place}: {words} is the same as {first_place}")
            raise PlanError(
                f"{place}: {words} is {' '.join(first.moves)} ({first_place}) up to symmetry "
                "(symmetric = true allows that)"
            )
        seen[key] = place, opening
    return [opening for _, opening in openings]


def read_file(board: Board, path: Path, plies: int | None) -> list[tuple[str, Opening]]:
    """Return the openings of a file, with their places: lines of moves, or games in SGF.

    Byte order marks, any line ends and gzip are taken; of each opening the first ``plies`` moves
    only, if given.  In files of lines # begins a comment.  Raise PlanError, with the place, if the
    file cannot be read or has something that is no opening.
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
        raise PlanError(f"{path.name}: there is no opening in it")
    return read_lines(board, lines)


def _text(path: Path) -> str:
    try:
        if not path.is_file():
            raise PlanError(f"{path}: there is no such file")
        data = path.read_bytes()
        if data.startswith(b"\x1f\x8b"):
            with gzip.open(path) as file:
                data = file.read(_LARGEST_FILE + 1)
    except (OSError, EOFError) as error:
        reason = getattr(error, "strerror", None) or "it is damaged"
        raise PlanError(f"{path}: {reason}") from None
    if len(data) > _LARGEST_FILE:
        raise PlanError(f"{path}: it has more than {_LARGEST_FILE >> 20} MiB")
    return decode(data, Notes()).removeprefix("\ufeff")


def _games(board: Board, text: str, name: str) -> Iterator[tuple[str, str]]:
    """Yield the main lines of the games of an SGF file as lines of moves, each with its place."""
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
            raise PlanError(f"{place} is on {record.board}, not on {board}")
        yield place, _main_line(record, place)


def _main_line(record: Record, place: str) -> str:
    words: list[str] = []
    for node in record.root.end().line():
        turn = node.turn
        if node.setup:
            raise PlanError(f"{place}: an opening has moves only, no setup")
        if turn is None:
            continue
        if turn.cell is not None and turn.colour != 1 + len(words) % 2:
            raise PlanError(f"{place}: the moves are not in turn, Black first")
        words.append(turn.action.value if turn.cell is None else record.board.names[turn.cell])
    return " ".join(words)


def _cut(place: str, line: str, plies: int) -> str:
    words = line.replace(",", " ").split()
    if len(words) < plies:
        raise PlanError(f"{place} has {len(words)} moves, fewer than {plies}")
    return " ".join(words[:plies])
