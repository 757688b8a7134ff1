"""Moves that need not be considered, with reasons: cells to fill in, and inferior cells [AHH].

The search uses the same kernels (`_fillin`, `_cutsets`, `_decomposition`), except for permanently
inferior cells: what is proven with these filled in may not hold after moves next to them.  This
module is for people, who want reasons.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from trivalent.bot.knowledge._cutsets import cutset_fillin, has_cutset_fillin
from trivalent.bot.knowledge._decomposition import decomposed
from trivalent.bot.knowledge._fillin import filler
from trivalent.bot.knowledge._node_analysis import NodeAnalyser
from trivalent.bot.knowledge._virtual_connections import Connections
from trivalent.bot.knowledge.captures import captures, is_inferior
from trivalent.bot.knowledge.virtual_connections import LIMITS
from trivalent.core.board import BLACK, WHITE, Colour
from trivalent.core.connection._triangle import triangle
from trivalent.core.connection.win_test import winners

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from trivalent.core.board import Board

Reason = Literal["pattern", "linked", "cut off", "divided", "inferior"]
"""Why a cell is filled in; see `Fill.reason`."""


@dataclass(frozen=True, slots=True)
class Fill:
    """A cell that is filled in."""

    cell: int
    colour: Colour
    carrier: tuple[int, ...]
    """The cells filled in together; a cell that a pattern shows to be dead is its own carrier."""
    stones: bytes
    """The position in which the reason holds, including everything filled in before."""
    reason: Reason = "pattern"
    """``pattern``: its surroundings capture it.  ``linked``: what an opponent's stone would join is
    linked anyway, at once or after a reply.  ``cut off``: a clique of linked cells cuts it off.
    ``divided``: a connection of the colour divides a region that four chains enclose.
    ``inferior``: it is permanently inferior for the opponent.
    """

    @property
    def is_dead(self) -> bool:
        """Whether the cell's colour doesn't matter."""
        return len(self.carrier) == 1 or self.reason == "cut off"


@dataclass(frozen=True, slots=True)
class Inferior:
    """An empty cell where the side to move need not play."""

    cell: int
    kind: Literal["vulnerable", "reversible", "dominated"]
    """``vulnerable``: a reply makes the stone dead.  ``reversible``: a reply and what it captures
    make the stone dead.  ``dominated``: another move is at least as good.
    """
    by: tuple[int, ...]
    """The replies; the reply followed by what it captures; or the better moves."""


def fill_in(board: Board, stones: bytes) -> tuple[bytes, list[Fill]]:
    """Fill in dead and captured cells; return the stones, and the cells with reasons.

    The cells are in the order of filling in: a reason holds once all cells before it are filled in.
    On boards of more than 256 cells only patterns are used.
    """
    now, found = _by_patterns(board, stones)
    while has_cutset_fillin(board) and not winners(board, now)[0]:
        now, more = _by_whole_board(board, now)
        if not more:
            break
        found += more
        now, more = _by_patterns(board, now)
        found += more
    return now, found


def fill_in_more(board: Board, filled: bytes) -> list[Fill]:
    """Return the permanently inferior cells in order, and what is dead or captured then.

    They may be filled in only until the next move.
    """
    return _by_patterns(board, filled, inferior=True)[1]


def _by_whole_board(board: Board, stones: bytes) -> tuple[bytes, list[Fill]]:
    """Fill in by the first reason other than patterns that applies."""
    reasons: tuple[Reason, ...] = ("linked", "cut off", "divided")
    for reason in reasons:
        for colour in (BLACK, WHITE):
            if reason == "divided":
                connections = Connections(board)
                connections.build(stones, colour)
                if connections.winner == 2:  # the game is decided, so filling in says nothing more
                    continue
                filled = decomposed(connections, stones)
            else:
                filled = cutset_fillin(board).fill_once(
                    stones, colour.opponent, reason == "cut off"
                )
            if filled != stones:
                return filled, _groups(board, stones, filled, colour, reason)
    return stones, []


def _groups(
    board: Board, stones: bytes, filled: bytes, colour: Colour, reason: Reason
) -> list[Fill]:
    """Return the cells filled in, each with the connected group that it belongs to."""
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


def _by_patterns(
    board: Board, stones: bytes, *, inferior: bool = False
) -> tuple[bytes, list[Fill]]:
    """Fill in, with reasons, what the fast fill-in finds.

    In rare cases the fast fill-in finds a few cells more, whose reasons vanish in another order.
    """
    wanted, _ = filler(board).fill(stones, BLACK, inferior)
    found: list[Fill] = []
    now = stones
    while now != wanted:
        # Larger carriers come first: only to them does the colour of a dead cell matter.
        for size, colour in (*itertools.product((2, 3, 4), (BLACK, WHITE)), (1, BLACK), (1, WHITE)):
            if fills := _captured(board, now, wanted, size, colour):
                break
        else:
            fills = list(itertools.islice(_inferior(board, now, wanted), 1)) if inferior else []
        if not fills:
            break
        found += fills
        work = bytearray(now)
        for fill in fills:
            work[fill.cell] = fill.colour
        now = bytes(work)
    return now, found


def _inferior(board: Board, stones: bytes, wanted: bytes) -> Iterator[Fill]:
    """Yield wanted permanently inferior cells, each with the empty rhombus around it."""
    for cell, stone in enumerate(stones):
        if stone or not wanted[cell]:
            continue
        colour = Colour(wanted[cell])
        near = [c for c in board.neighbours[cell] if not stones[c]]
        for between in near:
            beside = [c for c in near if c in board.neighbours[between]]
            carrier = (cell, between, *beside)
            around = {other for c in carrier for other in board.neighbours[c]} - {*carrier}
            # Every pattern names at least half of the ten cells around the rhombus.
            if sum(not stones[other] for other in around) > 5:
                continue
            if len(beside) == 2 and is_inferior(board, stones, carrier, cell, colour):
                yield Fill(cell, colour, tuple(sorted(carrier)), stones, "inferior")


def _captured(board: Board, stones: bytes, wanted: bytes, size: int, colour: Colour) -> list[Fill]:
    """Return the wanted cells of disjoint carriers of one size that a colour captures."""
    found: dict[int, Fill] = {}
    cells = {c for c, stone in enumerate(stones) if not stone and wanted[c] == colour}
    for carrier in connected_sets(board, cells, size):
        if not found.keys() & set(carrier) and captures(board, stones, carrier, colour):
            for cell in carrier:
                is_dead = captures(board, stones, (cell,), colour)
                reason = (cell,) if is_dead else carrier
                found[cell] = Fill(cell, colour, reason, stones)
    return [found[cell] for cell in sorted(found)]


def connected_sets(board: Board, cells: set[int], size: int) -> Iterator[tuple[int, ...]]:
    """Yield the connected subsets of ``cells`` that have ``size`` elements."""
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
    """Return the inferior moves of a colour in a position that is filled in.

    All of them may be left out together: if any move wins, one that is left wins.
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


