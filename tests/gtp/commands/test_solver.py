"""Solver commands: HexGui's Solve button, interrupts, limits, graphics, refusals."""

from __future__ import annotations

import re
import threading
from typing import TYPE_CHECKING

import pytest
from gtp_session import Gtp, Recorder
from slowness import patience

import trivalent.gtp.commands.solver
from trivalent.core.games import hex_board, y_board
from trivalent.gtp.engine.session import NullChannel

if TYPE_CHECKING:
    from trivalent.core.board import Board


def drawn(gtp: Gtp) -> list[str]:
    """Keep what a session draws from now on in the list returned."""
    gtp.channel = recorder = Recorder(1)
    return recorder.graphics


@pytest.mark.parametrize(
    ("board", "winning"),
    [(hex_board(3), "c1 a2 b2 c2 a3"), (hex_board(2, 3), ""), (y_board(3), "a2 b2 b3"),
     (hex_board(3, 2), "a1 b1 c1 a2 b2 c2")],
)  # fmt: skip
def test_winning_moves(board: Board, winning: str) -> None:
    gtp = Gtp(board=board)
    assert gtp.ok("dfpn-solver-find-winning black") == winning
    for name in board.names:
        gtp.ok(f"play black {name}")
        won = name in winning.split()
        # After the first move it is White's turn, and the last move leaves nothing to win.
        assert gtp.ok("dfpn-solve-state white") == ("black" if won else "white")
        assert gtp.ok("dfpn-solve-state w") == gtp.ok("dfpn-solve-state")
        gtp.ok("undo")


def test_what_the_solve_button_sends() -> None:
    gtp = Gtp(board=hex_board(4), compat="hexgui")
    assert gtp.ok("param_dfpn use_guifx 1") == ""
    assert gtp.ok("play black b3", "play white c1", "dfpn-solve-state black") == "black"
    assert re.fullmatch(r"[a-d][1-4]( [a-d][1-4])*", gtp.ok("dfpn-get-pv black"))
    assert gtp.ok("dfpn-get-state b") == "black wins"
    winning = gtp.ok("dfpn-solver-find-winning b").split()
    assert winning
    pairs = gtp.ok("dfpn-get-bounds b").split()
    assert all(re.fullmatch(r"W|L|\w{1,4}@\w{1,4}", bounds) for bounds in pairs[1::2])
    solved = dict(zip(pairs[::2], pairs[1::2], strict=True))
    assert "W" in solved.values()
    assert all((cell in winning) == (bounds == "W") for cell, bounds in solved.items())


def test_a_position_solved_without_trying_a_move_has_a_variation() -> None:
    gtp = Gtp(board=hex_board(3))
    gtp.ok("play black b2", "play white a3", "play white b1")
    assert gtp.ok("dfpn-solve-state black") == "white"
    assert re.fullmatch("[a-c][1-3]", gtp.ok("dfpn-get-pv black"))


def test_solver_commands_after_the_end() -> None:
    gtp = Gtp(board=hex_board(2))
    gtp.ok("play black a1", "play black a2")
    assert gtp.ok("dfpn-solve-state white") == "black"
    for command in ("dfpn-solver-find-winning w", "dfpn-get-pv w"):
        assert gtp.refused(command) == "the game is over, black has won"


@pytest.mark.parametrize("command", ["dfpn-solve-state", "dfpn-solver-find-winning"])
def test_an_interrupt_stops_the_search(command: str) -> None:
    gtp = Gtp(board=hex_board(14))
    gtp.channel = channel = NullChannel()
    threading.Timer(0.2, channel.stop.set).start()
    reply = gtp.send(f"{command} black")
    assert reply == "= unknown" or reply.startswith("? undecided: a1 b1 c1 ")
    assert channel.stop.is_set


def test_time_limits_stop_the_solver() -> None:
    gtp = Gtp(board=hex_board(14))
    assert gtp.ok("param_dfpn timelimit 0.1", "dfpn-solve-state") == "unknown"
    assert Gtp(board=hex_board(14), max_seconds=0.1).ok("dfpn-solve-state b") == "unknown"


