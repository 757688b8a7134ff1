"""The engine as a process: options, floods, closed and non-blocking pipes, signals, pondering."""

from __future__ import annotations

import contextlib
import itertools
import os
import random
import signal
import subprocess
import sys
import sysconfig
import threading
import time
from pathlib import Path

import pytest

from pipes import FAULTY, HANGS, PATIENT, PROGRAM, SOON, Engine, needs_proc, replies, run, shell
from trivalent.bot.players.random_player import RandomPlayer
from trivalent.core.games import hex_board
from trivalent.gtp.commands.all_commands import COMMANDS
from trivalent.gtp.engine.session import Session
from trivalent.gtp.engine.stream import serve


def test_the_installed_program_plays() -> None:
    program = Path(sysconfig.get_path("scripts"), "trivalent")
    done = subprocess.run(
        [program, "gtp", "--nodes", "10", "--boardsize", "5", "--game", "y", "--seed", "3"],
        input=b"name\n3 genmove b\nquit\n",
        capture_output=True,
        timeout=HANGS,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    name, move, goodbye = replies(done.stdout)
    assert (name, goodbye) == (b"= Trivalent", b"= ")
    assert move.startswith(b"=3 ")


def test_the_engine_loads_neither_numpy_nor_rich() -> None:
    program = """
import sys
from trivalent.tools.cli import main
code = main()
sys.stderr.write(" ".join(name for name in ("numpy", "rich") if name in sys.modules))
sys.exit(code)
"""
    lines = b"name\nboardsize 7\ngenmove b\nplay w a1\nshowboard\nset_game y\ngenmove b\nquit\n"
    assert len(run(lines, program=program)) == 8


def test_a_configuration_file_runs_first(tmp_path: Path) -> None:
    config = tmp_path / "config"
    config.write_bytes(b"# a comment\nboardsize 3\n\nplay b a1\r\n5 play w b2\n")
    assert run(b"all_legal_moves", "--config", str(config)) == [b"= b1 c1 a2 c2 a3 b3 c3"]


@pytest.mark.parametrize("line", ["nope", "play b z9", "quit", "boardsize 0"])
def test_a_bad_configuration_file_is_refused(line: str, tmp_path: Path) -> None:
    config = tmp_path / "config"
    config.write_text(f"boardsize 3\n{line}\n", encoding="ascii")
    done = shell('exec "$@"', "--config", str(config), data=b"name\n")
    assert (done.returncode, done.stdout) == (2, b"")
    assert f"{config}:2: {line.split(maxsplit=1)[0]}: ".encode() in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    "options",
    [
        ["--nodes", "-1"], ["--nodes", "1" + 5000 * "0"], ["--nodes", "x"],
        ["--nodes", "1" + 19 * "0"],
        ["--seconds", "nan"], ["--seconds", "-1"], ["--seconds", "1e10"],
        ["--seconds", "inf"], ["--boardsize", "0"], ["--boardsize", "64"], ["--boardsize", "-1"],
        ["--boardsize", "1" + 30 * "0"], ["--game", "go"], ["--player", "nobody"],
        ["--set", "memory"], ["--set", "memory=0"], ["--set", "memory=1e3"], ["--set", "no=1"],
        ["--set", "memory=" + 5000 * "9"], ["--set", "resign=nan"], ["--set", "seed=-1"],
        ["--seed", "x"], ["--seed", str(2**64)], ["--no-such-option"], ["argument"],
        ["--logfile-name", "/"],
    ],
)  # fmt: skip
def test_bad_options_are_refused(options: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    from trivalent.tools.cli import main  # noqa: PLC0415  in process: 27 processes take a while

    with pytest.raises(SystemExit) as caught:
        main(["gtp", *options])
    assert caught.value.code == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert "trivalent gtp: error: " in err or "trivalent: error: " in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    "options",
    [
        ("--seconds", "0.001"),
        ("--seconds", "0.001", "--nodes", "1"),
        ("--nodes", "500", "--set", "memory=1", "--set", "expansion_threshold=1"),
        ("--nodes", "1" + 15 * "0", "--seconds", "0.1"),
        ("--nodes", "100", "--set", "resign=1", "--set", "exploration=10"),
        ("--nodes", "100", "--seed", str(2**64 - 1)),
        ("--player", "random", "--seed", str(2**64 - 1)),
        (
            "--player",
            "uct",
            "--set",
            "memory=57000",
            "--nodes",
            "1",
            "--set",
            "rave_equivalence=1e9",
        ),
        (
            "--set",
            "memory=65535",
            "--nodes",
            "1",
            "--set",
            "rave_weight=1e3",
            "--set",
            "threads=256",
        ),
    ],
)
def test_extreme_options(options: tuple[str, ...]) -> None:
    lines = b"genmove b\ngenmove w\nboardsize 1\ngenmove w\nboardsize 63\ngenmove b\nset_game y\n"
    answers = run(lines + b"genmove w\nboardsize 1\ngenmove b\n", "--quiet", *options)
    assert len(answers) == 10
    for answer in answers:
        # There may be too little memory for the largest tree, but then the reply says so.
        assert answer.startswith(b"= ") or b"no room for a tree of" in answer


