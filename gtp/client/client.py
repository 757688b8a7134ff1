"""The controller's side of GTP: start or reach an engine, ask it, and get rid of it.

    with Client.start(["trivalent", "gtp", "--nodes", "1000"]) as engine:
        engine.ask("boardsize 7")
        print(engine.ask("genmove black", seconds=60))

An engine is a program of somebody else: it may die, hang, or write whatever it likes.  So every
command can have a deadline, answers are bounded and known by their ids, and whatever goes wrong is
an `EngineError` of one sentence.  That an engine refuses a command is a `RefusedError`, after which
the conversation goes on.

Waiting is a poll on the raw descriptors: a command costs a few microseconds, far less than with
asyncio, and conversations with several engines go on in a thread each.
"""

from __future__ import annotations

import os
import re
import select
import shlex
import signal
import socket
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Self

from trivalent.core.text import printable
from trivalent.gtp.client.process import Log, Process

if TYPE_CHECKING:
    import threading
    from collections.abc import Mapping, Sequence
    from types import TracebackType

LONGEST = 4 << 20
"""Bytes that may come before the end of an answer."""

GRACE = 5.0
"""Seconds for an engine to end after `quit`, unless told otherwise."""

_SLICE = 0.1
"""Seconds between two looks at the stop, and whether the program still runs."""
_CHUNK = 1 << 16
_READS = 64
"""Most reads to get to the end of what has come: somebody may write as fast as we read."""
_STATUS = re.compile(rb"([=?])([0-9]*)(?:[ ]+(.*))?")
# What arrives is cleaned as GTP 2 has it: a TAB is a blank, other control characters vanish.
_BLANK = bytes(0x20 if byte == 0x09 else byte for byte in range(256))
_CONTROL = bytes(byte for byte in (*range(0x20), 0x7F) if byte not in (0x09, 0x0A))


class EngineError(RuntimeError):
    """The conversation has failed, and the engine can only be closed."""

    log = Log()
    """What the engine has written to standard error, if it has failed at the start."""


class StartError(EngineError):
    """A program cannot be started, or nobody listens at an address."""


class GoneError(EngineError):
    """The engine has ended, or has closed the connection."""


class NoAnswerError(EngineError):
    """The engine has not answered in time."""


class ProtocolError(EngineError):
    """What the engine writes is no GTP."""


class StoppedError(EngineError):
    """The caller's stop has been set; the engine may still be busy."""


class RefusedError(RuntimeError):
    """The engine has answered a command with ``?``, and waits for the next one."""

    def __init__(self, engine: str, command: str, answer: str) -> None:
        super().__init__(
            f"{engine} answers {printable(command)} with '? {printable(answer, quotes=False)}'"
        )
        self.answer = answer


class _Answer:
    """The answer to a command, as it comes in among whatever else the engine writes."""

    def __init__(self, number: int, *, with_ids: bool) -> None:
        """Expect that id.  The first answer of all may have none."""
        self.ok = False
        self.has_id = with_ids
        self.length = 0
        """Bytes that have come."""
        self._id = b"%d" % number
        self._first = number == 1
        self._rest = b""  # the beginning of a line
        self._lines: list[bytes] = []
        self._odd = b""  # the latest line that belongs to no answer

    @property
    def text(self) -> str:
        """The text as far as it has come, or what has come instead."""
        return (b"\n".join(self._lines) or self._odd).decode("utf-8", "replace").strip()

    def take(self, data: bytes) -> bool:
        """Take what comes next; return whether the answer is complete."""
        self.length += len(data)
        *lines, self._rest = (self._rest + data.translate(_BLANK, _CONTROL)).split(b"\n")
        return any(self._ends(line.rstrip()) for line in lines)

    def _ends(self, line: bytes) -> bool:
        if self._lines:
            self._lines.append(line)
            return not line
        match = _STATUS.fullmatch(line)
        if match and self._first and not match[2]:
            self.has_id = False
        if match and match[2] == (self._id if self.has_id else b""):
            self.ok = match[1] == b"="
            self._lines.append(match[3] or b" ")
        elif line:
            self._odd = line
        return False


