"""The client against engines that crash, hang, flood, or answer in odd ways."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hostile import command
from leaks import alive, descriptors, nothing_stays, wait_for
from sockets import Served

from pipes import HANGS
from trivalent.gtp.client import guard
from trivalent.gtp.client.client import (
    Client,
    EngineError,
    GoneError,
    NoAnswerError,
    ProtocolError,
    RefusedError,
    StartError,
    StoppedError,
)
from trivalent.gtp.client.process import Log


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    with nothing_stays():
        yield


def start(*words: str, seconds: float = HANGS) -> Client:
    return Client.start(command(*words), name="it", seconds=seconds)


def test_a_conversation() -> None:
    with start() as engine:
        assert engine.ask("version") == "1"
        assert engine.ask("boardsize 3") == ""
        assert engine.pid is not None
        assert os.getsid(engine.pid) == engine.pid
        assert engine.ask("genmove black", seconds=HANGS)[0] in "abc"
    assert alive() == []


def test_the_conversation_goes_on_after_a_refusal() -> None:
    with start("refuse") as engine:
        with pytest.raises(
            RefusedError, match=r"^it answered 'genmove b' with '\? I will not move'$"
        ):
            engine.ask("genmove b")
        assert engine.ask("version") == "1"


def test_environment_and_working_directory(tmp_path: Path) -> None:
    program = 'read name; echo "=1 $HELLO"; pwd; echo; read quit'
    with Client.start(
        ["sh", "-c", program], cwd=str(tmp_path), environment={"HELLO": "world"}
    ) as engine:
        assert engine.name == "sh"
        assert engine.greeting == f"world\n{tmp_path}"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["/not/there"], r"cannot start it \(/not/there\): No such file or directory: /not/there"),
        (["/"], r"cannot start it \(/\): Permission denied: /"),
        (["a\0b"], "cannot start it .*: embedded null byte"),
    ],
)
def test_a_program_that_cannot_be_started(words: list[str], message: str) -> None:
    with pytest.raises(StartError, match=message):
        Client.start(words, name="it")


def test_a_missing_working_directory() -> None:
    with pytest.raises(StartError, match="No such file or directory: /not/there"):
        Client.start(command(), cwd="/not/there")


def test_an_engine_that_exits_at_once() -> None:
    message = "it exited with code 1 during 'name'; last line on stderr: "
    with pytest.raises(GoneError, match=f"^{message}'cannot open the model'$"):
        start("ends")


@pytest.mark.parametrize("more", [(), ("no-term", "no-eof", "child")])
def test_an_engine_that_never_answers(more: tuple[str, ...]) -> None:
    with pytest.raises(NoAnswerError, match="it did not answer 'name' in time"):
        start("mute", *more, seconds=0.2)


@pytest.mark.parametrize("manner", ["garbage", "nul", "crlf", "twice", "no-ids", "late"])
def test_odd_but_acceptable_answers(manner: str) -> None:
    with start(f"{manner}@0", "moves=a1,b2,c3") as engine:
        assert [engine.ask("genmove b", HANGS) for _ in range(3)] == ["a1", "b2", "c3"]
        assert engine.ask("version", HANGS) == "1"
        engine.ask("play b a1")
        with pytest.raises(RefusedError):
            engine.ask("play b a1")


@pytest.mark.parametrize("ids", [[], ["no-ids"]])
def test_a_second_answer_is_dropped(ids: list[str]) -> None:
    with start("again@0", "moves=a1,b2", *ids) as engine:
        assert engine.ask("genmove b", HANGS) == "a1"
        time.sleep(0.2)  # the second answer comes after 0.05
        assert engine.ask("genmove b", HANGS) == "b2"


def test_a_late_answer_is_dropped() -> None:
    with start("slow=0.3", "moves=a1,b2") as engine:
        with pytest.raises(NoAnswerError):
            engine.ask("genmove b", 0.05)
        assert engine.ask("genmove b", HANGS) == "b2"


@pytest.mark.parametrize("way", ["unended", "wrong-id"])
def test_output_that_is_not_an_answer(way: str) -> None:
    with start(way, "moves=a1") as engine, pytest.raises(ProtocolError, match="in GTP, but wrote"):
        engine.ask("genmove b", 0.3)


@pytest.mark.parametrize("way", ["endless", "line=10000000"])
def test_an_endless_answer(way: str) -> None:
    with start(way) as engine:
        with pytest.raises(ProtocolError, match="wrote more than 4 MiB without answering"):
            engine.ask("genmove b", HANGS)
        engine.close(0)


@pytest.mark.parametrize(
    ("way", "message"),
    [
        (
            "crash",
            "exited with code 3 during 'genmove b'; last line on stderr: 'about to crash'",
        ),
        ("segv", "was killed by SIGSEGV during 'genmove b'"),
        ("closes", "closed its output during 'genmove b'"),
    ],
)
def test_an_exit_is_noticed_without_a_deadline(way: str, message: str) -> None:
    with start(way) as engine:
        with pytest.raises(GoneError, match=f"^it {message}$"):
            engine.ask("genmove b")
        engine.close(0)


def test_an_exit_is_noticed_while_a_child_holds_the_pipes() -> None:
    with start("escapes", "crash") as engine, pytest.raises(GoneError, match="exited with code 3"):
        engine.ask("genmove b")


@pytest.mark.parametrize("way", ["hangs", "stops"])
def test_a_deadline_ends_the_wait_for_a_hanging_engine(way: str) -> None:
    with start(way) as engine:
        with pytest.raises(NoAnswerError, match="it did not answer 'genmove b' in time"):
            engine.ask("genmove b", 0.1)
        engine.close(0)


def test_a_stop_works_without_a_deadline() -> None:
    stop = threading.Event()
    with start("hangs") as engine:
        threading.Timer(0.05, stop.set).start()
        with pytest.raises(StoppedError, match="stopped while it was busy with 'genmove b'"):
            engine.ask("genmove b", stop=stop)
        engine.close(0)


@pytest.mark.parametrize("ids", [[], ["no-ids"]])
def test_chatter_hides_neither_stop_nor_deadline(ids: list[str]) -> None:
    stop = threading.Event()
    with start("trickle@0", *ids) as engine:
        with pytest.raises(ProtocolError, match="but wrote 'thinking'"):
            engine.ask("genmove b", 0.3)
        engine.close(0)
    with start("trickle@0", *ids) as engine:
        threading.Timer(0.05, stop.set).start()
        with pytest.raises(StoppedError):
            engine.ask("genmove b", stop=stop)
        engine.close(0)


def test_an_engine_that_does_not_read_its_input() -> None:
    with start("hangs") as engine:
        with pytest.raises(NoAnswerError):
            engine.ask("genmove b", 0.05)
        with pytest.raises(NoAnswerError):
            engine.ask("play-game " + 200_000 * "a1 ", 0.1)
        engine.close(0)


def test_megabytes_on_standard_error_are_kept_in_part() -> None:
    with start("stderr=20", "moves=a1") as engine:
        assert engine.ask("genmove b", HANGS) == "a1"
    text = engine.log.text()
    assert text.startswith("0000000 xxx")
    assert " bytes are left out ...]\nxxx" in text
    assert text.endswith("xxx\n")
    assert len(text) < 70_000


def test_the_log_keeps_start_and_end() -> None:
    end, descriptor = os.pipe()
    os.set_blocking(end, False)
    log = Log(end)
    parts = [b"%06d\n" % number for number in range(50_000)]
    for part in parts:
        os.write(descriptor, part)
        assert not log.read()
    text = log.text()
    head, gap, tail = text.partition("\n[... ")
    lost, _, tail = tail.partition(" bytes are left out ...]\n")
    assert gap
    assert b"".join(parts).startswith(head.encode())
    assert b"".join(parts).endswith(tail.encode())
    assert len(head) + int(lost) + len(tail) == 350_000
    os.write(descriptor, b"old")
    log.clear()
    os.write(descriptor, b"new\n\n")
    assert log.text() == "new\n\n"
    assert log.last_line() == "new"
    os.write(descriptor, b"last")
    assert not log.close()
    os.close(descriptor)
    assert log.text() == "new\n\nlast"


@pytest.mark.parametrize(
    "manners",
    [
        ("no-quit",),
        ("no-eof",),
        ("no-quit", "no-term"),
        ("child",),
        ("daemon",),
        ("escapes",),
        ("no-quit", "no-term", "child", "daemon", "escapes"),
    ],
)
def test_close_leaves_no_process(manners: tuple[str, ...]) -> None:
    engine = start(*manners)
    engine.ask("version", HANGS)
    engine.close(0.2 if "daemon" not in manners else 0)
    assert alive() == []
    engine.close()


def test_a_closed_client_refuses_commands() -> None:
    engine = start()
    engine.close()
    with pytest.raises(ValueError, match="closed"):
        engine.ask("name")


def test_a_command_must_be_a_single_line() -> None:
    with start() as engine, pytest.raises(ValueError, match="single line"):
        engine.ask("name\nversion")


def test_a_client_over_tcp(tmp_path: Path) -> None:
    with Served(tmp_path / "log", "--player", "random") as server:
        with Client.connect("127.0.0.1", server.port) as engine:
            assert engine.pid is None
            assert engine.name == f"127.0.0.1:{server.port}"
            assert engine.ask("boardsize 3", HANGS) == ""
            assert engine.ask("genmove b", HANGS)[0] in "abc"
        assert server.wait_for("closed")[0]["reason"] == "quit"
        server.finish()
        with pytest.raises(StartError, match=f"cannot reach .*{server.port}.: Connection refused"):
            Client.connect("127.0.0.1", server.port)


def test_a_server_that_shuts_down(tmp_path: Path) -> None:
    with Served(tmp_path / "log", "--player", "random") as server:
        engine = Client.connect("127.0.0.1", server.port, name="it")
        server.finish()
        with engine, pytest.raises(GoneError, match="it closed the connection during 'name'"):
            engine.ask("name", HANGS)


CONTROLLER = """
import sys, time
from trivalent.gtp.client.client import Client
from trivalent.gtp.client import guard
for _ in range(2):
    Client.start(sys.argv[1:])
