"""The limits of a stream, over a pair of sockets in this process."""

from __future__ import annotations

import os
import socket
import threading
import time
from functools import partial
from typing import TYPE_CHECKING

import pytest
from slowness import patience

from trivalent.bot.players.registry import make_player
from trivalent.core.games import make_board
from trivalent.gtp.commands.all_commands import COMMANDS
from trivalent.gtp.engine.session import SearchParameters, Session
from trivalent.gtp.engine.stream import RATE_WINDOW, Ending, Pace, StreamLimits, serve

if TYPE_CHECKING:
    from collections.abc import Iterator

HANGS = patience(60)
"""Seconds after which a wait fails."""


class Stream:
    """A session in a thread and the other end of its stream."""

    def __init__(self, limits: StreamLimits, order: int | None, seconds: float) -> None:
        session = Session(
            make_player("uct", {}),
            COMMANDS,
            board=make_board("hex", 11),
            search=SearchParameters(seconds=seconds),
        )
        self.end, self._served = socket.socketpair()
        self.end.settimeout(HANGS)
        self._served.setblocking(False)
        self._ending: Ending | None = None
        descriptor = self._served.fileno()

        def run() -> None:
            self._ending = serve(session, descriptor, descriptor, limits, order)

        self._thread = threading.Thread(target=run)
        self._thread.start()

    def send(self, data: bytes) -> None:
        self.end.sendall(data)

    def reply(self) -> bytes:
        data = b""
        while not data.endswith(b"\n\n"):
            data += self.end.recv(1 << 16)
        return data

    def ending(self) -> Ending:
        """Wait until the stream has ended; return how."""
        self._thread.join(HANGS)
        assert self._ending is not None
        return self._ending

    def close(self) -> None:
        self.end.close()
        for thread in threading.enumerate():
            if thread is self._thread or thread.name.startswith("gtp-"):
                thread.join(HANGS)
                assert not thread.is_alive()  # it could read from the next test's descriptor
        self._served.close()


@pytest.fixture
def stream(request: pytest.FixtureRequest) -> Iterator[Stream]:
    limits, seconds = getattr(request, "param", (StreamLimits(), 0.05))
    stream = Stream(limits, None, seconds)
    yield stream
    stream.close()


def limited(limits: StreamLimits, seconds: float = 0.05) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("stream", [(limits, seconds)], indirect=True, ids=[""])


@pytest.mark.parametrize("rate", [0.5, 10, 1000])
def test_pace_limits_the_average_rate(rate: float) -> None:
    approx = partial(pytest.approx, abs=1e-5)
    pace = Pace(rate)
    at_once = int(RATE_WINDOW * rate)
    assert [pace.delay(1000.0) for _ in range(at_once)] == approx([0] * at_once)
    assert pace.delay(1000.0) == approx(1 / rate)
    assert pace.delay(1000.0) == approx(2 / rate)
    assert pace.delay(1000.0 + 2 / rate) == approx(1 / rate)
    # Two quiet seconds save up two seconds' worth of commands, a long time only a minute's.
    later = [pace.delay(1002.0 + 3 / rate) for _ in range(int(2 * rate) + 1)]
    assert later[:-1] == approx([0] * int(2 * rate))
    assert later[-1] == approx(1 / rate)
    assert [pace.delay(1e5) for _ in range(at_once)] == approx([0] * at_once)
    assert pace.delay(1e5) > 0


def test_quit_ends_the_stream(stream: Stream) -> None:
    stream.send(b"name\n\n# comment\nnope\n7\nboardsize 5\nquit\nname\n")
    assert stream.ending() == Ending("quit", 4)


def test_the_end_of_input_ends_the_stream(stream: Stream) -> None:
    stream.send(b"genmove b\nname")
    stream.end.shutdown(socket.SHUT_WR)
    assert stream.ending() == Ending("end of input", 2)


@limited(StreamLimits(), 120)
def test_a_closed_output_ends_the_stream(stream: Stream) -> None:
    stream.send(b"genmove b\n")
    stream.end.close()
    ending = stream.ending()  # possibly before the command has started
    assert ending.reason in ("output closed", "Broken pipe")
    assert ending.commands <= 1


@limited(StreamLimits(line=20))
def test_long_lines_are_refused(stream: Stream) -> None:
    stream.send(b"1 known_command name\n")
    assert stream.reply() == b"=1 true\n\n"
    stream.send(b"1 known_command names\n")
    assert stream.reply() == b"?1 line too long (at most 20 bytes)\n\n"
    stream.send(b"#" * 10000 + b"\n2 name\n")
    assert stream.reply() == b"=2 Trivalent\n\n"


@limited(StreamLimits(idle=0.4))
def test_an_idle_controller_is_disconnected(stream: Stream) -> None:
    for _ in range(5):  # together longer than the limit
        time.sleep(0.1)
        stream.send(b"name\n")
        assert stream.reply() == b"= Trivalent\n\n"
    assert stream.ending() == Ending("idle", 5)


@limited(StreamLimits(idle=0.4))
def test_comments_and_unfinished_lines_count_as_idle(stream: Stream) -> None:
    for _ in range(5):
        stream.send(b"\n# comments\n \n" * 100)
        time.sleep(0.02)
    for byte in b"nam":
        stream.send(bytes([byte]))
        time.sleep(0.02)
    assert stream.ending() == Ending("idle", 0)


@limited(StreamLimits(idle=0.2), 0.9)
def test_a_search_does_not_count_as_idle(stream: Stream) -> None:
    stream.send(b"genmove b\n")
    assert stream.reply().startswith(b"= ")
    stream.send(b"showboard\n")
    assert b"B" in stream.reply()
    assert stream.ending() == Ending("idle", 2)


@limited(StreamLimits(idle=0.3), 120)
def test_live_analysis_counts_as_idle(stream: Stream) -> None:
    stream.send(b"lz-analyze b 10\n")
    data = stream.reply()
    assert data.startswith(b"= \ninfo move ")
    assert stream.ending() == Ending("idle", 1)


@limited(StreamLimits(write=0.3))
def test_unread_replies_end_the_stream(stream: Stream) -> None:
    stream.send(b"boardsize 63\n" + b"showboard\n" * 200)
    ending = stream.ending()
    assert ending.reason == "replies are not read"
    assert ending.commands < 200


@limited(StreamLimits(rate=1e-3))
def test_a_delayed_command_ends_with_the_stream(stream: Stream) -> None:
    stream.send(b"name\n")  # due in more than 900 seconds
    stream.end.settimeout(0.3)
    with pytest.raises(TimeoutError):
        stream.reply()
    stream.end.close()
    assert stream.ending().reason in ("output closed", "Broken pipe")


@pytest.mark.parametrize("close", [False, True])
@pytest.mark.parametrize("searching", [True, False])
def test_an_order_to_end_stops_the_search_and_answers(searching: bool, close: bool) -> None:
    order, ours = os.pipe()
    stream = Stream(StreamLimits(), order, 120)
    stream.send(b"name\n")
    assert stream.reply() == b"= Trivalent\n\n"
    if searching:
        stream.send(b"3 genmove b\n")
        time.sleep(0.2)
    if close:
        os.close(ours)
    else:
        os.write(ours, b"end")
    assert stream.ending() == Ending("told to end", 1 + searching)
    if searching:
        assert stream.reply().startswith(b"=3 ")
    stream.close()
    os.close(order)
    if not close:
        os.close(ours)
