"""Fill-in by patterns keeps the winner and leaves nothing that a pattern covers."""

from __future__ import annotations

import random
from functools import cache, lru_cache
from typing import TYPE_CHECKING

import numpy as np
import pytest
from places import ROOT
from slowness import repeats

from trivalent.bot.knowledge._fillin import filler
from trivalent.bot.knowledge.captures import captures as is_captured
from trivalent.bot.knowledge.captures import is_inferior
from trivalent.bot.knowledge.inferior_cells import connected_sets, dominators
from trivalent.core.board import BLACK, WHITE, Board, Colour
from trivalent.core.connection.win_test import winners
from trivalent.core.games import hex_board, y_board
from trivalent.tools.workshop.derive_fillin import (
    OPPONENT,
    OWN,
    SYMMETRIES,
    UNKNOWN,
    Carrier,
    carriers,
    header,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray


@lru_cache(maxsize=4)
def solved(board: Board) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return whether Black wins, with Black and with White to move.

    The tables have an axis per cell, whose index is 0 for empty, 1 for Black, 2 for White.
    """
    n = len(board)
    to_move = [np.zeros((3,) * n, dtype=bool) for _ in (BLACK, WHITE)]
    full = np.stack(np.unravel_index(np.arange(2**n), (2,) * n), axis=1).astype(np.uint8) + 1
    won = np.frombuffer(winners(board, full.tobytes()), dtype=np.uint8) == BLACK
    for table in to_move:
        table[(slice(1, 3),) * n] = won.reshape((2,) * n)
    empties = (np.indices((3,) * n, dtype=np.uint8) == 0).sum(axis=0)
    for count in range(1, n + 1):
        layer = empties == count
        best, worst = np.zeros_like(layer), np.ones_like(layer)
        for cell in range(n):
            empty, black, white = ((slice(None),) * cell + (state,) for state in range(3))
            best[empty] |= to_move[1][black]
            worst[empty] &= to_move[0][white]
        to_move[0][layer] = best[layer]
        to_move[1][layer] = worst[layer]
    return to_move[0], to_move[1]


def black_wins(board: Board, stones: bytes, to_play: int) -> bool:
    return bool(solved(board)[to_play - 1][tuple(stones)])


SMALL = [hex_board(3), hex_board(3, 2), hex_board(2, 4), y_board(3), y_board(4)]


def check(board: Board, stones: bytes, to_play: int) -> None:
    """Check that fill-in keeps the winner, and that some winning move isn't inferior."""
    filled, inferior = filler(board).fill(stones, to_play)
    won = black_wins(board, stones, to_play)
    assert all(
        after in (before, 0) or not before for before, after in zip(stones, filled, strict=True)
    )
    assert [s for s in stones if s] == [f for s, f in zip(stones, filled, strict=True) if s]
    assert black_wins(board, filled, to_play) == won
    assert black_wins(board, filler(board).fill(stones, to_play, True)[0], to_play) == won
    mover = BLACK if to_play == 1 else WHITE
    assert all(filled[cell] == 0 for cell in inferior)
    if winners(board, filled) == b"\0" and won == (mover is BLACK):  # then some other move wins
        others = [
            cell
            for cell, stone in enumerate(filled)
            if not stone and filler(board).reverse(filled, to_play, cell) is None
        ]
        assert not set(others) & set(inferior)
        assert any(
            black_wins(board, filled[:c] + bytes([to_play]) + filled[c + 1 :], 3 - to_play) == won
            for c in others
        )


@pytest.mark.parametrize("board", SMALL, ids=str)
def test_every_position_keeps_its_winner(board: Board) -> None:
    for index in range(3 ** len(board)):
        stones = bytes(index // 3**cell % 3 for cell in range(len(board)))
        for to_play in (1, 2):
            check(board, stones, to_play)


@pytest.mark.parametrize("board", [hex_board(3, 4), hex_board(4, 3), hex_board(2, 6)], ids=str)
def test_random_positions_keep_their_winner(board: Board) -> None:
    rng = random.Random(1)
    for _ in range(repeats(20_000)):
        stones = bytes(rng.choices((0, 1, 2), (rng.random() + 0.2, 0.5, 0.5), k=len(board)))
        check(board, stones, rng.choice((1, 2)))


@cache
def wins(board: Board, stones: bytes, to_play: int) -> bool:
    """Return whether Black wins, by trying everything."""
    if winner := winners(board, stones)[0]:
        return winner == BLACK
    return (to_play == WHITE) != any(
        wins(board, stones[:cell] + bytes([to_play]) + stones[cell + 1 :], 3 - to_play)
        == (to_play == BLACK)
        for cell, stone in enumerate(stones)
        if not stone
    )


@pytest.mark.parametrize("board", [hex_board(4), hex_board(6, 3), y_board(5), y_board(6)], ids=str)
def test_late_positions_keep_their_winner(board: Board) -> None:
    rng = random.Random(4)
    for _ in range(repeats(1000)):
        empty = rng.sample(range(len(board)), 8)
        stones = bytearray(rng.choices((1, 2), k=len(board)))
        for cell in empty:
            stones[cell] = 0
        filled, _ = filler(board).fill(stones, 1)
        more, _ = filler(board).fill(stones, 1, True)
        for to_play in (1, 2):
            assert wins(board, filled, to_play) == wins(board, bytes(stones), to_play)
            assert wins(board, more, to_play) == wins(board, bytes(stones), to_play)
    wins.cache_clear()


def test_patterns_are_reproducible() -> None:
    text = (ROOT / "bot" / "knowledge" / "_fillin_patterns.inc.h").read_text()
    assert header() == text


def neighbourhood(board: Board) -> dict[tuple[int, int], int]:
    """Number the cells by row and column so that steps are those of the patterns."""
    if board.game == "hex":
        return {(y, x): cell for cell, (x, y) in enumerate(board.coordinates)}
    return {(y, x - y): cell for cell, (x, y) in enumerate(board.coordinates)}


@lru_cache(maxsize=8)
def captures(size: int) -> list[tuple[Carrier, NDArray[np.bool_]]]:
    found = [Carrier(shape) for shape in carriers(size)]
    return [(carrier, carrier.captures()) for carrier in found]


def some_capture(board: Board, stones: bytes, size: int) -> tuple[int, ...] | None:
    """Return a captured carrier that is still empty, found by local search, or None."""
    place = neighbourhood(board)

    def holder(row: int, column: int, player: int) -> int:
        if (row, column) in place:
            stone = stones[place[row, column]]
        elif board.game == "y":
            stone = 0
        else:
            stone = 1 if row in (-1, board.height) and 0 <= column < board.width else 2
        return UNKNOWN if stone == 0 else OWN if stone == player else OPPONENT

    for carrier, captured in captures(size):
        for image in SYMMETRIES:
            for row, column in place:
                at = [(row + r, column + c) for r, c in map(image, carrier.cells)]
                if any(cell not in place or stones[place[cell]] for cell in at):
                    continue
                ring = [(row + r, column + c) for r, c in map(image, carrier.ring)]
                for player in (1, 2):
                    if captured[tuple(holder(*cell, player) for cell in ring)]:
                        return tuple(place[cell] for cell in at)
    return None


@pytest.mark.parametrize("board", [hex_board(6), hex_board(9, 5), y_board(7)], ids=str)
def test_nothing_captured_is_left(board: Board) -> None:
    """Local search finds nothing after fill-in, though it did before."""
    rng = random.Random(2)
    found = 0
    for _ in range(60):
        share = rng.uniform(0.1, 0.45)
        stones = bytes(rng.choices((0, 1, 2), (1 - 2 * share, share, share), k=len(board)))
        filled, _ = filler(board).fill(stones, 1)
        for size in (1, 2, 3):
            found += some_capture(board, stones, size) is not None
            assert some_capture(board, filled, size) is None
    assert found > 30


def rhombs(board: Board, stones: bytes, cell: int) -> list[tuple[int, ...]]:
    """Return the empty rhombs in which a cell is next to all others."""
    near = [other for other in board.neighbours[cell] if not stones[other]]
    found = []
    for between in near:
        beside = [other for other in near if other in board.neighbours[between]]
        if len(beside) == 2:
            found.append((cell, between, *beside))
    return found


@pytest.mark.parametrize("board", [hex_board(7), hex_board(9, 5), y_board(8)], ids=str)
def test_permanently_inferior_cells_agree_with_their_definition(board: Board) -> None:
    """Fill-in starts only from such cells; it misses none in Hex, and few, in corners, in Y."""
    rng = random.Random(6)
    found = missing = 0
    places = [some for cell in range(len(board)) for some in rhombs(board, bytes(len(board)), cell)]
    for _ in range(repeats(150, 75)):
        stones = bytearray(rng.choices((0, 1, 2), (0.3, 0.4, 0.3), k=len(board)))
        rhombus = rng.choice(places)
        for cell in board.neighbours[rhombus[0]]:
            stones[cell] = BLACK
        for cell in rhombus:
            stones[cell] = 0
        before, _ = filler(board).fill(stones, 1)
        after, _ = filler(board).fill(stones, 1, True)
        first = {
            (cell, colour)
            for cell, stone in enumerate(before)
            for colour in (BLACK, WHITE)
            if not stone
            and any(
                is_inferior(board, before, rhombus, cell, colour)
                for rhombus in rhombs(board, before, cell)
            )
        }
        given = {cell for cell, _ in first}
        assert given or before == after
        found += len(given)
        missing += sum(not after[cell] for cell in given)
    assert found > repeats(4, 0)
    assert missing <= (0.1 * found if board.game == "y" else 0)


def test_a_permanently_inferior_cell() -> None:
    """Next to two black stones on the edge, c1 may be Black's until somebody plays beside it."""
    board = hex_board(9)
    stones = bytearray(81)
    for name in ("d1", "d2"):
        stones[board.cell(name)] = BLACK
    filled, _ = filler(board).fill(stones, WHITE, True)
    assert filled[board.cell("c1")] == BLACK
    assert not filler(board).fill(stones, WHITE)[0][board.cell("c1")]
    stones[board.cell("c2")] = WHITE
    assert not filler(board).fill(stones, BLACK, True)[0][board.cell("c1")]


@pytest.mark.parametrize("board", [hex_board(13), hex_board(20, 5), hex_board(40), y_board(30)])
def test_images_are_filled_alike(board: Board) -> None:
    """Whatever vectors the rows are worked on in: a turned board is filled as the board is."""
    rng = random.Random(3)
    for share in (0.1, 0.3, 0.45):
        stones = bytes(rng.choices((0, 1, 2), (1 - 2 * share, share, share), k=len(board)))
        filled, inferior = filler(board).fill(stones, 2)
        assert filled.count(0) < stones.count(0)
        for symmetry in board.symmetries:
            if symmetry.swaps_colours:
                continue
            image, wanted = bytearray(len(board)), bytearray(len(board))
            for cell, to in enumerate(symmetry.cells):
                image[to], wanted[to] = stones[cell], filled[cell]
            again, cells = filler(board).fill(image, 2)
            assert [a == 0 for a in again] == [w == 0 for w in wanted]
            assert sorted(cells) == sorted(symmetry.cells[cell] for cell in inferior)


@pytest.mark.parametrize("board", [hex_board(5), hex_board(9), y_board(5), y_board(9)], ids=str)
def test_filling_in_again_changes_nothing(board: Board) -> None:
    """The solver relies on it: it notes what a move gives each side before it expands the move."""
    rng = random.Random(5)
    for _ in range(500):
        share = rng.uniform(0.05, 0.45)
        stones = bytes(rng.choices((0, 1, 2), (1 - 2 * share, share, share), k=len(board)))
        for to_play in (1, 2):
            filled, inferior = filler(board).fill(stones, to_play)
            assert filler(board).fill(filled, to_play) == (filled, inferior)


@pytest.mark.parametrize(
    "board", [hex_board(7), hex_board(5, 8), y_board(7), hex_board(20)], ids=str
)
def test_a_reply_makes_reversible_moves_dead(board: Board) -> None:
    """Once the opponent has all cells that he needs, it doesn't matter whose stone is there."""
    rng = random.Random(5)
    fill = filler(board)
    found = all_of_them = 0
    for _ in range(40):
        share = rng.uniform(0.1, 0.3)
        stones = rng.choices((0, 1, 2), (1 - 2 * share, share, share), k=len(board))
        to_play = rng.choice((BLACK, WHITE))
        filled, inferior = fill.fill(bytes(stones), to_play)
        needs = {c: fill.reverse(filled, to_play, c) for c, stone in enumerate(filled) if not stone}
        reversible = {cell for cell, cells in needs.items() if cells}
        quickly = fill.reversible(filled, to_play)
        assert reversible >= {*inferior, *quickly}
        found += len({*inferior, *quickly})
        all_of_them += len(reversible)
        for cell in reversible:
            after = bytearray(filled)
            for other in needs[cell] or ():
                assert not after[other]
                assert other != cell
                after[other] = to_play.opponent
            rest = [other for other, stone in enumerate(after) if not stone and other != cell]
            for _ in range(20):
                for other in rest:
                    after[other] = rng.choice((1, 2))
                after[cell] = 1
                winner = winners(board, bytes(after))
                after[cell] = 2
                assert winners(board, bytes(after)) == winner
    assert 0.9 * all_of_them < found <= all_of_them


def is_reversible(board: Board, filled: bytes, to_play: Colour, cell: int) -> bool:
    """Return whether a reply nearby makes a stone on a cell dead, by definition."""
    opponent = to_play.opponent
    near = {other for middle in board.neighbours[cell] for other in board.neighbours[middle]}
    for reply in near - {cell}:
        if filled[reply]:
            continue
        after = bytearray(filled)
        after[cell], after[reply] = to_play, opponent
        gained = {reply}
        while gained:
            for other in gained:
                after[other] = opponent
            without = bytes(after[:cell]) + b"\0" + bytes(after[cell + 1 :])
            if all(is_captured(board, without, (cell,), colour) for colour in (BLACK, WHITE)):
                return True
            empties = {other for other, stone in enumerate(after) if not stone}
            gained = {
                other
                for size in (1, 2, 3, 4)
                for carrier in connected_sets(board, empties, size)
                if is_captured(board, bytes(after), carrier, opponent)
                for other in carrier
            }
    return False


@pytest.mark.parametrize(
    ("board", "positions"), [(hex_board(4), 8), (hex_board(3, 5), 10), (y_board(5), 20)], ids=str
)
def test_reversible_moves_agree_with_their_definition(board: Board, positions: int) -> None:
    """Nothing else is found; none is missed in Hex, and few, in corners, in Y."""
    rng = random.Random(3)
    found = missing = 0
    for _ in range(repeats(positions, 4)):
        share = rng.uniform(0.1, 0.3)
        stones = rng.choices((0, 1, 2), (1 - 2 * share, share, share), k=len(board))
        to_play = rng.choice((BLACK, WHITE))
        filled, _ = filler(board).fill(bytes(stones), to_play)
        for cell in [c for c, stone in enumerate(filled) if not stone]:
            fast = filler(board).reverse(filled, to_play, cell) is not None
            plain = is_reversible(board, filled, to_play, cell)
            assert plain or not fast
            found += fast
            missing += plain and not fast
    assert found
    assert missing <= (0.1 * found if board.game == "y" else 0)


@pytest.mark.parametrize(
    "board", [hex_board(6), hex_board(5, 8), y_board(7), hex_board(16, 4)], ids=str
)
def test_most_dominated_moves_are_found(board: Board) -> None:
    """Each is also dominated by the slow definition, and better moves lead to one that is kept."""
    rng = random.Random(7)
    fill = filler(board)
    found = all_of_them = 0
    for _ in range(25):
        share = rng.uniform(0, 0.3)
        stones = rng.choices((0, 1, 2), (1 - 2 * share, share, share), k=len(board))
        to_play = rng.choice((BLACK, WHITE))
        filled, without = fill.fill(bytes(stones), to_play)
        dropped = fill.dominated(filled, to_play, without)
        better = dominators(board, filled, to_play, without)
        found += len(dropped)
        all_of_them += len(better)
        for cell in dropped:
            after = {cell}
            while after <= set(dropped):  # better ones lead to one that is kept
                more = after | {move for one in after for move in better[one]}
                assert more > after
                after = more
    assert 0.6 * all_of_them < found <= all_of_them


def test_cells_of_a_side_are_dominated_on_the_empty_board() -> None:
    board = hex_board(11)
    sides = {cell for cell, (_, row) in enumerate(board.coordinates) if row in (0, 10)}
    assert set(filler(board).dominated(bytes(121), BLACK)) == sides


def test_a_reply_may_need_what_it_captures() -> None:
    """After b1, White's reply next to it captures the rest of the corner, so that b1 is dead."""
    board = hex_board(5)
    needs = filler(board).reverse(bytes(25), 1, board.cell("b1")) or ()
    assert {board.names[cell] for cell in needs} == {"a1", "a2", "b2", "a3"}
    corners = [board.cell("a1"), board.cell("e5")]  # no capture needed there
    assert filler(board).fill(bytes(25), 1) == (bytes(25), corners)
    reversible = {board.names[cell] for cell in filler(board).reversible(bytes(25), 1)}
    assert reversible == {"a1", "b1", "d5", "e5"}


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="3 stones for a board of 9 cells"):
        filler(hex_board(3)).fill(bytes(3), 1)
    with pytest.raises(ValueError, match="0 to play"):
        filler(hex_board(3)).fill(bytes(9), 0)
    with pytest.raises(ValueError, match="8 stones for a board of 9 cells"):
        filler(hex_board(3)).reversible(bytes(8), 1)
    with pytest.raises(ValueError, match="8 stones for a board of 9 cells"):
        filler(hex_board(3)).dominated(bytes(8), 1)
    for stones, cell in ((bytes(9), -1), (bytes(9), 9), (bytes([1] * 9), 4)):
        with pytest.raises(ValueError, match=f"cell {cell} is not an empty cell of the 9"):
            filler(hex_board(3)).reverse(stones, 1, cell)
