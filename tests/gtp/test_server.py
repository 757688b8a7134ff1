"""The TCP server: sessions, crashes, shutdown, addresses, with a real server process."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest
from slowness import patience
from sockets import LONG, Client, Served

from pipes import HANGS, PROGRAM, needs_proc
from trivalent.gtp.server import address_text, listen
from trivalent.tools.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


CRASHING = """
import os, signal
from trivalent.bot.players import registry as players
from trivalent.bot.players.random_player import RandomPlayer
class Crashing(RandomPlayer):
    def genmove(self, colour, limits, stop, watch=None):
        os.kill(os.getpid(), signal.SIGSEGV)
players.make_player = lambda name, values: Crashing()
"""

ANYWHERE = "0.0.0.0"  # noqa: S104  the server must refuse it


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


def test_the_server_writes_nothing_before_the_first_command(serve: Callable[..., Served]) -> None:
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


def test_a_half_closed_connection_gets_its_replies(serve: Callable[..., Served]) -> None:
    with serve("--nodes", "3000").client() as client:
        client.send(b"1 genmove b\n2 name\n3 genmove w")
        client.half_close()
        replies = client.rest().split(b"\n\n")
        assert [reply[:2] for reply in replies] == [b"=1", b"=2", b"=3", b""]


def test_packet_boundaries_do_not_matter(serve: Callable[..., Served]) -> None:
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


def test_random_bytes_break_nothing(serve: Callable[..., Served]) -> None:
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


def test_an_interrupt_stops_the_search(serve: Callable[..., Served]) -> None:
    with serve(*LONG).client() as client:
        client.send(b"1 genmove b\n# interrupt\n2 genmove w\n")
        assert client.reply().startswith(b"=1 ")
        time.sleep(0.2)
        client.send(b"# interrupt\n")
        assert client.reply().startswith(b"=2 ")


def test_a_server_offers_no_file_commands(serve: Callable[..., Served], tmp_path: Path) -> None:
    with serve().client() as client:
        commands = client.ask("list_commands").decode().split()
        assert "play" in commands
        assert [name for name in commands if "sgf" in name] == []
        for name in ("loadsgf", "savesgf"):
            assert (
                client.ask(f"{name} {tmp_path}/game.sgf") == f"? unknown command: {name}".encode()
            )
    assert list(tmp_path.iterdir()) == [tmp_path / "log"]


def test_help_of_the_server_omits_file_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--help-commands"]) == 0
    assert "loadsgf" not in capsys.readouterr().out
    assert main(["gtp", "--help-commands"]) == 0
    assert "loadsgf" in capsys.readouterr().out


def test_the_configuration_file_is_read_for_each_session(
    serve: Callable[..., Served], tmp_path: Path
) -> None:
    config = tmp_path / "config"
    config.write_text("play b a1\n", encoding="ascii")
    server = serve("--boardsize", "4", "--player", "random", "--config", str(config))
    config.unlink()
    config.write_text("play b a2\n", encoding="ascii")
    with server.client() as client:
        assert client.ask("play w a2").startswith(b"? illegal")  # the file is read for each session
        assert client.ask("play w e5").startswith(b"? ")


@needs_proc
def test_clients_that_reset_the_connection(serve: Callable[..., Served]) -> None:
    server = serve(*LONG, "--sessions", "8")
    with server.client() as witness:
        assert witness.ask("name") == b"= Trivalent"
        witness.send(b"1 genmove b\n")
        before = server.descriptors()
        for number in range(16):
            client = server.client()
            client.send(b"name\ngenmove b\ngenmove w\n")
            if number % 2:
                assert client.reply() == b"= Trivalent"
            client.kill()
            # Sessions that went on searching would soon fill the eight places.
            server.wait_for("closed", number + 1)
        assert len(server.log("opened")) == 17
        assert server.descriptors() == before
        assert len(server.children()) == 1
        witness.send(b"# interrupt\n2 name\n")
        assert witness.reply().startswith(b"=1 ")
        assert witness.reply() == b"=2 Trivalent"
    assert server.wait_for("closed", 17)[-1]["reason"] in ("end of input", "output closed")
    assert server.children() == []
    server.finish()


def test_a_crash_ends_one_session_only(serve: Callable[..., Served]) -> None:
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
    server.process.terminate()  # an emulated program says on standard error that it has crashed
    assert server.process.wait(HANGS) == 0


@needs_proc
def test_a_killed_session_leaves_the_others_running(serve: Callable[..., Served]) -> None:
    server = serve()
    with server.client() as one, server.client() as two:
        assert one.ask("name") == two.ask("name") == b"= Trivalent"
        os.kill(server.log("opened")[0]["pid"], signal.SIGKILL)
        assert server.wait_for("closed")[0]["signal"] == "SIGKILL"
        assert two.ask("name") == b"= Trivalent"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("group", [False, True])
def test_shutdown_answers_running_commands(
    serve: Callable[..., Served], number: int, group: bool
) -> None:
    server = serve(*LONG)
    with server.client() as searching, server.client() as idle, server.client() as analysing:
        assert idle.ask("name") == b"= Trivalent"
        searching.send(b"1 genmove b\n2 genmove w\n")
        analysing.send(b"3 lz-analyze b 10\n")
        assert analysing.socket.recv(1 << 16).startswith(b"=3 \n")
        time.sleep(patience(0.2))
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
def test_repeated_signals_do_not_disturb_the_shutdown(
    serve: Callable[..., Served], number: int
) -> None:
    server = serve()
    while server.process.poll() is None:  # until the interpreter has exited
        server.process.send_signal(number)
        time.sleep(patience(0.001))  # otherwise they arrive faster than Python handles the first
    server.finish(number)


def test_shutdown_kills_a_session_that_does_not_answer(serve: Callable[..., Served]) -> None:
    deaf = CRASHING.replace("os.kill(os.getpid(), signal.SIGSEGV)", "import time; time.sleep(120)")
    server = serve("--grace", "0.3", program=deaf + PROGRAM)
    with server.client() as client:
        client.ask("name")
        client.send(b"genmove b\n")
        time.sleep(patience(0.1))
        server.finish()
    assert server.log("closed")[0]["signal"] == "SIGKILL"


@needs_proc
def test_sessions_end_when_the_server_is_killed(serve: Callable[..., Served]) -> None:
    server = serve(*LONG)
    with server.client() as client, server.client() as other:
        assert client.ask("name") == other.ask("name") == b"= Trivalent"
        client.send(b"genmove b\n")
        time.sleep(patience(0.1))
        server.process.kill()
        assert client.rest().startswith(b"= ")
        assert other.rest() == b""


def test_an_unread_log_does_not_block_the_server() -> None:
    words = [sys.executable, "-c", PROGRAM, "serve", "--port", "0", "--player", "random"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, bufsize=0) as process:
        assert process.stderr
        port = int(json.loads(process.stderr.readline())["address"].rpartition(":")[2])
        for _ in range(150):  # lines of 300 bytes and more: more than a pipe holds
            with Client(port) as client:
                client.send(b"quit\n")
                assert client.rest() == b"= \n\n"
        process.terminate()
        assert process.wait(HANGS) == 0


@pytest.mark.parametrize("command", ["serve", "connect"])
def test_closed_standard_descriptors(serve: Callable[..., Served], command: str) -> None:
    # A connection with descriptor 0, 1 or 2 would talk to itself or receive the log.
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


@pytest.mark.parametrize("host", [ANYWHERE, "::", "192.0.2.1"])
def test_public_addresses_need_the_option_public(host: str) -> None:
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
def test_bad_options_are_refused_in_one_sentence(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["serve", *words])
    assert caught.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[-1].startswith("trivalent serve: error: ")
    assert "Traceback" not in err


def test_a_port_in_use_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
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


def test_addresses_are_formatted() -> None:
    assert address_text(("127.0.0.1", 5)) == "127.0.0.1:5"
    assert address_text(("::1", 5)) == "[::1]:5"
