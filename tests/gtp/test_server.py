"""The TCP server, by real connections to a real server process, and the client."""

from __future__ import annotations

import contextlib
import json
import os
import random
import resource
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from sockets import Client, Served

from pipes import HANGS, PROGRAM
from trivalent.gtp.server import Server, ServerLimits, address_text, listen
from trivalent.tools.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CRASHING = """
import os, signal
from trivalent.bot.players import registry as players
from trivalent.bot.players.random_player import RandomPlayer
class Crashing(RandomPlayer):
    def genmove(self, colour, limits, stop, watch=None):
        os.kill(os.getpid(), signal.SIGSEGV)
players.make_player = lambda name, values: Crashing()
"""

LONG = ("--seconds", "120", "--max-seconds", "120")
"""So long that a search which nothing stops would fail the test."""

ANYWHERE = "0.0.0.0"  # noqa: S104  what the server has to refuse

needs_proc = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc")


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Served]]:
    """Start servers, which are gone after the test."""
    with contextlib.ExitStack() as stack:
        yield lambda *options, program=PROGRAM: stack.enter_context(
            Served(tmp_path / "log", *options, program=program)
        )


# --- conversations ---


def test_a_conversation(serve: Callable[..., Served]) -> None:
    server = serve()
    with server.client() as client:
        for line, reply in (
            ("name", b"= Trivalent"),
            ("7 protocol_version", b"=7 2"),
            ("boardsize 5", b"= "),
            ("play b a1", b"= "),
            ("9 play w a1", b"?9 illegal move: a1 is occupied"),
            ("nope", b"? unknown command: nope"),
        ):
            assert client.ask(line) == reply
        assert client.ask("genmove w").startswith(b"= ")
        client.send(b"4 quit\n5 name\n")
        assert client.rest() == b"=4 \n\n"
    (closed,) = server.wait_for("closed")
    (opened,) = server.wait_for("opened")
    assert opened["peer"] == closed["peer"]
    assert opened["pid"] == closed["pid"] != server.process.pid
    assert (closed["session"], closed["reason"], closed["code"]) == (1, "quit", 0)
    assert closed["commands"] == 8
    assert closed["seconds"] >= 0
    server.finish()
    assert [line["event"] for line in server.log()] == [
        "listening", "opened", "closed", "stopping", "stopped",
    ]  # fmt: skip


def test_nothing_comes_before_the_first_command(serve: Callable[..., Served]) -> None:
    with serve().client() as client:
        client.socket.settimeout(0.3)
        with pytest.raises(TimeoutError):
            client.socket.recv(1)


def test_sessions_do_not_share_a_board(serve: Callable[..., Served]) -> None:
    server = serve()
    with server.client() as one, server.client() as two:
        assert one.ask("play b a1") == two.ask("play b a1") == b"= "
        one.ask("boardsize 5")
        assert two.ask("play w a1").startswith(b"? illegal move")
        assert one.ask("play w a1") == b"= "


def test_half_close(serve: Callable[..., Served]) -> None:
    with serve("--nodes", "3000").client() as client:
        client.send(b"1 genmove b\n2 name\n3 genmove w")
        client.half_close()
        replies = client.rest().split(b"\n\n")
        assert [reply[:2] for reply in replies] == [b"=1", b"=2", b"=3", b""]


def test_packets_do_not_matter(serve: Callable[..., Served]) -> None:
    lines = (
        b"1 name\r\n# comment\n\n2 play b a1\n3 showboard\n4 nope\n5 known_command quit\n6 quit\n"
    )
    server = serve()
    answers = []
    for size in (len(lines), 1):
        with server.client() as client:
            for start in range(0, len(lines), size):
                client.send(lines[start : start + size])
            answers.append(client.rest())
    assert answers[0] == answers[1]
    assert [reply[:2] for reply in answers[0].split(b"\n\n")[:-1]] == [
        b"=1", b"=2", b"=3", b"?4", b"=5", b"=6",
    ]  # fmt: skip


