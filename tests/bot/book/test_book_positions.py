"""Names of positions: the same for all images, and different for all else."""

from __future__ import annotations

import itertools
import random

import pytest

from trivalent.bot.book.book_positions import Stones, book_symmetries, canonical, stones_of
from trivalent.core.board import BLACK, WHITE, Board, Colour, Symmetry
from trivalent.core.games import hex_board, make_board, y_board
from trivalent.core.position import Position


def image(stones: Stones, symmetry: Symmetry) -> Stones:
    black, white = (frozenset(symmetry.cells[i] for i in cells) for cells in stones[:2])
    if symmetry.swaps_colours:
        return Stones(white, black, stones.to_play.opponent)
    return Stones(black, white, stones.to_play)


@pytest.mark.parametrize(("game", "count"), [("hex", 4), ("y", 12), ("renkula", 48)])
def test_images_share_a_name(game: str, count: int) -> None:
    board = make_board(game, 4)
    assert game == "renkula" or len(book_symmetries(board)) == count
    chance = random.Random(1)
    for _ in range(50):
        cells = chance.sample(range(len(board)), chance.randint(0, 5))
        stones = Stones(
            frozenset(cells[::2]), frozenset(cells[1::2]), chance.choice([BLACK, WHITE])
        )
        name, symmetry = canonical(board, stones)
        assert stones_of(board, name) == image(stones, symmetry)
        for one in book_symmetries(board):
            assert canonical(board, image(stones, one))[0] == name


@pytest.mark.parametrize("board", [hex_board(3), hex_board(2, 3), y_board(3)], ids=str)
def test_only_images_share_a_name(board: Board) -> None:
    """Compare with the classes that the symmetries make of all positions of two stones."""
    classes: dict[str, set[Stones]] = {}
    for one, other in itertools.permutations(range(len(board)), 2):
        for to_play in Colour:
            stones = Stones(frozenset([one]), frozenset([other]), to_play)
            classes.setdefault(canonical(board, stones)[0], set()).add(stones)
    for members in classes.values():
        some = next(iter(members))
        images = {image(some, symmetry) for symmetry in book_symmetries(board)}
        assert members == images


@pytest.mark.parametrize("game", ["hex", "y"])
def test_a_swap_leads_to_the_same_position(game: str) -> None:
    board = make_board(game, 5)
    for cell in range(len(board)):
        position = Position(board)
        position.play(BLACK, cell)
        before = canonical(board, Stones.of(position))[0]
        position.swap_pieces()
        assert canonical(board, Stones.of(position))[0] == before


def test_moves_and_their_undoing() -> None:
    board = hex_board(3)
    stones = Stones().after(4).after(0)
    assert stones == Stones(frozenset([4]), frozenset([0]), BLACK)
    assert stones.before() == [Stones(frozenset([4]), frozenset(), WHITE)]
    assert set(stones.empty(board)) == {1, 2, 3, 5, 6, 7, 8}
    position = stones.position(board)
    assert (Stones.of(position), position.history[:1] != ()) == (stones, True)


@pytest.mark.parametrize(
    "name", ["", "b", "b a1", "x a1/", "b z9/", "w /a1", "b a1/a1 b1 c1 d1", "b c3/", "b/"]
)
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        stones_of(hex_board(3), name)
