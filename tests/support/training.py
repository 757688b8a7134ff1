"""Positions and folders for the tests of training."""

import random
from itertools import islice
from pathlib import Path
from typing import Any

from trivalent.tools.training.position_shards import Positions, write_shard
from trivalent.tools.training.self_play import SelfPlay
from trivalent.tools.training.training_folder import TrainingFolder

TINY: dict[str, Any] = {
    "sizes": (4,),
    "channels": 16,
    "blocks": 1,
    "nodes": 20,
    "positions": 100,
    "batch": 32,
    "pairs": 2,
    "gate_nodes": 10,
}
"""Settings with which a generation takes seconds."""


def played(game: str, size: int, count: int, seed: int = 1) -> list[Positions]:
    """Return the positions of games of a weak search."""
    games = SelfPlay(game, (size,), 30, None, seed)
    found = (games.play() for _ in range(10 * count))
    return list(islice((group for group in found if group is not None and len(group)), count))


def tiny_folder(path: Path, game: str = "hex", **settings: object) -> TrainingFolder:
    return TrainingFolder.create_or_open(path, game, {**TINY, **settings})


def add_shard(folder: TrainingFolder, name: str, games: int = 20) -> Path:
    """Put a shard of self-play into a folder."""
    path = folder.path / "shards" / name
    groups = played(folder.settings.game, folder.settings.sizes[0], games, random.getrandbits(30))
    write_shard(path, groups, "a test")
    return path
