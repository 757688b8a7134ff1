"""Dialects of foreign engines: how each of them expects commands and spells its moves.

Engines disagree on the names of cells, on who Black is, on what a swap does, and on the commands
that set a clock.  An `EngineDialect` describes one kind of engine; a `GameView` translates the
moves of one game.  On our side of the translation moves are spelled as in game records: cells such
as ``c4``, ``swap-pieces``, ``swap-sides``, ``pass``, ``resign``.  Black moves first and, in Hex,
connects top and bottom.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from trivalent.core.board import BLACK, column_name
from trivalent.core.games import GAMES
from trivalent.core.position import Kind
from trivalent.core.text import printable
from trivalent.gtp.engine.vertices import PLAIN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from trivalent.core.board import Board, Colour

_PIECES, _SIDES = Kind.SWAP_PIECES, Kind.SWAP_SIDES
_UNLIMITED = 10**6  # seconds, for an engine that needs a number although only nodes are limited


class CellNames(Protocol):
    """An engine's notation for cells."""

    def name(self, board: Board, cell: int) -> str:
        """Return the name of a cell.  Case does not matter."""


class Time(Protocol):
    """The time control of an engine, in seconds; 0 means that a part is not used."""

    @property
    def move(self) -> float:
        """Fixed time for each move."""

    @property
    def main(self) -> float:
        """Main time, for the whole game."""

    @property
    def increment(self) -> float:
        """Time added after each move."""

    @property
    def byo_yomi(self) -> float:
        """Length of a period after main time."""

    @property
    def stones(self) -> int:
        """Number of moves in a period."""

    @property
    def nodes(self) -> int:
        """Limit of nodes a move."""


def _number(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".")


def _gtp_clock(time: Time) -> list[str]:
    if time.move:
        return [f"time_settings 0 {_number(time.move)} 1"]
    if time.main or time.byo_yomi:
        stones = time.stones if time.byo_yomi else 0
        return [f"time_settings {_number(time.main)} {_number(time.byo_yomi)} {stones}"]
    return []


def _gtp_times(time: Time) -> list[str]:
    if time.nodes:
        raise ValueError("it does not support a limit of nodes")
    return _gtp_clock(time)


@dataclass(frozen=True)
class Swaps:
    """How an engine swaps.  The defaults describe one that never does."""

    answers: Mapping[str, Kind] = field(default_factory=dict)
    """What it does on its own board when it answers with one of these words."""
    words: Mapping[Kind, str] = field(default_factory=lambda: {_SIDES: ""})
    """The word for `play` that makes it swap on its own board, for each kind of swap.  An empty
    word: nothing is sent, because a swap of sides changes no stone; the engine just plays the other
    colour from then on."""


@dataclass(frozen=True, eq=False)
class EngineDialect:
    """A kind of engine.  The defaults describe GTP as most engines speak it."""

    purpose: str
    games: tuple[str, ...] = tuple(GAMES)
    cells: CellNames = PLAIN
    colours_exchanged: bool = False
    """It calls our Black white: White moves first, or connects the other pair of sides."""
    square: bool = False
    """It only has square boards."""
    boardsize: str = "boardsize {width}"
    """Command for a square board or a Y board; several commands are separated by "; "."""
    boardsize_rectangular: str = "boardsize {width} {height}"
    """The same for other boards."""
    rules: str = ""
    """Command that allows (1) or forbids (0) the swap; empty if there is none."""
    swaps: Swaps | None = None
    """None: it follows the swap rule of the game and uses our words for it."""
    seed: str = ""
    """Command that sets the random seed before each game; empty if there is none."""
    clock_commands: Callable[[Time], list[str]] = _gtp_times
    """Returns the commands that set the clock before each game.  Raises ValueError, with a message
    that starts with "it", if the engine does not support the time control."""
    time_left: str = "time_left {colour} {whole} {stones}"
    """Command sent before each of its moves in a game with a clock; empty: none is needed."""

    def setup_commands(self, board: Board, *, swap: bool) -> list[str]:
        """Return the commands to send once after the engine has started.

        Raise ValueError if the engine does not support the board.
        """
        if board.game not in self.games:
            raise ValueError(f"it does not play {GAMES[board.game].title}")
        square = board.width == board.height
        if self.square and not square:
            raise ValueError("it only has square boards")
        values = {"game": board.game, "width": board.width, "height": board.height}
        commands = [self.rules.format(swap=int(swap))] if self.rules else []
        size = self.boardsize if square else self.boardsize_rectangular
        return commands + size.format(**values).split("; ")

    def game_commands(self, seed: int, time: Time) -> list[str]:
        """Return the commands to send before each game.

        Raise ValueError if the engine does not support the time control.
        """
        commands = [self.seed.format(seed=seed)] if self.seed else []
        return [*commands, *self.clock_commands(time), "clear_board"]

    def time_left_command(self, colour: str, seconds: float, stones: int) -> str:
        """Return the command that sets the remaining time; ``stones`` is 0 in main time."""
        return self.time_left.format(
            colour=colour, whole=int(seconds), seconds=f"{seconds:.2f}", stones=stones
        )


