"""The players by name, for the command line, GTP and tournaments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trivalent.bot.circuits.circuit_parameters import HEXY, SHANNON, SHANNON_FIELD, SIX, WOLVE
from trivalent.bot.players.circuit_player import CircuitPlayer
from trivalent.bot.players.mcts import MctsPlayer
from trivalent.bot.players.mcts_parameters import MctsParameters
from trivalent.bot.players.random_player import RandomParameters, RandomPlayer
from trivalent.bot.players.uct import UctParameters, UctPlayer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from trivalent.bot.parameters import Parameters
    from trivalent.bot.player import Player

PLAYERS: dict[str, tuple[type[Parameters], Callable[[Any], Player]]] = {
    "mcts": (MctsParameters, MctsPlayer),
    "wolve": (WOLVE, CircuitPlayer),
    "six": (SIX, CircuitPlayer),
    "uct": (UctParameters, UctPlayer),
    "hexy": (HEXY, CircuitPlayer),
    "shannon": (SHANNON, CircuitPlayer),
    "shannon-field": (SHANNON_FIELD, CircuitPlayer),
    "random": (RandomParameters, RandomPlayer),
}
"""For each player, the strongest first: its parameters, and the class that takes them."""


def make_player(name: str, values: Mapping[str, str] | None = None) -> Player:
    """Return a new player, with some parameters given as text.

    Raise ValueError for an unknown player or parameter, or an unsuitable value.
    """
    if name not in PLAYERS:
        raise ValueError(f"unknown player {name!r} (known: {', '.join(PLAYERS)})")
    parameters, player = PLAYERS[name]
    return player(parameters().updated(values or {}))