print(guard.guard.get().token, flush=True)
time.sleep(600)
"""


@contextlib.contextmanager
def controller(*words: str) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """Start another process with two engines; kill it at the end of the context."""
    command = [sys.executable, "-c", CONTROLLER, *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout
            yield process, process.stdout.readline().decode().strip()
        finally:
            process.kill()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_engines_do_not_outlive_a_killed_controller(number: int) -> None:
    worst = command("no-quit", "no-term", "no-eof", "child", "daemon", "escapes")
    with controller(*worst) as (process, token):
        wait_for(lambda: len(alive(token)) == 8)
        process.send_signal(number)
        process.wait()
    wait_for(lambda: not alive(token))


def test_engines_do_not_outlive_a_controller_that_exits() -> None:
    program = CONTROLLER.replace("time.sleep(600)", "")
    words = [sys.executable, "-c", program, *command("no-eof", "no-term", "daemon")]
    done = subprocess.run(words, capture_output=True, check=True)
    assert done.stderr == b""
    assert alive(done.stdout.decode().strip()) == []


def test_an_engine_without_the_mark_is_killed_by_its_session() -> None:
    with controller("env", "-i", *command("no-term", "no-eof")) as (process, token):
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        assert len(children) == 3  # two engines and the guard
        assert alive(token) == []
    wait_for(lambda: not any(Path(f"/proc/{child}").exists() for child in children))


def test_a_killed_guard_is_replaced() -> None:
    keeper = guard.guard.get()
    with start() as engine:
        keeper._process.kill()
        keeper._process.wait()
        with start() as other:
            assert keeper._process.poll() is None
            assert {engine.pid, other.pid} == keeper._sessions


def test_all_failures_are_engine_errors() -> None:
    for kind in (StartError, GoneError, NoAnswerError, ProtocolError, StoppedError):
        assert issubclass(kind, EngineError)
    assert not issubclass(RefusedError, EngineError)


CROWD = """
import resource, sys
from trivalent.gtp.client.client import Client, StartError
from trivalent.gtp.client import guard
resource.setrlimit(resource.RLIMIT_NOFILE, (60, 60))
engines = []
try:
    while True:
        engines.append(Client.start(sys.argv[1:]))
