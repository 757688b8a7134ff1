"""Quantised networks say what float networks say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from networks import judge

from trivalent.bot.evaluation import network_reference as reference
from trivalent.bot.evaluation._network import Network
from trivalent.bot.evaluation.network_file import PLANES, Architecture, NetworkFile, tensors
from trivalent.bot.evaluation.network_quantisation import (
    quantise,
    random_network,
    random_weights,
)
from trivalent.bot.evaluation.network_reference import Sample, forward, random_samples, unpack
from trivalent.core.games import REDUCED_GAMES, hex_board, make_board

if TYPE_CHECKING:
    from trivalent.core.board import Board

SHAPES = [
    Architecture(game="hex", planes=tuple(PLANES), channels=32, blocks=(False, True, False)),
    Architecture(game="y", planes=tuple(PLANES)[:5], channels=48, blocks=(True, True), head=48),
    Architecture(game="hex", planes=("own", "opponent"), channels=16, blocks=(), ownership=False),
]


def typical(board: Board) -> list[list[Sample]]:
    return [random_samples(board, 8, seed) for seed in range(8)]


def spread(policy: np.ndarray) -> np.ndarray:
    """A policy is a softmax: only differences count."""
    result: np.ndarray = policy - policy.mean(-1, keepdims=True)
    return result


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_close_to_floats(shape: Architecture, seed: int) -> None:
    board = make_board(shape.game, 8)
    weights = random_weights(shape, seed)
    file = quantise(weights, shape, typical(board), "close")
    for positions in [random_samples(board, 8, 100 + i) for i in range(4)]:
        exact, found = forward(weights, shape, positions), reference.evaluate(file, positions)
        error = spread(found.policy) - spread(exact.policy)
        assert np.sqrt((error**2).mean()) < 0.08 * spread(exact.policy).std()
        assert np.abs(found.value - exact.value).max() < 0.08
        if exact.ownership is not None:
            assert found.ownership is not None
            assert np.abs(found.ownership - exact.ownership).mean() < 0.02


def test_kernels_are_close_to_floats() -> None:
    """From end to end: weights as training makes them, a file, a kernel."""
    shape, board = SHAPES[0], hex_board(9)
    weights = random_weights(shape, 5)
    network = Network(quantise(weights, shape, typical(board), "end"), board)
    (sample,) = random_samples(board, 1, 77)
    exact = forward(weights, shape, [sample])
    policy, value, _ = judge(network, sample)
    assert np.corrcoef(policy, exact.policy[0])[0, 1] > 0.99
    assert value == pytest.approx(exact.value[0], abs=0.08)


@pytest.mark.parametrize("game", REDUCED_GAMES)
def test_random_networks_are_alive(game: str) -> None:
    """Activations neither die nor saturate, whatever the depth; the same seed, the same network."""
    shape = Architecture(game=game, planes=tuple(PLANES), channels=32, blocks=(False, True) * 5)
    weights = random_weights(shape, 2)
    shares: dict[str, float] = {}
    positions = random_samples(make_board(game, 9), 8, 4)
    judged = forward(
        weights, shape, positions, lambda name, x: shares.update({name: float((x > 0).mean())})
    )
    assert all(0.1 < share < 0.95 for share in shares.values()), shares
    assert 0.1 < judged.policy.std() < 10
    file = random_network(shape, 2)
    assert file == random_network(shape, 2) != random_network(shape, 3)
    assert reference.evaluate(file, positions).policy.std() == pytest.approx(
        judged.policy.std(), rel=0.1
    )


def test_channels_without_a_use() -> None:
    """What is always 0, what has no weights, and biases far beyond the weights."""
    shape, board = SHAPES[0], hex_board(5)
    weights = random_weights(shape, 1)
    for name in ("input", "blocks/1/first", "blocks/2/second", "head"):
        weights[f"{name}/weights"][3] = 0
        weights[f"{name}/bias"][3] = -1
    weights["blocks/0/first/weights"][4] = 0
    weights["blocks/0/first/bias"][4] = 0
    weights["hidden/weights"][5] *= 1e-9
    file = quantise(weights, shape, typical(board), "dead")
    positions = random_samples(board, 4, 9)
    exact, found = forward(weights, shape, positions), reference.evaluate(file, positions)
    assert np.corrcoef(spread(found.policy).ravel(), spread(exact.policy).ravel())[0, 1] > 0.99
    assert np.abs(found.value - exact.value).max() < 0.08


def test_nothing_seen_before() -> None:
    """A network of zeros says what its biases say."""
    shape, board = SHAPES[2], hex_board(3)
    zeros = {name: 0 * array for name, array in random_weights(shape, 1).items()}
    zeros["policy/bias"], zeros["value/bias"] = np.array(1.5), np.array(-1.0)
    policy, value, ownership = Network(
        quantise(zeros, shape, typical(board), "zero"), board
    ).evaluate(bytes(9), 1)
    assert policy == pytest.approx([1.5] * 9, rel=1e-6)
    assert value == pytest.approx(1 / (1 + np.e), abs=2e-4)
    assert ownership is None


def test_sigmoid() -> None:
    logits = np.linspace(-20, 20, 40_001, dtype=np.float32)
    found = reference.sigmoid(logits)
    assert np.abs(found - 1 / (1 + np.exp(-logits.astype(float)))).max() < 1e-4
    assert (np.diff(found) >= 0).all()
    assert np.array_equal(found + found[::-1], np.ones_like(found))
    assert reference.sigmoid(np.zeros(1, np.float32))[0] == 0.5


def test_unpacked_weights() -> None:
    """Output, input and tap of every weight are where `tensors` says."""
    shape = Architecture(game="hex", planes=("own",), channels=32, blocks=(True,), head=16)
    file = random_network(shape)
    arrays = unpack(file)
    assert isinstance(file, NetworkFile)
    for tensor in tensors(shape):
        assert arrays[tensor.name].size * 1 == np.prod(tensor.shape)
        if tensor.kind == "b":
            raw = np.frombuffer(file.tensors[tensor.name], np.int8).reshape(tensor.shape)
            outputs, inputs, taps = arrays[tensor.name].shape
            for output, source, tap in ((0, 0, 0), (outputs - 1, inputs - 1, taps - 1), (5, 3, 0)):
                expected = raw[output // 16, tap, source // 4, output % 16, source % 4]
                assert arrays[tensor.name][output, source, tap] == expected


def test_positions_of_one_board() -> None:
    shape = SHAPES[2]
    weights = random_weights(shape, 1)
    one, other = random_samples(hex_board(3), 1, 1)[0], random_samples(hex_board(4), 1, 1)[0]
    with pytest.raises(ValueError, match="must be of one board"):
        forward(weights, shape, [one, other])