class GameView:
    """Translates the moves of one game, from its start, for one engine."""

    def __init__(self, dialect: EngineDialect, board: Board, swap: Kind | None) -> None:
        """Start a game with the given swap rule; None: no swap."""
        self._dialect = dialect
        self._board = board
        self._swap = swap
        self._exchanged = dialect.colours_exchanged
        self._mirrored = False
        self._theirs, self._ours = _names(dialect, board, mirrored=False)
        if swap is None:
            self._swaps = Swaps()
        else:
            word = swap.value
            self._swaps = dialect.swaps or Swaps({word: swap, "swap": swap}, {swap: word})

    def colour(self, colour: Colour) -> str:
        """Return the engine's present name for one of our colours."""
        return "black" if (colour is BLACK) != self._exchanged else "white"

    def play_command(self, colour: Colour, move: str) -> str:
        """Return the command that plays a move on the engine's board; empty if none is needed."""
        name = self.colour(colour)
        if move.startswith("swap"):
            kind, word = next(
                (entry for entry in self._swaps.words.items() if entry[0] is self._swap),
                next(iter(self._swaps.words.items())),
            )
            self._swapped(kind)
            return f"play {name} {word}" if word else ""
        return f"play {name} {self._theirs.get(move, move)}"

    def read_answer(self, answer: str) -> str:
        """Return the move in the engine's answer, spelled our way.

        Raise ValueError if the answer is not a move.  The caller checks whether the move is legal.
        """
        word = answer.strip().lower()
        if word in self._ours:
            return self._ours[word]
        if word == "resign":
            return word
        if word in ("pass", "pss"):
            return "pass"
        if word not in self._swaps.answers:
            raise ValueError(f"{printable(answer)} is not a move")
        assert self._swap is not None
        self._swapped(self._swaps.answers[word])
        return self._swap.value

    def _swapped(self, kind: Kind) -> None:
        """Adjust the translation after a swap that was of this kind on the engine's own board.

        If our rules have the other kind, the engine's board is from now on the mirror image of ours
        in the long diagonal, with the colours exchanged.
        """
        if kind is not self._swap:
            self._exchanged = not self._exchanged
            self._mirrored = not self._mirrored
            self._theirs, self._ours = _names(self._dialect, self._board, mirrored=self._mirrored)


@lru_cache(maxsize=64)
def _names(
    dialect: EngineDialect, board: Board, *, mirrored: bool
) -> tuple[dict[str, str], dict[str, str]]:
    """Return two dictionaries: our cell names to the engine's, and back from lower case.

    Raise ValueError if the board is to be mirrored but is not square.
    """
    images: Iterable[int] = range(len(board))
    if mirrored:
        if board.swap_map is None:
            raise ValueError("a board that is not square cannot be mirrored")
        images = board.swap_map
    theirs = {
        name: dialect.cells.name(board, image)
        for name, image in zip(board.names, images, strict=True)
    }
    return theirs, {word.lower(): name for name, word in theirs.items()}


def _trivalent_times(time: Time) -> list[str]:
    return [f"param_search nodes {time.nodes}", *(_gtp_clock(time) or ["time_settings 0 1 0"])]


def _katahex_times(time: Time) -> list[str]:
    if time.increment and not time.nodes:
        return [f"kata-time_settings fischer {_number(time.main)} {_number(time.increment)}"]
    return _gtp_times(time)


