import numpy as np
import pytest
from training import played

from trivalent.bot.evaluation.network_file import Architecture
from trivalent.bot.evaluation.network_quantisation import random_weights
from trivalent.bot.evaluation.network_reference import forward
from trivalent.tools.training.learner import calibration_samples, first_weights, learning_rate
from trivalent.tools.training.mover_view import Planes, draw_batch, examples, places
from trivalent.tools.training.position_shards import join

pytest.importorskip("torch", reason="needs the extra `train`")

from trivalent.tools.training import torch_network


def architecture(game: str) -> Architecture:
    return Architecture(
        game=game, planes=("own", "opponent", "last", "board"), channels=16, blocks=(True, False)
    )


@pytest.mark.parametrize("game", ["hex", "y"])
def test_it_computes_what_the_reference_does(game: str) -> None:
    shape = architecture(game)
    found = join(played(game, 4, 8))
    order = np.random.default_rng(1).permutation(len(found))
    samples = calibration_samples(found, seed=1)
    weights = random_weights(shape, 2)
    planes = Planes(shape, found.board)
    batch = draw_batch(examples(found, shape.planes), planes, order[: len(samples)], None)
    state = torch_network.new_state(weights)
    policy, ownership, value = torch_network.evaluate(
        state["weights"], shape.blocks, planes.mask.astype(np.float32), batch.planes
    )
    expected = forward(weights, shape, samples)
    assert expected.ownership is not None
    np.testing.assert_allclose(1 / (1 + np.exp(-value)), expected.value, atol=1e-4)
    for row, sample in enumerate(samples):
        seen = places(found.board)[sample.to_play - 1]
        np.testing.assert_allclose(policy[row][seen], expected.policy[row], atol=1e-3)
        owned = 1 / (1 + np.exp(-ownership[row][seen]))
        np.testing.assert_allclose(owned, expected.ownership[row], atol=1e-4)


def test_the_loss_falls() -> None:
    shape = architecture("hex")
    found = join(played("hex", 4, 60))
    planes, seen = Planes(shape, found.board), examples(found, shape.planes)
    mask = planes.mask.astype(np.float32)
    state = torch_network.new_state(first_weights(shape, 1))
    rng = np.random.default_rng(1)
    totals = []
    for step in range(120):
        batch = draw_batch(seen, planes, rng.integers(len(seen), size=32), rng)
        rate = learning_rate(step, 120, 3e-3)
        losses = torch_network.train_step(state, shape, mask, batch, rate)
        totals.append(float(losses["policy"] + losses["value"]))
    assert np.mean(totals[-20:]) < 0.8 * np.mean(totals[:10])


def test_the_learning_rate_rises_and_falls() -> None:
    rates = [learning_rate(step, 1000, 1.0) for step in range(1000)]
    peak = int(np.argmax(rates))
    assert 90 <= peak <= 110
    assert rates[0] < 0.02
    assert rates[peak:] == sorted(rates[peak:], reverse=True)
    assert rates[-1] == pytest.approx(0.05, abs=0.01)
