"""An engine taking part in a game: started on demand, reused between games, replaced after a fault.

All communication goes through the engine's dialect, so the referee needn't know how engines spell
moves and colours.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from trivalent.core.board import BLACK
from trivalent.core.position import Kind
from trivalent.core.records.notation import size_name
from trivalent.core.text import printable
from trivalent.gtp.client.client import Client, EngineError, RefusedError
from trivalent.gtp.client.engine_dialects import DIALECTS, GameView
from trivalent.gtp.client.process import Log
from trivalent.tools.tournament.play.clocks import Clock

if TYPE_CHECKING:
    import threading

    from trivalent.core.board import Colour
    from trivalent.tools.tournament.model import Engine
    from trivalent.tools.tournament.plan.plan_model import Plan
    from trivalent.tools.tournament.play.clocks import Left

_PROGRAM = "import sys; from trivalent.tools.cli import main; sys.exit(main())"

_MAX_VERSION_LENGTH = 100
_SWAPS = {"off": None, "pieces": Kind.SWAP_PIECES, "sides": Kind.SWAP_SIDES}


class Contestant:
    """A running engine of a plan, for use by one thread at a time.

    Methods raise EngineError if the engine fails (after `abandon`, the next use starts it afresh)
    and RefusedError if it refuses a command.
    """

    def __init__(self, engine: Engine, plan: Plan) -> None:
        self.engine = engine
        self.name = engine.name
        self.time = plan.clock_of(engine.name)
        self._plan = plan
        self._dialect = DIALECTS["trivalent" if engine.player else engine.dialect]
        self._swap = _SWAPS[plan.swap]
        self._view = GameView(self._dialect, plan.board, self._swap)
        self._client: Client | None = None
        self.version = ""
        """The name and version that the engine reported when it was started last."""
        self.log = Log()
        """Standard error of the engine since its latest game began."""

    @property
    def pid(self) -> int | None:
        """Process id of the engine, if it runs as a process."""
        return self._client.pid if self._client else None

    def begin(self, seed: int, stop: threading.Event | None = None) -> None:
        """Prepare for a game with this seed.

        If a process that has played before fails now, replace it once.  Raise EngineError or
        RefusedError if the engine can't play.
        """
        if self.engine.restart or any("{seed}" in word for word in self.engine.command):
            self.close()
        if self._client:
            try:
                self._begin(seed, stop)
            except (EngineError, RefusedError):
                if stop is not None and stop.is_set():
                    raise
                self.abandon()
            else:
                return
        try:
            self._start(seed, stop)
            self._begin(seed, stop)
        except (EngineError, RefusedError) as error:
            if isinstance(error, EngineError) and self._client is None:
                self.log = error.log
            self.abandon()
            raise

    def _start(self, seed: int, stop: threading.Event | None) -> None:
        engine, seconds = self.engine, self._plan.deadlines.start
        if engine.address:
            host, port = engine.address
            self._client = Client.connect(host, port, name=self.name, seconds=seconds, stop=stop)
        else:
            self._client = Client.start(
                [word.replace("{seed}", str(seed)) for word in self._command()],
                name=self.name,
                cwd=engine.cwd or None,
                environment=engine.environment,
                seconds=seconds,
                stop=stop,
            )
        self.log = self._client.log
        try:
            commands = self._dialect.setup_commands(self._plan.board, swap=self._swap is not None)
        except ValueError as error:
            raise EngineError(f"{self.name}: {error}") from None
        for command in (*engine.startup, *commands):
            if "{seed}" not in command:
                self._client.ask(command, seconds, stop)
        said = [self._said(command, stop) for command in ("name", "version")]
        self.version = " ".join(" ".join(said).split())[:_MAX_VERSION_LENGTH]

    def _said(self, command: str, stop: threading.Event | None) -> str:
        """Return the answer to a command that every engine should know; empty if it doesn't."""
        assert self._client
        try:
            return self._client.ask(command, self._plan.deadlines.start, stop)
        except RefusedError:
            return ""

    def _command(self) -> list[str]:
        engine, board = self.engine, self._plan.board
        if not engine.player:
            return list(engine.command)
        words = [
            "gtp",
            "--game",
            board.game,
            "--boardsize",
            size_name(board),
            "--player",
            engine.player,
        ]
        for key, value in engine.parameters.items():
            words += ["--set", f"{key}={value}"]
        return [sys.executable, "-c", _PROGRAM, *words]

    def _begin(self, seed: int, stop: threading.Event | None) -> None:
        assert self._client
        self.log.clear()
        self._view = GameView(self._dialect, self._plan.board, self._swap)
        try:
            commands = self._dialect.game_commands(seed, self.time)
        except ValueError as error:
            raise EngineError(f"{self.name}: {error}") from None
        seeded = [
            line.replace("{seed}", str(seed)) for line in self.engine.startup if "{seed}" in line
        ]
        for command in (*seeded, *commands):
            self._client.ask(command, self._plan.deadlines.start, stop)

    def tell(self, colour: Colour, move: str, stop: threading.Event | None = None) -> None:
        """Report a move made by someone else: a point, a swap or a pass."""
        assert self._client
        if command := self._view.play_command(colour, move):
            self._client.ask(command, self._plan.deadlines.command, stop)

    def remind(self, colour: Colour, left: Left, stop: threading.Event | None = None) -> None:
        """Report the remaining time on the engine's clock."""
        assert self._client
        if self._dialect.time_left:
            name = self._view.colour(colour)
            command = self._dialect.time_left_command(name, left.seconds, left.stones)
            self._client.ask(command, self._plan.deadlines.command, stop)

    def genmove(self, colour: Colour, seconds: float, stop: threading.Event | None = None) -> str:
        """Ask for a move within `seconds`; return the raw answer."""
        assert self._client
        return self._client.ask(f"genmove {self._view.colour(colour)}", seconds, stop)

    def read(self, answer: str) -> str:
        """Translate an answer into our notation.  Raise ValueError if it isn't a move."""
        return self._view.read_answer(answer)

    def check(self) -> str:
        """Try everything that a game needs, close the engine, and return its name and version.

        Raise EngineError or RefusedError, with a one-sentence message, if anything fails.
        """
        clock = Clock(self.time)
        seconds = min(self._plan.deadlines.move, (clock.limit or 1e9) + self._plan.margin)
        try:
            self.begin(1)
            if clock.runs:
                self.remind(BLACK, clock.left)
            move = self._first_move(self.genmove(BLACK, seconds))
            self.begin(2)
            self.tell(BLACK, move)
            return self.version
        finally:
            self.close()

    def _first_move(self, answer: str) -> str:
        try:
            move = self.read(answer)
            self._plan.board.cell(move)
        except ValueError:
            raise EngineError(
                f"{self.name} opens a game with {printable(answer)}, which isn't a cell"
            ) from None
        return move

    def abandon(self) -> None:
        """Kill the engine without asking it to quit, because it's at fault or busy."""
        if self._client:
            self._client.close(0)
            self._client = None

    def close(self) -> None:
        """Quit the engine; the next use starts it afresh."""
        if self._client:
            self._client.close(self._plan.deadlines.quit)
            self._client = None
