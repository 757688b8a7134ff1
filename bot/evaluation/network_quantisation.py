"""Quantisation: from a float network to the integers of a network file.

Each channel has its own step, what the byte 1 stands for, taken from the channel's largest value in
the calibration positions (with one step for a whole layer, errors grew by a third).  The weights of
a layer absorb the steps of its inputs, its scales those of its outputs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from trivalent.bot.evaluation.network_file import (
    GROUP,
    MAX_BIAS,
    MAX_DENSE,
    MAX_SCALE,
    QUAD,
    TAPS,
    Architecture,
    NetworkFile,
    tensors,
)
from trivalent.bot.evaluation.network_reference import ONE, forward, random_samples
from trivalent.core.games import make_board

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from trivalent.bot.evaluation.network_reference import Array, Sample, Weights

POOLED = 64
"""Steps of a pooled value to one of the bytes that it is of."""
MAX_HIDDEN_VALUE = ONE * POOLED


def quantise(
    weights: Weights,
    architecture: Architecture,
    positions: Iterable[Sequence[Sample]],
    version: str,
    training: Mapping[str, object] | None = None,
) -> NetworkFile:
    """Return the network file of a float network.

    `trivalent.bot.evaluation.network_reference` describes ``weights``.  ``positions`` are typical
    ones for calibration, in groups that `forward` takes; a few hundred are enough.
    """
    steps = _observe(weights, architecture, positions)
    result: Weights = {}
    one = np.full(len(architecture.planes), 1 / ONE)
    _convolution(result, "input", weights, one)
    for number, pools in enumerate(architecture.blocks):
        block = f"blocks/{number}"
        seen, inner = steps[f"{block}/activation"], steps[f"{block}/first/scale"]
        result[f"{block}/activation"] = 1 / seen
        unit = _convolution(result, f"{block}/first", weights, seen, inner)
        if pools:
            _dense(result, f"{block}/pool", weights, seen, unit)
        _convolution(result, f"{block}/second", weights, inner)
    seen, head = steps["head/activation"], steps["head/scale"]
    result["head/activation"] = 1 / seen
    unit = _convolution(result, "head", weights, seen, head)
    _dense(result, "head/pool", weights, seen, unit)
    _outputs(result, weights, head, architecture)
    hidden = steps["hidden/scale"]
    _dense(result, "hidden", weights, head, hidden)
    _value(result, weights, hidden)
    return NetworkFile(
        architecture=architecture,
        version=version,
        tensors=_packed(result, architecture),
        training=training or {},
    )


def _observe(
    weights: Weights, architecture: Architecture, positions: Iterable[Sequence[Sample]]
) -> Weights:
    """Return the steps of the channels by the name of the tensor that they enter."""
    found: dict[str, list[Array]] = {}
    for group in positions:
        forward(weights, architecture, group, lambda name, x: found.setdefault(name, []).append(x))
    return {name: _steps(values, name) for name, values in found.items()}


def _steps(values: Sequence[Array], name: str) -> Array:
    """Return the steps of channels with these values, arrays of [values][channels].

    The largest byte stands for the largest value: clipping at less helped neither random networks
    nor a trained one.  Steps are rounded up to five binary digits, so that the result doesn't
    depend on the last digits of sums, in which machines differ.
    """
    most = np.max([x.max(0) for x in values], axis=0)
    # A hidden unit has only one value per position: leave some room.
    steps = 1.25 * most / MAX_HIDDEN_VALUE if name == "hidden/scale" else most / ONE
    # For a channel that's always 0 any step will do.
    usual = np.median(steps[steps > 0]) if steps.any() else 1.0
    mantissa, exponent = np.frexp(np.maximum(np.where(steps > 0, steps, usual), 2 / MAX_SCALE))
    return np.asarray(np.ldexp(np.ceil(mantissa * 32) / 32, exponent))


def _integers(weights: Array, bias: Array, limit: int) -> tuple[Array, Array, Array]:
    """Return weights [outputs][...] and biases as integers, and the unit of each output."""
    axes = tuple(range(1, weights.ndim))
    unit = np.maximum(np.abs(weights).max(axes) / limit, 2 * np.abs(bias) / MAX_BIAS)
    unit = np.where(unit > 0, unit, 1.0)
    shaped = unit.reshape(-1, *(1 for _ in axes))
    return np.rint(weights / shaped), np.rint(bias / unit), unit


def _convolution(
    result: Weights, name: str, weights: Weights, steps: Array, out_steps: Array | float = 1.0
) -> Array:
    """Quantise a convolution whose inputs have these steps; return the units of its sums."""
    real = weights[f"{name}/weights"]
    real = real[..., None] if real.ndim == 2 else real
    whole, bias, unit = _integers(real * steps[:, None], weights[f"{name}/bias"], 127)
    result[f"{name}/weights"], result[f"{name}/bias"] = whole, bias
    result[f"{name}/scale"] = unit / out_steps
    return unit


def _dense(result: Weights, name: str, weights: Weights, steps: Array, unit: Array) -> None:
    """Quantise a dense layer of pooled values, whose outputs have these units."""
    real = weights[f"{name}/weights"] * np.tile(steps, 2) / POOLED
    bias = weights.get(f"{name}/bias", np.zeros(len(real)))
    whole, bias, own = _integers(real, bias, MAX_DENSE)
    result[f"{name}/weights"], result[f"{name}/bias"] = whole, bias
    result[f"{name}/scale"] = own / unit


def _outputs(result: Weights, weights: Weights, steps: Array, architecture: Architecture) -> None:
    names = ["policy", "ownership"] if architecture.ownership else ["policy"]
    real = np.zeros((GROUP, architecture.head, 1))
    bias = np.zeros(GROUP)
    for channel, name in enumerate(names):
        real[channel, :, 0] = weights[f"{name}/weights"] * steps
        bias[channel] = weights[f"{name}/bias"]
    whole, bias, unit = _integers(real, bias, 127)
    result["outputs/weights"], result["outputs/bias"] = whole, bias
    result["outputs/scale"] = unit


def _value(result: Weights, weights: Weights, steps: Array) -> None:
    real = (weights["value/weights"] * steps)[None]
    whole, bias, unit = _integers(real, np.reshape(weights["value/bias"], 1), MAX_DENSE)
    result["value/weights"], result["value/bias"], result["value/scale"] = whole, bias, unit


def _packed(result: Weights, architecture: Architecture) -> dict[str, bytes]:
    """Return the bytes of all tensors; weights of convolutions in groups of outputs and inputs."""
    kinds = {"b": "<i1", "h": "<i2", "i": "<i4", "f": "<f4"}
    packed = {}
    for tensor in tensors(architecture):
        array = result[tensor.name]
        if tensor.kind == "b":
            groups, taps, quads, group, quad = tensor.shape
            array = np.pad(array, [(0, 0), (0, quads * QUAD - array.shape[1]), (0, 0)])
            array = array.reshape(groups, group, quads, quad, taps).transpose(0, 4, 2, 1, 3)
        packed[tensor.name] = array.astype(kinds[tensor.kind]).tobytes()
    return packed


def random_weights(architecture: Architecture, seed: int) -> Weights:
    """Return a random float network whose activations neither die nor explode."""
    rng = np.random.default_rng(seed)
    c, h, v = architecture.channels, architecture.head, architecture.hidden

    def layer(name: str, outputs: int, *inputs: int, gain: float = 1.0) -> Weights:
        scale = gain * np.sqrt(2 / np.prod(inputs))
        return {
            f"{name}/weights": rng.normal(0, scale, (outputs, *inputs)),
            f"{name}/bias": rng.normal(0, 0.1, outputs),
        }

    weights = layer("input", c, len(architecture.planes), len(TAPS), gain=2.0)
    for number, pools in enumerate(architecture.blocks):
        weights |= layer(f"blocks/{number}/first", c, c, len(TAPS))
        weights |= layer(f"blocks/{number}/second", c, c, len(TAPS), gain=0.5)
        if pools:
            pooled = layer(f"blocks/{number}/pool", c, 2 * c, gain=0.5)
            weights[f"blocks/{number}/pool/weights"] = pooled[f"blocks/{number}/pool/weights"]
    weights |= layer("head", h, c) | layer("hidden", v, 2 * h)
    weights["head/pool/weights"] = layer("head/pool", h, 2 * c, gain=0.5)["head/pool/weights"]
    for name, inputs in (("policy", h), ("ownership", h), ("value", v)):
        weights |= {key: array[0] for key, array in layer(name, 1, inputs).items()}
    return weights


def random_network(architecture: Architecture, seed: int = 1) -> NetworkFile:
    """Return a random network for tests and benchmarks."""
    positions = [
        random_samples(make_board(architecture.game, size), 4, seed + size) for size in (4, 9, 19)
    ]
    weights = random_weights(architecture, seed)
    return quantise(weights, architecture, positions, f"random {seed}")
