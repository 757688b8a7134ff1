"""A larger network that computes what a smaller one does, so that training needn't start afresh.

Channels are copied and the weights of whatever reads them are shared out between the copies at
random, so that the copies part as training goes on (net2net, Chen, Goodfellow and Shlens 2016); new
blocks add nothing to the stream to begin with.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from trivalent.bot.evaluation.network_file import Architecture
    from trivalent.bot.evaluation.network_reference import Array, Weights


def can_grow(small: Architecture, large: Architecture) -> bool:
    """Return whether `grown_weights` can turn a network of the one architecture into the other."""
    return (
        replace(small, planes=large.planes, channels=large.channels, blocks=large.blocks) == large
        and {*small.planes} <= {*large.planes}
        and small.channels <= large.channels
        and small.blocks == large.blocks[: len(small.blocks)]
    )


def grown_weights(weights: Weights, fresh: Weights, seed: int) -> Weights:
    """Return a network of the shape of ``fresh`` that computes what ``weights`` do.

    ``fresh`` is an untrained network with the same planes, head and hidden layer, no fewer channels
    and no fewer blocks; its new blocks become part of the result.
    """
    rng = np.random.default_rng(seed)
    old = len(weights["input/bias"])
    source = np.arange(len(fresh["input/bias"])) % old
    grown: Weights = {}
    for name, blank in fresh.items():
        if name not in weights:
            idle = name.endswith(("second/weights", "second/bias", "pool/weights"))
            grown[name] = np.zeros_like(blank) if idle else blank
            continue
        array = weights[name]
        if len(array.shape) and len(array) != len(blank):
            array = array[source]
        if name.endswith("pool/weights"):
            halves = np.split(array, 2, axis=1)
            array = np.concatenate([_shared_out(half, source, rng) for half in halves], 1)
        elif array.shape != blank.shape:
            array = _shared_out(array, source, rng)
        grown[name] = array
    return grown


def _shared_out(array: Array, source: Array, rng: np.random.Generator) -> Array:
    """Return weights [outputs][inputs, ...] whose input i is a copy of the input source[i]."""
    share = rng.uniform(0.5, 1.5, (len(array), len(source)))
    copies = source[:, None] == np.arange(array.shape[1])
    share /= (share @ copies)[:, source]
    return array[:, source] * share.reshape(*share.shape, *(1 for _ in array.shape[2:]))