class Client:
    """A conversation with an engine.  One thread at a time; made by `start` and `connect`."""

    def __init__(
        self,
        name: str,
        channel: Process | socket.socket,
        seconds: float | None,
        stop: threading.Event | None,
    ) -> None:
        """Wait so long for its first answer, which tells whether it repeats ids: not all do."""
        self.name = name
        """What messages call the engine."""
        self.log = Log()
        """What it writes to standard error; always empty over TCP."""
        self._process = channel if isinstance(channel, Process) else None
        self._socket = channel if isinstance(channel, socket.socket) else None
        if isinstance(channel, Process):
            self._input, self._output, self.log = channel.input, channel.output, channel.log
        else:
            self._input = self._output = channel.fileno()
        os.set_blocking(self._input, False)
        self._readable = select.poll()
        self._readable.register(self._output, select.POLLIN)
        self._number = 0
        self._with_ids = True
        self._closed = False
        self.greeting = ""
        """What it answers to `name`."""
        try:
            with suppress(RefusedError):
                self.greeting = self.ask("name", seconds, stop)
        except BaseException as error:
            self.close(0)
            if isinstance(error, EngineError):
                error.log = self.log
            raise

    @classmethod
    def start(
        cls,
        command: Sequence[str],
        *,
        name: str = "",
        cwd: str | None = None,
        environment: Mapping[str, str] | None = None,
        seconds: float | None = 30.0,
        stop: threading.Event | None = None,
    ) -> Self:
        """Start a program, without a shell, and wait for its first answer.

        It gets a session of its own, our environment with ``environment`` added, and does not
        outlive us, even if we are killed.  Raise EngineError if it cannot be started or does not
        speak GTP within so many seconds.
        """
        label = name or Path(command[0]).name
        try:
            process = Process(command, cwd, environment)
        except (OSError, ValueError) as error:  # a NUL in an argument is a ValueError
            reason = str(error)
            if isinstance(error, OSError) and error.strerror:
                about = f": {error.filename}" if error.filename else ""
                reason = f"{error.strerror}{about}"
            raise StartError(f"cannot start {label} ({shlex.join(command)}): {reason}") from None
        return cls(label, process, seconds, stop)

    @classmethod
    def connect(
        cls,
        host: str,
        port: int,
        *,
        name: str = "",
        seconds: float | None = 30.0,
        stop: threading.Event | None = None,
    ) -> Self:
        """Connect to an engine that listens, and wait for its first answer.

        Raise EngineError if nobody listens there, or does not speak GTP within so many seconds.
        """
        label = name or f"{host}:{port}"
        try:
            connection = socket.create_connection((host, port), timeout=seconds)
        except (OSError, OverflowError, UnicodeError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else error
            raise StartError(f"cannot reach {label} ({host}, port {port}): {reason}") from None
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        return cls(label, connection, seconds, stop)

    @property
    def pid(self) -> int | None:
        """The process, whose number its session and group have as well; None over TCP."""
        return self._process.pid if self._process else None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def ask(
        self, command: str, seconds: float | None = None, stop: threading.Event | None = None
    ) -> str:
        """Send a command and return the text of the answer, without status, stripped.

        Answers to earlier commands, and whatever else the engine writes that is no answer, are
        passed over.  Raise RefusedError if the engine refuses, EngineError if no answer comes in so
        many seconds (None: whenever it comes), if the engine has ended, or when `stop` is set.
        """
        if "\n" in command or self._closed:
            raise ValueError("a command is one line" if "\n" in command else "closed")
        end = None if seconds is None else time.monotonic() + seconds
        self._number += 1
        if self._with_ids:
            self._send(f"{self._number} {command}\n".encode(), command, end, stop)
        else:
            self._skip()
            self._send(f"{command}\n".encode(), command, end, stop)
        data = self._receive(command, end, stop)
        usual = b"=%d " % self._number
        if data.startswith(usual) and data.endswith(b"\n\n"):
            text = data[len(usual) : -2]
            if not text or text.isalnum():  # a short cut for nearly all answers
                return text.decode()
        answer = _Answer(self._number, with_ids=self._with_ids)
        while not answer.take(data):
            if answer.length > LONGEST:
                raise ProtocolError(
                    f"{self.name} writes more than {LONGEST >> 20} MiB without an answer to "
                    f"{printable(command)}"
                )
            data = self._receive(command, end, stop, answer)
        self._with_ids = answer.has_id
        if not answer.ok:
            raise RefusedError(self.name, command, answer.text)
        return answer.text

    def _send(
        self, data: bytes, command: str, end: float | None, stop: threading.Event | None
    ) -> None:
        while data:
            try:
                data = data[os.write(self._input, data) :]
            except BlockingIOError:
                poll = select.poll()
                poll.register(self._input, select.POLLOUT)
                self._wait(poll, command, end, stop)
            except OSError:
                raise self._gone(command) from None

    def _skip(self) -> None:
        """Forget what has come without a command; no id would tell it from the answer."""
        with suppress(OSError):
            for _ in range(_READS):
                if not (self._readable.poll(0) and os.read(self._output, _CHUNK)):
                    break

    def _receive(
        self,
        command: str,
        end: float | None,
        stop: threading.Event | None,
        answer: _Answer | None = None,
    ) -> bytes:
        """Return what comes next."""
        self._wait(self._readable, command, end, stop, answer)
        try:
            data = os.read(self._output, _CHUNK)
        except OSError:
            data = b""
        if not data:
            raise self._gone(command)
        return data

    def _wait(
        self,
        poll: select.poll,
        command: str,
        end: float | None,
        stop: threading.Event | None,
        answer: _Answer | None = None,
    ) -> None:
        """Wait until a descriptor is ready.  Raise EngineError if something is wrong."""
        while True:
            left = _SLICE if end is None else min(_SLICE, end - time.monotonic())
            ready = poll.poll(max(0, left) * 1000)
            if ready and answer is None:
                return
            # Whatever else an engine writes must not keep us from looking here.
            if stop is not None and stop.is_set():
                raise StoppedError(f"stopped while {self.name} was busy with {printable(command)}")
            if end is not None and time.monotonic() >= end:
                raise self._late(command, answer.text if answer else "")
            if ready:
                return
            # Something else may keep its pipes open.
            if self._process and self._process.ended() is not None and not poll.poll(0):
                raise self._gone(command)

    def _late(self, command: str, written: str) -> EngineError:
        if written:
            return ProtocolError(
                f"{self.name} does not answer {printable(command)} by GTP, but writes "
                f"{printable(written)}"
            )
        return NoAnswerError(f"{self.name} does not answer {printable(command)} in time")

    def _gone(self, command: str) -> GoneError:
        what = f"at {printable(command)}"
        if self._process is None:
            return GoneError(f"{self.name} has closed the connection {what}")
        end = time.monotonic() + _SLICE  # the pipe may be closed a little before the end
        while (code := self._process.ended()) is None and time.monotonic() < end:
            time.sleep(0.001)
        words = self.log.last_line()
        if words:
            what += f", its last words: {printable(words)}"
        if code is None:
            return GoneError(f"{self.name} has closed its output {what}")
        if code < 0:
            with suppress(ValueError):
                return GoneError(f"{self.name} has ended by {signal.Signals(-code).name} {what}")
        return GoneError(f"{self.name} has ended with exit code {code} {what}")

    def close(self, grace: float = GRACE) -> None:
        """Get rid of the engine, and of all that it has started: nothing of it is left on return.

        It is told to quit and gets ``grace`` seconds to do so, then as many after SIGTERM.
        With no grace it is not asked.  Closing twice does nothing.
        """
        if self._closed:
            return
        self._closed = True
        if grace > 0:
            with suppress(OSError):
                os.write(self._input, b"quit\n")
        if self._process:
            self._process.end(grace)
        elif self._socket:
            _hang_up(self._socket, grace)


def _hang_up(connection: socket.socket, grace: float) -> None:
    """Wait until the other end has closed the connection, for some time, and close it."""
    with connection, suppress(OSError):
        if grace > 0:
            connection.shutdown(socket.SHUT_WR)
            end = time.monotonic() + grace
            while (left := end - time.monotonic()) > 0:
                connection.settimeout(left)
                if not connection.recv(_CHUNK):
                    break
