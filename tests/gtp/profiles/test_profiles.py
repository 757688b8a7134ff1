"""What each profile changes for its controller."""

from __future__ import annotations

import re

import pytest
from gtp_session import Gtp, searching
from slowness import patience

from trivalent.bot.player import Limits
from trivalent.bot.players.registry import make_player
from trivalent.gtp.engine.session import NullChannel, SearchParameters


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
    gtp.ok("param_game allow_swap 0")
    # MoHex's swap-pieces leaves the stone where it is.
    gtp.ok("play b b1")
    gtp.refused("play w swap-pieces")
    gtp.ok("param_game allow_swap 1", "play w swap-pieces")
    assert gtp.stones() == {"b1": "b"}


def test_replies_of_mohex() -> None:
    """MoHex answers where the common commands refuse, and its numbers have other forms."""
    gtp = Gtp(make_player("uct", {"seed": "3"}), compat="mohex", limits=Limits(nodes=200), size=9)
    for line in ("undo", "group-get e5", "dfpn-get-pv b", "dfpn-get-state b", "dfpn-get-bounds b"):
        assert gtp.ok(line) == ""
    assert gtp.ok("param_mohex").split("\n")[1] == "[string] max_time auto"
    gtp.ok("play black e5", "param_dfpn timelimit 0.1")
    assert gtp.ok("dfpn-solve-state white") == "empty"
    assert gtp.ok("dfpn-solver-find-winning white") == ""
    assert re.fullmatch(r"( [a-i][1-9] (\d+:\d+|W|L))+", gtp.ok("dfpn-get-bounds white"))
    gtp.ok("boardsize 3", "param_dfpn timelimit 0", "play black b2")
    assert gtp.ok("dfpn-solve-state white") == "black"
    assert gtp.ok("dfpn-get-state white") == "black wins"
    assert gtp.ok("all_legal_moves") == " resign a1 b1 c1 a2 c2 a3 b3 c3"
    gtp.ok("param_game allow_swap 1")
    assert gtp.ok("all_legal_moves").startswith(" resign swap-pieces a1 ")
    value = r" [a-c][1-3] (\.\d{3}@\d+|[WL]@\d+|0)"
    assert re.fullmatch(rf"({value}){{8}}", gtp.ok("mohex-values"))
    best = gtp.ok("mohex-find-top-moves w 2")
    assert re.fullmatch(r" [a-c][1-3] 1@\d\.\d{3} [a-c][1-3] 2@\d\.\d{3}", best)
    found = re.fullmatch(r"wins=(\d+) total=500 score=([\d.]+)", gtp.ok("mohex-do-playouts 500"))
    assert found is not None
    assert float(found[2]) == pytest.approx(int(found[1]) / 5)
    gtp = Gtp(compat="mohex", limits=Limits())
    assert gtp.ok("param_mohex").split("\n")[1] == "[string] max_time 1.0"


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


def test_kata_raw_nn_needs_no_search() -> None:
    """The limits of a move and earlier searches do not matter; later ones are not confused."""
    limits = Limits(seconds=patience(9))
    gtp = Gtp(make_player("mcts", {"memory": "16"}), compat="katahex", size=11, limits=limits)
    gtp.ok("play b c3")
    first = gtp.ok("kata-raw-nn 0")
    gtp.ok("kata-set-param maxPlayouts 300", "trivalent-values")
    assert "after 300 positions" in gtp.ok("trivalent-search")
    assert gtp.ok("kata-raw-nn 0") == first
    gtp.refused("kata-raw-nn 0 1")
    assert "after 300 positions" in gtp.ok("trivalent-search")
    # Moves that the search leaves out as inferior are no stones.
    gtp.ok("boardsize 4", "set_position black b2 white c2 black b3 white c1")
    assert gtp.ok("kata-raw-nn 0").count("NAN") == 4


