"""A GTP session over a pair of file descriptors.

Three threads work on a stream:

* the reader (`_Reader.run`) reads ahead, so that it sees ``# interrupt`` while a search runs;
* the calling thread (`serve`) runs the commands one after the other and writes the replies;
* the watcher (`_Reader.watch`) ends the session when the controller closes the output, or when the
  server orders it to.

An interrupt stops every unanswered command that came before it in the stream, and none that came
after it: each line carries the `Stop` of its place in the stream.
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
"""Seconds over which the rate of commands is averaged.  A controller that has been quiet may send
that many seconds' worth of commands in one burst."""

_LINE_COST = 256  # bytes of overhead charged per line, which bounds a flood of short lines
_CHUNK = 1 << 16


@dataclass(frozen=True, slots=True)
class StreamLimits:
    """Limits on what a controller may ask for.  The defaults suit one that started this process."""

    line: int = 1 << 20
    """Maximum bytes of a line; a longer line is refused as a whole."""
    ahead: int = 4 << 20
    """Maximum bytes read ahead of the running command; the rest stays in the pipe."""
    idle: float | None = None
    """Seconds without a command after which the session ends.  The limit also ends lz-analyze and
    its like, but not a search for a move."""
    write: float | None = None
    """Seconds that a reply may wait to be read before the session ends."""
    rate: float | None = None
    """Maximum commands a second on average; commands that come faster wait."""


DEFAULT_LIMITS = StreamLimits()


class Ending(NamedTuple):
    """Why a session ended."""

    reason: str
    commands: int
    """Number of commands answered, failures included."""
    failure: OSError | None = None
    """Why a reply couldn't be written, unless the controller has closed the output."""


class _Line(NamedTuple):
    text: bytes
    too_long: bool
    stop: Stop
    superseded: Stop


class LineSplitter:
    """Splits a stream of bytes into lines; buffers at most ``limit`` bytes of a line."""

    def __init__(self, limit: int = DEFAULT_LIMITS.line) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self._length = 0

    def feed(self, data: bytes) -> Iterator[tuple[bytes, bool]]:
        """Yield each line that ``data`` completes, and whether the line was too long.

        Leading blanks are dropped.  A line that is too long is cut to its first ``limit`` bytes.
        """
        *complete, rest = data.split(b"\n")
        for part in complete:
            self._add(part)
            yield self.flush()
        self._add(rest)

    def flush(self) -> tuple[bytes, bool]:
        """Return the unfinished line, and whether it is too long; start a new line."""
        line = b"".join(self._parts), self._length > self._limit
        self._parts.clear()
        self._length = 0
        return line

    def _add(self, part: bytes) -> None:
        if not self._parts:  # without leading blanks, the first byte tells whether it is a comment
            part = part.lstrip(b" \t\r")
        room = self._limit - self._length
        if part and room > 0:
            self._parts.append(part[:room])
        self._length += len(part)


class Pace:
    """Delays commands to keep their average rate below a limit, in commands a second.

    Times are in seconds; any monotonic clock will do.
    """

    def __init__(self, rate: float) -> None:
        self._step = 1 / rate
        self._due: float | None = None

    def delay(self, now: float) -> float:
        """Count a command and return how many seconds it must wait."""
        spared = now - RATE_WINDOW
        self._due = (spared if self._due is None else max(spared, self._due)) + self._step
        return max(0.0, self._due - now)


