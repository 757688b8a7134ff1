"""Positions: the winner after every move, undo, setup, swaps, hash and copies."""

from __future__ import annotations

from functools import partial
from random import Random

import pytest
from positions import check_winner, state, unchanged_by

from trivalent.core.board import BLACK, EMPTY, WHITE, Board, Colour
from trivalent.core.games import hex_board, make_board, y_board
from trivalent.core.position import IllegalMove, Kind, Move, Position

LARGE = (
    ("hex", 63, 63), ("y", 63, 63), ("hex", 33, 33), ("y", 33, 33), ("hex", 31, 32),
    ("hex", 19, 19), ("hex", 16, 15), ("y", 17, 17), ("hex", 63, 4), ("hex", 3, 40),
)  # fmt: skip


def some_shape(random: Random) -> tuple[str, int, int]:
    if random.random() < 0.4:
        size = random.randint(1, 10)
        return "y", size, size
    width = random.randint(1, 9)
    return "hex", width, width if random.random() < 0.5 else random.randint(1, 9)


def play_to_the_end(position: Position, random: Random) -> None:
    """Fill the board in random order, mostly in turn, and sometimes undo a few moves."""
    states = [state(position)]
    while cells := position.empty_cells:
        if len(states) > 1 and random.random() < 0.05:
            for _ in range(random.randint(1, min(3, len(states) - 1))):
                undone = position.undo()
                assert undone == states.pop().history[-1]
                assert state(position) == states[-1]
                check_winner(position)
        else:
            colour = position.to_play if random.random() < 0.8 else random.choice(list(Colour))
            cell = random.choice(cells)
            position.play(colour, cell)
            assert position.last_move == Move(Kind.PLAY, colour, cell)
            assert position.to_play is colour.opponent
            check_winner(position)
            states.append(state(position))
    assert position.winner
    while len(states) > 1:
        position.undo()
        states.pop()
        assert state(position) == states[-1]
    assert state(position) == state(Position(position.board))


@pytest.mark.parametrize("series", range(len(LARGE)))
def test_random_games(series: int) -> None:
    """1,000 games in all, one of each series on a large board."""
    random = Random(series)
    for shape in (LARGE[series], *(some_shape(random) for _ in range(99))):
        play_to_the_end(Position(make_board(*shape)), random)


def test_start() -> None:
    position = Position(hex_board(3))
    assert position.stones == bytes(9)
    assert position.to_play is BLACK
    assert position.winner is None
    assert not position.players_swapped
    assert not position.may_swap
    assert position.history == ()
    assert position.last_move is None
    assert position.empty_cells == position.legal_moves == list(range(9))
    assert position.stone(4) is None


@pytest.mark.parametrize("board", [hex_board(1), y_board(1)], ids=str)
@pytest.mark.parametrize("colour", Colour)
def test_one_cell(board: Board, colour: Colour) -> None:
    position = Position(board)
    position.play(colour, 0)
    assert position.winner is colour
    position.undo()
    assert position.winner is None


def test_legal_moves_end_with_the_game() -> None:
    board = hex_board(2)
    position = Position(board)
    for name in ("a1", "b1"):
        position.play(position.to_play, board.cell(name))
    assert position.legal_moves == position.empty_cells == [board.cell("a2"), board.cell("b2")]
    position.play(BLACK, board.cell("a2"))
    assert position.winner is BLACK
    assert position.legal_moves == []
    assert position.empty_cells == [board.cell("b2")]
    position.play(WHITE, board.cell("b2"))
    assert position.winner is BLACK


def test_play_in_any_order_and_colour() -> None:
    position = Position(y_board(3))
    for colour, cell in ((WHITE, 3), (WHITE, 5), (BLACK, 0), (WHITE, 4)):
        position.play(colour, cell)
        assert position.stone(cell) is colour
        assert position.to_play is colour.opponent
    assert position.stones == bytes([1, 0, 0, 2, 2, 2])
    assert position.winner is WHITE
    assert [move.colour for move in position.history] == [WHITE, WHITE, BLACK, WHITE]
    assert position.last_move == Move(Kind.PLAY, WHITE, 4)


