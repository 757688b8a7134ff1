"""Games from other programs: the winner after every move.  The names of cells are theirs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from trivalent.core.board import BLACK, EMPTY, WHITE, Board, Colour
from trivalent.core.games import hex_board, y_board
from trivalent.core.position import Position

if TYPE_CHECKING:
    from pathlib import Path

from positions import check_winner


def place(name: str) -> tuple[int, int]:
    """Return column and row from 1."""
    return ord(name[0]) - 96, int(name[1:])


def named(board: Board, column: int, row: int) -> int:
    return board.cell(f"{chr(96 + column)}{row}")


def from_openspiel(board: Board, column: int, row: int) -> int:
    """Return a cell of OpenSpiel, whose Y board is ours upside down (column + row <= n + 1)."""
    return named(board, column, row if board.game == "hex" else board.height + 1 - row)


def from_hexwiki(board: Board, column: int, row: int) -> int:
    """Return a cell of HexWiki, whose Y board is OpenSpiel's turned by 180 degrees."""
    n = board.height
    assert column + row >= n + 1
    return from_openspiel(board, n + 1 - column, n + 1 - row)


def winners_by_ply(position: Position, cells: list[int]) -> list[Colour | None]:
    winners = []
    for cell in cells:
        position.play(position.to_play, cell)
        check_winner(position)
        winners.append(position.winner)
    return winners


@pytest.mark.parametrize(("name", "board"), [("hex5", hex_board(5)), ("y9", y_board(9))])
def test_openspiel_playthroughs(name: str, board: Board, data: Path) -> None:
    text = (data / f"openspiel_{name}.txt").read_text()
    _, moves, returns, _, *diagram = text.splitlines()
    cells = [from_openspiel(board, *place(move)) for move in moves.split()]
    position = Position(board)
    winner_of_game = {"returns [1, -1]": BLACK, "returns [-1, 1]": WHITE}[returns]
    assert winners_by_ply(position, cells) == [None] * (len(cells) - 1) + [winner_of_game]

    rows = [re.findall(r"[xo@O.]", line) for line in diagram]
    shown = dict.fromkeys(range(len(board)), EMPTY)
    for row, marks in enumerate([marks for marks in rows if marks], start=1):
        for column, mark in enumerate(marks, start=1):
            content = {"x": BLACK, "o": WHITE, "O": BLACK, "@": WHITE, ".": EMPTY}[mark]
            shown[from_openspiel(board, column, row)] = content
    assert bytes(shown.values()) == position.stones


def test_random_finished_y_games(data: Path) -> None:
    lines = (data / "random_finished_y_games.tsv").read_text().splitlines()
    games = [line.split("\t") for line in lines if not line.startswith("#")]
    assert len(games) == 9
    for size, moves, player, ply in games:
        board = y_board(int(size))
        cells = [from_hexwiki(board, *place(move)) for move in moves.split()]
        winner_of_game = {"P1": BLACK, "P2": WHITE}[player]
        assert len(cells) == int(ply)
        assert winners_by_ply(Position(board), cells) == [None] * (int(ply) - 1) + [winner_of_game]
