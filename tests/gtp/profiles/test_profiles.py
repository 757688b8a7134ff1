"""What each profile changes for its controller."""

from __future__ import annotations

import re

import pytest
from gtp_session import searching

from trivalent.gtp.engine.session import SearchParameters


def test_the_mohex_profile() -> None:
    gtp = searching("mohex")
    assert gtp.ok("name") == "MoHex"
    assert "Trivalent" in gtp.ok("version")
    gtp.ok("param_mohex max_time 30", "param_mohex max_games 100", "param_mohex reuse_subtree 0",
           "param_mohex max_memory 1073741824", "param_mohex whatever 7")  # fmt: skip
    assert gtp.session.search == SearchParameters(seconds=30, nodes=100)
    table = gtp.ok("param_mohex").split("\n")
    for line in ("[string] max_time 30.0", "[string] max_memory 1073741824", "[string] whatever 7"):
        assert line in table
    for line in ("param_mohex max_time x", "param_mohex max_time", "param_mohex max_games -1",
                 "param_mohex max_memory 0", "param_mohex a " + 200 * "b"):  # fmt: skip
        gtp.refused(line)
    for key in range(200):
        gtp.send(f"param_mohex key{key} 1")
    assert len(gtp.session.foreign_parameters) == 100
    gtp.ok("param_mohex whatever 8")  # which was stored before the table was full
    assert "[string] whatever 8" in gtp.ok("param_mohex").split("\n")
    assert gtp.ok("final_score") == "cannot score"
    gtp.ok("param_game game_time 60")
    assert gtp.session.clock is not None
    assert "[string] game_time 60" in gtp.ok("param_game")
    gtp.ok("param_game game_time 0")
    assert gtp.session.clock is None
    gtp.ok("param_game on_little_golem 0")
    gtp.refused("param_game on_little_golem x")
    gtp.refused("param_game nothing 1")
    assert gtp.ok("mohex-get-pv b") == gtp.ok("trivalent-pv b")
    # MoHex's swap-pieces leaves the stone where it is.
    gtp.ok("play b b1")
    gtp.refused("play w swap-pieces")
    gtp.ok("param_game allow_swap 1", "play w swap-pieces")
    assert gtp.stones() == {"b1": "b"}


def test_the_katahex_profile(caplog: pytest.LogCaptureFixture) -> None:
    gtp = searching("katahex", size=4)
    gtp.ok("set_position black a1 white b2")
    rows = gtp.ok("kata-raw-nn 0").split("\n")
    value = dict(row.split(" ", 1) for row in rows if " " in row and row[0].isalpha())
    assert 0 <= float(value["whiteWin"]) <= 1
    start = rows.index("policy") + 1
    cells = [cell for row in rows[start : start + 4] for cell in row.split()]
    assert len(cells) == 16
    assert [i for i, cell in enumerate(cells) if cell == "NAN"] == [0, 5]
    assert sum(float(cell) for cell in cells if cell != "NAN") == pytest.approx(1, abs=1e-4)
    caplog.set_level("INFO", "trivalent.stderr")
    move = gtp.ok("genmove_debug black")
    assert gtp.stones()[move] == "b"
    assert caplog.records
    assert re.match(r"^([a-z]+\d+) *:", caplog.records[0].getMessage())
    # A win that is proven without playouts gets the whole policy.
    gtp.ok("boardsize 2", "set_position black b1 white b2")
    assert gtp.ok("kata-raw-nn 0").split("\n")[4:6] == ["0.000000 NAN", "1.000000 NAN"]


