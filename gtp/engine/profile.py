"""What a controller expects of the engine beyond GTP: one declaration for each kind of them."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003  the types of a dataclass
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from trivalent.core.position import Kind
from trivalent.gtp.engine.vertices import PLAIN, Vertices

if TYPE_CHECKING:
    from trivalent.gtp.engine.command import Command


@dataclass(frozen=True)
class Profile:
    """A kind of controllers.  The defaults are those of a controller that goes by the rules."""

    purpose: str = "any controller"
    name: str = "Trivalent"
    """What `name` answers."""
    vertices: Vertices = PLAIN
    swaps: Mapping[str, Kind] = field(
        default_factory=lambda: {kind.value: kind for kind in (Kind.SWAP_PIECES, Kind.SWAP_SIDES)}
    )
    """What the words for a swap mean in Hex.  In Y a swapped piece stays where it is, whatever the
    word, so there swap-pieces is always what it says."""
    swap_answers: Mapping[str, Kind] = field(
        default_factory=lambda: {kind.value: kind for kind in (Kind.SWAP_PIECES, Kind.SWAP_SIDES)}
    )
    """The words by which the engine says that it swaps, and what they mean; the first one that is
    possible on the board is used."""
    swaps_freely: bool = False
    """Whether `play` takes a swap also where param_game allow_swap is 0: this controller has
    swapped on its own board already."""
    undoes_all_it_played: bool = False
    """Whether this controller takes back with `undo` whatever it has told of by `play`, also
    resignations and swaps of sides."""
    strict: bool = False
    """Whether moves out of turn, and after the end of the game, are refused."""
    gogui_graphics: bool = False
    """Whether graphics are those of GoGui: live ones go to standard error, and the scale of an
    influence begins at -1.  Those of HexGui go to standard output, and the scale begins at 0."""
    commands: tuple[Command, ...] = ()
    """Commands for this controller only; one of a common name replaces the common one."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Further names for common commands."""
