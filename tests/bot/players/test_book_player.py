"""Playing from a book: its best moves, but never against a proof, and not from a damaged one."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest
from books import settings
from gtp_session import FakePlayer

from trivalent.bot.book.book_file import BookFile, Entry
from trivalent.bot.book.book_positions import Stones, canonical
from trivalent.bot.player import SWAP, Limits, Stop
from trivalent.bot.players.book_player import BookPlayer
from trivalent.bot.players.registry import PLAYERS, make_player
from trivalent.bot.players.swap import SwappingPlayer
from trivalent.bot.solver.solver import Solver
from trivalent.core.board import BLACK, WHITE
from trivalent.core.games import hex_board
from trivalent.core.position import Position
from trivalent.tools.book.book_graph import BookGraph

if TYPE_CHECKING:
    from pathlib import Path

    from trivalent.bot.player import Answer
    from trivalent.core.board import Board

LIMITS = Limits(nodes=200)


def write_book(path: Path, size: int, lines: dict[str, float]) -> None:
    """Write a book of these positions, each with an estimate for the side to move.

    A line is its moves; its drop-out move is the first cell that isn't in the book.
    """
    about = settings(size=size)
    graph = BookGraph(about)
    for line, value in lines.items():
        stones = Stones()
        for name in line.split():
            stones = stones.after(graph.board.cell(name))
        node = graph.add(stones)
        graph.set_drop_out(node, node.stones.empty(graph.board)[0], value, proof=None)
    for node in graph.nodes.values():
        if node is not graph.root:
            free = set(node.stones.empty(graph.board)) - graph.moves_in_book(node)
            graph.set_drop_out(node, max(free), node.estimate, proof=None)
    graph.update(graph.nodes.values())
    with BookFile.create(path, about) as file:
        file.put(graph.entry(node) for node in graph.nodes.values())


def position_of(board: Board, line: str) -> Position:
    position = Position(board)
    for name in line.split():
        position.play(position.to_play, board.cell(name))
    return position


def answer(book: Path, size: int, line: str = "", **parameters: str) -> Answer:
    """Return the answer of a player with a book in the position after a line."""
    position = position_of(hex_board(size), line)
    player = make_player("mcts", {"book": str(book), "memory": "16", **parameters})
    player.set_position(position)
    return BookPlayer(player, position).genmove(position.to_play, LIMITS, Stop())


@pytest.fixture
def book(tmp_path: Path) -> Path:
    path = tmp_path / "nine.book"
    write_book(path, 9, {"a1": 0.8, "e5": 0.3, "c3": 0.32, "a1 e5": 0.4, "a1 f6": 0.1, "b2": 0.5})
    return path


def test_the_best_move_of_the_book_is_played(book: Path) -> None:
    board = hex_board(9)
    assert answer(book, 9) == board.cell("e5")
    assert answer(book, 9, "a1") == board.cell("f6")  # leaves Black 0.1
    assert answer(book, 9, "i9") == board.cell("d4")  # the same, turned
    drop_out = answer(book, 9, "a1 f6")
    assert isinstance(drop_out, int)


@pytest.mark.parametrize("name", [name for name in PLAYERS if name not in ("mcts", "random")])
def test_all_players_that_judge_positions_have_a_book(book: Path, name: str) -> None:
    position = Position(hex_board(9))
    player = make_player(name, {"book": str(book)})
    player.set_position(position)
    found = BookPlayer(player, position).genmove(BLACK, Limits(nodes=20), Stop())
    assert found == position.board.cell("e5")


def test_the_swap_is_decided_by_the_book(book: Path) -> None:
    board = hex_board(9)
    for line, swaps in (("e5", True), ("a1", False)):
        position = position_of(board, line)
        player = FakeBooked(str(book))
        player.set_position(position)
        inner = BookPlayer(player, position)
        found = SwappingPlayer(inner, position).genmove(WHITE, LIMITS, Stop())
        assert (found is SWAP) is swaps


class FakeBooked(FakePlayer):
    """A player whose parameters name a book."""

    def __init__(self, book: str) -> None:
        super().__init__()
        self.parameters = make_player("uct", {"book": book}).parameters  # type: ignore[assignment]


def test_the_analysis_is_the_books(book: Path) -> None:
    board = hex_board(9)
    position = Position(board)
    player = make_player("mcts", {"book": str(book), "memory": "16"})
    player.set_position(position)
    wrapped = BookPlayer(player, position)
    wrapped.genmove(BLACK, LIMITS, Stop())
    best, *others = wrapped.analysis().moves
    assert (best.cell, best.visits, round(best.value, 6)) == (board.cell("e5"), None, 0.7)
    assert {move.cell for move in others} >= {board.cell("c3"), board.cell("g7")}
    wrapped.set_position(position_of(board, "e5 d5"))
    wrapped.genmove(BLACK, LIMITS, Stop())
    assert wrapped.analysis().moves[0].visits


def test_variety_keeps_close_to_the_best(book: Path) -> None:
    board = hex_board(9)
    found = {answer(book, 9, book_random="0.03", seed=str(seed)) for seed in range(12)}
    assert found <= {board.cell(name) for name in ("e5", "c3", "g7")}
    assert len(found) >= 2
    assert answer(book, 9, book_random="0.03", seed="5") == answer(
        book, 9, book_random="0.03", seed="5"
    )
    assert {answer(book, 9, seed=str(seed)) for seed in range(4)} == {board.cell("e5")}


def test_cells_to_avoid_are_avoided(book: Path) -> None:
    board = hex_board(9)
    position = Position(board)
    player = make_player("mcts", {"book": str(book), "memory": "16"})
    player.set_position(position)
    avoid = frozenset([board.cell("e5")])
    limits = Limits(nodes=100, avoid=avoid)
    assert BookPlayer(player, position).genmove(BLACK, limits, Stop()) in {
        board.cell("c3"), board.cell("g7")
    }  # fmt: skip


def test_a_book_never_overrides_a_proof(tmp_path: Path) -> None:
    """The book praises moves that lose; the search proves that they do, and which ones win."""
    path = tmp_path / "liar.book"
    write_book(path, 5, {"a1": 0.01, "a2": 0.02, "c3": 0.99, "a1 b2": 0.0, "b1": 0.5})
    board = hex_board(5)
    assert answer(path, 5) not in {board.cell("a1"), board.cell("a2"), board.cell("b1")}
    # White wins after a1, and not at b2.
    reply = answer(path, 5, "a1")
    assert isinstance(reply, int)
    assert reply != board.cell("b2") or _wins(board, "a1 b2")


def _wins(board: Board, line: str) -> bool:
    position = position_of(board, line)
    return Solver(board, memory=4).solve(position).winner is position.to_play.opponent


def test_proofs_of_the_book_come_first(tmp_path: Path) -> None:
    path = tmp_path / "book"
    with BookFile.create(path, settings(size=9)) as file:
        board = file.board
        names = [canonical(board, Stones().after(board.cell(name)))[0] for name in ("e5", "c3")]
        file.put(
            [
                Entry(canonical(board, Stones())[0], "", 0, None, 1.0, True),
                Entry(names[0], "a1", 0.1, None, 0.1, None),
                Entry(names[1], "a1", 0.0, False, 0.0, False),
            ]
        )
    assert answer(path, 9, book_random="1") in {board.cell("c3"), board.cell("g7")}


def test_other_boards_are_played_without_the_book(book: Path) -> None:
    assert isinstance(answer(book, 7), int)


def test_a_book_damaged_in_play_is_one_warning(
    book: Path, caplog: pytest.LogCaptureFixture
) -> None:
    position = Position(hex_board(9))
    player = make_player("mcts", {"book": str(book), "memory": "16"})
    player.set_position(position)
    wrapped = BookPlayer(player, position)
    book.write_bytes(book.read_bytes()[:4096] + b"\xff" * 4096)
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            assert isinstance(wrapped.genmove(BLACK, LIMITS, Stop()), int)
    assert len(caplog.messages) == 1
    assert "playing on without a book" in caplog.messages[0]
    assert str(book) in caplog.messages[0]