@needs_proc
def test_a_hundred_thousand_commands(serve: Callable[..., Served]) -> None:
    server = serve()
    count, batches = 10_000, 10
    with server.client() as client:
        client.ask("name")
        memory = []
        for batch in range(batches):
            numbers = range(batch * count, (batch + 1) * count)
            lines = b"".join(b"%d name\n" % i for i in numbers)
            sender = threading.Thread(target=client.send, args=(lines,))
            sender.start()
            for i in numbers:
                assert client.reply() == b"=%d Trivalent" % i
            sender.join()
            memory.append(server.status("VmRSS", server.children()[0]))
        assert memory[-1] - memory[3] < 2000


def test_noise(serve: Callable[..., Served]) -> None:
    server = serve()
    with server.client() as client:
        noise = random.Random(2).randbytes(200_000)
        sender = threading.Thread(target=client.send, args=(noise + b"\n999 name\n",))
        sender.start()
        while client.reply() != b"=999 Trivalent":
            pass
        sender.join()
    with server.client() as client:
        assert client.ask("name") == b"= Trivalent"


def test_interrupt(serve: Callable[..., Served]) -> None:
    with serve(*LONG).client() as client:
        client.send(b"1 genmove b\n# interrupt\n2 genmove w\n")
        assert client.reply().startswith(b"=1 ")
        time.sleep(0.2)
        client.send(b"# interrupt\n")
        assert client.reply().startswith(b"=2 ")


def test_no_command_touches_files(serve: Callable[..., Served], tmp_path: Path) -> None:
    with serve().client() as client:
        commands = client.ask("list_commands").decode().split()
        assert "play" in commands
        assert [name for name in commands if "sgf" in name] == []
        for name in ("loadsgf", "savesgf"):
            assert (
                client.ask(f"{name} {tmp_path}/game.sgf") == f"? unknown command: {name}".encode()
            )
    assert list(tmp_path.iterdir()) == [tmp_path / "log"]


def test_help_knows_no_such_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--help-commands"]) == 0
    assert "loadsgf" not in capsys.readouterr().out
    assert main(["gtp", "--help-commands"]) == 0
    assert "loadsgf" in capsys.readouterr().out


def test_options_of_a_session(serve: Callable[..., Served], tmp_path: Path) -> None:
    config = tmp_path / "config"
    config.write_text("play b a1\n", encoding="ascii")
    server = serve("--boardsize", "4", "--player", "random", "--config", str(config))
    config.unlink()
    config.write_text("play b a2\n", encoding="ascii")
    with server.client() as client:
        assert client.ask("play w a2").startswith(b"? illegal")  # the file is read for each session
        assert client.ask("play w e5").startswith(b"? ")


# --- limits ---


def test_too_many_sessions(serve: Callable[..., Served]) -> None:
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


def test_idle(serve: Callable[..., Served]) -> None:
    server = serve("--idle", "0.5")
    with server.client() as client, server.client() as other:
        assert client.ask("name") == b"= Trivalent"
        other.send(b"nam")
        assert client.rest() == other.rest() == b""
    assert {line["reason"] for line in server.wait_for("closed", 2)} == {"idle"}


def test_long_lines_and_rates(serve: Callable[..., Served]) -> None:
    with serve("--line", "100", "--rate", "0.05").client() as client:
        assert client.ask("x" * 101) == b"? line too long (at most 100 bytes)"
        assert client.ask("name") == b"= Trivalent"
        client.send(3 * b"name\n")  # three a minute, and these are four
        assert client.reply() == b"= Trivalent"
        client.socket.settimeout(0.5)
        with pytest.raises(TimeoutError):
            client.reply()


def test_most_seconds(serve: Callable[..., Served]) -> None:
    with serve("--max-seconds", "0.1").client() as client:
        assert client.ask("param_search seconds 1000") == b"= "
        assert client.ask("time_settings 0 1000000 1") == b"= "
        assert client.ask("genmove b").startswith(b"= ")
        assert client.ask("time_settings 0 1 0") == b"= "
        assert client.ask("genmove w").startswith(b"= ")
        client.send(b"lz-analyze b 10\n")
        assert client.socket.recv(1 << 16).startswith(b"= \n")


@needs_proc
def test_memory(serve: Callable[..., Served]) -> None:
    server = serve("--memory", "128", "--nodes", "10", "--set", "memory=500")
    with server.client() as client:
        assert client.ask("genmove b").startswith(b"= ")  # in a smaller tree
        client.ask("param_player memory 60000")
        assert client.ask("genmove w").startswith(b"= ")


