"""The parameters of the `mcts` player."""

from __future__ import annotations

from dataclasses import dataclass

from trivalent.bot.book.book_parameters import book_parameter, book_random_parameter
from trivalent.bot.evaluation._playouts import IN_TURN, MAX_PLAYOUTS
from trivalent.bot.evaluation.network_opinion import NO_NETWORK, SHIPPED, check_network
from trivalent.bot.parameters import Parameters, choice, file, parameter
from trivalent.bot.player import RESIGN_MEANING
from trivalent.bot.players.levels import LEVELS

PLAYOUTS = {
    "in-turn": IN_TURN,
    "coin-repair": (False, False, True, 256, False),
    "balanced": (False, True, False, 0, False),
    "coin": (False, False, False, 0, False),
    "in-turn-templates": (True, False, False, 0, True),
}
"""How a batch may fill the board: cell by cell, balanced, keeping the position's bridges, chance in
256 of repairing another bridge, keeping edge templates."""

WIDE_CELLS = 144
"""Largest board, in cells, that leaves time for long lists of connections and for the wide search:
a search has to stop within 50 ms."""


@dataclass(frozen=True)
class MctsParameters(Parameters):
    """Parameters of the tree-search player over batches of playouts."""

    seed: int = parameter(
        0,
        "random seed; with one thread, the same seed, position and node limit give the same move",
        low=0,
        high=2**64 - 1,
    )
    level: int = parameter(
        0,
        f"playing strength from 1 (beginner) to {len(LEVELS)}: few nodes, and errors in "
        "judging how natural moves look; 0 is full strength within the given limits",
        low=0,
        high=len(LEVELS),
    )
    resign: float = parameter(
        0.0,
        RESIGN_MEANING,
        low=0.0,
        high=1.0,
        keeps_tree=True,
    )
    threads: int = parameter(
        0,
        "threads that share the tree; 0 uses all cores, or one thread if a node limit is the only "
        "limit, so that the search is reproducible",
        low=0,
        high=256,
        keeps_tree=True,
    )
    memory: int = parameter(
        512,
        "maximum memory of the tree in MiB, reduced if the machine has less (a background solver "
        "takes a quarter of it); when the tree is full, the search continues without expanding it",
        low=1,
        high=65_535,  # 2**32 units of 16 bytes
    )
    reuse: bool = parameter(
        default=True,
        meaning="keep the tree from move to move instead of starting each search afresh",
        keeps_tree=True,
    )
    playouts: str = choice(
        "in-turn",
        PLAYOUTS,
        "how playouts fill the board: in-turn fills cell by cell and answers every intrusion into "
        "a bridge at once; coin tosses a coin for each cell; coin-repair does the same and then "
        "repairs broken bridges; balanced gives each colour as many cells as if the players had "
        "taken turns; in-turn-templates is in-turn, and also answers intrusions into 4-3-2 edge "
        "templates",
        formerly="fill",
        former_values=dict(zip("0123", PLAYOUTS, strict=False)),
    )
    playout_policy: float = parameter(
        0.0,
        "how strongly the pattern policy influences which colour a cell gets in in-turn playouts: "
        "the odds of black are e to the power of this value times the difference between the two "
        "colours' scores; 0 lets colours alternate",
        low=0.0,
        high=10.0,
    )
    fill_in: bool = parameter(
        default=True, meaning="give dead and captured cells stones before the playouts"
    )
    cutset_fill_in: bool = parameter(
        default=True,
        meaning="at nodes whose virtual connections are computed, also fill in cells cut off by "
        "clique cutsets or enclosed by connected chains, for the whole subtree; requires fill_in "
        "(no effect on boards of more than 256 cells)",
        formerly="regions",
    )
    prune: bool = parameter(
        default=True,
        meaning="prune dominated moves and moves that a reply makes dead; requires fill_in",
    )
    vc_visits: int = parameter(
        16,
        "number of visits at which the virtual connections of a node are computed, to prove wins "
        "and to find losing moves; 0: never (no effect on boards of more than 256 cells)",
        low=0,
        high=1_000_000_000,
        formerly="connections",
    )
    vc_wide_visits: int = parameter(
        256,
        "number of visits at which the virtual connections of a node are computed again with wider "
        f"limits; 0: never (no effect on boards of more than {WIDE_CELLS} cells)",
        low=0,
        high=1_000_000_000,
        formerly="wide_connections",
    )
    solver_max_empties: int = parameter(
        90,
        "if several threads are used without a node limit and the position has at most this many "
        "empty cells, one thread tries to solve it while the others search; 0: never (no "
        "effect on boards of more than 256 cells)",
        low=0,
        high=256,
        formerly="solver",
        keeps_tree=True,
    )
    batch: int = parameter(
        MAX_PLAYOUTS,
        "playouts in a batch, rounded up to a multiple of 64",
        low=1,
        high=MAX_PLAYOUTS,
    )
    expansion_threshold: int = parameter(
        1,
        "number of visits before a leaf is expanded; the threshold rises once the tree is half "
        "full",
        low=1,
        high=1_000_000,
        formerly="expand",
    )
    rave_weight: float = parameter(
        0.05,
        "how quickly a move's own value takes over from RAVE: after n visits and m RAVE samples, "
        "the weight of RAVE is m / (m + n + rave_weight * m * n)",
        low=0.0,
        high=1000.0,
        formerly="rave",
    )
    exploration: float = parameter(
        0.02,
        "weight of the exploration term (UCT constant); small because the mean of a batch of "
        "playouts has little noise",
        low=0.0,
        high=10.0,
        formerly="explore",
    )
    rave_prior_count: int = parameter(
        1,
        "number of RAVE samples that the playouts of a newly expanded node are worth in the RAVE "
        "statistics of the node's moves",
        low=1,
        high=10_000,
        formerly="prior",
    )
    prior_weight: float = parameter(
        1.0,
        "weight of the move prior (learned from self-play) in move selection",
        low=0.0,
        high=100.0,
        formerly="policy",
    )
    net: str = file(
        SHIPPED,
        (SHIPPED, NO_NETWORK),
        "file of the network that judges nodes, or shipped (the network that comes with Trivalent "
        "for the game, if any), or none; it is not used on boards with more than 31 cells per "
        "side, or for a game other than its own",
        check_network,
    )
    net_visits: int = parameter(
        1,
        "number of visits at which the network judges a node; 1 judges every leaf (the root is "
        "always judged)",
        low=1,
        high=1_000_000_000,
    )
    net_value_weight: float = parameter(
        0.75,
        "weight of the network's value in the value of a leaf; the playouts' value has the "
        "remaining weight",
        low=0.0,
        high=1.0,
    )
    net_prior_weight: float = parameter(
        1.0,
        "replaces prior_weight at nodes that the network has judged",
        low=0.0,
        high=100.0,
    )
    net_rave_weight: float = parameter(
        0.05,
        "replaces rave_weight at nodes that the network has judged",
        low=0.0,
        high=1000.0,
    )
    net_puct: float = parameter(
        0.3,
        "weight of the PUCT term, prior times sqrt(visits of the node) / (visits of the move + 1), "
        "at nodes that the network has judged",
        low=0.0,
        high=100.0,
    )
    net_temperature: float = parameter(
        1.0,
        "temperature of the network's policy: values above 1 flatten it",
        low=0.1,
        high=10.0,
    )
    evaluation_noise: float = parameter(
        0.0,
        "standard deviation of a random error added to each leaf's value and cell statistics",
        low=0.0,
        high=10.0,
        formerly="noise",
    )
    book: str = book_parameter()
    book_random: float = book_random_parameter()