def test_kata_raw_nn_of_decided_positions() -> None:
    gtp = searching("katahex", size=3)
    gtp.ok("set_position black a3 black c3 black c1 white b2 white a2 white c2")
    lines = gtp.ok("kata-raw-nn 0").split("\n")
    assert lines[1:3] == ["whiteWin 1.000000", "whiteLoss 0.000000"]
    assert lines[4:7] == ["0.333333 0.333333 NAN", "NAN NAN NAN", "NAN 0.333333 NAN"]
    gtp.ok("set_position black a1 black a2 black a3 white b1 white b2")
    assert gtp.ok("kata-raw-nn 0").split("\n")[1] == "whiteWin 0.000000"
    gtp.ok("boardsize 1", "play b a1")
    assert gtp.ok("kata-raw-nn 0").split("\n")[1:5] == [
        "whiteWin 0.000000", "whiteLoss 1.000000", "policy", "NAN",
    ]  # fmt: skip


def test_kata_raw_nn_batch() -> None:
    gtp = searching("katahex", size=3)
    gtp.ok("play b b2")
    board = gtp.ok("showboard")
    positions = ["", "black b2 black c2 white a1", "black a1 black a2 black a3"]
    blocks = re.split(r"(?m)^position \d+\n", gtp.ok(f"kata-raw-nn-batch 0 {'|'.join(positions)}"))
    assert gtp.ok("showboard") == board
    assert blocks.pop(0) == ""
    for stones, block in zip(positions, blocks, strict=True):
        gtp.ok(f"set_position {stones}")
        assert gtp.ok("kata-raw-nn 0") == block.rstrip("\n")
    assert "black to move" in gtp.ok("set_position black b2 black c2", "showboard")
    for line in ("", " 0 black", " 0 black a1 | white a1 white a1", " 0 | red a1"):
        gtp.refused(f"kata-raw-nn-batch{line}")
    gtp.channel = NullChannel()
    gtp.channel.stop.set()
    assert gtp.send("kata-raw-nn-batch 0 black a1") == "? interrupted"


def test_the_katahex_profile_plays_on_after_the_end() -> None:
    gtp = searching("katahex", size=2)
    gtp.ok("set_position black a1 black a2")
    assert gtp.ok("genmove_debug white") == "b1"
    assert gtp.ok("kata-genmove_analyze black") == "\nplay b2"
    assert gtp.ok("genmove white") == "pass"
    assert gtp.ok("reg_genmove white") == "resign"


def test_parameters_of_katahex() -> None:
    gtp = searching("katahex")
    names = gtp.ok("kata-list-params").split()
    assert gtp.ok("kata-get-param maxPlayouts") == "200"
    gtp.ok("kata-set-param maxPlayouts 50", "kata-set-param maxVisits 70")
    assert gtp.session.search.nodes == 50
    gtp.ok("kata-set-param maxPlayouts 1125899906842624")
    assert gtp.session.search.nodes == 70
    gtp.ok("kata-set-param maxVisits 1125899906842624", "kata-set-param maxTime 2.5")
    assert (gtp.session.search.nodes, gtp.session.search.seconds) == (0, 2.5)
    gtp.ok("kata-set-param maxTime 1e20", "kata-set-param analysisWideRootNoise 0.04")
    assert gtp.session.search.seconds is None
    assert [gtp.ok(f"kata-get-param {name}") for name in names] == [
        "1125899906842624", "1125899906842624", "1e20", "1", "0.04", "0", "1",
    ]  # fmt: skip
    gtp.ok("kata-set-param maxTime 2.5", "kata-set-param maxTime 0")
    assert gtp.session.search.seconds is None
    for line in ("maxPlayouts 0", "maxPlayouts x", "maxTime -1", "maxTime x", "nothing 1",
                 "analysisWideRootNoise x", "maxVisits", ""):  # fmt: skip
        gtp.refused(f"kata-set-param {line}")
    gtp.refused("kata-get-param nothing")


def test_the_gogui_profile() -> None:
    gtp = searching("gogui", size=9)
    gtp.ok("play b A9", "play w J1")
    assert gtp.stones() == {"a1": "b", "i9": "w"}
    assert "J1" not in gtp.ok("gogui-rules_legal_moves").split()
    gtp.refused("play b i5")
    # GoGui does not know the swap.
    for line in ("param_game", "param_game allow_swap 1", "play w swap-pieces"):
        gtp.refused(line)
    assert "param_game" not in gtp.ok("gogui-analyze_commands")
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
    assert gtp.ok("genmove w") == "swap-pieces"
    assert gtp.ok("winner") == "white"
    gtp.ok("undo", "play w swap-pieces")
    assert "over" in gtp.refused("play b swap-pieces")


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
