"""The commands of the solver: what HexGui's Solve button sends, interrupts, graphics, refusals."""

from __future__ import annotations

import re
import threading

import pytest

import trivalent.gtp.commands.solver
from trivalent.bot.player import Stop
from trivalent.bot.players.registry import make_player
from trivalent.core.board import Board, hex_board, y_board
from trivalent.gtp.commands.all_commands import commands_for
from trivalent.gtp.engine.session import Reply, Session
from trivalent.gtp.profiles.all_profiles import PROFILES


class Gui:
    """A session, and what it draws."""

    def __init__(
        self, board: Board, compat: str = "none", max_seconds: float | None = None
    ) -> None:
        profile = PROFILES[compat]
        self.session = Session(
            make_player("random", {}),
            commands_for(profile),
            board=board,
            profile=profile,
            max_seconds=max_seconds,
        )
        self.stop = Stop()
        self.superseded = Stop()
        self.blocks: list[str] = []

    def block(self, text: str) -> None:
        self.blocks.append(text)

    def part(self, text: str) -> None:
        raise AssertionError

    def send(self, line: str) -> Reply:
        name, *words = line.split()
        return self.session.run(name, words, self)

    def ok(self, *lines: str) -> str:
        text = ""
        for line in lines:
            reply = self.send(line)
            assert reply.ok, f"{line}: {reply.text}"
            text = reply.text
        return text

    def refused(self, line: str) -> str:
        reply = self.send(line)
        assert not reply.ok, f"{line}: {reply.text}"
        assert "internal error" not in reply.text
        return reply.text


@pytest.mark.parametrize(
    ("board", "winning"),
    [(hex_board(3), "c1 a2 b2 c2 a3"), (hex_board(2, 3), ""), (y_board(3), "a2 b2 b3"),
     (hex_board(3, 2), "a1 b1 c1 a2 b2 c2")],
)  # fmt: skip
def test_winning_moves(board: Board, winning: str) -> None:
    gui = Gui(board)
    assert gui.ok("dfpn-solver-find-winning black") == winning
    for name in board.names:
        gui.ok(f"play black {name}")
        won = name in winning.split()
        # After the first move it is White's turn, and the last move leaves nothing to win.
        assert gui.ok("dfpn-solve-state white") == ("black" if won else "white")
        assert gui.ok("dfpn-solve-state w") == gui.ok("dfpn-solve-state")
        gui.ok("undo")


def test_what_the_solve_button_sends() -> None:
    gui = Gui(hex_board(4), "hexgui")
    assert gui.ok("param_dfpn use_guifx 1") == ""
    assert gui.ok("play black b3", "play white c1", "dfpn-solve-state black") == "black"
    assert re.fullmatch(r"[a-d][1-4]( [a-d][1-4])*", gui.ok("dfpn-get-pv black"))
    assert gui.ok("dfpn-get-state b") == "black wins"
    winning = gui.ok("dfpn-solver-find-winning b").split()
    assert winning
    pairs = gui.ok("dfpn-get-bounds b").split()
    assert all(re.fullmatch(r"W|L|\w+:\w+", bounds) for bounds in pairs[1::2])
    solved = dict(zip(pairs[::2], pairs[1::2], strict=True))
    assert "W" in solved.values()
    assert all((cell in winning) == (bounds == "W") for cell, bounds in solved.items())


def test_a_game_that_is_over() -> None:
    gui = Gui(hex_board(2))
    gui.ok("play black a1", "play black a2")
    assert gui.ok("dfpn-solve-state white") == "black"
    for command in ("dfpn-solver-find-winning w", "dfpn-get-pv w"):
        assert gui.refused(command) == "the game is over, black has won"


@pytest.mark.parametrize("command", ["dfpn-solve-state", "dfpn-solver-find-winning"])
def test_interrupt(command: str) -> None:
    gui = Gui(hex_board(14))
    threading.Timer(0.3, gui.stop.set).start()
    reply = gui.send(f"{command} black")
    assert (reply.ok, reply.text) == (True, "unknown") or (
        not reply.ok and reply.text.startswith("not decided: a1 b1 c1 ")
    )
    assert gui.stop.is_set


