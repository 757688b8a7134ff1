"""Make a record fit a format: convert, drop or refuse what the format can't hold."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from trivalent.core.board import BLACK
from trivalent.core.games import GAMES
from trivalent.core.records.record import Action, Node, Record, RecordError, Turn, illegal_moves

if TYPE_CHECKING:
    from collections.abc import Callable

    from trivalent.core.board import Board, Colour
    from trivalent.core.records.notes import Notes

_SWAPS = (Action.SWAP_PIECES, Action.SWAP_SIDES)
_ENDS = {Action.RESIGN: "Resign", Action.FORFEIT: "Forfeit"}

POINT_PROPERTIES = frozenset(
    ("AR", "CR", "DD", "LB", "LN", "MA", "SL", "SQ", "TB", "TR", "TW", "VW")
)
"""The properties of FF[4] whose values name cells, besides moves and setup."""


@dataclass(frozen=True, slots=True)
class Holds:
    """What a format can hold."""

    games: tuple[str, ...] = ("hex",)
    oblong: bool = True
    """Whether width and height may differ."""
    size: int = 63
    """The longest side, in cells."""
    actions: frozenset[Action] = frozenset(Action)
    variations: bool = True
    setup: bool = True
    to_play: bool = True
    """Whether a node can name the side to move."""
    alternating: bool = False
    """Whether turns carry no colour, so that a pass must precede a turn out of order."""
    ends_named: bool = False
    """Whether resigning and forfeiting carry a colour even so."""
    text: bool = True
    """Comments, clocks, properties and facts about the game."""
    result: bool = True
    players: bool = True
    cursor: bool = False
    illegal_moves: bool = False
    """Whether it can hold illegal moves."""


def fit(record: Record, holds: Holds, notes: Notes) -> Record:
    """Return a copy of a record that fits a format.  Raise RecordError if that's impossible."""
    _check_board(record.board, holds)
    record = copy(record)
    silent = {node for node in record.root.walk() if _says_nothing(node)}
    if not holds.variations:
        _main_line_only(record, notes)
    if not holds.setup:
        _setup_as_turns(record, notes)
    faulty = dict(illegal_moves(record))
    if faulty and not holds.illegal_moves:
        reason = next(iter(faulty.values()))
        raise RecordError(f"this format can't hold illegal moves ({reason})")
    _convert_swaps(record, holds, set(faulty), notes)
    _end_by_result(record, holds, notes)
    if holds.alternating:
        _only_turns(record)
        _alternate(record, holds, notes)
    elif Action.PASS not in holds.actions:
        _pass_silently(record, holds, notes)
    _drop_text(record, holds, notes)
    _splice(record, lambda node: node not in silent and _dispensable(node))
    if not holds.cursor:
        if record.cursor not in (None, record.root.end()):
            notes.decide("the cursor is dropped: this format has none")
        record.cursor = None
    return record


def _check_board(board: Board, holds: Holds) -> None:
    if board.game not in holds.games:
        raise RecordError(f"this format can't hold {GAMES[board.game].title}")
    if board.width != board.height and not holds.oblong:
        raise RecordError(f"this format only holds square boards, not {board}")
    if max(board.width, board.height) > holds.size:
        raise RecordError(f"this format holds boards up to size {holds.size}, not {board}")


def copy(record: Record) -> Record:
    """Return an independent copy of a record."""
    copies: dict[Node, Node] = {}
    for node in record.root.walk():
        twin = replace(
            node,
            setup=node.setup.copy(),
            clocks=node.clocks.copy(),
            properties={name: values.copy() for name, values in node.properties.items()},
            parent=None if node.parent is None else copies[node.parent],
            children=[],
        )
        copies[node] = twin
        if twin.parent is not None:
            twin.parent.children.append(twin)
    return replace(
        record,
        root=copies[record.root],
        players=record.players.copy(),
        info=record.info.copy(),
        cursor=None if record.cursor is None else copies[record.cursor],
    )


def drop_illegal_moves(record: Record, offsets: dict[Node, int], notes: Notes) -> None:
    """Cut off illegal moves and everything after them, with warnings.

    ``offsets`` has the places of the nodes in the text.
    """
    faulty = dict(illegal_moves(record, within=False))
    for node, reason in faulty.items():
        notes.lose(offsets[node], f"{reason}; the moves end before it")
    for parent in {node.parent for node in faulty}:
        assert parent is not None
        parent.children = [child for child in parent.children if child not in faulty]
    if faulty and record.cursor not in set(record.root.walk()):
        record.cursor = None


