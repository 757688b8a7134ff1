"""Random bytes and random sessions in every profile: no input breaks the protocol.

`pytest -m fuzz -s` runs for FUZZ_SECONDS (default 60) and prints the number of examples.
"""

from __future__ import annotations

import contextlib
import os
import re
import socket
import threading
import time
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipes import HANGS, assert_well_formed
from trivalent.bot.players.registry import make_player
from trivalent.core.board import BLACK, WHITE
from trivalent.core.games import make_board
from trivalent.gtp.commands.all_commands import commands_for
from trivalent.gtp.engine.session import SearchParameters, Session
from trivalent.gtp.engine.stream import LineSplitter, serve
from trivalent.gtp.engine.syntax import Request, format_reply, is_interrupt, parse
from trivalent.gtp.profiles.all_profiles import PROFILES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MAX_SECONDS = 0.01
"""Maximum seconds of a search in these tests."""

CELLS = st.sampled_from(
    ["a1", "b1", "A2", "b2", "c3", "C1", "d4", "j1", "aa1", "z99", "a0", "pass", "resign", "swap",
     "swap-pieces", "swap-sides", "SWAP-PIECES"]
)  # fmt: skip
NUMBERS = st.sampled_from(
    ["0", "1", "2", "3", "3 2", "4", "7", "63", "64", "-1", "007", "1e9", "0.01", "nan", "inf", "x",
     "99999999999999999999999"]
)  # fmt: skip
COLOURS = st.sampled_from(["b", "w", "black", "White", "B", "x"])
KEYS = st.sampled_from(
    ["allow_swap", "seconds", "nodes", "live_graphics", "seed", "resign", "playouts",
     "rave_weight", "explore", "max_time", "max_games", "use_livegfx", "num_threads",
     "reuse_subtree", "game_time", "interval", "ownership", "true", "false", "hex", "y", "name",
     "genmove"]
)  # fmt: skip
WORDS = CELLS | CELLS | NUMBERS | COLOURS | COLOURS | KEYS | st.text('ab19-._/"\\~', max_size=6)

# Commands that access files, which random words must not do.
LEFT_OUT = {"loadsgf", "savesgf"}
SESSION_ENDS = {"quit"}


def lines(profile: str) -> st.SearchStrategy[str]:
    """Generate lines for a profile: mostly moves, else any of its commands with any words."""
    names = sorted(
        command.name
        for command in commands_for(PROFILES[profile])
        if command.name not in LEFT_OUT | SESSION_ENDS
    )
    identity = st.sampled_from(["", "", "", "", "1 ", "007 ", "2147483647 ", "-1 ", "9" * 30 + " "])
    moves = st.builds("play {} {}".format, COLOURS, CELLS)
    command = st.one_of(
        moves,
        moves,
        st.builds("{} {}".format, st.sampled_from(["genmove", "reg_genmove"]), COLOURS),
        st.sampled_from(["undo", "clear_board", "showboard", "boardsize 3", "set_game y"]),
        st.builds(
            lambda name, words: " ".join([name, *words]),
            st.sampled_from(names),
            st.lists(WORDS, max_size=4),
        ),
    )
    return st.builds("{}{}".format, identity, command)


def new_session(profile: str, player: str) -> Session:
    return Session(
        make_player(player, {"memory": "1"} if player == "uct" else {}),
        commands_for(PROFILES[profile]),
        board=make_board("hex", 3),
        search=SearchParameters(nodes=3),
        profile=PROFILES[profile],
        max_seconds=MAX_SECONDS,
    )


def state(session: Session) -> tuple[object, ...]:
    position, clock = session.position, session.clock
    return (
        position.board, position.stones, position.history, position.hash, position.to_play,
        position.players_swapped, session.game, session.search, session.player.parameters,
        session.foreign_parameters.copy(), session.ended,
        clock and (clock.settings, clock.left(BLACK), clock.left(WHITE)),
    )  # fmt: skip


def check_session(profile: str, player: str, conversation: Sequence[str]) -> None:
    """Check that replies are well-formed, nothing fails inside, and refusals change nothing."""
    session = new_session(profile, player)
    for line in conversation:
        request = parse(line.encode())
        if request is None:
            continue
        before = state(session)
        reply = session.run(request.name, request.arguments)
        data = format_reply(request.id, reply.text, ok=reply.ok)
        assert_well_formed(data)
        assert "internal error" not in reply.text, (line, reply.text)
        assert reply.ok or state(session) == before, (line, reply.text)
        theirs = session.player._position  # type: ignore[attr-defined]
        ours = session.position
        assert (theirs.board, theirs.stones, theirs.history) == (
            ours.board, ours.stones, ours.history,
        ), line  # fmt: skip


NOISE = st.sampled_from(
    [b"\n", b"\r\n", b" \t\n", b"5\n", b"# x\n", b"# interrupt\n", b"\x00\x07", b"\xff", b"#",
     b"name#x\n", b"   ", b"# interrupt\r\n# interrupt\n", b"lz-analyze b 1\n",
     b"7 kata-analyze 1 ownership true\n"]
)  # fmt: skip

BLOCK = re.compile(
    rb"gogui-gfx:\nuct\nVAR( [BW] [a-z]+\d+)+\nINFLUENCE( [a-z]+\d+ (?:[01]?\.\d+|[01]))+\n"
    rb"LABEL( [a-z]+\d+ \d+[kMG]?)+\nTEXT \S.*\n\n"
)


