"""Engine dialects: the commands and moves that each engine gets, written out."""

import pytest

from trivalent.core.board import BLACK, WHITE, Board
from trivalent.core.games import hex_board, y_board
from trivalent.core.position import Kind, Position
from trivalent.gtp.client.engine_dialects import DIALECTS, GameView
from trivalent.tools.tournament.model import TimeControl

PIECES, SIDES = Kind.SWAP_PIECES, Kind.SWAP_SIDES


@pytest.mark.parametrize(
    ("dialect", "board", "commands"),
    [
        ("plain", hex_board(11), ["boardsize 11"]),
        ("plain", hex_board(9, 11), ["boardsize 9 11"]),
        ("plain", y_board(7), ["boardsize 7"]),
        ("trivalent", y_board(7), ["param_game allow_swap 1", "set_game y", "boardsize 7"]),
        (
            "trivalent",
            hex_board(2, 3),
            ["param_game allow_swap 1", "set_game hex", "boardsize 2 3"],
        ),
        ("mohex", hex_board(11), ["param_game allow_swap 1", "boardsize 11 11"]),
        ("wolve", hex_board(8), ["param_game allow_swap 1", "boardsize 8 8"]),
        ("katahex", hex_board(13), ["boardsize 13 13"]),
        ("morat-hex", hex_board(8), ["boardsize 8"]),
        ("morat-y", y_board(8), ["boardsize 8"]),
        ("mopyhex", hex_board(8), ["boardsize 8"]),
    ],
)
def test_setup_commands(dialect: str, board: Board, commands: list[str]) -> None:
    assert DIALECTS[dialect].setup_commands(board, swap=True) == commands


def test_setup_commands_turn_off_the_swap() -> None:
    assert (
        DIALECTS["mohex"].setup_commands(hex_board(5), swap=False)[0] == "param_game allow_swap 0"
    )


