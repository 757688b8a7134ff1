"""All GTP commands, family by family."""

from __future__ import annotations

from trivalent.gtp.game import GAME
from trivalent.gtp.standard import STANDARD

COMMANDS = (*STANDARD, *GAME)
"""Every command that a session of ours knows, in the order of list_commands."""
