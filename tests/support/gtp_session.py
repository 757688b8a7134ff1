"""A GTP session in process, and players that do what a test wants."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trivalent.bot.player import Answer, BasePlayer, Limits, Stop, Watch
from trivalent.bot.players.random_player import RandomParameters, RandomPlayer
from trivalent.bot.players.registry import make_player
from trivalent.core.board import BLACK, WHITE, Colour
from trivalent.core.games import make_board
from trivalent.gtp.commands.all_commands import commands_for
from trivalent.gtp.engine.session import NullChannel, SearchParameters, Session
from trivalent.gtp.engine.syntax import format_reply, parse
from trivalent.gtp.profiles.all_profiles import PROFILES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trivalent.bot.player import Player
    from trivalent.core.board import Board
    from trivalent.core.position import Position
    from trivalent.gtp.engine.session import Channel


class BrokenError(RuntimeError):
    """What a failing player raises.  Sent as it is, its text would look like two replies."""

    def __init__(self) -> None:
        super().__init__("out of order\n\n= a1\n\n\tat all\x00")


class FakePlayer(BasePlayer):
    """A player that gives prepared answers, and raises BrokenError in the methods in ``fails``."""

    def __init__(self, answers: Sequence[Answer] = (), fails: Sequence[str] = ()) -> None:
        super().__init__()
        self.answers = list(answers)
        self.fails = set(fails)
        self.parameters = RandomParameters()
        self.limits: list[Limits] = []
        self.stops: list[Stop] = []
        self.pondered: list[tuple[Limits, Stop]] = []

    def _fail(self, method: str) -> None:
        if method in self.fails:
            raise BrokenError

    def set_position(self, position: Position) -> None:
        self._fail("set_position")
        super().set_position(position)

    def play(self, colour: Colour, cell: int) -> None:
        self._fail("play")
        super().play(colour, cell)

    def undo(self) -> None:
        self._fail("undo")
        super().undo()

    def configure(self, values: Mapping[str, str]) -> None:
        self._fail("configure")
        self.parameters = self.parameters.updated(values)

    def genmove(
        self, colour: Colour, limits: Limits, stop: Stop, watch: Watch | None = None
    ) -> Answer:
        self._fail("genmove")
        self._to_move(colour)  # raises if the game is over
        self.limits.append(limits)
        self.stops.append(stop)
        return self.answers.pop(0) if self.answers else self._position.empty_cells[0]

    def ponder(self, limits: Limits, stop: Stop) -> None:
        self.pondered.append((limits, stop))
        self._fail("ponder")

    def position(self) -> Position:
        """The position as this player knows it."""
        return self._position


class Recorder(NullChannel):
    """A channel that keeps what is sent.  It supersedes the command after ``max_lines`` sends."""

    def __init__(self, max_lines: int) -> None:
        super().__init__()
        self.superseded = Stop()
        self.graphics: list[str] = []
        self.lines: list[str] = []
        self._max_lines = max_lines

    def send_graphics(self, text: str) -> None:
        self.graphics.append(text)

    def send_lines(self, text: str) -> None:
        self.lines.append(text)
        if len(self.lines) >= self._max_lines:
            self.superseded.set()


class Gtp:
    """A session that takes lines and checks the form of its replies."""

    def __init__(
        self,
        player: Player | None = None,
        *,
        compat: str = "none",
        game: str = "hex",
        size: int = 5,
        board: Board | None = None,
        limits: Limits | None = None,
        max_seconds: float | None = None,
    ) -> None:
        """Start a session with a player (default: random) on an empty board."""
        self.player = player or RandomPlayer()
        limits = limits or Limits(nodes=1)
        profile = PROFILES[compat]
        self.session = Session(
            self.player,
            commands_for(profile),
            board=board or make_board(game, size),
            search=SearchParameters(seconds=limits.seconds, nodes=limits.nodes or 0),
            profile=profile,
            max_seconds=max_seconds,
        )
        self.channel: Channel | None = None
        """The channel of all commands; None: a new one without a controller for each."""

    def send(self, line: str | bytes) -> str:
        """Send a line; return the reply without the empty line at its end."""
        request = parse(line.encode() if isinstance(line, str) else line)
        assert request is not None
        reply = self.session.run(request.name, request.arguments, self.channel)
        data = format_reply(request.id, reply.text, ok=reply.ok)
        assert data.endswith(b"\n\n")
        assert b"\n\n" not in data[:-1]
        assert all(byte == 0x0A or 0x20 <= byte < 0x7F for byte in data)
        return data.decode()[:-2]

    def ok(self, *lines: str) -> str:
        """Send lines that must succeed; return the text of the last reply."""
        text = ""
        for line in lines:
            reply = self.send(line)
            assert reply.startswith("= "), f"{line}: {reply}"
            text = reply[2:]
        return text

    def fails(self, line: str | bytes) -> str:
        """Send a line that must fail and change nothing; return the text of the reply."""
        before = self.state()
        reply = self.send(line)
        assert reply.startswith("? "), f"{line!r}: {reply}"
        assert self.state() == before, f"{line!r} has changed something"
        return reply[2:]

    def refused(self, line: str | bytes) -> str:
        """Send a line that the command must refuse; return the text of the reply."""
        text = self.fails(line)
        assert "internal error" not in text
        return text

    def state(self) -> tuple[object, ...]:
        """Return everything that a refused command must leave alone."""
        session, clock = self.session, self.session.clock
        return (
            self.ok("showboard"), session.position.board, session.position.history,
            session.position.hash, session.position.players_swapped, session.game, session.search,
            session.player.parameters, session.foreign_parameters.copy(), session.ended,
            clock and (clock.settings, clock.left(BLACK), clock.left(WHITE)),
        )  # fmt: skip

    def stones(self) -> dict[str, str]:
        """Return the stones on the board, b or w by cell."""
        position = self.session.position
        return {
            name: ".bw"[content]
            for name, content in zip(position.board.names, position.stones, strict=True)
            if content
        }

    def in_step(self) -> bool:
        """Return whether the fake player has the same position as the session."""
        assert isinstance(self.player, FakePlayer)
        theirs, ours = self.player.position(), self.session.position
        return (theirs.board, theirs.stones, theirs.history) == (
            ours.board, ours.stones, ours.history,
        )  # fmt: skip


def searching(compat: str = "none", *, game: str = "hex", size: int = 5) -> Gtp:
    """Return a session with a tree search of 200 nodes a move, always with the same seed."""
    player = make_player("uct", {"seed": "3"})
    return Gtp(player, compat=compat, game=game, size=size, limits=Limits(nodes=200))
