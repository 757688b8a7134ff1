"""What a player is: the one interface between those who decide on moves and those who ask.

A player is given positions and is asked for moves.  It has no protocol and no clock, and does not
place its own moves: whoever asked calls `play` when the move is really made.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Protocol

from trivalent.bot._stop import Stop
from trivalent.core.board import hex_board
from trivalent.core.position import Position

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from trivalent.bot.parameters import Parameters
    from trivalent.core.board import Colour

__all__ = [
    "NO_ANALYSIS",
    "RESIGN",
    "RESIGN_MEANING",
    "SWAP",
    "Analysis",
    "Answer",
    "BasePlayer",
    "Limits",
    "MoveAnalysis",
    "Player",
    "Special",
    "Stop",
    "Watch",
]


class Special(Enum):
    """An answer that is not a cell."""

    RESIGN = "resign"
    SWAP = "swap"
    """Of pieces or of sides, as the game has it.  Only `trivalent.bot.players.swap` answers it."""

    def __str__(self) -> str:
        return self.value


RESIGN = Special.RESIGN
SWAP = Special.SWAP

Answer = int | Special
"""What a player answers: a cell, or one of the special answers."""


@dataclass(frozen=True, slots=True)
class Limits:
    """When a search has to end, whichever comes first; without limits it ends only by a stop."""

    nodes: int | None = None
    """Positions evaluated, at least 1: by a playout each or, as mcts does, a batch of them."""
    seconds: float | None = None
    """Seconds of wall-clock time, not negative."""
    extension: float | None = None
    """For whoever plays on a clock: seconds beyond these that a hard choice may take.  Then the
    search also ends before its time once its choice cannot change any more.
    """

    def __post_init__(self) -> None:
        if self.nodes is not None and self.nodes < 1:
            raise ValueError(f"nodes must be at least 1, not {self.nodes}")
        if self.seconds is not None and not self.seconds >= 0:  # nor is a NaN
            raise ValueError(f"seconds must not be negative, as {self.seconds} is")


@dataclass(frozen=True, slots=True)
class MoveAnalysis:
    """What a search found out about one move."""

    cell: int
    visits: int
    value: float
    """Share of the playouts through this move that its player won, 0 to 1."""
    rave: float
    """The same over all playouts in which the player owned the cell at the end."""
    proven: bool | None
    """True if the move is known to win, False if it is known to lose."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """What the last search found out.  Moves are ordered from the best to the worst."""

    nodes: int
    seconds: float
    moves: tuple[MoveAnalysis, ...]
    variation: tuple[int, ...]
    """The cells of the line that the search expects, the chosen move first."""
    ownership: tuple[float, ...] = ()
    """For each cell how often Black had it at the end of a playout, 0 to 1; empty if unknown."""
    pivotality: tuple[float, ...] = ()
    """For each cell how much more often Black won with it than without, -1 to 1."""

    @property
    def value(self) -> float:
        """Estimate of the side to move's chance to win, 0 to 1; 1/2 if nothing was found out."""
        if not self.moves:
            return 0.5
        best = self.moves[0]
        return best.value if best.proven is None else float(best.proven)


NO_ANALYSIS = Analysis(0, 0.0, (), ())


HOPELESS_MOVES = 3
"""Moves in a row that have to look lost before a player resigns."""

RESIGN_MEANING = (
    "resign when the chance to win, 0 to 1, has been below this for "
    f"{HOPELESS_MOVES} moves, or the game is known to be lost; 0 plays on to the end"
)


@dataclass(frozen=True, slots=True)
class Watch:
    """Somebody who looks on while a search runs."""

    seconds: float
    """The time between two reports."""
    report: Callable[[Analysis], None]
    """Called in the thread of the search, which waits for it."""