@needs_proc
def test_no_memory(serve: Callable[..., Served]) -> None:
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
def test_no_descriptors_left(serve: Callable[..., Served]) -> None:
    server = serve()
    used = server.descriptors()  # these are the lowest ones: the server has closed none
    with server.client() as witness:
        assert witness.ask("name") == b"= Trivalent"
        soft, hard = resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE)
        # Enough to accept, but no more.
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (used + 1, hard))
        with server.client() as client:
            assert client.reply() == b"? cannot start a session: Too many open files"
        # Not even that: it has to wait.
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (used, hard))
        with server.client() as client:
            client.send(b"name\n")
            assert server.wait_for("not accepted")[0]["reason"] == "Too many open files"
            resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (soft, hard))
            assert client.reply() == b"= Trivalent"
        assert witness.ask("name") == b"= Trivalent"


# --- accidents ---


@needs_proc
def test_rude_clients(serve: Callable[..., Served]) -> None:
    server = serve(*LONG, "--sessions", "8")
    with server.client() as witness:
        assert witness.ask("name") == b"= Trivalent"
        witness.send(b"1 genmove b\n")
        before = server.descriptors()
        for number in range(40):
            client = server.client()
            client.send(b"name\ngenmove b\ngenmove w\n")
            if number % 2:
                assert client.reply() == b"= Trivalent"
            client.kill()
            # With eight sessions at once, one that goes on searching would be noticed.
            server.wait_for("closed", number + 1)
        assert len(server.log("opened")) == 41
        assert server.descriptors() == before
        assert len(server.children()) == 1
        witness.send(b"# interrupt\n2 name\n")
        assert witness.reply().startswith(b"=1 ")
        assert witness.reply() == b"=2 Trivalent"
    assert server.wait_for("closed", 41)[-1]["reason"] in ("end of input", "output closed")
    assert server.children() == []
    server.finish()


def test_a_crash_is_alone(serve: Callable[..., Served]) -> None:
    server = serve(program=CRASHING + PROGRAM)
    with server.client() as witness:
        assert witness.ask("play b a1") == b"= "
        for number in range(3):
            with server.client() as client:
                client.send(b"genmove b\n")
                with contextlib.suppress(ConnectionResetError):
                    assert client.rest() == b""
            closed = server.wait_for("closed", number + 1)[-1]
            assert (closed["signal"], closed["reason"]) == ("SIGSEGV", "failed")
        assert witness.ask("play w a1").startswith(b"? illegal move")
    server.wait_for("closed", 4)
    server.finish()


@needs_proc
def test_a_killed_session_is_alone(serve: Callable[..., Served]) -> None:
    server = serve()
    with server.client() as one, server.client() as two:
        assert one.ask("name") == two.ask("name") == b"= Trivalent"
        os.kill(server.log("opened")[0]["pid"], signal.SIGKILL)
        assert server.wait_for("closed")[0]["signal"] == "SIGKILL"
        assert two.ask("name") == b"= Trivalent"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("group", [False, True])
def test_shutdown_answers_what_runs(serve: Callable[..., Served], number: int, group: bool) -> None:
    server = serve(*LONG)
    with server.client() as searching, server.client() as idle, server.client() as analysing:
        assert idle.ask("name") == b"= Trivalent"
        searching.send(b"1 genmove b\n2 genmove w\n")
        analysing.send(b"3 lz-analyze b 10\n")
        assert analysing.socket.recv(1 << 16).startswith(b"=3 \n")
        time.sleep(0.2)
        if group:
            for pid in server.children():
                os.kill(pid, number)
        server.process.send_signal(number)
        assert searching.rest().startswith(b"=1 ")
        assert searching.rest().count(b"\n\n") == 1
        assert idle.rest() == b""
        assert analysing.rest().endswith(b"\n\n")
    server.finish(number)
    assert {line["reason"] for line in server.log("closed")} == {"told to end"}
    with pytest.raises(ConnectionRefusedError):
        server.client()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_shutdown_however_often_it_is_asked_for(serve: Callable[..., Served], number: int) -> None:
    server = serve()
    while server.process.poll() is None:  # to the last instant of the interpreter
        server.process.send_signal(number)
        time.sleep(0.001)  # else they come faster than Python hears the first
    server.finish(number)


