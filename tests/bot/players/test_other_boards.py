"""The players on boards that can't be reduced: bent Y, *Star and Renkula!."""

from __future__ import annotations

import re
from itertools import pairwise
from random import Random

import pytest
from plain_solver import PlainSolver

from trivalent.bot import analyse
from trivalent.bot.knowledge._fillin import filler
from trivalent.bot.player import Limits, Stop
from trivalent.bot.players.mcts import search_settings
from trivalent.bot.players.mcts_parameters import MctsParameters
from trivalent.bot.players.registry import make_player
from trivalent.bot.players.uct import UctParameters
from trivalent.core.board import BLACK, WHITE, Board
from trivalent.core.games import make_board
from trivalent.core.position import Position

BOARDS = [make_board("bent-y", 3), make_board("star", 3), make_board("renkula", 2)]
boards = pytest.mark.parametrize("board", BOARDS, ids=str)
RP = {"preset": "raiko-peltonen"}


def chosen(position: Position, player: str, values: dict[str, str], nodes: int) -> int:
    found = make_player(player, values)
    found.set_position(position)
    cell = found.genmove(position.to_play, Limits(nodes=nodes), Stop())
    assert isinstance(cell, int)
    return cell


def won_in_one(board: Board) -> tuple[Position, list[int]]:
    """Return a position in which Black, and no one else, wins with some of the moves at once."""
    position = Position(board)
    seed = 0
    while True:
        cell = chosen(position, "random", {"seed": str(seed)}, 1)
        position.play(position.to_play, cell)
        if position.winner is BLACK:
            position.undo()
            break
        if position.winner is WHITE:
            position, seed = Position(board), seed + 1
    winning = []
    for cell in position.legal_moves:
        position.play(BLACK, cell)
        if position.winner is BLACK:
            winning.append(cell)
        position.undo()
    return position, winning


@boards
@pytest.mark.parametrize("player", ["mcts", "uct", "random"])
def test_a_whole_game(player: str, board: Board) -> None:
    position = Position(board)
    found = make_player(player)
    found.set_position(position)
    while position.winner is None:
        colour = position.to_play
        cell = found.genmove(colour, Limits(nodes=20), Stop())
        assert cell in position.legal_moves
        assert isinstance(cell, int)
        position.play(colour, cell)
        found.play(colour, cell)
    with pytest.raises(ValueError, match=r"has won: there is no move to decide on"):
        found.genmove(position.to_play, Limits(nodes=20), Stop())


@boards
@pytest.mark.parametrize(
    ("player", "values"),
    [
        ("mcts", {}),
        ("mcts", {"playouts": "balanced"}),
        ("mcts", {"playouts": "coin-repair"}),
        ("uct", {}),
        ("uct", RP),
        ("uct", RP | {"bamboo": "1", "fills": "3"}),
    ],
    ids=str,
)
def test_a_win_in_one_is_found_and_proven(
    player: str, values: dict[str, str], board: Board
) -> None:
    position, winning = won_in_one(board)
    assert chosen(position, player, values, 50) in winning
    found = make_player(player, values)
    found.set_position(position)
    found.genmove(BLACK, Limits(nodes=50), Stop())
    assert found.analysis().moves[0].proven is True


@boards
def test_a_lost_position_is_proven(board: Board) -> None:
    """With two winning moves of the opponent, every move loses."""
    position, winning = won_in_one(board)
    position.to_play = WHITE
    if len(winning) > 1:
        assert analyse(position, nodes=10).moves[0].proven is False
    else:
        assert analyse(position, nodes=10).moves[0].cell == winning[0]


@boards
def test_equal_searches_choose_equally(board: Board) -> None:
    position = Position(board)
    for player, values in (("mcts", {}), ("uct", {}), ("uct", RP | {"bamboo": "1", "fills": "2"})):
        first, second = (chosen(position, player, {"seed": "5"} | values, 200) for _ in range(2))
        assert first == second


@boards
def test_symmetric_positions_have_similar_values(board: Board) -> None:
    position = Position(board)
    position.play(BLACK, 0)
    value = analyse(position, nodes=300, seed=1).value
    image = Position(board)
    image.play(BLACK, board.symmetries[-1].cells[0])
    assert analyse(image, nodes=300, seed=2).value == pytest.approx(value, abs=0.1)


@boards
def test_what_is_not_known_about_a_board_is_left_out(board: Board) -> None:
    settings = search_settings(board, MctsParameters())
    assert (settings.filler, settings.cutsets) == (None, None)
    assert (settings.vc_quick, settings.vc_wide) == (None, None)
    assert len(settings.evaluators) == 1
    with pytest.raises(ValueError, match=re.escape(f"no fill-in on {board}: its cells aren't")):
        filler(board)