def test_the_gogui_profile() -> None:
    gtp = searching("gogui", size=9)
    gtp.ok("play b A9", "play w J1")
    assert gtp.stones() == {"a1": "b", "i9": "w"}
    assert "J1" not in gtp.ok("gogui-rules_legal_moves").split()
    gtp.refused("play b i5")
    board = gtp.ok("gogui-rules_board").split("\n")
    assert board[1] == "X . . . . . . . ."
    assert board[-1] == ". . . . . . . . O"
    move = gtp.ok("genmove b")
    assert move[0] in "ABCDEFGHJ"
    assert gtp.ok("gogui-rules_game_id") == "Hex"
    sides = [line.split() for line in gtp.ok("gogui-rules_board_gfx").split("\n")]
    assert [side[:2] for side in sides] == [["COLOR", "#000000"], ["COLOR", "#ffffff"]]
    assert set(sides[0][2:]) == {letter + row for letter in "BCDEFGH" for row in "19"}
    assert set(sides[1][2:]) == {letter + row for letter in "AJ" for row in "2345678"}
    for line in gtp.ok("gogui-analyze_commands").split("\n"):
        assert re.fullmatch(r"(string|plist|pspairs|var|gfx|param|none)/[^/]+/[^/]+", line)
    gtp.ok("boardsize 3 4")
    assert "square" in gtp.refused("gogui-rules_board")
    gtp.ok("set_game y")
    assert "square" in gtp.refused("gogui-rules_board_size")


def test_the_strict_profile_refuses_moves_out_of_turn() -> None:
    gtp = searching("strict", size=2)
    for line in ("play w a1", "genmove w", "play w pass"):
        assert "turn" in gtp.refused(line)
    gtp.ok("play b a1", "play w b1", "play b a2")
    assert "over" in gtp.refused("play w b2")
    assert gtp.ok("genmove w") == "resign"


def test_the_strict_profile_checks_swaps_and_replayed_games() -> None:
    gtp = searching("strict", size=4)
    gtp.ok("param_game allow_swap 1", "play b a1", "play w pass")
    assert "turn" in gtp.refused("play w swap-pieces")
    gtp.ok("play b pass")
    assert "second move" in gtp.refused("play w swap-pieces")
    gtp.ok("undo", "undo", "play w swap-pieces", "clear_board", "play b a1")
    assert "turn" in gtp.refused("reg_genmove b")
    gtp.ok("boardsize 2")
    assert "over" in gtp.refused("play-game a1 b1 a2 b2")
    gtp.ok("boardsize 1", "play b a1")
    assert "over" in gtp.refused("play w swap-pieces")


@pytest.mark.parametrize(
    ("compat", "game", "size", "stones"),
    [("none", "hex", "5", {"c3": "w"}), ("mohex", "hex", "5", {"c3": "b"}),
     ("hexgui", "hex", "5", {"c3": "w"}), ("none", "hex", "5 4", {"c3": "b"}),
     ("none", "y", "5", {"c4": "w"})],
)  # fmt: skip
def test_the_engine_swaps(compat: str, game: str, size: str, stones: dict[str, str]) -> None:
    gtp = searching(compat, game=game)
    gtp.ok(f"boardsize {size}")
    opening = "c3" if game == "hex" else "c4"
    gtp.ok(f"play b {opening}")
    assert not gtp.ok("reg_genmove w").startswith("swap")
    gtp.ok("param_game allow_swap 1")
    word = "swap-sides" if size == "5 4" else "swap-pieces"
    assert gtp.ok("reg_genmove w") == word
    assert gtp.stones() == {opening: "b"}
    assert gtp.ok("genmove w") == word
    assert gtp.stones() == stones
    gtp.ok("genmove b")
    assert len(gtp.stones()) == 2
    gtp.ok("clear_board")
    assert gtp.ok("genmove b") not in ("c3", "c4")


def test_the_hexgui_profile_swaps_like_hexgui() -> None:
    gtp = searching("hexgui")
    gtp.ok("play b b1", "play w swap-pieces")  # only 0.9 sends it, and leaves the stone where it is
    assert gtp.stones() == {"b1": "b"}
    gtp.ok("play w c3", "play b resign", "undo")  # 0.9 takes back a resignation read from a file
    assert gtp.stones() == {"b1": "b", "c3": "w"}
    gtp.ok("undo")
    assert gtp.stones() == {"b1": "b"}
    gtp.ok("clear_board", "play b b1", "play b resign", "clear_board", "play b b1", "undo")
    assert gtp.stones() == {}
    gtp = searching("hexgui", game="y")
    gtp.ok("play b c4", "play w swap-pieces")
    assert gtp.stones() == {"c4": "w"}
