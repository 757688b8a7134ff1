"""``trivalent connect``: relay standard input and output to a TCP server.

It lets a GUI that can only start local programs play on another machine.  It imports next to
nothing, so that it starts at once.
"""

from __future__ import annotations

import os
import select
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
"""The default port of `trivalent serve`, which is also HexGui's."""
_PAUSE = 0.2
"""Seconds between two attempts to connect."""
_CHUNK = 1 << 16


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``trivalent connect``."""
    parser.add_argument("host", metavar="HOST", help="name or address of the server")
    parser.add_argument(
        "port",
        type=int,
        nargs="?",
        default=PORT,
        metavar="PORT",
        help=f"port of the server (default: {PORT})",
    )
    parser.add_argument(
        "--timeout",
        type=float,
        default=10.0,
        metavar="S",
        help="keep trying to connect for S seconds (default: 10)",
    )


def main(arguments: argparse.Namespace) -> int:
    """Run ``trivalent connect`` and return the exit code."""
    if not 1 <= arguments.port <= 65535:
        arguments.fail(f"PORT must be 1 to 65535, not {arguments.port}")
    if not 0 <= arguments.timeout <= 1e6:
        arguments.fail(f"--timeout must be 0 to 1e6, not {arguments.timeout}")
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
            failure = _receive(connection)
        except OSError as error:
            return _failed("lost the connection", error)
    if failure and not isinstance(failure, BrokenPipeError):
        raise failure
    return 0


def _failed(what: str, error: Exception) -> int:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else error
    with suppress(OSError):
        sys.stderr.write(f"trivalent connect: error: {what}: {reason}\n")
    return 1


def _connect(host: str, port: int, seconds: float) -> socket.socket:
    """Connect, retrying while the server refuses.  Raise OSError or UnicodeError on failure."""
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
    """Forward standard input to the server, and close that direction at its end."""
    with suppress(OSError):  # _receive reports a lost connection
        while data := os.read(0, _CHUNK):
            connection.sendall(data)
    with suppress(OSError):
        connection.shutdown(socket.SHUT_WR)


def _receive(connection: socket.socket) -> OSError | None:
    """Forward what the server sends, up to its end; return why it can't be written, if so.

    Raise OSError if the connection is lost.
    """
    poll = select.poll()
    poll.register(connection, select.POLLIN)
    poll.register(1, 0)  # reports errors only
    while True:
        failure: OSError | None = None
        if any(descriptor == 1 for descriptor, _ in poll.poll()):
            failure = BrokenPipeError()
        elif data := connection.recv(_CHUNK):
            failure = _write(data)
        else:
            return None
        if failure:  # nobody gets our output any more: a reset makes the server abandon its search
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            return failure


def _write(data: bytes) -> OSError | None:
    """Write all data to standard output; return why that's impossible, if so."""
    try:
        while data:
            data = data[os.write(1, data) :]
    except OSError as error:
        return error
    return None
