"""What need not be played, and why: cells that are filled in, cells that are inferior [AHH].

The search uses the same kernels (`_fillin`, `_cutsets`, `_decomposition`), except for permanently
inferior cells: what is proven with these filled in need not hold after moves beside them.  Here
people get it, with reasons.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from trivalent.bot.knowledge._cutsets import has_regions, regions
from trivalent.bot.knowledge._decomposition import decomposed
from trivalent.bot.knowledge._fillin import filler
from trivalent.bot.knowledge._virtual_connections import Connections
from trivalent.bot.knowledge.captures import captures, is_inferior
from trivalent.core.board import BLACK, WHITE, Colour
from trivalent.core.connection.win_test import winners

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from trivalent.core.board import Board

Reason = Literal["pattern", "linked", "cut off", "divided", "inferior"]
"""Why a cell is filled in."""


@dataclass(frozen=True, slots=True)
class Fill:
    """A cell that is filled in."""

    cell: int
    colour: Colour
    carrier: tuple[int, ...]
    """The cells that are filled in together; of a pattern the cell alone if it is dead."""
    stones: bytes
    """Those of the board when it was found, with what had been filled in before."""
    reason: Reason = "pattern"
    """What lies around it; that what the opponent's stone would join is linked anyway, or would be
    after a reply; that a region is cut off by cells that are linked; that a connection of the
    colour's divides what four chains enclose; or that it is permanently inferior for the opponent.
    """

    @property
    def is_dead(self) -> bool:
        """Whether a stone of either colour would do."""
        return len(self.carrier) == 1 or self.reason == "cut off"


@dataclass(frozen=True, slots=True)
class Inferior:
    """An empty cell where a stone of the side to move is not worth trying."""

    cell: int
    kind: Literal["vulnerable", "reversible", "dominated"]
    """A reply of the opponent's makes the stone dead, at once or with what it captures; or another
    move is at least as good.
    """
    by: tuple[int, ...]
    """The replies; the reply and what it captures; or the better moves."""


def fill_in(board: Board, stones: bytes) -> tuple[bytes, list[Fill]]:
    """Return the stones with dead and captured cells filled in, and these in order, with reasons.

    What a reason says holds once all cells before it are filled in.  Boards of more than 256 cells
    are filled in by patterns alone.
    """
    now, found = _by_patterns(board, stones)
    while has_regions(board) and not winners(board, now)[0]:
        now, more = _by_all_of_the_board(board, now)
        if not more:
            break
        found += more
        now, more = _by_patterns(board, now)
        found += more
    return now, found


def fill_in_more(board: Board, filled: bytes) -> list[Fill]:
    """Return what else may be filled in until the next move, in order.

    That is permanently inferior cells, and what is dead or captured then.
    """
    return _by_patterns(board, filled, more=True)[1]


def _by_all_of_the_board(board: Board, stones: bytes) -> tuple[bytes, list[Fill]]:
    """Fill in by the first of the other reasons that there is one of."""
    reasons: tuple[Reason, ...] = ("linked", "cut off", "divided")
    for reason in reasons:
        for colour in (BLACK, WHITE):
            if reason == "divided":
                connections = Connections(board)
                connections.build(stones, colour)
                if connections.winner == 2:  # whatever is filled in then says no more
                    continue
                filled = decomposed(connections, stones)
            else:
                filled = regions(board).fill_beside(stones, colour.opponent, reason == "cut off")
            if filled != stones:
                return filled, _groups(board, stones, filled, colour, reason)
    return stones, []


def _groups(
    board: Board, stones: bytes, filled: bytes, colour: Colour, reason: Reason
) -> list[Fill]:
    """Return the cells that have been filled in, with those of them that they are connected to."""
    left = {cell for cell, stone in enumerate(stones) if stone != filled[cell]}
    found: list[Fill] = []
    while left:
        group, todo = set(), [min(left)]
        while todo:
            cell = todo.pop()
            if cell in left:
                left.remove(cell)
                group.add(cell)
                todo += board.neighbours[cell]
        carrier = tuple(sorted(group))
        found += [Fill(cell, colour, carrier, stones, reason) for cell in carrier]
    return found


def _by_patterns(board: Board, stones: bytes, *, more: bool = False) -> tuple[bytes, list[Fill]]:
    """Fill in what the fast filling in has found.

    In rare cases it has found some more, by reasons that another order of filling in destroys.
    """
    wanted, _ = filler(board).fill(stones, BLACK, more)
    found: list[Fill] = []
    now = stones
    while now != wanted:
        # Larger carriers first: the colour of a dead cell matters to none but them.
        for size, colour in (*itertools.product((2, 3, 4), (BLACK, WHITE)), (1, BLACK), (1, WHITE)):
            if fills := _captured(board, now, wanted, size, colour):
                break
        else:
            fills = list(itertools.islice(_inferior(board, now, wanted), 1)) if more else []
        if not fills:
            break
        found += fills
        work = bytearray(now)
        for fill in fills:
            work[fill.cell] = fill.colour
        now = bytes(work)
    return now, found


def _inferior(board: Board, stones: bytes, wanted: bytes) -> Iterator[Fill]:
    """Yield permanently inferior cells that are wanted, with the empty rhombus that they are in."""
    for cell, stone in enumerate(stones):
        if stone or not wanted[cell]:
            continue
        colour = Colour(wanted[cell])
        near = [c for c in board.neighbours[cell] if not stones[c]]
        for between in near:
            beside = [c for c in near if c in board.neighbours[between]]
            carrier = (cell, between, *beside)
            around = {other for c in carrier for other in board.neighbours[c]} - {*carrier}
            # All patterns know at least half of the ten cells around.
            if sum(not stones[other] for other in around) > 5:
                continue
            if len(beside) == 2 and is_inferior(board, stones, carrier, cell, colour):
                yield Fill(cell, colour, tuple(sorted(carrier)), stones, "inferior")


def _captured(board: Board, stones: bytes, wanted: bytes, size: int, colour: Colour) -> list[Fill]:
    """Return the cells of carriers of that size that a colour captures, if they are wanted."""
    found: dict[int, Fill] = {}
    cells = {c for c, stone in enumerate(stones) if not stone and wanted[c] == colour}
    for carrier in _connected(board, cells, size):
        if not found.keys() >= set(carrier) and captures(board, stones, carrier, colour):
            for cell in carrier:
                is_dead = captures(board, stones, (cell,), colour)
                reason = (cell,) if is_dead else carrier
                found.setdefault(cell, Fill(cell, colour, reason, stones))
    return [found[cell] for cell in sorted(found)]


def _connected(board: Board, cells: set[int], size: int) -> Iterator[tuple[int, ...]]:
    """Yield the connected sets of so many of these cells."""
    sets = {frozenset({cell}) for cell in cells}
    for _ in range(size - 1):
        sets = {
            some | {neighbour}
            for some in sets
            for cell in some
            for neighbour in board.neighbours[cell]
            if neighbour in cells and neighbour not in some
        }
    yield from sorted(tuple(sorted(some)) for some in sets)


def inferior_cells(board: Board, filled: bytes, colour: Colour) -> list[Inferior]:
    """Return the inferior moves of a colour in a position that is filled in already.

    Some other move is always left unless none wins: each of these may be left out, and all of them
    together.
    """
    _, vulnerable = filler(board).fill(filled, colour)
    found = [
        Inferior(cell, "vulnerable", tuple(killers(board, filled, cell, colour)))
        for cell in vulnerable
    ]
    found += [
        Inferior(cell, "reversible", tuple(filler(board).reverse(filled, colour, cell) or ()))
        for cell in filler(board).reversible(filled, colour)
        if cell not in vulnerable
    ]
    better = dominators(board, filled, colour, {inferior.cell for inferior in found})
    left_out = _but_one_of_each_cycle(better)
    found += [Inferior(cell, "dominated", better[cell]) for cell in left_out]
    return sorted(found, key=lambda inferior: inferior.cell)


def killers(board: Board, stones: bytes, cell: int, colour: Colour) -> Iterator[int]:
    """Yield the opponent's replies that make a stone of a colour dead."""
    for reply in board.neighbours[cell]:
        if not stones[reply]:
            after = _with_stone(stones, reply, colour.opponent)
            if captures(board, after, (cell,), colour.opponent):
                yield reply


