"""Puts a losing move into games of the strong player, and counts how often a review finds it.

The boards are small enough for the solver: it says which moves lose a won position.  After such a
move the strong player plays both sides to the end.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from typing import TYPE_CHECKING

from trivalent.bot.player import Limits, Stop
from trivalent.bot.players.registry import make_player
from trivalent.bot.review.game_line import game_line
from trivalent.bot.review.position_analyst import DEFAULT, QUICK, Effort, PositionAnalyst
from trivalent.bot.review.reviewer import Reviewer
from trivalent.bot.solver.solver import Solver
from trivalent.core.games import make_board
from trivalent.core.position import Position
from trivalent.core.records.record import Record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trivalent.core.board import Board

BOARDS = (("hex", 5), ("y", 5), ("hex", 6), ("y", 6), ("hex", 7))


def _play_on(position: Position, nodes: int) -> None:
    player = make_player("mcts", {"threads": "1", "memory": "32"})
    while position.winner is None:
        player.set_position(position)
        answer = player.genmove(position.to_play, Limits(nodes=nodes), Stop())
        assert isinstance(answer, int)
        position.play(position.to_play, answer)


def faulty_game(board: Board, seed: int, nodes: int = 300) -> tuple[Position, int] | None:
    """Return a game with a losing move, and the move's number from 1.

    Return None if the game has no position, after the first move, that can still be lost.
    """
    chooser = random.Random(seed)
    position = Position(board)
    position.play(position.to_play, chooser.randrange(len(board)))
    _play_on(position, nodes)
    solver = Solver(board, memory=64)
    begin = Position(board)
    cells = [move.cell for move in position.history if move.cell is not None]
    numbers = list(range(1, len(cells)))
    chooser.shuffle(numbers)
    for number in numbers:
        position = begin.copy()
        for cell in cells[:number]:
            position.play(position.to_play, cell)
        if solver.solve(position).winner is not position.to_play:
            continue
        losing = [c for c, wins in solver.winning_moves(position).items() if wins is False]
        if losing:
            position.play(position.to_play, chooser.choice(losing))
            _play_on(position, nodes)
            return position, number + 1
    return None


def main() -> None:
    """Review faulty games, and print how many faults were found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="review with --quick")
    arguments = parser.parse_args()
    effort = QUICK if arguments.quick else DEFAULT
    began = time.process_time()
    done = proven = lost = 0
    seed = arguments.seed
    while done < arguments.games:
        board = make_board(*BOARDS[seed % len(BOARDS)])
        game = faulty_game(board, seed)
        seed += 1
        if game is None:
            continue
        done += 1
        found = find_fault(*game, effort, arguments.threads)
        proven += found[0]
        lost += found[1]
        if not all(found):
            names = " ".join(board.names[m.cell] for m in game[0].history if m.cell is not None)
            sys.stdout.write(f"{board}, move {game[1]}: {found} {names}\n")
        sys.stdout.write(
            f"{done} games: {proven} proven turning points, {lost} named as the move that lost, "
            f"{time.process_time() - began:.0f} s\n"
        )
        sys.stdout.flush()


def find_fault(game: Position, number: int, effort: Effort, threads: int) -> Sequence[bool]:
    """Return whether a move is a proven turning point, and whether it's named as the losing one."""
    line = game_line(Record.of(game), allows_swap=False)
    with PositionAnalyst(None, Stop(), threads) as analyst:
        review = Reviewer(analyst, effort).review(line)
    verdict = review.verdicts[number - 1]
    return verdict.is_turning_point and verdict.is_proven, review.losing_move == number - 1


if __name__ == "__main__":
    main()
