"""Players: their moves, limits, analyses, parameters and repeatability."""

import threading
import time

import pytest
from searches import play_game

from trivalent.bot.player import RESIGN, AvoidError, BoardError, Limits, Player, Stop
from trivalent.bot.players.registry import PLAYERS, make_player
from trivalent.core.board import BLACK, WHITE, Board, Colour
from trivalent.core.games import hex_board, make_board, y_board
from trivalent.core.position import IllegalMove, Position

BOARDS = [
    hex_board(1),
    hex_board(5),
    hex_board(3, 6),
    hex_board(1, 7),
    hex_board(19),
    hex_board(34),
]
BOARDS += [y_board(1), y_board(2), y_board(6), y_board(33)]
CIRCUITS = ("wolve", "six", "hexy", "shannon", "shannon-field")
"""Players for boards of up to 256 cells; the last one plays Hex only."""
WITHOUT_NETWORK = {"mcts": {"net": "none"}}
"""Parameters with which the seed, by the playouts, decides between moves."""


def decide(player: Player, position: Position, limits: Limits) -> int:
    """Return the answer of the side to move, which must be a cell."""
    player.set_position(position)
    answer = player.genmove(position.to_play, limits, Stop())
    assert isinstance(answer, int)
    return answer


@pytest.mark.parametrize("board", BOARDS, ids=str)
@pytest.mark.parametrize("name", PLAYERS)
def test_plays_whole_games(name: str, board: Board) -> None:
    limits = Limits(nodes=20)
    players = {c: (make_player(name, {"seed": f"{c:d}"}), limits) for c in (BLACK, WHITE)}
    if name in CIRCUITS and (len(board) > 256 or (name == "shannon-field" and board.game == "y")):
        with pytest.raises(BoardError):
            play_game(board, players)
    else:
        assert play_game(board, players) in (BLACK, WHITE)


@pytest.mark.parametrize("name", PLAYERS)
def test_same_seed_same_move(name: str) -> None:
    position = Position(hex_board(9))
    position.play(BLACK, position.board.cell("e5"))

    def moves(seed: int, count: int = 1) -> list[int]:
        player = make_player(name, {"seed": str(seed), **WITHOUT_NETWORK.get(name, {})})
        return [decide(player, position, Limits(nodes=300)) for _ in range(count)]

    first = moves(5)
    assert moves(5, 2) == 2 * first
    assert any(moves(seed) != first for seed in range(20))


def test_the_order_of_moves_does_not_matter() -> None:
    board = hex_board(7)
    straight, around = Position(board), Position(board)
    for name in ("d4", "c3", "e2"):
        straight.play(straight.to_play, board.cell(name))
    for name in ("e2", "c3", "d4"):
        around.play(around.to_play, board.cell(name))
    player = make_player("uct")
    assert decide(player, straight, Limits(2000)) == decide(player, around, Limits(2000))


def test_follows_play_and_undo() -> None:
    board = hex_board(6)
    position = Position(board)
    follower, other = make_player("uct"), make_player("uct")
    follower.set_position(position)
    for name in ("c3", "d4", "b2"):
        position.play(position.to_play, board.cell(name))
        follower.play(position.last_move.colour, board.cell(name))  # type: ignore[union-attr, arg-type]
    position.undo()
    follower.undo()
    move = follower.genmove(BLACK, Limits(1000), Stop())
    assert move == decide(other, position, Limits(1000))
    with pytest.raises(IllegalMove):
        follower.play(WHITE, board.cell("c3"))


@pytest.mark.parametrize("colour", [BLACK, WHITE])
@pytest.mark.parametrize("game", ["hex", "y"])
def test_takes_a_win(game: str, colour: Colour) -> None:
    """The one cell that completes a chain is found among many."""
    board = make_board(game, 7)
    chain = {
        ("hex", BLACK): "d1 d2 d3 d4 d5 d6 d7",
        ("hex", WHITE): "a4 b4 c4 d4 e4 f4 g4",
        ("y", BLACK): "a4 b4 c4 d4 c5 c6 c7",
        ("y", WHITE): "a4 b4 c4 d4 c5 c6 c7",
    }[game, colour].split()
    for gap in chain:
        position = Position(board)
        for name in chain:
            if name != gap:
                position.setup(board.cell(name), colour)
        position.to_play = colour
        # More than one cell may complete the chain; any of them wins.
        cell = decide(make_player("uct"), position, Limits(nodes=1))
        position.play(colour, cell)
        assert position.winner is colour


