"""Games of a tournament as game records: SGF, and links to HexWorld."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from trivalent.core.board import BLACK, WHITE
from trivalent.core.records.formats import write
from trivalent.core.records.record import Action, RecordError, Turn
from trivalent.core.records.record import Record as GameRecord
from trivalent.tools.tournament.model import Ending, TimeControl
from trivalent.tools.tournament.report.conditions import clock_text, engine_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trivalent.core.board import Board
    from trivalent.tools.tournament.model import Game, Record
    from trivalent.tools.tournament.report.conditions import Conditions

_ACTIONS = {action.value: action for action in Action if action is not Action.PLAY}
_RESULTS = {
    Ending.CONNECTION: "",
    Ending.POINTS: "",
    Ending.RESIGNATION: "Resign",
    Ending.TIME: "Time",
}


def game_record(
    board: Board,
    game: Game,
    record: Record,
    event: str = "",
    engines: Sequence[Conditions] = (),
) -> GameRecord:
    """Return a game as a record with players, moves, result and the time of each move.

    Of the ``engines``, the clocks and a description of the two players are added.
    """
    made = GameRecord(board, players={BLACK: game.black, WHITE: game.white})
    made.info = {
        "game name": game.id,
        "round": str(game.round),
        "opening": game.opening.name,
        "date": datetime.fromtimestamp(record.started, UTC).strftime("%Y-%m-%d"),
    }
    if event:
        made.info["event"] = event
    players = {engine.engine: engine for engine in engines}
    seats = {"Black": players.get(game.black), "White": players.get(game.white)}
    made.info |= _clocks({seat: player.clock for seat, player in seats.items() if player})
    lines = [f"{seat}: {engine_text(player)}" for seat, player in seats.items() if player]
    if record.detail:
        lines.append(f"{record.ending.value}: {record.detail}")
    node = made.root
    node.comment = "\n".join(lines)
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


def _clocks(clocks: Mapping[str, TimeControl]) -> dict[str, str]:
    """Return the facts about time, of which SGF has only one for both players."""
    if len(set(clocks.values())) != 1:
        odds = "; ".join(f"{seat}: {clock_text(clock)}" for seat, clock in clocks.items())
        return {"overtime": odds} if odds else {}
    (clock,) = set(clocks.values())
    facts = {"time limit": f"{clock.main:.10g}"} if clock.main else {}
    rest = replace(clock, main=0.0)
    if rest != TimeControl():
        facts["overtime"] = clock_text(rest)
    return facts


def _result(game: Game, record: Record, *, swapped: bool) -> str:
    """Return the result in SGF notation, where the winner is a colour rather than an engine."""
    if not record.winner:
        return "Void"
    black = game.white if swapped else game.black
    how = _RESULTS.get(record.ending, "Forfeit")
    return f"{'B' if record.winner == black else 'W'}+{how}"


def sgf(
    board: Board,
    game: Game,
    record: Record,
    event: str = "",
    *,
    engines: Sequence[Conditions] = (),
    address: str = "",
) -> str:
    """Return a game as SGF; `address` is added to its first comment."""
    made = game_record(board, game, record, event, engines)
    made.root.comment = "\n".join(filter(None, (made.root.comment, address)))
    return write(made, "sgf")


def link(board: Board, game: Game, record: Record) -> str:
    """Return a HexWorld link to the game, or an empty string if HexWorld can't show the board."""
    try:
        return write(game_record(board, game, record), "hexworld").strip()
    except RecordError:
        return ""
