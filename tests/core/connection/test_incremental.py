"""Win tests that follow a position: the pyramids, and a board that brings another one."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from trivalent.core.board import BLACK, EMPTY, WHITE, Board, Colour
from trivalent.core.connection._pyramid import Pyramid
from trivalent.core.connection._triangle import triangle
from trivalent.core.connection.win_test import winner
from trivalent.core.games import GAMES, hex_board, y_board
from trivalent.core.playouts.playout import statistics
from trivalent.core.position import Position


def levels(board: Board, colour: Colour, stones: bytes) -> bytes:
    """Return the levels of a new pyramid with these stones."""
    pyramid = Pyramid(triangle(board), colour)
    for cell, content in enumerate(stones):
        if content == colour:
            pyramid.toggle(cell)
    return pyramid.levels()


BOARDS = [hex_board(4), hex_board(3, 20), y_board(6), y_board(20), hex_board(40)]


@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_toggling_a_pyramid_back_restores_every_bit(board: Board) -> None:
    random = Random(1)
    pyramid = Pyramid(triangle(board), BLACK)
    stones = bytearray(len(board))
    for _ in range(200):
        cell = random.randrange(len(board))
        pyramid.toggle(cell)
        stones[cell] ^= BLACK
    assert pyramid.levels() == levels(board, BLACK, bytes(stones))


@pytest.mark.parametrize("board", [hex_board(4), hex_board(40), y_board(20)], ids=str)
def test_pyramid(board: Board) -> None:
    with pytest.raises(ValueError, match="no colour 3"):
        Pyramid(triangle(board), 3)
    pyramid = Pyramid(triangle(board), BLACK)
    empty = pyramid.levels()
    for cell in (-1, len(board)):
        with pytest.raises(IndexError):
            pyramid.toggle(cell)
    assert pyramid.levels() == empty
    assert not pyramid.apex
    for cell in range(len(board)):
        pyramid.toggle(cell)
    assert pyramid.apex
    copy = pyramid.copy()
    for cell in reversed(range(len(board))):
        pyramid.toggle(cell)
    assert pyramid.levels() == empty
    assert copy.apex
    assert copy.levels() != empty


@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_the_winner_of_any_stones(board: Board) -> None:
    random = Random(2)
    test = board.new_win_test()
    stones = bytearray(len(board))
    done: list[tuple[int, int, int]] = []
    for _ in range(60):
        if done and random.random() < 0.3:
            cell, before, after = done.pop()
            test.undo(cell, before, after)
            stones[cell] = before
        else:
            cell, after = random.randrange(len(board)), random.choice((EMPTY, BLACK, WHITE))
            test.put(cell, stones[cell], after)
            done.append((cell, stones[cell], after))
            stones[cell] = after
        assert test.winner == (winner(board, stones) or 0)
    copy = test.copy()
    while done:
        cell, before, after = done.pop()
        test.undo(cell, before, after)
    assert test.winner == 0
    assert copy.winner == (winner(board, stones) or 0)


class FloodFillTest:
    """Looks for the winner anew each time; insists on undo in reverse order."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._stones = bytearray(len(board))
        self._done: list[tuple[int, int, int]] = []

    def put(self, cell: int, before: int, after: int) -> None:
        assert self._stones[cell] == before
        self._stones[cell] = after
        self._done.append((cell, before, after))

    def undo(self, cell: int, before: int, after: int) -> None:
        assert self._done.pop() == (cell, before, after)
        self._stones[cell] = before

    def copy(self) -> FloodFillTest:
        other = FloodFillTest(self._board)
        other._stones = self._stones.copy()
        other._done = self._done.copy()
        return other

    @property
    def winner(self) -> int:
        return next((c for c in Colour if self._has_won(c)), 0)

    def _has_won(self, colour: Colour) -> bool:
        board = self._board
        rest = {cell for cell, content in enumerate(self._stones) if content == colour}
        while rest:
            chain = [rest.pop()]
            for cell in chain:
                found = rest.intersection(board.neighbours[cell])
                rest -= found
                chain += found
            if all(set(board.sides[side].cells) & set(chain) for side in board.goal(colour)):
                return True
        return False


@pytest.fixture
def wheel(monkeypatch: pytest.MonkeyPatch) -> Board:
    """A board that no triangle and no lattice holds: five cells around one, three sides."""
    ring = range(1, 6)
    names = ("a1", "b1", "b2", "b3", "b4", "b5")

    def make(_width: int, _height: int) -> Board:
        y = y_board(3)
        return replace(
            y,
            game="wheel",
            title="wheel",
            neighbours=(tuple(ring), *((0, i % 5 + 1, (i - 2) % 5 + 1) for i in ring)),
            sides=tuple(
                replace(side, cells=cells)
                for side, cells in zip(y.sides, ((1, 2), (3,), (4, 5)), strict=True)
            ),
            framing=None,
            lattice=None,
            names=names,
            _cells={name: cell for cell, name in enumerate(names)},
            _win_test=FloodFillTest,
        )

    game = replace(GAMES["y"], name="wheel", number=1000, make=make)
    monkeypatch.setitem(GAMES, game.name, game)
    return make(3, 3)


def test_a_position_asks_the_win_test_of_its_board(wheel: Board) -> None:
    position = Position(wheel)
    for name in ("b1", "b2", "a1", "b5", "b3"):
        assert position.winner is None
        position.play(position.to_play, wheel.cell(name))
    assert position.winner is None
    position.play(WHITE, wheel.cell("b4"))
    assert position.winner is None  # White lacks the first side
    copy = position.copy()
    position.setup(wheel.cell("b2"), None)
    position.setup(wheel.cell("b5"), BLACK)
    assert position.winner is BLACK
    while position.history:
        position.undo()
    assert position.winner is None
    assert copy.stone(wheel.cell("b5")) is WHITE
    position.play(BLACK, 0)
    position.swap_pieces()
    assert position.stones == bytes((WHITE, 0, 0, 0, 0, 0))
    position.undo()
    assert position.stones == bytes((BLACK, 0, 0, 0, 0, 0))


def test_a_board_without_a_framing_is_judged_by_its_chains(wheel: Board) -> None:
    full = bytes((BLACK, BLACK, WHITE, BLACK, BLACK, BLACK))
    assert winner(wheel, full) is BLACK
    assert winner(wheel, bytes(6)) is None
    counted = statistics(Position(wheel), 1000, 1)
    assert 150 < counted.black_wins < 300  # its sides have no corners, so not every filling is won
    with pytest.raises(ValueError, match=r"^wheel has no framing: its connections can't be found"):
        winner(wheel, full, "bpr")
