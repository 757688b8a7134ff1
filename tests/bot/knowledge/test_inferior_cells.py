"""Reasons for moves that need not be played: each holds, and together they cover the search's."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from slowness import repeats

from trivalent.bot.knowledge._cutsets import cutset_fillin
from trivalent.bot.knowledge._fillin import filler
from trivalent.bot.knowledge.captures import captures, is_captured, is_inferior
from trivalent.bot.knowledge.inferior_cells import dominators, fill_in, fill_in_more, inferior_cells
from trivalent.core.board import BLACK, WHITE, Board
from trivalent.core.connection.win_test import winners
from trivalent.core.games import hex_board, y_board
from trivalent.tools.workshop._soundness import Referee


def some_stones(rng: random.Random, board: Board) -> bytes:
    share = rng.uniform(0.1, 0.45)
    return bytes(rng.choices((0, 1, 2), (1 - 2 * share, share, share), k=len(board)))


@pytest.mark.parametrize("board", [hex_board(6), hex_board(9, 5), y_board(8)], ids=str)
def test_every_filled_in_cell_has_a_reason(board: Board) -> None:
    rng = random.Random(1)
    missing = 0
    found: Counter[str] = Counter()
    for _ in range(repeats(60, 10)):
        stones = some_stones(rng, board)
        filled, fills = fill_in(board, stones)
        now = bytearray(stones)
        carriers: dict[int, tuple[int, ...]] = {}
        for fill in fills:
            assert not now[fill.cell]
            assert fill.cell in fill.carrier
            assert not any(fill.stones[cell] for cell in fill.carrier)
            if len(fill.carrier) > 1:  # captured sets don't overlap
                known = {carriers.setdefault(cell, fill.carrier) for cell in fill.carrier}
                assert known == {fill.carrier}
            if fill.reason == "pattern":
                assert captures(board, fill.stones, fill.carrier, fill.colour)
                assert fill.is_dead == captures(board, fill.stones, (fill.cell,), fill.colour)
            now[fill.cell] = fill.colour
        assert now == filled
        if not winners(board, filled)[0]:
            missing += max(0, filled.count(0) - cutset_fillin(board).fill(stones).count(0))
        found.update(fill.reason for fill in fills)
    assert found["pattern"] > repeats(100)
    assert found["linked"] > repeats(10)
    assert missing <= found.total() / 50


@pytest.mark.parametrize("board", [hex_board(9), hex_board(9, 5), y_board(8)], ids=str)
def test_every_permanently_inferior_cell_has_a_reason(board: Board) -> None:
    """So does everything that is filled in because of it."""
    rng = random.Random(3)
    missing = 0
    found: Counter[str] = Counter()
    for _ in range(repeats(60, 40)):
        stones = bytearray(rng.choices((0, 1, 2), (0.5, 0.3, 0.2), k=len(board)))
        corner = rng.randrange(len(board))
        between = rng.choice(board.neighbours[corner])
        rhombus = {corner, between, *board.neighbours[between]} & {
            corner,
            *board.neighbours[corner],
        }
        for cell in board.neighbours[corner]:
            stones[cell] = BLACK
        for cell in rhombus:
            stones[cell] = 0
        filled, _ = fill_in(board, bytes(stones))
        fills = fill_in_more(board, filled)
        now = bytearray(filled)
        for fill in fills:
            if fill.reason == "inferior":
                carrier = (fill.cell, *(cell for cell in fill.carrier if cell != fill.cell))
                assert is_inferior(board, fill.stones, carrier, fill.cell, fill.colour)
            else:
                assert captures(board, fill.stones, fill.carrier, fill.colour)
            now[fill.cell] = fill.colour
        wanted, _ = filler(board).fill(filled, BLACK, True)
        missing += now != wanted
        found.update(fill.reason for fill in fills)
    assert found["inferior"] > repeats(5, 0)
    assert missing <= (
        3 if board.game == "y" else 0
    )  # of 60: these need another order of filling in


@pytest.mark.parametrize(
    "board", [hex_board(3), hex_board(3, 4), hex_board(4), y_board(4), y_board(5)], ids=str
)
def test_pruning_keeps_the_winner(board: Board) -> None:
    """Fill-in changes no winner; if any move wins, one that isn't inferior does."""
    rng = random.Random(2)
    referee = Referee(board)
    kinds = set()
    for _ in range(300):
        stones = some_stones(rng, board)
        filled, _ = fill_in(board, stones)
        for colour in (BLACK, WHITE):
            winner = referee.winner(stones, colour)
            assert referee.winner(filled, colour) == winner
            found = inferior_cells(board, filled, colour)
            kinds |= {inferior.kind for inferior in found}
            assert all(inferior.by for inferior in found)
            inferior = {one.cell for one in found}
            left = [c for c, stone in enumerate(filled) if not stone and c not in inferior]
            if winner == colour and not is_over(referee, filled):
                assert any(wins(referee, filled, cell, colour) for cell in left), stones.hex()
    assert kinds == {"vulnerable", "reversible", "dominated"}


def is_over(referee: Referee, stones: bytes) -> bool:
    """Return whether a colour has won, whoever owns the empty cells."""
    return any(
        referee.winner(stones.replace(b"\0", bytes([3 - colour])), 1) == colour
        for colour in (BLACK, WHITE)
    )


def wins(referee: Referee, stones: bytes, cell: int, colour: int) -> bool:
    after = stones[:cell] + bytes([colour]) + stones[cell + 1 :]
    return referee.winner(after, 3 - colour) == colour


def test_dominators_are_as_good() -> None:
    board = hex_board(4)
    rng = random.Random(3)
    referee = Referee(board)
    checked = 0
    for _ in range(repeats(200, 20)):
        filled, _ = fill_in(board, some_stones(rng, board))
        for colour in (BLACK, WHITE):
            for cell, better in dominators(board, filled, colour).items():
                for move in better:
                    assert wins(referee, filled, move, colour) or not wins(
                        referee, filled, cell, colour
                    )
                    checked += 1
    assert checked > repeats(300)


def test_a_bridge_to_a_side_is_captured() -> None:
    board = hex_board(5)
    stones = bytearray(25)
    stones[board.cell("c4")] = BLACK  # both cells of its bridge to the side
    below = (board.cell("b5"), board.cell("c5"))
    assert captures(board, stones, below, BLACK)
    assert not captures(board, stones, below, WHITE)
    assert not captures(board, stones, below[:1], BLACK)
    assert captures(board, stones, below, BLACK, entered=1) is False  # the opponent is a move ahead


def test_local_search_decides_captures() -> None:
    both_own = 1 << 0b11
    one_is_enough = both_own | 1 << 0b01 | 1 << 0b10
    assert is_captured(one_is_enough, 2)
    assert not is_captured(both_own, 2)
    assert is_captured(both_own, 2, own=0b11)
    assert not is_captured(one_is_enough, 2, opponent=0b10)  # he moves again and takes the other
    assert is_captured(one_is_enough | 1, 2, opponent=0b10)
