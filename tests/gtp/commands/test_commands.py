"""The families of commands, one by one, in process."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest
from gtp_session import Gtp

from trivalent.bot.players.registry import PLAYERS
from trivalent.core.board import hex_board, make_board
from trivalent.core.playouts.playout import PlayoutStatistics
from trivalent.gtp.commands.all_commands import COMMANDS, FAMILIES, commands_for
from trivalent.gtp.engine.session import NullChannel, SearchParameters
from trivalent.gtp.engine.vertices import GO, PLAIN, Vertices
from trivalent.gtp.profiles.all_profiles import PROFILES

if TYPE_CHECKING:
    from pathlib import Path


# --- what is there ---


def test_every_command_says_what_it_does() -> None:
    for compat, profile in PROFILES.items():
        gtp = Gtp(compat)
        commands = commands_for(profile)
        names = [command.name for command in commands]
        assert len(set(names)) == len(names)
        assert gtp.ok("list_commands").split("\n") == names
        usages = gtp.ok("help").split("\n")
        for command, usage in zip(commands, usages, strict=True):
            assert usage == f"{command.name} {command.usage}".rstrip()
            text = gtp.ok(f"help {command.name}")
            assert command.effect.endswith(".")
            assert command.effect in text
            assert not command.fails or f"Fails if {command.fails}." in text
    assert "unknown command" in Gtp().refused("help me")
    Gtp().refused("help a b")


def test_families_make_the_list() -> None:
    assert [c for family in FAMILIES.values() for c in family] == list(COMMANDS)
    names = {command.name for command in commands_for(PROFILES["mohex"], files=False)}
    assert "play" in names
    assert "param_mohex" in names
    assert not {"loadsgf", "savesgf"} & names


def test_too_many_arguments_are_refused() -> None:
    for compat, profile in PROFILES.items():
        gtp = Gtp(compat)
        for command in commands_for(profile):
            if "..." not in command.usage and command.name not in ("quit", "savesgf"):
                text = gtp.refused(f"{command.name} 1 2 3 4 5")
                assert text.startswith(("usage: ", "unacceptable size: usage: ")), command.name


def test_commands_that_need_arguments_say_which() -> None:
    for compat, profile in PROFILES.items():
        gtp = Gtp(compat)
        for command in commands_for(profile):
            if command.usage and not command.usage.startswith("["):
                assert f"usage: {command.name} {command.usage}" in gtp.refused(command.name)


# --- games ---


def test_play_game() -> None:
    gtp = Gtp()
    gtp.ok("play w e5", "play-game a1 b2 pass c3")
    assert gtp.stones() == {"a1": "b", "b2": "w", "c3": "w"}
    for line in ("play-game a1 b2 a1", "play-game a1 z9", "play-game a1 swap-pieces",
                 "play-game a1 resign"):  # fmt: skip
        assert "move " in gtp.refused(line)
    gtp.ok("param_game allow_swap 1", "play-game b1 swap-pieces c3 d3")
    assert gtp.stones() == {"a2": "w", "c3": "b", "d3": "w"}
    gtp.ok("play-game b1 swap-sides c3 d3")
    assert gtp.stones() == {"b1": "b", "c3": "w", "d3": "b"}
    gtp.refused("play-game swap-pieces")
    gtp.refused("play-game a1 b1 swap-pieces")
    gtp.ok("play-game")
    assert gtp.stones() == {}


def test_set_position() -> None:
    gtp = Gtp(player="random")
    gtp.ok("play b e5", "set_position black a1 w b2 BLACK c3")
    assert gtp.stones() == {"a1": "b", "b2": "w", "c3": "b"}
    assert "white to move" in gtp.ok("showboard")
    gtp.ok("set_position w a1")
    assert "black to move" in gtp.ok("showboard")
    for line in ("set_position b", "set_position b a1 w a1", "set_position x a1",
                 "set_position b z9", "set_position b a1 w"):  # fmt: skip
        gtp.refused(line)
    gtp.ok("genmove b", "undo", "undo")
    assert gtp.stones() == {}
    gtp.ok("param_game allow_swap 1", "set_position b a1")
    gtp.refused("play w swap-pieces")  # a stone that was set up has not been played


def test_winner_and_legal_moves() -> None:
    gtp = Gtp(size=2)
    assert gtp.ok("winner") == "none"
    assert gtp.ok("all_legal_moves") == gtp.ok("all_legal_moves w") == "a1 b1 a2 b2"
    gtp.refused("all_legal_moves x")
    gtp.ok("play b a1")
    assert gtp.ok("all_legal_moves") == "b1 a2 b2"
    gtp.ok("play b a2")
    assert gtp.ok("winner") == "black"
    assert gtp.ok("all_legal_moves") == ""


def test_chains() -> None:
    gtp = Gtp()
    gtp.ok("set_position b c3 b c4 b d2 w b3 b a1 b e5")
    assert gtp.ok("group-get c4").split()[0] == "c4"
    assert set(gtp.ok("group-get c4").split()) == {"c3", "c4", "d2"}
    assert gtp.ok("group-get B3") == "b3"
    gtp.refused("group-get c5")
    gtp.refused("group-get z9")


@pytest.mark.parametrize(
    ("game", "size", "lines", "link"),
    [
        ("hex", 5, [], "https://hexworld.org/board/#5,"),
        ("hex", 5, ["boardsize 4 6", "play b d6"], "https://hexworld.org/board/#4x6,d6"),
        ("hex", 5, ["play b b1", "param_game allow_swap 1", "play w swap-pieces", "play b c3"],
         "https://hexworld.org/board/#5,b1:sc3"),
        ("hex", 63, [], None),
        ("y", 5, ["play b a1"], None),
    ],
)  # fmt: skip
def test_links(game: str, size: int, lines: list[str], link: str | None) -> None:
    gtp = Gtp(game=game, size=size)
    gtp.ok("showboard", *lines)
    if link is None:
        assert "HexWorld" in gtp.refused("trivalent-link")
        assert "http" not in gtp.ok("showboard")
    else:
        assert gtp.ok("trivalent-link") == link
        assert gtp.ok("showboard").endswith("\n" + link)


# --- files ---


def test_save_and_load(tmp_path: Path) -> None:
    gtp = Gtp()
    gtp.ok("param_game allow_swap 1", "play-game b1 swap-pieces c3 d3")
    history = gtp.session.position.history
    path = tmp_path / "a game.sgf"
    gtp.ok(f'savesgf "{path}"', "boardsize 9", f'loadsgf "{path}"')
    assert gtp.session.position.history == history
    assert [entry.name for entry in tmp_path.iterdir()] == ["a game.sgf"]
    gtp.ok("genmove b", f'loadsgf "{path}" 2')
    assert gtp.stones() == {"a2": "w"}
    gtp.ok("undo", f'loadsgf "{path}" 0')
    assert gtp.stones() == {}
    gtp.ok(f'loadsgf "{path}" 99')
    assert gtp.session.position.history == history


def test_load_setup_and_variations(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "x.sgf"
    path.write_text("(;GM[11]SZ[4:5]AB[a1]AW[b2];B[c3](;W[d4];B[a5])(;W[a4]))", encoding="ascii")
    gtp = Gtp()
    gtp.ok(f"loadsgf {path} 1")
    assert gtp.stones() == {"a1": "b", "b2": "w", "c3": "b"}
    gtp.ok(f"loadsgf {path}")
    assert gtp.stones() == {"a1": "b", "b2": "w", "c3": "b", "d4": "w", "a5": "b"}
    assert not caplog.text
    path.write_text("(;GM[11]SZ[4:5];B[c3];W[z9];B[a1])", encoding="ascii")
    gtp.ok(f"loadsgf {path}")
    assert "x.sgf:1:" in caplog.text


def test_bad_files(tmp_path: Path) -> None:
    gtp = Gtp()
    gtp.ok("play b a1")
    path = tmp_path / "x"
    path.write_bytes(b"\x00\xff nothing")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)  # to open it would take until somebody writes
    for name in (path, tmp_path, tmp_path / "none", "/dev/null", pipe, "x" * 300, path / "y", "/"):
        assert gtp.refused(f"loadsgf {name}").startswith("cannot load file")
        assert gtp.refused(f"loadsgf {name} 1").startswith("cannot load file")
    for words in (f"{path} x", f"{path} 1 2", f"{path} -1", "", '"', '""', f'"{path}'):
        assert gtp.refused(f"loadsgf {words}").startswith("usage: ")
    for name in (tmp_path, tmp_path / "no" / "where", pipe, "x" * 300, path / "y", "/", ".", ".."):
        refusal = gtp.refused(f"savesgf {name}")
        assert refusal.startswith("cannot save file")
        assert f".{os.getpid()}" not in refusal  # the name of a file that the user has not named
    assert gtp.refused("savesgf").startswith("usage: ")
    assert {entry.name for entry in tmp_path.iterdir()} == {"x", "pipe"}
    assert pipe.is_fifo()


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    gtp = Gtp()
    link, file = tmp_path / "link", tmp_path / "file"
    link.symlink_to(file)
    for lines in (("play b a1",), ("play w b2",)):
        gtp.ok(*lines, f"savesgf {link}")
        assert link.is_symlink()
        assert not file.is_symlink()
    gtp.ok("clear_board", f"loadsgf {link}")
    assert gtp.stones() == {"a1": "b", "b2": "w"}


# --- parameters ---


def test_families_of_parameters() -> None:
    for player in PLAYERS:
        gtp = Gtp(player=player)
        for name in ("param_game", "param_search", "param_player"):
            table = gtp.ok(name)
            assert table.startswith("\n[")
            for line in table[1:].split("\n"):
                match = re.fullmatch(r"\[(bool|string)\] ([a-z_]+) (\S+)", line)
                assert match
                _, key, value = match.groups()
                assert f"{key}={value}" in gtp.ok(f"{name} {key}")
                gtp.ok(f"{name} {key} {value}")
                gtp.refused(f"{name} {key} x")
                gtp.refused(f"{name} {key} {value} 1")
            assert gtp.ok(name) == table
            assert "known: " in gtp.refused(f"{name} nothing 1")
            gtp.refused(f"{name} nothing")


def test_parameters_take_effect() -> None:
    gtp = Gtp()
    gtp.ok("param_search nodes 50")
    assert "after 50 positions" in gtp.ok("trivalent-search b")
    gtp.ok("param_search nodes 70")
    assert "after 50 positions" in gtp.ok("trivalent-search b")  # the search that there was
    gtp.ok("param_player seed 4")
    assert "after 70 positions" in gtp.ok("trivalent-search b")
    gtp.ok("param_player resign 1")
    assert [gtp.ok("genmove b") == "resign" for _ in range(3)] == [False, False, True]
    assert "at most 1.0" in gtp.refused("param_player resign 1.5")


# --- analysis ---


def test_analysis_formats() -> None:
    gtp = Gtp()
    gtp.ok("play b c3")
    cell = "[a-e][1-5]"
    value = r"(?:[01]?\.[0-9]{2}|W|L)"
    patterns = {
        "trivalent-search w": rf"{cell} [0-9.]+%.* after 200 positions in [0-9.]+ s;( {cell})+",
        "trivalent-pv w": rf"{cell}( {cell})*",
        "trivalent-top-moves w": rf"{cell} 1@{value}( {cell} [0-9]+@{value})*",
        "trivalent-values w": rf"{cell} {value}@[0-9]+k?( {cell} {value}@[0-9]+k?)*",
        "trivalent-visits w": rf"{cell} [0-9]+( {cell} [0-9]+)*",
        "trivalent-rave-values w": rf"INFLUENCE( {cell} [01]\.[0-9]{{3}}){{24}}\nTEXT .+",
        "trivalent-ownership w": rf"INFLUENCE( {cell} [01]\.[0-9]{{3}}){{24}}\nTEXT .+",
        "trivalent-criticality w": rf"INFLUENCE( {cell} [01]\.[0-9]{{3}}){{24}}\nTEXT .+",
        "trivalent-playouts w 1000": r"black wins [0-9]+ of 1000 playouts \(.*%\) .*white to move",
    }
    for line, pattern in patterns.items():
        text = gtp.ok(line)
        assert re.fullmatch(pattern, text), (line, text)
        assert gtp.ok(line) == text
        name = line.split()[0]
        gtp.ok(name)
        gtp.refused(f"{name} x")
    best = gtp.ok("trivalent-pv w").split()[0]
    assert gtp.ok("reg_genmove w") == best
    assert gtp.ok("trivalent-top-moves").split()[0] == best


@pytest.mark.parametrize(("profile", "least"), [("none", 0), ("gogui", -1)])
def test_colours_use_the_whole_scale(profile: str, least: float) -> None:
    gtp = Gtp(profile)
    for command in ("trivalent-rave-values", "trivalent-criticality", "trivalent-ownership"):
        numbers = [float(word) for word in gtp.ok(command).split("\n")[0].split()[2::2]]
        assert len(numbers) == 25
        assert all(least <= number <= 1 for number in numbers)
        if command != "trivalent-ownership":  # where the middle of the scale means something
            assert (min(numbers), max(numbers)) == (least, 1)


def test_labels_for_gogui_have_one_line() -> None:
    gtp = Gtp("gogui")
    assert re.fullmatch(r"[A-F][1-5] 1( [A-F][1-5] [0-9]+)*", gtp.ok("trivalent-top-moves"))
    assert re.fullmatch(r"([A-F][1-5] 1?\.[0-9]{2} ?)+", gtp.ok("trivalent-values"))


def test_analysis_is_of_the_position_on_the_board() -> None:
    gtp = Gtp(size=3)
    first = gtp.ok("genmove b")
    cells = gtp.ok("trivalent-visits w").split()[::2]
    assert first not in cells
    gtp.ok("undo")
    assert first in gtp.ok("trivalent-visits b").split()[::2]


def test_nothing_to_analyse_after_the_end() -> None:
    gtp = Gtp(size=1)
    gtp.ok("play b a1")
    for command in (*FAMILIES["analysis"], *FAMILIES["live analysis"]):
        assert "game is over" in gtp.refused(command.name)


def test_criticality_of_the_only_cell_and_of_none() -> None:
    # 8 playouts; the first cell decides, the second one does not matter.
    found = PlayoutStatistics(8, 4, (0, 1), (4, 4), (4, 2))
    assert found.criticality == (0.5, 0.0)
    assert found.ownership == (0.5, 0.5)


class Listener(NullChannel):
    """A channel that notes what is sent, and sends a line of its own after some parts."""

    def __init__(self, parts: int) -> None:
        super().__init__()
        self.superseded = type(self.stop)()
        self.blocks: list[str] = []
        self.parts: list[str] = []
        self._enough = parts

    def block(self, text: str) -> None:
        self.blocks.append(text)

    def part(self, text: str) -> None:
        self.parts.append(text)
        if len(self.parts) >= self._enough:
            self.superseded.set()


@pytest.mark.parametrize(
    ("line", "entry"),
    [
        ("lz-analyze w 1", r"info move CELL visits N winrate N order N pv CELL( CELL)*"),
        ("lz-analyze interval 1", r"info move CELL visits N winrate N order N pv CELL( CELL)*"),
        (
            "kata-analyze w 1 rootInfo true",
            r"info move CELL visits N winrate [01]\.N scoreLead 0 order N pv CELL( CELL)*",
        ),
        (
            "kata-analyze interval 1",
            r"info move CELL visits N winrate [01]\.N scoreLead 0 order N pv CELL( CELL)*",
        ),
    ],
)
def test_streams(line: str, entry: str) -> None:
    gtp = Gtp(size=7)
    gtp.ok("play b d4")
    listener = Listener(3)
    name, *words = line.split()
    reply = gtp.session.run(name, words, listener)
    assert (reply.ok, reply.text) == (True, "")
    pattern = entry.replace("CELL", "[a-g][1-7]").replace("N", "[0-9]+")
    for part in listener.parts:
        assert re.fullmatch(rf"{pattern}( {pattern})*", part)
    orders = re.findall("order ([0-9]+)", listener.parts[-1])
    assert orders == [str(order) for order in range(len(orders))]
    assert gtp.stones() == {"d4": "b"}


def test_a_stream_of_ownership() -> None:
    gtp = Gtp(size=3)
    gtp.ok("set_position b a1 w c3")
    listener = Listener(1)
    gtp.session.run("kata-analyze", ["w", "1", "ownership", "true"], listener)
    values = [float(word) for word in listener.parts[0].split(" ownership ")[1].split()]
    assert len(values) == 9
    assert (values[0], values[8]) == (-1, 1)
    assert all(-1 <= value <= 1 for value in values)


def test_streams_refuse_nonsense() -> None:
    gtp = Gtp()
    for line in (
        "lz-analyze x",
        "lz-analyze b interval x",
        "lz-analyze -1",
        "kata-analyze b 1 ownership",
    ):
        assert gtp.refused(line).startswith("usage: ")


def test_live_graphics(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trivalent.gtp.commands.graphics.INTERVAL", 0.01)
    gtp = Gtp(size=7)
    gtp.ok("param_search nodes 0", "param_search seconds 0.2")
    listener = Listener(1)
    gtp.session.run("reg_genmove", ["w"], listener)
    assert listener.blocks == []
    gtp.ok("param_search live_graphics 1")
    gtp.session.run("genmove", ["w"], listener)
    assert listener.blocks
    cell = "[a-g][1-7]"
    for block in listener.blocks:
        assert re.fullmatch(
            rf"gogui-gfx:\nuct\nVAR( W {cell} B {cell})*( W {cell})?\n"
            rf"INFLUENCE( {cell} (1?\.[0-9]{{2}}|W|L))+\n"
            rf"LABEL( {cell} [0-9]+[kM]?)+\nTEXT white .+",
            block,
        )


# --- profiles ---


def test_mohex() -> None:
    gtp = Gtp("mohex")
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
        gtp._run(f"param_mohex key{key} 1")
    assert len(gtp.session.foreign_parameters) == 100
    gtp.ok("param_mohex whatever 8")  # which there is room for
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
    # What MoHex calls swap-pieces leaves the stone where it is.
    gtp.ok("play b b1")
    gtp.refused("play w swap-pieces")
    gtp.ok("param_game allow_swap 1", "play w swap-pieces")
    assert gtp.stones() == {"b1": "b"}


def test_katahex(caplog: pytest.LogCaptureFixture) -> None:
    gtp = Gtp("katahex", size=4)
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
    # A win that is proven before a single playout is all of the policy.
    gtp.ok("boardsize 2", "set_position black b1 white b2")
    assert gtp.ok("kata-raw-nn 0").split("\n")[4:6] == ["0.000000 NAN", "1.000000 NAN"]


def test_gogui() -> None:
    gtp = Gtp("gogui", size=9)
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


def test_strict() -> None:
    gtp = Gtp("strict", size=2)
    for line in ("play w a1", "genmove w", "play w pass"):
        assert "turn" in gtp.refused(line)
    gtp.ok("play b a1", "play w b1", "play b a2")
    assert "over" in gtp.refused("play w b2")
    assert gtp.ok("genmove w") == "resign"


def test_strict_swaps_and_replayed_games() -> None:
    gtp = Gtp("strict", size=4)
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


def test_undo_of_a_position_that_was_set_up() -> None:
    gtp = Gtp()
    gtp.ok("set_position b a1 b b1 w c1", "undo")
    assert "white to move" in gtp.ok("showboard")


@pytest.mark.parametrize(
    ("compat", "game", "size", "stones"),
    [("none", "hex", "5", {"c3": "w"}), ("mohex", "hex", "5", {"c3": "b"}),
     ("hexgui", "hex", "5", {"c3": "w"}), ("none", "hex", "5 4", {"c3": "b"}),
     ("none", "y", "5", {"c4": "w"})],
)  # fmt: skip
def test_the_engine_swaps(compat: str, game: str, size: str, stones: dict[str, str]) -> None:
    gtp = Gtp(compat, game=game)
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


def test_hexgui_swaps_and_resignations() -> None:
    gtp = Gtp("hexgui")
    gtp.ok("play b b1", "play w swap-pieces")  # sent by 0.9 only, which leaves the stone
    assert gtp.stones() == {"b1": "b"}
    gtp.ok("play w c3", "play b resign", "undo")  # 0.9 takes back a resignation that it loaded
    assert gtp.stones() == {"b1": "b", "c3": "w"}
    gtp.ok("undo")
    assert gtp.stones() == {"b1": "b"}
    gtp.ok("clear_board", "play b b1", "play b resign", "clear_board", "play b b1", "undo")
    assert gtp.stones() == {}
    gtp = Gtp("hexgui", game="y")
    gtp.ok("play b c4", "play w swap-pieces")
    assert gtp.stones() == {"c4": "w"}


# --- names of cells ---


@pytest.mark.parametrize("vertices", [PLAIN, GO])
@pytest.mark.parametrize(("game", "size"), [("hex", 1), ("hex", 26), ("hex", 63), ("y", 63)])
def test_names_of_cells(vertices: Vertices, game: str, size: int) -> None:
    board = make_board(game, size)
    names = [vertices.name(board, cell) for cell in range(len(board))]
    assert len(set(names)) == len(board)
    for cell, name in enumerate(names):
        assert vertices.cell(board, name) == vertices.cell(board, name.lower()) == cell
        x, y = board.coordinates[cell]
        assert name == vertices.column(x) + vertices.row(board, y)


def test_go_names() -> None:
    board = hex_board(60, 11)
    assert GO.name(board, board.cell("a11")) == "A1"
    assert GO.name(board, board.cell("i1")) == "J11"
    assert GO.name(board, board.cell("y11")) == "Z1"
    assert GO.name(board, board.cell("z11")) == "AA1"
    for name in ("I1", "A12", "A0", "A01", "", "1", "A", "AI1", "ZZ1", "AAA1", "\u01311", "A1 "):
        with pytest.raises(ValueError, match="no cell"):
            GO.cell(board, name)
