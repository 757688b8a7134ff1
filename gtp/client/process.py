"""A program with its pipes, in a session of its own, that does not outlive us.

What it writes to standard error is read all the time, by one thread for all programs, and kept in
part: a program must never wait for somebody to read its diagnostics.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from trivalent.gtp.client.guard import MARK, OnePerProcess, guard, sweep

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_HEAD, _TAIL = 16 << 10, 48 << 10
_CHUNK = 1 << 16
_READS = 64
"""Most reads to find the end of a pipe: somebody may still be writing faster than we read."""
_TERM = 0.5
"""Seconds between the request to end and its enforcement."""
_KILLED = 10.0
"""Seconds for the kernel to end a process that is killed; only a sick disk takes longer."""


class Log:
    """The beginning and the end of what a program writes to standard error.  Thread-safe."""

    def __init__(self, descriptor: int | None = None) -> None:
        """Read from a descriptor, which does not block."""
        self._descriptor = descriptor
        self._lock = threading.Lock()
        self._head = bytearray()
        self._tail = bytearray()
        self._lost = 0

    def clear(self) -> None:
        """Forget everything that has been written."""
        self.read()
        with self._lock:
            self._head.clear()
            self._tail.clear()
            self._lost = 0

    def text(self) -> str:
        """Return what has been written; a line tells how much is missing in the middle."""
        self.read()
        with self._lock:
            excess = max(0, len(self._tail) - _TAIL)
            lost = self._lost + excess
            gap = f"\n[... {lost} bytes are left out ...]\n".encode() if lost else b""
            return bytes(self._head + gap + self._tail[excess:]).decode("utf-8", "replace")

    def last_line(self) -> str:
        """Return the last line that is not empty."""
        lines = (line.strip() for line in reversed(self.text().split("\n")))
        return next(filter(None, lines), "")

    def read(self) -> bool:
        """Read what is there; return whether that was the end."""
        with self._lock:
            if self._descriptor is None:
                return True
            try:
                for _ in range(_READS):
                    data = os.read(self._descriptor, _CHUNK)
                    if not data:
                        return True
                    self._add(data)
            except BlockingIOError:
                return False
            return False

    def _add(self, data: bytes) -> None:
        room = _HEAD - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        excess = len(self._tail) - _TAIL
        if excess > _TAIL:  # seldom, since it moves all that stays
            del self._tail[:excess]
            self._lost += excess

    def close(self) -> bool:
        """Read what is there for the last time; return whether nobody can write any more."""
        end = self.read()
        with self._lock:
            if self._descriptor is not None:
                os.close(self._descriptor)
                self._descriptor = None
        return end


class _Drain:
    """The thread that reads what programs write to standard error."""

    def __init__(self) -> None:
        self._epoll = select.epoll()
        self._logs: dict[int, Log] = {}
        self._lock = threading.Lock()  # a number may soon be that of another descriptor
        threading.Thread(target=self._run, name="standard errors", daemon=True).start()

    def add(self, descriptor: int, log: Log) -> None:
        with self._lock:
            self._epoll.register(descriptor, select.EPOLLIN)
            self._logs[descriptor] = log

    def remove(self, descriptor: int) -> None:
        with self._lock:
            if self._logs.pop(descriptor, None):
                self._epoll.unregister(descriptor)

    def _run(self) -> None:
        while True:
            for descriptor, _ in self._epoll.poll():
                with self._lock:
                    if descriptor in self._logs and self._logs[descriptor].read():
                        self._epoll.unregister(descriptor)
                        del self._logs[descriptor]


_drain = OnePerProcess(_Drain)


class Process:
    """A program and its pipes.  One thread at a time."""

    def __init__(
        self, command: Sequence[str], cwd: str | None, environment: Mapping[str, str] | None
    ) -> None:
        """Start it.  ``environment`` is added to ours.  Raise OSError if that fails."""
        keeper = guard.get()
        self._mark = keeper.mark()
        self._process = subprocess.Popen(  # noqa: S603  that is what we are for
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=cwd,
            env={**os.environ, **(environment or {}), MARK: self._mark},
            start_new_session=True,
        )
        self.pid = self._process.pid
        """Also the number of its session and of its group."""
        pipes = self._process
        assert pipes.stdin
        assert pipes.stdout
        assert pipes.stderr
        self.input, self.output = pipes.stdin.fileno(), pipes.stdout.fileno()
        try:
            keeper.watch(self.pid)
            self._errors = os.dup(pipes.stderr.fileno())
            pipes.stderr.close()
            os.set_blocking(self._errors, False)
            self.log = Log(self._errors)
            _drain.get().add(self._errors, self.log)
        except OSError:  # such as too many open files
            self._process.kill()
            self._process.communicate()
            raise

    def ended(self) -> int | None:
        """Return how it ended: exit code, or minus the signal; None if it runs.

        It stays a zombie: its number cannot be given to another process before `end`.
        """
        if self._process.returncode is not None:
            return self._process.returncode
        try:
            result = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:  # somebody else waits for our children, or SIGCHLD is ignored
            return self._process.poll()
        if result is None:
            return None
        return result.si_status if result.si_code == os.CLD_EXITED else -result.si_status

    def end(self, patience: float) -> None:
        """Close its input; it and all that it has started are gone on return.

        It gets ``patience`` seconds to end by itself, then as many after SIGTERM, or half a one.
        """
        assert self._process.stdin
        self._process.stdin.close()
        clean = self._waits(patience) and self.ended() == 0
        if self.ended() is None:
            self._signal(signal.SIGTERM)
            self._waits(max(patience, _TERM))
        self._signal(signal.SIGKILL)  # of those in its group that are left
        if self._waits(_KILLED):
            self._process.wait()
        # Whoever left the group, or the session, mostly still has our pipes.
        _drain.get().remove(self._errors)
        clean &= self._drained() & self.log.close()
        if not clean:
            sweep(self._mark, {self.pid})
        with suppress(OSError):  # it is nothing to worry about if it is not known
            guard.get().release(self.pid)

    def _waits(self, seconds: float) -> bool:
        """Wait for its end, and read what it writes meanwhile; return whether it has ended."""
        try:
            descriptor = os.pidfd_open(self.pid)
        except OSError:
            return self.ended() is not None
        end = time.monotonic() + seconds
        try:
            poll = select.poll()
            poll.register(descriptor, select.POLLIN)
            poll.register(self.output, select.POLLIN)
            while self.ended() is None and (left := end - time.monotonic()) > 0:
                for ready, _ in poll.poll(left * 1000):
                    if ready == self.output and not os.read(self.output, _CHUNK):
                        poll.unregister(self.output)
        finally:
            os.close(descriptor)
        return self.ended() is not None

    def _drained(self) -> bool:
        """Close its output; return whether nobody else has it."""
        assert self._process.stdout
        os.set_blocking(self.output, False)
        try:
            return any(not os.read(self.output, _CHUNK) for _ in range(_READS))
        except BlockingIOError:
            return False
        finally:
            self._process.stdout.close()

    def _signal(self, number: int) -> None:
        with suppress(OSError):
            os.killpg(self.pid, number)
