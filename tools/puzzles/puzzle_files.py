"""Reading puzzles: game records, and regression tests of solvers that refer to game records."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from trivalent.core.board import BLACK, WHITE
from trivalent.core.files import require_regular_file
from trivalent.core.records.formats import Games
from trivalent.core.records.record import Action, RecordError
from trivalent.tools.common.output_files import STANDARD
from trivalent.tools.common.record_source import read_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from trivalent.core.board import Colour
    from trivalent.core.position import Position
    from trivalent.core.records.record import Record
    from trivalent.tools.puzzles.puzzle_search import Verdict

    Skip = Callable[["PuzzleError"], None]

_COLOURS = {"b": BLACK, "black": BLACK, "w": WHITE, "white": WHITE}
_LOAD = re.compile(r"loadsgf\s+(\S+)(?:\s+(\d{1,4}))?", re.ASCII)
_ASK = re.compile(r"\d+\s+df(?:s|pn)-solve(?:-state|(r-find-winning))\s+(\w+)", re.ASCII)
_ANSWER = re.compile(r"#\?\s*\[([^]]*)\]")


class PuzzleError(ValueError):
    """A file or a game that can't be read; the message is one sentence that names the file."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A position and what a file claims about it."""

    name: str
    position: Position
    winner: Colour | None = None
    """The winner; None in a puzzle, which the side to move wins."""
    moves: frozenset[int] | None = None
    """Winning moves, possibly none; None if the file names none."""
    only: bool = True
    """Whether no other move wins."""

    def judge(self, verdict: Verdict) -> tuple[bool | None, str]:
        """Return whether the claim is right (None if unknown), and the truth in words."""
        mover = self.position.to_play
        if self.position.winner is not None:
            return False, f"already connected: {verdict.winner} has won"
        if verdict.winner is None:
            return None, "not solved in time"
        if self.winner is not None:
            return self.winner is verdict.winner, f"{verdict.winner} wins, {mover} to move"
        if verdict.winner is not mover:
            truth = f"no winning move: {mover.opponent} wins, {mover} to move"
            return self.moves == frozenset(), truth
        return self._judge_moves(mover, verdict)

    def _judge_moves(self, mover: Colour, verdict: Verdict) -> tuple[bool | None, str]:
        if verdict.connected:
            return False, f"already connected: {mover} wins, whoever is to move"
        if verdict.moves is None:
            return None, f"{mover} wins; not all moves were decided in time"
        truth = f"{mover} to move wins by {self._names(verdict.moves)}"
        if wrong := (self.moves or frozenset()).difference(verdict.moves):
            return False, f"{truth}, and not by {self._names(wrong)}"
        return len(verdict.moves) == 1 if self.only else bool(self.moves), truth

    def _names(self, cells: frozenset[int] | tuple[int, ...]) -> str:
        return " ".join(self.position.board.names[cell] for cell in sorted(cells))


def read_puzzles(file: str, skip: Skip) -> Iterator[Claim]:
    """Yield the claims of a file.  Raise PuzzleError and call ``skip`` as `read_games` does."""
    if file.endswith(".tst"):
        yield from _read_tests(Path(file))
    else:
        for name, record in read_games(file, skip):
            yield _claim(name, record)


def read_games(file: str, skip: Skip) -> Iterator[tuple[str, Record]]:
    """Yield the games of a file, or of standard input (-), with names.

    Raise PuzzleError if it can't be read.  Call ``skip`` with the reason for each game that can't
    be read, or not in full.
    """
    games = _games(file)
    for number in range(1, len(games) + 1):
        try:
            record = _game(file, games, number)
        except PuzzleError as error:
            skip(error)
        else:
            yield f"{shown(file)}:{number}", record


def shown(file: str) -> str:
    """Return the name of a file in messages."""
    return "standard input" if file == STANDARD else file


def _games(file: str) -> Games:
    try:
        return Games(read_file(file))
    except RecordError as error:
        raise PuzzleError(f"{shown(file)}: {error}") from None


def _game(file: str, games: Games, number: int) -> Record:
    name = shown(file)
    try:
        reading = games.read(number)
    except RecordError as error:
        where = f"{name}, game {number}" if len(games) > 1 else name
        raise PuzzleError(f"{where}: {error}") from None
    if reading.loss:
        raise PuzzleError(f"{name}:{reading.loss}")
    return reading.record


def _claim(name: str, record: Record) -> Claim:
    """Return the claim of a record: its first move after the setup is the only winning move.

    Without a setup, the puzzle is the position at the record's cursor, or at the end of the game.
    """
    root = record.root
    if not root.setup:
        return Claim(name, record.position())
    position = record.position(root)
    turn = root.children[0].turn if root.children else None
    if turn is None or turn.action is not Action.PLAY or turn.cell is None:
        return Claim(name, position)
    position.to_play = turn.colour
    return Claim(name, position, moves=frozenset({turn.cell}))


def _read_tests(path: Path) -> Iterator[Claim]:
    """Yield the claims of a solver's regression tests: a winner or winning moves after loadsgf."""
    position = None
    asked: tuple[str, Colour, bool] | None = None
    for number, line in enumerate(read_file(str(path)).decode(errors="replace").splitlines(), 1):
        if found := _LOAD.fullmatch(line.strip()):
            name = str(path.parent / found[1])
            position = _game(name, _games(name), 1).position()
        elif found := _ASK.fullmatch(line.strip()):
            colour = _COLOURS.get(found[2].lower())
            asked = None if colour is None else (f"{path}:{number}", colour, bool(found[1]))
        elif (found := _ANSWER.match(line)) and asked and position:
            yield _test(asked, position, found[1])
            asked = None


def _test(asked: tuple[str, Colour, bool], position: Position, answer: str) -> Claim:
    name, colour, wants_moves = asked
    position = position.copy()
    position.to_play = colour
    if not wants_moves:
        if answer not in _COLOURS:
            raise PuzzleError(f"{name}: expected a colour, not {answer[:40]!r}")
        return Claim(name, position, winner=_COLOURS[answer])
    try:
        moves = frozenset(position.board.cell(word) for word in answer.split())
    except ValueError as error:
        raise PuzzleError(f"{name}: {error}") from None
    return Claim(name, position, moves=moves, only=False)


def read_file(file: str) -> bytes:
    """Return the content of a file, or of standard input (-).

    Raise PuzzleError if it can't be read.
    """
    try:
        if file != STANDARD:
            require_regular_file(Path(file))
        return read_bytes(file)
    except OSError as error:
        raise PuzzleError(f"{shown(file)}: {error.strerror}") from None
    except RecordError as error:
        raise PuzzleError(f"{shown(file)}: {error}") from None
