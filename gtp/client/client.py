"""The controller's side of GTP: starts an engine or connects to one, and talks to it.

    with Client.start(["trivalent", "gtp", "--nodes", "1000"]) as engine:
        engine.ask("boardsize 7")
        print(engine.ask("genmove black", seconds=60))

An engine is a foreign program: it may crash, hang, or write anything.  So every command can have a
deadline, answers are limited in size and matched by their ids, and every failure is an
`EngineError` with a message of one sentence.  If the engine only refuses a command, that is a
`RefusedError`, and the conversation goes on.

The client polls raw descriptors: a command costs a few microseconds, far less than with asyncio.
Use one thread for each engine.
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

MAX_ANSWER_BYTES = 4 << 20
"""Maximum bytes that an engine may write before its answer is complete."""

DEFAULT_GRACE = 5.0
"""Seconds that an engine gets to exit after `quit`."""

_SLICE = 0.1
"""Seconds between two checks of the caller's stop and of whether the engine is still running."""
_CHUNK = 1 << 16
_MAX_READS = 64
"""Maximum reads when skipping pending output: an engine may write as fast as we read."""
_STATUS = re.compile(rb"([=?])([0-9]*)(?:[ ]+(.*))?")
# As GTP 2 requires, a TAB becomes a blank and other control characters are dropped.
_BLANK = bytes(0x20 if byte == 0x09 else byte for byte in range(256))
_CONTROL = bytes(byte for byte in (*range(0x20), 0x7F) if byte not in (0x09, 0x0A))


class EngineError(RuntimeError):
    """The conversation has failed; all that is left is to close the engine."""

    log = Log()
    """The engine's standard error, if it failed while starting."""


class StartError(EngineError):
    """A program cannot be started, or an address cannot be reached."""


class GoneError(EngineError):
    """The engine has exited or closed the connection."""


class NoAnswerError(EngineError):
    """The engine has not answered before the deadline."""


class ProtocolError(EngineError):
    """The engine does not write valid GTP."""


class StoppedError(EngineError):
    """The caller has set the stop; the engine may still be busy."""


class RefusedError(RuntimeError):
    """The engine has answered a command with ``?``; it is ready for the next one."""

    def __init__(self, engine: str, command: str, answer: str) -> None:
        super().__init__(
            f"{engine} answered {printable(command)} with '? {printable(answer, quotes=False)}'"
        )
        self.answer = answer


class _Answer:
    """Collects the answer to one command from the bytes that an engine writes."""

    def __init__(self, number: int, *, with_ids: bool) -> None:
        """Expect an answer with id ``number``; the very first answer may come without an id."""
        self.ok = False
        self.has_id = with_ids
        self.length = 0
        """Bytes received so far."""
        self._id = b"%d" % number
        self._first = number == 1
        self._rest = b""  # an unfinished line
        self._lines: list[bytes] = []
        self._stray = b""  # the latest line that is not part of the answer

    @property
    def text(self) -> str:
        """The text received so far; if there is none, the latest stray line."""
        return (b"\n".join(self._lines) or self._stray).decode("utf-8", "replace").strip()

    def take(self, data: bytes) -> bool:
        """Add received bytes; return whether the answer is complete."""
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
            self._stray = line
        return False


