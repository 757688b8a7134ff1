"""Records: replaying them to positions, making them from positions, walking deep trees."""

from __future__ import annotations

from random import Random

import pytest

from trivalent.core.board import BLACK, WHITE, Board, Colour
from trivalent.core.games import hex_board, y_board
from trivalent.core.position import Kind, Position
from trivalent.core.records.fitting import copy
from trivalent.core.records.formats import read, write
from trivalent.core.records.record import Action, Node, Record, Turn, illegal_moves

BOARDS = [hex_board(5), hex_board(4, 6), y_board(5)]


def random_position(random: Random, board: Board) -> Position:
    position = Position(board)
    for _ in range(random.randrange(12)):
        choice = random.random()
        if position.may_swap and choice < 0.5:
            if board.swap_map and choice < 0.25:
                position.swap_pieces()
            else:
                position.swap_sides()
        elif choice > 0.9:
            position.setup(random.randrange(len(board)), random.choice((BLACK, WHITE, None)))
        elif choice > 0.85:
            position.to_play = position.to_play.opponent
        elif position.empty_cells:
            position.play(position.to_play, random.choice(position.empty_cells))
    return position


@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_record_of_a_position_leads_back_to_it(board: Board) -> None:
    random = Random(1)
    for _ in range(300):
        position = random_position(random, board)
        again = Record.of(position).position()
        assert again.stones == position.stones
        assert again.to_play is position.to_play
        assert again.players_swapped == position.players_swapped
        if all(move.kind is not Kind.SETUP for move in position.history):
            assert again.history == position.history
        through_sgf = read(write(Record.of(position), "sgf")).record.position()
        assert through_sgf.stones == position.stones
        assert through_sgf.to_play is position.to_play


def test_every_action() -> None:
    board = hex_board(5)
    record = Record(board)
    node = record.root.add(Turn(BLACK, Action.PLAY, board.cell("a2")))
    node = node.add(Turn(WHITE, Action.SWAP_PIECES))
    assert node.next_to_play() is BLACK
    node = node.add(Turn(BLACK, Action.PASS))
    node = node.add(Turn(WHITE, Action.PLAY, board.cell("c3")))
    resigned = node.add(Turn(BLACK, Action.RESIGN))
    position = record.position()
    kinds = [move.kind for move in position.history]
    assert kinds == [Kind.PLAY, Kind.SWAP_PIECES, Kind.PASS, Kind.PLAY]
    assert position.stone(board.cell("b1")) is WHITE
    assert position.to_play is BLACK
    record.cursor = node.parent
    assert record.position().stone(board.cell("c3")) is None
    assert record.position(resigned).stone(board.cell("c3")) is WHITE


def test_turn_comes_before_setup_and_side_to_move() -> None:
    record = Record(hex_board(3))
    node = record.root.add(Turn(BLACK, Action.PLAY, 4))
    node.setup = {4: WHITE, 0: BLACK}
    node.to_play = BLACK
    position = record.position()
    assert (position.stone(4), position.stone(0), position.to_play) == (WHITE, BLACK, BLACK)


def test_illegal_moves_are_named_and_carried_out() -> None:
    record = read("(;GM[11]SZ[4];B[a2];W[a2];W[swap-pieces];B[swap-sides];B[b2])").record
    assert [reason for _, reason in illegal_moves(record)] == [
        "a2 is occupied",
        "swap-pieces is possible as second move only",
        "swap-sides is possible as second move only",
    ]
    assert len(list(illegal_moves(record, within=False))) == 1
    position = record.position()
    board = position.board
    assert position.stone(board.cell("a2")) is None
    assert position.stone(board.cell("b1")) is BLACK
    assert position.stone(board.cell("b2")) is BLACK
    assert position.players_swapped


def test_swap_pieces_off_the_square_changes_nothing() -> None:
    record = Record(hex_board(3, 4))
    record.root.add(Turn(BLACK, Action.PLAY, 0)).add(Turn(WHITE, Action.SWAP_PIECES))
    [(_, reason)] = illegal_moves(record)
    assert reason == "swap-pieces needs a square board, not 3x4 Hex"
    assert record.position().stone(0) is BLACK


def test_nobody_swaps_a_stone_of_their_own() -> None:
    record = Record(hex_board(3))
    record.root.add(Turn(BLACK, Action.PLAY, 0)).add(Turn(BLACK, Action.SWAP_SIDES))
    [(_, reason)] = illegal_moves(record)
    assert reason == "nobody swaps a stone of their own"


def deep(length: int) -> Record:
    record = Record(hex_board(19))
    node = record.root
    for number in range(length):
        node = node.add(Turn(Colour(1 + number % 2), Action.PLAY, number % 361))
    return record


def test_deep_trees() -> None:
    length = 20_000
    record = deep(length)
    assert sum(1 for _ in record.root.walk()) == length + 1
    assert len(record.root.end().line()) == length + 1
    twin = copy(record)
    assert twin.root is not record.root
    assert len(list(illegal_moves(record))) == length - 361
    assert record.position().last_move is not None
    text = write(record, "sgf")
    again = read(text)
    assert write(again.record, "sgf") == text
    assert len(again.warnings) == length - 361
    del record, twin, again


def test_lines_of_nodes_that_say_nothing() -> None:
    """No function may walk back along the line at every node."""
    record = Record(hex_board(3))
    node = record.root
    for _ in range(50_000):
        node = node.add()
    node.add(Turn(BLACK, Action.PLAY, 0))
    assert write(record, "hexworld").endswith("#3,a1\n")
    assert Node().next_to_play() is BLACK
