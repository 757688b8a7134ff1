"""GTP commands in process: command -> reply, with players that fail on purpose."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trivalent.bot.player import RESIGN, Answer, BasePlayer, Limits, Stop, Watch
from trivalent.bot.players.random_player import RandomParameters, RandomPlayer
from trivalent.bot.players.registry import make_player
from trivalent.bot.time_control import OVERHEAD, SHORTEST, Clock, TimeSettings
from trivalent.core.board import BLACK, MAX_SIZE, WHITE, Colour, make_board
from trivalent.gtp.commands.all_commands import COMMANDS, commands_for
from trivalent.gtp.engine.profile import Profile
from trivalent.gtp.engine.session import DEFAULT_SECONDS, NullChannel, SearchParameters, Session
from trivalent.gtp.engine.syntax import format_reply, parse
from trivalent.gtp.profiles.all_profiles import PROFILES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trivalent.bot.player import Player
    from trivalent.core.position import Position


class BrokenError(RuntimeError):
    """What a broken player raises; its text would be two replies if it were sent as it is."""

    def __init__(self) -> None:
        super().__init__("out of order\n\n= a1\n\n\tat all\x00")


class Fake(BasePlayer):
    """A player that answers what it is told to and fails where it is told to."""

    def __init__(self, answers: Sequence[Answer] = (), fails: Sequence[str] = ()) -> None:
        super().__init__()
        self.answers = list(answers)
        self.fails = set(fails)
        self.parameters = RandomParameters()
        self.limits: list[Limits] = []
        self.stops: list[Stop] = []
        self.pondered: list[tuple[Limits, Stop]] = []

    def _fail(self, method: str) -> None:
        if method in self.fails:
            raise BrokenError

    def set_position(self, position: Position) -> None:
        self._fail("set_position")
        super().set_position(position)

    def play(self, colour: Colour, cell: int) -> None:
        self._fail("play")
        super().play(colour, cell)

    def undo(self) -> None:
        self._fail("undo")
        super().undo()

    def configure(self, values: Mapping[str, str]) -> None:
        self._fail("configure")
        self.parameters = self.parameters.updated(values)

    def genmove(
        self, colour: Colour, limits: Limits, stop: Stop, watch: Watch | None = None
    ) -> Answer:
        self._fail("genmove")
        self._to_move(colour)  # raises if the game is over
        self.limits.append(limits)
        self.stops.append(stop)
        return self.answers.pop(0) if self.answers else self._position.empty_cells[0]

    def ponder(self, limits: Limits, stop: Stop) -> None:
        self.pondered.append((limits, stop))
        self._fail("ponder")

    def knows(self) -> Position:
        """The position as this player believes it to be."""
        return self._position


class Gtp:
    """A session, and what tests want to ask it."""

    def __init__(
        self,
        player: Player | None = None,
        game: str = "hex",
        width: int = 5,
        limits: Limits | None = None,
        profile: Profile | None = None,
    ) -> None:
        self.player = player or RandomPlayer()
        limits = limits or Limits(nodes=1)
        profile = profile or Profile()
        self.session = Session(
            self.player,
            commands_for(profile),
            board=make_board(game, width),
            search=SearchParameters(seconds=limits.seconds or 0.0, nodes=limits.nodes or 0),
            profile=profile,
        )

    def send(self, line: str | bytes) -> str:
        """Send a line; return the reply as text, without its end."""
        request = parse(line.encode() if isinstance(line, str) else line)
        assert request is not None
        reply = self.session.run(request.name, request.arguments)
        data = format_reply(request.id, reply.text, ok=reply.ok)
        assert data.endswith(b"\n\n")
        assert b"\n\n" not in data[:-1]
        assert all(byte == 0x0A or 0x20 <= byte < 0x7F for byte in data)
        return data.decode()[:-2]

    def ok(self, *lines: str) -> str:
        """Send lines that must succeed; return the text of the last reply."""
        reply = ""
        for line in lines:
            reply = self.send(line)
            assert reply.startswith("= "), f"{line}: {reply}"
        return reply[2:]

    def refused(self, line: str | bytes) -> str:
        """Send a line that must be refused and change nothing; return the text of the reply."""
        before = self.state()
        reply = self.send(line)
        assert reply.startswith("? "), f"{line!r}: {reply}"
        assert self.state() == before, f"{line!r} has changed something"
        return reply[2:]

    def state(self) -> tuple[object, ...]:
        session = self.session
        clock = session.clock
        return (
            self.ok("showboard"),
            session.position.board,
            session.position.history,
            session.position.hash,
            session.position.players_swapped,
            session.game,
            session.ended,
            clock and (clock.settings, clock.left(BLACK), clock.left(WHITE)),
        )

    def stones(self) -> dict[str, str]:
        position = self.session.position
        return {
            name: ".bw"[content]
            for name, content in zip(position.board.names, position.stones, strict=True)
            if content
        }


def in_step(gtp: Gtp) -> bool:
    """Whether the player believes in the same position as the session."""
    assert isinstance(gtp.player, Fake)
    theirs, ours = gtp.player.knows(), gtp.session.position
    return (theirs.board, theirs.stones, theirs.history) == (ours.board, ours.stones, ours.history)


# --- who are you ---


def test_introduction() -> None:
    gtp = Gtp()
    assert gtp.ok("name") == "Trivalent"
    assert gtp.ok("version").count("\n") == 0
    assert gtp.ok("version").strip()
    assert gtp.ok("protocol_version") == "2"


def test_list_of_commands() -> None:
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
def test_unknown_commands(line: str) -> None:
    reply = Gtp().refused(line)
    assert reply.startswith("unknown command")
    assert len(reply) < 100


def test_analyze_commands_are_what_hexgui_can_read() -> None:
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


# --- sizes and games ---


@pytest.mark.parametrize(
    "arguments",
    ["", "0", "-1", "64", "1" + 30 * "0", "9" * 1_000_000, "11x", "x", "5.0", "1e1", "0x5", "+5",
     "5 0", "0 5", "5 64", "64 5", "5 -5", "5 x", "5 5 5", "5 5 5 5", "5,5", "5x5",
     "--5", "-", "\xb2", "1_1", "nan"],
)  # fmt: skip
def test_sizes_refused(arguments: str) -> None:
    gtp = Gtp()
    gtp.ok("play b c3", "time_settings 60 0 0", "time_left b 3 0")
    assert gtp.refused(f"boardsize {arguments}".encode()).startswith("unacceptable size")


@pytest.mark.parametrize("width", [1, 2, 5, 26, 27, 63])
@pytest.mark.parametrize("height", [1, 2, 63])
def test_sizes(width: int, height: int) -> None:
    gtp = Gtp()
    gtp.ok("play b c3", f"boardsize {width} {height}")
    board = gtp.session.position.board
    assert (board.width, board.height) == (width, height)
    assert gtp.stones() == {}
    gtp.ok(f"play b {board.names[-1]}", f"play w {board.names[0]}" if len(board) > 1 else "name")
    assert len(gtp.stones()) == min(2, len(board))
    gtp.ok("showboard")


def test_one_number_makes_a_square() -> None:
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


def test_set_game() -> None:
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


# --- stones ---


def test_stones_in_any_order() -> None:
    gtp = Gtp()
    gtp.ok("play black a1", "play B A2", "play w E5", "play White e4", "play BLACK c3", "play W D4")
    assert gtp.stones() == {"a1": "b", "a2": "b", "e5": "w", "e4": "w", "c3": "b", "d4": "w"}


def test_occupied_cells() -> None:
    gtp = Gtp()
    gtp.ok("play b c3")
    for line in ("play b c3", "play w c3", "play w C3"):
        assert gtp.refused(line).startswith("illegal move")


def test_play_after_the_end() -> None:
    gtp = Gtp(width=2)
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
def test_whole_games(game: str, size: int) -> None:
    gtp = Gtp(game=game, width=size)
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


def test_genmove_out_of_turn() -> None:
    gtp = Gtp()
    for colour in ("w", "white", "W", "b", "BLACK", "black"):
        move = gtp.ok(f"genmove {colour}")
        assert gtp.stones()[move] == colour[0].lower()
    assert len(gtp.stones()) == 6


def test_reg_genmove() -> None:
    gtp = Gtp(make_player("uct", {"seed": "7"}), limits=Limits(nodes=50))
    gtp.ok("play b c3", "time_settings 60 0 0")
    before = gtp.state()
    moves = {gtp.ok("reg_genmove w") for _ in range(3)}
    assert gtp.state() == before
    assert moves == {gtp.ok("genmove w")}


def test_pass_and_resign() -> None:
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


def test_final_score() -> None:
    gtp = Gtp(width=3)
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
        gtp.send(f"komi {odd}")  # taken or refused, it is nothing to us
        assert gtp.state() == before


# --- swaps ---


def test_swaps_need_permission() -> None:
    gtp = Gtp()
    gtp.ok("play b a2")
    assert gtp.refused("play w swap-pieces").startswith("illegal move")
    assert gtp.refused("play w swap-sides").startswith("illegal move")
    assert gtp.ok("param_game") == "\n[bool] allow_swap 0"
    gtp.ok("param_game allow_swap 1")
    assert gtp.ok("param_game") == "\n[bool] allow_swap 1"
    gtp.ok("play w swap-pieces")
    assert gtp.stones() == {"b1": "w"}


def test_swap_pieces() -> None:
    gtp = Gtp(Fake())
    gtp.ok("param_game allow_swap 1", "play b b3", "play w SWAP-pieces")
    assert gtp.stones() == {"c2": "w"}
    assert "black to move" in gtp.ok("showboard")
    assert in_step(gtp)
    for line in ("play b swap-pieces", "play w swap-pieces", "play b swap-sides"):
        gtp.refused(line)
    gtp.ok("play b a1", "undo", "undo")  # HexGui 0.9: undo takes back the swap alone
    assert gtp.stones() == {"b3": "b"}
    assert in_step(gtp)
    gtp.ok("play w swap-sides", "undo")
    assert gtp.stones() == {}
    gtp.refused("undo")


def test_swap_sides() -> None:
    gtp = Gtp(Fake())
    gtp.ok("param_game allow_swap 1", "play b b3", "play w swap-sides")
    assert gtp.stones() == {"b3": "b"}
    gtp.refused("play w swap-sides")
    gtp.ok("play w c3", "undo")
    assert gtp.stones() == {"b3": "b"}
    gtp.ok("undo")  # with the stone: controllers do not undo a swap of sides
    assert gtp.stones() == {}
    assert in_step(gtp)
    gtp.refused("undo")


def test_swaps_out_of_place() -> None:
    gtp = Gtp()
    gtp.ok("param_game allow_swap 1")
    for kind in ("swap-pieces", "swap-sides"):
        gtp.refused(f"play b {kind}")
        gtp.refused(f"play w {kind}")
    gtp.ok("play b b3")
    gtp.refused("play b swap-pieces")
    gtp.refused("play b swap-sides")
    gtp.ok("play w c3")
    gtp.refused("play b swap-pieces")
    gtp.refused("play w swap-sides")
    gtp.ok("boardsize 4 5", "play b b3")
    gtp.refused("play w swap-pieces")
    gtp.ok("play w swap-sides")


def test_swap_by_black_and_in_y() -> None:
    gtp = Gtp(game="y")
    gtp.ok("param_game allow_swap 1", "play w c4", "play b swap-pieces")
    assert gtp.stones() == {"c4": "b"}
    assert "white to move" in gtp.ok("showboard")
    gtp.ok("undo")
    assert gtp.stones() == {"c4": "w"}


def test_swap_on_the_only_cell() -> None:
    gtp = Gtp(width=1)
    gtp.ok("param_game allow_swap 1", "play b a1")
    gtp.ok("play w swap-pieces")
    assert gtp.stones() == {"a1": "w"}
    assert gtp.ok("final_score") == "W+"
    gtp.ok("undo")
    assert gtp.ok("final_score") == "B+"


def test_undo_after_a_swap_and_passes() -> None:
    gtp = Gtp(Fake())
    gtp.ok("param_game allow_swap 1", "play b b3", "play w swap-pieces", "play b pass",
           "play w pass", "undo", "undo", "undo")  # fmt: skip
    assert gtp.stones() == {"b3": "b"}
    gtp.ok("play w pass")
    assert gtp.refused("play w swap-sides")  # the pass was the second move
    gtp.ok("undo", "play w swap-sides", "play b pass", "undo", "undo")
    assert gtp.stones() == {}
    assert in_step(gtp)


def test_hexgui_takes_back_all_that_it_has_played() -> None:
    # HexGui 0.9 sends an undo for each node of its tree, be it a swap or a resignation.
    gtp = Gtp(Fake(), profile=PROFILES["hexgui"])
    gtp.ok("play black b3", "play white swap-pieces", "undo")
    assert gtp.stones() == {"b3": "b"}
    gtp.ok("play white swap-pieces", "play white resign", "undo", "undo")
    assert gtp.stones() == {"b3": "b"}
    assert in_step(gtp)
    gtp.ok("play white resign", "play white swap-pieces", "play white d4", "undo", "undo", "undo")
    assert gtp.stones() == {"b3": "b"}
    gtp.ok("undo", "play white c3", "undo")  # the resignation is not remembered any longer
    assert gtp.stones() == {}
    gtp.refused("undo")
    assert in_step(gtp)


# --- players at fault ---


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
def test_a_player_that_raises(
    method: str, lines: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    player = Fake()
    gtp = Gtp(player)
    gtp.ok("param_game allow_swap 1", "play b b1")  # which nobody swaps
    if method != "play":  # a move that has been thought about has cost its time
        gtp.ok("time_settings 60 10 5", "time_left b 3 2")
    for line in lines:
        player.fails = {method}
        reply = gtp.refused(line)
        assert reply.startswith("internal error: BrokenError: out of order")
        assert "BrokenError" in caplog.text
        player.fails = set()
        if method != "set_position":
            assert in_step(gtp), line
        # It goes on as if nothing had happened.
        gtp.ok("play w d4")
        assert gtp.stones() == {"b1": "b", "d4": "w"}
        gtp.ok("undo", "reg_genmove w")
        assert in_step(gtp), line


def test_a_player_that_stops_half_way() -> None:
    class Sloppy(Fake):
        def play(self, colour: Colour, cell: int) -> None:
            super().play(colour, cell)
            if self.answers == [RESIGN]:
                raise BrokenError

    player = Sloppy([RESIGN])
    gtp = Gtp(player)
    gtp.refused("play b c3")
    assert in_step(gtp)
    player.answers = []
    gtp.ok("play b c3", "play w c4", "undo")
    assert in_step(gtp)


@pytest.mark.parametrize("cell", [12, -1, 25, 10**30])
def test_a_player_that_answers_what_it_must_not(cell: int) -> None:
    player = Fake([cell])
    gtp = Gtp(player)
    gtp.ok("play b c3")  # cell 12
    assert gtp.refused("genmove w").startswith("internal error")
    assert in_step(gtp)
    assert gtp.ok("genmove w") == "a1"
    player.answers = [cell]
    before = gtp.state()
    gtp.send("reg_genmove b")  # wrong or refused, but harmless
    assert gtp.state() == before


def test_a_player_that_resigns() -> None:
    player = Fake([RESIGN, RESIGN])
    gtp = Gtp(player)
    gtp.ok("play b c3")
    before = gtp.state()
    assert gtp.ok("genmove w") == "resign"
    assert gtp.ok("reg_genmove b") == "resign"
    assert gtp.state() == before
    gtp.ok("undo")  # the stone: a resignation is no step of its own
    assert gtp.stones() == {}
    gtp.ok("genmove b")
    assert in_step(gtp)


def test_each_command_has_its_stop() -> None:
    player = Fake()
    gtp = Gtp(player)
    stopped = NullChannel()
    stopped.stop.set()
    gtp.session.run("genmove", ["b"], stopped)
    gtp.session.run("genmove", ["w"])
    gtp.session.run("reg_genmove", ["b"], NullChannel())
    assert [given.is_set for given in player.stops] == [True, False, False]


def test_quit() -> None:
    for line in ("quit", "5 quit", "quit now please"):
        gtp = Gtp()
        request = parse(line.encode())
        assert request is not None
        reply = gtp.session.run(request.name, request.arguments)
        assert (reply.ok, reply.text, reply.end) == (True, "", True)
    assert not gtp.session.run("name", ["x"]).ok


# --- time ---


class Ticks:
    """A clock on the wall that only moves when it is told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now


