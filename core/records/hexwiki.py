"""The board diagrams of HexWiki: ``<hexboard size="5x5" contents="R c3 B b2" />``, and old ones.

R is red, our Black; B is blue, our White.  Stones with the numbers 1, 2, ... are moves.  The old
diagrams, ``<hex>R5 C5 Vc3 Hb2</hex>``, are only read.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trivalent.core.board import BLACK, WHITE, Colour, column_name
from trivalent.core.games import hex_board
from trivalent.core.records.fitting import Holds, fit
from trivalent.core.records.notation import NOTATIONS
from trivalent.core.records.notes import cut
from trivalent.core.records.record import Action, Record, RecordError, Turn
from trivalent.core.text import printable

if TYPE_CHECKING:
    from trivalent.core.board import Board
    from trivalent.core.records.notes import Notes, Part
    from trivalent.core.records.record import Node

HOLDS = Holds(
    size=26,
    variations=False,
    to_play=False,
    text=False,
    result=False,
    players=False,
    cursor=True,
    illegal_moves=True,
)

_DIAGRAM = re.compile(r"<hexboard\b[^<>]*|<hex>(?P<old>[^<]*)")
_ATTRIBUTE = re.compile(r"\b(size|contents)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_SIZE = re.compile(r"\s*([1-9][0-9]?)(?:\s*x\s*([1-9][0-9]?))?\s*")
_TOKEN = re.compile(r"(?:[^\s():]+(?:\([0-9]*\))?:)?(?:area\([^()]*\)|[^\s]+)")
_COLOURS = {"R": BLACK, "B": WHITE}
_MAX_AREAS = 1000  # reading an area looks at every cell
_MODES = ("R", "B", "E", "S")
_LETTERS = {colour: letter for letter, colour in _COLOURS.items()}
_OLD_WORD = re.compile(
    r"(?P<setting>[RCQ])(?P<number>[0-9]{1,4})"
    r"|(?P<sign>[BRHVSP*+])(?P<label>[0-9]?)(?P<cell>[a-z]{1,2}[0-9]{1,2})"
    r"|M?(?P<move>[a-z]{1,2}[0-9]{1,2})"
    r"|(?P<row>[0-9]{1,2}):(?P<signs>\S+)"
    r"|(?P<mode>[a-z]+)"
)
_OLD_COLOURS = {"R": BLACK, "V": BLACK, "B": WHITE, "H": WHITE}  # V and H: where it connects
_OLD_MODES = {"play": None, "red": BLACK, "blue": WHITE}


def split_page(text: str) -> list[Part]:
    """Return the diagrams of a page."""
    return cut(text, [match.start() for match in _DIAGRAM.finditer(text)])


def read_diagram(text: str, notes: Notes) -> Record:
    """Read a diagram, old or new; the tags may be missing from a new one.

    Raise RecordError if it has no size.
    """
    diagram = _DIAGRAM.search(text)
    if diagram is None:
        return _read_hexboard(text, 0, notes)
    if diagram["old"] is None:
        return _read_hexboard(diagram[0], diagram.start(), notes)
    return _read_old(diagram["old"], diagram.start("old"), notes)


def _read_hexboard(text: str, offset: int, notes: Notes) -> Record:
    attributes = {match[1]: match for match in _ATTRIBUTE.finditer(text)}
    size = attributes.get("size")
    sides = _SIZE.fullmatch(size[2] if size[2] is not None else size[3]) if size else None
    if sides is None:
        raise RecordError('this diagram needs a size (such as size="11x11")')
    try:
        board = hex_board(int(sides[1]), int(sides[2] or sides[1]))
    except ValueError as error:
        raise RecordError(f"this diagram has an impossible size: {error}") from None
    contents = attributes.get("contents")
    if contents is None:
        notes.decide("the diagram has no contents; the board is empty")
        return Record(board)
    group = 2 if contents[2] is not None else 3
    diagram = _Diagram(board, notes)
    diagram.read(contents[group], offset + contents.start(group))
    return diagram.record()


class _Diagram:
    """Reads the contents of a diagram token by token."""

    def __init__(self, board: Board, notes: Notes) -> None:
        self._board = board
        self._notes = notes
        self._stones: dict[int, Colour] = {}
        self._numbers: dict[int, int] = {}
        self._areas = 0

    def read(self, contents: str, offset: int) -> None:
        mode = ""
        for match in _TOKEN.finditer(contents):
            token = match[0]
            if token in _MODES:
                mode = token
                continue
            label, _, where = token.rpartition(":")
            try:
                cells = self._cells(where)
            except ValueError as error:
                self._notes.lose(offset + match.start(), f"{error}; it is ignored")
                continue
            if mode in _COLOURS:
                for cell in cells:
                    self.put(cell, _COLOURS[mode], label)
            elif mode == "E":
                for cell in cells:
                    self._stones.pop(cell, None)
                    self._numbers.pop(cell, None)
            elif not mode:
                where = printable(token)
                self._notes.lose(offset + match.start(), f"{where} comes before R, B, E and S")

    def holds(self, cell: int, colour: Colour) -> bool:
        """Return whether a stone of a colour is on a cell."""
        return self._stones.get(cell) is colour

    def put(self, cell: int, colour: Colour, label: str) -> None:
        """Put a stone on a cell, with a label, which may be a number."""
        self._stones.pop(cell, None)  # the latest comes last
        self._stones[cell] = colour
        self._numbers.pop(cell, None)
        if label.isascii() and label.isdigit() and len(label) <= 4:
            self._numbers[cell] = int(label)

    def _cells(self, where: str) -> list[int]:
        """Return the cells that a token names.  Raise ValueError if it names none."""
        if where.startswith("area("):
            self._areas += 1
            if self._areas > _MAX_AREAS or len(where) > _MAX_AREAS:
                raise ValueError("this area is one too many, or too long")
            return self._area([self._cell(name.strip()) for name in where[5:-1].split(",")])
        first, dashes, last = where.partition("--")
        if not dashes:
            return [self._cell(first)]
        return self._line(self._cell(first), self._cell(last), where)

    def _cell(self, name: str) -> int:
        return NOTATIONS["hex"].cell(self._board, name)

    def _line(self, first: int, last: int, where: str) -> list[int]:
        (x, y), (x2, y2) = (self._board.coordinates[cell] for cell in (first, last))
        dx, dy = x2 - x, y2 - y
        steps = max(abs(dx), abs(dy))
        if not (dx == 0 or dy == 0 or dx == -dy):
            raise ValueError(f"{printable(where)} is not along a row of neighbours")
        if not steps:
            return [first]
        places = [(x + dx // steps * i, y + dy // steps * i) for i in range(steps + 1)]
        return [y * self._board.width + x for x, y in places]

    def _area(self, corners: list[int]) -> list[int]:
        """Return the cells in the polygon with these corners, including those on its outline."""
        places = [self._board.coordinates[cell] for cell in corners]
        edges = list(zip(places, [*places[1:], places[0]], strict=True))
        return [cell for cell, (x, y) in enumerate(self._board.coordinates) if _within(x, y, edges)]

    def record(self) -> Record:
        """Return the record; numbered stones become moves if the numbers run from 1."""
        record = Record(self._board)
        moves = sorted(self._numbers, key=self._numbers.__getitem__)
        if [self._numbers[cell] for cell in moves] != list(range(1, len(moves) + 1)):
            self._notes.decide("the numbers on stones are not moves: they do not run from 1")
            moves = []
        elif moves:
            self._notes.decide("the stones with numbers are read as moves")
        node = record.root
        record.root.setup = {c: s for c, s in self._stones.items() if c not in set(moves)}
        for cell in moves:
            node = node.add(Turn(self._stones[cell], Action.PLAY, cell))
        return record


def _read_old(text: str, offset: int, notes: Notes) -> Record:
    """Read an old diagram, whose words are read one by one.

    ``R5 C7`` is the size, ``Rb2`` or ``Vb2`` a stone, ``R3b2`` one with a number, ``2:BRS`` the
    second row, ``Mb2`` the next move, and ``play b2 c3`` two moves; other words only draw.
    """
    words = [(match, _OLD_WORD.fullmatch(match[0])) for match in re.finditer(r"\S+", text)]
    sizes = {word["setting"]: int(word["number"]) for _, word in words if word and word["setting"]}
    try:
        board = hex_board(sizes["C"], sizes["R"])
    except KeyError:
        raise RecordError("this diagram needs a size (such as R11 C11)") from None
    except ValueError as error:
        raise RecordError(f"this diagram has an impossible size: {error}") from None
    reader = _OldDiagram(board, notes)
    for match, word in words:
        at = offset + match.start()
        if word is None:
            notes.lose(at, f"{printable(match[0])} means nothing here; it is ignored")
            continue
        if len(word["signs"] or "") > board.width:
            notes.warn(at, f"row {word['row']} is longer than the board; its end is not drawn")
        try:
            reader.take(word)
        except ValueError as error:
            notes.lose(at, f"{error}; it is ignored")
    return reader.diagram.record()


class _OldDiagram:
    """Reads the words of an old diagram."""

    def __init__(self, board: Board, notes: Notes) -> None:
        self.diagram = _Diagram(board, notes)
        self._board = board
        self._moves = 0
        self._colour: Colour | None = None  # of cells without a sign; None: they are moves

    def take(self, word: re.Match[str]) -> None:
        """Process a word.  Raise ValueError if it names no cell of the board."""
        if word["cell"] and word["sign"] in _OLD_COLOURS:
            label = "10" if word["label"] == "0" else word["label"]
            self._put(word["cell"], _OLD_COLOURS[word["sign"]], label)
        elif word["move"]:
            self._take_cell(word["move"], None if word[0][0] == "M" else self._colour)
        elif word["row"]:
            for x, sign in enumerate(word["signs"][: self._board.width]):
                if sign in _OLD_COLOURS:
                    self._put(f"{column_name(x)}{word['row']}", _OLD_COLOURS[sign], "")
        elif word["mode"] in _OLD_MODES:
            self._colour = _OLD_MODES[word["mode"]]

    def _take_cell(self, name: str, colour: Colour | None) -> None:
        """Put a stone of a colour on a cell, or make the next move there."""
        if colour is None:
            self._moves += 1
            self._put(name, WHITE if self._moves % 2 == 0 else BLACK, str(self._moves))
        elif not self.diagram.holds(self._board.cell(name), colour):  # else it's given a new label
            self._put(name, colour, "")

    def _put(self, name: str, colour: Colour, label: str) -> None:
        self.diagram.put(self._board.cell(name), colour, label)


def _within(x: int, y: int, edges: list[tuple[tuple[int, int], tuple[int, int]]]) -> bool:
    inside = False
    for (x1, y1), (x2, y2) in edges:
        cross = (x2 - x1) * (y - y1) - (y2 - y1) * (x - x1)
        between = min(x1, x2) <= x <= max(x1, x2) and min(y1, y2) <= y <= max(y1, y2)
        if cross == 0 and between:
            return True
        if (y1 > y) != (y2 > y) and (cross > 0) == (y2 > y1):
            inside = not inside
    return inside


def write_hexboard(record: Record, notes: Notes) -> str:
    """Return a diagram of the position that a record shows, its moves numbered.

    Raise RecordError if HexWiki has no such board.
    """
    record = fit(record, HOLDS, notes)
    board = record.board
    if record.cursor is not None and record.cursor.children:
        notes.decide("the position at the cursor is written")
    first, *line = (record.cursor or record.root.end()).line()
    contents = _numbered(first, line, board)
    if contents is None:
        notes.decide("the moves are not numbered: not all of them are stones on empty cells")
        stones = record.position().stones
        contents = _words({c: Colour(s) for c, s in enumerate(stones) if s}, board)
    return f'<hexboard size="{board.width}x{board.height}" contents="{" ".join(contents)}" />\n'


def _numbered(first: Node, line: list[Node], board: Board) -> list[str] | None:
    """Return the setup of the first node and the numbered moves; None if that isn't everything."""
    stones = {cell: colour for cell, colour in first.setup.items() if colour is not None}
    words = _words(stones, board)
    taken = set(stones)
    number = 0
    for node in line:
        if node.turn is None and not node.setup:
            continue
        if node.turn is None or node.setup or node.turn.cell is None or node.turn.cell in taken:
            return None
        number += 1
        taken.add(node.turn.cell)
        words += (_LETTERS[node.turn.colour], f"{number}:{board.names[node.turn.cell]}")
    return None if first.turn or len(stones) < len(first.setup) else words


def _words(stones: dict[int, Colour], board: Board) -> list[str]:
    words = []
    for letter, colour in _COLOURS.items():
        names = [board.names[cell] for cell, stone in stones.items() if stone is colour]
        words += [letter, *names] if names else []
    return words
