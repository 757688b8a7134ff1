"""The network in plain numpy: `forward` in floats, as trained, `evaluate` in integers, as played.

Both follow the definition in network_file.py and share no code with the kernels.  They take several
positions of a board at once, on rectangles of places as the side to move sees them.  The kernels
must give the same bits as `evaluate`; training code can check itself against `forward`.

A float network is a dictionary of arrays.  With C channels, P planes, H channels of the head and V
hidden units (the last index of a convolution's weights is that of `TAPS`):

======================== ============= =========================================================
``input/weights``        [C, P, 7]     planes are 0 to 1
``input/bias``           [C]
``blocks/0/first/...``   [C, C, 7], [C]    ``weights`` [outputs, inputs, taps] and ``bias``
``blocks/0/pool/weights``  [C, 2 C]      if the block pools: of means, then maxima
``blocks/0/second/...``  [C, C, 7], [C]
``head/...``             [H, C], [H]
``head/pool/weights``    [H, 2 C]
``policy/...``           [H], []       the bias is a scalar
``ownership/...``        [H], []       if the network has this output
``hidden/...``           [V, 2 H], [V]     of means, then maxima
``value/...``            [V], []
======================== ============= =========================================================

    x = relu(conv(planes, input))                    at the cells and the ring around them
    y = relu(conv(x, first) + pool(x) @ pool.T)      at the cells, 0 elsewhere
    x = relu(x + conv(y, second))                    at the cells; the ring stays
    h = relu(x @ head.T + pool(x) @ head/pool.T)
    policy = h @ policy; ownership = sigmoid(h @ ownership)
    value = sigmoid(relu(pool(h) @ hidden.T) @ value)

Every layer also adds its bias; pool(x) are the channels' means and maxima over the cells.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trivalent.bot.evaluation.network_file import PLANES, TAPS, Architecture, tensors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from trivalent.bot.evaluation.network_file import NetworkFile
    from trivalent.core.board import Board

Array = NDArray[Any]
Weights = dict[str, Array]
"""A float network."""
ONE = 127
"""The byte that says 1."""
RINGS = 2
"""Rings of places around the cells."""
_KINDS = {"b": "<i1", "h": "<i2", "i": "<i4", "f": "<f4"}


@dataclass(frozen=True, slots=True)
class Sample:
    """A position as `trivalent.bot.evaluation._network.Network.evaluate` takes it."""

    board: Board
    stones: bytes
    to_play: int
    last: tuple[int | None, ...] = ()
    filled: bytes | None = None
    pruned: bytes | None = None
    given: Mapping[str, bytes] = field(default_factory=dict)


class Judgement(NamedTuple):
    """A network's evaluation of positions."""

    policy: Array
    """Logits, [positions][cells]."""
    value: Array
    """Probabilities that the side to move wins, [positions]."""
    ownership: Array | None
    """Probabilities that the side to move owns a cell in the end, [positions][cells]."""


def seats(board: Board, to_play: int) -> tuple[Array, tuple[int, int]]:
    """Return each cell's row and column as the side to move sees them, and the numbers of both."""
    columns, rows = np.array(board.coordinates).T
    if board.game == "y":
        columns = columns + board.height - 1 - rows
    if board.game == "hex" and to_play == 2:
        return np.array([columns, rows]), (board.width, board.height)
    return np.array([rows, columns]), (board.height, board.width)