def _main_line_only(record: Record, notes: Notes) -> None:
    """Keep only one line: the cursor's if there is a cursor, else the main line."""
    shown = set(record.cursor.line()) if record.cursor else set()
    node, dropped = record.root, 0
    while node.children:
        chosen = next((child for child in node.children if child in shown), node.children[0])
        if chosen is not node.children[0]:
            notes.decide("the line of the cursor is written instead of the main line")
        dropped += len(node.children) - 1
        node.children = [chosen]
        node = chosen
    if dropped:
        said = f"{_count(dropped, 'variation')} dropped: this format holds a single line"
        notes.decide(said)
        notes.lose(0, said)


def _convert_swaps(record: Record, holds: Holds, faulty: set[Node], notes: Notes) -> None:
    """Convert swaps that the format lacks into the other kind of swap."""
    main_line = set(record.root.end().line())
    for node in list(record.root.walk()):
        turn = node.turn
        if turn is None or turn.action not in _SWAPS or turn.action in holds.actions:
            continue
        word, other = turn.action.value, _SWAPS[1 - _SWAPS.index(turn.action)]
        if other not in holds.actions or node in faulty or node.setup:
            raise RecordError(f"this format has no {word}")
        if record.board.swap_map is None:
            raise RecordError(f"this format has no {word}, and {other.value} needs a square board")
        node.turn = turn._replace(action=other)
        marked = False
        for below in node.walk():
            if below is not node:
                _mirror(below, record.board.swap_map)
            for name in POINT_PROPERTIES & below.properties.keys():
                del below.properties[name]
                marked = True
        if node in main_line:
            record.result = _other_colour(record.result)
        notes.decide(
            f"{word} becomes {other.value}, and what follows is mirrored in the other colour: "
            f"this format has no {word}"
        )
        if marked:
            notes.decide("markup after the swap is dropped: its cells would be wrong")


def _mirror(node: Node, swap_map: tuple[int, ...]) -> None:
    if node.turn is not None:
        cell = node.turn.cell
        node.turn = node.turn._replace(
            colour=node.turn.colour.opponent, cell=None if cell is None else swap_map[cell]
        )
    node.setup = {
        swap_map[cell]: None if colour is None else colour.opponent
        for cell, colour in node.setup.items()
    }
    if node.to_play is not None:
        node.to_play = node.to_play.opponent
    node.clocks = {colour.opponent: clock for colour, clock in node.clocks.items()}


def _other_colour(result: str) -> str:
    letter = {"B": "W", "W": "B"}.get(result[:1])
    return letter + result[1:] if letter else result


def _end_by_result(record: Record, holds: Holds, notes: Notes) -> None:
    """Move resignations and forfeits that the format lacks to the result."""
    ends = [
        node
        for node in record.root.walk()
        if node.turn is not None
        and node.turn.action in _ENDS
        and node.turn.action not in holds.actions
    ]
    if not ends:
        return
    last = record.root.end()
    for node in ends:
        assert node.turn is not None
        if node is last and not record.result and holds.result:
            letter = str(node.turn.colour.opponent)[0].upper()
            record.result = f"{letter}+{_ENDS[node.turn.action]}"
            notes.decide(f"{node.turn.action.value} becomes the result {record.result}")
        else:
            notes.decide(f"{node.turn.action.value} is dropped: this format has no word for it")
        node.turn = None


def _setup_as_turns(record: Record, notes: Notes) -> None:
    """Convert setup into stones played one after the other."""
    to_play: dict[Node | None, Colour] = {None: BLACK}
    for node in list(record.root.walk()):
        turn = node.turn
        to_play[node] = node.to_play or (turn.next_to_play if turn else to_play[node.parent])
        if not node.setup:
            continue
        last, children = node, node.children
        node.children = []
        for cell, colour in node.setup.items():
            if colour is None:
                raise RecordError("this format has no setup, and this record empties a cell")
            last = last.add(Turn(colour, Action.PLAY, cell))
        last.children = children
        for child in children:
            child.parent = last
        node.to_play, last.to_play = None, to_play[node]
        to_play[last] = to_play[node]
        node.setup = {}
        if record.cursor is node:
            record.cursor = last
        notes.decide("setup becomes moves: this format has no setup")