class Timed(NamedTuple):
    gtp: Gtp
    player: Fake
    ticks: Ticks

    def think(self, colour: str, seconds: float, command: str = "genmove") -> float | None:
        """Let the player take that long for a move; return the seconds it was allowed."""
        before = self.player.genmove

        def slow(colour: Colour, limits: Limits, stop: Stop, watch: Watch | None = None) -> Answer:
            self.ticks.now += seconds
            return before(colour, limits, stop, watch)

        self.player.genmove = slow  # type: ignore[method-assign]
        self.gtp.ok(f"{command} {colour}")
        self.player.genmove = before  # type: ignore[method-assign]
        return self.player.limits[-1].seconds

    def left(self, colour: Colour) -> tuple[float, int]:
        assert self.gtp.session.clock is not None
        return self.gtp.session.clock.left(colour)


@pytest.fixture
def timed(monkeypatch: pytest.MonkeyPatch) -> Timed:
    ticks = Ticks()
    monkeypatch.setattr(
        "trivalent.gtp.engine.session.time", SimpleNamespace(monotonic=ticks.monotonic)
    )
    player = Fake()
    return Timed(Gtp(player, width=11, limits=Limits()), player, ticks)


def test_limits_without_a_clock() -> None:
    for limits, expected in (
        (Limits(), Limits(seconds=DEFAULT_SECONDS)),
        (Limits(nodes=10), Limits(nodes=10)),
        (Limits(seconds=7), Limits(seconds=7)),
        (Limits(nodes=10, seconds=7), Limits(nodes=10, seconds=7)),
    ):
        player = Fake()
        gtp = Gtp(player, limits=limits)
        gtp.ok("genmove b", "time_settings 0 1 0", "reg_genmove w")
        assert player.limits == [expected, expected]


