"""The training process: a generation's network from its positions.  Needs PyTorch.

`trivalent.tools.training.processes` starts it as a process of its own, so that nobody else loads
PyTorch and a kill of either leaves only whole files.  Its progress is a JSON object per line.
"""

from __future__ import annotations

import json
import math
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from trivalent.bot.evaluation._network_inputs import OBSERVED, Observer
from trivalent.bot.evaluation.network_file import read_network
from trivalent.bot.evaluation.network_quantisation import quantise, random_weights
from trivalent.bot.evaluation.network_reference import ONE, Sample
from trivalent.core.files import write_file
from trivalent.tools.common.endings import end_with_parent
from trivalent.tools.training import held_out, training_set
from trivalent.tools.training.grown_weights import grown_weights
from trivalent.tools.training.mover_view import Planes, examples, places
from trivalent.tools.training.restored_weights import restored_weights
from trivalent.tools.training.training_folder import (
    FolderError,
    TrainingFolder,
    read_checkpoint,
    write_checkpoint,
)

if TYPE_CHECKING:
    from trivalent.bot.evaluation.network_file import Architecture, NetworkFile
    from trivalent.bot.evaluation.network_reference import Weights
    from trivalent.tools.training.position_shards import Array, Positions
    from trivalent.tools.training.torch_network import State
    from trivalent.tools.training.training_set import TrainingSet

WARM_UP = 200
"""Steps until the learning rate is at its peak, or a tenth of all."""
FINAL_RATE = 0.05
"""The learning rate at the end, as part of its peak."""
CALIBRATION = 256
"""Positions for quantisation."""
_NOTE_STEPS = 25
"""Steps between entries of the learning curve."""
_SMALL_START = ("second/weights", "policy/weights", "ownership/weights", "value/weights")


