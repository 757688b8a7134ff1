"""The list of all profiles: the controllers that ``--compat`` can adapt to."""

from __future__ import annotations

from trivalent.gtp.engine.profile import Profile
from trivalent.gtp.profiles.gogui import GOGUI
from trivalent.gtp.profiles.hexgui import HEXGUI
from trivalent.gtp.profiles.katahex import KATAHEX
from trivalent.gtp.profiles.mohex import MOHEX

PROFILES = {
    "none": Profile(),
    "hexgui": HEXGUI,
    "mohex": MOHEX,
    "katahex": KATAHEX,
    "gogui": GOGUI,
    "strict": Profile(
        purpose="for referees; refuses moves out of turn and after the end of the game",
        strict=True,
    ),
}
"""Profiles by the name that ``--compat`` takes."""
