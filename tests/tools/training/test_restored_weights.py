from dataclasses import replace

import numpy as np
import pytest

from trivalent.bot.evaluation.network_file import Architecture
from trivalent.bot.evaluation.network_quantisation import random_network, random_weights
from trivalent.bot.evaluation.network_reference import forward, random_samples
from trivalent.core.games import make_board
from trivalent.tools.training.restored_weights import restored_weights


@pytest.mark.parametrize("game", ["hex", "y"])
def test_restored_weights_compute_what_the_original_ones_did(game: str) -> None:
    planes = ("own", "opponent", "last")
    architecture = Architecture(game=game, planes=planes, channels=32, blocks=(False, True))
    file = random_network(architecture, seed=1)
    samples = random_samples(make_board(game, 6), 8, seed=5)
    original = forward(random_weights(architecture, 1), architecture, samples)
    more = (*planes[:2], "playout-gain", planes[2])
    wider = replace(architecture, planes=more)
    restored = forward(restored_weights(file, more), wider, samples)
    assert original.ownership is not None
    assert restored.ownership is not None
    for one, other in (
        (original.policy, restored.policy),
        (original.ownership, restored.ownership),
    ):
        assert np.corrcoef(one.ravel(), other.ravel())[0, 1] > 0.999
    assert np.abs(original.value - restored.value).max() < 0.01
