"""The main line of a game record as positions and turns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trivalent.core.board import BLACK
from trivalent.core.games import GAMES
from trivalent.core.position import Position
from trivalent.core.records.record import Action, apply, illegal_moves

if TYPE_CHECKING:
    from trivalent.core.board import Board, Colour
    from trivalent.core.records.record import Node, Record, Turn


class ReviewError(ValueError):
    """A game that can't be reviewed; the message is a sentence."""


@dataclass(frozen=True, slots=True)
class Step:
    """A turn of a game."""

    number: int
    """Which turn of the game it is, from 1."""
    node: Node
    turn: Turn
    person: int
    """Who takes the turn: 0 the player who began as Black, 1 the other one."""


@dataclass(frozen=True, slots=True)
class GameLine:
    """The main line of a game, as far as it can be reviewed."""

    board: Board
    steps: tuple[Step, ...]
    positions: tuple[Position, ...]
    """The position before each step, and the last one.  The side to move is the colour of the turn
    that follows."""
    allows_swap: bool | None
    """Whether the second player may swap; None if unknown."""
    note: str
    """What is left out, as a sentence; empty if it's the whole game."""

    @property
    def is_resigned(self) -> bool:
        """Whether the last step is a resignation."""
        return bool(self.steps) and self.steps[-1].turn.action is Action.RESIGN


def game_line(record: Record, *, allows_swap: bool | None = None, loss: str = "") -> GameLine:
    """Return the main line of a record, up to the first turn that makes no sense.

    The swap is allowed if the game has one, else as ``allows_swap`` says.  ``loss`` says which
    moves the record lacks, if any: then two moves in a row of the same player make no sense,
    either.  Raise ReviewError for a game other than Hex and Y, or one without moves.
    """
    board = record.board
    if not GAMES[board.game].reduced:
        raise ReviewError(f"only games of Hex and Y can be reviewed, not of {board}")
    faults = {id(node): reason for node, reason in illegal_moves(record, within=False)}
    steps: list[Step] = []
    position = Position(board)
    positions = []
    note = ""
    for node in record.root.end().line():
        note = _end(position, node, len(steps), faults.get(id(node), ""))
        turn = node.turn
        if loss and turn and steps and _is_twice_in_a_row(steps[-1].turn, turn):
            note = f"what follows move {len(steps)} is left out"
        if note:
            break
        if turn is not None:
            position.to_play = turn.colour
            person = int((turn.colour is BLACK) is position.players_swapped)
            steps.append(Step(len(steps) + 1, node, turn, person))
            positions.append(position.copy())
            if turn.action is Action.RESIGN:
                break
        apply(position, node)
    if not any(step.turn.action is Action.PLAY for step in steps):
        raise ReviewError(note or "the game has no moves to review")
    if steps[-1].turn.action is not Action.RESIGN:
        positions.append(position)
    swapped = any(is_swap(step.turn) for step in steps)
    note = "; ".join(filter(None, (loss, note)))
    return GameLine(board, (*steps,), (*positions,), swapped or allows_swap, note)


def _end(position: Position, node: Node, moves: int, fault: str) -> str:
    """Return why a review ends before a node, or an empty string."""
    turn = node.turn
    if turn is not None and position.winner is not None:
        return f"{position.winner} has won; what follows move {moves} is left out"
    if fault:
        ends = "; the review ends before it" if moves else ""
        return f"move {moves + 1} is illegal: {fault}{ends}"
    if moves and node.setup:
        return f"stones are set up after move {moves}; the review ends there"
    if turn is not None and turn.action is Action.FORFEIT:
        return f"{turn.colour} forfeits after move {moves}"
    return ""


def _is_twice_in_a_row(before: Turn, turn: Turn) -> bool:
    return turn.action is Action.PLAY and turn.colour is colour_after(before)


_SWAPS = (Action.SWAP_PIECES, Action.SWAP_SIDES)


def is_swap(turn: Turn) -> bool:
    """Return whether a turn is a swap."""
    return turn.action in _SWAPS


def colour_after(turn: Turn) -> Colour:
    """Return the colour that the player of a turn has after it."""
    return turn.colour.opponent if turn.action is Action.SWAP_SIDES else turn.colour
