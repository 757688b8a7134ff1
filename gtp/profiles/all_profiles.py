"""The controllers that we know, for ``--compat``."""

from __future__ import annotations

from trivalent.core.position import Kind
from trivalent.gtp.engine.profile import Profile
from trivalent.gtp.engine.vertices import GO
from trivalent.gtp.profiles.gogui import GOGUI
from trivalent.gtp.profiles.katahex import KATAHEX
from trivalent.gtp.profiles.mohex import ALIASES, MOHEX

PROFILES = {
    "none": Profile(),
    "hexgui": Profile(
        purpose="HexGui 0.9 and 0.10",
        # Only 0.9 sends swap-pieces; in Hex it leaves the stone where it is.
        swaps={"swap-pieces": Kind.SWAP_SIDES, "swap-sides": Kind.SWAP_SIDES},
        # On its own board 0.10 mirrors the stone then; it would not undo a swap of sides.
        swap_answers={"swap-pieces": Kind.SWAP_PIECES},
        swaps_freely=True,
        undoes_all_it_played=True,  # 0.9 sends an undo for each node of its tree
    ),
    "mohex": Profile(
        purpose="whatever drives MoHex: scripts, PlayHex-style workers, HexGui's Options button",
        name="MoHex",
        # MoHex leaves the stone where it is, whatever the word says.
        swaps={"swap-pieces": Kind.SWAP_SIDES},
        swap_answers={"swap-pieces": Kind.SWAP_SIDES},
        commands=MOHEX,
        aliases=ALIASES,
    ),
    "katahex": Profile(
        purpose="whatever drives KataHex",
        commands=KATAHEX,
    ),
    "gogui": Profile(
        purpose="GoGui and its tools: columns without the letter i, rows from the bottom",
        vertices=GO,
        gogui_graphics=True,
        commands=GOGUI,
    ),
    "strict": Profile(
        purpose="referees: no move out of turn, none after the end",
        strict=True,
    ),
}
"""The profiles by name."""
