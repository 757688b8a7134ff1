"""Everything that decides on moves: players, search, evaluation, knowledge, solver, clock."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trivalent.bot.players.mcts import analyse

__all__ = ["analyse"]


def __getattr__(name: str) -> object:
    """Import `analyse`, and with it the search, on first use."""
    if name == "analyse":
        from trivalent.bot.players.mcts import analyse  # noqa: PLC0415

        return analyse
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
