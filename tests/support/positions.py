"""The whole state of a position, and checks of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from trivalent.core.connection.win_test import METHODS, winner
from trivalent.core.position import IllegalMove, Move, Position

if TYPE_CHECKING:
    from collections.abc import Callable

    from trivalent.core.board import Colour


class State(NamedTuple):
    """All that a move changes and undo has to restore."""

    stones: bytes
    to_play: Colour
    players_swapped: bool
    hash: int
    winner: Colour | None
    history: tuple[Move, ...]


def state(position: Position) -> State:
    return State(
        position.stones,
        position.to_play,
        position.players_swapped,
        position.hash,
        position.winner,
        position.history,
    )


def check_winner(position: Position) -> None:
    stones = position.stones
    methods = [*METHODS]
    if len(stones) > 100:
        methods.remove("flood-sliced")  # 20 ms for a large board; test_chains.py has large ones
    if len(stones) > 1000:  # another method after every move
        methods = [methods[stones.count(0) % len(methods)]]
    for method in methods:
        assert position.winner is winner(position.board, stones, method), method


def unchanged_by(position: Position, action: Callable[[], object], match: str) -> None:
    before = state(position)
    with pytest.raises(IllegalMove, match=match) as refusal:
        action()
    assert isinstance(refusal.value, ValueError)
    assert state(position) == before
