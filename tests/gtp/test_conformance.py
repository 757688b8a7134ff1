"""The conformance list: what HexGui, GoGui, gomill and benzene need of an engine, point by point.

On the bytes of real pipes.  Each test has the number of its point.
"""

from __future__ import annotations

import contextlib
import re
import signal
import socket
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from sockets import Remote

from pipes import (
    FAULTY,
    HANGS,
    LONG,
    PATIENT,
    PROGRAM,
    SOON,
    Engine,
    assert_well_formed,
    needs_proc,
    replies,
    run,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

OK = b"= \n\n"
NAME = b"= Trivalent\n\n"

FRAMING = [
    # 1: status, blank, text, one empty line
    (b"name\n", NAME),
    (b"komi 0\n", OK),
    (b"nope\n", b"? unknown command: nope\n\n"),
    # 2: ids
    (b"7 name\n", b"=7 Trivalent\n\n"),
    (b"7 komi 0\n", b"=7 \n\n"),
    (b"7 nope\n", b"?7 unknown command: nope\n\n"),
    (b"0 name\n", b"=0 Trivalent\n\n"),
    (b"00012 name\n", b"=00012 Trivalent\n\n"),
    (b"2147483647 name\n", b"=2147483647 Trivalent\n\n"),
    (b"2147483648 name\n", b"? unknown command: 2147483648\n\n"),
    (b"9999999999999 name\n", b"? unknown command: 9999999999999\n\n"),
    (b"-3 name\n", b"? unknown command: -3\n\n"),
    (b"8name\n", b"? unknown command: 8name\n\n"),
    # 3: nothing to answer
    (b"5\n", b""),
    (b"\n\n\n", b""),
    (b" \t \n\r\n", b""),
    (b"# name\n#name\n  # name\n", b""),
    (b"\x00\x01\x02\n", b""),
    # 4: comments
    (b"5 # name\n", b""),
    (b"5#name\n", b""),
    (b"name # comment\n", NAME),
    (b"name#comment\n", NAME),
    (b"3 name#comment # more\n", b"=3 Trivalent\n\n"),
    # 5: blanks and control characters
    (b"name\r\n", NAME),
    (b"\rna\rme\r\n", NAME),
    (b"n\x00a\x01\x07m\x0be\x0c\x7f\n", NAME),
    (b"\t known_command \t\tname\t\n", b"= true\n\n"),
    (b"\xff\xfe\xc3\xa9\n", b"? unknown command: ????\n\n"),
    # 11: cases differ
    (b"NAME\n", b"? unknown command: NAME\n\n"),
    (b"Play b a1\n", b"? unknown command: Play\n\n"),
    (b"protocol_version\n", b"= 2\n\n"),
]


@pytest.fixture(params=[Engine, Remote], ids=["pipes", "tcp"])
def start(request: pytest.FixtureRequest) -> type[Engine | Remote]:
    """What starts an engine with some options: at the end of pipes, and at that of a connection."""
    carrier: type[Engine | Remote] = request.param
    return carrier


@pytest.fixture
def engine(start: type[Engine | Remote]) -> Iterator[Engine]:
    """An engine with a board of 5x5, which has to end cleanly."""
    with start("--nodes", "20", "--boardsize", "5", "--seed", "1") as engine:
        yield engine
        engine.close_input()
        assert engine.finish() == b""


def succeed(engine: Engine, *lines: str) -> str:
    """Send lines that must succeed; return the text of the last reply."""
    text = ""
    for line in lines:
        reply = engine.ask(line)
        assert reply.startswith(b"= "), (line, reply)
        text = reply[2:].decode().strip()
    return text


def refuse(engine: Engine, line: str | bytes, beginning: bytes = b"") -> None:
    """Send a line that must be refused, with a reason, and must change nothing."""
    before = engine.ask("showboard")
    reply = engine.ask(line)
    assert reply.startswith(b"? " + beginning), (line[:50], reply)
    assert engine.ask("showboard") == before, line[:50]


def test_01_to_05_and_11_syntax(start: type[Engine | Remote]) -> None:
    with start() as engine:
        for line, expected in FRAMING:
            engine.send(line + b"999 komi 1\n")
            if expected:
                assert engine.reply() == expected
            assert engine.reply() == b"=999 \n\n"
        engine.close_input()
        assert engine.finish() == b""


def test_06_the_last_line_needs_no_end() -> None:
    assert run(b"name") == [b"= Trivalent"]
    assert run(b"nam") == [b"? unknown command: nam"]
    assert run(b"play b a1\n5 genmove w")[1].startswith(b"=5 ")
    assert run(b"5") == []
    assert run(b"") == []
    assert run(b"\n") == []
    assert run(b"# interrupt") == []
    assert run(b"# interr") == []
    assert run(b"name\nquit") == [b"= Trivalent", b"= "]


def test_06_what_is_queued_at_the_end_is_answered() -> None:
    lines = [b"%d genmove %s" % (i, b"bw"[i % 2 : i % 2 + 1]) for i in range(40)]
    answers = run(b"\n".join(lines), "--nodes", "20", "--boardsize", "5")
    assert [answer.split()[0] for answer in answers] == [b"=%d" % i for i in range(40)]


def test_07_packets_do_not_matter() -> None:
    lines = b"".join(line for line, _ in FRAMING)
    answers = b"".join(reply for _, reply in FRAMING)
    assert run(lines) == replies(answers)  # all in one packet
    with Engine() as engine:
        for byte in lines:  # every command in as many packets as it can have
            engine.send(bytes([byte]))
        engine.close_input()
        assert engine.finish() == answers


def test_07_one_command_in_a_hundred_packets_and_two_in_one(engine: Engine) -> None:
    line = b"play-game " + b" ".join(f"{x}{y}".encode() for x in "abcde" for y in range(1, 6))
    line += (100 - len(line)) * b" " + b"\n"
    assert len(line) > 100
    for byte in line:
        engine.send(bytes([byte]))
        time.sleep(0.001)
    assert engine.reply() == OK
    engine.send(b"1 name\n2 komi 0\n")
    assert engine.reply() == b"=1 Trivalent\n\n"
    assert engine.reply() == b"=2 \n\n"


def test_08_every_reply_is_well_formed(engine: Engine) -> None:
    succeed(engine, "play b c3")
    for name in succeed(engine, "list_commands").split("\n"):
        if name in ("quit", "lz-analyze", "kata-analyze", "savesgf"):
            continue
        for arguments in ("", "b", "c3", "b c4", "a b c d", "\tb\t", "\xff \x01"):
            engine.ask(f"{name} {arguments}")  # which checks the form
    with Engine(program=FAULTY + PROGRAM) as faulty:  # its error has empty lines and a TAB
        assert faulty.ask("genmove b").startswith(b"? internal error: RuntimeError: out of order")


def test_09_nothing_comes_before_the_first_command() -> None:
    with Engine() as engine:
        assert not engine.hears(0.3)
        assert engine.ask("name") == NAME
        engine.ask("genmove b")
        assert not engine.hears(0.1)


def test_09_one_write_for_each_reply() -> None:
    # A worker takes for the reply what has come until the output is silent for 20 ms.
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, Engine("--nodes", "20", stdout=theirs.fileno()) as engine:
        theirs.close()
        ours.settimeout(HANGS)
        lines = ["name", "list_commands", "boardsize 63", "showboard", "genmove b", "nope", "help",
                 "showboard", "hexgui-analyze_commands", "play b", "all_legal_moves"]  # fmt: skip
        engine.send("\n".join([*lines, ""]).encode())
        for _ in lines:
            assert_well_formed(ours.recv(1 << 20))
        engine.close_input()
        assert ours.recv(1 << 20) == b""


def test_10_text_begins_beside_the_status_or_under_a_blank(engine: Engine) -> None:
    for line in ("showboard", "param_game", "param_player", "list_commands", "help play"):
        first, *others = engine.ask(line).split(b"\n")
        assert first.startswith(b"= ")
        assert all(others[:-2])


def test_12_bad_arguments_change_nothing(engine: Engine) -> None:
    succeed(engine, "play b c3", "param_game allow_swap 1")
    for line in ("name x", "play", "play b", "play b a1 w", "genmove", "genmove x", "genmove b w",
                 "undo 2", "showboard x", "clear_board x", "komi", "komi x", "time_left b",
                 "time_settings 1 2", "set_game go", "param_game no 1"):  # fmt: skip
        refuse(engine, line)


@pytest.mark.parametrize("start", ["clear_board", "set_game y"])
def test_12_bad_lines_leave_the_board_alone(start: str) -> None:
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


def test_13_known_commands(engine: Engine) -> None:
    names = succeed(engine, "list_commands").split("\n")
    assert len(set(names)) == len(names)
    for name in names:
        assert succeed(engine, f"known_command {name}") == "true"
    assert succeed(engine, "known_command NAME") == "false"
    refuse(engine, "known_command")


def test_14_introduction(start: type[Engine | Remote]) -> None:
    with start() as engine:
        for line in ("protocol_version", "name", "version"):
            text = succeed(engine, line)
            assert text
            assert "\n" not in text
        assert succeed(engine, "protocol_version") == "2"


@pytest.mark.parametrize("line", [b"quit\n", b"quit", b"quit now\n", b"quit \t # bye\r\n"])
def test_15_quit(line: bytes, start: type[Engine | Remote]) -> None:
    with start() as engine:
        engine.send(line)
        if not line.endswith(b"\n"):
            engine.close_input()
        assert engine.reply() == b"= \n\n"
        assert engine.finish() == b""


def test_15_quit_with_an_id_and_pending_input(start: type[Engine | Remote]) -> None:
    with start() as engine:
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


def test_16_boardsize(engine: Engine) -> None:
    succeed(engine, "boardsize 5 5", "play b c3")
    for size in ("", "0", "-1", "64", "1" + 30 * "0", "x", "5 0", "5 64", "5 6 7", "5.0", "5x5"):
        refuse(engine, f"boardsize {size}", b"unacceptable size")
    for size in ("5", "5 5", "7 4", "4 7", "63", "1"):
        succeed(engine, "play b a1" if size != "5" else "name", f"boardsize {size}")
        width, height = map(int, (size.split() * 2)[:2])
        assert len(succeed(engine, "all_legal_moves").split()) == width * height
        assert succeed(engine, "winner") == "none"


def test_17_clear_board(engine: Engine) -> None:
    succeed(engine, "boardsize 4 6")
    for _ in range(3):
        succeed(engine, "clear_board")
        assert len(succeed(engine, "all_legal_moves").split()) == 24
        refuse(engine, "undo")
        succeed(engine, "play w b2")


def test_18_play(engine: Engine) -> None:
    succeed(engine, "play b a1", "play B A2", "play black b1", "play WHITE e5", "play w E4")
    for cell in ("a1", "A2", "e5"):
        refuse(engine, f"play w {cell}", b"illegal move")
    for cell in ("a0", "a6", "f1", "zz9", "a", "1", "-", "a1a", "a01"):
        refuse(engine, f"play b {cell}", b"illegal move")
    for colour in ("x", "c3", "bw", "blackish", "0"):
        refuse(engine, f"play {colour} c3", b"invalid colour")
    succeed(engine, "play b a3", "play b a4", "play b a5")
    assert succeed(engine, "final_score") == "B+"
    succeed(engine, "play w c3", "play b c4")  # also when the game is over


def test_19_a_resignation_changes_nothing(engine: Engine) -> None:
    succeed(engine, "play b c3")
    before = engine.ask("showboard")
    succeed(engine, "play w resign", "play b RESIGN")
    assert engine.ask("showboard") == before


def test_20_swaps_and_passes(engine: Engine) -> None:
    refuse(engine, "play w swap-pieces", b"illegal move")
    succeed(engine, "play b a2")
    refuse(engine, "play w swap-pieces", b"illegal move")  # not unless it is allowed
    succeed(engine, "param_game allow_swap 1")
    refuse(engine, "play b swap-pieces", b"illegal move")
    succeed(engine, "play w swap-pieces")
    assert succeed(engine, "group-get b1") == "b1"
    refuse(engine, "play b swap-pieces", b"illegal move")
    succeed(engine, "play b pass")  # hands on the turn
    assert "white to move" in succeed(engine, "showboard")


def test_21_undo(engine: Engine) -> None:
    refuse(engine, "undo", b"cannot undo")
    boards = [engine.ask("showboard")]
    steps = ["play b b3", "param_game allow_swap 1", "play w swap-pieces", "genmove b", "play w d4",
             "play b pass"]  # fmt: skip
    for line in steps:
        succeed(engine, line)
        if not line.startswith("param"):
            boards.append(engine.ask("showboard"))
    succeed(engine, "play b resign")  # no step of its own
    for board in boards[-2::-1]:
        succeed(engine, "undo")
        assert engine.ask("showboard") == board
    refuse(engine, "undo", b"cannot undo")


def test_22_genmove(engine: Engine) -> None:
    succeed(engine, "boardsize 3")
    empty = succeed(engine, "all_legal_moves").split()
    refuse(engine, "genmove")
    refuse(engine, "genmove c3")
    for colour in ("w", "white", "B", "black", "WHITE", "b", "w", "b", "w"):  # out of turn too
        won = succeed(engine, "winner") != "none"
        move = succeed(engine, f"genmove {colour}")
        if won:
            assert move == "resign"
            continue
        empty.remove(move)
        assert succeed(engine, f"group-get {move}").startswith(move)
    assert succeed(engine, "winner") != "none"
    for cell in empty:
        succeed(engine, f"play b {cell}")
    for colour in "bw":
        assert succeed(engine, f"genmove {colour}") == "resign"  # on a full board


def test_23_reg_genmove(engine: Engine) -> None:
    succeed(engine, "play b c3")
    before = engine.ask("showboard")
    move = succeed(engine, "reg_genmove w")
    assert engine.ask("showboard") == before
    assert succeed(engine, "reg_genmove w") == move
    succeed(engine, "genmove w", "undo")
    assert succeed(engine, "reg_genmove w") == move


def test_24_showboard(engine: Engine) -> None:
    stones = 0
    for line, change in [("play b c3", 1), ("genmove w", 1), ("undo", -1), ("reg_genmove w", 0),
                         ("play w c3", 0), ("play w pass", 0), ("boardsize 9", -1),
                         ("play b a9", 1), ("clear_board", -1)]:  # fmt: skip
        engine.ask(line)
        stones += change
        board = succeed(engine, "showboard").split("\n")[1:-2]
        assert sum(row.count("B ") + row.count("W ") for row in (f"{r} " for r in board)) == stones


def test_25_komi_changes_nothing(engine: Engine) -> None:
    before = engine.ask("showboard")
    for komi in ("0", "7.5", "-3"):
        assert engine.ask(f"komi {komi}") == OK
    assert engine.ask("showboard") == before


def test_26_time(engine: Engine) -> None:
    for line in ("time_settings 0 1 0", "time_settings 60 0 0", "time_settings 0 10 1",
                 "time_left b 5 0", "time_left WHITE 3.5 2"):  # fmt: skip
        assert engine.ask(line) == OK
        succeed(engine, "reg_genmove w")
    for line in ("time_settings", "time_settings x 1 1", "time_left b -1 0", "time_left x 1 1"):
        refuse(engine, line)


def test_27_final_score(engine: Engine) -> None:
    succeed(engine, "boardsize 2")
    refuse(engine, "final_score", b"cannot score")
    succeed(engine, "play b a1", "play b a2")
    assert engine.ask("final_score") == b"= B+\n\n"
    succeed(engine, "clear_board", "play w a1", "play w b1")
    assert engine.ask("final_score") == b"= W+\n\n"


@pytest.mark.parametrize("start", [Engine])  # a server touches no files
def test_28_loadsgf(engine: Engine, tmp_path: Path) -> None:
    file = tmp_path / "game.sgf"
    file.write_text("(;FF[4]GM[11]SZ[4];B[a2];W[b3];B[c1])", encoding="ascii")
    for line in ("loadsgf", "loadsgf no-such-file", f"loadsgf {tmp_path}", f"loadsgf {file} x"):
        refuse(engine, line)
    file.with_name("bad.sgf").write_bytes(b"\x00\xff(no game")
    refuse(engine, f"loadsgf {tmp_path}/bad.sgf", b"cannot load file")
    succeed(engine, f"loadsgf {file} 2")
    assert len(succeed(engine, "all_legal_moves").split()) == 14
    succeed(engine, f"loadsgf {file}")
    assert len(succeed(engine, "all_legal_moves").split()) == 13


@pytest.mark.parametrize(
    "interrupt",
    [b"# interrupt\n", b"# interrupt\r\n", b" \t# interrupt \n", b"# interrupt\n# interrupt\n",
     b"\n# comment\n# interrupt\n", 100_000 * b"\n# comment\n" + b"# interrupt\n"],
    ids=["plain", "cr", "blanks", "twice", "after comments", "after a flood"],
)  # fmt: skip
def test_29_interrupt_while_searching(interrupt: bytes, start: type[Engine | Remote]) -> None:
    with start(*LONG) as engine:
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
def test_29_interrupt_in_the_same_packet(command: bytes, start: type[Engine | Remote]) -> None:
    with start(*LONG) as engine:
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


def test_29_interrupts_stop_nothing_later(start: type[Engine | Remote]) -> None:
    with start("--seconds", "0.5", program=PATIENT + PROGRAM) as engine:
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
def test_29_comments_that_do_not_interrupt(comment: bytes, start: type[Engine | Remote]) -> None:
    with start("--seconds", "0.2", program=PATIENT + PROGRAM) as engine:
        engine.send(b"reg_genmove b\n" + comment)
        assert engine.reply() == b"= a1\n\n"
        engine.close_input()
        assert len(replies(engine.finish())) == (not comment.startswith(b"#"))


def test_29_an_idle_interrupt_does_not_change_a_search() -> None:
    options = ("--nodes", "3000", "--seed", "5")
    assert run(b"# interrupt\n# interrupt\nboardsize 7\n# interrupt\ngenmove b\n", *options) == run(
        b"boardsize 7\ngenmove b\n", *options
    )


def test_29_the_ability_is_announced(engine: Engine) -> None:
    assert succeed(engine, "known_command gogui-interrupt") == "true"
    assert engine.ask("gogui-interrupt") == OK
    refuse(engine, "gogui-interrupt now")


@needs_proc
def test_30_a_hundred_thousand_commands_in_flat_memory() -> None:
    script = [
        ("{} play b a1", "={} "), ("{} play w a1", "?{} illegal move: a1 is occupied"),
        ("{} showboard", None), ("{} genmove w", None), ("{} nope", "?{} unknown command: nope"),
        ("{} undo", "={} "), ("{} undo", "={} "), ("{} undo", "?{} cannot undo"),
        ("{} boardsize 4", "={} "), ("{} final_score", None),
    ]  # fmt: skip
    memory = []
    with Engine("--nodes", "2", "--boardsize", "5", "--set", "memory=1") as engine:
        for batch in range(100):
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
    assert memory[-1] - memory[20] < 1000


def test_30_many_commands_at_once() -> None:
    answers = run(b"genmove b\n" + b"".join(b"%d name\n" % i for i in range(30_000)))
    assert answers[1:] == [b"=%d Trivalent" % i for i in range(30_000)]


def test_30_long_lines() -> None:
    # All cells of the largest board; many blanks make it as long as a line may be.
    with Engine("--boardsize", "63") as engine:
        cells = succeed(engine, "all_legal_moves").split()
        line = (250 * " ").join(["play-game", *cells])
        assert 900_000 < len(line) < 1 << 20
        assert engine.ask(line) == OK
        assert succeed(engine, "winner") != "none"
        assert succeed(engine, "all_legal_moves") == ""
        assert engine.ask("undo") == OK
        refuse(engine, line + " a1", b"illegal move: move 3970: a1 is occupied")


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
        with contextlib.suppress(BrokenPipeError):  # it may have seen it, and be gone
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
        # Nobody will ever read the move: there is no use in two minutes of search.
        assert engine.finish(seconds=SOON) == b""


@pytest.mark.parametrize("quiet", [True, False])
def test_31_and_32_errors_are_contained_and_diagnostics_never_block(quiet: bool) -> None:
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
    assert diagnostics.startswith(b"" if quiet else b"trivalent.gtp.engine.session: genmove b\n")
    assert bool(diagnostics) != quiet


@pytest.mark.parametrize("seed", ["1", "2"])
def test_33_start_options_of_tournament_scripts(seed: str, tmp_path: Path) -> None:
    # benzene's tournament script appends these to any command.
    log = tmp_path / "log"
    options = ("--nodes", "30", "--seed", seed, "--logfile-name", str(log))
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


# --- beyond the list: replies in pieces, drawings ---


@pytest.mark.parametrize("command", ["lz-analyze b 2", "kata-analyze 2 ownership true"])
def test_streams_end_with_the_next_line_of_any_kind(
    command: str, start: type[Engine | Remote]
) -> None:
    entry = rb"info move [a-k]\d+ visits \d+ winrate [\d.]+ .*pv [a-k]\d+.*"
    with start(*LONG) as engine:
        for line in (b"999 name", b"", b"# comment", b"# interrupt", b" \r", b"5", b"nope"):
            engine.send(f"3 {command}\n".encode())
            assert b"\n\n" not in engine.wait_for(b"\ninfo ", 3)
            engine.send(line + b"\n")
            status, *lines = engine.reply(SOON).removesuffix(b"\n\n").split(b"\n")
            assert status == b"=3 "
            for text in lines:
                assert re.fullmatch(entry, text), text
            if line in (b"999 name", b"nope"):
                engine.reply()
        engine.send(f"{command}\n# interrupt\n{command}\nname\n".encode())  # all at once
        for _ in range(2):
            assert engine.reply(SOON).startswith(b"= \n")
        assert engine.reply() == NAME
        engine.send(b"4 " + command.encode())
        engine.close_input()
        assert len(replies(engine.finish(seconds=SOON))) == 1


def test_streams_end_when_nobody_listens() -> None:
    with Engine(*LONG) as engine:
        engine.send(b"kata-analyze b 5\n")
        engine.wait_for(b"\ninfo ")
        engine.close_output()
        assert b"\n\n" not in engine.finish(seconds=SOON)


def assert_hexgui_can_draw(block: bytes, cells: set[bytes]) -> None:
    """Insist on the form without which HexGui's command thread dies."""
    head, kind, var, influence, label, text, *end = block.split(b"\n")
    assert (head, kind, end) == (b"gogui-gfx:", b"uct", [b"", b""])
    word, *variation = var.split(b" ")
    assert word == b"VAR"
    assert len(variation) >= 2
    assert set(variation[::2]) <= {b"B", b"W"}
    assert set(variation[1::2]) <= cells
    for line, name in ((influence, b"INFLUENCE"), (label, b"LABEL")):
        word, *pairs = line.split(b" ")
        assert word == name
        assert len(pairs) >= 2
        assert len(pairs) % 2 == 0
        assert set(pairs[::2]) <= cells
        assert all(pairs)
    assert all(0 <= float(value) <= 1 for value in influence.split(b" ")[2::2])
    assert text.startswith(b"TEXT ")
    assert text.strip() != b"TEXT"


@pytest.mark.parametrize(("game", "size"), [("hex", "9 14"), ("hex", "63 63"), ("y", "12")])
def test_live_graphics_come_before_the_reply(
    game: str, size: str, start: type[Engine | Remote]
) -> None:
    with start("--seconds", "0.9", "--game", game) as engine:
        succeed(engine, f"boardsize {size}", "param_search live_graphics 1")
        cells = set(succeed(engine, "all_legal_moves").encode().split())
        for command in (b"3 genmove b\n", b"3 reg_genmove w\n"):
            engine.send(command)
            blocks = []
            while (block := engine.block()).startswith(b"gogui-gfx:"):
                assert_hexgui_can_draw(block, cells)
                blocks.append(block)
            assert blocks
            assert_well_formed(block)
            assert block.removeprefix(b"=3 ").strip() in cells
        succeed(engine, "param_search live_graphics 0")
        engine.send(b"genmove w\n")
        assert_well_formed(engine.block())
        engine.close_input()
        assert engine.finish() == b""
