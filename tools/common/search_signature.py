"""The search signature: a checksum that changes whenever the search finds anything else.

A few positions of Hex and Y are searched with a fixed number of nodes, one thread and a fixed seed,
without a network and with the shipped one.
Moves, visits, values and proofs enter the checksum, so it shows whether a change of the code has
changed the search, and whether a build computes what it should: it's the same on every instruction
set.
"""

from __future__ import annotations

import zlib

from trivalent.bot import analyse
from trivalent.bot.evaluation.network_opinion import NO_NETWORK, SHIPPED
from trivalent.core.games import make_board
from trivalent.core.position import Position

EXPECTED = "bf6c8fd6"
"""The signature of this version.  Change it only together with the search, and say why."""

SEARCHES = (
    ("hex", 6, "a2", 1500),
    ("hex", 9, "h2 e5 c6", 2000),
    ("hex", 11, "c3 i9 f6 e8 d4", 2000),
    ("hex", 13, "k3 d10 g7", 1000),
    ("y", 9, "e6 f7", 2000),
    ("y", 11, "f8 e7 g9", 2000),
)
"""Game, size, moves from the empty board, and number of nodes.

The small boards yield proofs; 13x13 Hex has more cells than those on which the search looks for
wide connections.
"""


def search_signature() -> str:
    """Carry out the searches, which takes about a second, and return eight hex digits."""
    checksum = 0
    for game, size, moves, nodes in SEARCHES:
        position = Position(make_board(game, size))
        for name in moves.split():
            position.play(position.to_play, position.board.cell(name))
        for net in (NO_NETWORK, SHIPPED):
            analysis = analyse(position, nodes=nodes, seed=1, memory=64, net=net)
            # Six decimals: mathematical libraries differ in the last digit.
            text = " ".join(
                f"{position.board.names[move.cell]},{move.visits},{move.value:.6f},{move.proven}"
                for move in analysis.moves
            )
            checksum = zlib.crc32(text.encode(), checksum)
    return f"{checksum:08x}"


def described(signature: str) -> str:
    """Return a signature with whether it's the expected one."""
    if signature == EXPECTED:
        return f"{signature} (as expected)"
    return f"{signature} (WRONG: expected {EXPECTED})"
