"""A real server process, and its connections."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Self

import pytest

from pipes import HANGS, PROGRAM, Engine
from pipes import LONG as LONG_PIPED

LONG = (*LONG_PIPED, "--max-seconds", LONG_PIPED[-1])
"""Options for a search so long that the test would fail if nothing stopped it."""


class Client:
    """A controller's connection to a server."""

    def __init__(self, port: int, host: str = "127.0.0.1") -> None:
        self.socket = socket.create_connection((host, port), HANGS)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._read = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def reply(self) -> bytes:
        """Return the next reply without its empty line."""
        while b"\n\n" not in self._read:
            data = self.socket.recv(1 << 16)
            assert data, f"the server closes after {self._read!r}"
            self._read += data
        reply, _, self._read = self._read.partition(b"\n\n")
        assert reply[:1] in (b"=", b"?")
        return reply

    def ask(self, line: str) -> bytes:
        self.send(line.encode() + b"\n")
        return self.reply()

    def half_close(self) -> None:
        self.socket.shutdown(socket.SHUT_WR)

    def rest(self) -> bytes:
        """Return everything until the server closes the connection."""
        while data := self.socket.recv(1 << 16):
            self._read += data
        return self._read

    def kill(self) -> None:
        """Reset the connection, as the system does when a program dies with unread replies."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()


class Served:
    """A server process, and its log."""

    def __init__(self, log: Path, *options: str, program: str = PROGRAM) -> None:
        self._log = log
        log.touch()
        words = ["serve", "--port", "0", "--log", str(log), *(options or ("--nodes", "20"))]
        self.process = subprocess.Popen(
            [sys.executable, "-c", program, *words], stderr=subprocess.PIPE
        )
        try:
            self.port = int(self.wait_for("listening")[0]["address"].rpartition(":")[2])
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stderr
        self.process.stderr.close()

    def client(self) -> Client:
        return Client(self.port)

    def log(self, event: str = "") -> list[dict[str, Any]]:
        """Return the records of the log, or only those of one event."""
        lines = map(json.loads, self._log.read_text(encoding="utf-8").splitlines())
        return [line for line in lines if event in ("", line["event"])]

    def wait_for(self, event: str, count: int = 1) -> list[dict[str, Any]]:
        """Wait until the log has ``count`` records of an event; return them."""
        end = time.monotonic() + HANGS
        has_ended = False
        while time.monotonic() < end and not has_ended:
            has_ended = self.process.poll() is not None  # before the log is read for the last time
            with contextlib.suppress(json.JSONDecodeError):  # a line is being written
                if len(lines := self.log(event)) >= count:
                    return lines
            time.sleep(0.01)
        errors = b""
        if has_ended:
            with contextlib.suppress(subprocess.TimeoutExpired):  # a session may live on
                _, errors = self.process.communicate(timeout=1)
        pytest.fail(
            f"no {event!r} (x {count}) in {self.log()}; "
            f"exit code {self.process.returncode}, {errors.decode()!r}"
        )

    def descriptors(self) -> int:
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def children(self) -> list[int]:
        path = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return [int(word) for word in path.read_text(encoding="ascii").split()]

    def status(self, key: str, pid: int = 0) -> int:
        text = Path(f"/proc/{pid or self.process.pid}/status").read_text(encoding="ascii")
        return int(text.split(f"\n{key}:")[1].split()[0])

    def finish(self, number: int = signal.SIGTERM) -> None:
        """Send a signal and assert that the server exits cleanly."""
        self.process.send_signal(number)
        _, errors = self.process.communicate(timeout=HANGS)
        assert (self.process.returncode, errors) == (0, b"")
        assert self.log()[-1]["event"] == "stopped"


class Remote(Engine):
    """An engine behind a TCP server, used through the pipes of `trivalent connect`."""

    def __init__(self, *options: str, program: str = PROGRAM) -> None:
        with contextlib.ExitStack() as stack:
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            server = stack.enter_context(Served(Path(folder, "log"), *options, program=program))
            words = ["connect", "127.0.0.1", str(server.port)]
            self._begin(words, PROGRAM, subprocess.PIPE, subprocess.PIPE)
            self._rest = stack.pop_all()

    def __exit__(self, *details: object) -> None:
        super().__exit__(*details)
        self._rest.close()
