"""The guard: a process that kills engines, and all that they have started, when their runner dies.

A signal on the death of the parent would not do: it is tied to the thread that has started the
engine, and does not reach what the engine itself has started.  The guard waits for the end of its
input, which comes however the runner dies, and then kills the sessions that it has been told of and
every process that bears the runner's mark in its environment.

This file is also the guard's program, so it imports nothing of the package.
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

MARK = "TRIVALENT_ENGINE"
"""The variable that engines and whatever they start inherit: the runner's token and a number."""

_ROUNDS = 200  # of looking for more, at most: whoever forks faster than we kill has won
_QUIET = 3
"""Rounds in a row in which nothing may be found: a process that has just been forked may be missed,
and one that is about to run another program has no environment for a moment."""
_PAUSE = 0.01


def survivors(mark: bytes, sessions: set[int]) -> list[int]:
    """Return the processes whose environment has the mark, or that are of one of the sessions."""
    return [
        int(entry.name)
        for entry in Path("/proc").iterdir()
        if entry.name.isdigit()
        and int(entry.name) != os.getpid()
        and _belongs(entry, mark, sessions)
    ]


def _belongs(process: Path, mark: bytes, sessions: set[int]) -> bool:
    with suppress(OSError):  # it may end meanwhile, or be somebody else's
        state, _, _, session = (process / "stat").read_bytes().rpartition(b")")[2].split()[:4]
        if state in b"ZX":
            return False
        return int(session) in sessions or mark in (process / "environ").read_bytes()
    return False


def sweep(mark: str, sessions: set[int]) -> None:
    """Kill the processes of that mark, which may be the beginning of many, and of the sessions."""
    sought = f"{MARK}={mark}".encode()
    quiet = 0
    for _ in range(_ROUNDS):
        found = survivors(sought, sessions)
        for pid in found:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        quiet = 0 if found else quiet + 1
        if quiet == _QUIET:
            break
        time.sleep(_PAUSE)


class Guard:
    """The runner's end of its guard, which starts with the first engine and ends with the runner.

    Thread-safe.
    """

    def __init__(self) -> None:
        self._token = os.urandom(8).hex()
        self._number = 0
        self._sessions: set[int] = set()
        self._lock = threading.Lock()
        self._process = self._start()
        atexit.register(self._finish)

    def _start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(  # noqa: S603  our own program
            [sys.executable, "-I", "-S", __file__, f"{self._token}."],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,
            bufsize=0,
        )

    def mark(self) -> str:
        """Return a mark for an engine, which `watch` has to be told of as soon as it runs."""
        with self._lock:
            self._number += 1
            return f"{self._token}.{self._number}."

    def watch(self, session: int) -> None:
        """Take charge of a session."""
        with self._lock:
            self._sessions.add(session)
            self._tell(f"+{session}\n")

    def release(self, session: int) -> None:
        """Forget a session, of which nothing is left."""
        with self._lock:
            self._sessions.discard(session)
            self._tell(f"-{session}\n")

    def _tell(self, line: str) -> None:
        assert self._process.stdin
        try:
            self._process.stdin.write(line.encode())
        except OSError:  # somebody has killed it
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
    """Something that a process makes when it is first asked for.  Thread-safe.

    A fork makes its own: neither threads nor children survive one.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._made: dict[int, T] = {}
        self._lock = threading.Lock()

    def get(self) -> T:
        """Return it."""
        with self._lock:
            pid = os.getpid()
            if pid not in self._made:
                self._made = {pid: self._make()}
            return self._made[pid]


guard = OnePerProcess(Guard)
"""The guard of this process.  Getting it raises OSError if it cannot be started."""


def main() -> None:
    """Be the guard."""
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
