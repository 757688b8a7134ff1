"""The player interface, between the code that decides on moves and the code that asks for them.

A player follows a game and is asked for moves.  It knows no protocol and no clock, and it doesn't
place its own moves: the caller calls `play` once a move has really been made.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Protocol

from trivalent.bot._stop import Stop
from trivalent.core.games import hex_board
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
    "AvoidError",
    "BasePlayer",
    "BoardError",
    "Limits",
    "MoveAnalysis",
    "NetworkOpinion",
    "Player",
    "Special",
    "Stop",
    "Watch",
]


class Special(Enum):
    """An answer other than a cell."""

    RESIGN = "resign"
    SWAP = "swap"
    """Swap pieces or sides, whichever the game has.  Only `SwappingPlayer` answers it."""

    def __str__(self) -> str:
        return self.value


RESIGN = Special.RESIGN
SWAP = Special.SWAP

Answer = int | Special
"""A player's answer: a cell, or one of the special answers."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a search, which ends at the first one reached; with none it runs until stopped."""

    nodes: int | None = None
    """Maximum number of positions evaluated, at least 1 (`mcts` plays a batch of playouts for each
    position, `uct` a single one)."""
    seconds: float | None = None
    """Maximum wall-clock time in seconds, not negative."""
    extension: float | None = None
    """When playing on a clock: additional seconds that a hard choice may take.  The search may then
    also end early, once no other move can overtake the best one.
    """
    avoid: frozenset[int] = frozenset()
    """Cells on which the move must not be."""

    def __post_init__(self) -> None:
        if self.nodes is not None and self.nodes < 1:
            raise ValueError(f"nodes must be at least 1, not {self.nodes}")
        if self.seconds is not None and not self.seconds >= 0:  # nor is a NaN
            raise ValueError(f"seconds must not be negative: {self.seconds}")


@dataclass(frozen=True, slots=True)
class MoveAnalysis:
    """What a player found out about one move."""

    cell: int
    visits: int | None
    """How often the search followed the move; None for a player that doesn't search."""
    value: float
    """Estimated probability that the move wins, 0 to 1."""
    rave: float | None
    """Share of wins among all playouts in which the mover owned the cell at the end, 0 to 1; None
    for a player without these statistics."""
    proven: bool | None
    """True if the move is proven to win, False if it is proven to lose, None if neither."""
    prior: float | None = None
    """Probability that a strong player chooses the move, by the network or else by patterns, 0 to
    1; None for a player without priors."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """The result of a search."""

    nodes: int
    """Positions evaluated."""
    seconds: float
    """Wall-clock time taken."""
    moves: tuple[MoveAnalysis, ...]
    """The moves from best to worst; empty before the first search."""
    variation: tuple[int, ...]
    """The cells of the principal variation, the chosen move first."""
    ownership: tuple[float, ...] = ()
    """For each cell, the share of playouts that Black owned it in, 0 to 1; empty if unknown."""
    pivotality: tuple[float, ...] = ()
    """For each cell, how much more often Black won with it than without, -1 to 1; empty if unknown.
    """
    currents: tuple[float, ...] = ()
    """For each cell, the current through it in the circuits, 0 to 2; empty if there are none."""

    @property
    def considered(self) -> tuple[MoveAnalysis, ...]:
        """The moves that the search followed at least once, and the best move in any case."""
        return self.moves[:1] + tuple(move for move in self.moves[1:] if move.visits != 0)

    @property
    def value(self) -> float:
        """Estimated probability that the side to move wins, 0 to 1; 1/2 if there are no moves."""
        if not self.moves:
            return 0.5
        best = self.moves[0]
        return best.value if best.proven is None else float(best.proven)


@dataclass(frozen=True, slots=True)
class NetworkOpinion:
    """A network's evaluation of a position."""

    policy: dict[int, float]
    """For each empty cell, the probability that a strong player plays there; their sum is 1."""
    value: float
    """Probability that the side to move wins, 0 to 1."""
    ownership: tuple[float, ...] | None
    """For each cell, the probability that Black owns it in the end; None if the network has no such
    output."""


NO_ANALYSIS = Analysis(0, 0.0, (), ())


class AvoidError(ValueError):
    """A player can't avoid the cells that the limits name: no other move is left, by default."""

    def __init__(
        self, reason: str = "no move is left: the others are excluded or inferior"
    ) -> None:
        super().__init__(reason)


class BoardError(ValueError):
    """A player can't play on a board."""


HOPELESS_MOVES = 3
"""Number of moves in a row that must look lost before a player resigns."""

RESIGN_MEANING = (
    f"resign once the estimated winning probability has been below this for {HOPELESS_MOVES} "
    "moves, or the game is proven lost; 0 never resigns"
)