class Player(Protocol):
    """Someone who decides on moves.

    Not thread-safe, but for the `Stop` that a search is given: any thread may set it.
    """

    @property
    def parameters(self) -> Parameters:
        """The parameters of the player."""

    def configure(self, values: Mapping[str, str]) -> None:
        """Change some parameters, given as text, from the next `genmove` on.

        Raise ValueError for an unknown name or a value that does not fit.
        """

    def set_position(self, position: Position) -> None:
        """Go on from this position, of which the player keeps a copy, and from nothing else."""

    def play(self, colour: Colour, cell: int) -> None:
        """A stone has been placed.  Raise IllegalMove if it cannot be."""

    def undo(self) -> None:
        """The latest move has been taken back.  Raise IllegalMove if there is none."""

    def genmove(
        self, colour: Colour, limits: Limits, stop: Stop, watch: Watch | None = None
    ) -> Answer:
        """Decide on a move for a colour, whether or not it is its turn; do not place it.

        The game must be open.  Setting ``stop`` makes the player answer with the best move so far
        within 50 ms, also if it was set before the call.  A watch changes nothing but the time.
        """

    def ponder(self, limits: Limits, stop: Stop) -> None:
        """Think while it is the opponent's turn; what comes of it may help the next `genmove`.

        The game must be open.  It is no search of one's own: `analysis` stays what it was.
        """

    def analysis(self) -> Analysis:
        """Return what the last `genmove` found out; an empty analysis before the first one."""


def _is_hard(analysis: Analysis) -> bool:
    """Whether the move with the most visits has a rival: better, or visited nearly as often."""
    if len(analysis.moves) < 2:
        return False
    best, second = analysis.moves[:2]
    better = max(
        analysis.moves, key=lambda move: move.value if 4 * move.visits > best.visits else 0
    )
    return better is not best or second.visits > 0.8 * best.visits


def _is_settled(analysis: Analysis, seconds: float) -> bool:
    """Whether no move can overtake the best one in the visits that are left until then."""
    if len(analysis.moves) < 2:
        return True
    left = analysis.nodes * (seconds / analysis.seconds - 1) if analysis.seconds > 0 else math.inf
    return analysis.moves[0].visits - analysis.moves[1].visits > left


class BasePlayer:
    """The part of a player that follows the game."""

    def __init__(self) -> None:
        self._position = Position(hex_board(1))
        self._analysis = NO_ANALYSIS
        self._hopeless = 0  # searches in a row

    def set_position(self, position: Position) -> None:
        """See `Player.set_position`."""
        self._position = position.copy()
        self._hopeless = 0
        self._analysis = NO_ANALYSIS

    def play(self, colour: Colour, cell: int) -> None:
        """See `Player.play`."""
        self._position.play(colour, cell)

    def undo(self) -> None:
        """See `Player.undo`."""
        self._position.undo()

    def ponder(self, limits: Limits, stop: Stop) -> None:
        """See `Player.ponder`: most players keep nothing that it could help."""

    def analysis(self) -> Analysis:
        """See `Player.analysis`."""
        return self._analysis

    def _search(
        self,
        run: Callable[[float], bool],
        analyse: Callable[[float], Analysis],
        began: float,
        limits: Limits,
        watch: Watch | None,
    ) -> None:
        """Search until the time is up or nothing is left to do, and keep what has been found out.

        ``run`` goes on for so many seconds, negative for no limit, and returns whether only the
        time has ended it; ``analyse`` is given the seconds that the search has taken since it
        ``began``, in `time.monotonic`.
        """
        end = math.inf if limits.seconds is None else began + limits.seconds
        extension = limits.extension
        # On a clock, look now and then whether to go on.
        tick = math.inf if extension is None else max(0.005, (end - began) / 20)
        next_report = began + watch.seconds if watch else math.inf
        while True:
            now = time.monotonic()
            left = max(0.0, end - now)
            share = min(left, tick, max(0.0, next_report - now))
            running = run(-1.0 if math.isinf(share) else share)
            self._analysis = analyse(time.monotonic() - began)
            if not running:
                break
            if share == left:
                if not extension or not _is_hard(self._analysis):
                    break
                end += extension
                extension = 0.0
            elif extension is not None and _is_settled(self._analysis, end - began):
                break
            if watch and time.monotonic() >= next_report:
                watch.report(self._analysis)
                next_report = time.monotonic() + watch.seconds

    def _gives_up(self, resign: float) -> bool:
        """Whether to resign after a search, if one resigns below a chance to win.

        That is when the game is known to be lost, or has looked lost for several moves.
        """
        self._hopeless = self._hopeless + 1 if self._analysis.value < resign else 0
        moves = self._analysis.moves
        return resign > 0 and (
            self._hopeless >= HOPELESS_MOVES or bool(moves and moves[0].proven is False)
        )

    def _to_move(self, colour: Colour) -> Position:
        """Return a copy of the position with that colour to move.

        Raise ValueError if the game is decided.
        """
        if self._position.winner is not None:
            raise ValueError(f"{self._position.winner} has won: there is no move to decide on")
        position = self._position.copy()
        position.to_play = colour
        return position
