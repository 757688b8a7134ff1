"""A reviewed game as a record: with comments, better moves as variations, and links to HexWorld."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trivalent.bot.review.judgement import accuracy
from trivalent.core.board import BLACK, WHITE
from trivalent.core.records.formats import write
from trivalent.core.records.record import Action, RecordError, Turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trivalent.bot.review.judgement import Verdict
    from trivalent.bot.review.reviewer import Review
    from trivalent.core.board import Colour
    from trivalent.core.records.record import Node, Record


@dataclass(frozen=True, slots=True)
class ReviewedGame:
    """A game with its review."""

    source: str
    """Where it comes from, for people."""
    record: Record
    review: Review

    @property
    def players(self) -> tuple[str, str]:
        """The names of the players, first that of the player who began as Black."""
        named = (self.record.players.get(colour, "") for colour in (BLACK, WHITE))
        swapped = any(v.step.turn.action is Action.SWAP_SIDES for v in self.review.verdicts)
        defaults = _BY_TURN if swapped else _BY_COLOUR
        first, second = (name or default for name, default in zip(named, defaults, strict=True))
        return first, second

    def move_name(self, turn: Turn | None) -> str:
        """Return the name of a turn: its cell, or the word for it."""
        if turn is None:
            return ""
        return turn.action.value if turn.cell is None else self.record.board.names[turn.cell]

    def link(self, verdict: Verdict) -> str:
        """Return a link to HexWorld that shows the game at a turn, or an empty string."""
        before = self.record.cursor
        self.record.cursor = verdict.step.node
        try:
            return write(self.record, "hexworld").strip()
        except RecordError:  # HexWorld has no Y
            return ""
        finally:
            self.record.cursor = before


_BY_COLOUR = ("Black", "White")
_BY_TURN = ("First player", "Second player")
"""Names of players who changed their colours."""


def percent(share: float) -> str:
    """Return a share as a percentage, which is 0 or 100 only if nothing is missing."""
    if share in (0.0, 1.0):
        return f"{share:.0%}"
    return f"{min(max(share, 0.01), 0.99):.0%}"


def describe(game: ReviewedGame, verdict: Verdict) -> str:
    """Return the judgement on a turn in a sentence."""
    chances = f"{percent(verdict.before)} to {percent(verdict.after)}"
    said = f"{verdict.step.turn.colour}'s chances: {chances}, {verdict.grade.value}"
    if verdict.better is not None:
        said += f", better was {game.move_name(verdict.better)}"
    if verdict.is_turning_point:
        how = "proven" if verdict.is_proven else f"certainty {percent(verdict.certainty)}"
        said += f"; turning point ({how})"
    return said


def annotate(game: ReviewedGame) -> None:
    """Add the review to the record: comments, and better lines as variations."""
    review = game.review
    for index, verdict in enumerate(review.verdicts):
        node = verdict.step.node
        said = [describe(game, verdict)]
        if index == review.losing_move:
            said.append("Here the game was lost.")
        reason = review.reasons.get(index)
        if reason:
            said += [f"{sentence}." for sentence in reason.sentences]
            _add_line(node, verdict.step.turn.colour.opponent, reason.refutation, "refutation")
        _say(node, said)
        better = verdict.better
        if node.parent is not None and better is not None and better.cell is not None:
            line = verdict.line or (better.cell,)
            _add_line(node.parent, verdict.step.turn.colour, line, "better")
    _say(game.record.root, list(summary_lines(game)))


def summary_lines(game: ReviewedGame) -> Iterable[str]:
    """Yield sentences about the whole game."""
    review = game.review
    for person, name in enumerate(game.players):
        share = accuracy(review.verdicts, person)
        if share is not None:
            yield f"{name}: accuracy {percent(share)}"
    if review.losing_move is not None:
        verdict = review.verdicts[review.losing_move]
        move = game.move_name(verdict.step.turn)
        name = game.players[verdict.step.person]
        yield f"{name} lost the game with move {verdict.step.number}, {move}"
    if review.line.note:
        yield review.line.note


def _say(node: Node, said: list[str]) -> None:
    node.comment = "\n".join(filter(None, [node.comment, *said]))


def _add_line(node: Node, colour: Colour, cells: Sequence[int], comment: str) -> None:
    """Add a variation after a node; if there is one with this first move, only the comment."""
    if not cells:
        return
    for child in node.children:
        if child.turn and child.turn.cell == cells[0]:
            if child is not node.children[0]:
                _say(child, [comment])
            return
    if not node.children:
        # A node without a move, so that the variation isn't the main line.
        node.add().comment = "end of the game"
    for number, cell in enumerate(cells):
        node = node.add(Turn(colour, Action.PLAY, cell))
        if not number:
            node.comment = comment
        colour = colour.opponent
