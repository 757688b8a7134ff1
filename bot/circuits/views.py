"""Positions up to symmetry: a position and its images get the same treatment, and mirrored answers.

H-search keeps a limited number of connections, so what it finds depends on the order of the cells.
The circuits therefore look at one image of each position, always the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

from trivalent.core._random import Random

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trivalent.core.board import Board, Colour
    from trivalent.core.position import Position

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class View:
    """An image of a position: the one whose stones come first as bytes, of all symmetries."""

    stones: bytes
    to_play: Colour
    cells: tuple[int, ...]
    """Where each cell of the position is in the image."""
    originals: tuple[int, ...]
    """Where each cell of the image is in the position."""
    swaps_colours: bool

    def back(self, cells: Iterable[int]) -> list[int]:
        """Return cells of the position, given those of the image."""
        return [self.originals[cell] for cell in cells]

    def values_back(self, values: Sequence[_T]) -> list[_T]:
        """Return a value for each cell of the position, given those of the image."""
        return [values[cell] for cell in self.cells] if values else []


@lru_cache(maxsize=64)
def _inverses(board: Board) -> tuple[tuple[int, ...], ...]:
    """Return the inverse of each symmetry."""
    return tuple(
        tuple(sorted(range(len(board)), key=symmetry.cells.__getitem__))
        for symmetry in board.symmetries
    )


def view(position: Position, seed: int = 0) -> View:
    """Return the image of a position that stands for all its images.

    If several symmetries lead there, because the position is its own image, the seed chooses.
    """
    board, stones = position.board, position.stones
    exchanged = stones.translate(bytes([0, 2, 1, *range(3, 256)]))
    best: list[View] = []
    for symmetry, originals in zip(board.symmetries, _inverses(board), strict=True):
        source = exchanged if symmetry.swaps_colours else stones
        colour = position.to_play.opponent if symmetry.swaps_colours else position.to_play
        image = bytes([source[cell] for cell in originals])
        order = (image, colour)
        if not best or order < (best[0].stones, best[0].to_play):
            best.clear()
        if not best or order == (best[0].stones, best[0].to_play):
            best.append(View(image, colour, symmetry.cells, originals, symmetry.swaps_colours))
    return best[Random(seed ^ position.hash).below(len(best))]
