"""Game records: a tree of moves with setup, comments, clocks, and other facts from a file.

A record looks the same whatever file it came from.  Its cells are numbers of cells of its board;
Black joins top and bottom in Hex and usually begins; and a swap is swap-pieces or swap-sides, as in
`Position`.  The formats convert when they read and write.  Trees may be arbitrarily deep, so
nothing here recurses.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from trivalent.core.board import BLACK, EMPTY, Colour
from trivalent.core.position import Kind, Position

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trivalent.core.board import Board


class RecordError(ValueError):
    """A text can't be read, or a format can't hold a record; the message says why."""


class Action(Enum):
    """What a player does on a turn; the value is the word for it in our formats."""

    PLAY = "play"
    SWAP_PIECES = "swap-pieces"
    SWAP_SIDES = "swap-sides"
    PASS = "pass"  # noqa: S105  no secret
    RESIGN = "resign"
    FORFEIT = "forfeit"


class Turn(NamedTuple):
    """A player's turn: the colour, the action, and the cell if the action is a stone."""

    colour: Colour
    action: Action
    cell: int | None = None

    @property
    def next_to_play(self) -> Colour:
        """The colour to move next: the same one again after swap-sides or the end of the game."""
        if self.action in (Action.SWAP_SIDES, Action.RESIGN, Action.FORFEIT):
            return self.colour
        return self.colour.opponent


class Clock(NamedTuple):
    """A player's time left: seconds, and the stones to play in them; None if unknown."""

    seconds: float | None = None
    stones: int | None = None


@dataclass(eq=False, slots=True)
class Node:
    """A step of a record: a turn, setup, or both (the turn first), and its continuations."""

    turn: Turn | None = None
    setup: dict[int, Colour | None] = field(default_factory=dict)
    """Stones put on cells, or cells emptied (None), whatever the cells held."""
    to_play: Colour | None = None
    """The colour to move after this node, if the record says so."""
    comment: str = ""
    clocks: dict[Colour, Clock] = field(default_factory=dict)
    properties: dict[str, list[str]] = field(default_factory=dict)
    """Everything else in the file: SGF properties in order, their values still escaped.

    In the markup properties of FF[4], points are our names of cells.
    """
    parent: Node | None = field(default=None, repr=False)
    children: list[Node] = field(default_factory=list, repr=False)
    """The continuations; the first one is the main line."""

    def add(self, turn: Turn | None = None) -> Node:
        """Append a continuation and return it."""
        child = Node(turn, parent=self)
        self.children.append(child)
        return child

    def line(self) -> list[Node]:
        """Return the nodes from the root to this one."""
        nodes = []
        node: Node | None = self
        while node is not None:
            nodes.append(node)
            node = node.parent
        return nodes[::-1]

    def end(self) -> Node:
        """Return the last node of the main line from here."""
        node = self
        while node.children:
            node = node.children[0]
        return node

    def walk(self) -> Iterator[Node]:
        """Yield this node and all below it, parents first, the main line before variations."""
        todo = [self]
        while todo:
            node = todo.pop()
            yield node
            todo += reversed(node.children)

    def next_to_play(self) -> Colour:
        """Return the colour to move after this node."""
        node: Node | None = self
        while node is not None:
            if node.to_play is not None:
                return node.to_play
            if node.turn is not None:
                return node.turn.next_to_play
            node = node.parent
        return BLACK


@dataclass(eq=False, slots=True)
class Record:
    """A game on a board, or several games that begin alike."""

    board: Board
    root: Node = field(default_factory=Node)
    players: dict[Colour, str] = field(default_factory=dict)
    """The players' names, by the colour that each has at the beginning."""
    result: str = ""
    """The result as in SGF: ``B+Resign``, ``W+``, ``Void``, ``?``.  B is the winner with Black's
    stones at the end, whoever began with them."""
    info: dict[str, str] = field(default_factory=dict)
    """Facts about the game, such as ``event`` and ``date``; `INFO` lists the words."""
    cursor: Node | None = None
    """The node to show, if the record says so."""

    def position(self, node: Node | None = None) -> Position:
        """Return the position after a node: by default the cursor, else the end of the main line.

        Its history has every turn except resignations and forfeits.  As SGF demands, a stone on an
        occupied cell replaces what is there, and a late swap changes the whole board.
        """
        node = node or self.cursor or self.root.end()
        position = Position(self.board)
        for step in node.line():
            apply(position, step)
        return position

    @classmethod
    def of(cls, position: Position) -> Record:
        """Return a record of the moves that led to a position."""
        record = cls(position.board)
        node = record.root
        for move in position.history:
            if move.kind is Kind.SETUP:
                assert move.cell is not None
                if node.turn is not None:
                    node = node.add()
                node.setup.pop(move.cell, None)  # the latest comes last
                node.setup[move.cell] = move.colour
            else:
                assert move.colour is not None
                action = Action.PLAY if move.kind is Kind.PLAY else Action(move.kind.value)
                node = node.add(Turn(move.colour, action, move.cell))
        if node.next_to_play() is not position.to_play:
            node.to_play = position.to_play
        return record

    @property
    def winner(self) -> Colour | None:
        """The colour that wins according to the result, or None."""
        return {"B": Colour.BLACK, "W": Colour.WHITE}.get(self.result[:1].upper())