def test_shutdown_does_not_wait_for_ever(serve: Callable[..., Served]) -> None:
    deaf = CRASHING.replace("os.kill(os.getpid(), signal.SIGSEGV)", "import time; time.sleep(120)")
    server = serve("--grace", "0.3", program=deaf + PROGRAM)
    with server.client() as client:
        client.ask("name")
        client.send(b"genmove b\n")
        time.sleep(0.1)
        server.finish()
    assert server.log("closed")[0]["signal"] == "SIGKILL"


@needs_proc
def test_sessions_end_after_a_killed_server(serve: Callable[..., Served]) -> None:
    server = serve(*LONG)
    with server.client() as client, server.client() as other:
        assert client.ask("name") == other.ask("name") == b"= Trivalent"
        client.send(b"genmove b\n")
        time.sleep(0.1)
        server.process.kill()
        assert client.rest().startswith(b"= ")
        assert other.rest() == b""


def test_a_log_that_nobody_reads() -> None:
    words = [sys.executable, "-c", PROGRAM, "serve", "--port", "0", "--player", "random"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, bufsize=0) as process:
        assert process.stderr
        port = int(json.loads(process.stderr.readline())["address"].rpartition(":")[2])
        for _ in range(300):  # of 300 bytes and more: more than a pipe holds
            with Client(port) as client:
                client.send(b"quit\n")
                assert client.rest() == b"= \n\n"
        process.terminate()
        assert process.wait(HANGS) == 0


@pytest.mark.parametrize("command", ["serve", "connect"])
def test_closed_standard_descriptors(serve: Callable[..., Served], command: str) -> None:
    # A connection in the place of standard input or output would talk to itself, or get the log.
    program = f"import os; os.closerange(0, 3)\n{PROGRAM}"
    if command == "serve":
        server = serve("--nodes", "20", program=program)
        with server.client() as client:
            assert client.ask("name") == b"= Trivalent"
            client.send(b"quit\n")
            assert client.rest() == b"= \n\n"
        server.finish()
    else:
        server = serve()
        words = [sys.executable, "-c", program, "connect", "127.0.0.1", str(server.port)]
        assert subprocess.run(words, timeout=HANGS, check=False).returncode == 0
        assert server.wait_for("closed")[0]["commands"] == 0


# --- addresses ---


@pytest.mark.parametrize("host", [ANYWHERE, "::", "192.0.2.1"])
def test_public_addresses_need_a_word(host: str) -> None:
    with pytest.raises(ValueError, match=r"other machines can reach .*--public"):
        listen(host, 0)


@pytest.mark.parametrize(
    "words",
    [
        ("--host", ANYWHERE), ("--host", "no-such-host.invalid"), ("--host", ""),
        ("--host", "127.0.0.1" + 100 * "1"), ("--host", "192.0.2.1", "--public"),
        ("--port", "65536"), ("--port", "-1"), ("--port", "x"), ("--sessions", "0"),
        ("--memory", "1"), ("--idle", "0"), ("--rate", "-1"), ("--line", "x"),
        ("--log", "/"), ("--player", "nobody"), ("--config", "/no/such/file"),
    ],
)  # fmt: skip
def test_bad_options_are_one_sentence(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["serve", *words])
    assert caught.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[-1].startswith("trivalent serve: error: ")
    assert "Traceback" not in err