def draw_planes(architecture: Architecture, sample: Sample) -> Array:
    """Return the input, [rows + 4][columns + 4][planes padded to a multiple of 4], as bytes."""
    board, stones = sample.board, np.frombuffer(sample.stones, np.uint8)
    (row, column), (rows, columns) = seats(board, sample.to_play)
    own, opponent = stones == sample.to_play, stones == 3 - sample.to_play
    nothing = bytes(len(board))
    filled = np.frombuffer(sample.filled or nothing, np.uint8)
    by_cell: dict[str, Array] = {
        "own": own * ONE,
        "opponent": opponent * ONE,
        "own-filled": (stones == 0) * (filled == sample.to_play) * ONE,
        "opponent-filled": (stones == 0) * (filled == 3 - sample.to_play) * ONE,
        "pruned": (np.frombuffer(sample.pruned or nothing, np.uint8) > 0) * ONE,
        "board": np.full(len(board), ONE),
        "rows": np.full(len(board), 4 * rows),
        "columns": np.full(len(board), 4 * columns),
    }
    for name, age in (("last", 0), ("last-but-one", 1)):
        cell = sample.last[age] if age < len(sample.last) else None
        by_cell[name] = (np.arange(len(board)) == cell) * ONE
    for name, content in sample.given.items():
        by_cell[name] = np.minimum(np.frombuffer(content, np.uint8), ONE)
    planes = np.zeros((rows + 2 * RINGS, columns + 2 * RINGS, architecture.inputs), np.uint8)
    above = np.zeros(planes.shape[:2], bool)
    above[:RINGS] = above[-RINGS:] = True
    for number, name in enumerate(architecture.planes):
        if name in {"own", "opponent"}:
            planes[..., number] = ONE
            if board.game == "hex":
                planes[..., number] *= above == (name == "own")
        else:
            planes[..., number] = 0
        planes[row + RINGS, column + RINGS, number] = by_cell.get(name, np.zeros(len(board)))
    return planes


def _convolve(x: Array, weights: Array) -> Array:
    """Apply weights [outputs][inputs][7] inside of [...][rows + 2][columns + 2][inputs]."""
    rows, columns = x.shape[-3] - 2, x.shape[-2] - 2
    total = np.zeros((*x.shape[:-3], rows, columns, len(weights)), x.dtype)
    for tap, (dy, dx) in enumerate(TAPS):
        seen = x[..., 1 + dy : 1 + dy + rows, 1 + dx : 1 + dx + columns, :]
        total += seen @ weights[:, :, tap].T
    return total


def _surrounded(x: Array) -> Array:
    return np.pad(x, [(0, 0)] * (x.ndim - 3) + [(1, 1), (1, 1), (0, 0)])


class _Rectangle:
    """The cells of a board among the places of rectangles, one for each position."""

    def __init__(self, architecture: Architecture, samples: Sequence[Sample]) -> None:
        first = samples[0]
        (self.row, self.column), shape = seats(first.board, first.to_play)
        for sample in samples:
            if sample.board != first.board or seats(sample.board, sample.to_play)[1] != shape:
                raise ValueError("the positions must be of one board, seen in the same way")
        self.planes = np.stack([draw_planes(architecture, sample) for sample in samples])
        self.mask = np.zeros((*shape, 1))
        self.mask[self.row, self.column] = 1
        # The ring is next to a cell; in Y there is more beyond it, which no cell ever sees.
        self.trunk = np.zeros((shape[0] + 2, shape[1] + 2), bool)
        for dy, dx in TAPS:
            self.trunk[self.row + 1 + dy, self.column + 1 + dx] = True
        # By cell, whatever the colour: a permutation of what `row` and `column` list.
        self.seats = [seats(sample.board, sample.to_play)[0] for sample in samples]

    def cells(self, x: Array) -> Array:
        """Return what cells hold, [positions][cells][channels], from [positions][rows][columns]."""
        return np.stack(
            [one[row, column] for one, (row, column) in zip(x, self.seats, strict=True)]
        )