def test_the_preset_overrides_what_it_names() -> None:
    """Whatever the other values are; bridges and fills stay free."""
    position = Position(BOARDS[0])
    told = {"selection": "ucb", "exploration": "1", "expansion_threshold": "0", "seed": "3"}
    plain = chosen(position, "uct", told, 300)
    assert chosen(position, "uct", RP | {"seed": "3"}, 300) == plain
    assert chosen(position, "uct", told | RP | {"exploration": "0.1"}, 300) == plain
    assert UctParameters().updated(RP).preset == "raiko-peltonen"


def test_visits_of_the_preset() -> None:
    """Every move is tried; the first visits of the root's moves are those of the first leaf."""
    board = make_board("renkula", 1)
    found = make_player("uct", RP | {"fills": "4"})
    found.set_position(Position(board))
    found.genmove(BLACK, Limits(nodes=400), Stop())
    analysis = found.analysis()
    assert analysis.nodes <= 400
    visits = [move.visits or 0 for move in analysis.moves]
    assert all(a >= b for a, b in pairwise(visits)) or any(m.proven for m in analysis.moves)
    assert len(visits) == 6


def endgame(board: Board, empties: int, seed: int) -> Position:
    """Return an open position with random stones and this many empty cells."""
    random = Random(seed)
    while True:
        position = Position(board)
        for cell in random.sample(range(len(board)), len(board) - empties):
            position.play(position.to_play, cell)
        if position.winner is None:
            return position


@pytest.mark.parametrize(
    "board", [make_board("bent-y", 3), make_board("star", 2), make_board("renkula", 2)], ids=str
)
@pytest.mark.parametrize(("player", "values"), [("mcts", {}), ("uct", {}), ("uct", RP)], ids=str)
def test_endgames_are_played_perfectly(player: str, values: dict[str, str], board: Board) -> None:
    """What is proven is right, and a won position is won: by exhaustive search."""
    outcomes = set()
    for seed in range(6):
        position = endgame(board, 8, seed)
        mover = position.to_play
        winner, _ = PlainSolver()(position)
        outcomes.add(winner is mover)
        found = make_player(player, values)
        found.set_position(position)
        cell = found.genmove(mover, Limits(nodes=3000), Stop())
        assert isinstance(cell, int)
        for move in found.analysis().moves[:1]:
            assert move.proven in (None, winner is mover)
        position.play(mover, cell)
        assert PlainSolver()(position)[0] is winner
    assert outcomes == {False, True}


@pytest.mark.parametrize("board", [make_board("bent-y", 2), make_board("renkula", 1)], ids=str)
@pytest.mark.parametrize("player", ["mcts", "uct"])
def test_first_moves_of_the_smallest_boards(player: str, board: Board) -> None:
    """The opening player wins with any of them (see test_solver), and both players know."""
    for opening in range(len(board)):
        position = Position(board)
        position.play(BLACK, opening)
        found = make_player(player)
        found.set_position(position)
        found.genmove(WHITE, Limits(nodes=4000), Stop())
        assert found.analysis().moves[0].proven in (None, False)
        assert found.analysis().value < 0.5


@pytest.mark.parametrize(
    ("player", "values", "nodes"),
    [("mcts", {}, 8000), ("uct", {}, 40_000), ("uct", RP | {"fills": "8"}, 40_000)],
    ids=str,
)
def test_openings_of_a_solved_sphere(player: str, values: dict[str, str], nodes: int) -> None:
    """A cell with five neighbours loses, any other wins; after such a one only the cells around the
    equator win (see test_solver).
    """
    board = make_board("renkula", 2)
    position = Position(board)
    assert len(board.neighbours[chosen(position, player, values, nodes)]) == 6
    position.play(BLACK, board.cell("a1"))
    assert board.names[chosen(position, player, values, nodes)][0] == "d"


@pytest.mark.strength
@pytest.mark.parametrize(("game", "size"), [("bent-y", 5), ("star", 6), ("renkula", 3)])
def test_bridges_and_fills_make_uct_stronger(game: str, size: int) -> None:
    """Of 20 games with equal numbers of leaves; 25 : 0 or so is usual."""
    board = make_board(game, size)
    wins = 0
    for seed in range(10):
        for first in (0, 1):
            position = Position(board)
            position.play(BLACK, (7 * seed) % len(board))
            sides = [
                make_player("uct", RP | {"bamboo": "1", "fills": "4", "seed": str(seed)}),
                make_player("uct", RP | {"seed": str(seed)}),
            ]
            while position.winner is None:
                mover = (position.to_play is BLACK) == (first == 0)
                side = sides[0 if mover else 1]
                side.set_position(position)
                cell = side.genmove(position.to_play, Limits(nodes=800), Stop())
                assert isinstance(cell, int)
                position.play(position.to_play, cell)
            wins += (position.winner is BLACK) == (first == 0)
    assert wins >= 15