def test_moves_can_be_left_out() -> None:
    position = Position(hex_board(4))
    cells = position.empty_cells
    for name in ("mcts", "random"):
        player = make_player(name, {"memory": "16"} if name == "mcts" else {})
        player.set_position(position)
        for left in (cells[5:7], cells[6:7]):
            limits = Limits(nodes=20, avoid=frozenset(set(cells) - set(left)))
            assert player.genmove(BLACK, limits, Stop()) in left
            assert {move.cell for move in player.analysis().moves} <= set(left)
        with pytest.raises(AvoidError, match="no move is left"):
            player.genmove(BLACK, Limits(avoid=frozenset(cells)), Stop())
        player.genmove(BLACK, Limits(nodes=200), Stop())  # considers all moves again
        assert name == "random" or len(player.analysis().moves) > 2
    with pytest.raises(AvoidError, match="uct"):
        make_player("uct", {}).genmove(BLACK, Limits(nodes=1, avoid=frozenset(cells[:1])), Stop())


def test_sees_a_forced_win_and_a_forced_loss() -> None:
    """A chain with a bridge to either side wins, whoever is to move."""
    board = hex_board(4)
    position = Position(board)
    position.setup(board.cell("c2"), BLACK)
    position.setup(board.cell("b3"), BLACK)
    position.to_play = WHITE
    player = make_player("uct")
    decide(player, position, Limits(nodes=200_000))
    analysis = player.analysis()
    assert analysis.value == 0.0
    assert analysis.nodes < 200_000
    assert all(move.proven is False for move in analysis.moves)
    for move in analysis.moves:
        reply = position.copy()
        reply.play(WHITE, move.cell)
        decide(player, reply, Limits(nodes=200_000))
        assert player.analysis().value == 1.0


def test_resigns_by_its_parameter() -> None:
    board = hex_board(4)
    position = Position(board)
    for name in ("b1", "b2", "b3"):
        position.setup(board.cell(name), BLACK)
    position.to_play = WHITE  # and Black threatens both a4 and b4
    for resign, resigns in (("0", False), ("0.1", True)):
        player = make_player("uct", {"resign": resign})
        player.set_position(position)
        answer = player.genmove(WHITE, Limits(nodes=20_000), Stop())
        assert (answer is RESIGN) is resigns


def test_refuses_a_decided_game() -> None:
    position = Position(hex_board(1))
    position.play(BLACK, 0)
    for name in PLAYERS:
        player = make_player(name)
        player.set_position(position)
        with pytest.raises(ValueError, match="black has won"):
            player.genmove(WHITE, Limits(nodes=1), Stop())


def test_node_limit_is_exact() -> None:
    player = make_player("uct")
    for nodes in (1, 15, 16, 17, 1000):
        decide(player, Position(hex_board(9)), Limits(nodes=nodes))
        assert player.analysis().nodes == nodes
        assert sum(move.visits or 0 for move in player.analysis().moves) == nodes


def test_time_limit_ends_the_search() -> None:
    player = make_player("uct")
    decide(player, Position(hex_board(11)), Limits(seconds=0.2))
    assert 0.2 <= player.analysis().seconds < 10.0


def test_stop_before_the_search_and_from_another_thread() -> None:
    player = make_player("uct")
    player.set_position(Position(hex_board(11)))
    early = Stop()
    early.set()
    assert early.is_set
    player.genmove(BLACK, Limits(), early)
    late = Stop()
    threading.Timer(0.1, late.set).start()
    began = time.monotonic()
    player.genmove(BLACK, Limits(), late)
    assert time.monotonic() - began < 10.0


def test_a_full_tree_goes_on_without_growing() -> None:
    player = make_player("uct", {"memory": "1", "expansion_threshold": "1"})
    decide(player, Position(hex_board(11)), Limits(nodes=5000))
    assert player.analysis().nodes == 5000
    # 1 MiB holds fewer than 32,768 moves: those of about 270 positions.
    assert len(player.analysis().variation) < 270


