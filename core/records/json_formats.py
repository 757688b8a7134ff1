"""Records as JSON: our own format, which holds everything in a record; and taking JSON apart."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, TypeVar

from trivalent.core.board import BLACK, WHITE, Colour
from trivalent.core.games import GAMES, make_board
from trivalent.core.records import sgf
from trivalent.core.records.fitting import Holds
from trivalent.core.records.notes import Part
from trivalent.core.records.record import INFO, Action, Clock, Node, Record, RecordError, Turn

if TYPE_CHECKING:
    from trivalent.core.board import Board

JSON = Holds(games=tuple(GAMES), cursor=True, illegal_moves=True)

FORMAT = "trivalent record"
"""What a record of ours says at its key ``format``."""
_DECODER = json.JSONDecoder()
_BETWEEN = re.compile(r"[ \t\r\n]*+")
_BETWEEN_GAMES = re.compile(r"[ \t\r\n\[\],]*+")
_COLOURS = {"black": BLACK, "white": WHITE}
_ACTIONS = {action.value: action for action in Action if action is not Action.PLAY}
_KINDS = {dict: "an object", list: "a list", str: "a text", int: "a whole number"}
_MAX_CLOCK = 10**9  # seconds or stones
_PROPERTY = re.compile(r"[A-Z]{1,40}")
_SURROGATE = re.compile(r"[\ud800-\udfff]")

T = TypeVar("T", dict[str, Any], list[Any], str, int)


def write_json(record: Record) -> str:
    """Return a record as JSON: a list of nodes, parents first, each with its parent's number."""
    board = record.board
    numbers: dict[Node | None, int | None] = {None: None}
    nodes = []
    for number, node in enumerate(record.root.walk()):
        numbers[node] = number
        nodes.append(_node(node, numbers[node.parent], board))
    whole = {
        "format": FORMAT,
        "game": board.game,
        "width": board.width,
        "height": board.height,
        "players": {str(colour): name for colour, name in record.players.items()},
        "result": record.result,
        "info": record.info,
        "cursor": numbers[record.cursor],
        "nodes": nodes,
    }
    head = {key: value for key, value in whole.items() if key != "nodes"}
    lines = [json.dumps(node) for node in nodes]
    return json.dumps(head)[:-1] + ', "nodes": [\n' + ",\n".join(lines) + "\n]}\n"


def _node(node: Node, parent: int | None, board: Board) -> dict[str, Any]:
    names = board.names
    said: dict[str, Any] = {"parent": parent}
    if node.turn is not None:
        colour, action, cell = node.turn
        said["turn"] = [str(colour), action.value if cell is None else names[cell]]
    if node.setup:
        said["setup"] = [[names[c], None if s is None else str(s)] for c, s in node.setup.items()]
    if node.to_play is not None:
        said["to_play"] = str(node.to_play)
    if node.comment:
        said["comment"] = node.comment
    if node.clocks:
        said["clocks"] = {str(colour): list(clock) for colour, clock in node.clocks.items()}
    if node.properties:
        said["properties"] = node.properties
    return said


def read_json(text: str) -> Record:
    """Read what `write_json` wrote.  Raise RecordError, with the place, for anything else."""
    whole = expect(load_json(text), dict, "the file")
    if whole.get("format") != FORMAT:
        raise RecordError(f"this JSON is not a {FORMAT}: its format must be {FORMAT!r}")
    game = expect_text(whole.get("game"), "game")
    try:
        board = make_board(
            game,
            expect(whole.get("width"), int, "width"),
            expect(whole.get("height"), int, "height"),
        )
    except ValueError as error:
        raise RecordError(str(error)) from None
    record = Record(board)
    players = expect(whole.get("players", {}), dict, "players")
    for word, name in players.items():
        record.players[_colour(word, "players")] = expect_text(name, f"players.{word}")
    record.result = expect_text(whole.get("result", ""), "result")
    for word, fact in expect(whole.get("info", {}), dict, "info").items():
        if word not in INFO:
            raise RecordError(f"info.{word[:20]!a} is not a known fact")
        record.info[word] = expect_text(fact, f"info.{word}")
    nodes: list[Node] = []
    for number, said in enumerate(expect(whole.get("nodes"), list, "nodes")):
        where = f"nodes[{number}]"
        node = _read_node(expect(said, dict, where), board, where)
        parent = said.get("parent")
        if number:
            node.parent = nodes[_number(parent, number, f"{where}.parent")]
            node.parent.children.append(node)
        nodes.append(node)
    if not nodes:
        raise RecordError("nodes is empty")
    record.root = nodes[0]
    if whole.get("cursor") is not None:
        record.cursor = nodes[_number(whole["cursor"], len(nodes), "cursor")]
    return record


