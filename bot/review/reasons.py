"""Why a move lost the lead: what would have been better, what refutes it, in words and cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trivalent.bot.knowledge._virtual_connections import can_connect
from trivalent.bot.knowledge.explanations import cell as about_cell
from trivalent.bot.knowledge.explanations import kind, list_names
from trivalent.bot.knowledge.virtual_connections import VirtualConnections
from trivalent.bot.review.ladders import describe_ladder
from trivalent.core.records.record import Action

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from trivalent.bot.review.judgement import Station, Verdict
    from trivalent.bot.review.review_store import Proof
    from trivalent.core.board import Colour
    from trivalent.core.position import Position

    Ask = Callable[[Position], Proof]

MAX_MUSTPLAY = 8
"""Largest number of cells worth listing that would have stopped a threat."""


MAX_CARRIER = 8
"""Largest carrier whose cells are worth listing."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a turn lost the lead."""

    sentences: tuple[str, ...]
    """Without full stops, in the words of `trivalent explain`."""
    carrier: tuple[int, ...] = ()
    """The cells that the player would have needed after the better move, if they are known."""
    refutation: tuple[int, ...] = ()
    """How the opponent makes use of the turn: cells in turn, beginning with the opponent's."""
    refuting_carrier: tuple[int, ...] = ()
    """The cells that the opponent needs after the turn, if they are known."""


def explain_turn(verdict: Verdict, before: Station, after: Station | None, ask: Ask) -> Reason:
    """Return why a turn lost the lead.

    ``after`` is what is known about the position after it, None for a resignation.  ``ask`` asks
    the solver about an open position.
    """
    position, turn = before.position, verdict.step.turn
    sentences: list[str] = []
    carrier: tuple[int, ...] = ()
    if turn.action is Action.PLAY and turn.cell is not None:
        sentences += _about_threat(position, turn.cell)
    if verdict.better is not None and verdict.better.cell is not None:
        said, carrier = _about_better(verdict, position, ask)
        sentences += said
    elif verdict.better is not None:
        sentences.append("swapping would have been better")
    refutation: tuple[int, ...] = ()
    refuting: tuple[int, ...] = ()
    if after is None:
        sentences.append(f"{turn.colour} resigns although the game was not lost")
    elif after.position.winner is None:
        refutation = after.line
        said, refuting = _about_refutation(after, ask)
        sentences += said
    return Reason((*dict.fromkeys(sentences),), carrier, refutation, refuting)


def explain_opening(verdict: Verdict, after: Station) -> Reason:
    """Return why a first move that may be swapped isn't even."""
    colour, cell = verdict.step.turn.colour, verdict.step.turn.cell
    assert cell is not None
    name = after.position.board.names[cell]
    if after.chance(colour) > 0.5:
        return Reason((f"{name} is so strong that {colour.opponent} does best to swap",))
    return Reason((f"{name} is so weak that {colour.opponent} does best not to swap",))


def _about_threat(position: Position, played: int) -> Iterator[str]:
    """Yield what the played move neglects."""
    board, mover = position.board, position.to_play
    if not can_connect(board):
        return
    name = board.names[played]
    known = about_cell(position, mover, name)
    if not known.startswith("nothing is known"):
        yield known
    threat = VirtualConnections(board, position.stones, mover.opponent)
    if threat.mustplay is not None and played not in threat.mustplay:
        cells = list_names(board, threat.mustplay[:MAX_MUSTPLAY], "or")
        only = f"only {cells} could stop it" if len(threat.mustplay) <= MAX_MUSTPLAY else ""
        yield f"{mover.opponent} threatened to connect its sides" + (f": {only}" if only else "")
        yield f"{name} doesn't stop the threat"


def _about_better(
    verdict: Verdict, position: Position, ask: Ask
) -> tuple[list[str], tuple[int, ...]]:
    """Return what the better move achieves, and its carrier."""
    better, mover = verdict.better, position.to_play
    assert better is not None
    assert better.cell is not None
    board, name = position.board, position.board.names[better.cell]
    how = "wins" if verdict.before == 1.0 else f"keeps {verdict.before:.0%}"
    line = " ".join(board.names[cell] for cell in verdict.line)
    sentences = [f"{name} {how}: {line}" if len(verdict.line) > 1 else f"{name} {how}"]
    if ladder := describe_ladder(position, verdict.line):
        sentences.append(ladder)
    after = position.copy()
    after.play(mover, better.cell)
    if after.winner is not None:
        return [f"{name} connects {mover}'s sides at once"], ()
    carrier: tuple[int, ...] = ()
    if can_connect(board):
        connections = VirtualConnections(board, after.stones, mover)
        said, carrier = _connected(connections, better.cell)
        sentences += said
    proof = ask(after)
    return sentences, _smaller(carrier, proof.carrier if proof.winner is mover else ())


def _connected(connections: VirtualConnections, cell: int) -> tuple[list[str], tuple[int, ...]]:
    """Return what a stone is connected to, and the carrier if that wins."""
    board, colour, name = connections.board, connections.colour, connections.board.names[cell]
    if connections.winner == 2:
        wins = connections.wins(full=True)
        said = f"after {name}, {colour}'s sides are connected, whoever moves"
        return [said], wins[0].carrier if wins else ()
    point = connections.first(cell)
    sentences = []
    for side in board.goal(colour):
        end = len(board) + side
        if links := connections.between(point, end, full=True):
            said = f"{name} is connected to {connections.name(end)}"
            if len(links[0].carrier) <= MAX_CARRIER:
                said += f" by {kind(connections, links[0])}"
            sentences.append(said)
        elif links := connections.between(point, end, full=False):
            threats = list_names(board, sorted({link.key for link in links[:3]}), "or")
            sentences.append(f"{name} threatens to connect to {connections.name(end)} at {threats}")
    return sentences, ()


def _about_refutation(after: Station, ask: Ask) -> tuple[list[str], tuple[int, ...]]:
    """Return what the opponent, who is to move, makes of the turn, and the carrier of the win."""
    position = after.position
    board, winner = position.board, position.to_play
    sentences = []
    proof = ask(position)
    is_won = proof.winner is winner or after.winner is winner
    if after.line:
        line = " ".join(board.names[cell] for cell in after.line)
        chance = "wins" if is_won else f"has {after.chance(winner):.0%}"
        sentences.append(f"{winner} {chance} with {line}")
        if ladder := describe_ladder(position, after.line):
            sentences.append(ladder)
    carrier = proof.carrier if proof.winner is winner else ()
    if can_connect(board):
        connections = VirtualConnections(board, position.stones, winner)
        sentences += _result(connections, winner)
        wins = connections.wins(full=connections.winner == 2)
        carrier = _smaller(wins[0].carrier if wins else (), carrier)
    return sentences, carrier


def _smaller(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    """Return the smaller of two carriers; an empty one is unknown."""
    return min(filter(None, (one, other)), key=len, default=())


def _result(connections: VirtualConnections, winner: Colour) -> Iterator[str]:
    """Yield what is known about the result if it's the turn of ``winner``."""
    if connections.winner == 2:
        yield f"{winner}'s sides are already connected, whoever moves"
    elif connections.winner:
        keys = sorted({link.key for link in connections.wins(full=False)})
        yield f"{winner} connects its sides by playing {list_names(connections.board, keys, 'or')}"
