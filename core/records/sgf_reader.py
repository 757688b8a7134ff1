"""Read SGF: from its properties to a record."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trivalent.core.board import BLACK, MAX_SIZE, WHITE, Colour
from trivalent.core.games import DEFAULT_GAME, GAMES, hex_board, make_board
from trivalent.core.records import sgf
from trivalent.core.records.fitting import POINT_PROPERTIES
from trivalent.core.records.notation import NOTATIONS, has_several
from trivalent.core.records.notes import Notes, cut
from trivalent.core.records.record import (
    INFO,
    Action,
    Clock,
    Node,
    Record,
    RecordError,
    Turn,
    illegal_moves,
)
from trivalent.core.records.sgf import Escapes
from trivalent.core.records.sgf_dialects import (
    BENZENE,
    HEXGUI,
    HEXGUI_OLD,
    LITTLE_GOLEM,
    LIZZIE,
    MORAT,
    OWN,
    PLAYHEX,
    Dialect,
)
from trivalent.core.text import printable

if TYPE_CHECKING:
    from collections.abc import Callable

    from trivalent.core.board import Board
    from trivalent.core.records.notation import Notation
    from trivalent.core.records.notes import Part
    from trivalent.core.records.sgf import Property, SgfNode

_LETTERS = re.compile(r"[A-Za-z]{2}")
_DIGITS = re.compile(r"[0-9]{1,2}")
_NUMBER = re.compile(r"-?[0-9]{1,9}(?:\.[0-9]{1,9})?")
_NOT_KEPT = ("FF", "GM", "SZ", "CA", "AP")  # every writer has its own
_FACTS = {code: word for word, code in INFO.items()}
_ENDINGS = {"R": "Resign", "T": "Time", "F": "Forfeit", "0": ""}
_MORAT_CODES = {code.lower(): game for game, code in MORAT.game_code.items()}
_OWN_CODES = {code.lower(): game for game, code in OWN.game_code.items() if code != "11"}


def read_games(text: str, notes: Notes, dialect: Dialect | None = None) -> list[SgfNode]:
    """Return the roots of the games in a text.  Raise RecordError if there is none."""
    if dialect is None:  # detecting it needs the parsed properties, so look for HexGui by hand
        escapes = Escapes.COMMENTS if "AP[HexGui:" in text else Escapes.ALL
    else:
        escapes = dialect.escapes
    games = sgf.parse(text, notes, escapes=escapes)
    if not games:
        raise RecordError("this SGF has no games")
    return games


def split_games(text: str, dialect: Dialect) -> list[Part]:
    """Return the games of a text.  Raise RecordError if there is none."""
    begins = [0]
    for root in read_games(text, Notes(), dialect)[1:]:
        parenthesis = text.rfind("(", begins[-1], root.offset)
        has_one = parenthesis >= 0 and not text[parenthesis + 1 : root.offset].strip()
        begins.append(parenthesis if has_one else root.offset)
    return cut(text, begins)


_PROGRAMS = (
    (HEXGUI_OLD, re.compile(r"HexGui:0\.[0-9](?!\d)")),
    (HEXGUI, re.compile(r"HexGui:")),
    (BENZENE, re.compile(r"Hex-benzene")),
    (PLAYHEX, re.compile(r"PlayHex")),
)


def detect_dialect(root: SgfNode) -> tuple[Dialect, str]:
    """Return the dialect of a game, and the reason."""
    program, code = root.value("AP"), (root.value("GM") or "").strip()
    for dialect, pattern in _PROGRAMS:
        if pattern.match(program or ""):
            return dialect, f"it was written by {printable(program or '')}"
    if code.lower() in _MORAT_CODES:
        return MORAT, f"GM[{code}] is what morat writes"
    if code == "1":
        return LIZZIE, "GM[1] is Go, and Go files only hold Hex on a sheared grid"
    why = _like_little_golem(root)
    if why and not code and program is None:
        return LITTLE_GOLEM, f"there is no GM, and {why}"
    return OWN, "it names no program with a dialect of its own"


def _like_little_golem(root: SgfNode) -> str:
    if (root.value("EV") or "").startswith("hex."):
        return "EV begins with hex."
    if "littlegolem" in (root.value("SO") or "").lower():
        return "SO names Little Golem"
    first = _first_move(root)
    if first is not None and first.name == "W" and _LETTERS.fullmatch(first.values[0].strip()):
        return "W begins, on a cell of two letters"
    return ""


def _first_move(root: SgfNode) -> Property | None:
    for node in (root, *root.children[:1]):
        for one in node.properties:
            if one.name in ("B", "W") and one.values:
                return one
    return None


def read_record(
    root: SgfNode,
    dialect: Dialect,
    notation: Notation | None,
    board: Board | None,
    notes: Notes,
    *,
    swap: Action | None = None,
) -> Record:
    """Return the record of a game.

    ``notation``, ``board`` and ``swap``, the meaning of the bare word, come from the user, for
    files that lack them.  Raise RecordError for another game or an impossible board size.
    """
    game = _game(root, dialect, notation, board)
    size = _size(root, dialect, game, board, notes)
    if notation is None:
        notation = NOTATIONS[dialect.notation.get(game, game)]
    reader = _Reader(root, dialect.of(game), notation, size, notes)
    reader.read()
    record = reader.record
    _explain(reader, dialect.of(game), notation, notes)
    if not (root.value("AP") or "").startswith(_SURE_OF_SWAPS.get(dialect.name, "")):
        _settle_swaps(record, reader, swap, notes)
    for node, reason in illegal_moves(record):
        notes.warn(reader.offsets[node], f"{reason}; the move is kept")
    return record


def _game(root: SgfNode, dialect: Dialect, notation: Notation | None, board: Board | None) -> str:
    code = (root.value("GM") or "").strip()
    if code not in ("", "1", "11") and code.lower() not in {*_MORAT_CODES, *_OWN_CODES}:
        raise RecordError(f"GM[{printable(code, quotes=False)}] is neither Hex nor Y")
    if notation is not None:
        return notation.game
    if board is not None:
        return board.game
    if dialect is MORAT and code.lower() in _MORAT_CODES:
        return _MORAT_CODES[code.lower()]
    if code.lower() in _OWN_CODES:
        return _OWN_CODES[code.lower()]
    rules = (root.value("RU") or "").strip().lower()
    return rules if rules in GAMES else DEFAULT_GAME


def _size(root: SgfNode, dialect: Dialect, game: str, board: Board | None, notes: Notes) -> Board:
    value = root.value("SZ")
    if value is None:
        if board is not None:
            return board
        size = GAMES[game].default_size
        notes.decide(f"the board has size {size}: the file has no SZ")
        return make_board(game, size)
    sides = value.strip().split(":")
    if not 1 <= len(sides) <= 2 or not all(_DIGITS.fullmatch(side.strip()) for side in sides):
        raise RecordError(
            f"SZ[{printable(value, quotes=False)}] is not a size (such as 11, or 9:13)"
        )
    numbers = [int(side) for side in sides]
    if dialect.sheared:
        if board is not None:
            return board
        fits = max(1, min(MAX_SIZE, (numbers[0] + 1) // 3))
        notes.decide(f"the board has size {fits}, the largest that fits the grid of {numbers[0]}")
        return hex_board(fits)
    try:
        return make_board(game, *numbers)
    except ValueError as error:
        raise RecordError(f"SZ[{value.strip()}]: {error}") from None


class _Reader:
    """Reads the nodes of a game in one pass."""

    def __init__(
        self, root: SgfNode, dialect: Dialect, notation: Notation, board: Board, notes: Notes
    ) -> None:
        self.record = Record(board)
        self.offsets: dict[Node, int] = {self.record.root: root.offset}
        """Where each node begins in the text."""
        self.words: dict[Node, str] = {}
        """The word of each turn that isn't a stone, in lower case."""
        self._root = root
        self._dialect = dialect
        self._notation = notation
        self._board = board
        self._notes = notes
        self._handlers: dict[str, Callable[[Node, Property], Node]] = {
            "B": self._turn,
            "W": self._turn,
            "AB": self._setup,
            "AW": self._setup,
            "AE": self._setup,
            "PL": self._to_play,
            "C": self._comment,
            **dict.fromkeys(("BL", "WL", "OB", "OW"), self._clock),
            **dict.fromkeys(_NOT_KEPT, self._misplaced),
        }
        self._root_handlers: dict[str, Callable[[Node, Property], Node]] = {
            "PB": self._player,
            "PW": self._player,
            "RE": self._result,
            **dict.fromkeys(_FACTS, self._fact),
            **dict.fromkeys(_NOT_KEPT, self._nothing),
        }
        if notation.game != DEFAULT_GAME:  # RU names the game then
            self._root_handlers["RU"] = self._nothing

    def read(self) -> None:
        """Fill the record."""
        todo: list[tuple[SgfNode, Node]] = [(self._root, self.record.root)]
        while todo:
            source, node = todo.pop()
            for one in source.properties:
                handler = self._handlers.get(one.name, self._keep)
                if source is self._root:
                    handler = self._root_handlers.get(one.name, handler)
                node = handler(node, one)
            children = [(child, node.add()) for child in source.children]
            for child, new in children:
                self.offsets[new] = child.offset
            todo += reversed(children)

    def _colour(self, label: str) -> Colour:
        return BLACK if (label == "B") is not self._dialect.flipped else WHITE

    def _cell(self, word: str) -> int:
        """Return the cell that a word names.  Raise ValueError if there is none."""
        word = word.strip()
        letters = self._dialect.letters
        if not _LETTERS.fullmatch(word):
            return self._notation.cell(self._board, word)
        if letters:
            x, y = letters.find(word[0]), letters.find(word[1])
            if x < 0 or y < 0:
                x, y = letters.find(word[0].lower()), letters.find(word[1].lower())
        else:
            x, y = ord(word[0].lower()) - ord("a"), ord(word[1].lower()) - ord("a")
        if self._dialect.sheared:
            # From 1: column' = 2 column + row - 1, row' = 2 row.
            row, odd_row = divmod(y + 1, 2)
            column, odd_column = divmod(x + 2 - row, 2)
            if odd_row or odd_column:
                raise ValueError(f"{word!a} is between the cells of the sheared grid")
            x, y = column - 1, row - 1
        return self._notation.cell_at(self._board, x, y, word)

    def _turn(self, node: Node, one: Property) -> Node:
        colour = self._colour(one.name)
        for value, offset in zip(one.values, one.offsets, strict=True):
            turn = self._read_turn(colour, value, offset)
            if turn is None:
                continue
            if node.turn is not None:
                self._notes.warn(offset, "a node has a second move; it is read as the next node")
                node = node.add()
                self.offsets[node] = offset
            node.turn = turn
            if turn.cell is None:
                self.words[node] = value.strip().lower()
        return node

    def _read_turn(self, colour: Colour, value: str, offset: int) -> Turn | None:
        action = self._dialect.action(value)
        if action is not None:
            return Turn(colour, action)
        if not value.strip():
            self._notes.warn(offset, "an empty move is read as a pass")
            return Turn(colour, Action.PASS)
        try:
            return Turn(colour, Action.PLAY, self._cell(value))
        except ValueError as error:
            self._notes.lose(offset, f"{error}; the move is dropped")
            return None

    def _setup(self, node: Node, one: Property) -> Node:
        colour = None if one.name == "AE" else self._colour(one.name[1])
        for value, offset in zip(one.values, one.offsets, strict=True):
            try:
                cells = self._cells(value)
            except ValueError as error:
                self._notes.lose(offset, f"{error}; the setup is dropped")
                continue
            for cell in cells:
                if cell in node.setup and node.setup[cell] is not colour:
                    name = self._board.names[cell]
                    self._notes.warn(offset, f"{name} is set up twice; the later one holds")
                    del node.setup[cell]
                node.setup[cell] = colour
        return node

    def _cells(self, value: str) -> list[int]:
        """Return the cell that a value names, or the cells of the rectangle that it names."""
        first, colon, last = value.partition(":")
        if not colon:
            return [self._cell(value)]
        (left, top), (right, bottom) = (
            self._board.coordinates[self._cell(corner)] for corner in (first, last)
        )
        left, right = sorted((left, right))
        top, bottom = sorted((top, bottom))
        return [
            cell
            for cell, (x, y) in enumerate(self._board.coordinates)
            if left <= x <= right and top <= y <= bottom
        ]

    def _to_play(self, node: Node, one: Property) -> Node:
        letter = one.values[0].strip()[:1].upper() if one.values else ""
        letter = {"1": "B", "2": "W"}.get(letter, letter)
        if letter in ("B", "W"):
            node.to_play = self._colour(letter)
        else:
            self._notes.warn(one.offset, "PL is neither B nor W and is ignored")
        return node

    def _text(self, value: str, *, lines: bool = False) -> str:
        if self._dialect.escapes is Escapes.NONE:
            value = sgf.escape(value)
        return sgf.unescape(value, lines=lines)

    def _comment(self, node: Node, one: Property) -> Node:
        comments = [self._text(value, lines=True) for value in one.values]
        node.comment = "\n".join(filter(None, (node.comment, *comments)))
        return node

    def _clock(self, node: Node, one: Property) -> Node:
        value = one.values[0].strip() if one.values else ""
        if not _NUMBER.fullmatch(value) or len(one.values) > 1:
            return self._keep(node, one)
        seconds = one.name in ("BL", "WL")
        if not seconds and not value.isdigit():
            return self._keep(node, one)
        colour = self._colour(one.name[0 if seconds else 1])
        clock = node.clocks.get(colour, Clock())
        node.clocks[colour] = (
            clock._replace(seconds=float(value)) if seconds else clock._replace(stones=int(value))
        )
        return node

    def _nothing(self, node: Node, _one: Property) -> Node:
        return node

    def _misplaced(self, node: Node, one: Property) -> Node:
        self._notes.warn(one.offset, f"{one.name} belongs in the first node and is ignored")
        return node

    def _once(self, known: bool, one: Property) -> str:  # noqa: FBT001
        """Return the text of a property that should occur only once; warn if it's repeated."""
        if known or len(one.values) > 1:
            self._notes.warn(one.offset, f"{one.name} is given twice; the first one holds")
        return "" if known or not one.values else self._text(one.values[0])

    def _player(self, node: Node, one: Property) -> Node:
        colour = BLACK if one.name == "PB" else WHITE  # even if the labels of moves are flipped
        name = self._once(colour in self.record.players, one)
        if name:
            self.record.players[colour] = name
        return node

    def _result(self, node: Node, one: Property) -> Node:
        text = self._once(bool(self.record.result), one).strip()
        if text:
            winner, _, reason = text.partition("+")
            if winner in ("B", "W"):
                text = f"{winner}+{_ENDINGS.get(reason, reason)}"
            self.record.result = text
        return node

    def _fact(self, node: Node, one: Property) -> Node:
        word = _FACTS[one.name]
        text = self._once(word in self.record.info, one)
        if text:
            self.record.info[word] = text
        return node

    def _keep(self, node: Node, one: Property) -> Node:
        values = one.values
        if self._dialect.escapes is Escapes.NONE:
            values = [sgf.escape(value) for value in values]
        if one.name in POINT_PROPERTIES:
            values = [self._marked(one.name, value) for value in values]
        node.properties.setdefault(one.name, []).extend(values)
        return node

    def _marked(self, name: str, value: str) -> str:
        """Return a value of markup with our names of its cells."""
        first, colon, rest = value.partition(":")
        try:
            first = self._board.names[self._cell(first)]
            if colon and name != "LB":
                rest = self._board.names[self._cell(rest)]
        except ValueError:
            return value
        return first + colon + rest


