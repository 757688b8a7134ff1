"""A real engine process, observed through the bytes on its pipes."""

from __future__ import annotations

import os
import select
import subprocess
import sys
from pathlib import Path
from typing import Self

import pytest
from slowness import patience

PROGRAM = "import sys; from trivalent.tools.cli import main; sys.exit(main())"

FAULTY = """
import sys
from trivalent.bot.players import registry as players
from trivalent.bot.players.random_player import RandomPlayer
class Faulty(RandomPlayer):
    def genmove(self, colour, limits, stop, watch=None):
        raise RuntimeError("out of order" + 5000 * "\\n\\n= a1")
players.make_player = lambda name, values: Faulty()
"""

# A player that uses all its time: it answers b1 if it was stopped, else a1.
PATIENT = """
import sys, time
from trivalent.bot.players import registry as players
from trivalent.bot.players.random_player import RandomPlayer
class Patient(RandomPlayer):
    def genmove(self, colour, limits, stop, watch=None):
        end = time.monotonic() + limits.seconds
        while time.monotonic() < end and not stop.is_set:
            time.sleep(0.01)
        return self._position.board.cell("b1" if stop.is_set else "a1")
players.make_player = lambda name, values: Patient()
"""

HANGS = patience(60)
"""Seconds after which an engine without an answer counts as hanging."""

SOON = patience(10)
"""Seconds within which a much longer search must have been abandoned."""

LONG = ("--seconds", str(patience(120)))
"""Options for a search so long that the test would fail if nothing stopped it."""


class Engine:
    """An engine process and our ends of its pipes."""

    def __init__(
        self,
        *options: str,
        program: str = PROGRAM,
        stdin: int = subprocess.PIPE,
        stdout: int = subprocess.PIPE,
    ) -> None:
        self._begin(["gtp", *(options or ("--nodes", "20"))], program, stdin, stdout)

    def _begin(self, words: list[str], program: str, stdin: int, stdout: int) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", program, *words],
            stdin=stdin,
            stdout=stdout,
            stderr=subprocess.PIPE,
            bufsize=0,
        )
        self._read = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream:
                stream.close()

    def send(self, data: bytes) -> None:
        assert self.process.stdin
        while data:
            data = data[os.write(self.process.stdin.fileno(), data) :]

    def hears(self, seconds: float) -> bool:
        """Return whether the engine writes anything within that time."""
        assert self.process.stdout
        return bool(self._read or select.select([self.process.stdout], [], [], seconds)[0])

    def receive(self, seconds: float = HANGS) -> bytes:
        """Return the next bytes, b"" at the end; fail if nothing comes within that time."""
        assert self.process.stdout
        assert select.select([self.process.stdout], [], [], seconds)[0], "no answer in time"
        return os.read(self.process.stdout.fileno(), 1 << 16)

    def block(self, seconds: float = HANGS) -> bytes:
        """Return the next block, a reply or live graphics, including its empty line."""
        self.wait_for(b"\n\n", seconds=seconds)
        end = self._read.index(b"\n\n") + 2
        block, self._read = self._read[:end], self._read[end:]
        return block

    def wait_for(self, text: bytes, count: int = 1, *, seconds: float = HANGS) -> bytes:
        """Wait until ``text`` has come ``count`` times; return the unread bytes, still unread."""
        while self._read.count(text) < count:
            data = self.receive(seconds)
            assert data, f"the engine ends after {self._read!r}"
            self._read += data
        return self._read

    def reply(self, seconds: float = HANGS) -> bytes:
        """Return the next reply, including its empty line."""
        reply = self.block(seconds)
        assert_well_formed(reply)
        return reply

    def ask(self, line: str | bytes) -> bytes:
        self.send((line.encode() if isinstance(line, str) else line) + b"\n")
        return self.reply()

    def succeed(self, *lines: str) -> str:
        """Send lines that must succeed; return the text of the last reply."""
        text = ""
        for line in lines:
            reply = self.ask(line)
            assert reply.startswith(b"= "), (line, reply)
            text = reply[2:].decode().strip()
        return text

    def refuse(self, line: str | bytes, beginning: bytes = b"") -> None:
        """Send a line that must be refused, with a reason, and must not change the board."""
        before = self.ask("showboard")
        reply = self.ask(line)
        assert reply.startswith(b"? " + beginning), (line[:50], reply)
        assert self.ask("showboard") == before, line[:50]

    def close_input(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()

    def close_output(self) -> None:
        assert self.process.stdout
        self.process.stdout.close()

    def finish(self, *, code: int = 0, stderr: bytes = b"", seconds: float = HANGS) -> bytes:
        """Wait for a clean exit; return the rest of stdout."""
        rest = self._read
        if self.process.stdout and not self.process.stdout.closed:
            while data := self.receive(seconds):
                rest += data
        assert self.process.wait(seconds) == code
        assert self.process.stderr
        assert self.process.stderr.read() == stderr
        return rest

    def status(self, key: str) -> int:
        """Return a number from /proc/PID/status, such as memory (VmRSS, VmHWM) in KiB."""
        text = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return int(text.split(f"\n{key}:")[1].split()[0])


def assert_well_formed(reply: bytes) -> None:
    """Assert that this is one reply in the form that the strictest controllers need."""
    assert reply[:1] in (b"=", b"?")
    status = reply.split(b"\n", 1)[0]
    assert status[1:].lstrip(b"0123456789")[:1] == b" ", "HexGui 0.9 needs a blank after the status"
    assert reply.endswith(b"\n\n")
    assert b"\n\n" not in reply[:-1], "an empty line inside ends the reply too early"
    assert all(byte == 0x0A or 0x20 <= byte < 0x7F for byte in reply)
    assert reply[:1] == b"=" or status.lstrip(b"?0123456789").strip() or reply.count(b"\n") > 2


def replies(data: bytes) -> list[bytes]:
    """Split output into replies, without their empty lines."""
    assert data == b"" or data.endswith(b"\n\n")
    parts = data.split(b"\n\n")[:-1]
    for part in parts:
        assert_well_formed(part + b"\n\n")
    return parts


def run(data: bytes, *options: str, program: str = PROGRAM) -> list[bytes]:
    """Send ``data`` to an engine that must exit cleanly at its end; return the replies."""
    done = subprocess.run(
        [sys.executable, "-c", program, "gtp", *(options or ("--nodes", "20"))],
        input=data,
        capture_output=True,
        timeout=HANGS,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return replies(done.stdout)


def shell(command: str, *options: str, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run a line of shell in which "$@" starts an engine."""
    return subprocess.run(
        ["/bin/sh", "-c", command, "sh", sys.executable, "-c", PROGRAM, "gtp", *options],
        input=data,
        capture_output=True,
        timeout=HANGS,
        check=False,
    )


needs_proc = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc")