@pytest.mark.parametrize(
    ("dialect", "board", "message"),
    [
        ("mohex", y_board(5), "it does not play Y"),
        ("morat-y", hex_board(5), "it does not play Hex"),
        ("morat-hex", hex_board(5, 6), "it only has square boards"),
        ("mopyhex", hex_board(5, 6), "it only has square boards"),
    ],
)
def test_unsupported_boards(dialect: str, board: Board, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        DIALECTS[dialect].setup_commands(board, swap=False)


NONE = TimeControl()
MOVE = TimeControl(move=2.5)
MAIN = TimeControl(main=300)
FISCHER = TimeControl(main=300, increment=2)
CANADIAN = TimeControl(main=300, byo_yomi=30, stones=5)
NODES = TimeControl(nodes=1000)


@pytest.mark.parametrize(
    ("dialect", "control", "commands"),
    [
        ("plain", NONE, []),
        ("plain", MOVE, ["time_settings 0 2.5 1"]),
        ("plain", MAIN, ["time_settings 300 0 0"]),
        ("plain", TimeControl(main=1234567.125), ["time_settings 1234567.125 0 0"]),
        ("plain", FISCHER, ["time_settings 300 0 0"]),
        ("plain", CANADIAN, ["time_settings 300 30 5"]),
        (
            "trivalent",
            NODES,
            ["param_player seed 7", "param_search nodes 1000", "time_settings 0 1 0"],
        ),
        (
            "trivalent",
            MOVE,
            ["param_player seed 7", "param_search nodes 0", "time_settings 0 2.5 1"],
        ),
        ("mohex", NONE, []),
        ("mohex", MOVE, ["param_mohex use_time_management 0", "param_mohex max_time 2.5"]),
        ("mohex", MAIN, ["param_mohex use_time_management 1", "param_game game_time 300"]),
        (
            "mohex",
            NODES,
            [
                "param_mohex max_games 1000",
                "param_mohex use_time_management 0",
                "param_mohex max_time 1000000",
            ],
        ),
        ("wolve", MOVE, ["param_wolve use_time_management 0", "param_wolve max_time 2.5"]),
        ("katahex", FISCHER, ["kata-time_settings fischer 300 2"]),
        ("katahex", CANADIAN, ["time_settings 300 30 5"]),
        ("morat-hex", NONE, []),
        ("morat-hex", MOVE, ["time -m 2.5 -g 0 -f 0 -i 0"]),
        ("morat-y", FISCHER, ["time -p 10 -m 2 -g 300 -f 1 -i 0"]),
        ("morat-hex", NODES, ["time -m 1000000 -g 0 -f 0 -i 1000"]),
        ("mopyhex", MOVE, ["set_time 2.5"]),
        ("mopyhex", NONE, []),
    ],
)
def test_clock_commands(dialect: str, control: TimeControl, commands: list[str]) -> None:
    assert DIALECTS[dialect].game_commands(7, control) == [*commands, "clear_board"]


@pytest.mark.parametrize(
    ("dialect", "control", "message"),
    [
        ("plain", NODES, "it does not support a limit of nodes"),
        ("katahex", NODES, "it does not support a limit of nodes"),
        ("wolve", NODES, "it does not support a limit of nodes"),
        ("mohex", CANADIAN, "it does not support byo-yomi"),
        ("morat-y", CANADIAN, "it does not support byo-yomi"),
        ("mopyhex", MAIN, "it only supports a fixed time for each move"),
        ("mopyhex", NODES, "it only supports a fixed time for each move"),
    ],
)
def test_unsupported_time_controls(dialect: str, control: TimeControl, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        DIALECTS[dialect].game_commands(7, control)


@pytest.mark.parametrize(
    ("dialect", "command"),
    [
        ("plain", "time_left black 12 3"),
        ("trivalent", "time_left black 12.35 3"),
        ("mohex", "time_left black 12.35"),
        ("morat-hex", "time -r 12.35"),
        ("mopyhex", ""),
    ],
)
def test_time_left_commands(dialect: str, command: str) -> None:
    assert DIALECTS[dialect].time_left_command("black", 12.349, 3) == command


@pytest.mark.parametrize(
    ("dialect", "board", "move", "command"),
    [
        ("plain", hex_board(11), "c4", "play black c4"),
        ("mohex", hex_board(11), "k11", "play black k11"),
        # White begins and connects the other sides, and letters are rows: names stay the same.
        ("morat-hex", hex_board(11), "c4", "play white c4"),
        # Row A is the longest, at the bottom; numbers count from the left.
        ("morat-y", y_board(5), "a1", "play white e1"),
        ("morat-y", y_board(5), "a5", "play white a1"),
        ("morat-y", y_board(5), "e5", "play white a5"),
        ("morat-y", y_board(5), "b3", "play white c2"),
        ("plain", hex_board(11), "pass", "play black pass"),
    ],
)
def test_moves_are_translated_both_ways(
    dialect: str, board: Board, move: str, command: str
) -> None:
    view = GameView(DIALECTS[dialect], board, None)
    assert view.play_command(BLACK, move) == command
    assert view.read_answer(command.rsplit(maxsplit=1)[-1].upper() + " ") == move


def test_all_cells_of_morats_y() -> None:
    board = y_board(16)
    view = GameView(DIALECTS["morat-y"], board, None)
    names = {view.play_command(WHITE, name).split()[-1] for name in board.names}
    # Its row A has 16 cells, row B 15, and so on.
    assert names == {
        f"{chr(97 + row)}{number + 1}" for row in range(16) for number in range(16 - row)
    }


@pytest.mark.parametrize("answer", ["", "z9", "a0", "a12", "c3 d4", "a", "1", "ä1", "swap-pieces"])
def test_answers_that_are_not_moves(answer: str) -> None:
    with pytest.raises(ValueError, match=r"is not a move$"):
        GameView(DIALECTS["plain"], hex_board(11), None).read_answer(answer)


@pytest.mark.parametrize(
    ("answer", "move"), [(" Resign", "resign"), ("PASS", "pass"), ("pss", "pass")]
)
def test_words_for_pass_and_resign(answer: str, move: str) -> None:
    assert GameView(DIALECTS["katahex"], hex_board(5), None).read_answer(answer) == move


def test_swap_words_of_a_plain_engine_are_those_of_the_rules() -> None:
    for kind in (PIECES, SIDES):
        view = GameView(DIALECTS["plain"], hex_board(5), kind)
        assert view.play_command(WHITE, kind.value) == f"play white {kind.value}"
        assert view.read_answer("SWAP") == kind.value
        assert view.read_answer(kind.value) == kind.value
        other = SIDES if kind is PIECES else PIECES
        with pytest.raises(ValueError, match="is not a move"):
            view.read_answer(other.value)


class Engine:
    """An engine with its own board and one kind of swap."""

    def __init__(self, board: Board, swap: Kind) -> None:
        self.position = Position(board)
        self._swap = swap

    def obey(self, command: str) -> None:
        _, colour, word = command.split()
        if word.startswith("swap"):
            self.swap()
        else:
            self.position.play(
                BLACK if colour == "black" else WHITE, self.position.board.cell(word)
            )

    def swap(self) -> None:
        if self._swap is PIECES:
            self.position.swap_pieces()
        else:
            self.position.swap_sides()


@pytest.mark.parametrize("board", [hex_board(4), y_board(4)])
@pytest.mark.parametrize("rules", [PIECES, SIDES])
@pytest.mark.parametrize(
    ("dialect", "does"), [("mohex", SIDES), ("trivalent", PIECES), ("trivalent", SIDES)]
)
@pytest.mark.parametrize("by_the_engine", [True, False])
def test_boards_agree_after_a_swap(
    board: Board, rules: Kind, dialect: str, does: Kind, by_the_engine: bool
) -> None:
    """Whatever kind of swap the engine makes, its board is ours or the mirror image of ours."""
    ours = Position(board)
    view = GameView(DIALECTS[dialect], board, rules)
    if not by_the_engine:  # an engine with both kinds follows the rules
        does = rules if dialect == "trivalent" else does
    theirs = Engine(board, does)
    ours.play(BLACK, board.cell("a3"))
    theirs.obey(view.play_command(BLACK, "a3"))
    if by_the_engine:
        word = does.value if dialect == "trivalent" else "swap-pieces"
        theirs.swap()
        assert view.read_answer(word) == rules.value
    else:
        theirs.obey(view.play_command(WHITE, rules.value))
    if rules is PIECES:
        ours.swap_pieces()
    else:
        ours.swap_sides()
    assert board.swap_map is not None
    image = list(range(len(board))) if does is rules else board.swap_map
    exchanged = (0, 1, 2) if does is rules else (0, 2, 1)
    for name in ("b4", "c4", "b2", "a4", "b3", "c3", "a2", "d4"):
        colour = ours.to_play
        assert view.colour(colour) == str(theirs.position.to_play)
        ours.play(colour, board.cell(name))
        command = view.play_command(colour, name)
        theirs.obey(command)
        assert view.read_answer(command.split()[2]) == name
        stones = theirs.position.stones
        assert [exchanged[stones[image[cell]]] for cell in range(len(board))] == list(ours.stones)


def test_an_engine_without_swap_only_changes_colour() -> None:
    view = GameView(DIALECTS["morat-hex"], hex_board(5), SIDES)
    assert view.play_command(BLACK, "b4") == "play white b4"
    assert view.play_command(WHITE, "swap-sides") == ""
    assert view.colour(WHITE) == "black"
    view = GameView(DIALECTS["morat-hex"], hex_board(5), PIECES)
    assert view.play_command(BLACK, "b4") == "play white b4"
    assert view.play_command(WHITE, "swap-pieces") == ""
    assert view.colour(BLACK) == "black"
    assert view.play_command(BLACK, "a2") == "play black b1"


def test_a_board_that_is_not_square_cannot_be_mirrored() -> None:
    view = GameView(DIALECTS["trivalent"], hex_board(3, 4), SIDES)
    assert view.read_answer("swap-sides") == "swap-sides"
    with pytest.raises(ValueError, match="not square"):
        view.read_answer("swap-pieces")


def test_every_dialect_has_a_purpose() -> None:
    assert set(DIALECTS) == {
        "plain",
        "trivalent",
        "mohex",
        "wolve",
        "katahex",
        "morat-hex",
        "morat-y",
        "mopyhex",
    }
    assert all(dialect.purpose for dialect in DIALECTS.values())
