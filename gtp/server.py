"""GTP over TCP, with a process of its own for each connection.

The server is a single thread that accepts connections, forks sessions and reaps them.  It has
imported everything beforehand, so a new session costs only a fork.  A failure in a session, even a
crash, affects neither other sessions nor the server.

A socket pair links the server with each session:

* when the server stops or dies, the session sees its end close; it answers the running command and
  exits;
* before a session exits, it writes a report (why it ended, how many commands it answered);
* when a session exits or crashes, the server sees its end close.

A client that resets the connection ends the search (the system sends a reset when a program dies
with unread replies).  A client that merely closes the connection looks just like one that has sent
its last command and waits for replies, so its search runs to the end.
"""

from __future__ import annotations

import gc
import ipaddress
import json
import logging
import os
import resource
import selectors
import signal
import socket
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn, cast

from trivalent.gtp.engine.stream import StreamLimits, serve
from trivalent.gtp.engine.syntax import format_reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from trivalent.gtp.engine.session import Session

LOGGER = logging.getLogger(__name__)
"""Logs events.  The message of a record is the name of the event, its attribute ``fields`` a
dictionary of details."""

_BACKLOG = 128
_LINGER = 1.0
"""Seconds to wait for the client to close its end, so that it receives the last reply."""


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """Limits on what clients may use."""

    sessions: int = 64
    """Maximum number of connections at a time."""
    memory: int = 512
    """Maximum memory of a session in MiB."""
    grace: float = 10.0
    """Seconds that sessions get to answer the running command when the server stops."""
    stream: StreamLimits = field(
        default_factory=lambda: StreamLimits(idle=1800.0, write=60.0, rate=2000.0)
    )
    """Limits of each connection."""


@dataclass(eq=False, slots=True)
class _Child:
    """A session as the server sees it."""

    number: int
    pid: int
    peer: str
    link: socket.socket
    began: float
    report: bytes = b""


def listen(host: str, port: int, *, public: bool = False) -> socket.socket:
    """Return a listening socket; port 0 means any free port.

    Raise OSError if the address cannot be used, and ValueError if other machines could connect and
    ``public`` is false.
    """
    family, _, _, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    if not (public or ipaddress.ip_address(str(address[0]).partition("%")[0]).is_loopback):
        raise ValueError(
            f"other machines can reach {host}, and there is no password: use --public to allow it"
        )
    # An IPv6 socket for all addresses accepts IPv4, too.
    both = family == socket.AF_INET6 and socket.has_dualstack_ipv6()
    return socket.create_server(
        cast("tuple[str, int]", address),
        family=family,
        backlog=_BACKLOG,
        dualstack_ipv6=both,
    )


