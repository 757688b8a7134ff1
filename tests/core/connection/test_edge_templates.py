"""The 4-3-2 edge template: what its answers keep is certain, and they are found everywhere."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest

from trivalent.core.board import BLACK, WHITE, Board, Colour
from trivalent.core.connection.edge_templates import TemplateReply, template_replies
from trivalent.core.connection.win_test import winners
from trivalent.core.games import hex_board, make_board, y_board

if TYPE_CHECKING:
    from collections.abc import Iterator


def carriers(board: Board) -> dict[tuple[int, frozenset[int], int], list[TemplateReply]]:
    """Return the answers of each template: by its stone, its carrier and the colours."""
    found: dict[tuple[int, frozenset[int], int], list[TemplateReply]] = {}
    for reply in template_replies(board):
        carrier = frozenset({reply.intrusion, reply.reply, *reply.others})
        found.setdefault((reply.stone, carrier, reply.colours), []).append(reply)
    return found


@pytest.mark.parametrize(
    ("board", "count"),
    # Along a side of n cells the first row of each mirror has n - 3 places.
    [
        (hex_board(2), 0), (hex_board(4, 3), 2 * 2 * 1), (hex_board(6), 4 * 2 * 3),
        (y_board(3), 0), (y_board(8), 3 * 2 * 5), (make_board("bent-y", 3), 0),
    ],
    ids=str,
)  # fmt: skip
def test_all_templates_are_found(board: Board, count: int) -> None:
    found = carriers(board)
    assert {(len(carrier), len(found[key])) for key in found for carrier in key[1:2]} <= {(8, 8)}
    assert len(found) == count


def attacks(
    board: Board, stones: bytearray, replies: list[TemplateReply], carrier: frozenset[int]
) -> Iterator[bytes]:
    """Yield what may become of a template if White attacks in all ways and Black keeps to it.

    Black answers the first intrusion as the template says, and then only in bridges.
    """
    for reply in replies:
        after = bytearray(stones)
        after[reply.intrusion], after[reply.reply] = WHITE, BLACK
        rest = [cell for cell in carrier if not after[cell]]
        for colours in product((BLACK, WHITE), repeat=len(rest)):
            full = bytearray(after)
            for cell, colour in zip(rest, colours, strict=True):
                full[cell] = colour
            if all(kept(board, full, after, a, b) for a in rest for b in rest if a < b):
                yield bytes(full)


def kept(board: Board, full: bytearray, after: bytearray, a: int, b: int) -> bool:
    """Return whether Black has one of two cells, if they are his bridge after the answer."""
    if b not in board.neighbours[a]:
        return True
    common = set(board.neighbours[a]) & set(board.neighbours[b])
    sides = [n for n, side in enumerate(board.sides) if {a, b} <= set(side.cells)]
    ends = sum(after[cell] == BLACK for cell in common)
    ends += any(n in board.goal(BLACK) for n in sides)
    return ends < 2 or BLACK in (full[a], full[b])


@pytest.mark.parametrize("size", [6, 7])
def test_the_answers_keep_the_connection(size: int) -> None:
    """The stone's column above is black, everything else white: Black wins by the template only."""
    board = hex_board(size)
    checked = 0
    for (stone, carrier, colours), replies in carriers(board).items():
        if colours != 1 or board.coordinates[stone][1] != size - 3:
            continue  # the lower side
        stones = bytearray([WHITE] * len(board))
        x, y = board.coordinates[stone]
        for above in range(y + 1):
            stones[above * size + x] = BLACK
        for cell in carrier:
            stones[cell] = 0
        boards = b"".join(attacks(board, stones, replies, carrier))
        assert set(winners(board, boards)) == {Colour.BLACK}
        checked += len(boards) // len(board)
    assert checked > 100