@pytest.mark.parametrize("before", [None, *Colour])
@pytest.mark.parametrize("after", [None, *Colour])
def test_setup_changes_a_cell_to_anything(before: Colour | None, after: Colour | None) -> None:
    board = hex_board(4)
    position = Position(board)
    position.play(BLACK, 9)
    position.setup(5, before)
    old = state(position)
    position.setup(5, after)
    assert position.stone(5) is after
    assert position.to_play is WHITE
    assert position.last_move == Move(Kind.SETUP, after, 5)
    assert (position.hash == old.hash) == (before is after)
    assert position.undo() == Move(Kind.SETUP, after, 5)
    assert state(position) == old


def test_setup_can_decide_a_game_and_reopen_it() -> None:
    position = Position(hex_board(3))
    for cell in (1, 4, 7):
        assert position.winner is None
        position.setup(cell, BLACK)
    assert position.winner is BLACK
    position.setup(4, None)
    assert position.winner is None
    position.setup(4, WHITE)
    position.setup(3, WHITE)
    position.setup(5, WHITE)
    assert position.winner is WHITE
    for expected in (None, None, None, BLACK):
        position.undo()
        assert position.winner is expected


def test_setup_does_not_depend_on_the_order() -> None:
    random = Random(11)
    board = hex_board(7, 6)
    contents = [random.choice([None, *Colour]) for _ in range(len(board))]
    states = set()
    for _ in range(5):
        position = Position(board)
        for cell in random.sample(range(len(board)), len(board)):
            position.setup(cell, random.choice([None, *Colour]))
        for cell in random.sample(range(len(board)), len(board)):
            position.setup(cell, contents[cell])
        states.add(state(position)._replace(history=()))
    assert len(states) == 1


def played(board: Board, *names: str) -> Position:
    position = Position(board)
    for name in names:
        position.play(position.to_play, board.cell(name))
    return position


def contents(position: Position) -> dict[str, Colour]:
    names = position.board.names
    return {names[cell]: Colour(c) for cell, c in enumerate(position.stones) if c != EMPTY}


def test_swap_pieces_in_hex() -> None:
    position = played(hex_board(5), "a2")
    before = state(position)
    assert position.may_swap
    position.swap_pieces()
    assert contents(position) == {"b1": WHITE}
    assert position.to_play is BLACK
    assert not position.players_swapped
    assert position.history == (Move(Kind.PLAY, BLACK, 5), Move(Kind.SWAP_PIECES, WHITE, None))
    assert position.undo() == Move(Kind.SWAP_PIECES, WHITE, None)
    assert state(position) == before


def test_swap_pieces_on_the_long_diagonal() -> None:
    position = played(hex_board(5), "c3")
    before = state(position)
    position.swap_pieces()
    assert contents(position) == {"c3": WHITE}
    assert position.to_play is BLACK
    position.undo()
    assert state(position) == before


def test_swap_pieces_in_y_keeps_the_cell() -> None:
    position = played(y_board(5), "b4")
    before = state(position)
    position.swap_pieces()
    assert contents(position) == {"b4": WHITE}
    assert position.to_play is BLACK
    assert not position.players_swapped
    position.undo()
    assert state(position) == before


@pytest.mark.parametrize("board", [hex_board(1), y_board(1)], ids=str)
def test_swap_pieces_of_a_decided_game(board: Board) -> None:
    position = played(board, "a1")
    position.swap_pieces()
    assert position.winner is WHITE
    position.undo()
    assert position.winner is BLACK


def test_swap_pieces_after_a_white_first_stone() -> None:
    board = hex_board(4)
    position = Position(board)
    position.play(WHITE, board.cell("d1"))
    position.swap_pieces()
    assert contents(position) == {"a4": BLACK}
    assert position.to_play is WHITE
    assert position.last_move == Move(Kind.SWAP_PIECES, BLACK, None)


