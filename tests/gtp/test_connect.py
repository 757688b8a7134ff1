"""Clients of the server: `trivalent connect`, netcat, socat and gogui-client."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest
from sockets import LONG, Served

from pipes import HANGS, PROGRAM

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def run_client(
    *words: str, data: bytes = b"name\ngenmove b\nquit\n"
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(words, input=data, capture_output=True, timeout=HANGS, check=False)


def connect(*words: str, data: bytes = b"name\ngenmove b\nquit\n") -> Any:  # noqa: ANN401
    return run_client(sys.executable, "-c", PROGRAM, "connect", *words, data=data)


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("nc", ["-N", "127.0.0.1", "PORT"]),
        ("socat", ["-t60", "-", "TCP:127.0.0.1:PORT"]),
        ("gogui-client", ["127.0.0.1", "PORT"]),
    ],
)
@pytest.mark.parametrize("goodbye", [b"quit\n", b""])
def test_other_tcp_clients_work(
    serve: Callable[..., Served], program: str, words: list[str], goodbye: bytes
) -> None:
    if not (path := shutil.which(program)):
        pytest.skip(f"no {program}")
    port = str(serve().port)
    done = run_client(
        path, *(word.replace("PORT", port) for word in words), data=b"name\ngenmove b\n" + goodbye
    )
    assert done.returncode == 0
    assert done.stdout.startswith(b"= Trivalent\n\n= ")
    assert done.stdout.count(b"\n\n") == (3 if goodbye else 2)


def test_connect_relays_whole_sessions(serve: Callable[..., Served]) -> None:
    port = str(serve().port)
    for data, count in ((b"name\nquit\n", 2), (b"name\n3 genmove b", 2), (b"", 0)):
        done = connect("127.0.0.1", port, data=data)
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout.count(b"\n\n") == count
        assert done.stdout.startswith(b"= Trivalent\n\n" if data else b"")
    done = connect("127.0.0.1", port, data=20_000 * b"name\n")
    assert done.stdout == 20_000 * b"= Trivalent\n\n"


def test_connect_ends_with_the_session(serve: Callable[..., Served]) -> None:
    words = [sys.executable, "-c", PROGRAM, "connect", "127.0.0.1", str(serve().port)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(b"quit\n")
        process.stdin.flush()
        assert process.stdout.read() == b"= \n\n"  # while its input is still open
        assert process.wait(HANGS) == 0


def test_connect_ends_with_its_output(serve: Callable[..., Served]) -> None:
    server = serve(*LONG)
    words = [sys.executable, "-c", PROGRAM, "connect", "127.0.0.1", str(server.port)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(b"genmove b\n")
        process.stdin.flush()
        server.wait_for("opened")
        process.stdout.close()
        assert process.wait(HANGS) == 0
    assert server.wait_for("closed")[0]["seconds"] < 100  # the search would take 120


def test_connect_waits_for_the_server(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
    words = [sys.executable, "-c", PROGRAM, "connect", "127.0.0.1", port, "--timeout", str(HANGS)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        time.sleep(0.5)
        assert process.poll() is None
        with Served(tmp_path / "log", "--port", port):
            assert process.communicate(b"name\nquit\n", HANGS)[0] == b"= Trivalent\n\n= \n\n"
            assert process.returncode == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("127.0.0.1", "1", "--timeout", "0"),
            "cannot connect to 127.0.0.1, port 1: Connection ref",
        ),
        (("no-such-host.invalid",), "cannot connect to no-such-host.invalid, port 20000: "),
        (("a" * 100,), "cannot connect to aaa"),
        (("127.0.0.1", "0"), "PORT must be 1 to 65535, not 0"),
        (("127.0.0.1", "x"), "invalid int value: 'x'"),
        (("127.0.0.1", "--timeout", "nan"), "--timeout must be 0 to 1e6, not nan"),
        ((), "the following arguments are required: HOST"),
    ],
)
def test_connect_fails_in_one_sentence(words: tuple[str, ...], message: str) -> None:
    done = connect(*words)
    assert done.returncode in (1, 2)
    assert done.stdout == b""
    last = done.stderr.decode().splitlines()[-1]
    assert last.startswith("trivalent connect: error: ")
    assert message in last
    assert b"Traceback" not in done.stderr


def test_connect_imports_next_to_nothing() -> None:
    program = (
        "import sys; from trivalent.tools.cli import main\n"
        "try: main(['connect', '--help'])\n"
        "finally: sys.exit(' '.join(m for m in sys.modules if m.startswith('trivalent')))"
    )
    done = run_client(sys.executable, "-c", program)
    assert set(done.stderr.decode().split()) <= {
        "trivalent", "trivalent.core", "trivalent.tools", "trivalent.tools.cli",
        "trivalent.tools.commands", "trivalent.tools.common",
        "trivalent.tools.commands.connect",
        "trivalent.tools.common.endings", "trivalent.tools.common.option_values",
    }  # fmt: skip
