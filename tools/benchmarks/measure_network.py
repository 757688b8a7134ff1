"""Benchmark of the network: microseconds per position by board size, channels and layers.

It measures all kernels that this machine has, the numpy reference, and, where it's installed,
onnxruntime in fp32 and int8, with the same random networks in the same positions, on one core.
Times are processor time, as in `trivalent.tools.benchmarks.measure_playouts`.

Our kernels take one position at a time.  In a batch, positions could share the loading of weights
and fill the last tile of places, but there is little to gain: the inner loops already run at the
peak rate of the multipliers, and half tiles leave at most 3 % of 11x11 unused.
"""

from __future__ import annotations

import logging
import time
import zlib
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from trivalent.bot.evaluation import network_reference as reference
from trivalent.bot.evaluation._network import MAX_SIDE, Network, available_kernels
from trivalent.bot.evaluation.network_file import Architecture
from trivalent.bot.evaluation.network_quantisation import quantise, random_weights
from trivalent.core.games import REDUCED_GAMES, make_board
from trivalent.tools.benchmarks import onnx_network
from trivalent.tools.benchmarks._bench_network import seconds_to_evaluate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from trivalent.core.board import Board

PLANES = (
    "own", "opponent", "last", "last-but-one", "own-filled", "opponent-filled", "pruned", "board",
)  # fmt: skip
"""Input planes of the networks."""
HEAD = 32
"""Channels of their heads."""
SHAPES = ((32, 6), (64, 6), (64, 10), (128, 6))
"""Channels and convolutions in residual blocks, two per block; every other block pools."""
SETS = 40
"""Sets by default: about a minute per size."""
QUICK_SETS = 5
"""Sets of a quick run: about 10 seconds per size."""
POSITIONS = 16
"""Different positions, evaluated in turn."""
BATCH = 16
"""Positions per batch for engines that take batches."""
SECONDS_PER_SET = 0.01
"""Approximate time per engine."""

__all__ = ["MAX_SIDE", "NetworkPlan", "NetworkRow", "measure_networks"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkRow:
    """One result of the benchmark."""

    game: str
    size: int
    channels: int
    layers: int
    engine: str
    """The name of kernels, ``numpy``, ``onnx fp32`` or ``onnx int8``."""
    batch: int
    """Positions per call."""
    microseconds: float
    """Per position, in the least disturbed sets: the 10 % quantile."""
    giga_products: float
    """Multiplications per second in 10^9, as `Architecture.products` counts them."""


@dataclass(frozen=True, slots=True)
class NetworkPlan:
    """What to measure.  A plan gives the same evaluations on every machine."""

    sizes: tuple[int, ...] = (11,)
    sets: int = SETS
    seed: int = 1
    shapes: tuple[tuple[int, int], ...] = SHAPES
    games: tuple[str, ...] = tuple(REDUCED_GAMES)


def architecture(game: str, channels: int, layers: int) -> Architecture:
    """Return the architecture to measure."""
    blocks = tuple(number % 2 == 1 for number in range(layers // 2))
    return Architecture(game=game, planes=PLANES, channels=channels, blocks=blocks, head=HEAD)


class _Measurement:
    """The engines that evaluate one network on one board, and their times, set by set."""

    def __init__(self, board: Board, shape: Architecture, seed: int) -> None:
        self._board, self._shape = board, shape
        samples = reference.random_samples(board, POSITIONS, seed)
        # As in the timing loop: Black to move, no history.
        self._samples = [reference.Sample(board, sample.stones, 1) for sample in samples]
        weights = random_weights(shape, seed)
        file = quantise(weights, shape, [self._samples], "measured")
        self._networks = [Network(file, board, name) for name in available_kernels()]
        self._stones = b"".join(sample.stones for sample in self._samples)
        self.results = self._compare()
        self._times: dict[tuple[str, int], list[float]] = {}
        self._engines: dict[tuple[str, int], Callable[[], object]] = {
            ("numpy", BATCH): partial(reference.evaluate, file, self._samples)
        }
        if not onnx_network.missing():
            self._add_onnx(onnx_network.build_graph(weights, shape, board))

    def _compare(self) -> list[object]:
        """Return the kernels' evaluations.  Raise RuntimeError if they differ."""
        said = [
            [network.evaluate(sample.stones, 1) for sample in self._samples]
            for network in self._networks
        ]
        for network, judged in zip(self._networks, said, strict=True):
            if judged != said[0]:
                raise RuntimeError(f"kernels {network.kernels} differ on {self._board}")
        return list(said[0])

    def _add_onnx(self, model: bytes) -> None:
        planes = onnx_network.inputs_of(self._shape, self._samples)
        logging.disable(logging.WARNING)  # advice on quantisation
        try:
            small = onnx_network.quantise_graph(model, [planes])
        finally:
            logging.disable(logging.NOTSET)
        for name, graph in (("onnx fp32", model), ("onnx int8", small)):
            run = onnx_network.runner(graph)
            for batch in (1, BATCH):
                self._engines[name, batch] = partial(run, planes[:batch])

    def add_set(self) -> None:
        """Measure one set."""
        for network in self._networks:
            time_kernel = partial(seconds_to_evaluate, network, self._stones)
            self._add(network.kernels, 1, time_kernel)
        for (name, batch), work in self._engines.items():
            self._add(name, batch, partial(_seconds, work))

    def _add(self, engine: str, batch: int, seconds: Callable[[int], float]) -> None:
        times = self._times.setdefault((engine, batch), [])
        # The first call only estimates how many evaluations fit into a set: caches were cold.
        usual = times[-1] if times else seconds(1) / batch
        count = max(1, int(SECONDS_PER_SET / (usual * batch)))
        times.append(seconds(count) / count / batch)

    def rows(self) -> Iterator[NetworkRow]:
        """Yield a row per engine and batch."""
        for (engine, batch), times in self._times.items():
            least = sorted(times)[len(times) // 10]
            yield NetworkRow(
                game=self._board.game,
                size=self._board.height,
                channels=self._shape.channels,
                layers=2 * len(self._shape.blocks),
                engine=engine,
                batch=batch,
                microseconds=1e6 * least,
                giga_products=len(self._board) * self._shape.products / least / 1e9,
            )


def _seconds(work: Callable[[], object], count: int) -> float:
    start = time.thread_time()
    for _ in range(count):
        work()
    return max(time.thread_time() - start, 1e-9)  # a coarse clock may show no time at all


def measure_networks(
    plan: NetworkPlan, on_set: Callable[[], None] = lambda: None
) -> tuple[list[NetworkRow], str]:
    """Carry out a plan and return the rows and the signature, a checksum of all evaluations.

    The signature depends on games, sizes, shapes and seed, but not on speed, sets or instruction
    set.  Call ``on_set`` after each set of each network.  Raise RuntimeError if kernels differ.
    """
    signature = 0
    rows: list[NetworkRow] = []
    for game in plan.games:
        for size in plan.sizes:
            for channels, layers in plan.shapes:
                board, shape = make_board(game, size), architecture(game, channels, layers)
                measurement = _Measurement(board, shape, plan.seed)
                signature = zlib.crc32(repr(measurement.results).encode(), signature)
                for _ in range(plan.sets):
                    measurement.add_set()
                    on_set()
                rows += measurement.rows()
    return rows, f"{signature:08x}"