def _benzene_times(command: str, nodes: str) -> Callable[[Time], list[str]]:
    """Return the function that makes the clock commands of MoHex or Wolve."""

    def times(time: Time) -> list[str]:
        if time.byo_yomi:
            raise ValueError("it does not support byo-yomi")
        commands = []
        if time.nodes:
            if not nodes:
                raise ValueError("it does not support a limit of nodes")
            commands.append(f"{command} {nodes} {time.nodes}")
        if time.main:
            return [
                *commands,
                f"{command} use_time_management 1",
                f"param_game game_time {_number(time.main)}",
            ]
        seconds = time.move or (_UNLIMITED if time.nodes else 0)
        if seconds:
            commands += [
                f"{command} use_time_management 0",
                f"{command} max_time {_number(seconds)}",
            ]
        return commands

    return times


def _morat_times(time: Time) -> list[str]:
    if time.byo_yomi:
        raise ValueError("it does not support byo-yomi")
    nodes = f"-i {time.nodes}"
    if time.main:  # its other ways of dividing the main time fail near the end of a game
        return [f"time -p 10 -m {_number(time.increment)} -g {_number(time.main)} -f 1 {nodes}"]
    seconds = time.move or (_UNLIMITED if time.nodes else 0)
    return [f"time -m {_number(seconds)} -g 0 -f 0 {nodes}"] if seconds else []


def _mopyhex_times(time: Time) -> list[str]:
    if time.nodes or time.main or time.byo_yomi:
        raise ValueError("it only supports a fixed time for each move")
    return [f"set_time {_number(time.move)}"] if time.move else []


class _MoratY:
    """Cells of morat's Y: the letter is the row, from the longest up; the number is the column."""

    def name(self, board: Board, cell: int) -> str:
        x, y = board.coordinates[cell]
        return f"{column_name(board.height - 1 - y)}{x + 1}"


_BENZENE = Swaps({"swap-pieces": _SIDES, "swap": _SIDES}, {_SIDES: "swap-pieces"})
_OURS = {kind.value: kind for kind in (_PIECES, _SIDES)}
_NEVER = Swaps()

DIALECTS = {
    "plain": EngineDialect("any engine that names cells, colours and swaps as Trivalent does"),
    "trivalent": EngineDialect(
        "Trivalent's own players",
        boardsize="set_game {game}; boardsize {width}",
        boardsize_rectangular="set_game {game}; boardsize {width} {height}",
        rules="param_game allow_swap {swap}",
        swaps=Swaps(_OURS, {kind: word for word, kind in _OURS.items()}),
        seed="param_player seed {seed}",
        clock_commands=_trivalent_times,
        time_left="time_left {colour} {seconds} {stones}",
    ),
    "mohex": EngineDialect(
        "MoHex: swap-pieces leaves the stone where it is",
        games=("hex",),
        boardsize="boardsize {width} {height}",
        rules="param_game allow_swap {swap}",
        swaps=_BENZENE,
        clock_commands=_benzene_times("param_mohex", "max_games"),
        time_left="time_left {colour} {seconds}",
    ),
    "wolve": EngineDialect(
        "Wolve, which swaps like MoHex",
        games=("hex",),
        boardsize="boardsize {width} {height}",
        rules="param_game allow_swap {swap}",
        swaps=_BENZENE,
        clock_commands=_benzene_times("param_wolve", ""),
        time_left="time_left {colour} {seconds}",
    ),
    "katahex": EngineDialect(
        "KataHex, which does not support the swap",
        games=("hex",),
        boardsize="boardsize {width} {height}",
        swaps=_NEVER,
        clock_commands=_katahex_times,
        time_left="time_left {colour} {seconds} {stones}",
    ),
    "morat-hex": EngineDialect(
        # Letters are rows and White begins.  The two cancel out, so cell names are ours.
        "morat's Hex: White moves first, from left to right; no swap",
        games=("hex",),
        colours_exchanged=True,
        square=True,
        swaps=_NEVER,
        clock_commands=_morat_times,
        time_left="time -r {seconds}",
    ),
    "morat-y": EngineDialect(
        "morat's Y: White moves first; letters are rows from below; no swap",
        games=("y",),
        cells=_MoratY(),
        colours_exchanged=True,
        swaps=_NEVER,
        clock_commands=_morat_times,
        time_left="time -r {seconds}",
    ),
    "mopyhex": EngineDialect(
        "mopyhex: no swap, only whole seconds for each move",
        games=("hex",),
        square=True,
        swaps=_NEVER,
        clock_commands=_mopyhex_times,
        time_left="",
    ),
}
"""Dialects by the name that plans use."""
