"""The background solver: the search uses its proofs, and gets along without them."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from trivalent.bot.player import Limits, Stop
from trivalent.bot.players.mcts import MctsPlayer, make_tree
from trivalent.bot.players.mcts_parameters import MctsParameters
from trivalent.bot.search.background_solver import BackgroundSolver
from trivalent.bot.solver.solver import Solver
from trivalent.core.board import BLACK, WHITE, Board
from trivalent.core.games import hex_board, y_board
from trivalent.core.position import Position

if TYPE_CHECKING:
    from trivalent.bot.player import Analysis
    from trivalent.bot.search._search import Search
    from trivalent.bot.solver.solver import Solution, SolveLimits


def player_at(position: Position, **values: str) -> MctsPlayer:
    player = MctsPlayer(MctsParameters().updated({"threads": "2"} | values))
    player.set_position(position)
    return player


def searched(position: Position, seconds: float = 60.0, **values: str) -> Analysis:
    player = player_at(position, **values)
    player.genmove(position.to_play, Limits(seconds=seconds), Stop())
    return player.analysis()


def rooted(position: Position) -> Search:
    """Return a tree whose root has no proven moves."""
    tree = make_tree(position.board, MctsParameters(vc_visits=0))
    tree.set_position(position.stones, position.to_play, -1, position.hash)
    tree.run(1, 0.0, Stop(), 1)
    return tree


def proofs(tree: Search) -> dict[int, int]:
    return {cell: proof for cell, *_, proof in tree.moves()}


def solve_beside(position: Position, tree: Search) -> None:
    """Let the solver work until the root is solved."""
    end = time.monotonic() + 60
    with BackgroundSolver(Solver(position.board), position, tree):
        while tree.run(-1, 0.01, Stop(), 1):
            assert time.monotonic() < end


@pytest.mark.parametrize("board", [hex_board(6), hex_board(6, 5), y_board(6)], ids=str)
def test_a_won_position_is_solved(board: Board) -> None:
    """The solver proves at once what the search alone takes long to find."""
    position = Position(board)
    analysis = searched(position)
    best = analysis.moves[0]
    assert best.proven
    assert analysis.seconds < 60
    position.play(BLACK, best.cell)
    assert Solver(board).solve(position).winner is BLACK


def test_a_lost_position_is_solved() -> None:
    board = hex_board(6)
    wins = Solver(board).winning_moves(Position(board))
    losing = [cell for cell in wins if not wins[cell]]
    assert losing
    for cell in losing[::5]:
        position = Position(board)
        position.play(BLACK, cell)
        analysis = searched(position, vc_visits="0")
        assert analysis.moves[0].proven is True
        position.play(WHITE, analysis.moves[0].cell)
        assert all(move.proven is False for move in searched(position, vc_visits="0").moves)


def test_the_tree_learns_proofs() -> None:
    position = Position(hex_board(7))
    tree = rooted(position)
    first, *others = proofs(tree)
    assert tree.learn(first, -9)
    assert proofs(tree) == {first: -9} | dict.fromkeys(others, 0)
    assert tree.run(200, -1.0, Stop(), 1) is False
    assert {cell: visits for cell, visits, *_ in tree.moves()}[first] == 0
    assert tree.learn(others[0], 7)
    assert not tree.run(-1, -1.0, Stop(), 1)  # at once
    assert proofs(tree)[others[0]] == 7


def test_moves_are_ranked_by_what_is_proven() -> None:
    """The shortest win first, then open moves by their visits, and the longest loss last."""
    tree = rooted(Position(hex_board(7)))
    tree.run(200, -1.0, Stop(), 1)
    visits = {cell: count for cell, count, *_ in tree.moves()}
    one, other, third, fourth, *rest = visits
    for cell, distance in ((one, -3), (other, -7), (third, 9), (fourth, 5)):
        tree.learn(cell, distance)
    first, second, *middle, last_but_one, last = (cell for cell, *_ in tree.moves())
    assert (first, second, last_but_one, last) == (fourth, third, other, one)
    assert sorted(middle) == sorted(rest)
    assert [visits[cell] for cell in middle] == sorted((visits[c] for c in middle), reverse=True)


def test_the_winning_move_may_be_missing_from_the_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then one of the moves that the tree has wins as well, and is found."""
    board = hex_board(4)
    position = Position(board)
    position.play(BLACK, board.cell("b3"))
    position.play(WHITE, board.cell("a1"))
    tree = rooted(position)
    missing = set(position.empty_cells) - set(proofs(tree))
    assert missing
    assert not any(tree.learn(cell, 9) for cell in missing)
    assert not any(proofs(tree).values())

    solver = Solver(board)
    solve = solver.solve
    asked: list[bytes] = []

    def insist(at: Position, limits: SolveLimits, stop: Stop) -> Solution:
        """Answer once with a winning move that the tree lacks."""
        asked.append(at.stones)
        found = solve(at, limits, stop)
        return replace(found, move=min(missing)) if len(asked) == 1 else found

    monkeypatch.setattr(solver, "solve", insist)
    with BackgroundSolver(solver, position, tree):
        while tree.run(-1, 0.01, Stop(), 1):
            pass
    assert len(asked) > 1
    winning = [cell for cell, proof in proofs(tree).items() if proof > 0]
    assert winning
    truth = Solver(board).winning_moves(position)
    assert all(truth[cell] for cell in winning)