def split_json(text: str, *, lists: bool = True) -> list[Part]:
    """Return the values in a text, one after the other and, if ``lists``, in lists.

    Raise RecordError, with the place, if the text isn't JSON.
    """
    between = _BETWEEN_GAMES if lists else _BETWEEN
    parts = []
    at = _skip(between, text, 0)
    while at < len(text):
        _, end = _value(text, at)
        parts.append(Part(at, text[at:end]))
        at = _skip(between, text, end)
    return parts or [Part(0, text)]


def load_json(text: str) -> object:
    """Return the first value in a text, the first item if it's a list.  Raise as `split_json`."""
    return _value(text, _skip(_BETWEEN_GAMES, text, 0))[0]


def _skip(between: re.Pattern[str], text: str, at: int) -> int:
    found = between.match(text, at)
    assert found is not None
    return found.end()


def _value(text: str, at: int) -> tuple[object, int]:
    """Return the value that begins at an offset, and the offset after it."""
    try:
        return _DECODER.raw_decode(text, at)
    except json.JSONDecodeError as error:
        raise RecordError(f"{error.lineno}:{error.colno}: not JSON: {error.msg}") from None
    except (ValueError, RecursionError) as error:  # for instance a number of thousands of digits
        raise RecordError(f"unreadable JSON: {error}") from None


def expect(value: object, kind: type[T], where: str) -> T:
    """Return a value of this kind.  Raise RecordError, with the place, if it is another one."""
    if isinstance(value, kind) and not isinstance(value, bool):
        return value
    raise RecordError(f"{where} must be {_KINDS[kind]}")


def expect_text(value: object, where: str) -> str:
    """Return a text that a file can hold.  Raise RecordError if the value is none."""
    # JSON can contain half of a surrogate pair, which no file can hold.
    return _SURROGATE.sub("\ufffd", expect(value, str, where))


def _number(value: object, end: int, where: str) -> int:
    number = expect(value, int, where)
    if not 0 <= number < end:
        raise RecordError(f"{where} must be from 0 to {end - 1}")
    return number


def _colour(word: object, where: str) -> Colour:
    colour = _COLOURS.get(word) if isinstance(word, str) else None
    if colour is None:
        raise RecordError(f"{where} must be black or white")
    return colour


def _cell(board: Board, name: object, where: str) -> int:
    try:
        return board.cell(expect_text(name, where))
    except ValueError as error:
        raise RecordError(f"{where}: {error}") from None


def _pair(value: object, where: str) -> tuple[Any, Any]:
    items = expect(value, list, where)
    if len(items) != 2:
        raise RecordError(f"{where} must have two items")
    return items[0], items[1]


def _read_node(said: dict[str, Any], board: Board, where: str) -> Node:
    node = Node(comment=expect_text(said.get("comment", ""), f"{where}.comment"))
    if "turn" in said:
        colour, word = _pair(said["turn"], f"{where}.turn")
        mover = _colour(colour, f"{where}.turn")
        action = _ACTIONS.get(word) if isinstance(word, str) else None
        cell = None if action else _cell(board, word, f"{where}.turn")
        node.turn = Turn(mover, action or Action.PLAY, cell)
    for item in expect(said.get("setup", []), list, f"{where}.setup"):
        name, stone = _pair(item, f"{where}.setup")
        cell = _cell(board, name, f"{where}.setup")
        node.setup.pop(cell, None)
        node.setup[cell] = None if stone is None else _colour(stone, f"{where}.setup")
    if "to_play" in said:
        node.to_play = _colour(said["to_play"], f"{where}.to_play")
    for word, clock in expect(said.get("clocks", {}), dict, f"{where}.clocks").items():
        node.clocks[_colour(word, f"{where}.clocks")] = _clock(clock, f"{where}.clocks")
    for name, values in expect(said.get("properties", {}), dict, f"{where}.properties").items():
        texts = [
            expect_text(v, f"{where}.properties")
            for v in expect(values, list, f"{where}.properties")
        ]
        if not _PROPERTY.fullmatch(name) or not all(map(sgf.is_value, texts)):
            raise RecordError(f"{where}.properties must be SGF: capital letters, escaped values")
        node.properties[name] = texts
    return node


def _clock(value: object, where: str) -> Clock:
    seconds, stones = _pair(value, where)
    if stones is not None:
        stones = _number(stones, _MAX_CLOCK, where)
    if seconds is not None:
        whole = isinstance(seconds, int | float) and not isinstance(seconds, bool)
        if not (whole and abs(seconds) < _MAX_CLOCK):
            raise RecordError(f"{where} must be a time in seconds")
        seconds = float(seconds)
    return Clock(seconds, stones)
