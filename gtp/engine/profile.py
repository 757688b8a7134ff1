"""How the engine adapts to a kind of controller, where that goes beyond plain GTP."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003  the dataclass evaluates its field types
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from trivalent.core.position import Kind
from trivalent.gtp.engine.vertices import PLAIN, Vertices

if TYPE_CHECKING:
    from trivalent.gtp.engine.command import Command


def _swap_words() -> dict[str, Kind]:
    return {kind.value: kind for kind in (Kind.SWAP_PIECES, Kind.SWAP_SIDES)}


@dataclass(frozen=True)
class Profile:
    """A kind of controller.  The defaults suit one that follows the GTP specification."""

    purpose: str = "default; works with any controller"
    """Who it is for, for ``--help``."""
    name: str = "Trivalent"
    """The reply to `name`."""
    vertices: Vertices = PLAIN
    """How the controller writes cells."""
    swaps: Mapping[str, Kind] = field(default_factory=_swap_words)
    """What each swap word means in Hex.  In Y swap-pieces always means what it says, because there
    a swapped stone stays on its cell."""
    swap_answers: Mapping[str, Kind] = field(default_factory=_swap_words)
    """The words that genmove may answer for a swap, and what they mean.  The engine uses the first
    that is possible on the board."""
    swaps_freely: bool = False
    """Accept a swap in `play` even if param_game allow_swap is 0, because this controller has
    already swapped on its own board."""
    undoes_all_it_played: bool = False
    """Let `undo` also take back resignations and swaps of sides, one at a time.  For a controller
    that sends one `undo` for every `play`."""
    strict: bool = False
    """Refuse moves out of turn and moves after the end of the game."""
    plays_on: bool = False
    """Answer genmove after the end of the game with a move on an empty cell, or a pass on a full
    board, rather than with a resignation."""
    sets_up_for_black: bool = False
    """Let Black move after `set_position`, however many stones there are."""
    shows_failures: bool = True
    """Whether the controller shows the text of a failure.  If not, a search that was stopped early
    answers with what it has found so far."""
    gogui_graphics: bool = False
    """Write graphics for GoGui: live graphics go to standard error, and the influence scale starts
    at -1.  Otherwise write them for HexGui: to standard output, with a scale that starts at 0."""
    lacks: frozenset[str] = frozenset()
    """Common commands that the controller must not see."""
    commands: tuple[Command, ...] = ()
    """Additional commands; one with the name of a common command replaces it."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Additional names for common commands: alias to name."""
