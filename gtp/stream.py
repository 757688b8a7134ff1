"""A GTP session over a pair of file descriptors: bounded reading, interrupts, whole replies.

A thread reads ahead, so that ``# interrupt`` is seen while a search runs; the calling thread runs
the commands one after the other.  An interrupt belongs to its place in the stream: it stops every
command before it that has not been answered, and none after it.  Another thread watches the output:
when nobody listens any more, there is no use in a search.
"""

from __future__ import annotations

import logging
import os
import select
import threading
from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from trivalent.bot.player import Stop
from trivalent.gtp.syntax import (
    format_begin,
    format_block,
    format_lines,
    format_reply,
    is_interrupt,
    parse,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trivalent.gtp.session import Session

LOGGER = logging.getLogger(__name__)

MAX_LINE = 1 << 20
"""Bytes of a line; a longer one is refused as a whole."""
MAX_AHEAD = 4 << 20
"""Bytes read ahead of the command that is running; the rest waits in the pipe."""
_LINE_COST = 256  # what a line takes beside its bytes: a flood of short lines is bounded too
_CHUNK = 1 << 16


class _Line(NamedTuple):
    text: bytes
    too_long: bool
    stop: Stop
    superseded: Stop


class LineSplitter:
    """Cuts a stream of bytes into lines and holds no more than one line of `MAX_LINE` bytes."""

    def __init__(self) -> None:
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
        line = b"".join(self._parts), self._length > MAX_LINE
        self._parts.clear()
        self._length = 0
        return line

    def _add(self, part: bytes) -> None:
        if not self._parts:  # what is kept of a line that is too long shows whether it is a comment
            part = part.lstrip(b" \t\r")
        room = MAX_LINE - self._length
        if part and room > 0:
            self._parts.append(part[:room])
        self._length += len(part)


class _Reader(threading.Thread):
    """Reads lines ahead of the commands and turns interrupts into stops."""

    def __init__(self, descriptor: int) -> None:
        super().__init__(name="gtp-reader", daemon=True)
        self._descriptor = descriptor
        self._lines: deque[_Line] = deque()
        self._ahead = 0
        self._interrupt = Stop()  # of all lines since the last interrupt
        self._superseded = Stop()  # of the latest line
        self._ended = False
        self._closed = False
        self._changed = threading.Condition()

    def next_line(self) -> _Line | None:
        """Return the next line; None at the end, or when the output is closed."""
        with self._changed:
            while not (self._lines or self._ended or self._closed):
                self._changed.wait()
            if self._closed or not self._lines:
                return None
            line = self._lines.popleft()
            self._ahead -= len(line.text) + _LINE_COST
            self._changed.notify_all()
            return line

    def close(self) -> None:
        """Stop what runs, and let no more lines out."""
        with self._changed:
            self._interrupt.set()
            self._superseded.set()
            self._closed = True
            self._changed.notify_all()

    def close_with(self, output: int) -> None:
        """Wait until nobody listens to the output any more, or we are closed, and close."""
        poll = select.poll()
        poll.register(output, 0)  # for errors only
        # Now and then this lets go of the output, or its other end would not see us close it.
        while not self._closed and not poll.poll(250):
            pass
        self.close()

    def run(self) -> None:
        splitter = LineSplitter()
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
                while self._ahead > MAX_AHEAD and not self._closed:
                    self._changed.wait()
                self._superseded = Stop()
                self._lines.append(_Line(text, too_long, self._interrupt, self._superseded))
                self._ahead += len(text) + _LINE_COST
                self._changed.notify_all()


def _wait(descriptor: int, event: int) -> None:
    """Wait until this can be done, or fails, at once."""
    poll = select.poll()  # unlike select.select it takes any descriptor
    poll.register(descriptor, event)
    poll.poll()


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


def _write(descriptor: int, data: bytes) -> None:
    """Write all of it, in one piece if the system lets us.  Raise OSError if nobody listens."""
    while data:
        try:
            data = data[os.write(descriptor, data) :]
        except BlockingIOError:
            _wait(descriptor, select.POLLOUT)


class _Channel:
    """What joins the command of a line and the controller; see `trivalent.gtp.session.Channel`."""

    def __init__(self, line: _Line, identity: str, output: int) -> None:
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
        _write(self._output, data)

    def _send(self, data: bytes) -> None:
        try:
            _write(self._output, data)
        except OSError:  # the command ends, and its reply meets the same fault
            self.stop.set()
            self.superseded.set()


def serve(session: Session, input_descriptor: int, output_descriptor: int) -> None:
    """Answer commands until quit, the end of the input, or a closed output."""
    reader = _Reader(input_descriptor)
    reader.start()
    threading.Thread(
        target=reader.close_with, args=(output_descriptor,), name="gtp-output", daemon=True
    ).start()
    try:
        _answer(session, reader, output_descriptor)
    except OSError as error:
        LOGGER.info("output ends: %s", error)
    finally:
        reader.close()


def _answer(session: Session, reader: _Reader, output: int) -> None:
    while line := reader.next_line():
        request = parse(line.text)
        if request is None:
            continue
        channel = _Channel(line, request.id, output)
        if line.too_long:
            channel.reply(f"line too long (at most {MAX_LINE} bytes)", ok=False)
            continue
        result = session.run(request.name, request.arguments, channel)
        channel.reply(result.text, ok=result.ok)
        if result.end:
            return
