"""JSON of web sites: PlayHex's export, games of Abstract Play, logs of Board Game Arena.

Those of PlayHex are written, too.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from trivalent.core.board import BLACK, WHITE, Colour
from trivalent.core.games import hex_board, make_board
from trivalent.core.records import sgf
from trivalent.core.records.fitting import drop_illegal_moves, fit
from trivalent.core.records.json_formats import FORMAT, expect, expect_text, load_json
from trivalent.core.records.move_lists import PLAYHEX_MOVES, read_moves, write_playhex_moves
from trivalent.core.records.notation import NOTATIONS
from trivalent.core.records.record import Action, Record, RecordError, Turn
from trivalent.core.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trivalent.core.board import Board
    from trivalent.core.records.notation import Notation
    from trivalent.core.records.notes import Notes
    from trivalent.core.records.record import Node

PLAYHEX_JSON = replace(PLAYHEX_MOVES, players=True, result=True)

_OUTCOMES = {"path": "", "resign": "Resign", "time": "Time", "forfeit": "Forfeit"}
_REST = "PLAYHEX"  # the property that keeps the rest of an export, as JSON

_GAMES_OF_ABSTRACT_PLAY = {"hex": "hex", "y": "y-abstractplay"}  # the names and the notations
_USUAL_SIZE = 13  # of Abstract Play
_SIZE_VARIANT = re.compile(r"#board|size-([0-9]{1,2})(?: board)?", re.IGNORECASE)
_ENDS = {"resigned": "Resign", "resign": "Resign", "timeout": "Time"}

_SIZE = re.compile(r"([0-9]{1,2})x([0-9]{1,2})")


def detect_json(text: str) -> tuple[str, str]:
    """Return the name of the format of JSON, and the reason.  Raise RecordError if none fits."""
    said = load_json(text)
    keys = set(said) if isinstance(said, dict) else set()
    if isinstance(said, dict) and said.get("format") == FORMAT:
        return "json", "it says so"
    if "boardsize" in keys:
        return "playhex-json", "it is JSON with a boardsize"
    if keys >= {"game", "stack"} or keys >= {"header", "moves"} or _answer(said):
        return "abstractplay", "it is JSON such as Abstract Play's"
    if _packets(said) is not None:
        return "boardgamearena", "it is JSON with packets such as Board Game Arena's"
    shown = printable(", ".join(sorted(map(str, keys))[:5]))
    raise RecordError(f"this JSON is in no known format (its keys: {shown})")


def read_playhex_json(text: str, swap: Action | None, notes: Notes) -> Record:
    """Read a game of PlayHex's export.  Raise RecordError if it isn't one."""
    said = dict(expect(load_json(text), dict, "the game"))
    try:
        board = hex_board(expect(said.pop("boardsize", None), int, "boardsize"))
    except ValueError as error:
        raise RecordError(f"boardsize: {error}") from None
    moves = said.pop("moves", "")
    words = " ".join(map(str, moves)) if isinstance(moves, list) else expect_text(moves, "moves")
    list_notes = type(notes)(words)
    record = read_moves(words, None, board, list_notes, swap)
    for remark in list_notes.warnings:  # an offset in them is none in the text
        warn = notes.lose if remark.is_loss else notes.warn
        warn(0, f"moves, column {remark.column}: {remark.text}")
    for key, colour in (("playerRed", BLACK), ("playerBlue", WHITE)):
        if isinstance(said.get(key), str):
            record.players[colour] = expect_text(said.pop(key), key)
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
        return expect(load_json(sgf.unescape(value, lines=True)), dict, _REST)
    except RecordError:
        return {}


class _Line:
    """A record of one line of moves, which come from JSON, so that warnings can't name a place."""

    def __init__(self, board: Board, notation: Notation, notes: Notes) -> None:
        self.record = Record(board)
        self._notation = notation
        self._notes = notes
        self._node = self.record.root
        self._offsets: dict[Node, int] = {}
        self._is_broken = False

    def add(self, colour: Colour, action: Action, word: object = None) -> None:
        """Add a turn, unless the line has ended; it ends before a word that isn't a cell."""
        if self._is_broken:
            return
        cell = None
        if action is Action.PLAY:
            try:
                cell = self._notation.cell(self.record.board, str(word))
            except ValueError as error:
                self._notes.lose(0, f"{error}; the moves end before it")
                self._is_broken = True
                return
        self._node = self._node.add(Turn(colour, action, cell))
        self._offsets[self._node] = 0

    def end(self) -> Record:
        """Return the record without illegal moves."""
        drop_illegal_moves(self.record, self._offsets, self._notes)
        return self.record