def learning_rate(step: int, steps: int, peak: float) -> float:
    """Return the rate at a step: a linear warm-up, then a cosine down to a twentieth."""
    warm_up = max(1, min(WARM_UP, steps // 10))
    if step < warm_up:
        return peak * (step + 1) / warm_up
    course = (step - warm_up) / max(1, steps - warm_up)
    return peak * (FINAL_RATE + (1 - FINAL_RATE) * (1 + math.cos(math.pi * course)) / 2)


def first_weights(architecture: Architecture, seed: int) -> Weights:
    """Return the weights of an untrained network, whose outputs and blocks change little."""
    weights = random_weights(architecture, seed)
    for name in weights:
        if name.endswith(_SMALL_START):
            weights[name] = 0.3 * weights[name]
        elif name.endswith("bias"):
            weights[name] = np.zeros_like(weights[name])
    return weights


class Learner:
    """The training of one generation."""

    def __init__(self, folder: TrainingFolder, generation: int) -> None:
        self.folder = folder
        self.generation = generation
        self.settings = folder.settings
        self.architecture = self.settings.architecture
        self.data: TrainingSet = training_set.load(folder, self.architecture)
        self.steps = self._steps(self.settings.positions)
        self.step = 0
        self.stopped = False
        self.seconds = 0.0
        """Spent so far."""
        self.curve: list[dict[str, float]] = []
        self.state: State = self._start()

    def _start(self) -> State:
        """Return the state to go on from: of this generation, of the one before, or a new one."""
        from trivalent.tools.training.torch_network import new_state, state_from

        own = self.folder.checkpoint(self.generation)
        for path in (own, *self._ancestors()):
            if not path.exists():
                continue
            try:
                arrays, notes = read_checkpoint(path)
            except (FolderError, OSError) as error:
                sys.stderr.write(f"trivalent train: {error}; the checkpoint is skipped\n")
                continue
            if path == own:
                self.step, self.steps = notes["step"], notes["steps"]
                self.seconds, self.curve = notes["seconds"], notes["curve"]
            return state_from(arrays)
        self.steps = self._steps(self.data.size)
        fresh = first_weights(self.architecture, self.settings.seed)
        if self.folder.start:
            small = restored_weights(read_network(self.folder.start), self.architecture.planes)
            return new_state(grown_weights(small, fresh, self.settings.seed))
        return new_state(fresh)

    def _steps(self, new: int) -> int:
        """Return the steps of training with a number of positions that the network hasn't seen."""
        return math.ceil(self.settings.passes * new / self.settings.batch)

    def _ancestors(self) -> list[Path]:
        """Return the earlier checkpoints, latest first, also those of rejected networks."""
        return [self.folder.checkpoint(number) for number in reversed(range(self.generation))]

    def stop(self, *_: object) -> None:
        """Let `train` end after the next step."""
        self.stopped = True

    def train(self) -> None:
        """Train to the end, or until `stop` is called, with checkpoints on the way."""
        from trivalent.tools.training.torch_network import train_step

        began = saved = time.monotonic()
        spent = self.seconds
        sums: dict[str, Any] = {}
        summed = 0
        masks = {id(planes): planes.mask.astype(np.float32) for planes in self.data.planes}
        while self.step < self.steps and not self.stopped:
            rng = np.random.default_rng((self.settings.seed, self.generation, self.step))
            batch, planes = self.data.batch(self.settings.batch, rng)
            rate = learning_rate(self.step, self.steps, self.settings.rate)
            mask = masks[id(planes)]
            losses = train_step(self.state, self.architecture, mask, batch, rate)
            self.step += 1
            for name, loss in losses.items():
                sums[name] = sums.get(name, 0.0) + loss
            summed += 1
            if self.step % _NOTE_STEPS == 0:
                self.seconds = spent + time.monotonic() - began
                noted = {name: round(float(loss) / summed, 4) for name, loss in sums.items()}
                self.curve.append({"step": self.step, **noted})
                sums, summed = {}, 0
                say(step=self.step, steps=self.steps, **noted)
            due = time.monotonic() - saved > self.settings.save
            if due or self.stopped or self.step == self.steps:
                self.seconds = spent + time.monotonic() - began
                self.save()
                saved = time.monotonic()

    def save(self) -> None:
        """Write the checkpoint."""
        notes = {
            "step": self.step,
            "steps": self.steps,
            "seconds": round(self.seconds, 1),
            "curve": self.curve,
        }
        from trivalent.tools.training.torch_network import arrays_of

        write_checkpoint(self.folder.checkpoint(self.generation), arrays_of(self.state), notes)

    def finish(self) -> None:
        """Quantise the averaged weights, measure the network, and write figures and network."""
        weights = {
            name: tensor.cpu().numpy().astype(np.float64)
            for name, tensor in self.state["average"].items()
        }
        trained = {
            "generation": self.generation,
            "positions": self.data.size,
            "steps": self.steps,
            "seconds": round(self.seconds),
        }
        groups = [calibration_samples(self.data.calibration, self.settings.seed)]
        version = f"{self.settings.game} {self.generation}"
        file = quantise(weights, self.architecture, groups, version, trained)
        figures = {**trained, "curve": self.curve, "held_out": self._held_out(file)}
        text = json.dumps(figures) + "\n"
        target = self.folder.figures(self.generation)
        write_file(target, lambda temporary: temporary.write_text(text, "utf-8"))
        file.write(self.folder.network(self.generation))

    def _held_out(self, file: NetworkFile) -> dict[str, Any]:
        groups = self.data.held_out
        return {
            "float": held_out.measure(self.predict, groups),
            "quantised": held_out.measure(held_out.network_predictor(file), groups),
            "patterns": held_out.measure(held_out.pattern_predictor, groups),
            "search_value_error": held_out.search_value_error(groups),
        }

    def predict(self, positions: Positions) -> tuple[Array, Array]:
        """Predict by the averaged weights in floats; see held_out.py."""
        from trivalent.tools.training.torch_network import evaluate

        planes = Planes(self.architecture, positions.board)
        found = examples(positions, self.architecture.planes)
        mask = planes.mask.astype(np.float32)
        size = self.settings.batch
        logits, values = [], []
        for start in range(0, len(found), size):
            rows = np.minimum(np.arange(start, start + size), len(found) - 1)
            shown = {name: content[rows] for name, content in found.observed.items()}
            drawn = planes.draw(found.stones[rows], found.last[rows], shown)
            policy, _, value = evaluate(
                self.state["average"],
                self.architecture.blocks,
                mask,
                drawn.astype(np.float32) / ONE,
            )
            logits.append(policy)
            values.append(value)
        by_place = np.concatenate(logits)[: len(found)]
        value = 1 / (1 + np.exp(-np.concatenate(values)[: len(found)]))
        by_cell = np.empty((len(found), len(positions.board)))
        for colour in (1, 2):
            own = positions.to_play == colour
            by_cell[own] = by_place[own][:, places(positions.board)[colour - 1]]
        return by_cell, value


def calibration_samples(positions: Positions, seed: int) -> list[Sample]:
    """Return some positions as `quantise` takes them."""
    rng = np.random.default_rng(seed)
    chosen = positions[rng.permutation(len(positions))[:CALIBRATION]]
    seen = Observer(positions.board).observe(
        np.ascontiguousarray(chosen.stones, np.uint8),
        chosen.to_play.astype(np.uint8),
        np.ascontiguousarray(chosen.last[:, 0], np.int16),
    )
    return [
        Sample(
            positions.board,
            stones.tobytes(),
            int(colour),
            tuple(int(cell) if cell >= 0 else None for cell in last),
            filled.tobytes(),
            pruned.tobytes(),
            {name: plane.tobytes() for name, plane in zip(OBSERVED[2:], playouts, strict=True)},
        )
        for stones, colour, last, (filled, pruned, *playouts) in zip(
            chosen.stones, chosen.to_play, chosen.last, seen, strict=True
        )
    ]


def say(**progress: object) -> None:
    """Print progress as a line of JSON."""
    sys.stdout.write(json.dumps(progress) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Train the generation that the command line names: FOLDER GENERATION THREADS."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    end_with_parent()
    import torch

    torch.set_num_threads(int(sys.argv[3]))
    folder = TrainingFolder.open(Path(sys.argv[1]))
    learner = Learner(folder, int(sys.argv[2]))
    say(step=learner.step, steps=learner.steps, positions=learner.data.size)
    signal.signal(signal.SIGTERM, learner.stop)
    learner.train()
    if not learner.stopped:
        learner.finish()
