"""Lost positions: the moves that hold out longest, and those that are hardest to answer."""

from __future__ import annotations

import math
import random
from functools import cache
from typing import TYPE_CHECKING

import pytest

from trivalent.bot.player import Limits, Stop
from trivalent.bot.players.lost_positions import Effort, Race, most_stubborn
from trivalent.bot.players.mcts import MctsPlayer
from trivalent.bot.players.mcts_parameters import MctsParameters
from trivalent.bot.solver.solver import Solver
from trivalent.core.board import BLACK, WHITE
from trivalent.core.games import hex_board, y_board
from trivalent.core.position import Position

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from trivalent.core.board import Board, Colour


def plenty() -> Effort:
    return Effort(10**6, math.inf, Stop())


def stones_needed(position: Position, winner: Colour) -> dict[int, float]:
    """Return for each move of the loser how many more stones the winner needs, by brute force."""
    position = position.copy()

    @cache
    def needed(_: bytes, mover: Colour) -> float:
        if position.winner is not None:
            return 0 if position.winner is winner else math.inf
        counts = []
        for cell in position.empty_cells:
            position.play(mover, cell)
            counts.append(needed(position.stones, mover.opponent) + (mover is winner))
            position.undo()
        return min(counts) if mover is winner else max(counts)

    found = {}
    for cell in position.empty_cells:
        position.play(winner.opponent, cell)
        found[cell] = needed(position.stones, winner)
        position.undo()
    return found


def lost_positions(board: Board, count: int) -> Iterable[tuple[Position, dict[int, float]]]:
    """Yield random positions in which all moves of the side to move lose."""
    chance = random.Random(7)
    while count:
        position = Position(board)
        for _ in range(chance.randrange(len(board) // 3, len(board) // 2)):
            position.play(position.to_play, chance.choice(position.empty_cells))
        if position.winner is None:
            needed = stones_needed(position, position.to_play.opponent)
            if max(needed.values()) < math.inf:
                count -= 1
                yield position, needed


@pytest.mark.parametrize(
    "board", [hex_board(3), hex_board(4, 3), hex_board(2, 5), y_board(4)], ids=str
)
def test_the_moves_that_hold_out_longest(board: Board) -> None:
    different = 0
    for position, needed in lost_positions(board, 25):
        race = Race(board, position.to_play.opponent)
        cells = position.empty_cells
        most = max(needed.values())
        longest = race.longest(position.stones, cells, plenty())
        assert longest == [cell for cell in cells if needed[cell] == most]
        different += len(longest) < len(cells)
    assert different


def test_without_effort_the_first_move_is_best() -> None:
    position = next(iter(lost_positions(hex_board(4, 3), 1)))[0]
    solver = Solver(position.board, memory=1)
    for effort in (Effort(0, math.inf, Stop()), Effort(100, 0.0, Stop())):
        moves = position.empty_cells[::-1]
        assert most_stubborn(solver, position, moves, lambda _: {}, effort) == moves[0]


def test_among_equals_the_reply_is_hard_to_find() -> None:
    """The opponent plays where the priors say, which must not win."""
    board = hex_board(4)
    position = Position(board)
    for name in ("b2", "c1", "b4"):  # Black has joined top and bottom, by bridges only
        position.play(BLACK, board.cell(name))
    position.to_play = WHITE
    cells = position.empty_cells
    solver = Solver(board, memory=1)

    def only(name: str) -> dict[int, float]:
        return {board.cell(name): 1.0}

    best = most_stubborn(solver, position, cells, lambda _: only("d3"), plenty())
    after = position.copy()
    after.play(WHITE, best)
    assert solver.winning_moves(after)[board.cell("d3")] is False


def test_where_any_reply_wins_the_priors_decide() -> None:
    board = hex_board(4)
    position = Position(board)
    for name in ("b3", "a1", "b2", "b1", "c1"):  # Black wins even if he passes
        position.play(position.to_play, board.cell(name))
    cells = position.empty_cells
    solver = Solver(board, memory=1)
    assert not any(losing_replies(solver, position, cell) for cell in cells)

    def preferring(cell: int) -> Callable[[Position], dict[int, float]]:
        return lambda _: {cell: 0.5}

    for cell in cells:
        assert most_stubborn(solver, position, cells, preferring(cell), plenty()) == cell


def answer(position: Position, nodes: int, **values: str) -> int:
    player = MctsPlayer(MctsParameters().updated({"memory": "16"} | values))
    player.set_position(position)
    cell = player.genmove(position.to_play, Limits(nodes=nodes), Stop())
    analysis = player.analysis()
    assert (analysis.moves[0].cell, analysis.variation[0]) == (cell, cell)
    assert isinstance(cell, int)
    return cell


@pytest.mark.parametrize("first", ["b3", "c2", "d1", "a4"])
def test_a_lost_game_is_not_given_up(first: str) -> None:
    """White can't win these openings of 4x4, but no move leaves Black more winning replies than
    it must."""
    board = hex_board(4)
    solver = Solver(board, memory=1)
    position = Position(board)
    position.play(BLACK, board.cell(first))
    lost_moves = 0
    while position.winner is None:
        cell = answer(position, 20_000)
        if position.to_play is WHITE:
            race = Race(board, BLACK)
            longest = race.longest(position.stones, position.empty_cells, plenty())
            assert cell in longest
            assert losing_replies(solver, position, cell) or not any(
                losing_replies(solver, position, other) for other in longest
            )
            lost_moves += 1
        position.play(position.to_play, cell)
    assert lost_moves >= 3


def losing_replies(solver: Solver, position: Position, cell: int) -> list[int]:
    after = position.copy()
    after.play(position.to_play, cell)
    return [reply for reply, wins in solver.winning_moves(after).items() if not wins]


def test_the_choice_depends_on_the_limits_alone() -> None:
    position = Position(hex_board(5))
    position.play(BLACK, position.board.cell("c3"))
    assert len({answer(position, 300, memory=memory) for memory in ("16", "64")}) == 1


def test_a_level_and_a_stop_spend_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    position = Position(hex_board(3))
    position.play(BLACK, position.board.cell("b2"))
    answer(position, 100, level="10")
    monkeypatch.setattr("trivalent.bot.players.lost_positions.Race._find_win", None)
    player = MctsPlayer(MctsParameters(memory=16, threads=1))
    player.set_position(position)
    player.genmove(WHITE, Limits(nodes=1), Stop())
    stop = Stop()
    stop.set()
    player.genmove(WHITE, Limits(seconds=10), stop)