except StartError as error:
    print(error)
for engine in engines:
    engine.ask("name")
    engine.close()
keeper = guard.guard.get()
print(len(engines), keeper._sessions, guard.survivors(keeper.token.encode(), set()))
"""


def test_running_out_of_descriptors() -> None:
    words = [sys.executable, "-c", CROWD, *command()]
    done = subprocess.run(words, capture_output=True, check=True, text=True)
    message, counts = done.stdout.splitlines()
    assert message.endswith("Too many open files")
    assert re.fullmatch(r"1[0-9] set\(\) \[\]", counts)
    assert done.stderr == ""


def test_descriptors_and_processes_stay_constant() -> None:
    before = descriptors()
    for _ in range(12):
        with start():
            assert descriptors() == before + 3
        assert descriptors() == before


@pytest.mark.parametrize("behaviour", [(), ("no-quit",), ("no-quit", "no-eof", "no-term", "child")])
def test_engines_end_where_there_is_no_waitid(
    behaviour: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "waitid")
    engine = start(*behaviour)
    engine.ask("name")
    engine.close(0.1)
    assert alive() == []


def test_survivors_are_found_where_there_is_no_proc(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "PROC", tmp_path)
    program = "sleep 600 & sleep 600 & wait"
    with subprocess.Popen(["sh", "-c", program], start_new_session=True) as shell:
        wait_for(lambda: len(guard.survivors(b"no mark", {shell.pid})) == 3)
        assert os.getpid() not in guard.survivors(b"no mark", {shell.pid})
        guard.sweep("no mark", {shell.pid})
    assert guard.survivors(b"no mark", {shell.pid}) == []
    monkeypatch.setenv("PATH", str(tmp_path))  # nor ps
    assert guard.survivors(b"no mark", {os.getsid(0)}) == []