def read_abstract_play(text: str, notes: Notes) -> Record:
    """Read a game of Abstract Play: its state, which has a stack, or its record, with a header.

    Its first player is our Black.  Whoever invokes the pie rule there takes over the seat of the
    first player, which is swap-sides; only records tell.  Raise RecordError for other games.
    """
    said = expect(load_json(text), dict, "the game")
    if answer := _answer(said):
        said = {**expect(load_json(answer["state"]), dict, "state"), "answer": answer}
    if "header" in said:
        return _read_header_and_moves(said, notes)
    game = expect_text(said.get("game"), "game")
    line = _line_of(game, expect(said.get("variants", []), list, "variants"), notes)
    answer = said.get("answer", {})
    is_swapped = answer.get("pieInvoked") is True
    _name_players(line.record, answer.get("players", []), is_swapped=is_swapped)
    for number, state in enumerate(expect(said.get("stack"), list, "stack")):
        colour = WHITE if number % 2 == 0 else BLACK  # the first state is the empty board
        results = expect(expect(state, dict, "stack").get("_results", []), list, "_results")
        for result in results:
            kind = expect(result, dict, "_results").get("type")
            if kind == "place":
                line.add(colour, Action.PLAY, result.get("where"))
            elif kind in _ENDS:
                line.record.result = f"{'W' if result.get('player') == 1 else 'B'}+{_ENDS[kind]}"
        if number == 1 and is_swapped:
            line.add(WHITE, Action.SWAP_SIDES)
    winners = said.get("winner")
    if not line.record.result and winners in ([1], [2]):
        line.record.result = "B+" if winners == [1] else "W+"
    return line.end()


def _answer(said: object) -> dict[str, Any] | None:
    """Return the game in an answer of Abstract Play's server, which has its state as a text."""
    answer = said.get("game") if isinstance(said, dict) else None
    has_state = isinstance(answer, dict) and isinstance(answer.get("state"), str)
    return answer if has_state else None


def _read_header_and_moves(said: dict[str, Any], notes: Notes) -> Record:
    header = expect(said["header"], dict, "header")
    game = expect(header.get("game"), dict, "header.game")
    variants = expect(game.get("variants", []), list, "variants")
    line = _line_of(expect_text(game.get("name"), "header.game.name").lower(), variants, notes)
    is_swapped = header.get("pie-invoked") is True or header.get("pied") is True
    players = expect(header.get("players", []), list, "header.players")
    _name_players(line.record, players, is_swapped=is_swapped)
    for word in ("event", "round"):
        if isinstance(header.get(word), str):
            line.record.info[word] = expect_text(header[word], word)
    if isinstance(header.get("date-end"), str):
        line.record.info["date"] = expect_text(header["date-end"], "date-end")[:10]
    how = ""
    for number, said_move in enumerate(_moves_of(expect(said.get("moves"), list, "moves"))):
        colour = BLACK if number % 2 == 0 else WHITE
        if said_move in _ENDS:
            how = _ENDS[said_move]
            break
        line.add(colour, Action.PLAY, said_move)
        if number == 0 and is_swapped:
            line.add(WHITE, Action.SWAP_SIDES)
    results = [player.get("result") for player in players if isinstance(player, dict)]
    if results in ([1, 0], [0, 1]):
        line.record.result = f"{'B' if results == [1, 0] else 'W'}+{how}"
    return line.end()