def test_long_lines_without_a_command_get_no_reply() -> None:
    long = 2_000_000  # more bytes than a line may have
    lines = (b"#" + long * b"x", b"  # " + long * b"#", long * b" ", long * b"\t", long * b"\r",
             b"5 # " + long * b"x")  # fmt: skip
    data = b"".join(b"%s\n%d name\n" % (line, number) for number, line in enumerate(lines))
    assert run(data) == [b"=%d Trivalent" % number for number in range(len(lines))]
    assert run(long * b" " + b"name\n") == [b"= Trivalent"]


def test_random_bytes_break_nothing() -> None:
    noise = random.Random(1).randbytes(300_000)  # with a line end in every 256 bytes
    answers = run(noise + b"\n999 name\n")
    assert answers[-1] == b"=999 Trivalent"
    assert len(answers) > 500


@needs_proc
def test_floods_of_lines_without_a_command_use_no_memory() -> None:
    with Engine() as engine:
        engine.ask("name")
        before = engine.status("VmRSS")
        for flood in (b"\n", b"# comment\n", b" \r\n", b"5\n", b"# interrupt\n", b"\x00\n"):
            engine.send(flood * 50_000)
            assert engine.ask("name") == b"= Trivalent\n\n"
        assert engine.status("VmRSS") - before < 20_000
        engine.close_input()
        assert engine.finish() == b""


@needs_proc
def test_all_sizes_in_bounded_memory() -> None:
    with Engine() as engine:
        memory = []
        for _ in range(3):
            for width in range(3, 64, 12):
                for height in range(3, 64, 12):
                    assert engine.ask(f"boardsize {width} {height}") == b"= \n\n"
            memory.append(engine.status("VmRSS"))
    assert memory[2] - memory[1] < 4000
    assert memory[2] < 200_000


@needs_proc
def test_an_engine_uses_three_descriptors_and_few_threads() -> None:
    with Engine() as engine:
        for _ in range(3):
            engine.ask("genmove b")
        assert len(list(Path(f"/proc/{engine.process.pid}/fd").iterdir())) == 3
        assert engine.status("Threads") <= 4


@pytest.mark.parametrize(
    ("redirection", "output"),
    [
        ("<&-", b""),
        ("</dev/null", b""),
        (">&-", b""),
        ("2>&-", b"= Trivalent\n\n"),
        ("<&- >&-", b""),
        ("<&- >&- 2>&-", b""),
    ],
)
def test_streams_closed_from_the_start(redirection: str, output: bytes) -> None:
    done = shell(f'exec "$@" {redirection}', data=b"name\n")
    assert (done.returncode, done.stdout, done.stderr) == (0, output, b"")


def test_replies_on_a_full_disk() -> None:
    done = shell('exec "$@" >/dev/full', data=b"name\n")
    reason = b"trivalent: standard output: No space left on device\n"
    assert (done.returncode, done.stderr) == (1, reason)


def test_input_closed_while_searching() -> None:
    with Engine("--seconds", "0.3", program=PATIENT + PROGRAM) as engine:
        engine.send(b"1 reg_genmove b\n2 reg_genmove w\n3 name")
        engine.close_input()
        assert replies(engine.finish()) == [b"=1 a1", b"=2 a1", b"=3 Trivalent"]


def test_a_slow_reader_gets_everything() -> None:
    with Engine() as engine:
        engine.ask("boardsize 63")
        count = 300
        engine.send(count * b"showboard\n")
        time.sleep(0.2)  # long enough to fill the pipe
        size = len(engine.reply())
        assert size > 8000
        for _ in range(5):  # a few bytes at a time
            time.sleep(0.01)
            assert engine.process.stdout
            engine._read += os.read(engine.process.stdout.fileno(), 7)
        for _ in range(count - 1):
            assert len(engine.reply()) == size
        engine.close_input()
        assert engine.finish() == b""


def test_non_blocking_pipes() -> None:
    from_us, to_engine = os.pipe()
    from_engine, to_us = os.pipe()
    os.set_blocking(from_us, False)
    os.set_blocking(to_us, False)
    with Engine(stdin=from_us, stdout=to_us) as engine:
        os.close(from_us)
        os.close(to_us)
        time.sleep(0.3)  # the engine finds nothing to read
        os.write(to_engine, b"name\nboardsize 63\n" + 100 * b"showboard\n" + b"quit\n")
        time.sleep(0.3)  # the engine finds the pipe full
        data = b""
        while chunk := os.read(from_engine, 1 << 16):
            data += chunk
        assert engine.process.wait(HANGS) == 0
        assert engine.process.stderr
        assert engine.process.stderr.read() == b""
    os.close(to_engine)
    os.close(from_engine)
    assert len(replies(data)) == 103