def test_no_limit(timed: Timed) -> None:
    timed.gtp.ok("time_settings 10 0 0", "time_settings 0 1 0")
    assert timed.gtp.session.clock is None
    assert timed.think("b", 100) == DEFAULT_SECONDS
    timed.gtp.ok("time_settings 300 5 0")  # as GTP 2 has it: time for no stones is no limit
    assert timed.gtp.session.clock is None


def test_absolute_time(timed: Timed) -> None:
    timed.gtp.ok("time_settings 100 0 0")
    allowed = timed.think("b", 30)
    assert allowed is not None
    assert 0 < allowed < 100
    assert timed.left(BLACK) == (70, 0)
    assert timed.left(WHITE) == (100, 0)
    timed.think("w", 10, "reg_genmove")
    assert timed.left(WHITE) == (100, 0), "reg_genmove does not run on the clock"
    timed.think("b", 70)
    timed.think("b", 1)  # overdue, but the controller goes on
    assert timed.think("b", 1) == SHORTEST
    timed.gtp.ok("clear_board")
    assert timed.left(BLACK) == (100, 0), "a new game starts with the full time"
    timed.gtp.ok("time_left b 5 0")
    timed.gtp.ok("boardsize 5")
    assert timed.left(BLACK) == (100, 0)


def test_canadian_time(timed: Timed) -> None:
    timed.gtp.ok("time_settings 10 60 3")
    timed.think("b", 4)
    assert timed.left(BLACK) == (6, 0)
    timed.think("b", 16)  # 10 of them in the first period
    seconds, stones = timed.left(BLACK)
    assert seconds == 50
    assert 1 <= stones <= 3
    timed.gtp.ok("time_left b 50 2")
    allowed = timed.think("b", 20)
    assert allowed is not None
    assert allowed <= 25
    assert timed.left(BLACK) == (30, 1)
    timed.think("b", 20)
    assert timed.left(BLACK) == (60, 3), "a new period"
    timed.gtp.ok("time_settings 0 60 3")
    assert timed.left(WHITE) == (60, 3), "without main time it begins in a period"


