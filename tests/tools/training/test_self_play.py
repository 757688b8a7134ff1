import numpy as np
import pytest
from training import played

from trivalent.core.board import Colour
from trivalent.core.position import Position
from trivalent.tools.training.position_shards import FULL, LOST, OUTCOME, SHARE, UNOWNED, WON, join
from trivalent.tools.training.self_play import SelfPlay


@pytest.mark.parametrize(("game", "size"), [("hex", 5), ("y", 5)])
def test_positions_are_consistent(game: str, size: int) -> None:
    found = join(played(game, size, 30))
    board = found.board
    assert ((found.flags & FULL) > 0).any()
    assert ((found.visits > 0) <= (found.considered > 0)).all()
    assert ((found.considered > 0) <= (found.stones == 0)).all()
    for row in range(len(found)):
        position = Position(board)
        for cell, stone in enumerate(found.stones[row]):
            if stone:
                position.setup(cell, Colour(stone))
        assert position.winner is None
        for cell in found.last[row]:
            assert cell < 0 or found.stones[row][cell]
        flags = found.flags[row]
        if flags & OUTCOME and flags & WON:
            assert found.outcome[row] == 1
            assert found.value[row] == SHARE
        if flags & OUTCOME and flags & LOST:
            assert found.outcome[row] == 0
            assert found.value[row] == 0
        black = found.black[row]
        if not flags & UNOWNED:
            assert (black[found.stones[row] == 1] == 255).all()
            assert (black[found.stones[row] == 2] == 0).all()
        else:
            assert flags & (WON | LOST)


def test_games_have_numbers_of_their_own() -> None:
    groups = played("hex", 5, 10)
    assert all(len(np.unique(group.game)) == 1 for group in groups)
    assert len(np.unique(join(groups).game)) == len(groups)


def test_a_seed_repeats_the_games() -> None:
    one, other = join(played("hex", 5, 5, seed=3)), join(played("hex", 5, 5, seed=3))
    np.testing.assert_array_equal(one.visits, other.visits)


@pytest.mark.parametrize(("value", "least", "most"), [(0.5, 1.0, 1.0), (0.1, 0.05, 0.3)])
def test_uneven_starts_are_mostly_dropped(
    value: float, least: float, most: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = SelfPlay("hex", (5,), 30, None, seed=1)
    board = games.boards[0]
    monkeypatch.setattr(games, "_search", lambda *_, **__: [(0, 1, value, value, 0)])
    tree, position = games._tree(board), Position(board)
    share = sum(games._worth_playing(tree, position) for _ in range(200)) / 200
    assert least <= share <= most