@pytest.mark.parametrize("to_play", [BLACK, WHITE])
def test_what_the_tree_learns_is_true(to_play: int) -> None:
    """Every move that is proven by the time the root is solved has been proven right."""
    board = hex_board(5)
    truth = Solver(board)
    for cell in range(0, 25, 4):
        position = Position(board)
        position.play(BLACK if to_play == WHITE else WHITE, cell)
        tree = rooted(position)
        solve_beside(position, tree)
        wins = truth.winning_moves(position)
        for move, proof in proofs(tree).items():
            assert not proof or (proof > 0) == wins[move]


def test_a_stop_ends_search_and_solver() -> None:
    position = Position(hex_board(10))
    player = player_at(position)
    for delay in (0.0, 0.2):
        before = threading.active_count()
        stop = Stop()
        threading.Timer(delay, stop.set).start()
        began = time.monotonic()
        player.genmove(BLACK, Limits(), stop)
        assert time.monotonic() - began < 10.0
        assert not any(thread.name == "solver" for thread in threading.enumerate())
        assert threading.active_count() <= before + 1


@pytest.mark.parametrize(
    "values",
    [
        {"solver_max_empties": "0"},
        {"solver_max_empties": "35"},
        {"level": "1"},
        {"threads": "1"},
        {"memory": "1"},
    ],
    ids=str,
)
def test_no_solver_runs(values: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """It is switched off, has no thread or memory, or too many cells are empty."""
    monkeypatch.setattr(BackgroundSolver, "__enter__", lambda _: pytest.fail("a solver is at work"))
    position = Position(hex_board(6))
    searched(position, 0.1, **values)


def test_no_solver_runs_within_a_node_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit sets the playing strength."""
    monkeypatch.setattr(BackgroundSolver, "__enter__", lambda _: pytest.fail("a solver is at work"))
    player = player_at(Position(hex_board(6)))
    player.genmove(BLACK, Limits(nodes=50), Stop())


def test_it_works_before_a_search() -> None:
    """Without a thread to spare it tries the position itself, for no longer than it may."""
    board = hex_board(6)
    position = Position(board)
    tree = rooted(position)
    BackgroundSolver(Solver(board), position, tree).work(60, Stop())
    assert any(proof > 0 for proof in proofs(tree).values())
    unsolved = Position(hex_board(11))
    tree = rooted(unsolved)
    BackgroundSolver(Solver(unsolved.board), unsolved, tree).work(0.05, Stop())
    assert not any(proofs(tree).values())


def test_a_solved_game_is_won() -> None:
    """Once the solver has proven a win, the player wins whatever the opponent does."""
    board = hex_board(7)
    position = Position(board)
    position.play(BLACK, board.cell("d4"))
    position.play(WHITE, board.cell("b5"))
    ours = player_at(position)
    other = player_at(position, threads="1")
    while position.winner is None:
        player, limits = (
            (ours, Limits(seconds=30)) if position.to_play is BLACK else (other, Limits(nodes=200))
        )
        cell = player.genmove(position.to_play, limits, Stop())
        assert isinstance(cell, int)
        if player is ours:
            assert ours.analysis().moves[0].proven
        for each in (ours, other):
            each.play(position.to_play, cell)
        position.play(position.to_play, cell)
    assert position.winner is BLACK
