"""Reviews as JSON, for other programs and for the page.  The README describes the keys."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from trivalent.bot.review.judgement import Phase, accuracy
from trivalent.core import VERSION
from trivalent.core.board import BLACK, WHITE
from trivalent.core.records.formats import Games, write

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from trivalent.bot.review.judgement import Station, Verdict
    from trivalent.bot.review.position_analyst import Effort
    from trivalent.core.board import Board
    from trivalent.core.position import Position
    from trivalent.tools.review.annotated_record import ReviewedGame

FORMAT = "trivalent review"
"""What a review says at its key ``format``."""
MAX_CANDIDATES = 8
"""Most moves of a position that are kept."""

_COLOURS = tuple(map(str, (BLACK, WHITE)))


def as_json(games: Sequence[dict[str, Any]], effort: Effort) -> str:
    """Return reviewed games, as `game_data` returns them, as JSON."""
    whole = {
        "format": FORMAT,
        "version": VERSION,
        "effort": {effort.unit: effort.amount},
        "games": games,
    }
    return json.dumps(whole, indent=1, allow_nan=False) + "\n"


def game_data(game: ReviewedGame) -> dict[str, Any]:
    """Return a reviewed game as values for JSON.  The record must not be annotated yet."""
    review, board = game.review, game.record.board
    losing = review.losing_move
    return {
        "source": game.source,
        "game": board.game,
        "width": board.width,
        "height": board.height,
        "players": dict(zip(_COLOURS, game.players, strict=True)),
        "result": game.record.result,
        "note": review.line.note,
        "sgf": write(game.record, "sgf"),
        "loser": None if review.loser is None else _COLOURS[review.loser],
        "losing_move": None if losing is None else review.verdicts[losing].step.number,
        "accuracy": {
            colour: _accuracies(review.verdicts, person) for person, colour in enumerate(_COLOURS)
        },
        "positions": [_position(station, board) for station in review.stations],
        "moves": [_move(game, index) for index in range(len(review.verdicts))],
    }


def _accuracies(verdicts: Sequence[Verdict], person: int) -> dict[str, float | None]:
    phases: dict[str, Phase | None] = {"all": None, **{phase.value: phase for phase in Phase}}
    return {name: _rounded(accuracy(verdicts, person, phase)) for name, phase in phases.items()}


def _rounded(share: float | None) -> float | None:
    return None if share is None else round(share, 4)


def _names(cells: Iterable[int], board: Board) -> list[str]:
    return [board.names[cell] for cell in cells]


def _position(station: Station, board: Board) -> dict[str, Any]:
    analysis = station.analysis
    winner = station.winner
    return {
        "stones": {
            str(colour): _names(
                (cell for cell, stone in enumerate(station.position.stones) if stone == colour),
                board,
            )
            for colour in (BLACK, WHITE)
        },
        "to_play": str(station.position.to_play),
        "black_chance": round(station.chance(BLACK), 4),
        "proven": None if winner is None else str(winner),
        "proven_by": station.source or None,
        "value": round(analysis.value, 4) if analysis else None,
        "nodes": analysis.nodes if analysis else 0,
        "best": None if station.best is None else board.names[station.best],
        "line": _names(station.line, board),
        "candidates": [
            {
                "move": board.names[move.cell],
                "visits": move.visits,
                "chance": round(station.chance_of(move), 4),
                "proven": move.proven,
                "prior": move.prior,
            }
            for move in (analysis.considered[:MAX_CANDIDATES] if analysis else ())
        ],
        "ownership": [round(share, 2) for share in analysis.ownership] if analysis else [],
    }


def _move(game: ReviewedGame, index: int) -> dict[str, Any]:
    verdict, board = game.review.verdicts[index], game.record.board
    step = verdict.step
    values: dict[str, Any] = {
        "number": step.number,
        "player": _COLOURS[step.person],
        "colour": str(step.turn.colour),
        "move": game.move_name(step.turn),
        "before": round(verdict.before, 4),
        "after": round(verdict.after, 4),
        "cost": round(verdict.cost, 4),
        "grade": verdict.grade.value,
        "phase": verdict.phase.value,
        "better": game.move_name(verdict.better) or None,
        "line": _names(verdict.line, board),
        "turning_point": verdict.is_turning_point,
        "proven": verdict.is_proven,
        "certainty": round(verdict.certainty, 4),
    }
    reason = game.review.reasons.get(index)
    if reason:
        values["why"] = {
            "sentences": list(reason.sentences),
            "carrier": _names(reason.carrier, board),
            "refutation": _names(reason.refutation, board),
            "refuting_carrier": _names(reason.refuting_carrier, board),
        }
        values["link"] = game.link(verdict)
    return values


class ReviewFileError(ValueError):
    """A file that isn't a review; the message is a sentence without the file's name."""


def proven_turning_points(text: str) -> Iterator[tuple[str, Position]]:
    """Yield the positions before the proven turning points of reviews, with names.

    Raise ReviewFileError if the text isn't what `as_json` returns.
    """
    try:
        whole = json.loads(text)
        if whole.get("format") == FORMAT:
            for game in whole["games"]:
                yield from _proven_points(game)
            return
    except (AttributeError, KeyError, TypeError, ValueError, IndexError) as error:
        reason = f"this is no review written by `trivalent review --json`: {error}"
        raise ReviewFileError(reason) from None
    raise ReviewFileError(f"this is no review: its format is not {FORMAT!r}")


def _proven_points(game: dict[str, Any]) -> Iterator[tuple[str, Position]]:
    record = Games(game["sgf"], "sgf").read().record
    nodes = [node for node in record.root.end().line() if node.turn is not None]
    for move in game["moves"]:
        node = nodes[move["number"] - 1]
        if move["turning_point"] and move["proven"] and node.turn is not None:
            position = record.position(node.parent)
            position.to_play = node.turn.colour
            yield f"{game['source']}, move {move['number']}", position
