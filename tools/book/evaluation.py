"""Evaluating positions of a book: what a worker does, here or on another machine."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from trivalent.bot.player import AvoidError, Limits, Stop
from trivalent.bot.players.registry import PLAYERS, make_player
from trivalent.core.games import make_board

if TYPE_CHECKING:
    from trivalent.bot.book.book_file import BookSettings
    from trivalent.bot.book.book_positions import Stones
    from trivalent.bot.player import Player
    from trivalent.bot.solver.result_database import FallibleStore
    from trivalent.bot.solver.solved_store import SolvedStore

_REPEATABLE = {"threads": "1", "reuse": "0"}
"""Parameters that an evaluator gets by default, if it has them: workers use one core each, and an
evaluation depends on nothing but the position."""


@dataclass(frozen=True)
class Evaluator:
    """A player and its limits; the same ones in every process."""

    board: tuple[str, int, int]
    player: str
    parameters: tuple[tuple[str, str], ...]
    nodes: int
    seconds: float

    @classmethod
    def of(cls, settings: BookSettings) -> Evaluator:
        """Return the evaluator of a book.  Raise ValueError if there's no such player."""
        player = make_player(settings.player, settings.parameters)  # checks names and values
        known = {name: value for name, value in _REPEATABLE.items()
                 if name in PLAYERS[settings.player][0].names()}  # fmt: skip
        given = player.parameters.translated(settings.parameters)
        return cls(
            (settings.game, settings.columns, settings.rows),
            settings.player,
            tuple(sorted((known | given).items())),
            settings.nodes,
            settings.seconds,
        )


class Question(NamedTuple):
    """A position, and the cells that its best move must not be on."""

    stones: Stones
    avoid: frozenset[int] = frozenset()


class Estimate(NamedTuple):
    """The best move of a position."""

    move: int | None
    """None if no move is left."""
    value: float
    """Estimated probability that it wins, 0 to 1."""
    proof: bool | None
    """True if it's proven to win; False if all moves that weren't avoided lose."""


class EvaluationError(RuntimeError):
    """A player can't evaluate positions; the message is one sentence."""


_LOST = Estimate(None, 0.0, proof=False)


def evaluate(evaluator: Evaluator, questions: tuple[Question, ...]) -> list[Estimate]:
    """Answer questions about positions.  Raise EvaluationError if the player doesn't analyse."""
    return [_evaluate(evaluator, question) for question in questions]


def solved_answer(
    evaluator: Evaluator, question: Question, store: FallibleStore[SolvedStore]
) -> Estimate | None:
    """Return the answer that follows from a store of solved positions, or None: ask the player."""
    position = question.stones.position(make_board(*evaluator.board))
    if position.winner is not None:
        return None
    solved = store.ask(lambda store: store.get(position))
    if solved is None:
        return None
    if solved.winner is not position.to_play:
        return _LOST
    if solved.move is None or solved.move in question.avoid:
        return None
    return Estimate(solved.move, 1.0, proof=True)


def _evaluate(evaluator: Evaluator, question: Question) -> Estimate:
    position = question.stones.position(make_board(*evaluator.board))
    if position.winner is not None:
        won = position.winner is position.to_play
        return Estimate(None, 1.0, proof=True) if won else _LOST
    if question.avoid.issuperset(position.empty_cells):
        return _LOST
    player = _player(evaluator)
    player.set_position(position)
    limits = Limits(evaluator.nodes or None, evaluator.seconds or None, avoid=question.avoid)
    try:
        player.genmove(position.to_play, limits, Stop())
    except AvoidError:  # what isn't avoided is inferior to what is
        return _LOST
    analysis = player.analysis()
    if not analysis.moves:
        raise EvaluationError(f"the player {evaluator.player} does not evaluate its moves")
    best = analysis.moves[0]
    return Estimate(best.cell, min(1.0, max(0.0, analysis.value)), best.proven)


class _Latest(threading.local):
    """The player of this thread, kept from question to question: players aren't thread-safe."""

    evaluator: Evaluator | None = None
    player: Player


_latest = _Latest()


def _player(evaluator: Evaluator) -> Player:
    if _latest.evaluator != evaluator:
        _latest.player = make_player(evaluator.player, dict(evaluator.parameters))
        _latest.evaluator = evaluator
    return _latest.player