def test_time_left_without_settings(timed: Timed) -> None:
    timed.gtp.ok("time_left w 30 0")
    allowed = timed.think("w", 1)
    assert allowed is not None
    assert allowed < 30
    assert timed.left(WHITE) == (29, 0)
    timed.gtp.ok("time_left b 0 0")
    assert timed.think("b", 1) == SHORTEST


def test_the_users_limit_holds_beside_the_clock() -> None:
    player = Fake()
    gtp = Gtp(player, limits=Limits(nodes=5, seconds=0.5))
    gtp.ok("time_settings 1000 0 0", "genmove b", "time_left b 0.2 0", "genmove b")
    assert player.limits[0] == Limits(nodes=5, seconds=0.5)
    assert player.limits[1].nodes == 5
    assert player.limits[1].seconds is not None
    assert player.limits[1].seconds < 0.2


def test_the_clock_does_not_spend_for_a_failure(caplog: pytest.LogCaptureFixture) -> None:
    player = Fake(fails=["genmove"])
    gtp = Gtp(player)
    gtp.ok("time_settings 60 0 0")
    gtp.refused("genmove b")
    assert caplog.records


def test_a_period_without_stones_is_no_setting() -> None:
    with pytest.raises(ValueError, match="byo-yomi"):
        TimeSettings(10, 5, 0)
    assert Clock(TimeSettings(10, 0, 3)).budget(BLACK, 100)[0] < 10