def address_text(address: tuple[str, int]) -> str:
    """Format a socket address as HOST:PORT."""
    host, port = address[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


class Server:
    """Serves GTP sessions on a listening socket, which it closes at the end.

    Raises ValueError if the system's limit of open files is too low for the maximum number of
    sessions.
    """

    def __init__(
        self,
        listener: socket.socket,
        make_session: Callable[[], Session],
        limits: ServerLimits | None = None,
    ) -> None:
        self._limits = limits or ServerLimits()
        _ensure_descriptors(2 * self._limits.sessions + 32)
        self.address: tuple[str, int] = listener.getsockname()[:2]
        self._listener = listener
        self._make_session = make_session
        self._children: set[_Child] = set()
        self._count = 0
        self._woken, self._waker = socket.socketpair()
        self._waker.settimeout(0)
        self._selector = selectors.PollSelector()  # unlike epoll, not shared with forked processes

    def stop(self) -> None:
        """Make `run` return soon.  May be called from any thread and from a signal handler."""
        with suppress(OSError):  # the socket is full of earlier calls, or `run` has returned
            self._waker.send(b"x")

    def run(self) -> None:
        """Serve until `stop`, then end all sessions and return."""
        _log("listening", address=address_text(self.address), pid=os.getpid())
        gc.freeze()  # existing objects stay in memory pages shared with the sessions
        self._listener.settimeout(0)
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._selector.register(self._woken, selectors.EVENT_READ)
        stopping = False
        while not stopping:
            for key, _ in self._selector.select():
                if key.fileobj is self._woken:
                    stopping = True
                elif key.fileobj is self._listener:
                    self._accept()
                else:
                    self._receive(key.data)
        self._close()
        gc.unfreeze()
        _log("stopped", sessions=self._count)

    def _close(self) -> None:
        """Accept no more connections and end all sessions."""
        _log("stopping", sessions=len(self._children))
        for end in (self._listener, self._woken):
            self._selector.unregister(end)
            end.close()
        self._waker.close()
        for child in self._children:
            with suppress(OSError):  # the session may have exited already
                child.link.shutdown(socket.SHUT_WR)
        deadline = time.monotonic() + self._limits.grace
        while self._children:
            for key, _ in self._selector.select(max(0.0, deadline - time.monotonic())):
                self._receive(key.data)
            if time.monotonic() >= deadline:
                for child in self._children:
                    os.kill(child.pid, signal.SIGKILL)
        self._selector.close()

    def _accept(self) -> None:
        try:
            connection, address = self._listener.accept()
        except (BlockingIOError, ConnectionError):  # the client has given up in the meantime
            return
        except OSError as error:  # out of descriptors or memory: retrying at once would not help
            _log("not accepted", reason=error.strerror)
            time.sleep(0.1)
            return
        with connection:
            peer = address_text(address)
            if len(self._children) >= self._limits.sessions:
                _refuse(connection, peer, "too many sessions")
                return
            try:
                self._fork(connection, peer)
            except OSError as error:
                _refuse(connection, peer, f"cannot start a session: {error.strerror}")

    def _fork(self, connection: socket.socket, peer: str) -> None:
        """Start the session of a connection.  Raise OSError if the system cannot fork."""
        link, far_link = socket.socketpair()
        try:
            pid = os.fork()
        except OSError:
            link.close()
            far_link.close()
            raise
        if pid == 0:
            link.close()
            self._run_session(connection, far_link)
        far_link.close()
        self._count += 1
        child = _Child(self._count, pid, peer, link, time.monotonic())
        self._children.add(child)
        self._selector.register(link, selectors.EVENT_READ, child)
        _log("opened", session=child.number, peer=peer, pid=pid)

    def _run_session(self, connection: socket.socket, link: socket.socket) -> NoReturn:
        """Run a session in its forked process."""
        code = 1
        try:
            # The server handles signals sent to the whole group, and will tell the sessions.
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, signal.SIG_IGN)
            # A session with inherited links of others would keep those from seeing the server die.
            for end in (self._listener, self._woken, self._waker):
                end.close()
            for child in self._children:
                child.link.close()
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            _limit_memory(self._limits.memory << 20)
            connection.settimeout(0)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            ends = connection.fileno()
            ending = serve(self._make_session(), ends, ends, self._limits.stream, link.fileno())
            _hang_up(connection)
            with suppress(OSError):  # the server may have died
                report = {"reason": ending.reason, "commands": ending.commands}
                link.sendall(json.dumps(report).encode())
            code = 0
        except BaseException:
            LOGGER.exception("session failed")
        finally:
            os._exit(code)

    def _receive(self, child: _Child) -> None:
        """Read the report of a session; reap the session if it has exited."""
        with suppress(OSError):
            if report := child.link.recv(1 << 12):
                child.report += report
                return
        self._selector.unregister(child.link)
        child.link.close()
        self._children.remove(child)
        code = os.waitstatus_to_exitcode(os.waitpid(child.pid, 0)[1])
        how = {"code": code} if code >= 0 else {"signal": signal.Signals(-code).name}
        _log(
            "closed",
            session=child.number,
            peer=child.peer,
            pid=child.pid,
            seconds=round(time.monotonic() - child.began, 3),
            **(json.loads(child.report) if child.report else {"reason": "failed"}),
            **how,
        )


def _log(event: str, **fields: object) -> None:
    LOGGER.info(event, extra={"fields": fields})


def _ensure_descriptors(count: int) -> None:
    """Raise the soft limit of open files if needed; raise ValueError if the hard one is too low."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < count:
        raise ValueError(f"the sessions need {count} open files, but the system allows only {hard}")
    if soft != resource.RLIM_INFINITY and soft < count:
        resource.setrlimit(resource.RLIMIT_NOFILE, (count, hard))


def _limit_memory(size: int) -> None:
    """Limit the memory of this process to some bytes, if the system can do that."""
    with suppress(AttributeError, OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_DATA, (size, size))


def _refuse(connection: socket.socket, peer: str, reason: str) -> None:
    _log("refused", peer=peer, reason=reason)
    connection.settimeout(0)
    with suppress(OSError):
        connection.sendall(format_reply("", reason, ok=False))
        connection.shutdown(socket.SHUT_WR)
        connection.recv(1 << 16)  # closing with unread input would send a reset


def _hang_up(connection: socket.socket) -> None:
    """Close our direction, then wait for the client to close its own.

    Input that arrived after a full close would be answered with a reset, which could overtake the
    last reply.
    """
    end = time.monotonic() + _LINGER
    with suppress(OSError):
        connection.shutdown(socket.SHUT_WR)
        connection.settimeout(_LINGER)
        while time.monotonic() < end and connection.recv(1 << 16):
            pass
