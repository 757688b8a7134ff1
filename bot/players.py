"""The players by name, for command lines, GTP and tournaments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trivalent.bot.mcts import MctsParameters, MctsPlayer
from trivalent.bot.random_player import RandomParameters, RandomPlayer
from trivalent.bot.uct import UctParameters, UctPlayer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trivalent.bot.parameters import Parameters
    from trivalent.bot.player import Player

PARAMETERS: dict[str, type[Parameters]] = {
    "mcts": MctsParameters,
    "uct": UctParameters,
    "random": RandomParameters,
}
"""The parameter class of each player."""


def make_player(name: str, values: Mapping[str, str] | None = None) -> Player:
    """Return a new player of that name with some parameters given as text.

    Raise ValueError for an unknown player or parameter, or a value that does not fit.
    """
    if name == "mcts":
        return MctsPlayer(MctsParameters().updated(values or {}))
    if name == "uct":
        return UctPlayer(UctParameters().updated(values or {}))
    if name == "random":
        return RandomPlayer(RandomParameters().updated(values or {}))
    raise ValueError(f"unknown player {name!r} (known: {', '.join(PARAMETERS)})")
