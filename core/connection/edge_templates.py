"""The 4-3-2 edge template [AHH, figure 7]: a stone on the third row that reaches its side.

Its carrier has 2 cells on the stone's row, with the stone, 3 on the second row and 4 on the first::

          S  e
        a  d  B          a colour's side is below
      a  a  b  b

The stone S reaches the side by A, the cell on the second row below it, or by B: either needs only
its own cells, a, or b with d and e.  So a stone of the opponent on a cell of A is answered at B,
and one on a cell of B at A.  The template also comes mirrored, and along all sides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trivalent.core.lattice import STEPS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trivalent.core.board import Board
    from trivalent.core.lattice import Place


class TemplateReply(NamedTuple):
    """An answer to a stone in a 4-3-2 template."""

    intrusion: int
    reply: int
    stone: int
    """The stone on the third row, of the template's colour."""
    others: tuple[int, ...]
    """The other cells of the carrier, all of them empty."""
    colours: int
    """Whose side it is: bit 0 Black's, bit 1 White's."""


def template_replies(board: Board) -> list[TemplateReply]:
    """Return all answers on a board; none on boards without a lattice."""
    found: list[TemplateReply] = []
    lattice = board.lattice
    if lattice is None:
        return found
    rows = [frozenset(side.cells) for side in board.sides]
    # Two steps lead from the stone to the first row: on a large board few cells are that near.
    second = {cell for near in frozenset().union(*rows) for cell in board.neighbours[near]}
    for stone in sorted({cell for near in second for cell in board.neighbours[near]}):
        for along, down, across in _orientations():
            a = _cells(board, stone, ((down,), (down, down), (down, across)))
            if not a or not any(row.issuperset(a[1:]) for row in rows):
                continue
            b_places = ((along, across), (across,), (along,), (across, across))
            b = _cells(board, stone, (*b_places, (along, across, across)))
            if not b:
                continue
            first_row = (*a[1:], *b[3:])
            below = (_add(lattice.places[c], step) for c in first_row for step in (down, across))
            if any(place in lattice.cells for place in below):
                continue
            for number, row in enumerate(rows):
                if row.issuperset(first_row):
                    colours = sum(1 << c for c in range(2) if number in board.goals[c])
                    found += _answers(stone, a, b, colours) + _answers(stone, b, a, colours)
    return found


def _orientations() -> Iterator[tuple[Place, Place, Place]]:
    """Yield the steps along the row and to the two cells below, for all sides and both mirrors."""
    for k in range(6):
        yield STEPS[k], STEPS[(k + 2) % 6], STEPS[(k + 1) % 6]
        yield STEPS[k], STEPS[(k - 2) % 6], STEPS[(k - 1) % 6]


def _add(place: Place, *steps: Place) -> Place:
    return place[0] + sum(step[0] for step in steps), place[1] + sum(step[1] for step in steps)


def _cells(board: Board, start: int, walks: tuple[tuple[Place, ...], ...]) -> tuple[int, ...]:
    """Return the cells at the ends of some walks, nothing if one of them isn't on the board."""
    assert board.lattice is not None
    cells = [board.lattice.cells.get(_add(board.lattice.places[start], *walk)) for walk in walks]
    return tuple(cell for cell in cells if cell is not None) if None not in cells else ()


def _answers(
    stone: int, entered: tuple[int, ...], kept: tuple[int, ...], colours: int
) -> list[TemplateReply]:
    """Return the answers to stones in one half of the template: at the first cell of the other."""
    return [
        TemplateReply(
            intrusion=cell,
            reply=kept[0],
            stone=stone,
            others=tuple(other for other in (*entered, *kept[1:]) if other != cell),
            colours=colours,
        )
        for cell in entered
    ]
