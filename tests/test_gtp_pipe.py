"""GTP over real pipes to a real engine process: framing, interrupts, floods, and broken ends."""

from __future__ import annotations

import contextlib
import os
import random
import select
import signal
import subprocess
import sys
import sysconfig
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Self

import pytest

from trivalent.bot.random_player import RandomPlayer
from trivalent.core.board import hex_board
from trivalent.gtp.commands import COMMANDS
from trivalent.gtp.session import Session
from trivalent.gtp.stream import serve

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

PROGRAM = "import sys; from trivalent.tools.cli import main; sys.exit(main())"

FAULTY = """
import sys
from trivalent.bot import players
from trivalent.bot.random_player import RandomPlayer
class Faulty(RandomPlayer):
    def genmove(self, colour, limits, stop, watch=None):
        raise RuntimeError("out of order" + 5000 * "\\n\\n= a1")
players.make_player = lambda name, values: Faulty()
"""

HANGS = 60.0
"""Seconds after which an engine that does not answer counts as hanging."""

SOON = 10.0
"""Seconds within which a search that could go on for much longer must have been given up."""

LONG = ("--seconds", "120")


class Engine:
    """An engine process, by its ends of the pipes."""

    def __init__(
        self,
        *options: str,
        program: str = PROGRAM,
        stdin: int = subprocess.PIPE,
        stdout: int = subprocess.PIPE,
    ) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", program, "gtp", *(options or ("--nodes", "20"))],
            stdin=stdin,
            stdout=stdout,
            stderr=subprocess.PIPE,
            bufsize=0,
        )
        self._read = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream:
                stream.close()

    def send(self, data: bytes) -> None:
        assert self.process.stdin
        while data:
            data = data[os.write(self.process.stdin.fileno(), data) :]

    def receive(self, seconds: float = HANGS) -> bytes:
        """Return what is there next; nothing at the end; fail if there is nothing for so long."""
        assert self.process.stdout
        ready, _, _ = select.select([self.process.stdout], [], [], seconds)
        assert ready, f"no answer within {seconds} seconds"
        return os.read(self.process.stdout.fileno(), 1 << 16)

    def reply(self, seconds: float = HANGS) -> bytes:
        """Return the next reply, up to and with its empty line."""
        while b"\n\n" not in self._read:
            data = self.receive(seconds)
            assert data, f"the engine ends after {self._read!r}"
            self._read += data
        end = self._read.index(b"\n\n") + 2
        reply, self._read = self._read[:end], self._read[end:]
        assert_well_formed(reply)
        return reply

    def ask(self, line: str | bytes) -> bytes:
        self.send((line.encode() if isinstance(line, str) else line) + b"\n")
        return self.reply()

    def close_input(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()

    def close_output(self) -> None:
        assert self.process.stdout
        self.process.stdout.close()

    def finish(self, *, code: int = 0, stderr: bytes = b"", seconds: float = HANGS) -> bytes:
        """Wait for the end, which must be clean; return what else came on stdout."""
        rest = self._read
        if self.process.stdout and not self.process.stdout.closed:
            while data := self.receive(seconds):
                rest += data
        assert self.process.wait(seconds) == code
        assert self.process.stderr
        assert self.process.stderr.read() == stderr
        return rest

    def status(self, key: str) -> int:
        """Return a number of /proc/PID/status, such as the memory (VmRSS, VmHWM) in KiB."""
        text = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return int(text.split(f"\n{key}:")[1].split()[0])


def assert_well_formed(reply: bytes) -> None:
    assert reply[:1] in (b"=", b"?")
    assert reply.split(b"\n")[0][1:].lstrip(b"0123456789")[:1] == b" "
    assert reply.endswith(b"\n\n")
    assert b"\n\n" not in reply[:-1]
    assert all(byte == 0x0A or 0x20 <= byte < 0x7F for byte in reply)


def replies(data: bytes) -> list[bytes]:
    """Cut an output into replies, without their ends."""
    assert data == b"" or data.endswith(b"\n\n")
    parts = data.split(b"\n\n")[:-1]
    for part in parts:
        assert_well_formed(part + b"\n\n")
    return parts


def run(data: bytes, *options: str, program: str = PROGRAM) -> list[bytes]:
    """Feed an engine and close its input; it must end cleanly.  Return the replies."""
    done = subprocess.run(
        [sys.executable, "-c", program, "gtp", *(options or ("--nodes", "20"))],
        input=data,
        capture_output=True,
        timeout=HANGS,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return replies(done.stdout)


def shell(command: str, *options: str, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run an engine, "$@", in a line of shell."""
    return subprocess.run(
        ["/bin/sh", "-c", command, "sh", sys.executable, "-c", PROGRAM, "gtp", *options],
        input=data,
        capture_output=True,
        timeout=HANGS,
        check=False,
    )


needs_proc = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc")


# --- start ---


def test_the_installed_program() -> None:
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


def test_start_is_light_and_silent() -> None:
    program = """
import sys
from trivalent.tools.cli import main
code = main()
sys.stderr.write(" ".join(name for name in ("numpy", "rich") if name in sys.modules))
sys.exit(code)
"""
    lines = b"name\nboardsize 7\ngenmove b\nplay w a1\nshowboard\nset_game y\ngenmove b\nquit\n"
    assert len(run(lines, program=program)) == 8
    with Engine() as engine:
        assert engine.process.stdout
        ready, _, _ = select.select([engine.process.stdout], [], [], 0.3)
        assert not ready, "nothing comes before the first command"
        assert engine.ask("name") == b"= Trivalent\n\n"


def test_a_configuration_runs_before_all_commands(tmp_path: Path) -> None:
    config = tmp_path / "config"
    config.write_bytes(b"# a comment\nboardsize 3\n\nplay b a1\r\n5 play w b2\n")
    assert run(b"all_legal_moves", "--config", str(config)) == [b"= b1 c1 a2 c2 a3 b3 c3"]


@pytest.mark.parametrize("line", ["nope", "play b z9", "quit", "boardsize 0"])
def test_bad_configurations_are_refused(line: str, tmp_path: Path) -> None:
    config = tmp_path / "config"
    config.write_text(f"boardsize 3\n{line}\n", encoding="ascii")
    done = shell('exec "$@"', "--config", str(config), data=b"name\n")
    assert (done.returncode, done.stdout) == (2, b"")
    assert f"{config}:2: {line.split(maxsplit=1)[0]}: ".encode() in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("seed", ["1", "2"])
def test_start_options_of_tournament_scripts(seed: str, tmp_path: Path) -> None:
    # benzene's tournament script appends these to any command.
    log = tmp_path / "log"
    options = ("--nodes", "30", "--seed", seed, "--logfile-name", str(log))
    moves = run(b"genmove b\ngenmove w\n", *options)
    assert run(b"genmove b\ngenmove w\n", *options, "--quiet") == moves
    assert run(b"genmove b\n", *options, program=FAULTY + PROGRAM)[0].startswith(b"? internal")
    assert "out of order" in log.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "options",
    [
        ["--nodes", "0"], ["--nodes", "-1"], ["--nodes", "1" + 5000 * "0"], ["--nodes", "x"],
        ["--nodes", "1" + 19 * "0"],
        ["--seconds", "nan"], ["--seconds", "0"], ["--seconds", "-1"], ["--seconds", "1e10"],
        ["--seconds", "inf"], ["--boardsize", "0"], ["--boardsize", "64"], ["--boardsize", "-1"],
        ["--boardsize", "1" + 30 * "0"], ["--game", "go"], ["--player", "nobody"],
        ["--set", "memory"], ["--set", "memory=0"], ["--set", "memory=1e3"], ["--set", "no=1"],
        ["--set", "memory=" + 5000 * "9"], ["--set", "resign=nan"], ["--set", "seed=-1"],
        ["--seed", "x"], ["--seed", str(2**64)], ["--no-such-option"], ["argument"],
        ["--logfile-name", "/"],
    ],
)  # fmt: skip
def test_bad_options_are_refused_at_once(
    options: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
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
        ("--nodes", "5000", "--set", "memory=1", "--set", "expand=1"),
        ("--nodes", "1" + 15 * "0", "--seconds", "0.1"),
        ("--nodes", "100", "--set", "resign=1", "--set", "explore=10"),
        ("--nodes", "100", "--seed", str(2**64 - 1)),
        ("--player", "random", "--seed", str(2**64 - 1)),
        ("--set", "memory=57000", "--nodes", "1", "--set", "rave=1e9"),
    ],
)
def test_extreme_options(options: tuple[str, ...]) -> None:
    lines = b"genmove b\ngenmove w\nboardsize 1\ngenmove w\nboardsize 63\ngenmove b\nset_game y\n"
    answers = run(lines + b"genmove w\nboardsize 1\ngenmove b\n", "--quiet", *options)
    assert len(answers) == 10
    for answer in answers:
        # There may be no room for the largest tree, but then that is what it says.
        assert answer.startswith(b"= ") or b"no room for a tree of 57000 MiB" in answer


# --- framing ---


def test_framing() -> None:
    table = [
        (b"name\n", b"= Trivalent\n\n"),
        (b"komi 0\n", b"= \n\n"),
        (b"nope\n", b"? unknown command: nope\n\n"),
        (b"NAME\n", b"? unknown command: NAME\n\n"),
        (b"7 name\n", b"=7 Trivalent\n\n"),
        (b"7 nope\n", b"?7 unknown command: nope\n\n"),
        (b"0 name\n", b"=0 Trivalent\n\n"),
        (b"00012 name\n", b"=00012 Trivalent\n\n"),
        (b"2147483647 name\n", b"=2147483647 Trivalent\n\n"),
        (b"2147483648 name\n", b"? unknown command: 2147483648\n\n"),
        (b"-3 name\n", b"? unknown command: -3\n\n"),
        (b"8name\n", b"? unknown command: 8name\n\n"),
        (b"5\n", b""),
        (b"5 # name\n", b""),
        (b"\n\n\n", b""),
        (b" \t \n\r\n", b""),
        (b"# name\n#name\n  # name\n", b""),
        (b"name # comment\n", b"= Trivalent\n\n"),
        (b"name#comment\n", b"= Trivalent\n\n"),
        (b"3 name#comment\n", b"=3 Trivalent\n\n"),
        (b"name\r\n", b"= Trivalent\n\n"),
        (b"\rna\rme\r\n", b"= Trivalent\n\n"),
        (b"n\x00a\x01\x07m\x0be\x0c\x7f\n", b"= Trivalent\n\n"),
        (b"\t known_command \t\tname\t\n", b"= true\n\n"),
        (b"\x00\x01\x02\n", b""),
        (b"\xff\xfe\xc3\xa9\n", b"? unknown command: ????\n\n"),
        (b"protocol_version\n", b"= 2\n\n"),
    ]
    with Engine() as engine:
        for line, expected in table:
            engine.send(line + b"999 komi 1\n")
            if expected:
                assert engine.reply() == expected
            assert engine.reply() == b"=999 \n\n"
        engine.close_input()
        assert engine.finish() == b""
    # In one packet, and byte by byte.
    lines = b"".join(line for line, _ in table)
    answers = b"".join(reply for _, reply in table)
    assert run(lines) == replies(answers)
    with Engine() as engine:
        for byte in lines:
            engine.send(bytes([byte]))
        engine.close_input()
        assert engine.finish() == answers


def test_the_last_line_needs_no_end() -> None:
    assert run(b"name") == [b"= Trivalent"]
    assert run(b"nam") == [b"? unknown command: nam"]
    assert run(b"play b a1\n5 genmove w")[1].startswith(b"=5 ")
    assert run(b"5") == []
    assert run(b"") == []
    assert run(b"\n") == []
    assert run(b"# interrupt") == []
    assert run(b"# interr") == []
    assert run(b"name\nquit") == [b"= Trivalent", b"= "]


@pytest.mark.parametrize("line", [b"quit\n", b"quit", b"quit now\n", b"quit \t # bye\r\n"])
def test_quit(line: bytes) -> None:
    with Engine() as engine:
        engine.send(line)
        if not line.endswith(b"\n"):
            engine.close_input()
        assert engine.reply() == b"= \n\n"
        assert engine.finish() == b""


def test_quit_with_an_id_and_pending_input() -> None:
    with Engine() as engine:
        engine.send(b"4 quit\n5 name\ngenmove b\nna")
        assert engine.reply() == b"=4 \n\n"
        assert engine.finish() == b""  # also with the input still open
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "gtp"],
        input=b"quit\n" + 2_000_000 * b"name\n",
        capture_output=True,
        timeout=HANGS,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"= \n\n", b"")


def test_hexgui_starts_up() -> None:
    newer = ["name", "version", "hexgui-analyze_commands", "boardsize 11 11", "clear_board",
             "clear_board", "play black a2", "play white f6", "clear_board", "play black b3",
             "showboard"]  # fmt: skip
    older = ["name", "version", "hexgui-analyze_commands", "boardsize 11 11", "showboard",
             "play black a1", "showboard", "boardsize 5 5", "showboard", "genmove white", "undo",
             "showboard", "quit"]  # fmt: skip
    for lines in (newer, older):
        with Engine() as engine:
            for line in lines:
                reply = engine.ask(line)
                assert reply.startswith(b"= ")
                if line == "showboard" and "undo" not in lines[: lines.index(line)]:
                    assert b"a  " in reply or b"a b" in reply
            if lines is newer:
                shown = engine.ask("showboard")
                assert shown.count(b"B ") == 2  # the stone and "B joins ..."
                engine.close_input()
            assert engine.finish() == b""


def test_board_after_boardsize_is_empty() -> None:
    with Engine() as engine:
        engine.ask("boardsize 5 5")
        empty = engine.ask("showboard")
        engine.ask("play b c3")
        assert engine.ask("showboard") != empty
        engine.ask("boardsize 5 5")
        assert engine.ask("showboard") == empty


@pytest.mark.parametrize("start", ["clear_board", "set_game y"])
def test_bad_lines_leave_the_board_alone(start: str) -> None:
    lines = [b"play b c3", b"play w c3", b"play b z9", b"play b a64", b"play x a1", b"play", b"zzz",
             b"boardsize 0", b"boardsize -1", b"boardsize 64", b"boardsize 1" + 30 * b"0",
             b"boardsize 11x", b"boardsize", b"boardsize 5 6 7", b"set_game go", b"undo 3",
             b"play w swap-pieces", b"genmove", b"genmove x", b"\xff\x00\xfe", b"play b \x80\x81",
             b"x" * 10_000_000, b"play b a1 " + b"1" * 10_000_000, b"9" * 1_000_000,
             b"boardsize " + b"7" * 1_000_000, b"komi " + b"x" * 1_000_000,
             b"time_settings " + b"7" * 1_000_000 + b" 1 1"]  # fmt: skip
    with Engine() as engine:
        for setup in (start, "play b c3", "play w b2"):
            assert engine.ask(setup) == b"= \n\n"
        before = engine.ask("showboard")
        for line in lines:
            assert engine.ask(line).startswith(b"? "), line[:50]
            assert engine.ask("showboard") == before, line[:50]
        assert engine.ask("5 " + 3_000_000 * "x").startswith(b"?5 ")
        assert engine.status("VmHWM") < 150_000
        engine.close_input()
        assert engine.finish() == b""


def test_long_lines_without_a_command_are_silent() -> None:
    long = 3_000_000
    for line in (b"#" + long * b"x", b"  # " + long * b"#", long * b" ", long * b"\t", long * b"\r",
                 b"5 # " + long * b"x"):  # fmt: skip
        assert run(line + b"\n7 name\n") == [b"=7 Trivalent"]
    assert run(long * b" " + b"name\n") == [b"= Trivalent"]


def test_noise() -> None:
    noise = random.Random(1).randbytes(300_000)  # with a line end in every 256 bytes
    answers = run(noise + b"\n999 name\n")
    assert answers[-1] == b"=999 Trivalent"
    assert len(answers) > 500


# --- many commands ---


@needs_proc
def test_ten_thousand_commands_in_flat_memory() -> None:
    script = [
        ("{} play b a1", "={} "), ("{} play w a1", "?{} illegal move: a1 is occupied"),
        ("{} showboard", None), ("{} genmove w", None), ("{} nope", "?{} unknown command: nope"),
        ("{} undo", "={} "), ("{} undo", "={} "), ("{} undo", "?{} cannot undo"),
        ("{} boardsize 5", "={} "), ("{} final_score", None),
    ]  # fmt: skip
    memory = []
    with Engine("--nodes", "2", "--set", "memory=1") as engine:
        for batch in range(40):
            numbers = range(250 * batch, 250 * (batch + 1))
            lines = [script[i % len(script)][0].format(i) for i in numbers]
            engine.send("\n".join([*lines, ""]).encode())
            for i in numbers:
                expected = script[i % len(script)][1]
                reply = engine.reply()
                assert reply[1:].split(b" ")[0] == str(i).encode()
                if expected is not None:
                    assert reply == (expected.format(i) + "\n\n").encode()
            memory.append(engine.status("VmRSS"))
        engine.close_input()
        assert engine.finish() == b""
    assert memory[-1] - memory[10] < 1000


def test_many_commands_at_once() -> None:
    answers = run(b"genmove b\n" + b"".join(b"%d name\n" % i for i in range(30_000)))
    assert answers[1:] == [b"=%d Trivalent" % i for i in range(30_000)]


@needs_proc
def test_floods_of_lines_without_a_command() -> None:
    with Engine() as engine:
        engine.ask("name")
        before = engine.status("VmRSS")
        for flood in (b"\n", b"# comment\n", b" \r\n", b"5\n", b"# interrupt\n", b"\x00\n"):
            engine.send(flood * 200_000)
            assert engine.ask("name") == b"= Trivalent\n\n"
        assert engine.status("VmRSS") - before < 20_000
        engine.close_input()
        assert engine.finish() == b""


@needs_proc
def test_all_sizes_in_bounded_memory() -> None:
    with Engine() as engine:
        memory = []
        for _ in range(3):
            for width in range(3, 64, 6):
                for height in range(3, 64, 6):
                    assert engine.ask(f"boardsize {width} {height}") == b"= \n\n"
            memory.append(engine.status("VmRSS"))
    assert memory[2] - memory[1] < 4000
    assert memory[2] < 200_000


@needs_proc
def test_descriptors_stay_few() -> None:
    with Engine() as engine:
        for _ in range(3):
            engine.ask("genmove b")
        assert len(list(Path(f"/proc/{engine.process.pid}/fd").iterdir())) == 3
        assert engine.status("Threads") <= 4


# --- interrupts ---


@pytest.mark.parametrize(
    "interrupt",
    [b"# interrupt\n", b"# interrupt\r\n", b" \t# interrupt \n", b"# interrupt\n# interrupt\n",
     b"\n# comment\n# interrupt\n", 100_000 * b"\n# comment\n" + b"# interrupt\n"],
    ids=["plain", "cr", "blanks", "twice", "after comments", "after a flood"],
)  # fmt: skip
def test_interrupt_while_searching(interrupt: bytes) -> None:
    with Engine(*LONG) as engine:
        assert engine.ask("boardsize 11") == b"= \n\n"
        engine.send(b"3 genmove b\n")
        time.sleep(0.2)  # most likely it searches by now; the other case has to work as well
        engine.send(interrupt)
        reply = engine.reply(SOON)
        assert reply.startswith(b"=3 ")
        assert reply.split()[1].decode() in {f"{x}{y}" for x in "abcdefghijk" for y in range(1, 12)}
        assert engine.ask("name") == b"= Trivalent\n\n"
        engine.close_input()
        assert engine.finish() == b""


@pytest.mark.parametrize("command", [b"genmove b", b"reg_genmove w"])
def test_interrupt_in_the_same_packet(command: bytes) -> None:
    with Engine(*LONG) as engine:
        for _ in range(3):
            engine.send(command + b"\n# interrupt\n")
            assert engine.reply(SOON).startswith(b"= ")
        # One for several commands before it.
        engine.send(b"1 genmove b\n2 genmove w\n# interrupt\n3 name\n4 genmove b\n# interrupt\n")
        for number in (1, 2, 3, 4):
            assert engine.reply(SOON).startswith(b"=%d " % number)
        # With the input closed behind it.
        engine.send(b"genmove w\n# interrupt")
        engine.close_input()
        assert len(replies(engine.finish(seconds=SOON))) == 1


# A player that searches, for so long, until it is stopped: it answers b1 for a stop, else a1.
PATIENT = """
import sys, time
from trivalent.bot import players
from trivalent.bot.random_player import RandomPlayer
class Patient(RandomPlayer):
    def genmove(self, colour, limits, stop, watch=None):
        end = time.monotonic() + limits.seconds
        while time.monotonic() < end and not stop.is_set:
            time.sleep(0.01)
        return self._position.board.cell("b1" if stop.is_set else "a1")
players.make_player = lambda name, values: Patient()
"""


def test_interrupts_stop_nothing_later() -> None:
    with Engine("--seconds", "0.5", program=PATIENT + PROGRAM) as engine:
        engine.send(b"# interrupt\n")
        assert engine.ask("reg_genmove b") == b"= a1\n\n"
        engine.send(b"# interrupt\n# interrupt\nreg_genmove b\n")
        assert engine.reply() == b"= a1\n\n"
        engine.send(b"reg_genmove b\n# interrupt\nreg_genmove b\nname\n# interrupt\n")
        assert engine.reply() == b"= b1\n\n"
        assert engine.reply() in (b"= b1\n\n", b"= a1\n\n")
        assert engine.reply() == b"= Trivalent\n\n"
        assert engine.ask("reg_genmove b") == b"= a1\n\n"
        engine.close_input()
        assert engine.finish() == b""


@pytest.mark.parametrize(
    "comment",
    [b"#interrupt\n", b"# interrupt now\n", b"# Interrupt\n", b"#  interrupt\n", b"interrupt\n",
     b"name # interrupt\n", b"# quit\n"],
)  # fmt: skip
def test_comments_that_do_not_interrupt(comment: bytes) -> None:
    with Engine("--seconds", "0.2", program=PATIENT + PROGRAM) as engine:
        engine.send(b"reg_genmove b\n" + comment)
        assert engine.reply() == b"= a1\n\n"
        engine.close_input()
        assert len(replies(engine.finish())) == (not comment.startswith(b"#"))


def test_an_idle_interrupt_does_not_change_a_search() -> None:
    options = ("--nodes", "3000", "--seed", "5")
    assert run(b"# interrupt\n# interrupt\nboardsize 7\n# interrupt\ngenmove b\n", *options) == run(
        b"boardsize 7\ngenmove b\n", *options
    )


# --- broken ends ---


@pytest.mark.parametrize(
    ("redirection", "output"),
    [
        ("<&-", b""),
        ("</dev/null", b""),
        (">&-", b""),
        ("2>&-", b"= Trivalent\n\n"),
        ("<&- >&-", b""),
        ("<&- >&- 2>&-", b""),
        (">/dev/full", b""),
    ],
)
def test_closed_from_the_start(redirection: str, output: bytes) -> None:
    done = shell(f'exec "$@" {redirection}', data=b"name\n")
    assert (done.returncode, done.stdout, done.stderr) == (0, output, b"")


@pytest.mark.parametrize("before", [b"", b"name\n"])
def test_output_closed_while_idle(before: bytes) -> None:
    with Engine() as engine:
        if before:
            engine.send(before)
            engine.reply()
        engine.close_output()
        with contextlib.suppress(BrokenPipeError):  # it may have seen it, and be gone
            engine.send(b"name\nname\n")
        engine.close_input()
        assert engine.finish() == b""


@pytest.mark.parametrize("close_input", [False, True])
def test_output_closed_while_searching(close_input: bool) -> None:
    with Engine(*LONG) as engine:
        engine.ask("name")
        engine.send(b"genmove b\ngenmove w\n")
        time.sleep(0.2)
        if close_input:
            engine.close_input()
            time.sleep(0.1)
        engine.close_output()
        # Nobody will ever read the move: there is no use in two minutes of search.
        assert engine.finish(seconds=SOON) == b""


def test_input_closed_while_searching() -> None:
    with Engine("--seconds", "0.3", program=PATIENT + PROGRAM) as engine:
        engine.send(b"1 reg_genmove b\n2 reg_genmove w\n3 name")
        engine.close_input()
        assert replies(engine.finish()) == [b"=1 a1", b"=2 a1", b"=3 Trivalent"]


def test_slow_reader() -> None:
    with Engine() as engine:
        engine.ask("boardsize 63")
        count = 300
        engine.send(count * b"showboard\n")
        time.sleep(0.2)  # long enough to fill the pipe
        size = len(engine.reply())
        assert size > 8000
        for _ in range(5):  # sips
            time.sleep(0.01)
            assert engine.process.stdout
            engine._read += os.read(engine.process.stdout.fileno(), 7)
        for _ in range(count - 1):
            assert len(engine.reply()) == size
        engine.close_input()
        assert engine.finish() == b""


def test_pipes_that_do_not_block() -> None:
    from_us, to_engine = os.pipe()
    from_engine, to_us = os.pipe()
    os.set_blocking(from_us, False)
    os.set_blocking(to_us, False)
    with Engine(stdin=from_us, stdout=to_us) as engine:
        os.close(from_us)
        os.close(to_us)
        time.sleep(0.3)  # it finds nothing to read
        os.write(to_engine, b"name\nboardsize 63\n" + 100 * b"showboard\n" + b"quit\n")
        time.sleep(0.3)  # it finds no room to write
        data = b""
        while chunk := os.read(from_engine, 1 << 16):
            data += chunk
        assert engine.process.wait(HANGS) == 0
        assert engine.process.stderr
        assert engine.process.stderr.read() == b""
    os.close(to_engine)
    os.close(from_engine)
    assert len(replies(data)) == 103


@pytest.mark.parametrize("quiet", [True, False])
def test_diagnostics_never_block(quiet: bool) -> None:
    options = ["--quiet"] if quiet else ["--nodes", "1"]
    count = 100  # of more than 15 KB each: many times what a pipe holds
    with Engine(*options, program=FAULTY + PROGRAM) as engine:
        for _ in range(count):
            assert engine.ask("genmove b").startswith(b"? internal error: RuntimeError: out of or")
        assert engine.ask("showboard").startswith(b"= ")
        engine.close_input()
        assert engine.process.wait(HANGS) == 0
        assert engine.process.stderr
        diagnostics = engine.process.stderr.read()
    assert diagnostics.startswith(b"" if quiet else b"trivalent.gtp.session: genmove b\n")
    assert bool(diagnostics) != quiet


def test_a_full_disk_does_not_block() -> None:
    # Nobody reads standard error; what cannot be logged must not end there instead.
    with Engine("--logfile-name", "/dev/full", program=FAULTY + PROGRAM) as engine:
        for _ in range(20):
            assert engine.ask("genmove b").startswith(b"? internal error: RuntimeError")
        engine.close_input()
        assert engine.finish() == b""


def test_a_session_that_has_ended_reads_no_more() -> None:
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


# --- signals ---


@pytest.fixture
def plain_signals() -> Iterator[None]:
    """Undo what nohup or a background job may have arranged for us and our children."""
    numbers = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    before = {number: signal.signal(number, signal.SIG_DFL) for number in numbers}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("plain_signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
@pytest.mark.parametrize("searching", [True, False])
def test_signals_end_it_at_once(number: int, searching: bool) -> None:
    with Engine(*LONG) as engine:
        engine.ask("name")
        if searching:
            engine.send(b"genmove b\n")
            time.sleep(0.2)
        engine.process.send_signal(number)
        assert engine.finish(code=-number, seconds=SOON) == b""


def test_an_ignored_signal_stays_ignored() -> None:
    # As for a job that a shell script has put into the background.
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


def test_stopped_and_continued() -> None:
    with Engine("--nodes", "200") as engine:
        engine.ask("name")
        engine.send(b"genmove b\n")
        engine.process.send_signal(signal.SIGSTOP)
        engine.send(b"name\n")
        time.sleep(0.1)
        engine.process.send_signal(signal.SIGCONT)
        assert engine.reply().startswith(b"= ")
        assert engine.reply() == b"= Trivalent\n\n"


# --- boards at the edge ---


@pytest.mark.parametrize("size", ["1", "1 63", "63 1", "63", "63 63", "2 63"])
def test_boards_at_the_edge(size: str) -> None:
    with Engine("--nodes", "10") as engine:
        for game in ("hex", "y"):
            engine.ask(f"set_game {game}")
            ok = engine.ask(f"boardsize {size}").startswith(b"=")
            assert ok == (game == "hex" or size in ("1", "63", "63 63"))
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
