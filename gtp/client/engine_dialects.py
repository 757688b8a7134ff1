"""How foreign engines spell what a referee says to them and hears from them.

Programs disagree on the names of cells, on who Black is, on what a swap does, and on how they are
told of clocks.  An `EngineDialect` describes one; a `GameView` translates during a game.  Our
words are those of game records: points such as ``c4``, ``swap-pieces``, ``swap-sides``, ``pass``,
``resign``.  Black begins, and joins top and bottom in Hex.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from trivalent.core.board import BLACK, column_name
from trivalent.core.position import Kind
from trivalent.core.text import printable
from trivalent.gtp.engine.vertices import PLAIN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from trivalent.core.board import Board, Colour

_PIECES, _SIDES = Kind.SWAP_PIECES, Kind.SWAP_SIDES
_UNLIMITED = 10**6  # seconds, where an engine wants a number and only nodes are limited


class Cells(Protocol):
    """A way to name cells."""

    def name(self, board: Board, cell: int) -> str:
        """Return the name of a cell; upper and lower case are the same."""


class Time(Protocol):
    """What an engine may use for its moves: seconds, 0 for none of a kind."""

    @property
    def move(self) -> float:
        """For every move alone."""

    @property
    def main(self) -> float:
        """For the game."""

    @property
    def increment(self) -> float:
        """Added after every move."""

    @property
    def byo_yomi(self) -> float:
        """For a period of moves after main time."""

    @property
    def stones(self) -> int:
        """Moves in a period."""

    @property
    def nodes(self) -> int:
        """Limit of the search."""


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
        raise ValueError("it knows no limit of nodes")
    return _gtp_clock(time)


@dataclass(frozen=True)
class Swaps:
    """How an engine swaps.  The defaults are those of one that never does."""

    answers: Mapping[str, Kind] = field(default_factory=dict)
    """What the words of its answers do on its own board."""
    words: Mapping[Kind, str] = field(default_factory=lambda: {_SIDES: ""})
    """How it is told to do one or the other on its own board.  With no word it is told nothing:
    a swap of sides changes no stone, so only its colour is another one from then on."""


@dataclass(frozen=True, eq=False)
class EngineDialect:
    """A kind of engines.  The defaults are those of GTP as most of them have it."""

    purpose: str
    games: tuple[str, ...] = ("hex", "y")
    cells: Cells = PLAIN
    colours_exchanged: bool = False
    """Whether it calls our Black white: there White begins, or joins the other sides."""
    square: bool = False
    """Whether it has square boards only."""
    boardsize: str = "boardsize {width}"
    boardsize_rectangular: str = "boardsize {width} {height}"
    rules: str = ""
    """Command that allows the swap (1) or forbids it (0)."""
    swaps: Swaps | None = None
    """None: it swaps as the rules of the game have it, and says so in our words."""
    seed: str = ""
    """Command that sets the seed, sent at every game."""
    clock_commands: Callable[[Time], list[str]] = _gtp_times
    """Commands that tell of the clock at the beginning of a game.  Raises ValueError, with half a
    sentence, if the engine has nothing of the kind."""
    time_left: str = "time_left {colour} {whole} {stones}"
    """Command before every move of a game with a clock; empty if it need not be told."""

    def setup_commands(self, board: Board, *, swap: bool) -> list[str]:
        """Return the commands that are sent once after the start.

        Raise ValueError if it has no such board.
        """
        if board.game not in self.games:
            raise ValueError(f"it plays no {board.game.capitalize()}")
        square = board.width == board.height
        if self.square and not square:
            raise ValueError("it has square boards only")
        values = {"game": board.game, "width": board.width, "height": board.height}
        commands = [self.rules.format(swap=int(swap))] if self.rules else []
        size = self.boardsize if square else self.boardsize_rectangular
        return commands + size.format(**values).split("; ")

    def game_commands(self, seed: int, time: Time) -> list[str]:
        """Return the commands at the beginning of every game.

        Raise ValueError if the engine knows no such clock.
        """
        commands = [self.seed.format(seed=seed)] if self.seed else []
        return [*commands, *self.clock_commands(time), "clear_board"]

    def time_left_command(self, colour: str, seconds: float, stones: int) -> str:
        """Return the command that tells what is left on a clock, 0 stones in main time."""
        return self.time_left.format(
            colour=colour, whole=int(seconds), seconds=f"{seconds:.2f}", stones=stones
        )


class GameView:
    """A game as an engine sees it, from its beginning on."""

    def __init__(self, dialect: EngineDialect, board: Board, swap: Kind | None) -> None:
        """Begin a game with that swap; None for no swap."""
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
        """Return what it calls a colour now."""
        return "black" if (colour is BLACK) != self._exchanged else "white"

    def play_command(self, colour: Colour, move: str) -> str:
        """Return the command that tells it of a move, or nothing if it need not know."""
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
        """Return the move of an answer in our words.  Raise ValueError if it is none.

        Whether the move is legal is for the caller to decide.
        """
        word = answer.strip().lower()
        if word in self._ours:
            return self._ours[word]
        if word == "resign":
            return word
        if word in ("pass", "pss"):
            return "pass"
        if word not in self._swaps.answers:
            raise ValueError(f"{printable(answer)} is no move")
        assert self._swap is not None
        self._swapped(self._swaps.answers[word])
        return self._swap.value

    def _swapped(self, kind: Kind) -> None:
        """Go on after a swap that has done this on the engine's own board.

        Where the rules have the other one, the two boards are from now on images of each other in
        the long diagonal, with colours exchanged.
        """
        if kind is not self._swap:
            self._exchanged = not self._exchanged
            self._mirrored = not self._mirrored
            self._theirs, self._ours = _names(self._dialect, self._board, mirrored=self._mirrored)


@lru_cache(maxsize=64)
def _names(
    dialect: EngineDialect, board: Board, *, mirrored: bool
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the engine's name of each of our points, and the other way round, in lower case.

    Raise ValueError if the board cannot be mirrored.
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
    """Return how MoHex and Wolve are told of clocks."""

    def times(time: Time) -> list[str]:
        if time.byo_yomi:
            raise ValueError("it knows no byo-yomi")
        commands = []
        if time.nodes:
            if not nodes:
                raise ValueError("it knows no limit of nodes")
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
        raise ValueError("it knows no byo-yomi")
    nodes = f"-i {time.nodes}"
    if time.main:  # its usual ways to share it out fail near the end of a game
        return [f"time -p 10 -m {_number(time.increment)} -g {_number(time.main)} -f 1 {nodes}"]
    seconds = time.move or (_UNLIMITED if time.nodes else 0)
    return [f"time -m {_number(seconds)} -g 0 -f 0 {nodes}"] if seconds else []


def _mopyhex_times(time: Time) -> list[str]:
    if time.nodes or time.main or time.byo_yomi:
        raise ValueError("it knows no limit but a time for every move")
    return [f"set_time {_number(time.move)}"] if time.move else []


class _MoratY:
    """Letters are rows, the longest one first; numbers are columns."""

    def name(self, board: Board, cell: int) -> str:
        x, y = board.coordinates[cell]
        return f"{column_name(board.height - 1 - y)}{x + 1}"


_BENZENE = Swaps({"swap-pieces": _SIDES, "swap": _SIDES}, {_SIDES: "swap-pieces"})
_OURS = {kind.value: kind for kind in (_PIECES, _SIDES)}
_NEVER = Swaps()

DIALECTS = {
    "plain": EngineDialect("programs that go by GTP and name cells, colours and swaps as we do"),
    "trivalent": EngineDialect(
        "our own players",
        boardsize="set_game {game}; boardsize {width}",
        boardsize_rectangular="set_game {game}; boardsize {width} {height}",
        rules="param_game allow_swap {swap}",
        swaps=Swaps(_OURS, {kind: word for word, kind in _OURS.items()}),
        seed="param_player seed {seed}",
        clock_commands=_trivalent_times,
        time_left="time_left {colour} {seconds} {stones}",
    ),
    "mohex": EngineDialect(
        "MoHex: its swap-pieces leaves the stone where it is",
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
        "KataHex, which knows no swap",
        games=("hex",),
        boardsize="boardsize {width} {height}",
        swaps=_NEVER,
        clock_commands=_katahex_times,
        time_left="time_left {colour} {seconds} {stones}",
    ),
    "morat-hex": EngineDialect(
        # Its letters are rows and White begins: names of cells come out as they are.
        "morat's Hex: White begins and joins left and right; it knows no swap",
        games=("hex",),
        colours_exchanged=True,
        square=True,
        swaps=_NEVER,
        clock_commands=_morat_times,
        time_left="time -r {seconds}",
    ),
    "morat-y": EngineDialect(
        "morat's Y: White begins; rows are letters, counted from below; it knows no swap",
        games=("y",),
        cells=_MoratY(),
        colours_exchanged=True,
        swaps=_NEVER,
        clock_commands=_morat_times,
        time_left="time -r {seconds}",
    ),
    "mopyhex": EngineDialect(
        "mopyhex, which knows no swap and whole seconds for a move only",
        games=("hex",),
        square=True,
        swaps=_NEVER,
        clock_commands=_mopyhex_times,
        time_left="",
    ),
}
"""The dialects by name."""
