"""A GTP session: one game, one player, and the commands that act on them.

`Session.run` takes the name and arguments of a command and returns a `Reply`; parsing lines and
writing bytes is left to syntax.py and stream.py.  The commands themselves are plain functions in
tables (see `Command`), which raise `GtpError` to refuse.
"""

from __future__ import annotations

import logging
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from trivalent.bot.parameters import Parameters, duration, parameter
from trivalent.bot.player import SWAP, BoardError, Limits, Stop
from trivalent.bot.players.book_player import BookPlayer
from trivalent.bot.players.swap import SwappingPlayer
from trivalent.bot.time_control import Clock, TimeSettings
from trivalent.core.games import GAMES, make_board
from trivalent.core.position import IllegalMove, Kind, Position
from trivalent.gtp.engine.arguments import Arguments, GtpError
from trivalent.gtp.engine.profile import Profile

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from trivalent.bot.player import Analysis, Answer, Player, Watch
    from trivalent.bot.solver.solved_store import SolvedStore
    from trivalent.bot.solver.solver import Solver
    from trivalent.core.board import Board, Colour
    from trivalent.gtp.engine.command import Command

LOGGER = logging.getLogger(__name__)

STDERR = logging.getLogger("trivalent.stderr")
"""Logger for lines that a controller reads on standard error; they are written without a prefix."""

DEFAULT_SECONDS = 1.0
"""Seconds a move when neither the user nor a clock sets a limit."""


@dataclass(frozen=True)
class GameParameters(Parameters):
    """The rules of the game that a controller may change."""

    allow_swap: bool = parameter(default=False, meaning="allow a swap as the second move")


@dataclass(frozen=True)
class SearchParameters(Parameters):
    """Limits of a search, and what it shows while it runs."""

    seconds: float | None = duration(
        "maximum seconds per move; auto or 0: as the clock allows, or 1 without a clock or "
        "node limit"
    )
    nodes: int = parameter(
        0, "maximum positions evaluated per move; 0: no limit", low=0, high=10**15
    )
    ponder: float = parameter(
        0.0,
        "maximum seconds to ponder after a move, until the next command; 0: do not ponder",
        low=0,
        high=1e9,
    )
    live_graphics: bool = parameter(
        default=False,
        meaning="show the best moves on the board during a search (HexGui, GoGui)",
    )


@dataclass(frozen=True)
class SolverParameters(Parameters):
    """Limits of the solver, and what it shows while it runs.  The names are those of MoHex."""

    timelimit: float = parameter(
        0.0, "maximum seconds per command; 0: until solved or interrupted", low=0, high=1e9
    )
    memory: int = parameter(256, "size of the transposition table in MiB", low=1, high=65_535)
    threads: int = parameter(1, "number of solver threads", low=1, high=256)
    use_guifx: bool = parameter(
        default=False, meaning="show the solver's current line on the board (HexGui, GoGui)"
    )


@dataclass(frozen=True, slots=True)
class Reply:
    """The result of a command."""

    ok: bool
    text: str
    end: bool = False
    """The session ends after this reply."""


class Channel(Protocol):
    """What a running command can hear from the controller, and send it before its reply."""

    stop: Stop
    """Set when the controller interrupts the command (``# interrupt``)."""
    superseded: Stop
    """Set when the next line has arrived, or when none can arrive any more."""

    def send_graphics(self, text: str) -> None:
        """Send a block of live graphics, which comes before the reply."""

    def send_lines(self, text: str) -> None:
        """Send the next lines of the reply.  The text that the handler returns ends it."""


class NullChannel:
    """A channel without a controller: drops what is sent.  Its command counts as superseded."""

    def __init__(self) -> None:
        self.stop = Stop()
        self.superseded = Stop()
        self.superseded.set()

    def send_graphics(self, text: str) -> None:
        """See `Channel.send_graphics`."""

    def send_lines(self, text: str) -> None:
        """See `Channel.send_lines`."""


