"""The network and its training step in PyTorch.  Only the training process imports this module.

`forward` computes what `network_reference.forward` does, on batches drawn by `mover_view`.
Convolutions are computed in bfloat16 where the processor or the GPU can do that in hardware, which
is twice as fast; weights, heads and losses stay in single precision.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.nn.functional import conv2d, linear, logsigmoid, pad, relu

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
LONGEST_GRADIENT = 5.0
"""Gradients longer than this are shortened."""
_NEVER = -1e9


def device() -> torch.device:
    """Return where to train: on a GPU if there is one."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def has_bfloat16() -> bool:
    """Return whether the hardware multiplies in bfloat16."""
    if torch.cuda.is_available():
        return bool(torch.cuda.is_bf16_supported())
    return bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())  # noqa: SLF001  no public name


def _kernel(weights: torch.Tensor) -> torch.Tensor:
    """Return [outputs][inputs][3][3] from the 7 taps of a hexagonal neighbourhood."""
    places = torch.zeros(len(TAPS), 9, device=weights.device)
    for tap, (dy, dx) in enumerate(TAPS):
        places[tap, 3 * (1 + dy) + 1 + dx] = 1
    kernel = (weights @ places).reshape(*weights.shape[:2], 3, 3)
    return kernel.contiguous(memory_format=torch.channels_last)


