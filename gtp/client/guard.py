"""The guard: a process that kills the engines and their descendants when their controller dies.

A parent-death signal (PR_SET_PDEATHSIG) is not enough: it depends on the thread that started the
engine, and it does not reach what the engine itself has started.  The guard waits for the end of
its standard input, which comes however the controller dies.  Then it kills every session registered
with it, and every process with the controller's mark in its environment.

This file is also the program that the guard runs, so it imports nothing from the package.
"""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

PROC = Path("/proc")
MARK = "TRIVALENT_ENGINE"
"""Environment variable that marks engines; what they start inherits it.  Its value is the token of
the controller and the number of the engine."""

_MAX_ROUNDS = 200  # of looking for more processes; some may fork faster than we kill them
_QUIET_ROUNDS = 3
"""Rounds in a row that must find nothing.  One round can miss a process that was just forked, or
one that is calling exec and has no environment for a moment."""
_PAUSE = 0.01  # seconds between two rounds


def survivors(mark: bytes, sessions: set[int]) -> list[int]:
    """Return the processes that have the mark in their environment or belong to a session.

    Systems without Linux's /proc don't show the environment of other processes.
    """
    if not (PROC / "self" / "stat").exists():
        return _listed(sessions)
    return [
        int(entry.name)
        for entry in PROC.iterdir()
        if entry.name.isdigit()
        and int(entry.name) != os.getpid()
        and _belongs(entry, mark, sessions)
    ]


def _listed(sessions: set[int]) -> list[int]:
    """Return the processes that belong to a session, as ``ps`` knows them."""
    words = ["ps", "-A", "-o", "pid=", "-o", "stat="]
    try:
        table = subprocess.run(words, stdout=subprocess.PIPE, check=False).stdout  # noqa: S603
    except OSError:  # there is no ps
        return []
    found = []
    for line in table.splitlines():
        pid, state = line.split()[:2]
        with suppress(OSError):  # the process may have exited
            if not state.startswith(b"Z") and os.getsid(int(pid)) in sessions:
                found.append(int(pid))
    return found


def _belongs(process: Path, mark: bytes, sessions: set[int]) -> bool:
    with suppress(OSError):  # the process may have exited, or belong to another user
        state, _, _, session = (process / "stat").read_bytes().rpartition(b")")[2].split()[:4]
        if state in b"ZX":
            return False
        return int(session) in sessions or mark in (process / "environ").read_bytes()
    return False


def sweep(mark: str, sessions: set[int]) -> None:
    """Kill all processes of the sessions, and those whose mark starts with ``mark``."""
    sought = f"{MARK}={mark}".encode()
    quiet = 0
    for _ in range(_MAX_ROUNDS):
        found = survivors(sought, sessions)
        for pid in found:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        quiet = 0 if found else quiet + 1
        if quiet == _QUIET_ROUNDS:
            break
        time.sleep(_PAUSE)


class Guard:
    """The controller's handle on its guard process.  Thread-safe.

    The guard starts with the first engine and ends with this process.
    """

    def __init__(self) -> None:
        self.token = os.urandom(8).hex()
        """The start of the marks of all engines of this process."""
        self._number = 0
        self._sessions: set[int] = set()
        self._lock = threading.Lock()
        self._process = self._start()
        atexit.register(self._finish)

    def _start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(  # noqa: S603  our own program
            [sys.executable, "-I", "-S", __file__, f"{self.token}."],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,
            bufsize=0,
        )

    def mark(self) -> str:
        """Return a mark for a new engine.  Call `watch` as soon as the engine runs."""
        with self._lock:
            self._number += 1
            return f"{self.token}.{self._number}."

    def watch(self, session: int) -> None:
        """Register a session, which the guard will kill if this process dies."""
        with self._lock:
            self._sessions.add(session)
            self._send(f"+{session}\n")

    def release(self, session: int) -> None:
        """Unregister a session after its last process has gone."""
        with self._lock:
            self._sessions.discard(session)
            self._send(f"-{session}\n")

    def _send(self, line: str) -> None:
        assert self._process.stdin
        try:
            self._process.stdin.write(line.encode())
        except OSError:  # the guard was killed: start another one
            self._process.stdin.close()
            self._process.wait()
            self._process = self._start()
            assert self._process.stdin
            for session in self._sessions:
                self._process.stdin.write(f"+{session}\n".encode())

    def _finish(self) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=10)


class OnePerProcess(Generic[T]):
    """A value created on first use, once in each process.  Thread-safe.

    After a fork the child creates its own, because it inherits neither threads nor children.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._made: dict[int, T] = {}
        self._lock = threading.Lock()

    def get(self) -> T:
        """Return the value of this process."""
        with self._lock:
            pid = os.getpid()
            if pid not in self._made:
                self._made = {pid: self._make()}
            return self._made[pid]


guard = OnePerProcess(Guard)
"""The guard of this process.  ``get`` raises OSError if the guard cannot be started."""


def main() -> None:
    """Run the guard process."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    sessions: set[int] = set()
    for line in sys.stdin:
        if line.startswith("+"):
            sessions.add(int(line[1:]))
        else:
            sessions.discard(int(line[1:]))
    sweep(sys.argv[1], sessions)


if __name__ == "__main__":
    main()
