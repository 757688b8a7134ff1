"""Commands that show a position as circuits."""

from __future__ import annotations

import math
import re

import pytest
from gtp_session import Gtp, Recorder
from slowness import patience

from trivalent.bot.circuits.evaluation import evaluate
from trivalent.bot.player import Limits
from trivalent.bot.players.registry import make_player


def test_resistances_in_benzenes_format() -> None:
    gtp = Gtp(size=7)
    gtp.ok("play black c2")
    text = gtp.ok("eval-resist")
    found = re.fullmatch(r"res (-?\d+\.\d{3}) rew (-?\d+\.\d{3}) reb (-?\d+\.\d{3})", text)
    assert found is not None
    score, white, black = map(float, found.groups())
    assert score == pytest.approx(white - black, abs=0.002)
    evaluation = evaluate(gtp.session.position)
    assert evaluation.resistances == pytest.approx((math.exp(black), math.exp(white)), rel=0.001)
    assert gtp.ok("eval-resist white") == text


def test_currents() -> None:
    gtp = Gtp(size=6)
    gtp.ok("play black c4")
    words = gtp.ok("eval-resist-cells").split()
    assert words[::2] == [cell for cell in gtp.session.position.board.names if cell != "c4"]
    assert all(re.fullmatch(r"[01]?\.\d{3}", word) for word in words[1::2])
    line, text = gtp.ok("trivalent-currents").split("\n")
    numbers = dict(zip(line.split()[1::2], map(float, line.split()[2::2]), strict=True))
    best = max(numbers, key=numbers.__getitem__)
    assert numbers[best] == 1
    assert min(numbers.values()) >= 0
    assert re.fullmatch(
        rf"TEXT current of both circuits, up to \d\.\d\d at {best}; "
        r"resistance \d\.\d{3} for black, \d\.\d{3} for white",
        text,
    )


def test_distances_by_two() -> None:
    gtp = Gtp(size=3)
    assert gtp.ok("eval-twod black") == "a1 6 b1 5 c1 4 a2 5 b2 4 c2 5 a3 4 b3 5 c3 6"
    assert gtp.ok("eval-twod") == gtp.ok("eval-twod black")
    for cell in ("a1", "b1", "c1"):
        gtp.ok(f"play white {cell}")
    assert gtp.ok("eval-twod black") == ""


def test_what_has_no_currents() -> None:
    gtp = Gtp(size=5)
    gtp.ok("play black c3")
    assert gtp.ok("eval-resist") == "res inf rew inf reb -inf"
    for command in ("eval-resist-cells", "trivalent-currents"):
        message = "black has connected its sides: there are no currents"
        assert gtp.refused(command) == message
    gtp.ok("boardsize 17")
    assert gtp.refused("eval-resist").startswith("no circuits on 17x17 Hex")
    gtp.refused("eval-resist black white")


def test_a_board_that_the_player_refuses() -> None:
    gtp = Gtp(make_player("wolve"), size=17)
    assert gtp.refused("genmove black").startswith("no circuits on 17x17 Hex")
    assert not gtp.session.position.history
    gtp.ok("boardsize 5")
    assert re.fullmatch(r"[a-e][1-5]", gtp.ok("genmove black"))


def test_live_graphics_show_the_currents(monkeypatch: pytest.MonkeyPatch) -> None:
    """In HexGui as labels of at most four characters."""
    monkeypatch.setattr("trivalent.gtp.commands.graphics.INTERVAL", 0.01)
    gtp = Gtp(make_player("wolve", {"threads": "1"}), size=9, limits=Limits(seconds=patience(0.3)))
    gtp.ok("play black c2", "param_search live_graphics 1")
    recorder = Recorder(1)
    gtp.session.run("genmove", ["w"], recorder)
    assert recorder.graphics
    cell = "[a-i][1-9]"
    for block in recorder.graphics:
        assert re.fullmatch(
            rf"gogui-gfx:\nuct\nVAR( [WB] {cell})+\n"
            rf"INFLUENCE( {cell} (1?\.[0-9]{{2}}|W|L))+\n"
            rf"LABEL( {cell} [0-9]{{1,3}}%){{30}}\n"
            r"TEXT white ([0-9.]+%|proven to (win|lose)) after [0-9]+ positions?",
            block,
        )
