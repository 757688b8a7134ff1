"""Lists of moves: our own, PlayHex's, and the lines of the UAIS tournament."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from trivalent.core.board import BLACK, WHITE
from trivalent.core.games import DEFAULT_GAME, GAMES, find_game, make_board
from trivalent.core.records.fitting import Holds, drop_illegal_moves, fit
from trivalent.core.records.notation import NOTATIONS, column_number, has_several, size_name
from trivalent.core.records.notes import cut
from trivalent.core.records.record import Action, Record, RecordError, Turn
from trivalent.core.text import printable

if TYPE_CHECKING:
    from trivalent.core.board import Board, Colour
    from trivalent.core.records.notation import Notation
    from trivalent.core.records.notes import Notes, Part

_BARE = Holds(
    variations=False,
    setup=False,
    to_play=False,
    alternating=True,
    text=False,
    result=False,
    players=False,
)
MOVES = replace(_BARE, games=tuple(GAMES))
PLAYHEX_MOVES = replace(
    _BARE,
    oblong=False,
    size=53,
    actions=frozenset((Action.PLAY, Action.SWAP_PIECES, Action.PASS)),
)
UAIS = replace(
    _BARE,
    oblong=False,
    size=26,
    actions=frozenset((Action.PLAY, Action.RESIGN)),
    alternating=False,
    result=True,
)

_HEAD = re.compile(
    rf"\s*(?:({'|'.join(GAMES)})\b\s*|(y))?"
    r"(?:size\s*)?([1-9][0-9]?)(?:\s*x\s*([1-9][0-9]?))?\s*:",
    re.IGNORECASE,
)
_LINE = re.compile(r"[^\r\n]+")
_WORD = re.compile(r"[^\s,;]+")
_NUMBER = re.compile(r"[0-9]{1,5}\.+")
_CELL = re.compile(r"([A-Za-z]{1,2})([1-9][0-9]?)")
_ACTIONS = {action.value: action for action in Action if action is not Action.PLAY}
_UAIS_SIZE = 10
_UAIS_TURN = re.compile(r"([bBwW])\s+(\S+)")
_CONFLICT = re.compile(r"<{7}|={7}|>{7}|\|{7}")


def split_moves(text: str) -> list[Part]:
    """Return the games of a text: one begins with every line that begins with a size."""
    begins = [line.start() for line in _LINE.finditer(text) if _HEAD.match(line[0])]
    return cut(text, [0, *begins] if begins and text[: begins[0]].strip() else begins)


def split_lines(text: str) -> list[Part]:
    """Return the games of a text with one on each line.  Conflict markers of a merge are none."""
    return cut(text, [line.start() for line in _LINE.finditer(text) if _holds_game(line[0])])


def _holds_game(line: str) -> bool:
    return bool(line.strip()) and not _CONFLICT.match(line)


def read_moves(
    text: str,
    notation: Notation | None,
    board: Board | None,
    notes: Notes,
    swap: Action | None = None,
) -> Record:
    """Read a list of moves: ``a1 b2``, ``1. a1 2. b2``, ``a1, b2``.

    The colours alternate, beginning with Black.  A size may come first, as in ``size 14:``,
    ``9x13:`` or ``Y 5:``.  ``swap`` is what the bare word means.  The first word that isn't a move
    ends the list.
    """
    head = _HEAD.match(text)
    at = 0
    if head is not None:
        game = notation.game if notation else (head[1] or head[2] or DEFAULT_GAME).lower()
        board = _board(game, int(head[3]), int(head[4]) if head[4] else None)
        at = head.end()
    if board is None:
        board = _board_for(text, notation.game if notation else DEFAULT_GAME, notes)
    if notation is None:
        notation = NOTATIONS[board.game]
    if has_several(board.game):
        notes.decide(f"cells are read in the notation {notation.name} ({notation.purpose})")
    record = Record(board)
    node, offsets = record.root, {}
    for match in _WORD.finditer(text, at):
        word = match[0]
        number = _NUMBER.match(word)
        offset = match.start() + (number.end() if number else 0)
        word = text[offset : match.end()]
        if not word:
            continue
        colour = node.turn.next_to_play if node.turn else BLACK
        if swap is not None and word.lower() == "swap":
            word = swap.value
        turn = _turn(colour, word, board, notation)
        if isinstance(turn, str):
            notes.lose(offset, f"{turn}; the moves end before it")
            break
        node = node.add(turn)
        offsets[node] = offset
    drop_illegal_moves(record, offsets, notes)
    return record


def _board(game: str, width: int, height: int | None) -> Board:
    try:
        return make_board(game, width, height)
    except ValueError as error:
        raise RecordError(f"this list has an impossible size: {error}") from None


def _board_for(text: str, game: str, notes: Notes) -> Board:
    """Return the usual board, or a larger one if a move needs it."""
    needed = find_game(game).default_size
    for match in _WORD.finditer(text):
        cell = _CELL.fullmatch(_NUMBER.sub("", match[0], count=1))
        if cell is not None and find_game(game).reduced:
            needed = max(needed, column_number(cell[1]) + 1, int(cell[2]))
    notes.warn(0, f"the list has no board size: {needed} is assumed")
    return _board(game, needed, None)


def _turn(colour: Colour, word: str, board: Board, notation: Notation) -> Turn | str:
    """Return the turn that a word stands for, or the reason why there is none."""
    action = _ACTIONS.get(word.lower())
    if action is not None:
        return Turn(colour, action)
    if word.lower() == "swap":
        return "swap is ambiguous: write swap-pieces or swap-sides, or say which by --swap"
    try:
        return Turn(colour, Action.PLAY, notation.cell(board, word))
    except ValueError:
        return f"{printable(word)} is not a move on {board}"


def write_moves(record: Record, notation: Notation | None, notes: Notes) -> str:
    """Return the size and the moves of a record.  Raise RecordError if it doesn't fit."""
    record = fit(record, MOVES, notes)
    board = record.board
    words = _words(record, notation or NOTATIONS[board.game])
    return f"{board.game} {size_name(board)}: {words}".rstrip() + "\n"


