"""Long sessions, long lines, signals, closed pipes, failures, on real pipes."""

from __future__ import annotations

import contextlib
import signal
import time
from typing import TYPE_CHECKING

import pytest

from pipes import FAULTY, HANGS, LONG, PROGRAM, SOON, Engine, needs_proc, run

if TYPE_CHECKING:
    from pathlib import Path

OK = b"= \n\n"


@needs_proc
def test_30_fifteen_thousand_commands_in_flat_memory() -> None:
    script = [
        ("{} play b a1", "={} "), ("{} play w a1", "?{} illegal move: a1 is occupied"),
        ("{} showboard", None), ("{} genmove w", None), ("{} nope", "?{} unknown command: nope"),
        ("{} undo", "={} "), ("{} undo", "={} "), ("{} undo", "?{} cannot undo"),
        ("{} boardsize 4", "={} "), ("{} final_score", None),
    ]  # fmt: skip
    memory = []
    with Engine("--nodes", "2", "--boardsize", "5", "--set", "memory=1") as engine:
        for batch in range(15):
            numbers = range(1000 * batch, 1000 * (batch + 1))
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
    assert memory[-1] - memory[5] < 1000


def test_30_many_commands_in_one_write() -> None:
    answers = run(b"genmove b\n" + b"".join(b"%d name\n" % i for i in range(10_000)))
    assert answers[1:] == [b"=%d Trivalent" % i for i in range(10_000)]


def test_30_a_line_of_almost_the_maximum_length() -> None:
    # All cells of the largest board; many blanks make it as long as a line may be.
    with Engine("--boardsize", "63") as engine:
        cells = engine.succeed("all_legal_moves").split()
        line = (250 * " ").join(["play-game", *cells])
        assert 900_000 < len(line) < 1 << 20
        assert engine.ask(line) == OK
        assert engine.succeed("winner") != "none"
        assert engine.succeed("all_legal_moves") == ""
        assert engine.ask("undo") == OK
        engine.refuse(line + " a1", b"illegal move: move 3970: a1 is occupied")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
@pytest.mark.parametrize("searching", [True, False])
def test_30_signals_end_it_at_once(number: int, searching: bool) -> None:
    with Engine(*LONG) as engine:
        engine.ask("name")
        if searching:
            engine.send(b"genmove b\n")
            time.sleep(0.2)
        engine.process.send_signal(number)
        assert engine.finish(code=-number, seconds=SOON) == b""


@pytest.mark.parametrize("before", [b"", b"name\n"])
def test_30_output_closed_while_idle(before: bytes) -> None:
    with Engine() as engine:
        if before:
            engine.send(before)
            engine.reply()
        engine.close_output()
        with contextlib.suppress(BrokenPipeError):  # the engine may have noticed and exited
            engine.send(b"name\nname\n")
        engine.close_input()
        assert engine.finish() == b""


@pytest.mark.parametrize("close_input", [False, True])
def test_30_output_closed_while_searching(close_input: bool) -> None:
    with Engine(*LONG) as engine:
        engine.ask("name")
        engine.send(b"genmove b\ngenmove w\n")
        time.sleep(0.2)
        if close_input:
            engine.close_input()
            time.sleep(0.1)
        engine.close_output()
        # Nobody will read the move, so the search of two minutes must stop.
        assert engine.finish(seconds=SOON) == b""


@pytest.mark.parametrize("quiet", [True, False])
def test_31_and_32_errors_are_contained_and_diagnostics_never_block(quiet: bool) -> None:
    options = ["--quiet"] if quiet else ["--nodes", "1"]
    count = 100  # tracebacks of more than 15 KB: many times what a pipe holds
    with Engine(*options, program=FAULTY + PROGRAM) as engine:
        for _ in range(count):
            assert engine.ask("genmove b").startswith(b"? internal error: RuntimeError: out of or")
        assert engine.ask("showboard").startswith(b"= ")
        engine.close_input()
        assert engine.process.wait(HANGS) == 0
        assert engine.process.stderr
        diagnostics = engine.process.stderr.read()
    assert diagnostics.startswith(b"" if quiet else b"trivalent.gtp.engine.session: genmove b\n")
    assert bool(diagnostics) != quiet


def test_33_start_options_of_tournament_scripts(tmp_path: Path) -> None:
    # benzene's tournament script appends these to any command.
    log = tmp_path / "log"
    options = ("--nodes", "30", "--seed", "2", "--logfile-name", str(log))
    moves = run(b"genmove b\ngenmove w\n", *options)
    assert run(b"genmove b\ngenmove w\n", *options, "--quiet") == moves
    assert run(b"genmove b\n", *options, program=FAULTY + PROGRAM)[0].startswith(b"? internal")
    assert "out of order" in log.read_text(encoding="utf-8")


def test_33_ignorable_options(tmp_path: Path) -> None:
    config = tmp_path / "config"
    config.write_text("play b b2\n", encoding="ascii")
    options = ["--seed", "3", "--logfile-name", str(tmp_path / "log"), "--config", str(config),
               "--boardsize", "2", "--quiet"]  # fmt: skip
    assert run(b"all_legal_moves\n", *options) == [b"= a1 b1 a2"]
