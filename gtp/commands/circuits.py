"""Commands that show a position as electric circuits, some of them under benzene's names.

They need no search, whatever the player is.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from trivalent.bot.circuits.evaluation import (
    UNREACHABLE,
    evaluate,
    two_distance_score,
    two_distances,
)
from trivalent.gtp.commands.graphics import influence
from trivalent.gtp.engine.arguments import GtpError
from trivalent.gtp.engine.command import Command

if TYPE_CHECKING:
    from trivalent.bot.circuits.evaluation import Evaluation
    from trivalent.gtp.engine.arguments import Arguments
    from trivalent.gtp.engine.session import Session


def _evaluation(session: Session, arguments: Arguments) -> Evaluation:
    """Evaluate the position for a side to move: the only argument, or else the position's."""
    arguments.expect_count(0, 1)
    position = session.position.copy()
    if len(arguments):
        position.to_play = arguments.colour(0)
    try:
        return evaluate(position)
    except ValueError as error:
        raise GtpError(str(error)) from None


def _resistances(session: Session, arguments: Arguments) -> str:
    found = _evaluation(session, arguments)
    black, white = (math.log(r) if r else -math.inf for r in found.resistances)
    return f"res {found.score:.3f} rew {white:.3f} reb {black:.3f}"


def _open(found: Evaluation) -> Evaluation:
    if found.winner is not None:
        raise GtpError(f"{found.winner} has connected its sides: there are no currents")
    return found


def _energies(session: Session, arguments: Arguments) -> str:
    found = _open(_evaluation(session, arguments))
    return " ".join(
        f"{session.name(cell)} {found.energies[cell]:.3f}".replace(" 0.", " .")
        for cell in session.position.empty_cells
    )


def _currents(session: Session, arguments: Arguments) -> str:
    found = _open(_evaluation(session, arguments))
    highest = max(found.energies)
    drawn = influence(
        session, ((cell, found.energies[cell] / highest) for cell in session.position.empty_cells)
    )
    best = session.name(found.energies.index(highest))
    black, white = found.resistances
    return (
        f"{drawn}\nTEXT current of both circuits, up to {highest:.2f} at {best}; "
        f"resistance {black:.3f} for black, {white:.3f} for white"
    )


def _two_distances(session: Session, arguments: Arguments) -> str:
    arguments.expect_count(0, 1)
    colour = arguments.colour(0) if len(arguments) else session.position.to_play
    position = session.position
    distances = two_distances(position.board, position.stones, colour)
    if two_distance_score(distances, position.stones) >= UNREACHABLE:
        return ""
    sums = [sum(of_cell) for of_cell in zip(*distances, strict=True)]
    return " ".join(
        f"{session.name(cell)} {sums[cell]}"
        for cell in position.empty_cells
        if sums[cell] < UNREACHABLE
    )


_COLOUR = "[COLOUR]"
_FAILS = "the game is over, or the board has more than 256 cells"
_DECIDED = f"a side is virtually connected, {_FAILS}"

_COMMANDS = (
    Command(
        "eval-resist",
        _resistances,
        _COLOUR,
        "Shows the value by resistances: res is the logarithm of White's resistance "
        "over Black's (positive if Black is ahead, infinite if a side is virtually connected), rew and "
        "reb are the logarithms of both.",
        _FAILS,
        "string/Resistances/eval-resist %m",
    ),
    Command(
        "eval-resist-cells",
        _energies,
        _COLOUR,
        "Lists the energy of each empty cell: the current through it in both colours' circuits.",
        _DECIDED,
        "pspairs/Currents/eval-resist-cells %m",
    ),
    Command(
        "trivalent-currents",
        _currents,
        _COLOUR,
        "Colours each empty cell by the current through it in both colours' circuits, scaled so "
        "that the highest value is 1; the line that starts with TEXT gives that value and the "
        "resistances.",
        _DECIDED,
        "gfx/Current Map/trivalent-currents %m",
    ),
    Command(
        "eval-twod",
        _two_distances,
        _COLOUR,
        "Lists, for each empty cell from which a colour can reach all its sides, the sum of its "
        "distances by two to them: each step counts the second best neighbour, because the "
        "opponent takes the best one.",
        hexgui="pspairs/Two-Distance/eval-twod %m",
    ),
)
CIRCUITS = tuple(replace(command, reduced_only=True) for command in _COMMANDS)
"""The circuits family."""