TIMES = st.floats(0, 1e9) | st.sampled_from([0.0, 1e-9, 0.01, 0.05, 1.0])


@st.composite
def time_settings(draw: st.DrawFn) -> TimeSettings:
    main, byo_yomi = draw(TIMES), draw(TIMES)
    # A period in which no stone need be played is no limit, and has no clock.
    return TimeSettings(main, byo_yomi, draw(st.integers(1 if byo_yomi > 0 else 0, 1_000_000)))


@settings(deadline=None)
@given(
    time_settings(),
    st.lists(st.tuples(st.sampled_from([BLACK, WHITE]), TIMES), max_size=12),
    st.integers(0, MAX_SIZE**2),
)
def test_a_budget_is_never_more_than_what_is_left(
    setting: TimeSettings, moves: list[tuple[Colour, float]], empty: int
) -> None:
    clock = Clock(setting)
    for colour, seconds in [*moves, (BLACK, 0.0), (WHITE, 0.0)]:
        left, stones = clock.left(colour)
        budget, extension = clock.budget(colour, empty)
        assert budget >= SHORTEST
        assert (extension is None) == (stones == 1)
        assert extension is None or extension >= 0
        assert budget + (extension or 0) <= max(SHORTEST, left - OVERHEAD) + 1e-9 * abs(left)
        assert stones >= 0
        clock.spend(colour, seconds)