def _moves_of(rounds: list[Any]) -> Iterator[str]:
    """Yield the moves of rounds, each of which may be a text or have one."""
    for one in rounds:
        for move in expect(one, list, "moves"):
            word = move.get("move") if isinstance(move, dict) else move
            if word is not None:
                yield expect_text(word, "moves").strip().lower()


def _line_of(game: str, variants: list[Any], notes: Notes) -> _Line:
    if game not in _GAMES_OF_ABSTRACT_PLAY:
        raise RecordError(f"{printable(game)} is neither Hex nor Y")
    size = _USUAL_SIZE
    for variant in variants:
        found = _SIZE_VARIANT.fullmatch(str(variant))
        if found is None:
            raise RecordError(f"{game} with {printable(str(variant))} is another game")
        size = int(found[1] or _USUAL_SIZE)
    try:
        board = make_board(game, size)
    except ValueError as error:
        raise RecordError(str(error)) from None
    notation = NOTATIONS[_GAMES_OF_ABSTRACT_PLAY[game]]
    notes.decide("the first player is our Black")
    return _Line(board, notation, notes)


def _name_players(record: Record, players: object, *, is_swapped: bool) -> None:
    """Keep the names of players, which are listed by their seats at the end."""
    names = (
        [p.get("name") for p in players if isinstance(p, dict)] if isinstance(players, list) else []
    )
    for colour, name in zip((WHITE, BLACK) if is_swapped else (BLACK, WHITE), names, strict=False):
        if isinstance(name, str):
            record.players[colour] = expect_text(name, "players")


def read_board_game_arena(text: str, notes: Notes) -> Record:
    """Read the log of a game of Hex at Board Game Arena.  Raise RecordError if it isn't one.

    HexWorld's page on importing games describes the log: `playToken` has the cell, `swapPieces` is
    swap-pieces, and a first message has the size and says who is red, our Black.
    """
    events = list(_events(text))
    size = next((found for kind, args in events if (found := _size_in(args))), None)
    if size is None or not any(kind == "playToken" for kind, _ in events):
        raise RecordError("this is no log of a game of Hex: it has no size, or no moves")
    try:
        line = _Line(hex_board(*size), NOTATIONS["hex"], notes)
    except ValueError as error:
        raise RecordError(str(error)) from None
    red = next((str(args["red"]) for _, args in events if args.get("red")), None)
    for kind, args in events:
        player = str(args.get("player_id"))
        if kind not in _EVENTS:
            continue
        red = red or player
        colour = BLACK if player == red else WHITE
        if isinstance(args.get("player_name"), str):
            line.record.players.setdefault(colour, expect_text(args["player_name"], "player_name"))
        if _EVENTS[kind] is Action.RESIGN:
            line.record.result = f"{'W' if colour is BLACK else 'B'}+Resign"
        line.add(colour, _EVENTS[kind], args.get("coord"))
    return line.end()


_EVENTS = {
    "playToken": Action.PLAY,
    "swapPieces": Action.SWAP_PIECES,
    "pass": Action.PASS,
    "resign": Action.RESIGN,
    "playerConcedeGame": Action.RESIGN,
}


def _size_in(args: dict[str, Any]) -> tuple[int, int] | None:
    found = _SIZE.fullmatch(str(args.get("size")))
    return (int(found[1]), int(found[2])) if found else None


def _events(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield type and arguments of what happened, from all packets."""
    try:
        said = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"not JSON: {error}") from None
    packets = _packets(said)
    if packets is None:
        raise RecordError("this is no log of Board Game Arena: it has no packets")
    for packet in packets:
        data = packet.get("data") if isinstance(packet, dict) else None
        for event in data if isinstance(data, list) else ():
            if isinstance(event, dict) and isinstance(event.get("args"), dict):
                yield str(event.get("type")), event["args"]


def _packets(said: object) -> list[Any] | None:
    """Return the packets of a log, in an answer of the server or bare; None if there are none."""
    if isinstance(said, dict) and isinstance(said.get("data"), dict):
        said = said["data"].get("logs", said["data"].get("data"))
    if isinstance(said, dict) and isinstance(said.get("data"), list):
        return [said]
    return said if isinstance(said, list) else None
