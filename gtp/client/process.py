"""A child program with pipes, in a session of its own, that does not outlive this process.

One thread reads the standard error of all programs all the time and keeps a part of it, so that no
program ever blocks on its diagnostics.
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

_HEAD, _TAIL = 16 << 10, 48 << 10  # bytes kept of the start and the end of standard error
_CHUNK = 1 << 16
_MAX_READS = 64
"""Maximum reads when looking for the end of a pipe: a program may write faster than we read."""
_TERM_SECONDS = 0.5
"""Minimum seconds between SIGTERM and SIGKILL."""
_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.001, 0.05
"""Seconds between two looks at whether a program has exited."""
_KILL_SECONDS = 10.0
"""Seconds to wait for the kernel to end a killed process; only a failing disk takes longer."""


class Log:
    """The start and the end of what a program writes to standard error.  Thread-safe."""

    def __init__(self, descriptor: int | None = None) -> None:
        """Read from a non-blocking descriptor; None: the log stays empty."""
        self._descriptor = descriptor
        self._lock = threading.Lock()
        self._head = bytearray()
        self._tail = bytearray()
        self._lost = 0

    def clear(self) -> None:
        """Drop everything written so far."""
        self.read()
        with self._lock:
            self._head.clear()
            self._tail.clear()
            self._lost = 0

    def text(self) -> str:
        """Return what was written; a line in the middle says how many bytes are left out."""
        self.read()
        with self._lock:
            excess = max(0, len(self._tail) - _TAIL)
            lost = self._lost + excess
            gap = f"\n[... {lost} bytes are left out ...]\n".encode() if lost else b""
            return bytes(self._head + gap + self._tail[excess:]).decode("utf-8", "replace")

    def last_line(self) -> str:
        """Return the last line that is not empty; "" if there is none."""
        lines = (line.strip() for line in reversed(self.text().split("\n")))
        return next(filter(None, lines), "")

    def read(self) -> bool:
        """Read what is available; return whether the end has been reached."""
        with self._lock:
            if self._descriptor is None:
                return True
            try:
                for _ in range(_MAX_READS):
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
        if excess > _TAIL:  # rarely, because it moves the whole tail
            del self._tail[:excess]
            self._lost += excess

    def close(self) -> bool:
        """Read the rest and close; return whether all writers have closed their end."""
        end = self.read()
        with self._lock:
            if self._descriptor is not None:
                os.close(self._descriptor)
                self._descriptor = None
        return end


class _Drain:
    """The thread that reads the standard error of all programs.

    POSIX has only poll() for that, whose descriptors are fixed while it waits: a byte in a pipe
    tells the thread that they have changed.
    """

    def __init__(self) -> None:
        self._logs: dict[int, Log] = {}
        self._lock = threading.Lock()  # a closed descriptor's number may be reused at once
        self._woken, self._waker = os.pipe()
        os.set_blocking(self._woken, False)
        os.set_blocking(self._waker, False)
        threading.Thread(target=self._run, name="standard errors", daemon=True).start()

    def add(self, descriptor: int, log: Log) -> None:
        with self._lock:
            self._logs[descriptor] = log
        self._wake()

    def remove(self, descriptor: int) -> None:
        with self._lock:
            self._logs.pop(descriptor, None)
        self._wake()

    def _wake(self) -> None:
        with suppress(BlockingIOError):  # the pipe is full: the thread is about to wake anyway
            os.write(self._waker, b"!")

    def _run(self) -> None:
        while True:
            poll = select.poll()
            poll.register(self._woken, select.POLLIN)
            with self._lock:
                for descriptor in self._logs:
                    poll.register(descriptor, select.POLLIN)
            for descriptor, _ in poll.poll():
                if descriptor == self._woken:
                    os.read(self._woken, _CHUNK)
                    continue
                with self._lock:
                    if descriptor in self._logs and self._logs[descriptor].read():
                        del self._logs[descriptor]


_drain = OnePerProcess(_Drain)


class Process:
    """A running program and its pipes.  Not thread-safe."""

    def __init__(
        self, command: Sequence[str], cwd: str | None, environment: Mapping[str, str] | None
    ) -> None:
        """Start a program, with ``environment`` added to ours.  Raise OSError if that fails."""
        keeper = guard.get()
        self._mark = keeper.mark()
        self._process = subprocess.Popen(  # noqa: S603  running the user's command is the purpose
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
        """Process id, also the id of its session and process group."""
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
        except OSError:  # e.g. too many open files
            self._process.kill()
            self._process.communicate()
            raise

    def ended(self) -> int | None:
        """Return the exit code, or minus the signal that killed it; None while it runs.

        Where the system has waitid, the process stays a zombie until `end`, so that its id cannot
        be reused before.
        """
        if self._process.returncode is not None:
            return self._process.returncode
        if not hasattr(os, "waitid"):
            return self._process.poll()
        try:
            result = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:  # other code reaps our children, or SIGCHLD is ignored
            return self._process.poll()
        if result is None:
            return None
        return result.si_status if result.si_code == os.CLD_EXITED else -result.si_status

    def end(self, patience: float) -> None:
        """Close its input and end it, with all processes that it has started.

        It gets ``patience`` seconds to exit, then SIGTERM and as many seconds again (at least half
        a second), then SIGKILL.
        """
        assert self._process.stdin
        self._process.stdin.close()
        clean = self._waits(patience) and self.ended() == 0
        if self.ended() is None:
            self._signal(signal.SIGTERM)
            self._waits(max(patience, _TERM_SECONDS))
        self._signal(signal.SIGKILL)  # reaches the rest of its process group
        if self._waits(_KILL_SECONDS):
            self._process.wait()
        # A process that has left the group or the session usually still holds our pipes.
        _drain.get().remove(self._errors)
        clean &= self._drained() & self.log.close()
        if not clean:
            sweep(self._mark, {self.pid})
        with suppress(OSError):  # the guard just keeps an entry that no longer matters
            guard.get().release(self.pid)

    def _waits(self, seconds: float) -> bool:
        """Wait for it to exit, and discard its output meanwhile; return whether it has exited.

        The output usually ends when the process does.  Only if it doesn't, what hasn't is looked at
        from time to time, as `subprocess` does.
        """
        poll = select.poll()
        poll.register(self.output, select.POLLIN)
        end, pause = time.monotonic() + seconds, _SHORTEST_PAUSE
        while self.ended() is None and (left := end - time.monotonic()) > 0:
            if not poll.poll(1000 * min(pause, left)):
                pause = min(2 * pause, _LONGEST_PAUSE)
            elif not os.read(self.output, _CHUNK):
                poll.unregister(self.output)
        return self.ended() is not None

    def _drained(self) -> bool:
        """Close its output; return whether no other process holds it."""
        assert self._process.stdout
        os.set_blocking(self.output, False)
        try:
            return any(not os.read(self.output, _CHUNK) for _ in range(_MAX_READS))
        except BlockingIOError:
            return False
        finally:
            self._process.stdout.close()

    def _signal(self, number: int) -> None:
        with suppress(OSError):
            os.killpg(self.pid, number)