def moves_to_consider(
    board: Board, filled: bytes, colour: Colour
) -> tuple[Colour | None, list[int]]:
    """Return who wins a position that is filled in, as far as that is plain, and the moves to try.

    If any move of the colour wins, one of these does: those in all carriers of the opponent's
    threats that aren't inferior.  Without any, the opponent wins.  Raise ValueError if the board
    has no lattice or more than 256 cells.
    """
    if winner := winners(board, filled)[0]:
        return Colour(winner), []
    analyser = NodeAnalyser(triangle(board), filler(board), Connections(board, **LIMITS["all"]))
    found, _, carrier, moves, _ = analyser.analyse(filled, colour)
    if found > 0:
        return colour, carrier
    inferior = {cell.cell for cell in inferior_cells(board, filled, colour)}
    moves = [] if found < 0 else sorted(set(moves) - inferior)
    return (None if moves else colour.opponent), moves


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
    """Return, for each dominated move of a colour, the moves that are at least as good.

    After such a move the dominated cell would be filled in for the colour, or be dead at once.
    Cells in ``without`` are left out of account.  (Whatever is filled in on the way is also filled
    in if the colour has a stone on the dominated cell, so the move is no worse than that stone.)
    """
    moves = [c for c, stone in enumerate(filled) if not stone and c not in set(without)]
    better: dict[int, list[int]] = {}
    for move in moves:
        with_move = _with_stone(filled, move, colour)
        after, _ = filler(board).fill(with_move, colour)
        for cell in moves:
            if cell == move or not after[cell]:
                continue
            # Fill-in may have given a dead cell to the opponent.
            if after[cell] == colour or captures(board, with_move, (cell,), colour):
                better.setdefault(cell, []).append(move)
    return {cell: tuple(better[cell]) for cell in sorted(better)}


def _but_one_of_each_cycle(better: dict[int, tuple[int, ...]]) -> list[int]:
    """Return the dominated cells to leave out, keeping something as good for each.

    Being at least as good is transitive.  A path from a cell to better ones, each later in the
    order or not dominated itself, ends at a cell that is kept.
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