@settings(deadline=None)
@given(time_settings(), TIMES, st.integers(0, 1_000_000), st.integers(0, MAX_SIZE**2))
def test_a_budget_follows_the_controller(
    setting: TimeSettings, seconds: float, stones: int, empty: int
) -> None:
    clock = Clock(setting)
    clock.set_left(WHITE, seconds, stones)
    assert clock.left(WHITE) == (seconds, stones)
    budget, _ = clock.budget(WHITE, empty)
    assert SHORTEST <= budget <= max(SHORTEST, seconds)
    if stones:
        assert budget <= max(SHORTEST, seconds / stones)


@settings(deadline=None)
@given(st.floats(0.1, 1e6), st.integers(1, 63))
def test_a_game_on_the_clock_ends_in_time(main: float, size: int) -> None:
    clock = Clock(TimeSettings(main))
    empty = size * size
    while empty > 0 and clock.left(BLACK)[0] > 2 * OVERHEAD:
        seconds, extension = clock.budget(BLACK, empty)
        clock.spend(BLACK, seconds + (extension or 0))
        empty -= 2
    assert clock.left(BLACK)[0] > 0


@pytest.mark.parametrize("size", [5, 11, 63])
@pytest.mark.parametrize(("main", "increment"), [(2, 0.1), (0.3, 0.1), (60, 1), (5, 0.06)])
def test_an_increment_is_enough_for_ever(size: int, main: float, increment: float) -> None:
    """Even if every move is a hard one and takes 50 ms longer than it should."""
    clock = Clock(TimeSettings(main, increment=increment))
    for empty in range(size * size, 0, -1):
        seconds, extension = clock.budget(BLACK, empty)
        used = seconds + (extension or 0) + OVERHEAD
        assert used < clock.left(BLACK)[0]
        clock.spend(BLACK, used)