def test_a_full_disk_does_not_block() -> None:
    # Nobody reads standard error, so messages that cannot be logged must not go there instead.
    with Engine("--logfile-name", "/dev/full", program=FAULTY + PROGRAM) as engine:
        for _ in range(20):
            assert engine.ask("genmove b").startswith(b"? internal error: RuntimeError")
        engine.close_input()
        assert engine.finish() == b""


def test_the_reader_thread_ends_with_the_session() -> None:
    before = set(threading.enumerate())
    from_us, to_engine = os.pipe()
    from_engine, to_us = os.pipe()
    session = Session(RandomPlayer(), COMMANDS, board=hex_board(5))
    threads = [threading.Thread(target=serve, args=(session, from_us, to_us))]
    threads[0].start()
    with contextlib.suppress(BlockingIOError):
        os.write(to_engine, b"quit\n" + 50_000 * b"\x00\n")  # more lines than are read ahead
        os.set_blocking(to_engine, False)
        while True:
            os.write(to_engine, 10_000 * b"\x00\n")
    os.close(to_engine)
    threads += set(threading.enumerate()) - before
    for thread in threads:
        thread.join(SOON)
        assert not thread.is_alive(), thread.name
    assert os.read(from_engine, 100) == b"= \n\n"
    for descriptor in (from_us, from_engine, to_us):
        os.close(descriptor)


def test_an_ignored_signal_stays_ignored() -> None:
    # Shell scripts make background jobs ignore SIGINT.
    process = subprocess.Popen(
        ["/bin/sh", "-c", 'trap "" INT; exec "$@"', "sh", sys.executable, "-c", PROGRAM, "gtp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
    )
    with process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(b"name\n")
        assert process.stdout.read(13) == b"= Trivalent\n\n"
        process.send_signal(signal.SIGINT)
        process.stdin.write(b"name\n")
        assert process.stdout.read(13) == b"= Trivalent\n\n"
        process.stdin.close()
        assert process.wait(HANGS) == 0


def test_an_engine_survives_being_stopped_and_continued() -> None:
    with Engine("--nodes", "200") as engine:
        engine.ask("name")
        engine.send(b"genmove b\n")
        engine.process.send_signal(signal.SIGSTOP)
        engine.send(b"name\n")
        time.sleep(0.1)
        engine.process.send_signal(signal.SIGCONT)
        assert engine.reply().startswith(b"= ")
        assert engine.reply() == b"= Trivalent\n\n"


def test_the_smallest_and_largest_boards() -> None:
    sizes = ("1", "1 63", "63 1", "63", "63 63", "2 63")
    with Engine("--nodes", "10") as engine:
        for game, size in itertools.product(("hex", "y"), sizes):
            engine.ask(f"set_game {game}")
            ok = engine.ask(f"boardsize {size}").startswith(b"=")
            assert ok == (game == "hex" or size in ("1", "63", "63 63"))
            if not ok:
                continue
            for colour in ("b", "w", "b"):
                assert engine.ask(f"genmove {colour}").startswith(b"= ")
            board = engine.ask("showboard")
            assert max(map(len, board.split(b"\n"))) < 400
            assert engine.ask("undo") == b"= \n\n"
        engine.close_input()
        assert engine.finish() == b""


def test_two_engines_do_not_mix() -> None:
    with Engine("--nodes", "50") as one, Engine("--nodes", "50") as two:
        moves = [(one.ask("genmove b"), two.ask("genmove b")) for _ in range(3)]
        assert all(a == b for a, b in moves)
        one.ask("clear_board")
        assert one.ask("showboard") != two.ask("showboard")


def test_commands_while_another_thread_reads() -> None:
    with Engine("--nodes", "1") as engine:
        received: list[bytes] = []
        count = 3000
        reader = threading.Thread(
            target=lambda: received.extend(engine.reply() for _ in range(count))
        )
        reader.start()
        for i in range(count):
            engine.send(b"%d known_command x\n" % i)
        reader.join(HANGS)
        assert received == [b"=%d false\n\n" % i for i in range(count)]


def test_pondering_ends_with_the_next_command() -> None:
    with Engine("--nodes", "20", "--ponder", "100000", "--boardsize", "9") as engine:
        engine.send(b"genmove black\n")
        assert engine.reply().startswith(b"= ")
        time.sleep(0.3)
        # A new search can start only after the pondering has ended.
        engine.send(b"genmove white\nshowboard\nquit\n")
        assert engine.reply(SOON).startswith(b"= ")
        assert engine.block(SOON).count(b"W ") == 2
        assert engine.reply(SOON) == b"= \n\n"
        assert engine.process.wait(SOON) == 0


@pytest.mark.parametrize("end", ["close", "terminate"])
def test_pondering_ends_with_the_controller(end: str) -> None:
    with Engine("--nodes", "20", "--ponder", "100000") as engine:
        engine.send(b"genmove black\n")
        assert engine.reply().startswith(b"= ")
        if end == "close":
            assert engine.process.stdin
            engine.process.stdin.close()
        else:
            engine.process.terminate()
        engine.process.wait(SOON)