class Session:
    """The state behind the commands.  Runs one command at a time; `run` is not reentrant."""

    def __init__(
        self,
        player: Player,
        commands: Iterable[Command],
        *,
        board: Board,
        search: SearchParameters | None = None,
        profile: Profile | None = None,
        max_seconds: float | None = None,
        files: bool = True,
    ) -> None:
        self.player = player
        self.commands = {command.name: command for command in commands}
        self.profile = profile or Profile()
        self.position = Position(board)
        self.game = GameParameters()
        self.search = search or SearchParameters()
        """Limits set by the user; a clock may shorten the time for a move."""
        self.max_seconds = max_seconds
        """Upper bound on the seconds per move, whatever the user sets; None: no bound."""
        self.solver_parameters = SolverParameters()
        self.solver: Solver | None = None
        """Created by the first command that needs it."""
        self.store: SolvedStore | None = None
        """Where the solver keeps what it has solved."""
        self.clock: Clock | None = None
        self.files = files
        """Whether the controller may name files to read."""
        self.ended = False
        self.channel: Channel = NullChannel()
        """The channel of the running command."""
        self.foreign_parameters: dict[str, str] = {}
        """Parameters of the engine that a profile imitates.  They are stored and have no effect."""
        self._searched: tuple[Board, bytes, Colour] | None = None  # what was searched last
        self._resigned_after: list[int] = []  # number of moves before each resignation
        self._moved = False  # whether the latest command made a move
        player.set_position(self.position)

    def run(self, name: str, words: Sequence[str], channel: Channel | None = None) -> Reply:
        """Run a command.  Never raises: a failure becomes a reply and leaves the position alone."""
        command = self.commands.get(name)
        if command is None:
            return Reply(ok=False, text=f"unknown command: {name[:40]}")
        self.channel = channel or NullChannel()
        self._moved = False
        before = self.position.copy()
        usage = f"{name} {command.usage}".rstrip()
        if command.reduced_only and not GAMES[self.position.board.game].reduced:
            return Reply(ok=False, text=f"{name} is for Hex and Y, not for {self.position.board}")
        try:
            arguments = Arguments(words, usage, self.position.board, self.profile.vertices)
            text = command.handler(self, arguments)
        except GtpError as error:
            return Reply(ok=False, text=str(error))
        except (BoardError, MemoryError) as error:
            self._restore(before)
            what = "" if isinstance(error, BoardError) else "out of memory: "
            return Reply(ok=False, text=f"{what}{error}".rstrip(": "))
        except Exception as error:
            LOGGER.exception("%s %s", name, " ".join(words)[:200])
            self._restore(before)
            return Reply(ok=False, text=f"internal error: {type(error).__name__}: {error}")
        return Reply(ok=True, text=text, end=self.ended)

    def _restore(self, position: Position) -> None:
        """Return to a position after a command has failed half way."""
        with suppress(Exception):  # the player that caused the failure may fail again
            self.adopt(position)

    def name(self, cell: int) -> str:
        """Return the name of a cell in the controller's notation."""
        return self.profile.vertices.name(self.position.board, cell)

    def answer(self, answer: Answer) -> str:
        """Return a player's answer as text for the controller."""
        if answer is SWAP:
            return next(iter(self._swap_answers()))
        return self.name(answer) if isinstance(answer, int) else str(answer)

    def _swap_answers(self) -> dict[str, Kind]:
        """Return the words that may answer a swap on this board, and their meaning."""
        square = self.position.board.swap_map is not None
        return {
            word: kind
            for word, kind in self.profile.swap_answers.items()
            if square or kind is Kind.SWAP_SIDES
        }

    def new_game(self, game: str, width: int, height: int) -> None:
        """Start a new game on an empty board.  Raise ValueError if no board has that size."""
        self.adopt(Position(make_board(game, width, height)))
        self.restart_clock(self.clock.settings if self.clock else None)

    def adopt(self, position: Position) -> None:
        """Replace the position."""
        self.position = position
        self._resigned_after.clear()
        self._searched = None
        self.player.set_position(position)

    def restart_clock(self, settings: TimeSettings | None) -> None:
        """Give both players their full time; None: no time limit."""
        self.clock = Clock(settings) if settings else None

    def play(self, colour: Colour, cell: int) -> None:
        """Place a stone.  Raise IllegalMove if the cell is occupied or the profile forbids it."""
        self.require_turn(self.position, colour)
        self.position.play(colour, cell)
        self.player.play(colour, cell)

    def require_turn(self, position: Position, colour: Colour) -> None:
        """Raise IllegalMove if the profile is strict and it is not the turn of ``colour``."""
        if self.profile.strict:
            if position.winner is not None:
                raise IllegalMove(f"the game is over, {position.winner} has won")
            if colour is not position.to_play:
                raise IllegalMove(f"it is the turn of {position.to_play}")

    def carry_out(self, colour: Colour, answer: Answer) -> None:
        """Apply a player's answer to the board."""
        if answer is SWAP:
            kind = self._swap_answers()[self.answer(answer)]
            _swap(self.position, kind)
            self.player.set_position(self.position)
        elif isinstance(answer, int):
            self.play(colour, answer)

    def swap(self, position: Position, colour: Colour, word: str) -> None:
        """Swap in ``position``.  Raise IllegalMove if a swap is impossible or not allowed.

        A first move that ends the game may be swapped, too.
        """
        if position.winner is None or not position.may_swap:
            self.require_turn(position, colour)
        if not (self.game.allow_swap or self.profile.swaps_freely):
            raise IllegalMove("the swap is off (param_game allow_swap 1)")
        first = position.last_move
        if first is not None and first.colour == colour:
            raise IllegalMove("a player cannot swap their own stone")
        kind = self.profile.swaps[word]
        recolours = not GAMES[position.board.game].swap_moves_stone
        if recolours and word == Kind.SWAP_PIECES.value:
            kind = Kind.SWAP_PIECES
        _swap(position, kind)

    def resign(self) -> None:
        """Note a resignation.  It changes no stone, and the game may go on."""
        if self.profile.undoes_all_it_played:
            self._resigned_after.append(len(self.position.history))

    def undo(self) -> None:
        """Take back the latest stone, pass or swap of pieces.

        A swap of sides changes no stone, and most controllers don't count it as a move, so it is
        taken back together with the stone before it, unless the profile counts it.  Raise
        IllegalMove if there is nothing to take back.
        """
        if self._resigned_after and self._resigned_after[-1] == len(self.position.history):
            self._resigned_after.pop()
            return
        while True:
            kind = self.position.undo().kind
            self.player.undo()
            if kind is not Kind.SWAP_SIDES or self.profile.undoes_all_it_played:
                return

    def may_decide(self, colour: Colour) -> bool:
        """Return whether there is a decision for `decide`.

        There is none after the end, unless the first move ended the game and a swap takes it over.
        """
        first = self.position.last_move
        may_swap = self.position.may_swap and first is not None and first.colour is not colour
        return self.position.winner is None or (may_swap and self._swap_is_on())

    def _swap_is_on(self) -> bool:
        """Return whether the engine may answer with a swap."""
        return self.game.allow_swap and bool(self._swap_answers())

    def decide(
        self,
        colour: Colour,
        *,
        on_the_clock: bool,
        watch: Watch | None = None,
        avoid: frozenset[int] = frozenset(),
    ) -> Answer:
        """Ask the player for a move, if `may_decide`, on none of the cells in ``avoid``.

        Raise AvoidError if the player can't avoid them.
        """
        began = time.monotonic()
        limits, stop = replace(self._limits(colour), avoid=avoid), self.channel.stop
        player: Player = BookPlayer(self.player, self.position)
        if self._swap_is_on() and not avoid:
            player = SwappingPlayer(player, self.position)
        answer = player.genmove(colour, limits, stop, watch)
        # An opening, a reply to one and a move from a book leave no analysis of the position.
        is_whole = self.player.analysis().moves and not avoid
        self._searched = self._question(colour) if is_whole else None
        if self.clock and on_the_clock:
            self.clock.spend(colour, time.monotonic() - began)
        self._moved = on_the_clock
        return answer

    def ponder(self, stop: Stop) -> None:
        """Ponder until ``stop``, if the latest command made a move and the user wants pondering."""
        seconds = self.search.ponder
        if self.max_seconds is not None:
            seconds = min(seconds, self.max_seconds)
        if self._moved and seconds and self.position.winner is None:
            try:
                self.player.ponder(Limits(seconds=seconds), stop)
            except Exception:
                LOGGER.exception("ponder")

    def search_freely(
        self, colour: Colour, stop: Stop, watch: Watch, avoid: frozenset[int] = frozenset()
    ) -> None:
        """Search until ``stop``, or until the position is solved.  The game must not be over.

        Raise AvoidError if the player can't avoid the cells in ``avoid``.
        """
        self._searched = None if avoid else self._question(colour)
        self.player.genmove(colour, Limits(seconds=self.max_seconds, avoid=avoid), stop, watch)

    @contextmanager
    def player_at(self, position: Position) -> Iterator[Player]:
        """Lend the player for another position.  It forgets what it has searched."""
        self._searched = None
        try:
            self.player.set_position(position)
            yield self.player
        finally:
            self.player.set_position(self.position)

    def analysis(self, colour: Colour) -> Analysis:
        """Return the analysis of the position; search first unless the latest search was of it.

        Raise GtpError if the game is over or the player does not evaluate its moves.
        """
        if self.position.winner is not None:
            raise GtpError(f"the game is over, {self.position.winner} has won")
        if self._searched != self._question(colour):
            self._searched = self._question(colour)
            self.player.genmove(colour, self._limits(colour), self.channel.stop)
        analysis = self.player.analysis()
        if not analysis.moves:
            raise GtpError("this player does not evaluate its moves")
        return analysis

    def configure_player(self, values: Mapping[str, str]) -> None:
        """Change parameters of the player.  Raise ValueError if a key or value is invalid."""
        for name in () if self.files else self.player.parameters.set_to_files(values):
            raise ValueError(f"{name} names a file, which only the operator of the server may")
        self.player.configure(values)
        self._searched = None  # the last analysis no longer counts

    def _question(self, colour: Colour) -> tuple[Board, bytes, Colour]:
        """Return what identifies a search: two equal ones have the same result."""
        return self.position.board, self.position.stones, colour

    def _limits(self, colour: Colour) -> Limits:
        """Combine the limits of the user, of the server and of the clock."""
        allowed = [s for s in (self.search.seconds, self.max_seconds) if s is not None]
        if self.clock:
            seconds, extension = self.clock.budget(colour, len(self.position.empty_cells))
            if not allowed or seconds < min(allowed):
                if extension is None:
                    return Limits(self.search.nodes or None, seconds)
                longest = min([seconds + extension, *allowed])
                return Limits(self.search.nodes or None, seconds, longest - seconds)
        elif self.search.seconds is None and not self.search.nodes:
            allowed.append(DEFAULT_SECONDS)
        return Limits(self.search.nodes or None, min(allowed, default=None))


def _swap(position: Position, kind: Kind) -> None:
    if kind is Kind.SWAP_PIECES:
        position.swap_pieces()
    else:
        position.swap_sides()