def dominators(
    board: Board, filled: bytes, colour: Colour, without: Iterable[int] = ()
) -> dict[int, tuple[int, ...]]:
    """Return the moves of a colour that are at least as good as others, by these others.

    After such a move the cell of the other would be filled in for the colour, or be dead at once.
    Some cells are not to be looked at.  (What is filled in before that cell is filled in as well if
    a stone of the colour is there; so the move is no worse than such a stone.)
    """
    moves = [c for c, stone in enumerate(filled) if not stone and c not in set(without)]
    better: dict[int, list[int]] = {}
    for move in moves:
        with_move = _with_stone(filled, move, colour)
        after, _ = filler(board).fill(with_move, colour)
        for cell in moves:
            if cell == move or not after[cell]:
                continue
            # What is dead may have been given to the opponent.
            if after[cell] == colour or captures(board, with_move, (cell,), colour):
                better.setdefault(cell, []).append(move)
    return {cell: tuple(better[cell]) for cell in sorted(better)}


def _but_one_of_each_cycle(better: dict[int, tuple[int, ...]]) -> list[int]:
    """Return the cells to leave out, so that of each one something as good is left.

    Whoever goes on from a cell to a better one that is not dominated, or to one that comes later in
    the order, ends at a cell that is left in: being as good is transitive.
    """
    return [
        cell
        for cell, moves in better.items()
        if any(move not in better or move > cell for move in moves)
    ]


def _with_stone(stones: Sequence[int], cell: int, colour: Colour) -> bytes:
    after = bytearray(stones)
    after[cell] = colour
    return bytes(after)
