"""The training loop: generation after generation, each from self-play to the gate.

Every step looks at the folder for what is there already, so that a new trainer goes on where the
last one ended, however it ended.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from trivalent.bot.evaluation.network_file import NetworkFileError, read_network
from trivalent.core.games import make_board
from trivalent.tools.statistics.pairs import estimate
from trivalent.tools.training import gate
from trivalent.tools.training.learning_curves import draw_curves
from trivalent.tools.training.position_shards import ShardError, read_shard
from trivalent.tools.training.processes import Helpers, words
from trivalent.tools.training.training_folder import FolderError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from trivalent.tools.common.progress_display import ProgressDisplay
    from trivalent.tools.statistics.pairs import Pairs
    from trivalent.tools.training.training_folder import TrainingFolder

_POLL_SECONDS = 0.5
_POLICY_PAIRS = 100
"""Pairs in which bare policies meet."""


class TrainingLoop:
    """Trains generations until their number or the time is reached."""

    def __init__(
        self,
        folder: TrainingFolder,
        display: ProgressDisplay,
        play: Callable[[Path], int],
        threads: int,
        end: float | None = None,
    ) -> None:
        """``play`` plays a tournament; ``end`` is the monotonic time at which to stop."""
        self.folder = folder
        self.display = display
        self.play = play
        self.threads = threads
        self.end = end

    def run(self, generations: int | None) -> bool:
        """Train until there are that many generations; return False if the time ended first."""
        while generations is None or len(self.folder.log) < generations:
            generation = len(self.folder.log)
            if not (self._self_play(generation) and self._train(generation)):
                return False
            entry = self._gate(generation)
            self.folder.append(entry)
            self._draw()
            self.display.say(_summary(entry))
        return True

    @property
    def _out_of_time(self) -> bool:
        return self.end is not None and time.monotonic() >= self.end

    def _self_play(self, generation: int) -> bool:
        """Play until the generation has its positions; return False if the time ended first.

        Positions that were brought from elsewhere count as the first generation's.
        """
        wanted = self.folder.settings.positions
        while (found := self._positions(generation)) < wanted:
            if self._out_of_time:
                return False
            self.display.say(f"generation {generation}: self-play, {found} of {wanted} positions")
            arguments = [
                words(self.folder.path, generation, number) for number in range(self.threads)
            ]
            with (
                self.display.bar(f"generation {generation}: self-play", wanted) as bar,
                Helpers("self_play", arguments) as helpers,
            ):
                for said in helpers.progress(_POLL_SECONDS):
                    found += said.get("played", 0)
                    bar.update(found)
                    if found >= wanted or self._out_of_time:
                        break
        return True

    def _positions(self, generation: int) -> int:
        shards = self.folder.shards(generation)
        if generation == 0:
            shards = self.folder.shards()
        if self.folder.network(generation).exists():  # they have been enough
            return self.folder.settings.positions
        total = 0
        for path in shards:
            try:
                total += sum(map(len, read_shard(path, self.folder.settings.game)))
            except ShardError:
                continue
        return total

    def _train(self, generation: int) -> bool:
        """Train the generation's network unless it exists; return False if the time ended first."""
        if self._has_network(generation):
            return True
        if self._out_of_time:
            return False
        self.display.say(f"generation {generation}: training")
        arguments = words(self.folder.path, generation, self.threads)
        with (
            self.display.bar(f"generation {generation}: training", 1) as bar,
            Helpers("learner", [arguments], threads=self.threads) as helpers,
        ):
            for said in helpers.progress(_POLL_SECONDS):
                if "step" in said:
                    note = f"policy loss {said['policy']}" if "policy" in said else ""
                    bar.update(said["step"], said["steps"], note)
                if self._out_of_time:
                    break
        return self.folder.network(generation).exists()

    def _has_network(self, generation: int) -> bool:
        path = self.folder.network(generation)
        if not path.exists():
            return False
        try:
            read_network(path)
        except NetworkFileError as error:
            self.display.say(f"{error}; it is trained again from its checkpoint")
            path.unlink()
            return False
        return True

    def _gate(self, generation: int) -> dict[str, Any]:
        """Play the gate and return the entry of the log."""
        self.display.say(f"generation {generation}: gate")
        bare = self._policy_match(generation)
        figures = _figures(self.folder.figures(generation))
        figures.pop("curve")
        entry = {**figures, "policies": list(bare.counts)}
        if gate.searches_with_networks() and self.folder.settings.pairs:
            pairs = gate.play_gate(self.folder, generation, self.play)
            entry["gate"] = list(pairs.counts)
        else:
            pairs = bare
        entry["elo"] = estimate(pairs.counts).elo
        entry["accepted"] = pairs.wins >= pairs.losses
        entry["network"] = self.folder.network(generation).name
        entry["time"] = time.strftime("%Y-%m-%d %H:%M:%S")
        return entry

    def _policy_match(self, generation: int) -> Pairs:
        """Let the new network's bare policy meet that of the best network, or the patterns."""
        settings, best = self.folder.settings, self.folder.best
        board = make_board(settings.game, gate.gate_size(settings.sizes))
        opponent = self.folder.start if best is None else self.folder.network(best)
        other = (
            gate.pattern_choice(board)
            if opponent is None
            else gate.network_choice(read_network(opponent), board)
        )
        new = gate.network_choice(read_network(self.folder.network(generation)), board)
        return gate.policy_match(new, other, board, _POLICY_PAIRS, generation)

    def _draw(self) -> None:
        log = self.folder.log
        curves = [_figures(self.folder.figures(entry["generation"]))["curve"] for entry in log]
        draw_curves(log, curves, self.folder.path / "curves.png")


def _figures(path: Path) -> dict[str, Any]:
    """Return the figures of a network.  Raise FolderError if they are damaged."""
    try:
        figures: dict[str, Any] = json.loads(path.read_text("utf-8"))
    except ValueError:
        raise FolderError(f"{path} is damaged: it is not JSON") from None
    return figures


def _summary(entry: dict[str, Any]) -> str:
    """Return an entry of the log in a sentence."""
    found, patterns = entry["held_out"]["quantised"], entry["held_out"]["patterns"]
    parts = [f"generation {entry['generation']}: {entry['positions']} positions"]
    if "top1" in found:
        parts.append(
            f"guesses {100 * found['top1']:.1f} % of the search's moves "
            f"(patterns {100 * patterns['top1']:.1f} %)"
        )
    if "value_error" in found:
        parts.append(f"value error {found['value_error']:.3f}")
    lost, split, won = entry.get("gate", entry["policies"])
    what = "gate" if "gate" in entry else "bare policies"
    parts.append(f"{what} {won} pairs won, {split} split, {lost} lost")
    return ", ".join(parts) + ": " + ("accepted" if entry["accepted"] else "rejected")
