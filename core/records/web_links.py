"""Links that show a game in a browser: HexWorld's, and those of Hexata and hex-study.

Both have a size, a comma, and the moves without spaces, in alternating colours.  HexWorld holds a
single line and has flags for the drawing.  Hexata holds variations and, in hex-study, Y.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trivalent.core.board import BLACK, WHITE
from trivalent.core.games import make_board
from trivalent.core.records.fitting import Holds, drop_illegal_moves, fit
from trivalent.core.records.notation import NOTATIONS, has_several, size_name
from trivalent.core.records.notes import cut
from trivalent.core.records.record import Action, Node, Record, RecordError, Turn
from trivalent.core.text import printable

if TYPE_CHECKING:
    from trivalent.core.board import Board
    from trivalent.core.records.notation import Notation
    from trivalent.core.records.notes import Notes, Part

_HEXWORLD_URL = "https://hexworld.org/board/#"
_HEXATA_PAGES = {"hex": "", "y": "y.html#"}
_HEXATA_NOTATIONS = {"hex": "hex", "y": "y-puzzle"}

HEXWORLD = Holds(
    size=53,
    variations=False,
    setup=False,
    to_play=False,
    alternating=True,
    ends_named=True,
    text=False,
    result=False,
    players=False,
    cursor=True,
)
HEXATA = Holds(
    games=tuple(_HEXATA_PAGES),
    size=53,
    actions=frozenset((Action.PLAY, Action.SWAP_PIECES, Action.PASS)),
    setup=False,
    to_play=False,
    alternating=True,
    text=False,
    result=False,
    players=False,
    cursor=True,
)

_SIZE = r"[1-9][0-9]?(?:x[1-9][0-9]?)?"
_LINK = re.compile(rf"(?<!\S)(?:\S*#{_SIZE}(?![0-9])|{_SIZE},)")
_HEAD = re.compile(r"\s*([1-9][0-9]?)(?:x([1-9][0-9]?))?")
_FLAG = re.compile(r"r(?:1[0-2]|[1-9])|m|n|c1")
_TOKEN = re.compile(r":([rf][bw]|[sSp])|([A-Za-z]{1,2}[1-9][0-9]?)|[,()]")
_WORDS = {
    "s": Action.SWAP_PIECES,
    "S": Action.SWAP_SIDES,
    "p": Action.PASS,
    "r": Action.RESIGN,
    "f": Action.FORFEIT,
}
_LETTERS = {action: word for word, action in _WORDS.items()}


def split_links(text: str) -> list[Part]:
    """Return the links in a text, which have white space between them."""
    return cut(text, [match.start() for match in _LINK.finditer(text)])


def read_hexworld(text: str, notes: Notes) -> Record:
    """Read a HexWorld link, or the part of it after ``#``.

    As on that site, the first token that isn't a legal move ends the moves, and an unknown flag
    ends the flags.  Raise RecordError if there is no size.
    """
    begins, board = _head(text, "hex")
    comma = text.find(",", begins)
    flags_end = len(text) if comma < 0 else comma
    at = begins
    while match := _FLAG.match(text, at, flags_end):
        at = match.end()
    if text[at:flags_end].strip():
        unknown = printable(text[at:flags_end])
        notes.warn(at, f"{unknown} is not a flag; it and the rest of the flags are ignored")
    record = Record(board)
    if comma >= 0:
        _Line(record, text, NOTATIONS["hex"], notes, tree=False).read(comma + 1)
    return record


def read_hexata(text: str, notation: Notation | None, notes: Notes) -> Record:
    """Read a Hexata or hex-study link, or the part of it after ``#``.

    The game is Y if the notation is one of Y, or if the page is y.html.  The first token that isn't
    a move ends the moves.  Raise RecordError if there is no size.
    """
    if notation is None:
        page, mark, _ = text.partition("#")
        game = "y" if mark and page.rstrip().endswith("y.html") else "hex"
        notation = NOTATIONS[_HEXATA_NOTATIONS[game]]
        if has_several(game):
            notes.decide(f"cells are read in the notation {notation.name} ({notation.purpose})")
    begins, board = _head(text, notation.game)
    comma = text.find(",", begins)
    record = Record(board)
    if comma >= 0:
        _Line(record, text, notation, notes, tree=True).read(comma + 1)
    return record


def _head(text: str, game: str) -> tuple[int, Board]:
    """Return where the size ends, and the board."""
    head = _HEAD.match(text, text.find("#") + 1)
    if head is None:
        raise RecordError("this link needs a size (such as #11, or #9x13)")
    width = int(head[1])
    height = int(head[2]) if head[2] else width
    try:
        return head.end(), make_board(game, width, height)
    except ValueError as error:
        raise RecordError(f"this link has an impossible size: {error}") from None


class _Line:
    """Reads the moves of a link one by one."""

    def __init__(
        self, record: Record, text: str, notation: Notation, notes: Notes, *, tree: bool
    ) -> None:
        self._record = record
        self._text = text
        self._notation = notation
        self._notes = notes
        self._tree = tree
        self._node = record.root
        self._open: list[Node] = []  # for each open parenthesis, the move it is an alternative to
        self._offsets: dict[Node, int] = {}

    def read(self, at: int) -> None:
        """Read the moves from an offset on, then drop illegal ones."""
        text = self._text
        end = len(text.rstrip())
        while at < end:
            token = _TOKEN.match(text, at)
            if token is None or not self._take(token):
                self._notes.lose(
                    at, f"{printable(text[at:end])} is not a move; the moves end before it"
                )
                break
            at = token.end()
        else:
            if self._open:
                self._notes.warn(end, f"{len(self._open)} closing parentheses are missing")
        drop_illegal_moves(self._record, self._offsets, self._notes)

    def _take(self, token: re.Match[str]) -> bool:
        """Process one token; return whether it made sense."""
        if self._tree and token[1] and _WORDS[token[1][0]] not in HEXATA.actions:
            self._notes.warn(token.start(), f"{token[0]} means nothing in this format")
            return True
        if token[1] or token[2]:
            turn = self._turn(token[1], token[2])
            if turn is not None:
                self._node = self._node.add(turn)
                self._offsets[self._node] = token.start()
            return turn is not None
        if token[0] == ",":
            first = self._record.cursor is None
            self._record.cursor = self._record.cursor or self._node
            return first
        return self._tree and self._branch(token[0])

    def _branch(self, parenthesis: str) -> bool:
        if parenthesis == "(":
            if self._node.parent is None:
                return False
            self._open.append(self._node)
            self._node = self._node.parent
        else:
            if not self._open:
                return False
            self._node = self._open.pop()
        return True

    def _turn(self, word: str | None, cell: str | None) -> Turn | None:
        colour = self._node.turn.next_to_play if self._node.turn else BLACK
        if word is None:
            assert cell is not None
            try:
                number = self._notation.cell(self._record.board, cell)
            except ValueError:
                return None
            return Turn(colour, Action.PLAY, number)
        action = _WORDS[word[0]]
        if len(word) == 2:
            colour = BLACK if word[1] == "b" else WHITE
        elif action is not Action.PASS and not self._second_move():
            return None
        return Turn(colour, action)

    def _second_move(self) -> bool:
        """Return whether exactly one stone has been played."""
        first = self._node
        return (
            first.parent is self._record.root
            and first.turn is not None
            and first.turn.action is Action.PLAY
        )


def write_hexworld(record: Record, notes: Notes) -> str:
    """Return a record as a HexWorld link.  Raise RecordError if it doesn't fit."""
    record = fit(record, HEXWORLD, notes)
    return f"{_HEXWORLD_URL}{size_name(record.board)},{_moves(record, NOTATIONS['hex'])}\n"


