"""GTP over TCP: a process for each connection.

The server is one thread that accepts, forks and reaps; it has imported everything, so that a new
session costs only a fork.  Nothing that happens in a session, not even a crash, reaches another
one or the server.  A pair of sockets links the server and each session.  When the server is told to
stop, or dies, the session's end of it closes, which is its order to answer what runs and end; what
the session writes into it is how it ended; and when the session dies, the server's end closes.

A client that resets the connection, as a program does that is killed with replies unread, ends the
search.  One that only closes it cannot be told from one that has no more commands but wants its
replies: that search goes on to its end.
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
"""Its records have a dictionary `fields` beside the name of the event."""

_BACKLOG = 128
_LINGER = 1.0
"""Seconds that the last reply has to arrive in, while more may come in."""


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """What strangers may use."""

    sessions: int = 64
    """Connections at a time."""
    memory: int = 512
    """MiB of memory of a session."""
    grace: float = 10.0
    """Seconds that sessions have to answer what runs when the server stops."""
    stream: StreamLimits = field(
        default_factory=lambda: StreamLimits(idle=1800.0, write=60.0, rate=2000.0)
    )
    """Of each connection."""


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
    """Return a listening socket; port 0 stands for any free one.

    Raise OSError if this is not possible, ValueError if others than this machine could connect
    and public does not allow it.
    """
    family, _, _, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    if not (public or ipaddress.ip_address(str(address[0]).partition("%")[0]).is_loopback):
        raise ValueError(
            f"other machines reach {host}: without a password that has to be allowed (--public)"
        )
    # An IPv6 socket for all addresses takes those of IPv4, too.
    both = family == socket.AF_INET6 and socket.has_dualstack_ipv6()
    return socket.create_server(
        cast("tuple[str, int]", address),
        family=family,
        backlog=_BACKLOG,
        dualstack_ipv6=both,
    )


def address_text(address: tuple[str, int]) -> str:
    """Return an address of a socket as text."""
    host, port = address[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


class Server:
    """Serves GTP sessions on a listening socket, which it closes in the end.

    Raise ValueError if the system does not let us have so many sessions.
    """

    def __init__(
        self,
        listener: socket.socket,
        make_session: Callable[[], Session],
        limits: ServerLimits | None = None,
    ) -> None:
        self._limits = limits or ServerLimits()
        _want_descriptors(2 * self._limits.sessions + 32)
        self.address: tuple[str, int] = listener.getsockname()[:2]
        self._listener = listener
        self._make_session = make_session
        self._children: set[_Child] = set()
        self._count = 0
        self._woken, self._waker = socket.socketpair()
        self._waker.settimeout(0)
        self._selector = selectors.PollSelector()  # unlike epoll it is not shared by a fork

    def stop(self) -> None:
        """Make `run` return soon.  Any thread, and a signal handler, may call this."""
        with suppress(OSError):  # it has been told often enough
            self._waker.send(b"x")

    def run(self) -> None:
        """Serve until `stop`; then end all sessions, and return."""
        _log("listening", address=address_text(self.address), pid=os.getpid())
        gc.freeze()  # what is there now stays shared with the sessions
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
                    self._hear(key.data)
        self._close()
        gc.unfreeze()
        _log("stopped", sessions=self._count)

    def _close(self) -> None:
        """Refuse new sessions, and end those that there are."""
        _log("stopping", sessions=len(self._children))
        for end in (self._listener, self._woken):
            self._selector.unregister(end)
            end.close()
        self._waker.close()
        for child in self._children:
            with suppress(OSError):  # it may have gone by itself
                child.link.shutdown(socket.SHUT_WR)
        killing = time.monotonic() + self._limits.grace
        while self._children:
            for key, _ in self._selector.select(max(0.0, killing - time.monotonic())):
                self._hear(key.data)
            if time.monotonic() >= killing:
                for child in self._children:
                    os.kill(child.pid, signal.SIGKILL)
        self._selector.close()

    def _accept(self) -> None:
        try:
            connection, address = self._listener.accept()
        except (BlockingIOError, ConnectionError):  # it has given up in the meantime
            return
        except OSError as error:  # no descriptors, no memory; trying again at once would not help
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
                _refuse(connection, peer, f"no room for a session: {error.strerror}")

    def _fork(self, connection: socket.socket, peer: str) -> None:
        """Start the session of a connection.  Raise OSError if there is no room for it."""
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
        """Be the process of a session."""
        code = 1
        try:
            # A signal to the whole group is the server's business: it will tell us.
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, signal.SIG_IGN)
            # The links of others would keep these from seeing that the server has died.
            for end in (self._listener, self._woken, self._waker):
                end.close()
            for child in self._children:
                child.link.close()
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            most = self._limits.memory << 20
            resource.setrlimit(resource.RLIMIT_DATA, (most, most))
            connection.settimeout(0)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            ends = connection.fileno()
            ending = serve(self._make_session(), ends, ends, self._limits.stream, link.fileno())
            _hang_up(connection)
            with suppress(OSError):  # the server may have died
                link.sendall(json.dumps(ending._asdict()).encode())
            code = 0
        except BaseException:
            LOGGER.exception("session failed")
        finally:
            os._exit(code)

    def _hear(self, child: _Child) -> None:
        """Read what a session reports; at its end, bury it."""
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


def _want_descriptors(count: int) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < count:
        raise ValueError(f"{count} descriptors are needed, the system allows {hard}")
    if soft != resource.RLIM_INFINITY and soft < count:
        resource.setrlimit(resource.RLIMIT_NOFILE, (count, hard))


def _refuse(connection: socket.socket, peer: str, reason: str) -> None:
    _log("refused", peer=peer, reason=reason)
    connection.settimeout(0)
    with suppress(OSError):
        connection.sendall(format_reply("", reason, ok=False))
        connection.shutdown(socket.SHUT_WR)
        connection.recv(1 << 16)  # what is left unread would turn the close into a reset


def _hang_up(connection: socket.socket) -> None:
    """Close our direction, and wait a little for the other.

    Were more to come after the close, it would be answered by a reset, which could overtake the
    last reply.
    """
    end = time.monotonic() + _LINGER
    with suppress(OSError):
        connection.shutdown(socket.SHUT_WR)
        connection.settimeout(_LINGER)
        while time.monotonic() < end and connection.recv(1 << 16):
            pass