def test_analysis_is_consistent() -> None:
    player = make_player("uct")
    assert player.analysis().moves == ()
    position = Position(y_board(8))
    cell = decide(player, position, Limits(nodes=3000))
    analysis = player.analysis()
    assert analysis.moves[0].cell == analysis.variation[0] == cell
    assert {move.cell for move in analysis.moves} == set(position.legal_moves)
    visits = [move.visits or 0 for move in analysis.moves]
    assert visits == sorted(visits, reverse=True)
    assert all(0 <= m.value <= 1 and 0 <= (m.rave or 0) <= 1 for m in analysis.moves)
    for colour, move in zip((BLACK, WHITE) * 32, analysis.variation, strict=False):
        position.play(colour, move)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"sede": "1"}, r"unknown parameter 'sede' \(known: seed, "),
        ({"seed": "one"}, "seed must be a whole number, not 'one'"),
        ({"seed": "-1"}, "seed must be at least 0, not -1"),
        ({"resign": "1.5"}, "resign must be at most 1.0, not 1.5"),
        ({"resign": "nan"}, "resign must be at least 0.0, not nan"),
        ({"expansion_threshold": "-1"}, "expansion_threshold must be at least 0, not -1"),
        ({"seed": str(2**64)}, "seed must be at most"),
    ],
)
def test_unsuitable_parameters_are_refused(values: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_player("uct", values)


def test_a_random_move_has_neither_visits_nor_rave() -> None:
    player = make_player("random")
    cell = decide(player, Position(hex_board(5)), Limits(nodes=1))
    (move,) = player.analysis().moves
    assert (move.cell, move.visits, move.rave, move.proven) == (cell, None, None, None)
    assert player.analysis().considered == (move,)


def test_an_unknown_player_is_refused() -> None:
    with pytest.raises(ValueError, match=r"unknown player 'mohex' \(known: mcts, .*random\)"):
        make_player("mohex")


def test_explain_names_every_parameter() -> None:
    for kind in (parameters for parameters, _ in PLAYERS.values()):
        assert len(kind().explain().splitlines()) == len(kind.__dataclass_fields__)


# Small boards, solved: the openings with which Black wins.  Y as HexWiki draws it, with cells of
# column + row > size.
WINNING = {
    ("hex", 3): "c1 a2 b2 c2 a3",
    ("hex", 4): "d1 c2 b3 a4",
    ("hex", 5): "e1 b2 c2 d2 e2 b3 c3 d3 a4 b4 c4 d4 a5",
    ("y", 3): "b2 c2 b3",
    ("y", 4): "c2 d2 b3 c3 d3 b4 c4",
    ("y", 5): "d3 c4 d4",
}


def _our_name(game: str, size: int, name: str) -> str:
    if game == "hex":
        return name
    column, row = ord(name[0]) - ord("a") + 1, int(name[1:])
    # Turned by 180 degrees, it is our (column, n + 1 - row).
    return f"{chr(ord('a') + size - column)}{row}"


@pytest.mark.parametrize("games", [4, pytest.param(100, marks=pytest.mark.strength)])
@pytest.mark.parametrize("board", [hex_board(7), y_board(9)], ids=str)
def test_uct_beats_random(board: Board, games: int) -> None:
    for seed in range(games):
        uct = make_player("uct", {"seed": str(seed)}), Limits(nodes=10_000)
        random = make_player("random", {"seed": str(seed)}), Limits(nodes=1)
        mine = (BLACK, WHITE)[seed % 2]
        assert play_game(board, {mine: uct, mine.opponent: random}) is mine


@pytest.mark.parametrize("games", [1, pytest.param(20, marks=pytest.mark.strength)])
def test_uct_keeps_a_won_opening(games: int) -> None:
    won = played = 0
    for (game, size), names in WINNING.items():
        for name in names.split():
            for seed in range(games):
                deep = make_player("uct", {"seed": str(2 * seed)}), Limits(nodes=20_000)
                shallow = make_player("uct", {"seed": str(2 * seed + 1)}), Limits(nodes=2_000)
                board = make_board(game, size)
                opening = board.cell(_our_name(game, size, name))
                winner = play_game(board, {BLACK: deep, WHITE: shallow}, opening)
                won += winner is BLACK
                played += 1
    assert won >= 0.95 * played


@pytest.mark.parametrize(
    ("nodes", "seconds"), [(0, None), (-5, None), (None, -1.0), (None, float("nan"))]
)
def test_impossible_limits_are_refused(nodes: int | None, seconds: float | None) -> None:
    with pytest.raises(ValueError, match="must"):
        Limits(nodes, seconds)
