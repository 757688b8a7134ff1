"""Write SGF: from a record to its properties."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trivalent.core.board import BLACK, WHITE
from trivalent.core.games import DEFAULT_GAME, GAMES
from trivalent.core.records import sgf
from trivalent.core.records.fitting import POINT_PROPERTIES, fit
from trivalent.core.records.notation import NOTATIONS, size_name
from trivalent.core.records.record import INFO, RecordError
from trivalent.core.records.sgf import Escapes, SgfNode
from trivalent.core.records.sgf_dialects import LITTLE_GOLEM, Dialect

if TYPE_CHECKING:
    from trivalent.core.board import Colour
    from trivalent.core.records.notation import Notation
    from trivalent.core.records.notes import Notes
    from trivalent.core.records.record import Node, Record


def write_sgf(record: Record, dialect: Dialect, notation: Notation | None, notes: Notes) -> str:
    """Return a record as SGF in a dialect.  Raise RecordError if the dialect can't hold it."""
    dialect = dialect.of(record.board.game)
    record = fit(record, dialect.holds, notes)
    if notation is None:
        game = record.board.game
        notation = NOTATIONS[dialect.notation.get(game, game)]
    root = _Writer(record, dialect, notation, notes).root()
    text = sgf.serialize(root)
    if not text.isascii():  # the default of FF[4] is Latin-1
        root.properties.insert(1, sgf.Property("CA", ["UTF-8"]))
        text = sgf.serialize(root)
    return text


class _Writer:
    def __init__(self, record: Record, dialect: Dialect, notation: Notation, notes: Notes) -> None:
        self._record = record
        self._board = record.board
        self._dialect = dialect
        self._notation = notation
        self._notes = notes

    def root(self) -> SgfNode:
        """Return the whole tree."""
        root = SgfNode()
        self._head(root)
        todo = [(self._record.root, root)]
        while todo:
            node, target = todo.pop()
            self._node(node, target)
            for child in node.children:
                twin = SgfNode()
                target.children.append(twin)
                todo.append((child, twin))
        return root

    def _head(self, root: SgfNode) -> None:
        board = self._board
        root.add("FF", "4")
        if self._dialect.application is not None:
            root.add("AP", self._dialect.application)
        code = self._dialect.game_code.get(board.game)
        if code is not None:
            root.add("GM", code)
        sheared = self._dialect.sheared
        root.add("SZ", str(3 * board.width - 1) if sheared else size_name(board, ":"))
        if board.game != DEFAULT_GAME and code == "11":
            root.add("RU", GAMES[board.game].title)
        self._facts(root)

    def _facts(self, root: SgfNode) -> None:
        record = self._record
        for word, name in INFO.items():
            if word in record.info:
                root.add(name, self._text(record.info[word]))
            elif name == "EV" and self._dialect is LITTLE_GOLEM:
                root.add(name, "hex.unknown")  # readers recognise Little Golem's files by it
        for name, colour in (("PB", BLACK), ("PW", WHITE)):
            if record.players.get(colour):
                root.add(name, self._text(record.players[colour]))
        if record.result:
            bare = self._dialect is LITTLE_GOLEM and record.winner is not None
            root.add("RE", record.result[0] if bare else self._text(record.result))

    def _text(self, text: str, *, comment: bool = False) -> str:
        """Return a text as a value, with its white space as SGF allows it."""
        text = sgf.unescape(sgf.escape(text), lines=comment)
        escapes = self._dialect.escapes
        sure = escapes is Escapes.ALL or (comment and escapes is Escapes.COMMENTS)
        safe = sure or not sgf.ends_early(text)
        if escapes is not Escapes.NONE and safe:
            return sgf.escape(text)
        if "[" in text or "]" in text:
            self._notes.decide("brackets become parentheses: this format cannot escape them")
        text = text.replace("[", "(").replace("]", ")")
        return text if escapes is Escapes.NONE else sgf.escape(text)

    def _label(self, colour: Colour) -> str:
        return "B" if (colour is BLACK) is not self._dialect.flipped else "W"

    def _cell(self, cell: int) -> str:
        letters = self._dialect.letters
        if not letters:
            return self._notation.word(self._board, cell)
        x, y = self._notation.place(self._board, cell)
        if self._dialect.sheared:
            x, y = 2 * (x + 1) + y - 1, 2 * (y + 1) - 1
        return letters[x] + letters[y]

    def _node(self, node: Node, target: SgfNode) -> None:
        if node.turn is not None:
            cell = node.turn.cell
            word = self._dialect.word(node.turn.action) if cell is None else self._cell(cell)
            target.add(self._label(node.turn.colour), word)
        for name, colour in (("AB", BLACK), ("AW", WHITE), ("AE", None)):
            cells = [cell for cell, stone in node.setup.items() if stone is colour]
            if cells:
                self._check_setup(cells)
                target.add(
                    name if colour is None else "A" + self._label(colour), *map(self._cell, cells)
                )
        if node.to_play is not None:
            target.add("PL", self._label(node.to_play))
        for colour, clock in node.clocks.items():
            label = self._label(colour)
            if clock.seconds is not None:
                target.add(f"{label}L", f"{clock.seconds:.9f}".rstrip("0").rstrip("."))
            if clock.stones is not None:
                target.add(f"O{label}", str(clock.stones))
        if node.comment:
            target.add("C", self._text(node.comment, comment=True))
        for name, values in node.properties.items():
            marked = name in POINT_PROPERTIES
            target.add(name, *(self._value(name, v) if marked else self._raw(v) for v in values))

    def _check_setup(self, cells: list[int]) -> None:
        if self._dialect.plain_setup and any(self._board.coordinates[c][0] >= 26 for c in cells):
            raise RecordError("HexGui cannot read setup beyond column z")

    def _raw(self, value: str) -> str:
        if self._dialect.escapes is Escapes.ALL:
            return value
        return self._text(sgf.unescape(value, lines=True))

    def _value(self, name: str, value: str) -> str:
        """Return a value of markup with the dialect's names of its cells."""
        first, colon, rest = value.partition(":")
        try:
            first = self._cell(self._board.cell(first))
            if colon and name != "LB":
                rest = self._cell(self._board.cell(rest))
        except ValueError:
            return self._raw(value)
        return self._raw(first + colon + rest)
