"""HexGui's profile: how HexGui 0.9 and 0.10 swap and take back."""

from __future__ import annotations

from trivalent.core.position import Kind
from trivalent.gtp.engine.profile import Profile

HEXGUI = Profile(
    purpose="HexGui 0.9 and 0.10",
    # Only 0.9 sends swap-pieces; in Hex its own board leaves the stone where it is.
    swaps={"swap-pieces": Kind.SWAP_SIDES, "swap-sides": Kind.SWAP_SIDES},
    # On swap-pieces, 0.10 mirrors the stone on its own board.  It could not undo swap-sides.
    swap_answers={"swap-pieces": Kind.SWAP_PIECES},
    swaps_freely=True,
    shows_failures=False,
    undoes_all_it_played=True,  # 0.9 sends one undo for each node of its game tree
)
"""The profile of HexGui."""
