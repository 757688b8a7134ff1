"""The benchmark of networks: its results are tested, its times aren't."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pytest
from benches import parse

from trivalent.bot.evaluation import network_reference as reference
from trivalent.bot.evaluation._network import Network, available_kernels
from trivalent.bot.evaluation.network_quantisation import quantise, random_weights
from trivalent.core.games import REDUCED_GAMES, make_board
from trivalent.tools.benchmarks import measure_network, onnx_network
from trivalent.tools.benchmarks._bench_network import seconds_to_evaluate
from trivalent.tools.benchmarks.measure_network import (
    BATCH,
    NetworkPlan,
    architecture,
    measure_networks,
)
from trivalent.tools.commands import bench

if TYPE_CHECKING:
    from pathlib import Path

    from instruction_sets import InstructionSet

KEYS = ["game", "size", "channels", "layers", "engine", "batch", "microseconds", "giga_products"]
needs_onnx = pytest.mark.skipif(bool(onnx_network.missing()), reason="without onnx, onnxruntime")


def small(seed: int = 1, sets: int = 1) -> NetworkPlan:
    return NetworkPlan(sizes=(4,), sets=sets, seed=seed, shapes=((16, 4),))


def engines() -> list[tuple[str, int]]:
    result = [(name, 1) for name in available_kernels()] + [("numpy", BATCH)]
    if not onnx_network.missing():
        result += [(f"onnx {kind}", batch) for kind in ("fp32", "int8") for batch in (1, BATCH)]
    return result


def test_rows_and_signature() -> None:
    calls: list[None] = []
    rows, signature = measure_networks(small(sets=2), lambda: calls.append(None))
    assert len(calls) == 2 * len(REDUCED_GAMES)
    assert [(row.game, row.engine, row.batch) for row in rows] == [
        (game, engine, batch) for game in REDUCED_GAMES for engine, batch in engines()
    ]
    assert {(row.size, row.channels, row.layers) for row in rows} == {(4, 16, 4)}
    assert all(row.microseconds > 0 and row.giga_products > 0 for row in rows)
    assert measure_networks(small())[1] == signature
    assert measure_networks(small(seed=2))[1] != signature


def test_products() -> None:
    """Of 8 planes, 32 channels, two blocks and a head of 32 with two outputs."""
    products = 7 * 8 * 32 + 4 * 7 * 32 * 32 + 32 * 32 + 2 * 32
    assert architecture("hex", 32, 4).products == products


def test_kernels_that_differ_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stray:
        def __init__(self, file: object, board: object, kernels: str) -> None:
            self.kernels = kernels

        def evaluate(self, stones: bytes, to_play: int) -> str:
            return self.kernels

    monkeypatch.setattr(measure_network, "Network", Stray)
    monkeypatch.setattr(measure_network, "available_kernels", lambda: ("one", "two"))
    with pytest.raises(RuntimeError, match="kernels two differ on 4x4 Hex"):
        measure_networks(small())


def test_the_timing_loop() -> None:
    board, shape = make_board("hex", 5), architecture("hex", 16, 2)
    samples = reference.random_samples(board, 3, 1)
    network = Network(quantise(random_weights(shape, 1), shape, [samples], "timed"), board)
    stones = b"".join(sample.stones for sample in samples)
    assert 0 < seconds_to_evaluate(network, stones, 3) < seconds_to_evaluate(network, stones, 3000)


@needs_onnx
@pytest.mark.parametrize("game", REDUCED_GAMES)
def test_onnx_computes_the_same_network(game: str) -> None:
    board, shape = make_board(game, 6), architecture(game, 16, 4)
    weights, samples = random_weights(shape, 3), reference.random_samples(board, 5, 2)
    expected = reference.forward(weights, shape, samples)
    planes = onnx_network.inputs_of(shape, samples)
    model = onnx_network.build_graph(weights, shape, board)
    policy, value = onnx_network.runner(model)(planes)
    (row, column), _ = reference.seats(board, samples[0].to_play)
    assert policy[:, 0, row, column] == pytest.approx(expected.policy, abs=1e-4)
    assert 1 / (1 + np.exp(-value[:, 0])) == pytest.approx(expected.value, abs=1e-4)
    small_policy, _ = onnx_network.runner(onnx_network.quantise_graph(model, [planes]))(planes)
    seen = small_policy[:, 0, row, column]
    assert np.corrcoef(seen.ravel(), expected.policy.ravel())[0, 1] > 0.98


def test_the_signature_on_every_instruction_set(isa: InstructionSet) -> None:
    program = (
        "from trivalent.core._isa import chosen as isa\n"
        "from trivalent.tools.benchmarks.measure_network import NetworkPlan, measure_networks\n"
        "plan = NetworkPlan(sizes=(4,), sets=1, shapes=((16, 4),))\n"
        "print(isa(), measure_networks(plan)[1])\n"
    )
    signature = measure_networks(small())[1]
    assert isa.run("-c", program).split() == [isa.name, signature]


def test_a_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measure_network, "NetworkPlan", partial(NetworkPlan, shapes=((16, 2),)))
    target = tmp_path / "rows.json"
    assert bench.main(parse("net", "--sizes", "4,5", "--sets", "2", "--json", str(target))) == 0
    out, err = capsys.readouterr()
    lines = [line.rstrip() for line in out.splitlines()]
    assert err == ""
    assert max(map(len, lines)) <= 100
    assert "Network, Hex, microseconds per position" in lines
    rows = json.loads(target.read_text())
    assert [(row["game"], row["size"], row["engine"], row["batch"]) for row in rows] == [
        (game, size, *engine) for game in REDUCED_GAMES for size in (4, 5) for engine in engines()
    ]
    assert all(list(row) == KEYS for row in rows)


def test_too_large(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        bench.main(parse("net", "--sizes", "11,32"))
    assert "net needs boards of size 31 or less" in capsys.readouterr().err
