"""The top of a proof-number tree finds the truth, whatever its jobs find out, in any order."""

from __future__ import annotations

import random

import pytest
from exhaustive import given_away, some_stones, wins

from trivalent.core.board import Board, Colour
from trivalent.core.games import hex_board, y_board
from trivalent.core.position import Position
from trivalent.tools.solving.proof_tree import JobResult, TreeNode, apply, give_back, next_leaf


def job(position: Position, rng: random.Random) -> JobResult:
    """Return what a weak solver may find out: the truth with some carrier, or anything else."""
    board, stones, mover = position.board, position.stones, position.to_play
    empty = list(position.empty_cells)
    if rng.random() < 0.6:
        moves = rng.sample(empty, rng.randint(0, len(empty)))
        return JobResult(None, None, frozenset(), 1, {m: (rng.randint(1, 9), 2) for m in moves})
    truth = wins(board, stones, mover)
    winner = mover if truth else mover.opponent
    carrier = set(empty)
    for cell in rng.sample(empty, len(empty)):  # leave out what the win doesn't need
        fewer = carrier - {cell}
        if wins(board, given_away(stones, fewer, winner.opponent), mover) == truth:
            carrier = fewer
    after = {cell: stones[:cell] + bytes([mover]) + stones[cell + 1 :] for cell in empty if truth}
    move = next((c for c, s in after.items() if not wins(board, s, mover.opponent)), None)
    return JobResult(winner, move, frozenset(carrier), 1, {})


@pytest.mark.parametrize("board", [hex_board(4), hex_board(4, 5), y_board(5)], ids=str)
def test_the_tree_finds_the_truth(board: Board) -> None:
    rng = random.Random(3)
    split = 0
    for _ in range(60):
        stones = some_stones(rng, board, 8)
        position = Position(board)
        for cell, stone in enumerate(stones):
            if stone:
                position.setup(cell, Colour(stone))
        position.to_play = rng.choice((Colour.BLACK, Colour.WHITE))
        if position.winner is not None:
            continue
        root = TreeNode(position)
        running: list[TreeNode] = []
        while root.is_open:
            while len(running) < 3 and (leaf := next_leaf(root)):
                running.append(leaf)
            assert running
            leaf = running.pop(rng.randrange(len(running)))
            give_back(leaf)
            if rng.random() < 0.9:  # else the job is lost with its worker
                apply(leaf, job(leaf.position, rng))
        for leaf in running:
            give_back(leaf)
        assert root.running == 0
        split += len(root.children) > 0
        truth = wins(board, stones, position.to_play)
        assert (root.winner is position.to_play) == truth, (stones, position.to_play)
        assert root.winner is not None
        against = given_away(stones, root.carrier, root.winner.opponent)
        assert wins(board, against, position.to_play) == truth, (stones, root.carrier)
        if truth:
            assert root.move is not None
            after = stones[: root.move] + bytes([position.to_play]) + stones[root.move + 1 :]
            assert not wins(board, after, position.to_play.opponent)
    assert split > 10
    wins.cache_clear()


def test_jobs_spread_over_the_tree() -> None:
    """While a job runs at the best move, the next one goes to the second best."""
    position = Position(hex_board(3))
    root = TreeNode(position)
    leaf = next_leaf(root)
    assert leaf is root
    assert next_leaf(root) is None
    give_back(root)
    apply(root, JobResult(None, None, frozenset(), 5, {4: (2, 3), 2: (3, 3)}))
    first, second, third = (next_leaf(root) for _ in range(3))
    assert first
    assert second
    assert third
    assert (first.cell, second.cell, third.running) == (4, 2, 1)
    assert (root.phi, root.delta, root.work, root.running) == (2, 13, 5, 3)
    give_back(first)
    assert next_leaf(root) is first
