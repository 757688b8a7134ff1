"""The list of all profiles: the controllers that ``--compat`` can adapt to."""

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
        # Only 0.9 sends swap-pieces; in Hex its own board leaves the stone where it is.
        swaps={"swap-pieces": Kind.SWAP_SIDES, "swap-sides": Kind.SWAP_SIDES},
        # On swap-pieces, 0.10 mirrors the stone on its own board.  It could not undo swap-sides.
        swap_answers={"swap-pieces": Kind.SWAP_PIECES},
        swaps_freely=True,
        undoes_all_it_played=True,  # 0.9 sends one undo for each node of its game tree
    ),
    "mohex": Profile(
        purpose="scripts and web workers made for MoHex, HexGui's Options button",
        name="MoHex",
        # Despite its name, swap-pieces leaves the stone where it is in MoHex.
        swaps={"swap-pieces": Kind.SWAP_SIDES},
        swap_answers={"swap-pieces": Kind.SWAP_SIDES},
        commands=MOHEX,
        aliases=ALIASES,
    ),
    "katahex": Profile(
        purpose="scripts and web workers made for KataHex",
        commands=KATAHEX,
    ),
    "gogui": Profile(
        purpose="GoGui and its tools: no column I, rows counted from the bottom",
        vertices=GO,
        gogui_graphics=True,
        commands=GOGUI,
    ),
    "strict": Profile(
        purpose="referees: refuses moves out of turn and after the end of the game",
        strict=True,
    ),
}
"""Profiles by the name that ``--compat`` takes."""