def _only_turns(record: Record) -> None:
    """Remove the nodes without a turn, except the root, which gets none."""
    if record.root.turn is not None:
        first = record.root
        record.root = Node(children=[first])
        first.parent = record.root
    record.cursor = record.cursor or record.root.end()
    _splice(record, lambda node: node.turn is None)


def _alternate(record: Record, holds: Holds, notes: Notes) -> None:
    """Insert passes so that the colours alternate."""
    passes = False
    for parent in record.root.walk():
        to_play = parent.turn.next_to_play if parent.turn else BLACK
        wanted, parent.to_play = parent.to_play, None
        out_of_turn = [child for child in parent.children if not _in_turn(child, to_play, holds)]
        if out_of_turn or (wanted is not None and wanted is not to_play and _is_last(parent)):
            passes = True
            passing = Node(Turn(to_play, Action.PASS), parent=parent, children=out_of_turn)
            children = [child for child in parent.children if _in_turn(child, to_play, holds)]
            main_line_passes = parent.children[:1] == out_of_turn[:1]
            children.insert(0 if main_line_passes else len(children), passing)
            parent.children = children
            for child in out_of_turn:
                child.parent = passing
            if record.cursor is parent and wanted not in (None, to_play):
                record.cursor = passing
    if passes and Action.PASS not in holds.actions:
        raise RecordError(
            "this format has no passes, and in this record a player moves out of turn"
        )
    if passes:
        notes.decide("where a player moves out of turn the other one passes")
    for node in record.root.walk():
        if node.turn is not None and node.turn.action in _SWAPS:
            first = node.parent
            if first is None or first.parent is not record.root:
                raise RecordError("this format only takes a swap as the second move")


def _in_turn(node: Node, to_play: Colour, holds: Holds) -> bool:
    assert node.turn is not None
    return node.turn.colour is to_play or (holds.ends_named and node.turn.action in _ENDS)


def _is_last(node: Node) -> bool:
    return not node.children and not _over(node)


def _splice(record: Record, dispensable: Callable[[Node], bool]) -> None:
    """Remove the dispensable nodes below the root; their children move to their parents."""
    for parent in list(record.root.walk())[::-1]:
        children: list[Node] = []
        for child in parent.children:
            if not dispensable(child):
                children.append(child)
                continue
            children += child.children
            if not child.children and len(parent.children) == 1:
                parent.to_play = child.to_play or parent.to_play
            if record.cursor is child:
                record.cursor = parent
        for child in children:
            child.parent = parent
        parent.children = children


def _says_nothing(node: Node) -> bool:
    return not (
        node.turn or node.setup or node.to_play or node.comment or node.clocks or node.properties
    )


def _dispensable(node: Node) -> bool:
    """Return whether a node says nothing, not even that a variation ends here."""
    assert node.parent is not None
    return _says_nothing(node) and bool(node.children or len(node.parent.children) == 1)


def _over(node: Node) -> bool:
    return node.turn is not None and node.turn.action in _ENDS


def _pass_silently(record: Record, holds: Holds, notes: Notes) -> None:
    """Remove passes: the colours of the moves show them."""
    for node in record.root.walk():
        if node.turn is not None and node.turn.action is Action.PASS:
            to_play = node.turn.next_to_play
            node.turn = None
            if holds.to_play:
                node.to_play = node.to_play or to_play
            elif not node.children:
                notes.decide("a pass at the end is dropped: this format has none")
            notes.decide("passes show only in the colours of the moves: this format has no passes")


def _drop_text(record: Record, holds: Holds, notes: Notes) -> None:
    dropped: Counter[str] = Counter()
    if not holds.text:
        for node in record.root.walk():
            dropped["comment"] += bool(node.comment)
            dropped["clock"] += len(node.clocks)
            dropped["property"] += len(node.properties)
            node.comment = ""
            node.clocks = {}
            node.properties = {}
        dropped["fact about the game"] += len(record.info)
        record.info = {}
    if not holds.players:
        dropped["name of a player"] += len(record.players)
        record.players = {}
    if not holds.result:
        dropped["result"] += bool(record.result)
        record.result = ""
    if not holds.to_play:
        for node in record.root.walk():
            dropped["side to move"] += node.to_play is not None and not node.children
            node.to_play = None
    if dropped.total():
        what = ", ".join(f"{word} ({n})" for word, n in dropped.items() if n)
        notes.decide(f"dropped, because this format can't hold it: {what}")


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'} {'is' if number == 1 else 'are'}"
