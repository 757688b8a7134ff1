from dataclasses import replace

import numpy as np
import pytest

from trivalent.bot.evaluation.network_file import Architecture
from trivalent.bot.evaluation.network_quantisation import random_weights
from trivalent.bot.evaluation.network_reference import forward, random_samples
from trivalent.core.games import make_board
from trivalent.tools.training.grown_weights import can_grow, grown_weights

SMALL = Architecture(game="hex", planes=("own", "opponent"), channels=32, blocks=(False, True))


@pytest.mark.parametrize("channels", [32, 48, 64, 96])
@pytest.mark.parametrize("blocks", [(False, True), (False, True, False, True)])
def test_a_grown_network_computes_the_same(channels: int, blocks: tuple[bool, ...]) -> None:
    large = replace(SMALL, channels=channels, blocks=blocks)
    assert can_grow(SMALL, large)
    weights = random_weights(SMALL, 1)
    grown = grown_weights(weights, random_weights(large, 2), 3)
    samples = random_samples(make_board("hex", 6), 8, seed=5)
    before, after = forward(weights, SMALL, samples), forward(grown, large, samples)
    for one, other in zip(before, after, strict=True):
        assert one is not None
        assert other is not None
        np.testing.assert_allclose(other, one, rtol=1e-6, atol=1e-6)


def test_copies_of_a_channel_are_read_differently() -> None:
    large = replace(SMALL, channels=64)
    grown = grown_weights(random_weights(SMALL, 1), random_weights(large, 2), 3)
    read = grown["blocks/0/first/weights"]
    assert np.abs(read[:, :32] - read[:, 32:]).max() > 0.1 * np.abs(read).max()


def test_what_cannot_grow() -> None:
    for change in (
        {"channels": 16},
        {"blocks": (True, True)},
        {"blocks": (False,)},
        {"head": 64},
        {"planes": ("own", "last")},
        {"game": "y"},
    ):
        assert not can_grow(SMALL, replace(SMALL, **change))
    assert can_grow(SMALL, replace(SMALL, planes=("last", "own", "opponent")))
