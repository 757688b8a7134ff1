"""A GTP session over a pair of file descriptors: bounded reading, interrupts, whole replies.

A thread reads ahead, so that ``# interrupt`` is seen while a search runs; the calling thread runs
the commands one after the other.  An interrupt belongs to its place in the stream: it stops every
command before it that has not been answered, and none after it.  Another thread watches over both
ends: when nobody listens any more, there is no use in a search.
"""

from __future__ import annotations

import logging
import os
import select
import threading
import time
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from trivalent.bot.player import Stop
from trivalent.gtp.engine.syntax import (
    format_begin,
    format_block,
    format_lines,
    format_reply,
    is_interrupt,
    parse,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trivalent.gtp.engine.session import Session

LOGGER = logging.getLogger(__name__)

RATE_WINDOW = 60.0
"""Seconds over which the rate of commands is averaged: so many seconds' worth may come at once."""

_LINE_COST = 256  # what a line takes beside its bytes: a flood of short lines is bounded too
_CHUNK = 1 << 16


@dataclass(frozen=True, slots=True)
class StreamLimits:
    """What the other end may ask for.  The defaults suit one that has started us itself."""

    line: int = 1 << 20
    """Bytes of a line; a longer one is refused as a whole."""
    ahead: int = 4 << 20
    """Bytes read ahead of the command that is running; the rest waits in the pipe."""
    idle: float | None = None
    """Seconds to wait for a command; then the session ends.  They end what streams as well, but
    no search that answers with a move."""
    write: float | None = None
    """Seconds to wait for a reader of replies; then the session ends."""
    rate: float | None = None
    """Commands a second, on the average; faster ones wait."""


DEFAULT_LIMITS = StreamLimits()


class Ending(NamedTuple):
    """How a session came to its end."""

    reason: str
    commands: int
    """Answered, well or badly."""


class _Line(NamedTuple):
    text: bytes
    too_long: bool
    stop: Stop
    superseded: Stop


class LineSplitter:
    """Cuts a stream of bytes into lines and holds no more than one line of `limit` bytes."""

    def __init__(self, limit: int = DEFAULT_LIMITS.line) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self._length = 0

    def feed(self, data: bytes) -> Iterator[tuple[bytes, bool]]:
        """Yield the lines that these bytes complete, and whether each was too long.

        Of a line that is too long only the beginning is kept; leading blanks are dropped.
        """
        *complete, rest = data.split(b"\n")
        for part in complete:
            self._add(part)
            yield self.flush()
        self._add(rest)

    def flush(self) -> tuple[bytes, bool]:
        """Return what there is of the present line, and begin a new one."""
        line = b"".join(self._parts), self._length > self._limit
        self._parts.clear()
        self._length = 0
        return line

    def _add(self, part: bytes) -> None:
        if not self._parts:  # what is kept of a line that is too long shows whether it is a comment
            part = part.lstrip(b" \t\r")
        room = self._limit - self._length
        if part and room > 0:
            self._parts.append(part[:room])
        self._length += len(part)


class Pace:
    """Tells how long each command has to wait, so that no more than a rate of them run.

    The rate is per second, times are seconds of any one clock.
    """

    def __init__(self, rate: float) -> None:
        self._step = 1 / rate
        self._due: float | None = None

    def delay(self, now: float) -> float:
        """Count a command, and return the seconds that it has to wait."""
        spared = now - RATE_WINDOW
        self._due = (spared if self._due is None else max(spared, self._due)) + self._step
        return max(0.0, self._due - now)


class _Reader(threading.Thread):
    """Reads lines ahead of the commands and turns interrupts into stops."""

    def __init__(self, descriptor: int, limits: StreamLimits) -> None:
        super().__init__(name="gtp-reader", daemon=True)
        self.reason = ""
        """Why we are closed."""
        self._descriptor = descriptor
        self._limits = limits
        self._lines: deque[_Line] = deque()
        self._ahead = 0
        self._interrupt = Stop()  # of all lines since the last interrupt
        self._superseded = Stop()  # of the latest line
        self._heard = time.monotonic()  # when the latest line came
        self._ended = False
        self._closed = False
        self._changed = threading.Condition()

    def next_line(self) -> _Line | None:
        """Return the next line; None at the end, when we are closed, or after too long a wait."""
        with self._changed:
            if not self._changed.wait_for(
                lambda: self._lines or self._ended or self._closed, self._limits.idle
            ):
                self.close("idle")
            if self._closed or not self._lines:
                return None
            line = self._lines.popleft()
            self._ahead -= len(line.text) + _LINE_COST
            self._changed.notify_all()
            return line

    def rest(self, seconds: float) -> None:
        """Wait for so long, or until we are closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed, seconds)

    def close(self, reason: str) -> None:
        """Stop what runs, and let no more lines out."""
        with self._changed:
            if not self._closed:
                self.reason = reason
            self._interrupt.set()
            self._superseded.set()
            self._closed = True
            self._changed.notify_all()

    def watch(self, output: int, order: int | None) -> None:
        """Wait until nobody listens to the output any more, or the order to end comes, and close.

        Meanwhile end what streams if the input is idle.  The order comes on a descriptor, as bytes
        or the end of its input.
        """
        poll = select.poll()
        poll.register(output, 0)  # for errors only
        if order is not None:
            poll.register(order, select.POLLIN)
        # Now and then this lets go of the output, or its other end would not see us close it.
        while not self._closed:
            for descriptor, _ in poll.poll(250):
                self.close("output closed" if descriptor == output else "told to end")
            if self._limits.idle is not None:
                with self._changed:
                    if time.monotonic() - self._heard > self._limits.idle:
                        self._superseded.set()

    def run(self) -> None:
        splitter = LineSplitter(self._limits.line)
        try:
            while not self._closed and (data := _read(self._descriptor)):
                for text, too_long in splitter.feed(data):
                    self._take(text, too_long=too_long)
            text, too_long = splitter.flush()
            self._take(text, too_long=too_long)
        finally:
            with self._changed:
                self._superseded.set()
                self._ended = True
                self._changed.notify_all()

    def _take(self, text: bytes, *, too_long: bool) -> None:
        with self._changed:
            self._superseded.set()
            if not too_long and is_interrupt(text):
                self._interrupt.set()
                self._interrupt = Stop()
            elif text and not text.startswith(b"#"):  # no flood of comments hides an interrupt
                while self._ahead > self._limits.ahead and not self._closed:
                    self._changed.wait()
                self._superseded = Stop()
                self._heard = time.monotonic()
                self._lines.append(_Line(text, too_long, self._interrupt, self._superseded))
                self._ahead += len(text) + _LINE_COST
                self._changed.notify_all()


def _wait(descriptor: int, event: int, seconds: float | None = None) -> bool:
    """Wait until this can be done, or fails, at once; return whether it can be in that time."""
    poll = select.poll()  # unlike select.select it takes any descriptor
    poll.register(descriptor, event)
    return bool(poll.poll(None if seconds is None else seconds * 1000))


def _read(descriptor: int) -> bytes:
    """Read what is there, at least a byte; nothing at the end of the stream."""
    while True:
        try:
            return os.read(descriptor, _CHUNK)
        except BlockingIOError:
            _wait(descriptor, select.POLLIN)
        except OSError as error:
            LOGGER.info("input ends: %s", error)
            return b""


class _Output:
    """Where replies go."""

    def __init__(self, descriptor: int, seconds: float | None) -> None:
        self._descriptor = descriptor
        self._seconds = seconds

    def write(self, data: bytes) -> None:
        """Write all of it, in one piece if the system lets us.  Raise OSError if nobody listens."""
        while data:
            try:
                data = data[os.write(self._descriptor, data) :]
            except BlockingIOError:
                if not _wait(self._descriptor, select.POLLOUT, self._seconds):
                    raise TimeoutError("replies are not read") from None


class _Channel:
    """What joins the command of a line and the controller; see `Channel` of session.py."""

    def __init__(self, line: _Line, identity: str, output: _Output) -> None:
        self.stop = line.stop
        self.superseded = line.superseded
        self._identity = identity
        self._output = output
        self._begun = False

    def block(self, text: str) -> None:
        """Send live graphics, before the reply."""
        self._send(format_block(text))

    def part(self, text: str) -> None:
        """Send the first lines of the reply; more may follow."""
        begin = b"" if self._begun else format_begin(self._identity)
        self._begun = True
        self._send(begin + format_lines(text))

    def reply(self, text: str, *, ok: bool) -> None:
        """Send the reply, or its end.  Raise OSError if nobody listens."""
        if self._begun:
            data = format_lines(text) + b"\n" if text else b"\n"
        else:
            data = format_reply(self._identity, text, ok=ok)
        self._output.write(data)

    def _send(self, data: bytes) -> None:
        try:
            self._output.write(data)
        except OSError:  # the command ends, and its reply meets the same fault
            self.stop.set()
            self.superseded.set()


def serve(
    session: Session,
    input_descriptor: int,
    output_descriptor: int,
    limits: StreamLimits = DEFAULT_LIMITS,
    order: int | None = None,
) -> Ending:
    """Answer commands until quit, the end of the input, or a closed output.

    What becomes readable on the descriptor `order` is an order to end as soon as the command that
    runs has been answered; its search is stopped.  The limit on writing needs an output that does
    not block.
    """
    reader = _Reader(input_descriptor, limits)
    reader.start()
    threading.Thread(
        target=reader.watch, args=(output_descriptor, order), name="gtp-watch", daemon=True
    ).start()
    commands = 0
    output = _Output(output_descriptor, limits.write)
    pace = Pace(limits.rate) if limits.rate else None
    try:
        while line := reader.next_line():
            request = parse(line.text)
            if request is None:
                continue
            if pace:
                reader.rest(pace.delay(time.monotonic()))
            commands += 1
            channel = _Channel(line, request.id, output)
            if line.too_long:
                channel.reply(f"line too long (at most {limits.line} bytes)", ok=False)
                continue
            result = session.run(request.name, request.arguments, channel)
            channel.reply(result.text, ok=result.ok)
            if result.end:
                reader.close("quit")
            session.ponder(line.superseded)
    except OSError as error:
        LOGGER.info("output ends: %s", error)
        reader.close(error.strerror or str(error))
    finally:
        reader.close("end of input")
    return Ending(reader.reason, commands)
