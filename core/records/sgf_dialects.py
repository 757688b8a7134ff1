"""The dialects of SGF: what the labels, cells and swaps of programs and sites mean.

All of them write Hex (or Y) in the grammar of `sgf`.  They differ in who is Black, in the names of
cells, and above all in what each word for a swap means.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from trivalent.core import VERSION
from trivalent.core.games import GAMES
from trivalent.core.records.fitting import Holds
from trivalent.core.records.record import Action
from trivalent.core.records.sgf import Escapes

if TYPE_CHECKING:
    from collections.abc import Mapping

_OWN_WORDS = {action.value: action for action in Action if action is not Action.PLAY}


GAME_CODES = {**dict.fromkeys(GAMES, "11"), "bent-y": "BentY", "star": "Star", "renkula": "Renkula"}
"""GM by game: 11 is Hex in the list of red-bean.com, which has no numbers for the last three."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one program or family of programs writes games in SGF."""

    name: str
    title: str
    holds: Holds
    application: str | None = None
    """The program that its files name (AP)."""
    swaps: Mapping[str, Action] = field(default_factory=dict)
    """Words for swaps, in lower case, that don't mean what they mean in our files."""
    words: Mapping[Action, str] = field(default_factory=dict)
    """Words to write for actions, where they aren't ours."""
    flipped: bool = False
    """Whether the first player, our Black, has the label W."""
    letters: str = ""
    """The letters of columns and rows if cells are two letters; empty for names like a1."""
    sheared: bool = False
    """Whether the Hex board lies on the larger grid of a Go program."""
    escapes: Escapes = Escapes.ALL
    """Where a backslash escapes in its files.  We always escape when we write, unless it's NONE."""
    game_code: Mapping[str, str] = field(default_factory=lambda: GAME_CODES)
    """GM, by game."""
    notation: Mapping[str, str] = field(default_factory=dict)
    """The notation of cells by game, where it isn't ours."""
    plain_setup: bool = False
    """Whether setup works only on columns with one letter."""

    variants: Mapping[str, Dialect] = field(default_factory=dict)
    """The dialect to use instead for some games."""

    def of(self, game: str) -> Dialect:
        """Return the dialect for a game."""
        return self.variants.get(game, self)

    def action(self, word: str) -> Action | None:
        """Return what a word other than a cell means, or None."""
        word = word.strip().lower()
        return self.swaps.get(word) or _OWN_WORDS.get(word)

    def word(self, action: Action) -> str:
        """Return the word for an action."""
        return self.words.get(action, action.value)


_SIDES, _PIECES = Action.SWAP_SIDES, Action.SWAP_PIECES
_HEX_AND_Y = ("hex", "y")
_ALL = frozenset(Action)

OWN = Dialect(
    "sgf",
    "SGF as red-bean.com describes it for Hex; Y games add RU[Y], other games have a word as GM",
    Holds(games=tuple(GAMES), illegal_moves=True),
    f"Trivalent:{VERSION}",
    swaps={"swap": _SIDES},
)
HEXGUI = Dialect(
    "hexgui",
    "SGF of HexGui 0.10 and later",
    Holds(illegal_moves=True),
    "HexGui:0.10.GIT",
    swaps={"swap": _SIDES},
    escapes=Escapes.COMMENTS,
    plain_setup=True,
)
_OLD_Y = Dialect(
    "hexgui-0.9",
    "SGF of HexGui up to 0.9, whose swap-pieces leaves the stone where it is",
    Holds(
        games=_HEX_AND_Y,
        size=19,
        illegal_moves=True,
        actions=frozenset((Action.PLAY, Action.RESIGN, _PIECES)),
    ),
    "HexGui:0.9.GIT",
    swaps={"swap": _PIECES},
    escapes=Escapes.SELDOM,
)
HEXGUI_OLD = replace(
    _OLD_Y,
    holds=replace(_OLD_Y.holds, actions=frozenset((Action.PLAY, Action.RESIGN, _SIDES))),
    swaps={"swap": _SIDES, "swap-pieces": _SIDES},
    words={_SIDES: "swap-pieces"},
    variants={"y": _OLD_Y},  # there the stone changes colour, which is what swap-pieces is in Y
)
BENZENE = Dialect(
    "benzene",
    "SGF of Hex-benzene, whose SWAP exchanges the players",
    Holds(
        illegal_moves=True,
        actions=frozenset((Action.PLAY, Action.RESIGN, _SIDES)),
    ),
    "Hex-benzene:0.1",
    swaps={"swap": _SIDES, "swap-pieces": _SIDES},
    words={_SIDES: "SWAP"},
)
LITTLE_GOLEM = Dialect(
    "littlegolem",
    "SGF of Little Golem: the first player has the label W, swap moves the stone",
    Holds(
        oblong=False,
        size=26,
        variations=False,
        illegal_moves=True,
        setup=False,
        to_play=False,
        actions=frozenset((Action.PLAY, Action.RESIGN, _PIECES)),
    ),
    swaps={"swap": _PIECES},
    words={_PIECES: "swap"},
    flipped=True,
    letters="abcdefghijklmnopqrstuvwxyz",
    escapes=Escapes.NONE,
    game_code={},
)
PLAYHEX = Dialect(
    "playhex",
    "SGF of PlayHex",
    Holds(
        oblong=False,
        size=53,
        variations=False,
        setup=False,
        to_play=False,
        alternating=True,
        actions=frozenset((Action.PLAY, Action.PASS, _PIECES)),
    ),
    "PlayHex:0.0.0",
)
MORAT = Dialect(
    "morat",
    "SGF of morat, GM[Hex] and GM[Y]: White begins, the letter of a cell is its row",
    Holds(
        games=_HEX_AND_Y,
        oblong=False,
        illegal_moves=True,
        setup=False,
        to_play=False,
        actions=frozenset((Action.PLAY, Action.RESIGN)),
    ),
    "morat:0",
    swaps={"swap": _SIDES},
    flipped=True,
    game_code={"hex": "Hex", "y": "Y"},
    notation={"y": "y-morat"},
)
LIZZIE = Dialect(
    "lizzieyzy",
    "Go SGF of LizzieYzy for KataHex: Hex on a sheared grid",
    Holds(
        oblong=False,
        size=17,
        illegal_moves=True,
        setup=False,
        to_play=False,
        actions=frozenset((Action.PLAY,)),
    ),
    letters="abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    sheared=True,
    game_code={"hex": "1"},
)
DIALECTS = {
    dialect.name: dialect
    for dialect in (
        OWN,
        HEXGUI,
        HEXGUI_OLD,
        BENZENE,
        LITTLE_GOLEM,
        PLAYHEX,
        MORAT,
        LIZZIE,
    )
}
"""All dialects by name."""