@pytest.mark.parametrize("board", [hex_board(5), hex_board(5, 3), y_board(5)], ids=str)
def test_swap_sides(board: Board) -> None:
    position = played(board, "a2")
    before = state(position)
    position.swap_sides()
    assert contents(position) == {"a2": BLACK}
    assert position.players_swapped
    assert position.to_play is WHITE
    assert position.hash == before.hash
    assert position.last_move == Move(Kind.SWAP_SIDES, WHITE, None)
    position.play(WHITE, board.cell("a1"))
    assert position.players_swapped
    position.undo()
    assert position.undo() == Move(Kind.SWAP_SIDES, WHITE, None)
    assert state(position) == before


def no_swap(position: Position) -> None:
    assert not position.may_swap
    unchanged_by(position, position.swap_pieces, "^swap-pieces is possible as second move only$")
    unchanged_by(position, position.swap_sides, "^swap-sides is possible as second move only$")


@pytest.mark.parametrize("board", [hex_board(4), y_board(4)], ids=str)
def test_swaps_are_second_moves_only(board: Board) -> None:
    position = Position(board)
    no_swap(position)
    position.play(BLACK, 0)
    position.play(WHITE, 1)
    no_swap(position)
    position.undo()
    assert position.may_swap
    position.swap_pieces()
    no_swap(position)
    position.undo()
    assert position.may_swap
    position.swap_sides()
    no_swap(position)
    position.undo()
    position.undo()
    no_swap(position)
    position.setup(0, BLACK)
    no_swap(position)
    position.play(BLACK, 1)
    no_swap(position)


@pytest.mark.parametrize("size", [(3, 4), (4, 3), (1, 2)])
def test_swap_pieces_needs_a_square(size: tuple[int, int]) -> None:
    position = played(hex_board(*size), "a1")
    assert position.may_swap
    reason = f"^swap-pieces needs a square board, not {position.board}$"
    unchanged_by(position, position.swap_pieces, reason)
    position.swap_sides()
    assert position.players_swapped


def test_occupied_cells() -> None:
    position = played(hex_board(5), "c3", "b2")
    for colour in Colour:
        for name in ("c3", "b2"):
            cell = position.board.cell(name)
            unchanged_by(position, partial(position.play, colour, cell), f"^{name} is occupied$")


@pytest.mark.parametrize("cell", [-1, -25, 25, 10**30])
def test_cells_off_the_board(cell: int) -> None:
    position = played(hex_board(5), "c3")
    reason = f"^no cell number {cell} on 5x5 Hex$"
    unchanged_by(position, partial(position.play, WHITE, cell), reason)
    unchanged_by(position, partial(position.setup, cell, WHITE), reason)
    unchanged_by(position, partial(position.setup, cell, None), reason)


def test_nothing_to_undo() -> None:
    position = Position(hex_board(5))
    unchanged_by(position, position.undo, "^there is no move to undo$")
    position.play(BLACK, 3)
    position.undo()
    unchanged_by(position, position.undo, "^there is no move to undo$")


def test_undo_restores_the_side_to_move_that_was_set() -> None:
    position = played(y_board(4), "a1")
    position.to_play = BLACK
    position.play(BLACK, 5)
    assert position.to_play is WHITE
    position.undo()
    assert position.to_play is BLACK


def test_hash_of_transposed_games() -> None:
    board = hex_board(6)
    one = played(board, "a1", "f6", "c3", "d4")
    other = played(board, "c3", "d4", "a1", "f6")
    assert one.hash == other.hash
    assert one.hash != played(board, "f6", "a1", "c3", "d4").hash
    by_setup = Position(board)
    for name, colour in contents(one).items():
        by_setup.setup(board.cell(name), colour)
    assert by_setup.hash == one.hash


def test_hash_of_random_transpositions() -> None:
    random = Random(3)
    for board in (hex_board(5), hex_board(3, 8), y_board(6)):
        for _ in range(50):
            cells = random.sample(range(len(board)), 12)
            hashes = set()
            for _ in range(3):
                black, white = random.sample(cells[:6], 6), random.sample(cells[6:], 6)
                position = Position(board)
                for one, other in zip(black, white, strict=True):
                    position.play(BLACK, one)
                    position.play(WHITE, other)
                hashes.add(position.hash)
            assert len(hashes) == 1


def test_hash_of_the_side_to_move() -> None:
    for position in (Position(hex_board(5)), played(y_board(5), "b2", "b3")):
        black = position.hash
        position.to_play = WHITE
        assert position.hash != black
        position.to_play = BLACK
        assert position.hash == black


