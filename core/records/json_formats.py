"""Records as JSON: our own format, which holds everything in a record, and PlayHex's export."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from trivalent.core.board import BLACK, WHITE, Colour
from trivalent.core.games import GAMES, hex_board, make_board
from trivalent.core.records import sgf
from trivalent.core.records.fitting import Holds, fit
from trivalent.core.records.move_lists import PLAYHEX_MOVES, read_moves, write_playhex_moves
from trivalent.core.records.record import INFO, Action, Clock, Node, Record, RecordError, Turn

if TYPE_CHECKING:
    from trivalent.core.board import Board
    from trivalent.core.records.notes import Notes

JSON = Holds(games=tuple(GAMES), cursor=True, illegal_moves=True)
PLAYHEX_JSON = replace(PLAYHEX_MOVES, players=True, result=True)

_FORMAT = "trivalent record"
_COLOURS = {"black": BLACK, "white": WHITE}
_ACTIONS = {action.value: action for action in Action if action is not Action.PLAY}
_KINDS = {dict: "an object", list: "a list", str: "a text", int: "a whole number"}
_MAX_CLOCK = 10**9  # seconds or stones
_PROPERTY = re.compile(r"[A-Z]{1,40}")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_OUTCOMES = {"path": "", "resign": "Resign", "time": "Time", "forfeit": "Forfeit"}
_REST = "PLAYHEX"  # the property that keeps the rest of an export, as JSON

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
        "format": _FORMAT,
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
    whole = _expect(_load(text), dict, "the file")
    if whole.get("format") != _FORMAT:
        raise RecordError(f"this JSON is not a {_FORMAT}: its format must be {_FORMAT!r}")
    game = _text(whole.get("game"), "game")
    try:
        board = make_board(
            game,
            _expect(whole.get("width"), int, "width"),
            _expect(whole.get("height"), int, "height"),
        )
    except ValueError as error:
        raise RecordError(str(error)) from None
    record = Record(board)
    players = _expect(whole.get("players", {}), dict, "players")
    for word, name in players.items():
        record.players[_colour(word, "players")] = _text(name, f"players.{word}")
    record.result = _text(whole.get("result", ""), "result")
    for word, fact in _expect(whole.get("info", {}), dict, "info").items():
        if word not in INFO:
            raise RecordError(f"info.{word[:20]!a} is not a known fact")
        record.info[word] = _text(fact, f"info.{word}")
    nodes: list[Node] = []
    for number, said in enumerate(_expect(whole.get("nodes"), list, "nodes")):
        where = f"nodes[{number}]"
        node = _read_node(_expect(said, dict, where), board, where)
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


def _load(text: str) -> object:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise RecordError(f"{error.lineno}:{error.colno}: not JSON: {error.msg}") from None
    except (ValueError, RecursionError) as error:  # for instance a number of thousands of digits
        raise RecordError(f"unreadable JSON: {error}") from None


def _expect(value: object, kind: type[T], where: str) -> T:
    if isinstance(value, kind) and not isinstance(value, bool):
        return value
    raise RecordError(f"{where} must be {_KINDS[kind]}")


def _text(value: object, where: str) -> str:
    # JSON can contain half of a surrogate pair, which no file can hold.
    return _SURROGATE.sub("\ufffd", _expect(value, str, where))


def _number(value: object, end: int, where: str) -> int:
    number = _expect(value, int, where)
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
        return board.cell(_text(name, where))
    except ValueError as error:
        raise RecordError(f"{where}: {error}") from None


def _pair(value: object, where: str) -> tuple[Any, Any]:
    items = _expect(value, list, where)
    if len(items) != 2:
        raise RecordError(f"{where} must have two items")
    return items[0], items[1]


def _read_node(said: dict[str, Any], board: Board, where: str) -> Node:
    node = Node(comment=_text(said.get("comment", ""), f"{where}.comment"))
    if "turn" in said:
        colour, word = _pair(said["turn"], f"{where}.turn")
        mover = _colour(colour, f"{where}.turn")
        action = _ACTIONS.get(word) if isinstance(word, str) else None
        cell = None if action else _cell(board, word, f"{where}.turn")
        node.turn = Turn(mover, action or Action.PLAY, cell)
    for item in _expect(said.get("setup", []), list, f"{where}.setup"):
        name, stone = _pair(item, f"{where}.setup")
        cell = _cell(board, name, f"{where}.setup")
        node.setup.pop(cell, None)
        node.setup[cell] = None if stone is None else _colour(stone, f"{where}.setup")
    if "to_play" in said:
        node.to_play = _colour(said["to_play"], f"{where}.to_play")
    for word, clock in _expect(said.get("clocks", {}), dict, f"{where}.clocks").items():
        node.clocks[_colour(word, f"{where}.clocks")] = _clock(clock, f"{where}.clocks")
    for name, values in _expect(said.get("properties", {}), dict, f"{where}.properties").items():
        texts = [
            _text(v, f"{where}.properties") for v in _expect(values, list, f"{where}.properties")
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


def read_playhex_json(text: str, game: int, notes: Notes) -> Record:
    """Read a game of PlayHex's export, which is a list of games or a single one.

    Raise RecordError if it isn't an export or doesn't have that game.
    """
    games = _load(text)
    games = games if isinstance(games, list) else [games]
    if not 1 <= game <= len(games):
        raise RecordError(f"there is no game {game}: the file has {len(games)}")
    said = dict(_expect(games[game - 1], dict, f"game {game}"))
    try:
        board = hex_board(_expect(said.pop("boardsize", None), int, "boardsize"))
    except ValueError as error:
        raise RecordError(f"boardsize: {error}") from None
    moves = said.pop("moves", "")
    words = " ".join(map(str, moves)) if isinstance(moves, list) else _text(moves, "moves")
    list_notes = type(notes)(words)
    record = read_moves(words, None, board, list_notes)
    for remark in list_notes.warnings:
        notes.warn(0, f"moves of game {game}, column {remark.column}: {remark.text}")
    for key, colour in (("playerRed", BLACK), ("playerBlue", WHITE)):
        if isinstance(said.get(key), str):
            record.players[colour] = _text(said.pop(key), key)
    winner = {"red": "B", "blue": "W"}.get(str(said.get("winner")))
    outcome = _OUTCOMES.get(str(said.get("outcome", "path")))
    if winner is not None and outcome is not None:
        record.result = f"{winner}+{outcome}"
        said.pop("winner")
        said.pop("outcome", None)
    said.pop("movesCount", None)
    if said:
        record.root.properties[_REST] = [sgf.escape(json.dumps(said))]
    return record


def write_playhex_json(record: Record, notes: Notes) -> str:
    """Return a record as a game of PlayHex's export.  Raise RecordError if it doesn't fit."""
    rest = record.root.properties.get(_REST)
    record = fit(record, PLAYHEX_JSON, notes)
    moves = write_playhex_moves(record, type(notes)()).strip()
    said: dict[str, Any] = {
        "boardsize": record.board.width,
        "movesCount": len(moves.split()),
        "moves": moves,
    }
    for key, colour in (("playerRed", BLACK), ("playerBlue", WHITE)):
        if colour in record.players:
            said[key] = record.players[colour]
    outcomes = {reason: word for word, reason in _OUTCOMES.items()}
    outcome = outcomes.get(record.result[2:]) if record.result[1:2] == "+" else None
    if record.winner is not None and outcome is not None:
        said["winner"] = "red" if record.winner is BLACK else "blue"
        said["outcome"] = outcome
    elif record.result:
        notes.decide(f"the result {record.result} is dropped: this format only holds winners")
    if rest:
        said |= {k: v for k, v in _kept(rest[0]).items() if k not in said}
    return json.dumps(said) + "\n"


def _kept(value: str) -> dict[str, Any]:
    """Return what `read_playhex_json` kept, or nothing if it has been tampered with."""
    try:
        return _expect(_load(sgf.unescape(value, lines=True)), dict, _REST)
    except RecordError:
        return {}