INFO = {
    "game name": "GN",
    "event": "EV",
    "round": "RO",
    "date": "DT",
    "place": "PC",
    "black rank": "BR",
    "white rank": "WR",
    "black team": "BT",
    "white team": "WT",
    "source": "SO",
    "annotator": "AN",
    "copyright": "CP",
    "user": "US",
    "opening": "ON",
    "time limit": "TM",
    "overtime": "OT",
}
"""The keys of `Record.info` and the SGF properties that hold them as plain text."""


def apply(position: Position, node: Node) -> None:
    """Advance a position by one node."""
    if node.turn is not None:
        _take(position, node.turn)
        position.to_play = node.turn.next_to_play
    for cell, colour in node.setup.items():
        position.setup(cell, colour)
    if node.to_play is not None:
        position.to_play = node.to_play


def _take(position: Position, turn: Turn) -> None:
    match turn.action:
        case Action.PLAY:
            assert turn.cell is not None
            if position.stone(turn.cell) is None:
                position.play(turn.colour, turn.cell)
            else:
                position.setup(turn.cell, turn.colour)
        case Action.PASS:
            position.pass_turn(turn.colour)
        case Action.SWAP_PIECES:
            if _may_swap(position, turn):
                position.swap_pieces()
            else:
                _exchange(position)
        case Action.SWAP_SIDES:
            position.to_play = turn.colour
            if _may_swap(position, turn):
                position.swap_sides()
            else:
                position.players_swapped = not position.players_swapped


def _may_swap(position: Position, turn: Turn) -> bool:
    square = position.board.swap_map is not None
    return position.may_swap and (square or turn.action is Action.SWAP_SIDES)


def _exchange(position: Position) -> None:
    """Swap all pieces on the board: mirror them and change their colours."""
    swap_map = position.board.swap_map
    if swap_map is None:
        return
    before = position.stones
    after = bytearray(len(before))
    for cell, content in enumerate(before):
        if content != EMPTY:
            after[swap_map[cell]] = Colour(content).opponent
    for cell, (old, new) in enumerate(zip(before, after, strict=True)):
        if old != new:
            position.setup(cell, Colour(new) if new else None)


def illegal_moves(record: Record, *, within: bool = True) -> Iterator[tuple[Node, str]]:
    """Yield the nodes with illegal moves, each with the reason, parents first.

    Skip everything below such a node unless ``within`` is set.
    """
    board = record.board
    stones = bytearray(len(board))
    moves: list[Turn | None] = []  # the history that `Position` would have
    path: list[tuple[Node, int, list[tuple[int, int]]]] = []
    todo = [record.root]
    while todo:
        node = todo.pop()
        while path and path[-1][0] is not node.parent:
            _, length, contents = path.pop()
            del moves[length:]
            for cell, content in reversed(contents):
                stones[cell] = content
        reason = _fault(board, stones, moves, node)
        if reason:
            yield node, reason
            if not within:
                continue
        changes = _changes(board, stones, node)
        path.append((node, len(moves), [(cell, stones[cell]) for cell, _ in changes]))
        for cell, content in changes:
            stones[cell] = content
        if node.turn is not None and node.turn.action in _MOVES:
            moves.append(node.turn)
        moves += [None] * len(node.setup)
        todo += reversed(node.children)


_MOVES = (Action.PLAY, Action.SWAP_PIECES, Action.SWAP_SIDES, Action.PASS)


def _changes(board: Board, stones: bytearray, node: Node) -> list[tuple[int, int]]:
    """Return the (cell, content) pairs that a node changes, in order; content 0 empties a cell."""
    changes: list[tuple[int, int]] = []
    if node.turn is not None and node.turn.cell is not None:
        changes.append((node.turn.cell, node.turn.colour))
    elif node.turn is not None and node.turn.action is Action.SWAP_PIECES and board.swap_map:
        occupied = [cell for cell, content in enumerate(stones) if content]
        changes = [(cell, EMPTY) for cell in occupied]
        changes += [(board.swap_map[cell], Colour(stones[cell]).opponent) for cell in occupied]
    changes += [(cell, EMPTY if c is None else c) for cell, c in node.setup.items()]
    return changes


def _fault(board: Board, stones: bytearray, moves: list[Turn | None], node: Node) -> str:
    turn = node.turn
    if turn is None:
        return ""
    if turn.cell is not None:
        return f"{board.names[turn.cell]} is occupied" if stones[turn.cell] else ""
    if turn.action is Action.SWAP_PIECES and board.swap_map is None:
        return f"swap-pieces needs a square board, not {board}"
    if turn.action in (Action.SWAP_PIECES, Action.SWAP_SIDES):
        first = moves[0] if len(moves) == 1 else None
        if first is None or first.action is not Action.PLAY:
            return f"{turn.action.value} is possible as second move only"
        if first.colour is turn.colour:
            return "nobody swaps a stone of their own"
    return ""
