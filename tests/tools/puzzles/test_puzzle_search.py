"""The search for puzzles: verdicts on positions."""

from __future__ import annotations

from trivalent.bot.player import Stop
from trivalent.core.board import BLACK
from trivalent.core.games import hex_board
from trivalent.core.position import Position
from trivalent.tools.puzzles.puzzle_search import PuzzleSolver, Verdict, backwards, find


def test_verdicts_on_won_lost_and_connected_positions() -> None:
    solver = PuzzleSolver(10, 8, Stop())
    position = Position(hex_board(3))
    assert solver.solve(position).moves == (2, 3, 4, 5, 6)
    position.play(BLACK, 4)
    assert solver.solve(position) == Verdict(BLACK, moves=())
    position.to_play = BLACK
    assert solver.solve(position) == Verdict(BLACK, connected=True)


def test_no_verdict_without_time() -> None:
    assert PuzzleSolver(1e-9, 8, Stop()).solve(Position(hex_board(14))).winner is None


def test_a_stop_ends_the_search() -> None:
    stop = Stop()
    stop.set()
    position = Position(hex_board(3))
    position.play(BLACK, 4)
    assert not list(find(backwards(position), "", PuzzleSolver(10, 8, stop)))
