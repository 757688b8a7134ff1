"""A GTP session: one game, one player, and the commands that act on them.

This is the layer below the syntax: a command name and its arguments go in, a `Reply` comes out.
Commands are plain functions in tables, see `Command`; they refuse by raising `GtpError`.
"""

from __future__ import annotations

import logging
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trivalent.bot.clock import Clock, TimeSettings
from trivalent.bot.player import Limits, Stop
from trivalent.core.board import BLACK, WHITE, Colour, make_board
from trivalent.core.position import Kind, Position

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from trivalent.bot.player import Answer, Player
    from trivalent.core.board import Board

LOGGER = logging.getLogger(__name__)

SECONDS = 1.0
"""Seconds a move where nobody has set a limit."""


class GtpError(ValueError):
    """A command refuses; the text is for the user."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a command answers."""

    ok: bool
    text: str
    end: bool = False
    """Whether the session ends with this reply."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command: what it does, and how it is listed."""

    name: str
    handler: Callable[[Session, Arguments], str]
    """Returns the text of the reply; raises GtpError to refuse."""
    usage: str
    """The arguments, as in ``COLOUR CELL``."""
    effect: str
    """What it does, and when it fails, in a sentence or two."""
    hexgui: str = ""
    """Its line of hexgui-analyze_commands, if it is to be offered there: type/label/command."""


class Arguments:
    """The arguments of a command, read one by one; each reader raises GtpError."""

    def __init__(self, words: Sequence[str], command: Command, board: Board) -> None:
        self.words = words
        self._command = command
        self._board = board

    def expect(self, low: int, high: int | None = None) -> None:
        """Insist on low arguments, or on low to high of them."""
        if not low <= len(self.words) <= (low if high is None else high):
            raise GtpError(f"usage: {self._command.name} {self._command.usage}".rstrip())

    def colour(self, index: int) -> Colour:
        """Read a colour: b, w, black or white in any case."""
        word = self.words[index].lower()
        if word in ("b", "black"):
            return BLACK
        if word in ("w", "white"):
            return WHITE
        raise GtpError(f"invalid colour {_shown(word)} (black or white)")

    def cell(self, index: int) -> int:
        """Read the name of a cell."""
        try:
            return self._board.cell(self.words[index])
        except ValueError as error:
            raise GtpError(f"illegal move: {error}") from None

    def integer(self, index: int, low: int, high: int) -> int:
        """Read a whole number of that range."""
        word = self.words[index]
        # Python reads no integer of more than some thousand digits, and takes time for fewer.
        if len(word) <= 20 and word.removeprefix("-").isdigit() and low <= int(word) <= high:
            return int(word)
        raise GtpError(f"{_shown(word)} is not a whole number from {low} to {high}")

    def seconds(self, index: int) -> float:
        """Read a time in seconds, up to about thirty years."""
        word = self.words[index]
        try:
            value = float(word)
        except ValueError:
            value = -1.0
        if not 0 <= value <= 1e9:
            raise GtpError(f"{_shown(word)} is not a number of seconds")
        return value


def _shown(word: str) -> str:
    """Return a word of the user's for a message, in quotes and not too long."""
    return repr(word if len(word) <= 40 else word[:40] + "...")


class Session:
    """The state behind the commands.  One command at a time; `run` is not reentrant."""

    def __init__(
        self,
        player: Player,
        commands: Iterable[Command],
        *,
        board: Board,
        limits: Limits,
    ) -> None:
        self.player = player
        self.commands = {command.name: command for command in commands}
        self.position = Position(board)
        self.limits = limits
        """What the user allows a move; a clock may shorten its time."""
        self.clock: Clock | None = None
        self.allow_swap = False
        self.ended = False
        self._stop = Stop()
        player.set_position(self.position)

    def run(self, name: str, words: Sequence[str], stop: Stop | None = None) -> Reply:
        """Run a command.  Setting ``stop``, from any thread, ends its search early."""
        command = self.commands.get(name)
        if command is None:
            return Reply(ok=False, text=f"unknown command: {name[:40]}")
        self._stop = stop or Stop()
        before = self.position.copy()
        try:
            text = command.handler(self, Arguments(words, command, self.position.board))
        except GtpError as error:
            return Reply(ok=False, text=str(error))
        except Exception as error:
            LOGGER.exception("%s %s", name, " ".join(words)[:200])
            self._restore(before)
            return Reply(ok=False, text=f"internal error: {type(error).__name__}: {error}")
        return Reply(ok=True, text=text, end=self.ended)

    def _restore(self, position: Position) -> None:
        """Go back to a position after a failure, which may have left a command half done."""
        self.position = position
        with suppress(Exception):  # a player at fault need not be better here
            self.player.set_position(position)

    def new_game(self, game: str, width: int, height: int) -> None:
        """Start afresh on another board.  Raise ValueError if there is no such board."""
        self.position = Position(make_board(game, width, height))
        self.player.set_position(self.position)
        self.restart_clock(self.clock.settings if self.clock else None)

    def restart_clock(self, settings: TimeSettings | None) -> None:
        """Give both players their full time; None stands for no limit."""
        self.clock = Clock(settings) if settings else None

    def play(self, colour: Colour, cell: int) -> None:
        """Place a stone.  Raise IllegalMove if the cell is taken."""
        self.position.play(colour, cell)
        self.player.play(colour, cell)

    def swap(self, kind: Kind) -> None:
        """Swap pieces or sides.  Raise IllegalMove where it is not possible."""
        if kind is Kind.SWAP_PIECES:
            self.position.swap_pieces()
        else:
            self.position.swap_sides()
        self.player.set_position(self.position)

    def undo(self) -> None:
        """Take back the latest stone or swap of pieces.

        A swap of sides changes no stone, and controllers do not count it as a move: it goes with
        the stone before it.  Raise IllegalMove if there is nothing to take back.
        """
        kind = Kind.SWAP_SIDES
        while kind is Kind.SWAP_SIDES:
            kind = self.position.undo().kind
            self.player.undo()

    def decide(self, colour: Colour, *, on_the_clock: bool) -> Answer:
        """Ask the player for a move; the game must be open."""
        seconds = self.limits.seconds
        if self.clock:
            budget = self.clock.budget(colour, len(self.position.empty_cells))
            seconds = budget if seconds is None else min(seconds, budget)
        elif seconds is None and self.limits.nodes is None:
            seconds = SECONDS
        began = time.monotonic()
        answer = self.player.genmove(colour, Limits(self.limits.nodes, seconds), self._stop)
        if self.clock and on_the_clock:
            self.clock.spend(colour, time.monotonic() - began)
        return answer
