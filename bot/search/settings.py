"""What a search is made of and how it is tuned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trivalent.bot.evaluation._evaluator import Evaluator
    from trivalent.bot.knowledge._cutsets import CutsetFillin
    from trivalent.bot.knowledge._fillin import Filler
    from trivalent.bot.knowledge._virtual_connections import Connections
    from trivalent.core.connection._arbiter import Arbiter


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSettings:
    """The parts of a search on one board, and its parameters; see `MctsParameters` for these."""

    arbiter: Arbiter
    """Says who has won."""
    evaluators: tuple[Evaluator, ...]
    """Asked in this order, at most four; the first one judges leaves by playouts, and one may judge
    nodes."""
    filler: Filler | None
    """Fills in dead and captured cells at leaves; None to fill in none."""
    cutsets: CutsetFillin | None
    """Fills in more at nodes that look for virtual connections; None to do without."""
    vc_quick: Connections | None
    """Finds virtual connections within narrow limits; None to look for none."""
    vc_wide: Connections | None
    """Finds virtual connections within wide limits; None if `vc_quick` is."""
    seed: int
    memory: int
    """MiB of tree and proof table together."""
    prune: bool
    vc_visits: int
    vc_wide_visits: int
    """0 to look for virtual connections once only."""
    expansion_threshold: int
    rave_weight: float
    rave_prior_count: int
    exploration: float
    prior_weight: float
    evaluation_noise: float
    net_visits: int = 1
    net_value_weight: float = 0.0
    net_prior_weight: float = 0.0
    net_rave_weight: float = 0.0
    net_puct: float = 0.0