@dataclass(frozen=True, slots=True)
class Watch:
    """An observer of a running search."""

    seconds: float
    """Time between reports."""
    report: Callable[[Analysis], None]
    """Callback; the search waits for it, in its own thread."""


class Player(Protocol):
    """A player: it follows one game and decides on moves.

    Not thread-safe, except that any thread may set the `Stop` passed to a search.
    """

    @property
    def parameters(self) -> Parameters:
        """The player's parameters."""

    def configure(self, values: Mapping[str, str]) -> None:
        """Change parameters, given as text, from the next `genmove` on.

        Raise ValueError for an unknown name or an unsuitable value.
        """

    def set_position(self, position: Position) -> None:
        """Continue from a copy of this position and forget everything about the previous game."""

    def play(self, colour: Colour, cell: int) -> None:
        """Record a move that has been made.  Raise IllegalMove if it's impossible."""

    def undo(self) -> None:
        """Take back the last move.  Raise IllegalMove if there is none."""

    def genmove(
        self, colour: Colour, limits: Limits, stop: Stop, watch: Watch | None = None
    ) -> Answer:
        """Decide on a move for a colour, whoever's turn it is, without making it.

        The game must be open.  Raise AvoidError if the limits leave no move, or if the player
        can't leave moves out, and BoardError if it can't play on the board.  Once ``stop`` is set,
        even before the call, the player answers with the best move so far within 50 ms.  A watch
        doesn't change the answer, only the time taken.
        """

    def ponder(self, limits: Limits, stop: Stop) -> None:
        """Think during the opponent's turn; the next `genmove` may profit.

        The game must be open.  `analysis` doesn't change.
        """

    def analysis(self) -> Analysis:
        """Return the result of the last `genmove`; an empty analysis before the first one."""

    def network(self) -> str | None:
        """Describe the network that the player asks about positions of this board, if any."""

    def network_opinion(self, colour: Colour) -> NetworkOpinion | None:
        """Ask the network, without a search, about the position with this colour to move.

        Return None if there is no network.  The game must be open.
        """


def _is_hard(analysis: Analysis) -> bool:
    """Whether the most visited move has a rival of higher value, or of almost as many visits."""
    if len(analysis.moves) < 2:
        return False
    best = analysis.moves[0]
    first, second = _visits_of_two_best(analysis)
    better = max(
        analysis.moves, key=lambda move: move.value if 4 * (move.visits or 0) > first else 0
    )
    return better is not best or second > 0.8 * first


def _is_settled(analysis: Analysis, seconds: float) -> bool:
    """Whether no move can overtake the best one in the visits that remain until ``seconds``."""
    if len(analysis.moves) < 2:
        return True
    left = analysis.nodes * (seconds / analysis.seconds - 1) if analysis.seconds > 0 else math.inf
    first, second = _visits_of_two_best(analysis)
    return first - second > left


def _visits_of_two_best(analysis: Analysis) -> tuple[int, int]:
    """Return the visits of the two best moves."""
    best, second = analysis.moves[:2]
    return best.visits or 0, second.visits or 0


class BasePlayer:
    """What all players share: following the game, and running a search within its limits."""

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
        """See `Player.ponder`; do nothing, as most players keep nothing from search to search."""

    def analysis(self) -> Analysis:
        """See `Player.analysis`."""
        return self._analysis

    def network(self) -> str | None:
        """See `Player.network`."""
        return None

    def network_opinion(self, colour: Colour) -> NetworkOpinion | None:  # noqa: ARG002
        """See `Player.network_opinion`."""
        return None

    def _search(
        self,
        run: Callable[[float], bool],
        analyse: Callable[[float], Analysis],
        began: float,
        limits: Limits,
        watch: Watch | None,
    ) -> None:
        """Search until a limit is reached or the result is proven, and store the analysis.

        ``run(seconds)`` continues the search, without a time limit if ``seconds`` is negative, and
        returns whether only the time limit ended it.  ``analyse(seconds)`` returns the analysis of
        a search that has taken that long.  ``began`` is when the search began, in the time of
        `time.monotonic`.
        """
        end = math.inf if limits.seconds is None else began + limits.seconds
        extension = limits.extension
        # On a clock, pause now and then to decide whether to go on.
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
        """Whether to resign after a search, given the parameter `resign`.

        A player resigns when the game is proven lost or has looked lost for several moves.
        """
        self._hopeless = self._hopeless + 1 if self._analysis.value < resign else 0
        moves = self._analysis.moves
        return resign > 0 and (
            self._hopeless >= HOPELESS_MOVES or bool(moves and moves[0].proven is False)
        )

    def _to_move(self, colour: Colour) -> Position:
        """Return a copy of the position with this colour to move.

        Raise ValueError if the game is decided.
        """
        if self._position.winner is not None:
            raise ValueError(f"{self._position.winner} has won: there is no move to decide on")
        position = self._position.copy()
        position.to_play = colour
        return position