def test_live_graphics_of_the_solver(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """HexGui crashes on graphics without a variation, with odd labels, or with an empty text."""
    monkeypatch.setattr(trivalent.gtp.commands.solver, "INTERVAL", 0.02)
    gtp = Gtp(board=hex_board(11))
    graphics = drawn(gtp)
    limit = f"param_dfpn timelimit {patience(0.2)}"
    gtp.ok(limit, "play white f6", "dfpn-solve-state black")
    assert not graphics
    gtp.ok("param_dfpn use_guifx 1", "dfpn-solve-state black")
    assert graphics
    cell = r"[a-k](?:[1-9]|1[01])"
    for text in graphics:
        assert re.fullmatch(
            rf"gogui-gfx:\ndfpn\nVAR(?: [BW] {cell})+\n"
            rf"LABEL(?: {cell} (?:W|L|\w{{1,4}}@\w{{1,4}})){{1,30}}\n"
            r"TEXT black \d+:\d+ after \d+ positions?",
            text,
        )
        assert text.split("VAR ")[1].startswith("B ")
    gtp = Gtp(board=hex_board(11), compat="gogui")
    graphics = drawn(gtp)
    with caplog.at_level("INFO", "trivalent.stderr"):
        gtp.ok(limit, "param_dfpn use_guifx 1", "dfpn-solve-state black")
    assert not graphics
    assert caplog.records
    for record in caplog.records:
        lines = record.getMessage().split("\n")
        assert [line.split()[0] for line in lines if line] == [
            "gogui-gfx:", "COLOR", "COLOR", "VAR", "LABEL", "TEXT",
        ]  # fmt: skip
        stones, labels = lines[3].split()[2::2], lines[4].split()[1::2]
        assert len(stones) <= 2
        assert not set(stones) & set(labels)


def test_graphics_of_find_winning_end_with_its_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trivalent.gtp.commands.solver, "INTERVAL", 0.0)
    gtp = Gtp(board=hex_board(4))
    graphics = drawn(gtp)
    winning = gtp.ok("param_dfpn use_guifx 1", "play black a2", "dfpn-solver-find-winning w")
    *before, last = graphics
    assert winning.count(" ") == 0
    assert last.split("\n")[-1] == "TEXT 1 winning move"
    for text in before:  # the move in question comes first, and the numbers are those of its mover
        assert text.split("VAR ")[1].startswith("W ")
        assert re.search(r"\nTEXT (white \d+:\d+|(black|white) wins) after \d+ positions?$", text)


@pytest.mark.parametrize("compat", ["none", "hexgui"])
def test_find_winning_stopped_early(compat: str) -> None:
    """HexGui does not show failures: it gets what has been found, and a text."""
    gtp = Gtp(board=hex_board(4), compat=compat)
    graphics = drawn(gtp)
    gtp.channel.stop.set()  # type: ignore[union-attr]
    if compat == "none":
        assert gtp.refused("dfpn-solver-find-winning b").startswith("undecided: a1 b1 c1 ")
        gtp.ok("param_dfpn use_guifx 1")
    assert gtp.ok("dfpn-solver-find-winning b") == ""
    assert graphics == [
        "gogui-gfx:\ndfpn\nVAR\nLABEL\nTEXT 0 winning moves so far, 16 moves undecided"
    ]


def test_the_solver_keeps_its_table_until_board_or_parameters_change() -> None:
    gtp = Gtp(board=hex_board(4))
    nothing = "nothing is known about this position (use dfpn-solve-state)"
    for command in ("dfpn-get-pv", "dfpn-get-state"):
        assert gtp.refused(command) == nothing
    assert gtp.ok("dfpn-get-bounds") == ""
    gtp.ok("dfpn-solve-state")
    assert gtp.ok("dfpn-get-state") == "black wins"
    gtp.ok("param_dfpn use_guifx 1", "play black b2", "undo")  # as HexGui does all the time
    assert gtp.ok("dfpn-get-state") == "black wins"
    gtp.ok("dfpn-clear-tt")
    assert gtp.refused("dfpn-get-state") == nothing
    gtp.ok("dfpn-solve-state", "param_dfpn memory 8")
    assert gtp.refused("dfpn-get-state") == nothing
    gtp.ok("dfpn-solve-state", "boardsize 3", "boardsize 4")
    gtp.ok("dfpn-solve-state")
    gtp.ok("boardsize 3", "dfpn-solve-state", "boardsize 4")
    assert gtp.refused("dfpn-get-state") == nothing


def test_param_dfpn() -> None:
    gtp = Gtp(board=hex_board(4))
    assert "[bool] use_guifx 0" in gtp.ok("param_dfpn")
    assert "memory must be at least 1" in gtp.refused("param_dfpn memory 0")
    assert "unknown parameter 'widening_base'" in gtp.refused("param_dfpn widening_base 1")
    gtp = Gtp(board=hex_board(4), compat="mohex")
    assert gtp.ok("param_dfpn widening_base 1", "param_dfpn threads 1") == ""
    assert "unknown parameter 'nonsense'" in gtp.refused("param_dfpn nonsense 1")
    assert gtp.ok("dfs-solve-state black") == "black"


def test_running_out_of_memory_is_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise MemoryError("4,000,000 MiB for the table")

    gtp = Gtp(board=hex_board(4))
    gtp.ok("play black b2")
    with monkeypatch.context() as patch:
        patch.setattr("trivalent.bot.solver.stored_solver.Solver", fail)
        text = gtp.refused("dfpn-solve-state white")
    assert text == "out of memory: 4,000,000 MiB for the table"
    assert gtp.ok("dfpn-solve-state white") == "white"
