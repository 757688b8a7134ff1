"""The base of players that wrap another one: everything that they don't change is its."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trivalent.bot.parameters import Parameters
    from trivalent.bot.player import Analysis, Answer, Limits, NetworkOpinion, Player, Stop, Watch
    from trivalent.core.board import Colour
    from trivalent.core.position import Position


class WrappingPlayer:
    """A player that asks another one, and follows the game itself."""

    def __init__(self, player: Player, position: Position) -> None:
        """Wrap a player that has already been set to this position."""
        self._player = player
        self._position = position.copy()

    @property
    def parameters(self) -> Parameters:
        """See `Player.parameters`."""
        return self._player.parameters

    def configure(self, values: Mapping[str, str]) -> None:
        """See `Player.configure`."""
        self._player.configure(values)

    def set_position(self, position: Position) -> None:
        """See `Player.set_position`."""
        self._position = position.copy()
        self._player.set_position(position)

    def play(self, colour: Colour, cell: int) -> None:
        """See `Player.play`."""
        self._position.play(colour, cell)
        self._player.play(colour, cell)

    def undo(self) -> None:
        """See `Player.undo`."""
        self._position.undo()
        self._player.undo()

    def genmove(
        self, colour: Colour, limits: Limits, stop: Stop, watch: Watch | None = None
    ) -> Answer:
        """See `Player.genmove`."""
        return self._player.genmove(colour, limits, stop, watch)

    def ponder(self, limits: Limits, stop: Stop) -> None:
        """See `Player.ponder`."""
        self._player.ponder(limits, stop)

    def analysis(self) -> Analysis:
        """See `Player.analysis`."""
        return self._player.analysis()

    def network(self) -> str | None:
        """See `Player.network`."""
        return self._player.network()

    def network_opinion(self, colour: Colour) -> NetworkOpinion | None:
        """See `Player.network_opinion`."""
        return self._player.network_opinion(colour)