def test_time_that_would_be_lost_is_used() -> None:
    """In the last move of a period; before it, and in main time, what is saved is for others."""
    gtp = Gtp(fake := Fake([0, 1, 2]))
    for setting in ("0 2 1", "0 2 2", "60 2 1"):
        gtp.ok(f"time_settings {setting}")
        gtp.ok("genmove black")
    assert [limits.extension is None for limits in fake.limits] == [True, False, False]


def test_clocks_of_katago() -> None:
    gtp = Gtp(Fake())
    for line, main, byo_yomi, stones, increment in (
        ("absolute 60", 60, 0, 0, 0),
        ("fischer 2 0.1", 2, 0, 0, 0.1),
        ("byoyomi 10 3 5", 22, 3, 1, 0),
        ("canadian 10 30 5", 10, 30, 5, 0),
    ):
        gtp.ok(f"kata-time_settings {line}")
        assert gtp.session.clock is not None
        assert gtp.session.clock.settings == TimeSettings(main, byo_yomi, stones, increment)
    gtp.ok("kata-time_settings none")
    assert gtp.session.clock is None
    for line in ("", "sudden 5", "fischer 2", "byoyomi 1 2 0", "absolute x"):
        gtp.refused(f"kata-time_settings {line}")


# --- anything goes ---

SHAPES = st.sampled_from(["1", "2", "3 3", "2 3", "4", "5 2", "63 1", "0", "x", "3 64"])
CELLS = st.sampled_from(
    ["a1", "a2", "b1", "B2", "c3", "d4", "e5", "e1", "pass", "resign", "swap-pieces", "swap-sides",
     "", "z9", "swap", "a0"]
)  # fmt: skip
COLOURS = st.sampled_from(["b", "w", "black", "WHITE", "x", ""])
LINES = st.one_of(
    st.builds("play {} {}".format, COLOURS, CELLS),
    st.builds("{} {}".format, st.sampled_from(["genmove", "reg_genmove"]), COLOURS),
    st.sampled_from(["undo", "undo", "undo", "clear_board", "showboard", "final_score"]),
    st.builds("boardsize {}".format, SHAPES),
    st.builds("set_game {}".format, st.sampled_from(["hex", "y", "Y", "z", ""])),
    st.builds("param_game allow_swap {}".format, st.sampled_from(["0", "1", "1", "2"])),
    st.builds(
        "{} {} {} {}".format,
        st.sampled_from(["time_settings", "time_left"]),
        st.sampled_from(["0", "60", "b", "w", "nan", "-1", "1e9"]),
        st.sampled_from(["0", "10", "inf", "1e-9"]),
        st.sampled_from(["0", "3", "x", "-1"]),
    ),
    st.builds(
        "{} {}".format,
        st.sampled_from(sorted({c.name for c in COMMANDS} - {"quit", "loadsgf", "savesgf"})),
        st.text(max_size=20),
    ),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(LINES, max_size=25))
def test_any_conversation(lines: list[str]) -> None:
    player = Fake()
    gtp = Gtp(player, width=3, limits=Limits(nodes=1))
    for line in lines:
        if parse(line.encode()) is None:
            continue
        before = gtp.state()
        reply = gtp.send(line.encode())
        assert "internal error" not in reply
        if reply.startswith("?"):
            assert gtp.state() == before
        assert in_step(gtp)


class Model:
    """The stones by the plainest means: a list of all boards so far."""

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
def test_stones_against_a_model(steps: list[tuple[str, str, str]]) -> None:
    gtp, model = Gtp(width=3), Model()
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


def test_pondering_is_after_moves_alone_and_only_if_wanted() -> None:
    player = Fake()
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


def test_nobody_ponders_once_the_game_is_over() -> None:
    player = Fake([0, 1])
    gtp = Gtp(player, width=1)
    gtp.send("param_search ponder 600")
    gtp.send("genmove black")
    gtp.session.ponder(Stop())
    assert not player.pondered


def test_a_fault_while_pondering_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    gtp = Gtp(Fake(fails=["ponder"]))
    gtp.send("param_search ponder 600")
    gtp.send("genmove black")
    gtp.session.ponder(Stop())
    assert "out of order" in caplog.text
    assert gtp.send("genmove white").startswith("=")