def forward(
    weights: Weights,
    architecture: Architecture,
    samples: Sequence[Sample],
    observe: Callable[[str, Array], object] = lambda _name, _x: None,
) -> Judgement:
    """Evaluate positions of one board by a float network.

    On oblong Hex boards all must have the same side to move.  Call ``observe`` with all activations
    to be quantised, [values][channels], and the name of the tensor that will do it.
    """
    board = _Rectangle(architecture, samples)
    channels = architecture.channels
    planes = board.planes[..., : len(architecture.planes)].astype(np.float64) / ONE
    x = _relu(_convolve(planes, weights["input/weights"]) + weights["input/bias"])
    for number, pools in enumerate(architecture.blocks):
        block = f"blocks/{number}"
        observe(f"{block}/activation", x[:, board.trunk].reshape(-1, channels))
        y = _convolve(x, weights[f"{block}/first/weights"]) + weights[f"{block}/first/bias"]
        if pools:
            y += _pool(board.cells(x[:, 1:-1, 1:-1])) @ weights[f"{block}/pool/weights"].T
        y = _relu(y) * board.mask
        observe(f"{block}/first/scale", board.cells(y).reshape(-1, channels))
        z = _convolve(_surrounded(y), weights[f"{block}/second/weights"])
        z += weights[f"{block}/second/bias"]
        x[:, 1:-1, 1:-1] = _relu(x[:, 1:-1, 1:-1] + z * board.mask)
    cells = board.cells(x[:, 1:-1, 1:-1])
    observe("head/activation", cells.reshape(-1, channels))
    head = cells @ weights["head/weights"].T + weights["head/bias"]
    head = _relu(head + (_pool(cells) @ weights["head/pool/weights"].T)[:, 0])
    observe("head/scale", head.reshape(-1, architecture.head))
    hidden = _relu(_pool(head)[:, 0, 0] @ weights["hidden/weights"].T + weights["hidden/bias"])
    observe("hidden/scale", hidden)
    value = hidden @ weights["value/weights"] + weights["value/bias"]
    policy = head @ weights["policy/weights"] + weights["policy/bias"]
    ownership = None
    if architecture.ownership:
        ownership = head @ weights["ownership/weights"] + weights["ownership/bias"]
        ownership = 1 / (1 + np.exp(-ownership))
    return Judgement(policy, 1 / (1 + np.exp(-value)), ownership)


def _relu(x: Array) -> Array:
    return np.maximum(x, 0)


def _pool(cells: Array) -> Array:
    """Return means and maxima of [positions][cells][channels], [positions][1][1][2 channels]."""
    return np.concatenate([cells.mean(1), cells.max(1)], -1)[:, None, None]


def unpack(file: NetworkFile) -> Weights:
    """Return the tensors of a file as arrays; those of convolutions are [outputs][inputs][taps]."""
    arrays = {}
    for tensor in tensors(file.architecture):
        array = np.frombuffer(file.tensors[tensor.name], _KINDS[tensor.kind]).reshape(tensor.shape)
        if tensor.kind == "b":
            groups, taps, quads, group, quad = tensor.shape
            array = array.transpose(0, 3, 2, 4, 1).reshape(groups * group, quads * quad, taps)
        arrays[tensor.name] = array
    return arrays


def evaluate(file: NetworkFile, samples: Sequence[Sample]) -> Judgement:
    """Evaluate positions of one board, bit by bit as the kernels do.

    On oblong Hex boards all must have the same side to move.
    """
    tensor, architecture = unpack(file), file.architecture
    board = _Rectangle(architecture, samples)
    mask = board.mask > 0
    x = _stream(_sum(tensor, "input", board.planes), tensor["input/scale"])
    for number, pools in enumerate(architecture.blocks):
        block = f"blocks/{number}"
        seen = _bytes(x * tensor[f"{block}/activation"])
        total = _sum(tensor, f"{block}/first", seen)
        if pools:
            pooled = _pool_bytes(board.cells(seen[:, 1:-1, 1:-1]))
            total += _pooled_bias(tensor, f"{block}/pool", pooled)
        y = _bytes(_relu(_scaled(total, tensor[f"{block}/first/scale"]))) * mask
        total = _sum(tensor, f"{block}/second", _surrounded(y))
        z = _scaled(total, tensor[f"{block}/second/scale"])
        inside = x[:, 1:-1, 1:-1]
        x[:, 1:-1, 1:-1] = np.where(mask, _relu(inside + z), inside)
    cells = _bytes(board.cells(x[:, 1:-1, 1:-1]) * tensor["head/activation"])
    bias = _pooled_bias(tensor, "head/pool", _pool_bytes(cells))[:, 0]
    head = _bytes(_relu(_scaled(_alone(tensor, "head", cells) + bias, tensor["head/scale"])))
    outputs = _scaled(_alone(tensor, "outputs", head), tensor["outputs/scale"])
    pooled = _pool_bytes(head).astype(np.int64)
    hidden = pooled @ tensor["hidden/weights"].astype(np.int64).T + tensor["hidden/bias"]
    rectified = _relu(_scaled(hidden, tensor["hidden/scale"]))
    most = np.float32(ONE * 64)
    hidden = np.rint(np.minimum(rectified, most)).astype(np.int64)
    value = hidden @ tensor["value/weights"].astype(np.int64).T + tensor["value/bias"]
    return Judgement(
        outputs[..., 0],
        sigmoid(_scaled(value, tensor["value/scale"])[:, 0]),
        sigmoid(outputs[..., 1]) if architecture.ownership else None,
    )


