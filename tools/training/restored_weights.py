"""A float network from a network file, so that training can go on from one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from trivalent.bot.evaluation.network_quantisation import POOLED
from trivalent.bot.evaluation.network_reference import ONE, unpack

if TYPE_CHECKING:
    from trivalent.bot.evaluation.network_file import NetworkFile
    from trivalent.bot.evaluation.network_reference import Array, Weights

_STEP = 1 / ONE
"""What a byte inside a block, of the head or of the hidden layer stands for.  The file doesn't say,
and any step gives the same outputs."""
_HIDDEN_STEP = 1 / (ONE * POOLED)


def restored_weights(file: NetworkFile, planes: tuple[str, ...]) -> Weights:
    """Return a float network that computes what the file's does, except for rounding.

    Its input planes are these; it ignores those that the file's network doesn't have, and must have
    all that it has.
    """
    tensor = {name: np.asarray(array, np.float64) for name, array in unpack(file).items()}
    architecture = file.architecture
    weights: Weights = {}

    def convolution(name: str, steps: Array, out_step: float) -> None:
        unit = tensor[f"{name}/scale"] * out_step
        real = tensor[f"{name}/weights"] * unit[:, None, None] / steps[:, None]
        weights[f"{name}/weights"] = real
        weights[f"{name}/bias"] = tensor[f"{name}/bias"] * unit

    def pool(name: str, unit: Array, steps: Array) -> None:
        own = (tensor[f"{name}/scale"] * unit)[:, None]
        weights[f"{name}/weights"] = tensor[f"{name}/weights"] * own * POOLED / np.tile(steps, 2)

    convolution("input", np.full(architecture.inputs, _STEP), 1.0)
    found = weights["input/weights"]
    weights["input/weights"] = np.zeros((len(found), len(planes), found.shape[2]))
    for number, plane in enumerate(architecture.planes):
        weights["input/weights"][:, planes.index(plane)] = found[:, number]
    inner = np.full(architecture.channels, _STEP)
    for number, pools in enumerate(architecture.blocks):
        block = f"blocks/{number}"
        seen = 1 / tensor[f"{block}/activation"]
        convolution(f"{block}/first", seen, _STEP)
        if pools:
            pool(f"{block}/pool", tensor[f"{block}/first/scale"] * _STEP, seen)
        convolution(f"{block}/second", inner, 1.0)
    seen = 1 / tensor["head/activation"]
    convolution("head", seen, _STEP)
    weights["head/weights"] = weights["head/weights"][..., 0]
    pool("head/pool", tensor["head/scale"] * _STEP, seen)
    head = np.full(architecture.head, _STEP)
    for channel, name in enumerate(("policy", "ownership")[: 1 + architecture.ownership]):
        scale = tensor["outputs/scale"][channel]
        weights[f"{name}/weights"] = tensor["outputs/weights"][channel, :, 0] * scale / head
        weights[f"{name}/bias"] = tensor["outputs/bias"][channel] * scale
    hidden = np.full(architecture.hidden, _HIDDEN_STEP)
    pool("hidden", hidden, head)
    weights["hidden/bias"] = tensor["hidden/bias"] * tensor["hidden/scale"] * hidden
    scale = tensor["value/scale"][0]
    weights["value/weights"] = tensor["value/weights"][0] * scale / hidden
    weights["value/bias"] = tensor["value/bias"][0] * scale
    return weights
