"""A GTP session: one game, one player, and the commands that act on them.

This is the layer below the syntax: a command name and its arguments go in, a `Reply` comes out.
Commands are plain functions in tables, see `Command`; they refuse by raising `GtpError`.
"""

from __future__ import annotations

import logging
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from trivalent.bot.parameters import Parameters, parameter
from trivalent.bot.player import SWAP, Limits, Stop
from trivalent.bot.players.swap import SwappingPlayer
from trivalent.bot.time_control import Clock, TimeSettings
from trivalent.core.games import GAMES, make_board
from trivalent.core.position import IllegalMove, Kind, Position
from trivalent.gtp.engine.arguments import Arguments, GtpError
from trivalent.gtp.engine.profile import Profile

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from trivalent.bot.player import Analysis, Answer, Player, Watch
    from trivalent.bot.solver.solver import Solver
    from trivalent.core.board import Board, Colour
    from trivalent.gtp.engine.command import Command

LOGGER = logging.getLogger(__name__)

STDERR = logging.getLogger("trivalent.stderr")
"""Lines that some controllers read on standard error; they are written as they are."""

SECONDS = 1.0
"""Seconds a move where nobody has set a limit."""


@dataclass(frozen=True)
class GameParameters(Parameters):
    """The rules that a controller may choose."""

    allow_swap: bool = parameter(default=False, meaning="whether the second move may be a swap")


@dataclass(frozen=True)
class SearchParameters(Parameters):
    """How long a search may take, and what it shows."""

    seconds: float = parameter(
        0.0,
        "most seconds a move; 0: as the clock says, or 1 if nothing says anything",
        low=0,
        high=1e9,
    )
    nodes: int = parameter(0, "most positions evaluated a move; 0: no limit", low=0, high=10**15)
    ponder: float = parameter(
        0.0,
        "most seconds to think on after a move, until the next command comes; 0: not at all",
        low=0,
        high=1e9,
    )
    live_graphics: bool = parameter(
        default=False,
        meaning="whether a search shows its moves on the board while it runs (HexGui, GoGui)",
    )


@dataclass(frozen=True)
class SolverParameters(Parameters):
    """What the solver may use, and what it shows; named as MoHex names them."""

    timelimit: float = parameter(
        0.0, "most seconds for a command; 0: until it is solved or interrupted", low=0, high=1e9
    )
    memory: int = parameter(256, "memory of the table in MiB", low=1, high=65_535)
    threads: int = parameter(1, "threads that solve", low=1, high=256)
    use_guifx: bool = parameter(
        default=False, meaning="whether the solver draws what it does while it runs (HexGui, GoGui)"
    )


@dataclass(frozen=True, slots=True)
class Reply:
    """What a command answers."""

    ok: bool
    text: str
    end: bool = False
    """Whether the session ends with this reply."""


class Channel(Protocol):
    """What joins a running command and the controller."""

    stop: Stop
    """Set when the controller interrupts the command."""
    superseded: Stop
    """Set when the controller has sent anything after the command, or can send nothing more."""

    def block(self, text: str) -> None:
        """Send live graphics, before the reply."""

    def part(self, text: str) -> None:
        """Send the first lines of the reply; more may follow."""


class NullChannel:
    """A channel to nobody: there is no use in waiting for more."""

    def __init__(self) -> None:
        self.stop = Stop()
        self.superseded = Stop()
        self.superseded.set()

    def block(self, text: str) -> None:
        """See `Channel.block`."""

    def part(self, text: str) -> None:
        """See `Channel.part`."""