def test_hash_depends_on_every_stone_and_the_side_to_move() -> None:
    """All 3^9 fillings of the board, with either side to move, have different hashes."""
    position = Position(hex_board(3))
    hashes = set()

    def fill(cell: int) -> None:
        if cell == 9:
            for position.to_play in Colour:
                hashes.add(position.hash)
            return
        for content in (None, *Colour):
            position.setup(cell, content)
            fill(cell + 1)
            position.undo()

    fill(0)
    assert len(hashes) == 2 * 3**9
    assert all(0 <= value < 2**64 for value in hashes)
    assert max(hashes) >= 2**63


BOARDS_FOR_HASHES = [
    *(hex_board(w, h) for w in range(1, 7) for h in range(1, 7)),
    *(y_board(n) for n in range(1, 9)),
]


@pytest.mark.parametrize("to_play", Colour)
def test_hash_of_empty_boards(to_play: Colour) -> None:
    hashes = set()
    for board in BOARDS_FOR_HASHES:
        position = Position(board)
        position.to_play = to_play
        hashes.add(position.hash)
    assert len(hashes) == len(BOARDS_FOR_HASHES)


def test_hash_of_the_same_stone_on_different_boards() -> None:
    hashes = {played(board, "a1").hash for board in BOARDS_FOR_HASHES}
    assert len(hashes) == len(BOARDS_FOR_HASHES)


def test_hash_outlives_the_caches() -> None:
    first = played(hex_board(5), "a2", "d4").hash
    for n in range(6, 40):
        Position(hex_board(n))
    assert played(hex_board(5), "a2", "d4").hash == first


def test_copies_are_independent() -> None:
    random = Random(5)
    for board in (hex_board(5), hex_board(4, 7), y_board(6), hex_board(20), hex_board(35)):
        position = played(board, "a1", "a3", "a2")
        position.undo()
        original = state(position)
        copies = [position.copy() for _ in range(3)]
        assert all(state(copy) == original for copy in copies)
        for _ in range(3):
            copies[0].play(random.choice(list(Colour)), random.choice(copies[0].empty_cells))
        assert state(copies[1]) == state(position) == original
        changed = state(copies[0])
        position.setup(0, WHITE)
        position.setup(1, BLACK)
        assert state(copies[0]) == changed
        assert state(copies[1]) == original
        while copies[2].history:
            copies[2].undo()
        assert state(copies[2]) == state(Position(board))
        assert state(copies[1]) == original


def test_a_copy_remembers_swapped_players() -> None:
    position = played(hex_board(5), "c3")
    position.swap_sides()
    copy = position.copy()
    assert copy.players_swapped
    copy.undo()
    assert not copy.players_swapped
    assert position.players_swapped
    assert copy.may_swap


def test_no_stones_off_the_board() -> None:
    position = Position(hex_board(3))
    for cell in (-1, 9):
        with pytest.raises(IllegalMove, match=f"^no cell number {cell} on 3x3 Hex$"):
            position.stone(cell)


def test_no_colour_changes_nothing() -> None:
    position = Position(hex_board(3))
    for colour in (0, 3):
        with pytest.raises(ValueError, match="is not a valid Colour"):
            position.play(colour, 0)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="is not a valid Colour"):
            position.setup(0, colour)  # type: ignore[arg-type]
    assert position.history == ()
    assert position.stones == bytes(9)
    position.play(1, 0)  # type: ignore[arg-type]
    assert position.last_move == (Kind.PLAY, BLACK, 0)
    assert position.to_play is WHITE


def test_a_pass_is_a_move() -> None:
    position = Position(hex_board(3))
    position.play(BLACK, 0)
    position.pass_turn(WHITE)
    assert position.to_play is BLACK
    assert position.last_move == Move(Kind.PASS, WHITE, None)
    assert not position.may_swap
    with pytest.raises(IllegalMove):
        position.swap_sides()
    assert position.undo().kind is Kind.PASS
    assert position.to_play is WHITE
    assert position.may_swap
    with pytest.raises(ValueError, match="3"):
        position.pass_turn(Colour(3))
