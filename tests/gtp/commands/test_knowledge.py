"""Commands that show fill-in, inferior moves and connections, in HexGui's formats."""

from __future__ import annotations

import re

import pytest
from gtp_session import Gtp

FILL = r"f[dc][bw]"
INFERIOR = r"i[vrd]\[[a-z]+\d+(-[a-z]+\d+)*\]"


def codes(text: str) -> dict[str, str]:
    words = text.split()
    return dict(zip(words[::2], words[1::2], strict=True))


def test_fill_in_codes() -> None:
    gtp = Gtp(size=9)
    gtp.ok("play black e8")
    assert gtp.ok("compute-fillin black") == "c9 fpb d9 fcb e9 fcb f9 fpb"
    assert gtp.ok("compute-fillin") == "c9 fpb d9 fcb e9 fcb f9 fpb"
    gtp.ok("play white d9")
    assert gtp.ok("compute-fillin") == ""
    for cell in ("c3", "d3", "d4", "c5"):  # four in a row around c4
        gtp.ok(f"play white {cell}")
    assert codes(gtp.ok("compute-fillin"))["c4"] == "fdw"


def test_inferior_moves() -> None:
    gtp = Gtp()
    found = codes(gtp.ok("compute-inferior black"))
    assert found["a1"].startswith("iv[")
    assert any(code.startswith("id[") for code in found.values())
    assert all(re.fullmatch(INFERIOR, code) for code in found.values())
    kinds = [
        codes(gtp.ok(f"compute-{kind} black")) for kind in ("vulnerable", "reversible", "dominated")
    ]
    assert found["b1"].startswith("ir[")
    assert kinds[0] | kinds[1] | kinds[2] == found
    assert sum(map(len, kinds)) == len(found)
    assert all(kinds)
    assert "illegal" not in gtp.refused("compute-inferior red")


@pytest.mark.parametrize("game", ["hex", "y"])
def test_vc_build_marks_moves_outside_the_mustplay_region(game: str) -> None:
    """HexGui's button: all codes that there are, and cells of the board only."""
    gtp = Gtp(game=game)
    gtp.ok("play black c3", "play white c4")
    text = gtp.ok("vc-build white")
    found = codes(text)
    names = gtp.session.position.board.names
    assert set(found) <= set(names) - {"c3", "c4"}
    assert all(re.fullmatch(f"{FILL}|{INFERIOR}|x", code) for code in found.values())
    must = codes(gtp.ok("vc-get-mustplay white"))
    assert {cell for cell, code in must.items() if code == "x"} <= set(found)


def test_vc_get_mustplay() -> None:
    assert Gtp(size=11).ok("vc-get-mustplay black") == ""
    gtp = Gtp()
    gtp.ok("play black a3")
    useless = codes(gtp.ok("vc-get-mustplay white"))
    assert set(useless.values()) == {"x"}
    assert 0 < len(useless) < 24
    gtp.ok("play black c2", "play black c4")  # and nothing prevents it any more
    everything = codes(gtp.ok("vc-get-mustplay white"))
    assert len(everything) == 25 - 3


def test_virtual_connections_between_points() -> None:
    gtp = Gtp()
    gtp.ok("play black c2", "play black b4", "play white e5")
    assert gtp.ok("vc-between-cells-full black c2 b4") == "\nblack c2 b4 full or [ b3 c3 ] [ ]"
    semis = gtp.ok("vc-between-cells-semi black c2 b4").split("\n")[1:]
    line = re.compile(r"black c2 b4 semi and \[ ([a-e][1-5] )+\] \[ \] [a-e][1-5]")
    assert all(line.fullmatch(semi) for semi in semis)
    assert gtp.ok("vc-between-cells-full b north c2") == "\nblack north c2 full or [ c1 d1 ] [ ]"
    assert gtp.ok("vc-between-cells-full b c2 b2").startswith("\nblack c2 b2 full base [ ] [ ]")
    assert Gtp(size=11).ok("vc-between-cells-full black a6 k6") == ""
    assert gtp.ok("vc-between-cells-full black a1 e1").endswith(" base [ ] [ ]")  # by the side
    assert gtp.ok("vc-intersection-full black c2 b4") == "b3 c3"
    assert gtp.ok("vc-union-full black c2 b4") == "b3 c3"
    assert Gtp(size=11).ok("vc-union-full black a6 k6") == ""
    assert "b4" in gtp.ok("vc-connected-to-full black c2").split()
    assert gtp.ok("vc-connected-to-semi black north")


def test_connections_of_two_empty_cells() -> None:
    gtp = Gtp(size=7)
    assert gtp.ok("vc-between-cells-full white c4 e3") == "\nwhite c4 e3 full or [ d3 d4 ] [ ]"
    assert gtp.ok("vc-between-cells-full white c4 d4") == "\nwhite c4 d4 full base [ ] [ ]"
    assert {"d4", "e3", "d3"} <= set(gtp.ok("vc-connected-to-full white c4").split())


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("vc-between-cells-full black c2", "usage: vc-between-cells-full COLOUR POINT POINT"),
        ("vc-between-cells-full black c2 e5", "e5 does not belong to black"),
        ("vc-between-cells-full black c2 west", "west is not a side of black on 5x5 Hex"),
        ("vc-between-cells-full black c2 up", "illegal move: no cell 'up'"),
        ("vc-connected-to-full red c2", "invalid colour 'red'"),
        ("vc-build 1 2", "usage: vc-build [COLOUR]"),
    ],
)
def test_malformed_and_impossible_points_are_refused(line: str, error: str) -> None:
    gtp = Gtp()
    gtp.ok("play black c2", "play white e5")
    assert error in gtp.refused(line)


def test_large_boards() -> None:
    gtp = Gtp(size=17)
    assert "no connections on 17x17 Hex" in gtp.refused("vc-build black")
    assert "no connections" in gtp.refused("vc-connected-to-full black a1")
    assert gtp.ok("compute-inferior black")


def test_sides_of_a_y_board() -> None:
    gtp = Gtp(game="y")
    gtp.ok("play white c4")
    assert gtp.ok("vc-between-cells-full white south c4") == (
        "\nwhite south c4 full or [ c5 d5 ] [ ]"
    )
    assert gtp.ok("vc-between-cells-full white south west") == ""
    assert "not a side" in gtp.refused("vc-connected-to-full white north")


def test_gogui_names() -> None:
    gtp = Gtp(compat="gogui", size=9)
    gtp.ok("play black E2")
    assert gtp.ok("compute-fillin black") == "C1 fpb D1 fcb E1 fcb F1 fpb"
    assert gtp.ok("vc-between-cells-full black E2 south") == (
        "\nblack E2 south full or [ D1 E1 ] [ ]"
    )


def test_connections_as_benzenes_tests_ask_for_them() -> None:
    gtp = Gtp(size=7)
    gtp.ok("play black c5", "play black e4")
    full = gtp.ok("vc-connected-to c5 black 0").split()
    assert "south" in full
    assert set(gtp.ok("vc-connected-to-full black c5").split()) == set(full) - {"south", "north"}
    semi = gtp.ok("vc-connected-to C5 b 1").split()
    assert set(gtp.ok("vc-connected-to-semi black c5").split()) <= set(semi)
    assert "c5" in gtp.ok("vc-connected-to south black 0").split()
    for line in ("c5 black", "c5 black 2", "c5 white 0", "black c5 0", "z9 black 0"):
        gtp.refused(f"vc-connected-to {line}")