def write_hexata(record: Record, notation: Notation | None, notes: Notes) -> str:
    """Return a record as the part of a Hexata link after ``#``; for Y, from the page y.html on.

    Raise RecordError if it doesn't fit.
    """
    record = fit(record, HEXATA, notes)
    _merge_twins(record, notes)
    game = record.board.game
    if notation is None:
        notation = NOTATIONS[_HEXATA_NOTATIONS[game]]
    return f"{_HEXATA_PAGES[game]}{size_name(record.board)},{_moves(record, notation)}\n"


def _merge_twins(record: Record, notes: Notes) -> None:
    """Merge variations that begin with the same move."""
    for parent in record.root.walk():
        first: dict[Turn | None, Node] = {}
        for child in parent.children:
            twin = first.setdefault(child.turn, child)
            if twin is child:
                continue
            notes.decide("variations that begin with the same move are merged")
            twin.children += child.children
            for grandchild in child.children:
                grandchild.parent = twin
            if record.cursor is child:
                record.cursor = twin
        parent.children = list(first.values())


def _moves(record: Record, notation: Notation) -> str:
    """Return the moves of a tree: each move, its alternatives in parentheses, its continuation."""
    cursor = None if record.cursor is record.root.end() else record.cursor
    words = [","] if cursor is record.root else []
    todo: list[tuple[Node, list[Node]] | str] = []

    def follow(node: Node) -> None:
        if node.children:
            todo.append((node.children[0], node.children[1:]))

    follow(record.root)
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            words.append(item)
            continue
        node, others = item
        assert node.turn is not None
        words.append(_word(node.turn, record.board, notation))
        if node is cursor:
            words.append(",")
        follow(node)
        for other in reversed(others):
            todo += (")", (other, []), "(")
    return "".join(words)


def _word(turn: Turn, board: Board, notation: Notation) -> str:
    if turn.cell is not None:
        return notation.word(board, turn.cell)
    letter = _LETTERS[turn.action]
    return f":{letter}{str(turn.colour)[0]}" if letter in "rf" else f":{letter}"
