"""A relay between a GTP controller and an engine that writes down every line of both.

Run as ``python gtp_tee.py LOG ENGINE [ARGUMENT ...]``.  A line of the log is a sign and the line
that was relayed: ``>`` to the engine, ``<`` from the engine, ``!`` from its standard error.
Lines stand in the order in which they came: a line is written down before it goes on.
"""

import os
import subprocess
import sys
import threading
from typing import BinaryIO

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
    """Start the engine, relay until it ends, and return its exit status."""
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
    os._exit(status)  # the controller may go on sending, which nobody would read


if __name__ == "__main__":
    main(*sys.argv[1:])
