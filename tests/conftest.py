"""What several test modules share: data files, instruction sets, a win test independent of core."""

from __future__ import annotations

import signal
from functools import lru_cache
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from instruction_sets import InstructionSet
from places import DATA
from slowness import repeats

from trivalent.core._isa import available

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from trivalent.core.board import Board

# The same examples in every run, however busy the machine is.
settings.register_profile("trivalent", deadline=None, derandomize=True, max_examples=repeats(100))
settings.load_profile("trivalent")

# What nohup and shells have a process in the background ignore, its children would ignore, too.
for _number, _default in (
    (signal.SIGHUP, signal.SIG_DFL),
    (signal.SIGINT, signal.default_int_handler),
):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, _default)

pytest.register_assert_rewrite("gtp_tee", "hexgui")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse test names that differ from process to process: pytest-xdist compares them."""
    for item in items:
        if " at 0x" in item.nodeid:
            raise pytest.UsageError(f"{item.nodeid}: the name contains an address; give it an id")


_HALF_OF_THE_STEPS = {"hex": ((1, 0), (0, 1), (1, -1)), "y": ((1, 0), (0, 1), (1, 1))}


@lru_cache(maxsize=4)
def _plain_graph(
    game: str, width: int, height: int
) -> tuple[list[list[int]], list[int], tuple[int, int, int]]:
    """Return the neighbours of each cell, the bits of its sides, and the goal of each content."""
    places = [(x, y) for y in range(height) for x in range(width) if game == "hex" or x <= y]
    number = {place: cell for cell, place in enumerate(places)}
    steps = [(s * dx, s * dy) for dx, dy in _HALF_OF_THE_STEPS[game] for s in (1, -1)]
    around = [
        [number[x + dx, y + dy] for dx, dy in steps if (x + dx, y + dy) in number]
        for x, y in places
    ]
    if game == "hex":
        touches = [
            (y == 0) | (y == height - 1) << 1 | (x == 0) << 2 | (x == width - 1) << 3
            for x, y in places
        ]
        return around, touches, (0, 0b0011, 0b1100)
    return around, [(x == 0) | (x == y) << 1 | (y == height - 1) << 2 for x, y in places], (0, 7, 7)


def _flood_fill(board: Board, stones: bytes) -> int:
    around, touches, goals = _plain_graph(board.game, board.width, board.height)
    seen = bytearray(len(stones))
    won = 0
    for start, colour in enumerate(stones):
        if not colour or seen[start]:
            continue
        touched = 0
        chain = [start]
        seen[start] = 1
        while chain:
            cell = chain.pop()
            touched |= touches[cell]
            for other in around[cell]:
                if stones[other] == colour and not seen[other]:
                    seen[other] = 1
                    chain.append(other)
        if touched & goals[colour] == goals[colour]:
            won |= colour
    return won


@pytest.fixture(scope="session")
def flood_fill() -> Callable[[Board, bytes], int]:
    """Who has joined the sides of the goal: 0 nobody, 1 Black, 2 White, 3 (impossible) both.

    Of the board it takes only game, width and height; cells are numbered row by row.
    """
    return _flood_fill


@pytest.fixture(params=available())
def isa(request: pytest.FixtureRequest) -> InstructionSet:
    """Every instruction set of this machine, one after the other."""
    return InstructionSet(request.param)


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of the data files."""
    return DATA
