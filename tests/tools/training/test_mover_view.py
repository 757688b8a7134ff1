import numpy as np
import pytest
from training import played

from trivalent.bot.evaluation.network_file import PLANES, Architecture
from trivalent.bot.evaluation.network_reference import draw_planes
from trivalent.core.games import make_board
from trivalent.tools.training.learner import calibration_samples
from trivalent.tools.training.mover_view import (
    OUTCOME_WEIGHT,
    Planes,
    draw_batch,
    examples,
    places,
    symmetries,
    value_slope,
)
from trivalent.tools.training.position_shards import OUTCOME, SHARE, Positions, join

BOARDS = [("hex", 5), ("y", 5)]


def architecture(game: str, *planes: str) -> Architecture:
    return Architecture(game=game, planes=planes or tuple(PLANES), channels=16, blocks=())


def positions(game: str, size: int) -> Positions:
    found = join(played(game, size, 12))
    assert {1, 2} == {*found.to_play.tolist()}
    return found


@pytest.mark.parametrize(("game", "size"), BOARDS)
def test_planes_are_those_of_the_reference(game: str, size: int) -> None:
    found, shape = positions(game, size), architecture(game)
    planes = Planes(shape, found.board)
    batch = draw_batch(examples(found, PLANES), planes, np.arange(len(found)), None)
    order = np.random.default_rng(1).permutation(len(found))
    for row, sample in zip(order, calibration_samples(found, seed=1), strict=False):
        expected = draw_planes(shape, sample)[..., : len(PLANES)]
        np.testing.assert_array_equal(np.rint(127 * batch.planes[row]), expected)


@pytest.mark.parametrize(("game", "size"), BOARDS)
def test_symmetries_turn_inputs_and_targets_alike(game: str, size: int) -> None:
    found = positions(game, size)
    planes, seen = Planes(architecture(game), found.board), examples(found, PLANES)
    rows = np.zeros(200, int)
    batch = draw_batch(seen, planes, rows, np.random.default_rng(1))
    inside = batch.planes[:, 2:-2, 2:-2]
    images = {image.tobytes() for image in inside}
    assert 1 < len(images) <= len(symmetries(found.board))
    for own, legal, policy in zip(inside[..., 0], batch.legal, batch.policy, strict=True):
        stones = own.reshape(-1) * planes.mask
        assert stones.sum() == (seen.stones[0] == 1).sum()
        assert not (legal * stones).any()
        assert (policy <= legal).all()


def test_symmetries_of_the_boards() -> None:
    assert len(symmetries(make_board("hex", 5))) == 2
    assert len(symmetries(make_board("y", 5))) == 6
    for game, size in BOARDS:
        board = make_board(game, size)
        mask = places(board)[2]
        for places_ in symmetries(board):
            assert sorted(places_) == list(range(size * size))
            assert (mask[places_] == mask).all()


def test_white_sees_the_mirrored_board() -> None:
    board = make_board("hex", 3)
    black, white, _ = places(board)
    assert black.reshape(3, 3).tolist() == white.reshape(3, 3).T.tolist()


def doubting(slope: float) -> Positions:
    """Return positions whose search values are chances with logits divided by ``slope``."""
    found = join([positions("hex", 5)] * 300)
    rng = np.random.default_rng(1)
    chance = rng.uniform(0.02, 0.98, len(found))
    found.value[:] = np.rint(SHARE / (1 + (1 / chance - 1) ** (1 / slope)))
    found.outcome[:] = rng.random(len(found)) < chance
    found.flags[:] = OUTCOME
    return found


@pytest.mark.parametrize("slope", [0.7, 2.5])
def test_the_slope_of_values_is_found(slope: float) -> None:
    assert value_slope([doubting(slope)]) == pytest.approx(slope, rel=0.15)


def test_without_outcomes_there_is_no_slope() -> None:
    found = doubting(2)
    found.flags[:] = 0
    assert value_slope([found]) == 1
    assert value_slope([]) == 1


def test_value_targets_mix_outcomes_and_chances() -> None:
    found = doubting(2)
    found.flags[::2] = 0
    value = found.value / SHARE
    chance = 1 / (1 + (1 / value - 1) ** 2)
    target = examples(found, ("own",), slope=2).value
    np.testing.assert_allclose(target[::2], chance[::2], atol=1e-4)
    mixed = OUTCOME_WEIGHT * found.outcome + (1 - OUTCOME_WEIGHT) * chance
    np.testing.assert_allclose(target[1::2], mixed[1::2], atol=1e-4)