def _pool(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Return means and maxima of channels that are never negative, over the cells."""
    x = x.float() * mask
    return torch.cat([x.sum((2, 3)) / mask.sum(), x.amax((2, 3))], 1)


_BORDER = (1, 1, 1, 1)


def forward(
    weights: State, blocks: tuple[bool, ...], planes: torch.Tensor, mask: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the logits of policy and ownership, [examples][places], and of the value.

    ``planes`` is [examples][planes][side + 4][side + 4], ``mask`` [side * side].
    """
    side = planes.shape[2] - 4
    mask = mask.reshape(side, side)
    x = relu(conv2d(planes, _kernel(weights["input/weights"]), weights["input/bias"]))
    inside = mask.to(x.dtype)
    for number, pools in enumerate(blocks):
        block = f"blocks/{number}"
        y = conv2d(x, _kernel(weights[f"{block}/first/weights"]), weights[f"{block}/first/bias"])
        if pools:
            pooled = _pool(x[:, :, 1:-1, 1:-1], mask)
            y = y + linear(pooled, weights[f"{block}/pool/weights"])[:, :, None, None].to(y.dtype)
        second = _kernel(weights[f"{block}/second/weights"])
        z = conv2d(relu(y) * inside, second, weights[f"{block}/second/bias"], padding=1)
        x = relu(x + pad(z * inside, _BORDER))
    with torch.autocast(planes.device.type, enabled=False):
        return _heads(weights, x[:, :, 1:-1, 1:-1].float(), mask)


def _heads(
    weights: State, cells: torch.Tensor, mask: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return what `forward` does, from the channels of the last block."""
    bias = weights["head/bias"] + linear(_pool(cells, mask), weights["head/pool/weights"])
    head = relu(conv2d(cells, weights["head/weights"][:, :, None, None]) + bias[:, :, None, None])
    hidden = relu(linear(_pool(head, mask), weights["hidden/weights"], weights["hidden/bias"]))
    value = hidden @ weights["value/weights"] + weights["value/bias"]
    flat = head.flatten(2).transpose(1, 2)
    policy, ownership = (
        flat @ weights[f"{name}/weights"] + weights[f"{name}/bias"]
        for name in ("policy", "ownership")
    )
    return policy, ownership, value


def _cross_entropy(target: torch.Tensor, logit: torch.Tensor) -> torch.Tensor:
    return -target * logsigmoid(logit) - (1 - target) * logsigmoid(-logit)


def _losses(
    weights: State, blocks: tuple[bool, ...], mask: torch.Tensor, batch: dict[str, torch.Tensor]
) -> dict[str, torch.Tensor]:
    logits, owned, won = forward(weights, blocks, batch["planes"], mask)
    shares = logits.masked_fill(batch["legal"] == 0, _NEVER).log_softmax(1)
    known = batch["owned"]
    ownership = (_cross_entropy(batch["ownership"], owned) * mask).sum(1) * known
    return {
        "policy": -(batch["policy"] * shares).sum() / batch["policy"].sum().clamp(min=1e-6),
        "value": _cross_entropy(batch["value"], won).mean(),
        "ownership": ownership.sum() / (mask.sum() * known.sum().clamp(min=1)),
    }


def _planes(planes: Array, where: torch.device) -> torch.Tensor:
    """Return planes drawn by `mover_view.Planes` as `forward` takes them."""
    return torch.from_numpy(planes).to(where).permute(0, 3, 1, 2)


def new_state(weights: Weights) -> State:
    """Return the state of training that starts from these weights."""
    where = device()
    state: State = {"steps": 0}
    for part in ("weights", "average", "mean", "square"):
        blank = part in {"mean", "square"}
        state[part] = {
            name: torch.zeros(array.shape, device=where)
            if blank
            else torch.tensor(array, dtype=torch.float32, device=where)
            for name, array in weights.items()
        }
    return state


def train_step(
    state: State, architecture: Architecture, mask: Array, batch: Batch, rate: float
) -> dict[str, torch.Tensor]:
    """Train on a batch at a learning rate, a step of AdamW, and return the losses."""
    where = device()
    names = ("legal", "policy", "ownership", "owned", "value")
    tensors = {name: torch.from_numpy(getattr(batch, name)).to(where) for name in names}
    tensors["planes"] = _planes(batch.planes, where)
    weights = {name: tensor.requires_grad_() for name, tensor in state["weights"].items()}
    with torch.autocast(where.type, torch.bfloat16, enabled=has_bfloat16()):
        losses = _losses(weights, architecture.blocks, torch.from_numpy(mask).to(where), tensors)
    total = losses["policy"] + VALUE_WEIGHT * losses["value"]
    total = total + OWNERSHIP_WEIGHT * losses["ownership"]
    gradients = dict(zip(weights, torch.autograd.grad(total, [*weights.values()]), strict=True))
    with torch.no_grad():
        _update(state, gradients, rate)
    return {name: loss.detach() for name, loss in losses.items()}


def _update(state: State, gradients: dict[str, torch.Tensor], rate: float) -> None:
    """Make a step of AdamW."""
    state["steps"] += 1
    steps = state["steps"]
    length = torch.sqrt(sum((g * g).sum() for g in gradients.values()))
    shorter = torch.clamp(LONGEST_GRADIENT / (length + 1e-9), max=1)
    unbiased = (1 - MEMORY_SQUARE**steps) ** 0.5 / (1 - MEMORY_MEAN**steps)
    # Over the last tenth of all steps to begin with, so that the start is forgotten.
    pace = max(1 / LONGEST_AVERAGE, 1 / (1 + 0.1 * steps))
    for name, gradient in gradients.items():
        parts = (state[part][name] for part in ("weights", "mean", "square", "average"))
        weights, mean, square, average = parts
        gradient.mul_(shorter)
        mean.lerp_(gradient, 1 - MEMORY_MEAN)
        square.lerp_(gradient * gradient, 1 - MEMORY_SQUARE)
        if name.endswith("weights"):
            weights.mul_(1 - rate * WEIGHT_DECAY)
        weights.addcdiv_(mean, square.sqrt() + 1e-8, value=-rate * unbiased)
        average.lerp_(weights, pace)


def evaluate(
    weights: State, blocks: tuple[bool, ...], mask: Array, planes: Array
) -> tuple[Array, Array, Array]:
    """Return what `forward` does, in single precision, as arrays."""
    where = device()
    with torch.inference_mode():
        found = forward(weights, blocks, _planes(planes, where), torch.from_numpy(mask).to(where))
        return found[0].cpu().numpy(), found[1].cpu().numpy(), found[2].cpu().numpy()


def arrays_of(state: State) -> dict[str, Array]:
    """Return the arrays of a state by names such as ``mean:head/bias``."""
    arrays: dict[str, Array] = {"steps": np.asarray(state["steps"])}
    for part in ("weights", "average", "mean", "square"):
        for name, tensor in state[part].items():
            arrays[f"{part}:{name}"] = tensor.detach().cpu().numpy()
    return arrays


def state_from(arrays: dict[str, Array]) -> State:
    """Return the state whose arrays `arrays_of` has returned."""
    where = device()
    state: State = {"steps": int(arrays["steps"])}
    for name, array in arrays.items():
        part, _, inner = name.partition(":")
        if inner:
            state.setdefault(part, {})[inner] = torch.from_numpy(array.copy()).to(where)
    return state
