"""Win tests that follow a position stone by stone.

A position asks the win test that its board brings.  Hex and Y use reduction pyramids; other boards
use union-find on their chains, or count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trivalent.core.connection._chains import ChainTest, ScoreTest, chains
from trivalent.core.connection._pyramid import Pyramid
from trivalent.core.connection._triangle import triangle

if TYPE_CHECKING:
    from trivalent.core.board import Board


class PyramidTest:
    """BPR+: one reduction pyramid for each colour."""

    def __init__(self, black: Pyramid, white: Pyramid) -> None:
        self._pyramids = black, white

    @property
    def winner(self) -> int:
        """1 if Black has won, 2 if White has, else 0."""
        black, white = self._pyramids
        return 1 if black.apex else 2 if white.apex else 0

    def put(self, cell: int, before: int, after: int) -> None:
        """Replace what a cell holds: toggle the stone that goes and the one that comes."""
        for content in (before, after):
            if content:
                self._pyramids[content - 1].toggle(cell)

    undo = put  # toggling twice restores every bit of a pyramid

    def copy(self) -> PyramidTest:
        """Return an independent copy."""
        black, white = self._pyramids
        return PyramidTest(black.copy(), white.copy())


def pyramid_test(board: Board) -> PyramidTest:
    """Return the win test of an empty board.  Raise ValueError if the board has no framing."""
    return PyramidTest(Pyramid(triangle(board), 1), Pyramid(triangle(board), 2))


def chain_test(board: Board) -> ChainTest:
    """Return the win test of an empty board on which a single chain wins."""
    return ChainTest(chains(board))


def score_test(board: Board) -> ScoreTest:
    """Return the win test of an empty board on which points win."""
    return ScoreTest(chains(board))