def write_playhex_moves(record: Record, notes: Notes) -> str:
    """Return the moves of a record without the size.  Raise RecordError if it doesn't fit."""
    record = fit(record, PLAYHEX_MOVES, notes)
    notes.decide(f"the size ({record.board.width}) is not written: this format can't hold it")
    return _words(record, NOTATIONS["hex"]) + "\n"


def _words(record: Record, notation: Notation) -> str:
    turns = [node.turn for node in record.root.end().line() if node.turn is not None]
    return " ".join(
        turn.action.value if turn.cell is None else notation.word(record.board, turn.cell)
        for turn in turns
    )


def read_uais(text: str, board: Board | None, notes: Notes) -> Record:
    """Read a UAIS line: ``b a1,w a2,...,w resign,B``.  Raise RecordError if there is none."""
    game = None
    for line in _LINE.finditer(text):
        if _holds_game(line[0]):
            game = line
        elif line[0].strip():
            notes.warn(line.start(), "a conflict marker of a merge is ignored")
    if game is None:
        raise RecordError("there is no game in this text")
    if board is None:
        board = make_board("hex", _UAIS_SIZE)
        notes.decide(f"the board has size {_UAIS_SIZE}, as always in this format")
    record = Record(board)
    _uais_line(record, game.start(), game[0], notes)
    return record


def _uais_line(record: Record, begins: int, line: str, notes: Notes) -> None:
    node, offsets = record.root, {}
    for match in re.finditer(r"[^,]+", line):
        word, offset = match[0].strip(), begins + match.start()
        if word in ("B", "W"):
            record.result = f"{word}+"
            break
        turn = _UAIS_TURN.fullmatch(word)
        colour = WHITE if turn and turn[1].lower() == "w" else BLACK
        read = _turn(colour, turn[2], record.board, NOTATIONS["hex"]) if turn else printable(word)
        if isinstance(read, str):
            notes.lose(offset, f"{read} is not a turn; the moves end before it")
            break
        node = node.add(read)
        offsets[node] = offset
    drop_illegal_moves(record, offsets, notes)


def write_uais(record: Record, notes: Notes) -> str:
    """Return a record as a UAIS line.  Raise RecordError if it doesn't fit."""
    record = fit(record, UAIS, notes)
    notes.decide(f"the size ({record.board.width}) is not written: this format can't hold it")
    words = [
        f"{str(node.turn.colour)[0]} "
        + ("resign" if node.turn.cell is None else record.board.names[node.turn.cell])
        for node in record.root.end().line()
        if node.turn is not None
    ]
    if not words:
        raise RecordError("this format can't hold a game without moves")
    winner = record.winner
    if winner is not None:
        words.append(str(winner)[0].upper())
    if record.result not in ("", "B+", "W+"):
        notes.decide(f"only the winner of the result {record.result} is written")
    return ",".join(words) + "\n"