class Session:
    """The state behind the commands.  One command at a time; `run` is not reentrant."""

    def __init__(
        self,
        player: Player,
        commands: Iterable[Command],
        *,
        board: Board,
        search: SearchParameters | None = None,
        profile: Profile | None = None,
        max_seconds: float | None = None,
    ) -> None:
        self.player = player
        self.commands = {command.name: command for command in commands}
        self.profile = profile or Profile()
        self.position = Position(board)
        self.game = GameParameters()
        self.search = search or SearchParameters()
        """What the user allows a move; a clock may shorten its time."""
        self.max_seconds = max_seconds
        """What a move may take whatever the user allows; None for no such limit."""
        self.solver_parameters = SolverParameters()
        self.solver: Solver | None = None
        """Made when it is first asked."""
        self.clock: Clock | None = None
        self.ended = False
        self.channel: Channel = NullChannel()
        """That of the command which is running."""
        self.remembered: dict[str, str] = {}
        """Parameters that only the engine which a profile stands for would have a use for."""
        self._searched: tuple[Board, bytes, Colour] | None = None
        self._resigned_after: list[int] = []  # moves
        self._moved = False  # by the latest command
        player.set_position(self.position)

    def run(self, name: str, words: Sequence[str], channel: Channel | None = None) -> Reply:
        """Run a command."""
        command = self.commands.get(name)
        if command is None:
            return Reply(ok=False, text=f"unknown command: {name[:40]}")
        self.channel = channel or NullChannel()
        self._moved = False
        before = self.position.copy()
        usage = f"{name} {command.usage}".rstrip()
        try:
            arguments = Arguments(words, usage, self.position.board, self.profile.vertices)
            text = command.handler(self, arguments)
        except GtpError as error:
            return Reply(ok=False, text=str(error))
        except MemoryError as error:
            self._restore(before)
            return Reply(ok=False, text=f"out of memory: {error}".rstrip(": "))
        except Exception as error:
            LOGGER.exception("%s %s", name, " ".join(words)[:200])
            self._restore(before)
            return Reply(ok=False, text=f"internal error: {type(error).__name__}: {error}")
        return Reply(ok=True, text=text, end=self.ended)

    def _restore(self, position: Position) -> None:
        """Go back to a position after a failure, which may have left a command half done."""
        with suppress(Exception):  # a player at fault need not be better here
            self.adopt(position)

    def name(self, cell: int) -> str:
        """Return the name of a cell, as the controller writes it."""
        return self.profile.vertices.name(self.position.board, cell)

    def answer(self, answer: Answer) -> str:
        """Return the text of a player's answer."""
        if answer is SWAP:
            return next(iter(self._swap_answers()))
        return self.name(answer) if isinstance(answer, int) else str(answer)

    def _swap_answers(self) -> dict[str, Kind]:
        """Return the words by which the engine can swap on this board, and what they mean."""
        square = self.position.board.swap_map is not None
        return {
            word: kind
            for word, kind in self.profile.swap_answers.items()
            if square or kind is Kind.SWAP_SIDES
        }

    def new_game(self, game: str, width: int, height: int) -> None:
        """Start afresh on another board.  Raise ValueError if there is no such board."""
        self.adopt(Position(make_board(game, width, height)))
        self.restart_clock(self.clock.settings if self.clock else None)

    def adopt(self, position: Position) -> None:
        """Go on from another position."""
        self.position = position
        self._resigned_after.clear()
        self._searched = None
        self.player.set_position(position)

    def restart_clock(self, settings: TimeSettings | None) -> None:
        """Give both players their full time; None stands for no limit."""
        self.clock = Clock(settings) if settings else None

    def play(self, colour: Colour, cell: int) -> None:
        """Place a stone.  Raise IllegalMove if the cell is taken, or the profile forbids it."""
        self.require_turn(self.position, colour)
        self.position.play(colour, cell)
        self.player.play(colour, cell)

    def require_turn(self, position: Position, colour: Colour) -> None:
        """Raise IllegalMove if the controller wants strict turns and this is none."""
        if self.profile.strict:
            if position.winner is not None:
                raise IllegalMove(f"the game is over, {position.winner} has won")
            if colour is not position.to_play:
                raise IllegalMove(f"it is the turn of {position.to_play}")

    def carry_out(self, colour: Colour, answer: Answer) -> None:
        """Do on the board what the player has answered."""
        if answer is SWAP:
            kind = self._swap_answers()[self.answer(answer)]
            _swap(self.position, kind)
            self.player.set_position(self.position)
        elif isinstance(answer, int):
            self.play(colour, answer)

    def swap(self, position: Position, colour: Colour, word: str) -> None:
        """Swap in a position.  Raise IllegalMove where this is not possible or not allowed."""
        self.require_turn(position, colour)
        if not (self.game.allow_swap or self.profile.swaps_freely):
            raise IllegalMove("the swap is off (param_game allow_swap 1)")
        first = position.last_move
        if first is not None and first.colour == colour:
            raise IllegalMove("nobody swaps a stone of their own")
        kind = self.profile.swaps[word]
        recolours = not GAMES[position.board.game].swap_moves_stone
        if recolours and word == Kind.SWAP_PIECES.value:
            kind = Kind.SWAP_PIECES
        _swap(position, kind)

    def resign(self) -> None:
        """A player has resigned: no stone changes, the game goes on if somebody wants it to."""
        if self.profile.undoes_all_it_played:
            self._resigned_after.append(len(self.position.history))

    def undo(self) -> None:
        """Take back the latest stone, pass or swap of pieces.

        A swap of sides changes no stone, and few controllers count it as a move: for the others it
        goes with the stone before it.  Raise IllegalMove if there is nothing to take back.
        """
        if self._resigned_after and self._resigned_after[-1] == len(self.position.history):
            self._resigned_after.pop()
            return
        while True:
            kind = self.position.undo().kind
            self.player.undo()
            if kind is not Kind.SWAP_SIDES or self.profile.undoes_all_it_played:
                return

    def decide(self, colour: Colour, *, on_the_clock: bool, watch: Watch | None = None) -> Answer:
        """Ask the player for a move; the game must be open."""
        began = time.monotonic()
        limits, stop = self._limits(colour), self.channel.stop
        allowed = self.game.allow_swap and self._swap_answers()
        player = SwappingPlayer(self.player, self.position) if allowed else self.player
        answer = player.genmove(colour, limits, stop, watch)
        # An opening and a reply to one leave no analysis of the position.
        self._searched = self._question(colour) if self.player.analysis().moves else None
        if self.clock and on_the_clock:
            self.clock.spend(colour, time.monotonic() - began)
        self._moved = on_the_clock
        return answer

    def ponder(self, stop: Stop) -> None:
        """Think on after a move until the stop, for as long as the user allows."""
        seconds = self.search.ponder
        if self.max_seconds is not None:
            seconds = min(seconds, self.max_seconds)
        if self._moved and seconds and self.position.winner is None:
            try:
                self.player.ponder(Limits(seconds=seconds), stop)
            except Exception:
                LOGGER.exception("ponder")

    def search_freely(self, colour: Colour, stop: Stop, watch: Watch) -> None:
        """Search until the stop, or until nothing is left to find; the game must be open."""
        self._searched = self._question(colour)
        self.player.genmove(colour, Limits(seconds=self.max_seconds), stop, watch)

    def analysis(self, colour: Colour) -> Analysis:
        """Return what a search finds on the board: the last search, if it was of this position.

        Raise GtpError if there is nothing to find.
        """
        if self.position.winner is not None:
            raise GtpError(f"the game is over, {self.position.winner} has won")
        if self._searched != self._question(colour):
            self._searched = self._question(colour)
            self.player.genmove(colour, self._limits(colour), self.channel.stop)
        analysis = self.player.analysis()
        if not analysis.moves:
            raise GtpError("this player has nothing to say about its moves")
        return analysis

    def configure_player(self, values: Mapping[str, str]) -> None:
        """Change parameters of the player.  Raise ValueError if they do not fit."""
        self.player.configure(values)
        self._searched = None  # it would find something else now

    def _question(self, colour: Colour) -> tuple[Board, bytes, Colour]:
        return self.position.board, self.position.stones, colour

    def _limits(self, colour: Colour) -> Limits:
        allowed = [s for s in (self.search.seconds or None, self.max_seconds) if s is not None]
        if self.clock:
            seconds, extension = self.clock.budget(colour, len(self.position.empty_cells))
            if not allowed or seconds < min(allowed):
                if extension is None:
                    return Limits(self.search.nodes or None, seconds)
                most = min([seconds + extension, *allowed])
                return Limits(self.search.nodes or None, seconds, most - seconds)
        elif not allowed and not self.search.nodes:
            allowed = [SECONDS]
        return Limits(self.search.nodes or None, min(allowed, default=None))


def _swap(position: Position, kind: Kind) -> None:
    if kind is Kind.SWAP_PIECES:
        position.swap_pieces()
    else:
        position.swap_sides()
