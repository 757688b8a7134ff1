"""The parameters of the strong player, and its levels."""

from __future__ import annotations

from dataclasses import dataclass

from trivalent.bot.parameters import Parameters, parameter
from trivalent.bot.player import RESIGN_MEANING

FILLS = (
    (True, False, False, 0),
    (False, False, True, 256),
    (False, True, False, 0),
    (False, False, False, 0),
)
"""How a batch may be filled: in turn, balanced, with the bridges of the position, repaired."""


WIDE_CELLS = 144
"""Cells of the largest board on which there is time for long lists of connections, and for wide
ones: a search has to stop within 50 milliseconds."""

LEVELS = (
    (1, 1.0),
    (1, 0.4),
    (1, 0.27),
    (1, 0.18),
    (1, 0.12),
    (2, 0.15),
    (2, 0.1),
    (4, 0.02),
    (20, 0.0),
    (90, 0.0),
    (400, 0.0),
    (1800, 0.0),
    (8000, 0.0),
)
"""From beginner on: most nodes of a search, and its noise."""


@dataclass(frozen=True)
class MctsParameters(Parameters):
    """Parameters of the player of batches."""

    seed: int = parameter(
        0,
        "seed; with one thread the same seed, positions and node limits give the same moves",
        low=0,
        high=2**64 - 1,
    )
    level: int = parameter(
        0,
        f"how strong to play, from 1 (a beginner) to {len(LEVELS)}, by so few nodes and so much "
        "noise; 0 is as strong as it can, within the limits given",
        low=0,
        high=len(LEVELS),
    )
    resign: float = parameter(
        0.0,
        RESIGN_MEANING,
        low=0.0,
        high=1.0,
    )
    threads: int = parameter(
        0,
        "threads that search the tree; 0 is one for each core, but one alone where only the number "
        "of nodes is limited, so that the search can be repeated",
        low=0,
        high=256,
    )
    memory: int = parameter(
        512,
        "most memory for the tree in MiB, if there is as much; a full tree goes on without growing "
        "(a solver has a quarter of it)",
        low=1,
        high=65_535,  # 2**32 units of 16 bytes
    )
    reuse: bool = parameter(
        default=True, meaning="keep the tree from move to move, or begin each search anew"
    )
    fill: int = parameter(
        0,
        "how playouts fill the board: 0 cell by cell, answering at once who enters a bridge; "
        "1 by coins, mending bridges; 2 balanced; 3 by coins",
        low=0,
        high=3,
    )
    fill_in: bool = parameter(
        default=True, meaning="give dead and captured cells stones before the playouts"
    )
    regions: bool = parameter(
        default=True,
        meaning="where connections are looked for, fill in what is dead for all of the board and "
        "what they divide, for all positions below; needs fill_in (boards of up to 256 cells)",
    )
    prune: bool = parameter(
        default=True,
        meaning="leave out moves that the opponent can make dead, and those that others are "
        "preferable to; needs fill_in",
    )
    connections: int = parameter(
        16,
        "visits at which virtual connections are looked for, to prove wins and moves that lose; "
        "0 is never (boards of up to 256 cells)",
        low=0,
        high=1_000_000_000,
    )
    wide_connections: int = parameter(
        256,
        f"visits at which more of them are looked for, which takes longer; 0 is never (boards of "
        f"up to {WIDE_CELLS} cells)",
        low=0,
        high=1_000_000_000,
    )
    solver: int = parameter(
        90,
        "most empty cells of a position that one of several threads tries to solve while the "
        "others search; 0 is none (boards of up to 256 cells)",
        low=0,
        high=256,
    )
    batch: int = parameter(512, "playouts of a batch, rounded up to 64s", low=1, high=512)
    expand: int = parameter(
        1,
        "batches at a position until its moves enter the tree; more once that is half full",
        low=1,
        high=1_000_000,
    )
    rave: float = parameter(
        0.05,
        "how fast RAVE gives way to a move's own visits: its weight is m / (m + n + rave m n) "
        "after n visits and m samples",
        low=0.0,
        high=1000.0,
    )
    explore: float = parameter(
        0.02, "weight of exploration (UCT constant): values differ little", low=0.0, high=10.0
    )
    prior: int = parameter(
        1, "samples that the batch of a position counts for in its moves", low=1, high=10_000
    )
    policy: float = parameter(
        1.0,
        "weight of what a strong player is likely to choose, by what lies around a cell",
        low=0.0,
        high=100.0,
    )
    noise: float = parameter(
        0.0,
        "standard deviation of the error with which each position and each of its cells is judged",
        low=0.0,
        high=10.0,
    )
