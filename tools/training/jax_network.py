"""The network and its training step in JAX.  Only the training process imports this module.

`forward` computes what `network_reference.forward` does, on batches drawn by `mover_view`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp

from trivalent.bot.evaluation.network_file import TAPS

if TYPE_CHECKING:
    from trivalent.bot.evaluation.network_file import Architecture
    from trivalent.bot.evaluation.network_reference import Array, Weights
    from trivalent.tools.training.mover_view import Batch

State = dict[str, Any]
"""Weights, their averages, and the moments of the optimiser (``mean`` and ``square``)."""

VALUE_WEIGHT = 1.0
OWNERSHIP_WEIGHT = 0.3
"""Weights of the losses; the policy's is 1."""
WEIGHT_DECAY = 0.02
MEMORY_MEAN, MEMORY_SQUARE = 0.9, 0.99
"""How much of the optimiser's moments stays in a step."""
LONGEST_AVERAGE = 500.0
"""Steps over which weights are averaged, at most."""
_NEVER = -1e9


def _convolve(x: Any, weights: Any) -> Any:  # noqa: ANN401
    """Apply weights [outputs][inputs][7] inside of [examples][rows + 2][columns + 2][inputs]."""
    kernel = jnp.zeros((3, 3, weights.shape[1], weights.shape[0]), weights.dtype)
    for tap, (dy, dx) in enumerate(TAPS):
        kernel = kernel.at[1 + dy, 1 + dx].set(weights[:, :, tap].T)
    return jax.lax.conv_general_dilated(
        x, kernel, (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC")
    )


def _pool(x: Any, mask: Any) -> Any:  # noqa: ANN401
    """Return means and maxima of channels that are never negative, over the cells."""
    x = x * mask
    return jnp.concatenate([x.sum((1, 2)) / mask.sum(), x.max((1, 2))], -1)


_BORDER = ((0, 0), (1, 1), (1, 1), (0, 0))


def forward(weights: State, blocks: tuple[bool, ...], planes: Any, mask: Any) -> Any:  # noqa: ANN401
    """Return the logits of policy and ownership, [examples][places], and of the value."""
    relu = jax.nn.relu
    side = planes.shape[1] - 4
    mask = mask.reshape(side, side, 1)
    x = relu(_convolve(planes, weights["input/weights"]) + weights["input/bias"])
    for number, pools in enumerate(blocks):
        block = f"blocks/{number}"
        y = _convolve(x, weights[f"{block}/first/weights"]) + weights[f"{block}/first/bias"]
        if pools:
            pooled = _pool(x[:, 1:-1, 1:-1], mask)
            y = y + (pooled @ weights[f"{block}/pool/weights"].T)[:, None, None]
        z = _convolve(jnp.pad(relu(y) * mask, _BORDER), weights[f"{block}/second/weights"])
        z = z + weights[f"{block}/second/bias"]
        x = relu(x + jnp.pad(z * mask, _BORDER))
    cells = x[:, 1:-1, 1:-1]
    bias = weights["head/bias"] + _pool(cells, mask) @ weights["head/pool/weights"].T
    head = relu(cells @ weights["head/weights"].T + bias[:, None, None])
    hidden = relu(_pool(head, mask) @ weights["hidden/weights"].T + weights["hidden/bias"])
    value = hidden @ weights["value/weights"] + weights["value/bias"]
    flat = head.reshape(len(planes), side * side, -1)
    policy, ownership = (
        flat @ weights[f"{name}/weights"] + weights[f"{name}/bias"]
        for name in ("policy", "ownership")
    )
    return policy, ownership, value


def _cross_entropy(target: Any, logit: Any) -> Any:  # noqa: ANN401
    return -target * jax.nn.log_sigmoid(logit) - (1 - target) * jax.nn.log_sigmoid(-logit)


def _losses(weights: State, blocks: tuple[bool, ...], mask: Any, batch: Any) -> Any:  # noqa: ANN401
    planes, legal, policy, ownership, known, value = batch
    logits, owned, won = forward(weights, blocks, planes, mask)
    shares = jax.nn.log_softmax(jnp.where(legal > 0, logits, _NEVER))
    policies = jnp.maximum(policy.sum(), 1e-6)
    losses = {
        "policy": -(policy * shares).sum() / policies,
        "value": _cross_entropy(value, won).mean(),
        "ownership": ((_cross_entropy(ownership, owned) * mask).sum(1) * known).sum()
        / (mask.sum() * jnp.maximum(known.sum(), 1.0)),
    }
    total = losses["policy"] + VALUE_WEIGHT * losses["value"]
    return total + OWNERSHIP_WEIGHT * losses["ownership"], losses


@partial(jax.jit, static_argnums=1, donate_argnums=0)
def _step(state: State, blocks: tuple[bool, ...], mask: Any, batch: Any, rate: Any) -> Any:  # noqa: ANN401
    """Make a step of AdamW; return the new state and the losses."""
    weights = state["weights"]
    gradient, losses = jax.grad(_losses, has_aux=True)(weights, blocks, mask, batch)
    length = jnp.sqrt(sum((g * g).sum() for g in gradient.values()))
    gradient = jax.tree.map(lambda g: g * jnp.minimum(1.0, 5.0 / (length + 1e-9)), gradient)
    steps = state["steps"] + 1
    mean = jax.tree.map(
        lambda m, g: MEMORY_MEAN * m + (1 - MEMORY_MEAN) * g, state["mean"], gradient
    )
    square = jax.tree.map(
        lambda s, g: MEMORY_SQUARE * s + (1 - MEMORY_SQUARE) * g * g, state["square"], gradient
    )
    unbiased = jnp.sqrt(1 - MEMORY_SQUARE**steps) / (1 - MEMORY_MEAN**steps)

    def moved(name: str) -> Any:  # noqa: ANN401
        w = weights[name]
        change = unbiased * mean[name] / (jnp.sqrt(square[name]) + 1e-8)
        decay = WEIGHT_DECAY if name.endswith("weights") else 0.0
        return w - rate * (change + decay * w)

    weights = {name: moved(name) for name in weights}
    # Over the last tenth of all steps to begin with, so that the start is forgotten.
    pace = jnp.maximum(1 / LONGEST_AVERAGE, 1 / (1 + 0.1 * steps))
    average = jax.tree.map(lambda a, w: a + pace * (w - a), state["average"], weights)
    new = {
        "weights": weights,
        "average": average,
        "mean": mean,
        "square": square,
        "steps": steps,
    }
    return new, losses


def new_state(weights: Weights) -> State:
    """Return the state of training that starts from these weights."""
    floats = {name: jnp.asarray(array, jnp.float32) for name, array in weights.items()}
    zeros = jax.tree.map(jnp.zeros_like, floats)
    return {
        "weights": floats,
        "average": jax.tree.map(jnp.copy, floats),
        "mean": zeros,
        "square": jax.tree.map(jnp.copy, zeros),
        "steps": jnp.float32(0),
    }


def train_step(
    state: State,
    architecture: Architecture,
    mask: Array,
    batch: Batch,
    rate: float,
) -> tuple[State, dict[str, Any]]:
    """Train on a batch at a learning rate; return the new state (the old one is gone) and losses.

    The losses are on the device still: reading them waits for the step.
    """
    arrays = (batch.planes, batch.legal, batch.policy, batch.ownership, batch.owned, batch.value)
    new, losses = _step(state, architecture.blocks, mask, arrays, jnp.float32(rate))
    return new, losses


@partial(jax.jit, static_argnums=1)
def evaluate(weights: State, blocks: tuple[bool, ...], mask: Any, planes: Any) -> Any:  # noqa: ANN401
    """Return what `forward` does, compiled."""
    return forward(weights, blocks, planes, mask)
