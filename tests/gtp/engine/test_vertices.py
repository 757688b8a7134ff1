"""The notations of cells: all of them can be written and read again."""

from __future__ import annotations

import pytest

from trivalent.core.games import hex_board, make_board
from trivalent.gtp.engine.vertices import GO, PLAIN, Vertices


@pytest.mark.parametrize("vertices", [PLAIN, GO])
@pytest.mark.parametrize(("game", "size"), [("hex", 1), ("hex", 26), ("hex", 63), ("y", 63)])
def test_names_can_be_read_back(vertices: Vertices, game: str, size: int) -> None:
    board = make_board(game, size)
    names = [vertices.name(board, cell) for cell in range(len(board))]
    assert len(set(names)) == len(board)
    for cell, name in enumerate(names):
        assert vertices.cell(board, name) == vertices.cell(board, name.lower()) == cell
        x, y = board.coordinates[cell]
        assert name == vertices.column(x) + vertices.row(board, y)


def test_go_notation_skips_the_letter_i() -> None:
    board = hex_board(60, 11)
    assert GO.name(board, board.cell("a11")) == "A1"
    assert GO.name(board, board.cell("i1")) == "J11"
    assert GO.name(board, board.cell("y11")) == "Z1"
    assert GO.name(board, board.cell("z11")) == "AA1"
    for name in ("I1", "A12", "A0", "A01", "", "1", "A", "AI1", "ZZ1", "AAA1", "\u01311", "A1 "):
        with pytest.raises(ValueError, match="no cell"):
            GO.cell(board, name)
