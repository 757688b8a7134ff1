"""Recorded sessions of real controllers in every profile: data/sessions/*.gtp.

A line that starts with ``> `` was sent; the lines below it are the reply.  In a reply, a line that
starts with ``~ `` is a regular expression, and ``...`` stands for any further lines.  After an
intended change of replies, this records them again and keeps the expressions that still match:

    PYTHONPATH=tests/support python tests/gtp/profiles/test_recorded_sessions.py
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from places import DATA
from sockets import Client, Served

from pipes import Engine
from trivalent.core.games import GAMES
from trivalent.gtp.engine.syntax import parse
from trivalent.gtp.profiles.all_profiles import PROFILES

if TYPE_CHECKING:
    from pathlib import Path

WITHOUT_NETWORK = ("--set", "net=none")
"""So that the recorded moves don't depend on which network is shipped."""
SESSIONS = sorted((DATA / "sessions").glob("*.gtp"))


@dataclass
class Exchange:
    """A line and the lines of its reply."""

    sent: str
    expected: list[str] = field(default_factory=list)

    def fits(self, reply: list[str]) -> bool:
        expected = self.expected
        if expected and expected[-1] == "...":
            expected = expected[:-1]
            reply = reply[: len(expected)]
        return len(reply) == len(expected) and all(map(_line_fits, expected, reply))


def _line_fits(expected: str, line: str) -> bool:
    if expected.startswith("~ "):
        return re.fullmatch(expected[2:], line) is not None
    return line == expected


def read_session(path: Path) -> tuple[str, list[str], list[Exchange]]:
    """Return the head of a file, the options for the engine, and the exchanges."""
    head, *parts = re.split(r"^> ", path.read_text(encoding="ascii"), flags=re.MULTILINE)
    options = head.split("# options: ")[1].split()
    exchanges = []
    for part in parts:
        sent, *expected = part.rstrip("\n").split("\n")
        exchanges.append(Exchange(sent, expected))
    return head, options, exchanges


def reply_to(engine: Engine | Client, line: str) -> list[str]:
    """Send a line and return the stripped lines of the reply; none for a blank or comment line."""
    if parse(line.encode()) is None:
        engine.send(line.encode() + b"\n")
        return []
    return [text.rstrip() for text in engine.ask(line).decode().removesuffix("\n\n").split("\n")]


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.stem)
def test_recorded_sessions_over_pipes(path: Path) -> None:
    _, options, exchanges = read_session(path)
    with Engine(*options, *WITHOUT_NETWORK, "--quiet") as engine:
        replay(engine, exchanges)


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.stem)
def test_recorded_sessions_over_tcp(path: Path, tmp_path: Path) -> None:
    _, options, exchanges = read_session(path)
    with Served(tmp_path / "log", *options, *WITHOUT_NETWORK) as server, server.client() as client:
        replay(client, exchanges)


def replay(engine: Engine | Client, exchanges: list[Exchange]) -> None:
    for exchange in exchanges:
        reply = reply_to(engine, exchange.sent)
        assert exchange.fits(reply), (exchange, reply)


def test_every_profile_has_a_session() -> None:
    options = [read_session(path)[1] for path in SESSIONS]
    compat = {words[words.index("--compat") + 1] for words in options if "--compat" in words}
    assert compat == PROFILES.keys() - {"none"}


def test_every_game_without_a_gui_has_a_session() -> None:
    options = [read_session(path)[1] for path in SESSIONS]
    games = {words[words.index("--game") + 1] for words in options if "--game" in words}
    assert {name for name, game in GAMES.items() if not game.reduced} <= games


def record_again(path: Path) -> None:
    head, options, exchanges = read_session(path)
    text = head
    with Engine(*options, *WITHOUT_NETWORK) as engine:
        for exchange in exchanges:
            reply = reply_to(engine, exchange.sent)
            lines = exchange.expected if exchange.fits(reply) else reply
            text += "\n".join([f"> {exchange.sent}", *lines, ""]) + "\n"
    path.write_text(text.rstrip("\n") + "\n", encoding="ascii")


if __name__ == "__main__":
    for session in SESSIONS:
        record_again(session)