def test_a_port_in_use(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        with pytest.raises(SystemExit) as caught:
            main(["serve", "--port", port])
    assert caught.value.code == 2
    message = f"cannot listen on 127.0.0.1, port {port}: Address already in use"
    assert capsys.readouterr().err.splitlines()[-1] == f"trivalent serve: error: {message}"


def test_a_public_server_warns(tmp_path: Path) -> None:
    with Served(tmp_path / "log", "--host", ANYWHERE, "--public") as server:
        with server.client() as client:
            assert client.ask("name") == b"= Trivalent"
        server.process.terminate()
        _, errors = server.process.communicate(timeout=HANGS)
        assert server.process.returncode == 0
    (warning,) = errors.decode().splitlines()
    assert "no password" in warning
    assert "no encryption" in warning


@pytest.mark.skipif(not socket.has_ipv6, reason="no IPv6")
def test_ipv6(tmp_path: Path) -> None:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError as error:
        pytest.skip(f"no IPv6: {error}")
    with (
        Served(tmp_path / "log", "--host", "::1") as server,
        Client(server.port, "::1") as client,
    ):
        assert client.ask("name") == b"= Trivalent"
        assert server.log("opened")[0]["peer"].startswith("[::1]:")


def test_addresses_as_text() -> None:
    assert address_text(("127.0.0.1", 5)) == "127.0.0.1:5"
    assert address_text(("::1", 5)) == "[::1]:5"


def test_more_sessions_than_descriptors() -> None:
    def never() -> Any:  # noqa: ANN401  there is no session
        raise AssertionError

    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if not 0 < most < 1 << 40:
        pytest.skip("descriptors without limit")
    with (
        listen("127.0.0.1", 0) as listener,
        pytest.raises(ValueError, match="open files, but the system allows only"),
    ):
        Server(listener, never, ServerLimits(sessions=most))


# --- clients ---


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
def test_clients_of_others(
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


def test_connect(serve: Callable[..., Served]) -> None:
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
        assert process.stdout.read() == b"= \n\n"  # with its input still open
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
    words = [sys.executable, "-c", PROGRAM, "connect", "127.0.0.1", port, "--timeout", "60"]
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


def test_connect_is_light() -> None:
    program = (
        "import sys; from trivalent.tools.cli import main\n"
        "try: main(['connect', '--help'])\n"
        "finally: sys.exit(' '.join(m for m in sys.modules if m.startswith('trivalent')))"
    )
    done = run_client(sys.executable, "-c", program)
    assert set(done.stderr.decode().split()) <= {
        "trivalent", "trivalent.core", "trivalent.tools", "trivalent.tools.cli",
        "trivalent.tools.commands.connect",
    }  # fmt: skip


# --- endurance ---


def play_games(clients: list[Client], moves: int) -> list[list[bytes]]:
    """Let all clients play a game at the same time; return the moves of each."""
    games: list[list[bytes]] = [[] for _ in clients]
    for number in range(moves):
        for client in clients:
            client.send(b"genmove w\n" if number % 2 else b"genmove b\n")
        for client, game in zip(clients, games, strict=True):
            game.append(client.reply())
    return games


@pytest.mark.soak
@needs_proc
def test_64_games_at_once(serve: Callable[..., Served]) -> None:
    server = serve("--nodes", "200", "--seed", "1")
    before = server.descriptors(), server.status("VmRSS")
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(server.client()) for _ in range(64)]
        games = play_games(clients, 60)
        assert all(client.ask("showboard").count(b"\n") > 11 for client in clients)
    assert len(games[0]) == 60
    assert all(game == games[0] for game in games)
    assert len(set(games[0])) > 30
    assert {line["reason"] for line in server.wait_for("closed", 64)} == {"end of input"}
    assert server.children() == []
    assert server.descriptors() == before[0]
    assert server.status("VmRSS") - before[1] < 4000
    server.finish()


@pytest.mark.soak
@needs_proc
def test_ten_thousand_connections(serve: Callable[..., Served]) -> None:
    server = serve(*LONG)
    count = 10_000

    def visit(number: int) -> None:
        with server.client() as client:
            client.send(b"name\ngenmove b\n" if number % 2 else b"play b a1\nplay w a1\nquit\n")
            if number % 2:
                assert client.reply() == b"= Trivalent"  # and now it searches
                client.kill()
            else:
                rest = client.rest()
                assert rest == b"= \n\n? illegal move: a1 is occupied\n\n= \n\n"

    with server.client() as witness:
        assert witness.ask("play w c3") == b"= "
        witness.send(b"7 lz-analyze b 100\n")
        for number in range(200):
            visit(number)
        server.wait_for("closed", 200)
        before = server.descriptors(), server.status("VmRSS")
        for number in range(200, count):
            visit(number)
        closed = server.wait_for("closed", count)
        assert server.descriptors() == before[0]
        assert server.status("VmRSS") - before[1] < 4000
        assert len(server.children()) == 1
        assert server.log("refused") == []
        assert {line["code"] for line in closed} == {0}
        witness.send(b"play w c3\n")
        while not (reply := witness.reply()).startswith(b"?"):
            assert reply.startswith(b"=7 \ninfo move ")
        assert reply == b"? illegal move: c3 is occupied"
    server.wait_for("closed", count + 1)
    server.finish()
