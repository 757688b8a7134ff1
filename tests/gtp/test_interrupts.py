"""Searches that end early, replies in pieces, and graphics before a reply, on real pipes."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

import pytest

from pipes import LONG, PATIENT, PROGRAM, SOON, Engine, assert_well_formed, replies, run

if TYPE_CHECKING:
    from sockets import Remote

OK = b"= \n\n"
NAME = b"= Trivalent\n\n"


@pytest.mark.parametrize(
    "interrupt",
    [b"# interrupt\n", b"# interrupt\r\n", b" \t# interrupt \n", b"# interrupt\n# interrupt\n",
     b"\n# comment\n# interrupt\n", 20_000 * b"\n# comment\n" + b"# interrupt\n"],
    ids=["plain", "cr", "blanks", "twice", "after comments", "after a flood"],
)  # fmt: skip
def test_29_interrupt_while_searching(interrupt: bytes, start: type[Engine | Remote]) -> None:
    with start(*LONG) as engine:
        assert engine.ask("boardsize 11") == b"= \n\n"
        engine.send(b"3 genmove b\n")
        time.sleep(0.2)  # the search has probably started; if not, it must work as well
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
        # One interrupt for several commands before it.
        engine.send(b"1 genmove b\n2 genmove w\n# interrupt\n3 name\n4 genmove b\n# interrupt\n")
        for number in (1, 2, 3, 4):
            assert engine.reply(SOON).startswith(b"=%d " % number)
        # An interrupt at the end of the input.
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
    options = ("--nodes", "500", "--seed", "5")
    assert run(b"# interrupt\n# interrupt\nboardsize 7\n# interrupt\ngenmove b\n", *options) == run(
        b"boardsize 7\ngenmove b\n", *options
    )


def test_29_the_ability_is_announced(engine: Engine) -> None:
    assert engine.succeed("known_command gogui-interrupt") == "true"
    assert engine.ask("gogui-interrupt") == OK
    engine.refuse("gogui-interrupt now")


@pytest.mark.parametrize("command", ["lz-analyze b 2", "kata-analyze 2 ownership true"])
def test_live_analysis_ends_with_the_next_line_of_any_kind(
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


def test_live_analysis_ends_when_the_output_is_closed() -> None:
    with Engine(*LONG) as engine:
        engine.send(b"kata-analyze b 5\n")
        engine.wait_for(b"\ninfo ")
        engine.close_output()
        assert b"\n\n" not in engine.finish(seconds=SOON)


def assert_hexgui_can_draw(block: bytes, cells: set[bytes]) -> None:
    """Assert the form that HexGui needs; its command thread crashes on others."""
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


OFTEN = "from trivalent.gtp.commands import graphics; graphics.INTERVAL = 0.1\n"
"""Makes live graphics appear five times as often."""


@pytest.mark.parametrize(("game", "size"), [("hex", "9 14"), ("hex", "63 63"), ("y", "12")])
def test_live_graphics_come_before_the_reply(
    game: str, size: str, start: type[Engine | Remote]
) -> None:
    with start(*LONG, "--game", game, program=OFTEN + PROGRAM) as engine:
        engine.succeed(f"boardsize {size}", "param_search live_graphics 1")
        cells = set(engine.succeed("all_legal_moves").encode().split())
        for command in (b"3 genmove b\n", b"3 reg_genmove w\n"):
            engine.send(command)
            for _ in range(2):
                assert_hexgui_can_draw(engine.block(), cells)
            engine.send(b"# interrupt\n")
            while (block := engine.block()).startswith(b"gogui-gfx:"):
                assert_hexgui_can_draw(block, cells)
            assert_well_formed(block)
            assert block.removeprefix(b"=3 ").strip() in cells
        engine.succeed("param_search live_graphics 0")
        engine.send(b"genmove w\n")
        assert not engine.hears(0.3)
        engine.send(b"# interrupt\n")
        assert_well_formed(engine.block())
        engine.close_input()
        assert engine.finish() == b""