def _explain(reader: _Reader, dialect: Dialect, notation: Notation, notes: Notes) -> None:
    """Note where the file means something different from what our own files mean."""
    if dialect.flipped:
        notes.decide("the player with the label W begins and is our Black")
    if has_several(notation.game):
        notes.decide(f"cells are read in the notation {notation.name} ({notation.purpose})")
    for node, word in reader.words.items():
        if node.turn is not None and dialect.swaps.get(word) is not None and dialect is not OWN:
            notes.decide(f"{word} is read as {node.turn.action.value}: {dialect.title}")


_SURE_OF_SWAPS = {OWN.name: "Trivalent:", HEXGUI.name: "HexGui:0."}
"""How the program (AP) is called in files of a dialect whose swaps mean what the dialect says.

The HexGui that people called 1.0 before there was 0.10 left the stone where it was.
"""


def _settle_swaps(record: Record, reader: _Reader, swap: Action | None, notes: Notes) -> None:
    """Decide what the swaps mean in a file of unknown origin, unless the user said it.

    The colours of the moves tell: after swap-sides the same colour moves again.
    """
    for node, word in reader.words.items():
        turn = node.turn
        if turn is None or turn.action not in (Action.SWAP_PIECES, Action.SWAP_SIDES):
            continue
        following = node.children[0].turn if node.children else None
        again = following is not None and following.colour is turn.colour
        action: Action = turn.action
        if word == "swap" and swap is not None:
            action = swap
        elif word == "swap":
            action = Action.SWAP_PIECES if following and not again else Action.SWAP_SIDES
            seen = "moves again" if again else "does not move again"
            notes.decide(f"swap is read as {action.value}: {turn.colour} {seen} after it")
        elif action is Action.SWAP_PIECES and (again or record.board.swap_map is None):
            action = Action.SWAP_SIDES
            why = f"{turn.colour} moves again" if again else "the board is not square"
            notes.decide(f"swap-pieces is read as swap-sides: {why} after it")
        node.turn = turn._replace(action=action)
