"""Drawn boards: on a lattice, in rings, and as hemispheres; and whole SVG files."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest

from trivalent.core.board import BLACK, WHITE, Board
from trivalent.core.boards.bent_y import bent_y_board
from trivalent.core.boards.renkula import renkula_board
from trivalent.core.boards.star import star_board
from trivalent.core.games import hex_board, y_board
from trivalent.core.position import Position
from trivalent.tools.pictures.board_pictures import picture
from trivalent.tools.pictures.svg_boards import svg

RINGS = [*map(bent_y_board, (2, 3, 4, 5, 7)), *map(star_board, (2, 3, 6, 10, 19))]
GLOBES = [renkula_board(n) for n in range(1, 9)]
NUMBER = r"-?[0-9]+\.[0-9]"


def points_of(path: str) -> list[tuple[float, float]]:
    """Return all points that a path names."""
    found = re.findall(rf"({NUMBER}) ({NUMBER})", path)
    assert found
    return [(float(x), float(y)) for x, y in found]


def area(points: list[tuple[float, float]]) -> float:
    return sum(x * v - u * y for (x, y), (u, v) in pairwise([*points, points[0]])) / 2


@pytest.mark.parametrize(
    "board", [hex_board(5), hex_board(3, 6), y_board(6), hex_board(1)], ids=str
)
def test_drawings_of_boards(board: Board) -> None:
    drawn = picture(board)
    assert len(drawn.centres) == len(board)
    nearest = 17.32
    for cell, ((x, y),) in enumerate(drawn.centres):
        assert 10.0 <= x <= drawn.width - 8.0
        assert 10.0 <= y <= drawn.height - 10.0
        for other, ((x2, y2),) in enumerate(drawn.centres):
            distance = ((x - x2) ** 2 + (y - y2) ** 2) ** 0.5
            if other in board.neighbours[cell]:
                assert distance == pytest.approx(nearest, abs=0.01)
            elif other != cell:
                assert distance > 1.5 * nearest
    outside = sum(6 - len(around) for around in board.neighbours)
    assert sum(path.count("M") for _, path in drawn.edges) == outside
    owners = {owner for owner, _ in drawn.edges}
    assert owners == ({"both"} if board.game == "y" else {"black", "white"})


@pytest.mark.parametrize("board", RINGS, ids=str)
def test_rings(board: Board) -> None:
    """The cells fill the board without overlapping, and each lies around its centre."""
    drawn = picture(board)
    border = {cell for side in board.sides for cell in side.cells}
    assert len(drawn.outlines) == len(drawn.centres) == len(drawn.names) == len(board)
    assert sum(path.count("M") for _, path in drawn.edges) == len(border)
    areas = []
    for cell, (((x, y),), path) in enumerate(zip(drawn.centres, drawn.outlines, strict=True)):
        assert 10.0 <= x <= drawn.width - 10.0
        assert 10.0 <= y <= drawn.height - 10.0
        points = points_of(path)
        assert len(points) == len(board.neighbours[cell]) + (2 if cell in border else 0) - (
            1 if board.aim.value == "score" and len(board.neighbours[cell]) == 7 else 0
        )
        areas.append(area(points))
        turns = [area([(x, y), p, q]) for p, q in pairwise([*points, points[0]])]
        assert all(turn * areas[-1] > 0 for turn in turns)  # the centre sees all of the outline
    assert len({one > 0 for one in areas}) == 1
    assert max(map(abs, areas)) < 4 * min(map(abs, areas))
    assert {text for *_, text in drawn.labels} <= set(board.names)
    assert len(drawn.labels) == (5 if board.aim.value == "score" else 3)


@pytest.mark.parametrize("board", GLOBES, ids=str)
def test_globes(board: Board) -> None:
    """Every polygon is drawn, those on the equator twice; the hemispheres don't overlap."""
    drawn = picture(board)
    assert {name for *_, name in drawn.names} == set(board.all_names)
    on_equator = 5 * board.width if board.width % 2 == 0 else 0
    assert len(drawn.names) == len(board.all_names) + on_equator
    for centres, path in zip(drawn.centres, drawn.outlines, strict=True):
        assert len(centres) == path.count("M") == path.count("Z")
        assert len(centres) in ((2, 4) if on_equator else (2,))
        for (x, y), polygon in zip(centres, path.split("Z"), strict=False):
            points = points_of(polygon)
            assert 5 <= len(points) <= 6
            sign = {area([(x, y), p, q]) > 0 for p, q in pairwise([*points, points[0]])}
            assert len(sign) == 1
            left = x < drawn.width / 2
            assert all((u < drawn.width / 2) == left for u, _ in points)
            assert all(0 < u < drawn.width and 0 < v < drawn.height for u, v in points)


@pytest.mark.parametrize(
    ("board", "stones"),
    [(hex_board(4), 2), (bent_y_board(3), 2), (star_board(3), 2), (renkula_board(3), 4)],
    ids=str,
)
def test_svg(board: Board, stones: int) -> None:
    position = Position(board)
    position.play(BLACK, 0)
    position.play(WHITE, 5)
    root = ET.fromstring(svg(position))  # noqa: S314  our own
    space = "{http://www.w3.org/2000/svg}"
    classes = [element.get("class", "") for element in root.iter(f"{space}circle")]
    assert len([name for name in classes if name.startswith("stone ")]) == stones
    assert classes.count("latest") == stones / 2
    assert len([p for p in root.iter(f"{space}path") if p.get("class") == "cell"]) == len(board)
    assert root.find(f"{space}title").text == str(board)  # type: ignore[union-attr]
