"""A relay between a GTP controller and an engine that logs every line, and a reader of its log.

Run as ``python gtp_tee.py LOG ENGINE [ARGUMENT ...]``.  Each line of the log is a sign, then the
line that was relayed: ``>`` to the engine, ``<`` from the engine, ``!`` from its standard error.
A line is logged before it is passed on, so the log has the order of events.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from pathlib import Path

_LOCK = threading.Lock()


def _relay(source: BinaryIO, target: BinaryIO, sign: bytes, log: BinaryIO) -> None:
    for line in source:
        with _LOCK:
            log.write(sign + line)
        try:
            target.write(line)
            target.flush()
        except BrokenPipeError:
            break
    target.close()


def main(log_name: str, *command: str) -> int:
    """Start the engine, relay until it exits, and exit with its status."""
    with open(log_name, "ab", buffering=0) as log:  # noqa: PTH123
        pipe = subprocess.PIPE
        engine = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe)
        assert engine.stdin
        assert engine.stdout
        assert engine.stderr
        to_engine, *from_engine = (
            threading.Thread(target=_relay, args=(*streams, log), daemon=True)
            for streams in (
                (sys.stdin.buffer, engine.stdin, b">"),
                (engine.stdout, sys.stdout.buffer, b"<"),
                (engine.stderr, sys.stderr.buffer, b"!"),
            )
        )
        to_engine.start()
        for thread in from_engine:
            thread.start()
        for thread in from_engine:
            thread.join()
        status = engine.wait()
    os._exit(status)  # without waiting for the thread that reads from the controller


@dataclass
class Exchange:
    """A command and its reply."""

    command: str
    reply: list[str] = field(default_factory=list)
    graphics: list[list[str]] = field(default_factory=list)
    complete: bool = False

    @property
    def text(self) -> str:
        """The reply without its status and blank."""
        return "\n".join(self.reply)[2:]


class Traffic:
    """The log of a relay.  Anything out of order raises AssertionError."""

    def __init__(self, log: Path) -> None:
        self._log = log

    def exchanges(self) -> list[Exchange]:
        """Return all exchanges so far.  The last one may lack a complete reply."""
        found: list[Exchange] = []
        block: list[str] = []
        text = self._log.read_bytes().decode("ascii") if self._log.exists() else ""
        for line in text.split("\n")[:-1]:
            sign, words = line[:1], line[1:]
            if sign == ">" and not words.startswith("#"):
                assert not found or found[-1].complete, f"{words} before {found[-1]} had a reply"
                found.append(Exchange(words))
            elif sign == "<" and words:
                block.append(words)
            elif sign == "<":
                assert block, f"an empty line too many after {found[-1:]}"
                assert found, f"a reply to nothing: {block}"
                assert not found[-1].complete, f"{block} after the reply to {found[-1]}"
                if block[0].startswith("gogui-gfx:"):
                    found[-1].graphics.append(block)
                else:
                    assert block[0][:2] in ("= ", "? "), block
                    found[-1].reply = block
                    found[-1].complete = True
                block = []
        assert not block or not found[-1].complete
        return found

    def interrupts(self) -> int:
        """Return how many interrupts were sent."""
        return self._log.read_text().count("># interrupt\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
