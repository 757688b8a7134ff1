"""Float networks as ONNX graphs, to compare other runtimes with our kernels.

The seven taps become 3x3 convolutions with two zero weights, since runtimes have no hexagonal ones.
All but `missing` needs the packages onnx and onnxruntime.
"""

from __future__ import annotations

import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from trivalent.bot.evaluation.network_file import TAPS
from trivalent.bot.evaluation.network_reference import ONE, RINGS, draw_planes, seats

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from trivalent.bot.evaluation.network_file import Architecture
    from trivalent.bot.evaluation.network_reference import Array, Sample, Weights
    from trivalent.core.board import Board

_OPSET = 17


def missing() -> list[str]:
    """Return the required packages that aren't installed."""
    return [name for name in ("onnx", "onnxruntime") if find_spec(name) is None]


def inputs_of(architecture: Architecture, samples: Sequence[Sample]) -> Array:
    """Return the graph's input for positions, [positions][planes][rows + 4][columns + 4]."""
    planes = np.stack([draw_planes(architecture, sample) for sample in samples])
    used = planes[..., : len(architecture.planes)].astype(np.float32) / ONE
    return np.ascontiguousarray(used.transpose(0, 3, 1, 2))


class _Graph:
    """The nodes and constants of a graph under construction."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, value: Array) -> str:
        from onnx import numpy_helper

        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(value, name))
        return name

    def add(self, kind: str, *inputs: str, name: str | None = None, **attributes: Any) -> str:  # noqa: ANN401
        from onnx import helper

        output = name or f"x{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def convolution(self, x: str, weights: Array, bias: Array, *, padded: bool = False) -> str:
        square = np.zeros((*weights.shape[:2], 3, 3), np.float32)
        for tap, (dy, dx) in enumerate(TAPS):
            square[:, :, 1 + dy, 1 + dx] = weights[..., tap]
        pads = [1, 1, 1, 1] if padded else [0, 0, 0, 0]
        return self.add(
            "Conv", x, self.constant(square), self.constant(bias.astype(np.float32)), pads=pads
        )

    def alone(self, x: str, weights: Array, bias: Array) -> str:
        return self.add(
            "Conv",
            x,
            self.constant(weights[..., None, None].astype(np.float32)),
            self.constant(bias.astype(np.float32)),
        )


def build_graph(weights: Weights, architecture: Architecture, board: Board) -> bytes:
    """Return the model of a network on one board, for batches of any size.

    Its outputs are the logits of the policy, [positions][1][rows][columns], and of the value,
    [positions][1].  On oblong Hex boards it takes positions with Black to move.
    """
    from onnx import TensorProto, helper

    graph = _Graph()
    (row, column), (rows, columns) = seats(board, 1)
    on_board = np.zeros((1, 1, rows, columns), np.float32)
    on_board[..., row, column] = 1
    mask = graph.constant(on_board)
    cells = graph.constant(np.array(len(board), np.float32))
    inside = [graph.constant(np.array(edges)) for edges in ([1, 1], [-1, -1], [2, 3])]
    ring = graph.constant(np.array([0, 0, 1, 1, 0, 0, 1, 1]))

    def pool(x: str) -> str:
        """Means and maxima over the cells; all inputs are 0 or more."""
        held = graph.add("Mul", x, mask)
        total = graph.add("ReduceSum", held, graph.constant(np.array([2, 3])), keepdims=0)
        most = graph.add("ReduceMax", held, axes=[2, 3], keepdims=0)
        return graph.add("Concat", graph.add("Div", total, cells), most, axis=1)

    x = graph.convolution("planes", weights["input/weights"], weights["input/bias"])
    x = graph.add("Relu", x)
    for number, pools in enumerate(architecture.blocks):
        block = f"blocks/{number}"
        first, second = (
            (weights[f"{block}/{name}/weights"], weights[f"{block}/{name}/bias"])
            for name in ("first", "second")
        )
        y = graph.convolution(x, *first)
        if pools:
            pooled = pool(graph.add("Slice", x, *inside))
            y = graph.add("Add", y, _dense(graph, pooled, weights, f"{block}/pool"))
        y = graph.add("Mul", graph.add("Relu", y), mask)
        z = graph.convolution(y, *second, padded=True)
        z = graph.add("Pad", graph.add("Mul", z, mask), ring)
        x = graph.add("Relu", graph.add("Add", x, z))
    x = graph.add("Slice", x, *inside)
    head = graph.alone(x, weights["head/weights"], weights["head/bias"])
    head = graph.add("Relu", graph.add("Add", head, _dense(graph, pool(x), weights, "head/pool")))
    policy = weights["policy/weights"][None], weights["policy/bias"].reshape(1)
    outputs = [graph.add("Identity", graph.alone(head, *policy), name="policy")]
    hidden = graph.add("Gemm", pool(head), *_matrix(graph, weights, "hidden"), transB=1)
    value = graph.add(
        "Gemm",
        graph.add("Relu", hidden),
        graph.constant(weights["value/weights"][None].astype(np.float32)),
        graph.constant(weights["value/bias"].reshape(1).astype(np.float32)),
        name="value",
        transB=1,
    )
    outputs.append(value)
    shape: list[str | int | None] = [
        "n",
        len(architecture.planes),
        rows + 2 * RINGS,
        columns + 2 * RINGS,
    ]
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "network",
            [helper.make_tensor_value_info("planes", TensorProto.FLOAT, shape)],
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs],
            graph.constants,
        ),
        opset_imports=[helper.make_opsetid("", _OPSET)],
        ir_version=8,
    )
    content: bytes = model.SerializeToString()
    return content


def _matrix(graph: _Graph, weights: Weights, name: str) -> tuple[str, str]:
    return (
        graph.constant(weights[f"{name}/weights"].astype(np.float32)),
        graph.constant(weights[f"{name}/bias"].astype(np.float32)),
    )


def _dense(graph: _Graph, pooled: str, weights: Weights, name: str) -> str:
    """Return what pooled values add to each channel, [positions][channels][1][1]."""
    matrix = graph.constant(weights[f"{name}/weights"].T.astype(np.float32))
    product = graph.add("MatMul", pooled, matrix)
    return graph.add("Unsqueeze", product, graph.constant(np.array([2, 3])))


def quantise_graph(model: bytes, inputs: Sequence[Array]) -> bytes:
    """Return the model with 8-bit convolutions, calibrated on inputs."""
    from onnxruntime import quantization

    class Reader(quantization.CalibrationDataReader):  # type: ignore[misc]
        def __init__(self) -> None:
            self.left: Iterator[Array] = iter(inputs)

        def get_next(self) -> dict[str, Array] | None:
            x = next(self.left, None)
            return None if x is None else {"planes": x}

    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "float.onnx"), Path(folder, "bytes.onnx")
        source.write_bytes(model)
        quantization.quantize_static(
            source,
            target,
            Reader(),
            quant_format=quantization.QuantFormat.QDQ,
            activation_type=quantization.QuantType.QUInt8,
            weight_type=quantization.QuantType.QInt8,
            per_channel=True,
        )
        return target.read_bytes()


def runner(model: bytes) -> Callable[[Array], list[Array]]:
    """Return a function that evaluates inputs with a model, on one thread."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    def run(planes: Array) -> list[Array]:
        found: list[Array] = session.run(["policy", "value"], {"planes": planes})
        return found

    return run