class Client:
    """A conversation with an engine, opened by `start` or `connect`.  Not thread-safe."""

    def __init__(
        self,
        name: str,
        channel: Process | socket.socket,
        seconds: float | None,
        stop: threading.Event | None,
    ) -> None:
        """Send the first command; its answer shows whether the engine repeats ids (not all do)."""
        self.name = name
        """The engine's name in error messages."""
        self.log = Log()
        """What the engine writes to standard error; always empty over TCP."""
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
        """The engine's answer to `name`."""
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

        The program runs in a session of its own, with this process's environment plus
        ``environment``.  It does not outlive this process, even if this process is killed.  Raise
        EngineError if the program cannot be started or has not answered in GTP after ``seconds``.
        """
        label = name or Path(command[0]).name
        try:
            process = Process(command, cwd, environment)
        except (OSError, ValueError) as error:  # ValueError: a NUL in an argument
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
        """Connect to an engine over TCP and wait for its first answer.

        Raise EngineError if the address cannot be reached or has not answered in GTP after
        ``seconds``.
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
        """Process id of the engine, also the id of its session and process group; None over TCP."""
        return self._process.pid if self._process else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ask(
        self, command: str, seconds: float | None = None, stop: threading.Event | None = None
    ) -> str:
        """Send a command and return the text of the answer, stripped, without status and id.

        Anything else that the engine writes, such as late answers to earlier commands, is skipped.
        Raise RefusedError if the engine answers with ``?``; raise EngineError if no answer comes
        within ``seconds`` (None: wait forever), if the engine has exited, or if ``stop`` is set.
        """
        if "\n" in command or self._closed:
            raise ValueError(
                "a command must be a single line" if "\n" in command else "the client is closed"
            )
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
            if not text or text.isalnum():  # a fast path for nearly all answers
                return text.decode()
        answer = _Answer(self._number, with_ids=self._with_ids)
        while not answer.take(data):
            if answer.length > MAX_ANSWER_BYTES:
                raise ProtocolError(
                    f"{self.name} wrote more than {MAX_ANSWER_BYTES >> 20} MiB without answering "
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
        """Drop pending output, which without ids could be mistaken for the answer."""
        with suppress(OSError):
            for _ in range(_MAX_READS):
                if not (self._readable.poll(0) and os.read(self._output, _CHUNK)):
                    break

    def _receive(
        self,
        command: str,
        end: float | None,
        stop: threading.Event | None,
        answer: _Answer | None = None,
    ) -> bytes:
        """Return the next bytes that the engine writes."""
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
        """Wait until a descriptor is ready.  Raise EngineError on a deadline, a stop or an exit."""
        while True:
            left = _SLICE if end is None else min(_SLICE, end - time.monotonic())
            ready = poll.poll(max(0, left) * 1000)
            if ready and answer is None:
                return
            # While an answer is incomplete, check even if there is more to read: an engine that
            # never stops writing must not hide the stop or the deadline.
            if stop is not None and stop.is_set():
                raise StoppedError(f"stopped while {self.name} was busy with {printable(command)}")
            if end is not None and time.monotonic() >= end:
                raise self._late(command, answer.text if answer else "")
            if ready:
                return
            # The pipe may stay open after the engine has exited, held by a process it started.
            if self._process and self._process.ended() is not None and not poll.poll(0):
                raise self._gone(command)

    def _late(self, command: str, written: str) -> EngineError:
        if written:
            return ProtocolError(
                f"{self.name} did not answer {printable(command)} in GTP, but wrote "
                f"{printable(written)}"
            )
        return NoAnswerError(f"{self.name} did not answer {printable(command)} in time")

    def _gone(self, command: str) -> GoneError:
        what = f"during {printable(command)}"
        if self._process is None:
            return GoneError(f"{self.name} closed the connection {what}")
        end = time.monotonic() + _SLICE  # the pipe may be closed a little before the process exits
        while (code := self._process.ended()) is None and time.monotonic() < end:
            time.sleep(0.001)
        last_line = self.log.last_line()
        if last_line:
            what += f"; last line on stderr: {printable(last_line)}"
        if code is None:
            return GoneError(f"{self.name} closed its output {what}")
        if code < 0:
            with suppress(ValueError):
                return GoneError(f"{self.name} was killed by {signal.Signals(-code).name} {what}")
        return GoneError(f"{self.name} exited with code {code} {what}")

    def close(self, grace: float = DEFAULT_GRACE) -> None:
        """End the engine and every process that it has started; none is left on return.

        The engine gets `quit` and ``grace`` seconds to exit, then SIGTERM and as many seconds
        again, then SIGKILL.  With ``grace`` 0 there is no `quit`.  Closing again does nothing.
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
    """Close a connection after the other end has closed it, or after ``grace`` seconds."""
    with connection, suppress(OSError):
        if grace > 0:
            connection.shutdown(socket.SHUT_WR)
            end = time.monotonic() + grace
            while (left := end - time.monotonic()) > 0:
                connection.settimeout(left)
                if not connection.recv(_CHUNK):
                    break
