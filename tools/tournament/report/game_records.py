"""Games of a tournament as game records: SGF, and links to HexWorld."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from trivalent.core.board import BLACK, WHITE
from trivalent.core.records.formats import write
from trivalent.core.records.record import Action, RecordError, Turn
from trivalent.core.records.record import Record as GameRecord
from trivalent.tools.tournament.model import Ending

if TYPE_CHECKING:
    from trivalent.core.board import Board
    from trivalent.tools.tournament.model import Game, Record

_ACTIONS = {action.value: action for action in Action if action is not Action.PLAY}
_RESULTS = {
    Ending.CONNECTION: "",
    Ending.RESIGNATION: "Resign",
    Ending.TIME: "Time",
}


def game_record(board: Board, game: Game, record: Record, event: str = "") -> GameRecord:
    """Return a game as a record with players, moves, result and the time of each move."""
    made = GameRecord(board, players={BLACK: game.black, WHITE: game.white})
    made.info = {
        "game name": game.id,
        "round": str(game.round),
        "opening": game.opening.name,
        "date": datetime.fromtimestamp(record.started, UTC).strftime("%Y-%m-%d"),
    }
    if event:
        made.info["event"] = event
    node = made.root
    node.comment = f"{record.ending.value}: {record.detail}" if record.detail else ""
    colour, swapped = BLACK, False
    for number, word in enumerate(record.moves):
        action = _ACTIONS.get(word, Action.PLAY)
        cell = board.cell(word) if action is Action.PLAY else None
        node = node.add(Turn(colour, action, cell))
        if number < len(record.seconds) and record.seconds[number]:
            node.comment = f"{record.seconds[number]:.3f} s"
        swapped ^= action is Action.SWAP_SIDES
        colour = node.turn.next_to_play if node.turn else colour
    made.result = _result(game, record, swapped=swapped)
    return made


def _result(game: Game, record: Record, *, swapped: bool) -> str:
    """Return the result in SGF notation, where the winner is a colour rather than an engine."""
    if not record.winner:
        return "Void"
    black = game.white if swapped else game.black
    how = _RESULTS.get(record.ending, "Forfeit")
    return f"{'B' if record.winner == black else 'W'}+{how}"


def sgf(board: Board, game: Game, record: Record, event: str = "", address: str = "") -> str:
    """Return a game as SGF; `address` is added to its first comment."""
    made = game_record(board, game, record, event)
    made.root.comment = "\n".join(filter(None, (made.root.comment, address)))
    return write(made, "sgf")


def link(board: Board, game: Game, record: Record) -> str:
    """Return a HexWorld link to the game, or an empty string if HexWorld can't show the board."""
    try:
        return write(game_record(board, game, record), "hexworld").strip()
    except RecordError:
        return ""
