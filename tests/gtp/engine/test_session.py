"""Commands in process: the game, players that fail, stops, pondering."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from gtp_session import BrokenError, FakePlayer, Gtp
from hypothesis import given, settings
from hypothesis import strategies as st

from trivalent.bot.player import RESIGN, Limits, Stop
from trivalent.bot.players.registry import make_player
from trivalent.gtp.engine.session import NullChannel
from trivalent.gtp.engine.syntax import parse

if TYPE_CHECKING:
    from trivalent.core.board import Colour


def test_name_version_and_protocol_version() -> None:
    gtp = Gtp()
    assert gtp.ok("name") == "Trivalent"
    assert gtp.ok("version").count("\n") == 0
    assert gtp.ok("version").strip()
    assert gtp.ok("protocol_version") == "2"


def test_list_commands_agrees_with_known_command() -> None:
    gtp = Gtp()
    names = gtp.ok("list_commands").split("\n")
    assert names == list(dict.fromkeys(names))
    assert {"quit", "known_command", "boardsize", "genmove", "play", "undo"} <= set(names)
    for name in names:
        assert gtp.ok(f"known_command {name}") == "true"
    for name in ("no", "NAME", "name,", "interrupt", "0"):
        assert gtp.ok(f"known_command {name}") == "false"
    gtp.refused("known_command")
    gtp.refused("known_command name name")


@pytest.mark.parametrize("line", ["nope", "NAME", "Play b a1", "8name", "-3 name", "x" * 100_000])
def test_unknown_commands_are_refused_in_short(line: str) -> None:
    reply = Gtp().refused(line)
    assert reply.startswith("unknown command")
    assert len(reply) < 100


def test_analyze_commands_have_the_types_that_hexgui_knows() -> None:
    gtp = Gtp()
    labels = []
    for line in gtp.ok("hexgui-analyze_commands").split("\n"):
        kind, label, command = line.split("/")
        assert kind in ("string", "plist", "group", "pspairs", "inferior", "var", "vc", "gfx",
                        "move", "param", "none")  # fmt: skip
        assert label
        assert gtp.ok(f"known_command {command.split()[0]}") == "true"
        labels.append(label)
    assert len(set(labels)) == len(labels)


@pytest.mark.parametrize(
    "line",
    [
        "name x", "version x", "protocol_version 2", "list_commands x", "hexgui-analyze_commands x",
        "clear_board x", "showboard x", "final_score x", "undo 2",
        "komi", "komi 1 2", "komi x", "komi 1,5",
        "play", "play b", "play a1", "play a1 b", "play b a1 w", "play x a1", "play blackish a1",
        "play b a0", "play b a6", "play b f1", "play b 11", "play b a", "play b 1a", "play b a-1",
        "play b a1a", "play b a01", "play b a+1", "play b aa1", "play b a1.0", "play b swap",
        "play b \xff", "play b " + "a" * 100_000, "play b a" + "1" * 1_000_000,
        "genmove", "genmove x", "genmove b w", "genmove 1", "reg_genmove", "reg_genmove x",
        "set_game", "set_game go", "set_game hex y", "set_game " + "y" * 100_000,
        "time_settings", "time_settings 1 2", "time_settings 1 2 3 4", "time_settings x 1 1",
        "time_settings nan 1 1", "time_settings inf 1 1", "time_settings 1 -inf 1",
        "time_settings 1e400 1 1", "time_settings -1 1 1", "time_settings 1 1 -1",
        "time_settings 1 1 1.5", "time_settings 1 1 " + "9" * 1_000_000,
        "time_settings " + "9" * 1_000_000 + " 1 1", "time_settings 1 nan 0",
        "time_left", "time_left b 1", "time_left x 1 1", "time_left b nan 1", "time_left b 1 x",
        "time_left b -1 0", "time_left b 1 1 1",
        "param_game allow", "param_game allow_swap 2", "param_game allow_swap x",
        "param_game no 1", "param_game allow_swap 1 1", "param_game allow_swap -0x1",
    ],
)  # fmt: skip
def test_bad_arguments_change_nothing(line: str) -> None:
    gtp = Gtp()
    gtp.ok("play b c3", "play w b4", "time_settings 60 10 5", "time_left w 7 2")
    assert len(gtp.refused(line.encode())) < 300


@pytest.mark.parametrize(
    "arguments",
    ["", "0", "-1", "64", "1" + 30 * "0", "9" * 1_000_000, "11x", "x", "5.0", "1e1", "0x5", "+5",
     "5 0", "0 5", "5 64", "64 5", "5 -5", "5 x", "5 5 5", "5 5 5 5", "5,5", "5x5",
     "--5", "-", "\xb2", "1_1", "nan"],
)  # fmt: skip
def test_invalid_sizes_are_refused(arguments: str) -> None:
    gtp = Gtp()
    gtp.ok("play b c3", "time_settings 60 0 0", "time_left b 3 0")
    assert gtp.refused(f"boardsize {arguments}".encode()).startswith("unacceptable size")


@pytest.mark.parametrize("width", [1, 2, 5, 26, 27, 63])
@pytest.mark.parametrize("height", [1, 2, 63])
def test_boards_of_all_sizes_can_be_played_on(width: int, height: int) -> None:
    gtp = Gtp()
    gtp.ok("play b c3", f"boardsize {width} {height}")
    board = gtp.session.position.board
    assert (board.width, board.height) == (width, height)
    assert gtp.stones() == {}
    gtp.ok(f"play b {board.names[-1]}", f"play w {board.names[0]}" if len(board) > 1 else "name")
    assert len(gtp.stones()) == min(2, len(board))
    gtp.ok("showboard")


def test_boardsize_with_one_number_makes_a_square_board() -> None:
    gtp = Gtp()
    gtp.ok("boardsize 07")
    assert str(gtp.session.position.board) == "7x7 Hex"


def test_clear_board_keeps_the_size() -> None:
    gtp = Gtp()
    gtp.ok("boardsize 4 6")
    for _ in range(3):
        gtp.ok("clear_board")
        assert str(gtp.session.position.board) == "4x6 Hex"
        assert gtp.stones() == {}
        assert gtp.refused("undo") == "cannot undo"
        gtp.ok("play w b2")


def test_set_game_switches_between_hex_and_y() -> None:
    gtp = Gtp()
    gtp.ok("boardsize 4 6", "play b a1", "set_game y")
    assert str(gtp.session.position.board) == "Y 6"
    assert gtp.stones() == {}
    gtp.refused("play b b1")  # beside the apex
    gtp.ok("play b f6", "boardsize 3", "boardsize 5 5", "set_game Y")
    gtp.refused("boardsize 5 6")
    gtp.refused("boardsize 64")
    gtp.ok("set_game hex")
    assert str(gtp.session.position.board) == "5x5 Hex"
    gtp.ok("boardsize 63 1", "set_game y", "genmove w")
    assert gtp.stones() == {"a1": "w"}
    assert gtp.ok("final_score") == "W+"
    gtp.ok("set_game hex", "boardsize 1 63", "set_game y", "showboard")


def test_either_colour_may_play_any_number_of_stones() -> None:
    gtp = Gtp()
    gtp.ok("play black a1", "play B A2", "play w E5", "play White e4", "play BLACK c3", "play W D4")
    assert gtp.stones() == {"a1": "b", "a2": "b", "e5": "w", "e4": "w", "c3": "b", "d4": "w"}


def test_occupied_cells_are_refused() -> None:
    gtp = Gtp()
    gtp.ok("play b c3")
    for line in ("play b c3", "play w c3", "play w C3"):
        assert gtp.refused(line).startswith("illegal move")


def test_the_game_may_go_on_after_the_end() -> None:
    gtp = Gtp(size=2)
    gtp.ok("play b a1", "play b a2")
    assert gtp.ok("final_score") == "B+"
    assert gtp.ok("genmove w") == "resign"
    assert gtp.ok("genmove b") == "resign"
    assert gtp.ok("reg_genmove b") == "resign"
    assert len(gtp.stones()) == 2
    gtp.ok("play w b1", "play w b2")  # the board is full
    assert gtp.ok("final_score") == "B+"
    assert gtp.ok("genmove w") == "resign"
    gtp.refused("play w b2")
    gtp.ok("undo", "undo", "undo")
    gtp.refused("final_score")
    gtp.ok("genmove w")


@pytest.mark.parametrize("game", ["hex", "y"])
@pytest.mark.parametrize("size", [1, 2, 3, 6])
def test_genmove_plays_whole_games(game: str, size: int) -> None:
    gtp = Gtp(game=game, size=size)
    colours = "bw"
    for number in range(size * size + 1):
        board = gtp.ok("showboard")
        move = gtp.ok(f"genmove {colours[number % 2]}")
        if move == "resign":
            assert gtp.ok("showboard") == board
            break
        assert gtp.stones()[move] == colours[number % 2]
        assert len(gtp.stones()) == number + 1
    else:
        pytest.fail("a full board has a winner")
    assert gtp.ok("final_score") in ("B+", "W+")
    for _ in range(number):
        gtp.ok("undo")
    assert gtp.stones() == {}
    gtp.refused("undo")


def test_genmove_works_for_either_colour() -> None:
    gtp = Gtp()
    for colour in ("w", "white", "W", "b", "BLACK", "black"):
        move = gtp.ok(f"genmove {colour}")
        assert gtp.stones()[move] == colour[0].lower()
    assert len(gtp.stones()) == 6


def test_reg_genmove_changes_nothing() -> None:
    gtp = Gtp(make_player("uct", {"seed": "7"}), limits=Limits(nodes=50))
    gtp.ok("play b c3", "time_settings 60 0 0")
    before = gtp.state()
    moves = {gtp.ok("reg_genmove w") for _ in range(3)}
    assert gtp.state() == before
    assert moves == {gtp.ok("genmove w")}


def test_undo_takes_back_passes_but_not_resignations() -> None:
    gtp = Gtp()
    gtp.ok("play b c3")
    before = gtp.state()
    gtp.ok("play w resign", "play b RESIGN")
    assert gtp.state() == before
    gtp.ok("play w pass")
    assert gtp.stones() == {"c3": "b"}
    gtp.ok("play b pass", "play b Pass", "play b d4", "undo")
    gtp.ok("undo", "undo", "undo")  # the passes
    gtp.ok("undo")
    assert gtp.stones() == {}
    gtp.refused("undo")


def test_final_score_needs_a_winner() -> None:
    gtp = Gtp(size=3)
    assert "cannot score" in gtp.refused("final_score")
    gtp.ok("play w a2", "play w b2")
    gtp.refused("final_score")
    gtp.ok("play w c2")
    assert gtp.ok("final_score") == "W+"


@pytest.mark.parametrize("komi", ["0", "7.5", "-3", "1e3"])
def test_komi_changes_nothing(komi: str) -> None:
    gtp = Gtp()
    before = gtp.state()
    assert gtp.ok(f"komi {komi}") == ""
    assert gtp.state() == before
    for odd in ("nan", "inf", "-1e999", "9" * 1_000_000):
        gtp.send(f"komi {odd}")  # accepted or refused, without effect
        assert gtp.state() == before


@pytest.mark.parametrize(
    ("method", "lines"),
    [
        ("genmove", ["genmove b", "genmove w", "reg_genmove b"]),
        ("play", ["play w a1", "genmove w"]),
        ("undo", ["undo"]),
        ("set_position", ["boardsize 7", "clear_board", "set_game y", "play w swap-pieces",
                          "play w swap-sides"]),
    ],
)  # fmt: skip
def test_an_exception_in_the_player_leaves_the_session_usable(
    method: str, lines: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    player = FakePlayer()
    gtp = Gtp(player)
    gtp.ok("param_game allow_swap 1", "play b b1")  # too weak to be swapped
    if method != "play":  # a generated move has used time on the clock
        gtp.ok("time_settings 60 10 5", "time_left b 3 2")
    for line in lines:
        player.fails = {method}
        reply = gtp.fails(line)
        assert reply.startswith("internal error: BrokenError: out of order")
        assert "BrokenError" in caplog.text
        player.fails = set()
        if method != "set_position":
            assert gtp.in_step(), line
        # The session goes on as if nothing had happened.
        gtp.ok("play w d4")
        assert gtp.stones() == {"b1": "b", "d4": "w"}
        gtp.ok("undo", "reg_genmove w")
        assert gtp.in_step(), line


def test_a_half_finished_move_is_rolled_back() -> None:
    class Sloppy(FakePlayer):
        def play(self, colour: Colour, cell: int) -> None:
            super().play(colour, cell)
            if self.answers == [RESIGN]:
                raise BrokenError

    player = Sloppy([RESIGN])
    gtp = Gtp(player)
    gtp.fails("play b c3")
    assert gtp.in_step()
    player.answers = []
    gtp.ok("play b c3", "play w c4", "undo")
    assert gtp.in_step()


@pytest.mark.parametrize("cell", [12, -1, 25, 10**30])
def test_an_illegal_answer_of_the_player_is_an_internal_error(cell: int) -> None:
    player = FakePlayer([cell])
    gtp = Gtp(player)
    gtp.ok("play b c3")  # cell 12
    assert gtp.fails("genmove w").startswith("internal error")
    assert gtp.in_step()
    assert gtp.ok("genmove w") == "a1"
    player.answers = [cell]
    before = gtp.state()
    gtp.send("reg_genmove b")  # accepted or refused, but harmless
    assert gtp.state() == before


def test_a_resignation_of_the_player_changes_nothing() -> None:
    player = FakePlayer([RESIGN, RESIGN])
    gtp = Gtp(player)
    gtp.ok("play b c3")
    before = gtp.state()
    assert gtp.ok("genmove w") == "resign"
    assert gtp.ok("reg_genmove b") == "resign"
    assert gtp.state() == before
    gtp.ok("undo")  # takes back the stone: a resignation is not a move
    assert gtp.stones() == {}
    gtp.ok("genmove b")
    assert gtp.in_step()


def test_each_command_gets_a_stop_of_its_own() -> None:
    player = FakePlayer()
    gtp = Gtp(player)
    stopped = NullChannel()
    stopped.stop.set()
    gtp.session.run("genmove", ["b"], stopped)
    gtp.session.run("genmove", ["w"])
    gtp.session.run("reg_genmove", ["b"], NullChannel())
    assert [given.is_set for given in player.stops] == [True, False, False]


def test_quit_ends_the_session_and_ignores_arguments() -> None:
    for line in ("quit", "5 quit", "quit now please"):
        gtp = Gtp()
        request = parse(line.encode())
        assert request is not None
        reply = gtp.session.run(request.name, request.arguments)
        assert (reply.ok, reply.text, reply.end) == (True, "", True)
    assert not gtp.session.run("name", ["x"]).ok


class Model:
    """The stones on the board, as a plain list of all boards so far."""

    def __init__(self) -> None:
        self.boards: list[dict[str, str]] = [{}]
        self.first: str | None = None

    def play(self, colour: str, cell: str) -> bool:
        if cell in self.boards[-1]:
            return False
        self.boards.append(self.boards[-1] | {cell: colour})
        return True

    def swap_pieces(self, colour: str) -> bool:
        board = self.boards[-1]
        if len(self.boards) != 2 or not board or colour in board.values():
            return False
        (cell,) = board
        image = f"{'abc'[int(cell[1]) - 1]}{'abc'.index(cell[0]) + 1}"
        self.boards.append({image: colour})
        return True

    def skip(self) -> bool:
        self.boards.append(self.boards[-1])
        return True

    def undo(self) -> bool:
        if len(self.boards) == 1:
            return False
        self.boards.pop()
        return True


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["play", "play", "play", "undo", "swap", "pass"]),
            st.sampled_from("bw"),
            st.sampled_from(["a1", "a2", "a3", "b1", "b2", "b3", "c1", "c2", "c3"]),
        ),
        max_size=25,
    )
)
def test_stones_agree_with_a_simple_model(steps: list[tuple[str, str, str]]) -> None:
    gtp, model = Gtp(size=3), Model()
    gtp.ok("param_game allow_swap 1")
    for what, colour, cell in steps:
        match what:
            case "play":
                line, ok = f"play {colour} {cell}", model.play(colour, cell)
            case "swap":
                line, ok = f"play {colour} swap-pieces", model.swap_pieces(colour)
            case "undo":
                line, ok = "undo", model.undo()
            case _:
                line, ok = f"play {colour} pass", model.skip()
        assert gtp.send(line).startswith("=" if ok else "?")
        assert gtp.stones() == model.boards[-1]


def test_the_engine_ponders_after_its_moves_only() -> None:
    player = FakePlayer()
    gtp = Gtp(player)
    stop = Stop()

    def ponders(line: str) -> bool:
        assert gtp.send(line).startswith("=")
        before = len(player.pondered)
        gtp.session.ponder(stop)
        return len(player.pondered) > before

    assert not ponders("genmove black")
    assert not ponders("param_search ponder 600")
    assert ponders("genmove white")
    assert player.pondered == [(Limits(seconds=600.0), stop)]
    for line in ("showboard", "play black e5", "reg_genmove white", "undo", "clear_board"):
        assert not ponders(line)
    assert ponders("genmove black")
    gtp.session.max_seconds = 2.0
    assert ponders("genmove white")
    assert player.pondered[-1][0] == Limits(seconds=2.0)
    assert gtp.send("param_search ponder -1").startswith("?")
    assert gtp.send("genmove blue").startswith("?")
    gtp.session.ponder(stop)
    assert len(player.pondered) == 3


def test_no_pondering_after_the_end() -> None:
    player = FakePlayer([0, 1])
    gtp = Gtp(player, size=1)
    gtp.send("param_search ponder 600")
    gtp.send("genmove black")
    gtp.session.ponder(Stop())
    assert not player.pondered


def test_an_exception_while_pondering_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    gtp = Gtp(FakePlayer(fails=["ponder"]))
    gtp.send("param_search ponder 600")
    gtp.send("genmove black")
    gtp.session.ponder(Stop())
    assert "out of order" in caplog.text
    assert gtp.send("genmove white").startswith("=")
