"""The limits of the TCP server: sessions, idle time, rate, memory, descriptors."""

from __future__ import annotations

import contextlib
import resource
from typing import TYPE_CHECKING, Any

import pytest
from slowness import patience

from pipes import needs_proc
from trivalent.gtp.server import Server, ServerLimits, listen

if TYPE_CHECKING:
    from collections.abc import Callable

    from sockets import Served


def _data_is_limited() -> bool:
    """Return whether the system minds a limit of data; emulators such as qemu say so only."""
    limit = resource.RLIMIT_DATA
    soft, hard = resource.getrlimit(limit)
    if hard == resource.RLIM_INFINITY:
        resource.setrlimit(limit, (1 << 50, hard))
        hard = resource.getrlimit(limit)[0]
        resource.setrlimit(limit, (soft, resource.RLIM_INFINITY))
    return hard != resource.RLIM_INFINITY


def test_more_connections_than_sessions_are_refused(serve: Callable[..., Served]) -> None:
    server = serve("--sessions", "2")
    with server.client() as one, server.client() as two:
        assert one.ask("name") == two.ask("name") == b"= Trivalent"
        for line in (b"", b"name\n", 1000 * b"name\n"):
            with server.client() as three:
                with contextlib.suppress(ConnectionError):
                    three.send(line)
                assert three.reply() == b"? too many sessions"
        assert len(server.wait_for("refused", 3)) == 3
        assert one.ask("name") == two.ask("name") == b"= Trivalent"
        one.send(b"quit\n")
        assert one.rest() == b"= \n\n"
        server.wait_for("closed")
        with server.client() as three:
            assert three.ask("name") == b"= Trivalent"


def test_an_idle_controller_is_disconnected(serve: Callable[..., Served]) -> None:
    server = serve("--idle", str(patience(0.5)))
    with server.client() as client, server.client() as other:
        assert client.ask("name") == b"= Trivalent"
        other.send(b"nam")
        assert client.rest() == other.rest() == b""
    assert {line["reason"] for line in server.wait_for("closed", 2)} == {"idle"}


def test_limits_of_line_length_and_rate(serve: Callable[..., Served]) -> None:
    with serve("--line", "100", "--rate", "0.05").client() as client:
        assert client.ask("x" * 101) == b"? line too long (at most 100 bytes)"
        assert client.ask("name") == b"= Trivalent"
        client.send(3 * b"name\n")  # three commands a minute are allowed, these are four
        assert client.reply() == b"= Trivalent"
        client.socket.settimeout(0.5)
        with pytest.raises(TimeoutError):
            client.reply()


def test_the_limit_of_seconds_a_move(serve: Callable[..., Served]) -> None:
    with serve("--max-seconds", "0.1").client() as client:
        assert client.ask("param_search seconds 1000") == b"= "
        assert client.ask("time_settings 0 1000000 1") == b"= "
        assert client.ask("genmove b").startswith(b"= ")
        assert client.ask("time_settings 0 1 0") == b"= "
        assert client.ask("genmove w").startswith(b"= ")
        client.send(b"lz-analyze b 10\n")
        assert client.socket.recv(1 << 16).startswith(b"= \n")


@needs_proc
def test_the_tree_shrinks_to_fit_the_memory_limit(serve: Callable[..., Served]) -> None:
    server = serve("--memory", "128", "--nodes", "10", "--set", "memory=500")
    with server.client() as client:
        assert client.ask("genmove b").startswith(b"= ")  # with a smaller tree
        client.ask("param_player memory 60000")
        assert client.ask("genmove w").startswith(b"= ")


@needs_proc
@pytest.mark.skipif(not _data_is_limited(), reason="memory can't be limited")
def test_running_out_of_memory_is_a_refusal(serve: Callable[..., Served]) -> None:
    server = serve("--memory", "128", "--player", "uct", "--set", "memory=500")
    with server.client() as client:
        for _ in range(2):
            assert b"out of memory: no room for a tree of 500 MiB" in client.ask("genmove b")
        assert client.ask("showboard").startswith(b"= ")


def test_a_client_that_does_not_read(serve: Callable[..., Served]) -> None:
    server = serve("--unread", "0.5", "--rate", "1000000")
    with server.client() as client, contextlib.suppress(ConnectionError):
        client.send(b"boardsize 63\n" + 3000 * b"showboard\n")
        server.wait_for("closed")
    assert server.wait_for("closed")[0]["reason"] == "replies are not read"


@needs_proc
def test_a_server_without_free_descriptors(serve: Callable[..., Served]) -> None:
    server = serve()
    used = server.descriptors()  # the lowest numbers, because the server has closed none
    with server.client() as witness:
        assert witness.ask("name") == b"= Trivalent"
        soft, hard = resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE)
        # Enough to accept the connection, but no more.
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (used + 1, hard))
        with server.client() as client:
            assert client.reply() == b"? cannot start a session: Too many open files"
        # Too few even to accept: the client has to wait.
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (used, hard))
        with server.client() as client:
            client.send(b"name\n")
            assert server.wait_for("not accepted")[0]["reason"] == "Too many open files"
            resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (soft, hard))
            assert client.reply() == b"= Trivalent"
        assert witness.ask("name") == b"= Trivalent"


def test_more_sessions_than_descriptors_are_refused() -> None:
    def never() -> Any:  # noqa: ANN401  never returns
        raise AssertionError

    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if not 0 < most < 1 << 40:
        pytest.skip("descriptors without limit")
    with (
        listen("127.0.0.1", 0) as listener,
        pytest.raises(ValueError, match="open files, but the system allows only"),
    ):
        Server(listener, never, ServerLimits(sessions=most))