def _sum(tensor: Weights, name: str, x: Array) -> Array:
    """Return the sums of a convolution.  Doubles hold them exactly, and multiply faster."""
    weights = tensor[f"{name}/weights"].astype(np.float64)
    return _convolve(x.astype(np.float64), weights).astype(np.int64) + tensor[f"{name}/bias"]


def _alone(tensor: Weights, name: str, x: Array) -> Array:
    weights = tensor[f"{name}/weights"][..., 0].astype(np.int64)
    total: Array = x.astype(np.int64) @ weights.T + tensor[f"{name}/bias"]
    return total


def _scaled(total: Array, scale: Array) -> Array:
    return total.astype(np.float32) * scale


def _stream(total: Array, scale: Array) -> Array:
    return _relu(_scaled(total, scale))


def _bytes(x: Array) -> Array:
    return np.rint(np.minimum(x, np.float32(ONE))).astype(np.uint8)


def _pool_bytes(cells: Array) -> Array:
    """Return means and maxima of [positions][cells][channels] in 64ths, means first."""
    n = cells.shape[1]
    mean = (64 * cells.astype(np.int64).sum(1) + n // 2) // n
    return np.concatenate([mean, 64 * cells.max(1).astype(np.int64)], -1)


def _pooled_bias(tensor: Weights, name: str, pooled: Array) -> Array:
    """Return what is added to the biases, [positions][1][1][outputs]."""
    total = pooled @ tensor[f"{name}/weights"].astype(np.int64).T
    limit = np.float32(1 << 24)
    added: Array = np.rint(np.clip(_scaled(total, tensor[f"{name}/scale"]), -limit, limit))
    return added.astype(np.int64)[:, None, None]


def sigmoid(logits: Array) -> Array:
    """Return 1 / (1 + exp(-logit)) by integers, in steps of 1/65536 and at most 0.0001 off."""
    one = 1 << 30
    z = np.rint(np.clip(logits, -16, 16) * np.float32(4096)).astype(np.int64)
    t = (np.abs(z) * 94548) >> 16
    power = np.full_like(z, -42544209)
    for term in (248356148, -742682851, one):
        power = term + ((power * (t & 4095)) >> 12)
    power >>= t >> 12
    upper = ((one << 16) + (one + power) // 2) // (one + power)
    return (np.where(z < 0, 65536 - upper, upper) / 65536).astype(np.float32)


def random_samples(board: Board, count: int, seed: int) -> list[Sample]:
    """Return random positions of one board, all with the same side to move, every input in use."""
    rng = np.random.default_rng(seed)
    cells = len(board)
    to_play = int(rng.integers(1, 3))
    result = []
    for _ in range(count):
        filled = rng.choice(3, cells, p=[0.3, 0.35, 0.35]).astype(np.uint8)
        stones = np.where(rng.random(cells) < rng.random(), filled, 0).astype(np.uint8)
        last = tuple(int(cell) for cell in rng.integers(cells, size=2))
        given: Iterable[str] = list(PLANES)[-3:]
        result.append(
            Sample(
                board,
                stones.tobytes(),
                to_play,
                last,
                filled.tobytes(),
                rng.integers(2, size=cells).astype(np.uint8).tobytes(),
                {name: rng.integers(128, size=cells).astype(np.uint8).tobytes() for name in given},
            )
        )
    return result