def test_limits() -> None:
    gui = Gui(hex_board(14))
    assert gui.ok("param_dfpn timelimit 0.1", "dfpn-solve-state") == "unknown"
    assert Gui(hex_board(14), max_seconds=0.1).ok("dfpn-solve-state b") == "unknown"


def test_drawings(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """HexGui's reader dies of a block without a variation, of odd labels and of an empty text."""
    monkeypatch.setattr(trivalent.gtp.commands.solver, "INTERVAL", 0.02)
    gui = Gui(hex_board(11))
    gui.ok("param_dfpn timelimit 0.5", "play white f6", "dfpn-solve-state black")
    assert not gui.blocks
    gui.ok("param_dfpn use_guifx 1", "dfpn-solve-state black")
    assert gui.blocks
    cell = r"[a-k](?:[1-9]|1[01])"
    for text in gui.blocks:
        assert re.fullmatch(
            rf"gogui-gfx:\ndfpn\nVAR(?: [BW] {cell})+\nLABEL(?: {cell} (?:W|L|\w+:\w+)){{1,30}}\n"
            r"TEXT \w+(?::\w+)? after \d+ positions",
            text,
        )
        assert text.split("VAR ")[1].startswith("B ")
    gui = Gui(hex_board(11), "gogui")
    with caplog.at_level("INFO", "trivalent.stderr"):
        gui.ok("param_dfpn timelimit 0.5", "param_dfpn use_guifx 1", "dfpn-solve-state black")
    assert not gui.blocks
    assert caplog.records
    assert caplog.records[0].getMessage().startswith("gogui-gfx:\nVAR B ")


def test_what_is_remembered() -> None:
    gui = Gui(hex_board(4))
    nothing = "nothing is known of this position (dfpn-solve-state)"
    for command in ("dfpn-get-pv", "dfpn-get-state"):
        assert gui.refused(command) == nothing
    assert gui.ok("dfpn-get-bounds") == ""
    gui.ok("dfpn-solve-state")
    assert gui.ok("dfpn-get-state") == "black wins"
    gui.ok("param_dfpn use_guifx 1", "play black b2", "undo")  # as HexGui does all the time
    assert gui.ok("dfpn-get-state") == "black wins"
    gui.ok("dfpn-clear-tt")
    assert gui.refused("dfpn-get-state") == nothing
    gui.ok("dfpn-solve-state", "param_dfpn memory 8")
    assert gui.refused("dfpn-get-state") == nothing
    gui.ok("dfpn-solve-state", "boardsize 3", "boardsize 4")
    gui.ok("dfpn-solve-state")
    gui.ok("boardsize 3", "dfpn-solve-state", "boardsize 4")
    assert gui.refused("dfpn-get-state") == nothing


def test_parameters() -> None:
    gui = Gui(hex_board(4))
    assert "[bool] use_guifx 0" in gui.ok("param_dfpn")
    assert "memory must be at least 1" in gui.refused("param_dfpn memory 0")
    assert "unknown parameter 'widening_base'" in gui.refused("param_dfpn widening_base 1")
    gui = Gui(hex_board(4), "mohex")
    assert gui.ok("param_dfpn widening_base 1", "param_dfpn threads 1") == ""
    assert "unknown parameter 'nonsense'" in gui.refused("param_dfpn nonsense 1")
    assert gui.ok("dfs-solve-state black") == "black"


def test_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise MemoryError("4,000,000 MiB for the table")

    gui = Gui(hex_board(4))
    gui.ok("play black b2")
    with monkeypatch.context() as patch:
        patch.setattr("trivalent.bot.solver.solver.Solver", fail)
        text = gui.refused("dfpn-solve-state white")
    assert text == "out of memory: 4,000,000 MiB for the table"
    assert gui.ok("dfpn-solve-state white") == "white"