def converse(session: Session, packets: Sequence[bytes]) -> bytes:
    """Send packets through real pipes to a session in a thread; return its whole output."""
    from_us, to_engine = os.pipe()
    from_engine, to_us = socket.socketpair()
    answers: list[bytes] = []

    def read() -> None:
        while data := from_engine.recv(1 << 16):
            answers.append(data)

    def engine() -> None:
        serve(session, from_us, to_us.fileno())
        to_us.shutdown(socket.SHUT_RDWR)

    threads = [threading.Thread(target=target, daemon=True) for target in (read, engine)]
    for thread in threads:
        thread.start()
    for packet in packets:
        with contextlib.suppress(BrokenPipeError):
            os.write(to_engine, packet)
    os.close(to_engine)
    for thread in threads:
        thread.join(HANGS)
        assert not thread.is_alive(), "the session hangs"
    os.close(from_us)
    from_engine.close()
    to_us.close()
    return b"".join(answers)


def check_stream(profile: str, data: bytes, cuts: Sequence[int]) -> None:
    """Check that each request gets one well-formed reply with its id, in order, in any packets."""
    places = sorted({cut % (len(data) + 1) for cut in cuts} | {0, len(data)})
    packets = [data[a:b] for a, b in pairwise(places)]
    requests = list(filter(None, map(parse, data.split(b"\n"))))
    answers = converse(new_session(profile, "uct"), packets)
    assert answers == b"" or answers.endswith(b"\n\n")
    identities = []
    for part in answers.split(b"\n\n")[:-1]:
        reply = part + b"\n\n"
        if reply.startswith(b"gogui-gfx:"):
            assert profile != "gogui"
            assert BLOCK.fullmatch(reply), reply
            continue
        assert_well_formed(reply)
        assert b"internal error" not in reply, reply
        identities.append(reply[1:].split(b" ", 1)[0].decode())
    assert identities == [request.id for request in requests], answers


def check_lines(data: bytes, cuts: Sequence[int]) -> None:
    """Check that packet boundaries do not affect requests and interrupts."""
    places = sorted({cut % (len(data) + 1) for cut in cuts} | {0, len(data)})
    splitter = LineSplitter()
    found = [
        line
        for a, b in pairwise(places)
        for line, too_long in splitter.feed(data[a:b])
        if not too_long
    ]
    found.append(splitter.flush()[0])
    plain = data.split(b"\n")
    assert list(map(parse, found)) == list(map(parse, plain))
    assert list(map(is_interrupt, found)) == list(map(is_interrupt, plain))


def check_round_trip(data: bytes) -> None:
    """Check that a parsed request can be written as a line that parses the same way."""
    request = parse(data)
    if request is not None:
        line = " ".join(filter(None, [request.id, request.name, *request.arguments]))
        again = parse(line.encode())
        # A name that looks like an id needs an id before it.
        assert again == request or (not request.id and request.name.isdigit())
        assert isinstance(again, Request)
        assert_well_formed(format_reply(request.id, line, ok=False))


CUTS = st.lists(st.integers(0, 10_000), max_size=12)
BYTES = st.binary(max_size=80) | st.lists(
    NOISE | st.sampled_from([b"name\n", b"3 name x\n", b"play b a1", b" "]), max_size=12
).map(b"".join)


@st.composite
def streams(draw: st.DrawFn, profile: str) -> bytes:
    """Generate random commands of a profile with noise between them, as bytes."""
    line = lines(profile).map(lambda line: line.encode() + b"\n")
    # Half of them begin with a search that is long enough for live graphics.
    drawing = b"boardsize 9\nparam_search live_graphics 1\nparam_search nodes 0\ngenmove b\n"
    begin = draw(st.sampled_from([b"", drawing]))
    return begin + b"".join(draw(st.lists(line | NOISE, max_size=15)))


Check = tuple[st.SearchStrategy[tuple[object, ...]], "Callable[..., None]"]

CHECKS: dict[str, Check] = {
    "lines": (st.tuples(BYTES, CUTS), check_lines),
    "round trip": (st.tuples(BYTES), check_round_trip),
}
for _profile in PROFILES:
    CHECKS[f"session {_profile}"] = (
        st.tuples(
            st.just(_profile),
            st.sampled_from(["random", "random", "uct"]),
            st.lists(lines(_profile), max_size=30),
        ),
        check_session,
    )
    CHECKS[f"stream {_profile}"] = (
        st.tuples(st.just(_profile), streams(_profile), CUTS),
        check_stream,
    )


@pytest.fixture(autouse=True)
def frequent_drawings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trivalent.gtp.commands.graphics.INTERVAL", 0.002)
    monkeypatch.setattr("trivalent.gtp.commands.graphics.STDERR.disabled", True)


def examine(name: str, examples: int) -> int:
    """Run a check on random inputs; return how many were tried."""
    strategy, check = CHECKS[name]
    count = 0

    @settings(max_examples=examples, deadline=None, database=None, print_blob=True)
    @given(strategy)
    def some(arguments: tuple[object, ...]) -> None:
        nonlocal count
        count += 1
        check(*arguments)

    some()
    return count


@pytest.mark.parametrize("name", CHECKS)
def test_random_input_breaks_nothing(name: str) -> None:
    assert examine(name, 30) > 10


@pytest.mark.fuzz
def test_random_input_for_a_while() -> None:
    seconds = float(os.environ.get("FUZZ_SECONDS", "60"))
    begin = time.monotonic()
    counts = dict.fromkeys(CHECKS, 0)
    while time.monotonic() - begin < seconds:
        for name in CHECKS:
            counts[name] += examine(name, 100)
    print(counts, f"in {time.monotonic() - begin:.0f} s")  # noqa: T201  shown by pytest -s
