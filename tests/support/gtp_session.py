"""A GTP session in process, for tests."""

from __future__ import annotations

from trivalent.bot.players.registry import make_player
from trivalent.core.board import make_board
from trivalent.gtp.commands.all_commands import commands_for
from trivalent.gtp.engine.session import Reply, SearchParameters, Session
from trivalent.gtp.engine.syntax import parse
from trivalent.gtp.profiles.all_profiles import PROFILES


class Gtp:
    """A session with the tree search at a small number of playouts."""

    def __init__(
        self, compat: str = "none", game: str = "hex", size: int = 5, player: str = "uct"
    ) -> None:
        profile = PROFILES[compat]
        self.session = Session(
            make_player(player, {"seed": "3"}),
            commands_for(profile),
            board=make_board(game, size),
            search=SearchParameters(nodes=200),
            profile=profile,
        )

    def ok(self, *lines: str) -> str:
        text = ""
        for line in lines:
            reply = self._run(line)
            assert reply.ok, f"{line}: {reply.text}"
            text = reply.text
        return text

    def refused(self, line: str) -> str:
        """Send what must be refused and change nothing."""
        before = self._state()
        reply = self._run(line)
        assert not reply.ok, f"{line}: {reply.text}"
        assert "internal error" not in reply.text
        assert self._state() == before
        return reply.text

    def _run(self, line: str) -> Reply:
        request = parse(line.encode())
        assert request is not None
        return self.session.run(request.name, request.arguments)

    def _state(self) -> tuple[object, ...]:
        session = self.session
        return (
            session.position.board, session.position.history, session.position.hash,
            session.game, session.search, session.player.parameters,
            dict(session.foreign_parameters),
        )  # fmt: skip

    def stones(self) -> dict[str, str]:
        names = self.session.position.board.names
        stones = zip(names, self.session.position.stones, strict=True)
        return {name: ".bw"[content] for name, content in stones if content}
