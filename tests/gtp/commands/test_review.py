"""The review of the game on the board."""

from __future__ import annotations

import pytest
from gtp_session import Gtp, Recorder
from reviews import FAULTS

from trivalent.gtp.commands.graphics import INTERVAL

MOVES = FAULTS.partition(": ")[2]


@pytest.fixture
def gtp() -> Gtp:
    return Gtp(size=5)


def test_turning_points_are_marked(gtp: Gtp) -> None:
    gtp.refused("trivalent-review")
    gtp.ok(f"play-game {MOVES}")
    gtp.refused("trivalent-review 0")
    gtp.refused("trivalent-review 10 20")
    words = gtp.ok("trivalent-review 40").split()
    marks = dict(zip(words[0::2], words[1::2], strict=True))
    assert marks["b2"] == "10@L"
    assert marks["a5"] == "10@best"
    assert marks["c4"] == "8@L"
    assert gtp.ok("showboard")


def test_gogui_has_one_line_in_a_cell() -> None:
    gtp = Gtp(size=5, compat="gogui")
    for number, name in enumerate(("c3", "c2", "d4", "b3")):
        gtp.ok(f"play {'bw'[number % 2]} {name}")
    assert "@" not in gtp.ok("trivalent-review 40")


def test_other_games_are_refused() -> None:
    gtp = Gtp(game="star", size=3)
    gtp.ok("play b a1")
    assert "for Hex and Y" in gtp.refused("trivalent-review")


def test_an_interrupt_gives_what_is_known(gtp: Gtp) -> None:
    gtp.ok(f"play-game {MOVES}")
    gtp.channel = Recorder(10)
    gtp.channel.stop.set()
    assert gtp.ok("trivalent-review 40") == ""


def test_live_graphics_are_what_hexgui_can_read(gtp: Gtp, monkeypatch: pytest.MonkeyPatch) -> None:
    """The order of the lines and a stone behind VAR matter: HexGui would hang."""
    assert INTERVAL > 0
    monkeypatch.setattr("trivalent.gtp.commands.review.INTERVAL", 0.0)
    gtp.ok("param_search live_graphics 1")
    gtp.ok(f"play-game {MOVES}")
    recorder = Recorder(10**6)
    gtp.channel = recorder
    gtp.ok("trivalent-review 40")
    assert recorder.graphics
    for block in recorder.graphics:
        head, kind, *lines = block.splitlines()
        assert (head, kind) == ("gogui-gfx:", "uct")
        assert [line.split()[0] for line in lines] == ["VAR", "INFLUENCE", "LABEL", "TEXT"]
        assert all(len(line.split()) % 2 == 1 and len(line.split()) > 1 for line in lines[:3])
    assert "10" in recorder.graphics[-1]
    last = [block.splitlines()[-1] for block in recorder.graphics[-2:]]
    assert last[0].startswith("TEXT ")
    assert "positions" in last[0]
    assert last[1] == "TEXT latest turning points: moves 4, 5, 8, 9, 10"


def test_a_game_without_turning_points_says_so(gtp: Gtp) -> None:
    """HexGui would leave the text of the last stage."""
    gtp.ok("param_search live_graphics 1")
    gtp.ok("play b c3")
    gtp.channel = recorder = Recorder(10**6)
    assert gtp.ok("trivalent-review 40") == ""
    assert recorder.graphics[-1].splitlines()[-1] == "TEXT no turning points"