class _Reader(threading.Thread):
    """Reads lines ahead of the running command and turns interrupts into stops."""

    def __init__(self, descriptor: int, limits: StreamLimits) -> None:
        super().__init__(name="gtp-reader", daemon=True)
        self.reason = ""
        """Why the reader was closed; empty while it is open."""
        self._descriptor = descriptor
        self._limits = limits
        self._lines: deque[_Line] = deque()
        self._ahead = 0
        self._interrupt = Stop()  # shared by all lines since the last interrupt
        self._superseded = Stop()  # belongs to the latest line
        self._heard = time.monotonic()  # when the latest line arrived
        self._ended = False
        self._closed = False
        self._changed = threading.Condition()

    def next_line(self) -> _Line | None:
        """Wait for the next line; None at the end of the input, after `close`, or when idle."""
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
        """Sleep for that long, or until the reader is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed, seconds)

    def close(self, reason: str) -> None:
        """Stop the running command and deliver no more lines."""
        with self._changed:
            if not self._closed:
                self.reason = reason
            self._interrupt.set()
            self._superseded.set()
            self._closed = True
            self._changed.notify_all()

    def watch(self, output: int, order: int | None) -> None:
        """Close the reader when the output is closed or the descriptor ``order`` becomes readable.

        Until then, end lz-analyze and its like when no command has arrived for too long.
        """
        poll = select.poll()
        poll.register(output, 0)  # reports errors only
        if order is not None:
            poll.register(order, select.POLLIN)
        # The timeout bounds how long poll() holds a reference to the output after the session has
        # closed it: until then, the other end does not see it closed.
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
            elif text and not text.startswith(
                b"#"
            ):  # dropped here: comments must not delay an interrupt
                while self._ahead > self._limits.ahead and not self._closed:
                    self._changed.wait()
                self._superseded = Stop()
                self._heard = time.monotonic()
                self._lines.append(_Line(text, too_long, self._interrupt, self._superseded))
                self._ahead += len(text) + _LINE_COST
                self._changed.notify_all()


def _wait(descriptor: int, event: int, seconds: float | None = None) -> bool:
    """Wait until a descriptor is ready for ``event`` or broken; return False on a timeout."""
    poll = select.poll()  # unlike select.select it takes any descriptor
    poll.register(descriptor, event)
    return bool(poll.poll(None if seconds is None else seconds * 1000))


def _read(descriptor: int) -> bytes:
    """Wait for bytes and return them; b"" at the end of the stream."""
    while True:
        try:
            return os.read(descriptor, _CHUNK)
        except BlockingIOError:
            _wait(descriptor, select.POLLIN)
        except OSError as error:
            LOGGER.info("input ends: %s", error)
            return b""


class _Output:
    """The descriptor that replies go to, with a limit on how long a write may take."""

    def __init__(self, descriptor: int, seconds: float | None) -> None:
        self._descriptor = descriptor
        self._seconds = seconds

    def write(self, data: bytes) -> None:
        """Write all of ``data``, in one piece if possible.  Raise OSError if nobody reads it."""
        while data:
            try:
                data = data[os.write(self._descriptor, data) :]
            except BlockingIOError:
                if not _wait(self._descriptor, select.POLLOUT, self._seconds):
                    raise TimeoutError("replies are not read") from None


class _StreamChannel:
    """The `Channel` of a command that came from a stream."""

    def __init__(self, line: _Line, identity: str, output: _Output) -> None:
        self.stop = line.stop
        self.superseded = line.superseded
        self._identity = identity
        self._output = output
        self._begun = False

    def send_graphics(self, text: str) -> None:
        """See `Channel.send_graphics`."""
        self._send(format_block(text))

    def send_lines(self, text: str) -> None:
        """See `Channel.send_lines`."""
        begin = b"" if self._begun else format_begin(self._identity)
        self._begun = True
        self._send(begin + format_lines(text))

    def reply(self, text: str, *, ok: bool) -> None:
        """Send the reply, or the rest of it.  Raise OSError if nobody reads it."""
        if self._begun:
            data = format_lines(text) + b"\n" if text else b"\n"
        else:
            data = format_reply(self._identity, text, ok=ok)
        self._output.write(data)

    def _send(self, data: bytes) -> None:
        try:
            self._output.write(data)
        except OSError:  # stop the command; sending its reply will raise the same error
            self.stop.set()
            self.superseded.set()


def serve(
    session: Session,
    input_descriptor: int,
    output_descriptor: int,
    limits: StreamLimits = DEFAULT_LIMITS,
    order: int | None = None,
) -> Ending:
    """Answer commands until `quit`, the end of the input, or a closed output.

    When the descriptor ``order`` becomes readable, the running search is stopped, its command is
    answered, and the session ends.  The limit ``limits.write`` needs a non-blocking output.
    """
    reader = _Reader(input_descriptor, limits)
    reader.start()
    threading.Thread(
        target=reader.watch, args=(output_descriptor, order), name="gtp-watch", daemon=True
    ).start()
    commands = 0
    failure = None
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
            channel = _StreamChannel(line, request.id, output)
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
        failure = None if isinstance(error, ConnectionError) else error
    finally:
        reader.close("end of input")
    return Ending(reader.reason, commands, failure)
