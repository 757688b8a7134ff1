"""What HexGui, GoGui, gomill and benzene need of an engine, point by point, on real pipes.

Each test has the number of its point.  Points from 29 on are in test_interrupts.py and
test_robustness.py.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from pipes import (
    FAULTY,
    HANGS,
    PROGRAM,
    Engine,
    assert_well_formed,
    replies,
    run,
)

if TYPE_CHECKING:
    from pathlib import Path

    from sockets import Remote

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
    assert run(b"play b a1\n5 genmove w")[1].startswith(b"=5 ")
    assert run(b"5") == []
    assert run(b"") == []
    assert run(b"# interr") == []
    assert run(b"name\nquit") == [b"= Trivalent", b"= "]


def test_06_what_is_queued_at_the_end_is_answered() -> None:
    lines = [b"%d genmove %s" % (i, b"bw"[i % 2 : i % 2 + 1]) for i in range(40)]
    answers = run(b"\n".join(lines), "--nodes", "20", "--boardsize", "5")
    assert [answer.split()[0] for answer in answers] == [b"=%d" % i for i in range(40)]


def test_07_packet_boundaries_do_not_matter() -> None:
    lines = b"".join(line for line, _ in FRAMING)
    answers = b"".join(reply for _, reply in FRAMING)
    assert run(lines) == replies(answers)  # all in one packet
    with Engine() as engine:
        for byte in lines:  # one byte in each packet
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
    engine.succeed("play b c3")
    for name in engine.succeed("list_commands").split("\n"):
        if name in ("quit", "lz-analyze", "kata-analyze", "savesgf"):
            continue
        for arguments in ("", "b c4", "\tb\t", "\xff \x01"):
            engine.ask(f"{name} {arguments}")  # checks the form
    with Engine(program=FAULTY + PROGRAM) as faulty:  # the error has empty lines and a TAB
        assert faulty.ask("genmove b").startswith(b"? internal error: RuntimeError: out of order")


def test_09_the_engine_writes_nothing_before_the_first_command() -> None:
    with Engine() as engine:
        assert not engine.hears(0.3)
        assert engine.ask("name") == NAME
        engine.ask("genmove b")
        assert not engine.hears(0.1)


def test_09_each_reply_is_one_write() -> None:
    # Some workers take what arrives before a silence of 20 ms for the whole reply.
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
    engine.succeed("play b c3", "param_game allow_swap 1")
    for line in ("name x", "play", "play b", "play b a1 w", "genmove", "genmove x", "genmove b w",
                 "undo 2", "showboard x", "clear_board x", "komi", "komi x", "time_left b",
                 "time_settings 1 2", "set_game go", "param_game no 1"):  # fmt: skip
        engine.refuse(line)


@pytest.mark.parametrize("first", ["clear_board", "set_game y"])
def test_12_bad_lines_leave_the_board_alone(first: str) -> None:
    lines = [b"play b c3", b"play w c3", b"play b z9", b"play b a64", b"play x a1", b"play", b"zzz",
             b"boardsize 0", b"boardsize -1", b"boardsize 64", b"boardsize 1" + 30 * b"0",
             b"boardsize 11x", b"boardsize", b"boardsize 5 6 7", b"set_game go", b"undo 3",
             b"play w swap-pieces", b"genmove", b"genmove x", b"\xff\x00\xfe", b"play b \x80\x81",
             b"x" * 3_000_000, b"play b a1 " + b"1" * 3_000_000, b"9" * 1_000_000,
             b"boardsize " + b"7" * 1_000_000, b"komi " + b"x" * 1_000_000,
             b"time_settings " + b"7" * 1_000_000 + b" 1 1"]  # fmt: skip
    with Engine() as engine:
        for setup in (first, "play b c3", "play w b2"):
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
    names = engine.succeed("list_commands").split("\n")
    assert len(set(names)) == len(names)
    for name in names:
        assert engine.succeed(f"known_command {name}") == "true"
    assert engine.succeed("known_command NAME") == "false"
    engine.refuse("known_command")


def test_14_introduction(start: type[Engine | Remote]) -> None:
    with start() as engine:
        for line in ("protocol_version", "name", "version"):
            text = engine.succeed(line)
            assert text
            assert "\n" not in text
        assert engine.succeed("protocol_version") == "2"


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
    engine.succeed("boardsize 5 5", "play b c3")
    for size in ("", "0", "-1", "64", "1" + 30 * "0", "x", "5 0", "5 64", "5 6 7", "5.0", "5x5"):
        engine.refuse(f"boardsize {size}", b"unacceptable size")
    for size in ("5", "5 5", "7 4", "4 7", "63", "1"):
        engine.succeed("play b a1" if size != "5" else "name", f"boardsize {size}")
        width, height = map(int, (size.split() * 2)[:2])
        assert len(engine.succeed("all_legal_moves").split()) == width * height
        assert engine.succeed("winner") == "none"


def test_17_clear_board(engine: Engine) -> None:
    engine.succeed("boardsize 4 6")
    for _ in range(3):
        engine.succeed("clear_board")
        assert len(engine.succeed("all_legal_moves").split()) == 24
        engine.refuse("undo")
        engine.succeed("play w b2")


def test_18_play(engine: Engine) -> None:
    engine.succeed("play b a1", "play B A2", "play black b1", "play WHITE e5", "play w E4")
    for cell in ("a1", "A2", "e5"):
        engine.refuse(f"play w {cell}", b"illegal move")
    for cell in ("a0", "a6", "f1", "zz9", "a", "1", "-", "a1a", "a01"):
        engine.refuse(f"play b {cell}", b"illegal move")
    for colour in ("x", "c3", "bw", "blackish", "0"):
        engine.refuse(f"play {colour} c3", b"invalid colour")
    engine.succeed("play b a3", "play b a4", "play b a5")
    assert engine.succeed("final_score") == "B+"
    engine.succeed("play w c3", "play b c4")  # also when the game is over


def test_19_a_resignation_changes_nothing(engine: Engine) -> None:
    engine.succeed("play b c3")
    before = engine.ask("showboard")
    engine.succeed("play w resign", "play b RESIGN")
    assert engine.ask("showboard") == before


def test_20_swaps_and_passes(engine: Engine) -> None:
    engine.refuse("play w swap-pieces", b"illegal move")
    engine.succeed("play b a2")
    engine.refuse("play w swap-pieces", b"illegal move")  # not allowed by default
    engine.succeed("param_game allow_swap 1")
    engine.refuse("play b swap-pieces", b"illegal move")
    engine.succeed("play w swap-pieces")
    assert engine.succeed("group-get b1") == "b1"
    engine.refuse("play b swap-pieces", b"illegal move")
    engine.succeed("play b pass")  # uses up the turn
    assert "white to move" in engine.succeed("showboard")


def test_21_undo(engine: Engine) -> None:
    engine.refuse("undo", b"cannot undo")
    boards = [engine.ask("showboard")]
    steps = ["play b b3", "param_game allow_swap 1", "play w swap-pieces", "genmove b", "play w d4",
             "play b pass"]  # fmt: skip
    for line in steps:
        engine.succeed(line)
        if not line.startswith("param"):
            boards.append(engine.ask("showboard"))
    engine.succeed("play b resign")  # not a move
    for board in boards[-2::-1]:
        engine.succeed("undo")
        assert engine.ask("showboard") == board
    engine.refuse("undo", b"cannot undo")


def test_22_genmove(engine: Engine) -> None:
    engine.succeed("boardsize 3")
    empty = engine.succeed("all_legal_moves").split()
    engine.refuse("genmove")
    engine.refuse("genmove c3")
    for colour in ("w", "white", "B", "black", "WHITE", "b", "w", "b", "w"):  # also out of turn
        won = engine.succeed("winner") != "none"
        move = engine.succeed(f"genmove {colour}")
        if won:
            assert move == "resign"
            continue
        empty.remove(move)
        assert engine.succeed(f"group-get {move}").startswith(move)
    assert engine.succeed("winner") != "none"
    for cell in empty:
        engine.succeed(f"play b {cell}")
    for colour in "bw":
        assert engine.succeed(f"genmove {colour}") == "resign"  # on a full board


def test_23_reg_genmove(engine: Engine) -> None:
    engine.succeed("play b c3")
    before = engine.ask("showboard")
    move = engine.succeed("reg_genmove w")
    assert engine.ask("showboard") == before
    assert engine.succeed("reg_genmove w") == move
    engine.succeed("genmove w", "undo")
    assert engine.succeed("reg_genmove w") == move


def test_24_showboard(engine: Engine) -> None:
    stones = 0
    for line, change in [("play b c3", 1), ("genmove w", 1), ("undo", -1), ("reg_genmove w", 0),
                         ("play w c3", 0), ("play w pass", 0), ("boardsize 9", -1),
                         ("play b a9", 1), ("clear_board", -1)]:  # fmt: skip
        engine.ask(line)
        stones += change
        board = engine.succeed("showboard").split("\n")[1:-2]
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
        engine.succeed("reg_genmove w")
    for line in ("time_settings", "time_settings x 1 1", "time_left b -1 0", "time_left x 1 1"):
        engine.refuse(line)


def test_27_final_score(engine: Engine) -> None:
    engine.succeed("boardsize 2")
    engine.refuse("final_score", b"cannot score")
    engine.succeed("play b a1", "play b a2")
    assert engine.ask("final_score") == b"= B+\n\n"
    engine.succeed("clear_board", "play w a1", "play w b1")
    assert engine.ask("final_score") == b"= W+\n\n"


def test_28_loadsgf(tmp_path: Path) -> None:
    file = tmp_path / "game.sgf"
    file.write_text("(;FF[4]GM[11]SZ[4];B[a2];W[b3];B[c1])", encoding="ascii")
    with Engine() as engine:
        for line in ("loadsgf", "loadsgf no-such-file", f"loadsgf {tmp_path}", f"loadsgf {file} x"):
            engine.refuse(line)
        file.with_name("bad.sgf").write_bytes(b"\x00\xff(no game")
        engine.refuse(f"loadsgf {tmp_path}/bad.sgf", b"cannot load file")
        engine.succeed(f"loadsgf {file} 2")
        assert len(engine.succeed("all_legal_moves").split()) == 14
        engine.succeed(f"loadsgf {file}")
        assert len(engine.succeed("all_legal_moves").split()) == 13
