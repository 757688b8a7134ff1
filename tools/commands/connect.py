"""``trivalent connect``: pass standard input and output on to a server.

A GUI that can only start programs plays through it on another machine.  It imports next to nothing.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import struct
import sys
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

PORT = 20000
"""Where `trivalent serve` listens unless told otherwise, and HexGui would look for it."""
_PAUSE = 0.2
"""Seconds between two attempts to connect."""
_CHUNK = 1 << 16


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``trivalent connect``."""
    parser.add_argument("host", metavar="HOST", help="name or address of the server")
    parser.add_argument(
        "port", type=int, nargs="?", default=PORT, metavar="PORT", help=f"default: {PORT}"
    )
    parser.add_argument(
        "--timeout",
        type=float,
        default=10.0,
        metavar="S",
        help="seconds to go on trying if nobody listens there (default: 10)",
    )


def main(arguments: argparse.Namespace) -> int:
    """Run ``trivalent connect`` and return the exit code."""
    if not 1 <= arguments.port <= 65535:
        arguments.fail(f"PORT must be 1 to 65535, not {arguments.port}")
    if not 0 <= arguments.timeout <= 1e6:
        arguments.fail(f"--timeout must be 0 to 1e6, not {arguments.timeout}")
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not ignored by who began us
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends without a traceback
    try:
        connection = _connect(arguments.host, arguments.port, arguments.timeout)
    except (OSError, UnicodeError) as error:
        return _failed(f"cannot connect to {arguments.host}, port {arguments.port}", error)
    with connection:
        connection.settimeout(None)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        threading.Thread(target=_send, args=(connection,), daemon=True).start()
        try:
            _receive(connection)
        except OSError as error:
            return _failed("the connection is lost", error)
    return 0


def _failed(what: str, error: Exception) -> int:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else error
    with suppress(OSError):
        sys.stderr.write(f"trivalent connect: error: {what}: {reason}\n")
    return 1


def _connect(host: str, port: int, seconds: float) -> socket.socket:
    """Connect, trying again while nobody listens.  Raise OSError or UnicodeError if it fails."""
    end = time.monotonic() + seconds
    while True:
        left = max(_PAUSE, end - time.monotonic())
        try:
            return socket.create_connection((host, port), timeout=left)
        except ConnectionRefusedError:
            if time.monotonic() + _PAUSE > end:
                raise
            time.sleep(_PAUSE)


def _send(connection: socket.socket) -> None:
    """Pass on what comes in, and its end."""
    with suppress(OSError):  # the other direction says so
        while data := os.read(0, _CHUNK):
            connection.sendall(data)
    with suppress(OSError):
        connection.shutdown(socket.SHUT_WR)


def _receive(connection: socket.socket) -> None:
    """Pass on what comes back, up to its end.  Raise OSError if the connection is lost."""
    poll = select.poll()
    poll.register(connection, select.POLLIN)
    poll.register(1, 0)  # for errors only
    while True:
        gone = any(descriptor == 1 for descriptor, _ in poll.poll())
        if gone or not (data := connection.recv(_CHUNK)):
            break
        if not _write(data):
            gone = True
            break
    if gone:  # nobody listens any more: a reset tells the server to give up its search
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def _write(data: bytes) -> bool:
    """Write all of it; return whether anybody listens."""
    try:
        while data:
            data = data[os.write(1, data) :]
    except OSError:
        return False
    return True
