"""The folder of a training run: its settings, files, lock and log.

=======================  =========================================================================
``settings.json``        the settings, written once
``lock``                 locked by the trainer that uses the folder
``start.net``            the network that the run began with, if any
``shards/``              positions, see position_shards.py; a generation's begin with its number
``checkpoints/``         the state of training of each generation: weights and optimiser
``networks/``            the network of each generation, and a JSON file of its figures
``gates/``               the tournaments in which networks had to prove themselves
``generations.jsonl``    the log: a JSON object for each generation
``curves.png``           the learning curves
=======================  =========================================================================

Every file is written under a temporary name and renamed, so that a kill at any time leaves none
half-written; files whose checksum is wrong (a full disk, a bad copy) are named and not used.
"""

from __future__ import annotations

import fcntl
import io
import json
import os
import sys
import zipfile
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from trivalent.bot.evaluation.network_file import Architecture, NetworkFileError, read_network
from trivalent.core.files import write_file
from trivalent.core.games import GAMES, REDUCED_GAMES
from trivalent.tools.training.grown_weights import can_grow
from trivalent.tools.training.position_shards import ShardError, read_shard

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from trivalent.tools.training.position_shards import Array, Positions

FORMAT = 1
"""The version of the folder's layout."""
MIN_SIZE, MAX_SIZE = 3, 19
"""Board sizes that can be trained."""
_DIGEST = 16


class FolderError(ValueError):
    """A folder that can't be used, with a message of one sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of a run; they stay the same for its whole life."""

    game: str
    sizes: tuple[int, ...] = tuple(range(5, 14))
    channels: int = 32
    blocks: int = 3
    """Residual blocks; every second one pools."""
    planes: tuple[str, ...] = ("own", "opponent", "last", "board")
    nodes: int = 2000
    """Nodes of a full search; a quick one has a seventh."""
    positions: int = 20_000
    """Positions that each generation plays."""
    passes: float = 8.0
    """How often training sees each position of a generation on average."""
    batch: int = 128
    """Positions in a minibatch."""
    rate: float = 2e-3
    """The peak of the learning rate."""
    pairs: int = 20
    """Game pairs of a gate."""
    gate_nodes: int = 1000
    """Nodes per move in a gate."""
    save: float = 30.0
    """Seconds between writes of positions and checkpoints, which is what a kill may cost."""
    seed: int = 1

    @property
    def architecture(self) -> Architecture:
        """The architecture of the networks.  Raise NetworkFileError if it is out of range."""
        return Architecture(
            game=self.game,
            planes=self.planes,
            channels=self.channels,
            blocks=tuple(number % 2 == 1 for number in range(self.blocks)),
        )

    def check(self) -> None:
        """Raise FolderError if a setting is out of range."""
        if self.game not in REDUCED_GAMES:
            raise FolderError(f"the game {self.game!r} is not known")
        if not self.sizes or not all(MIN_SIZE <= size <= MAX_SIZE for size in self.sizes):
            raise FolderError(f"the board sizes must be {MIN_SIZE} to {MAX_SIZE}")
        for name in ("nodes", "positions", "passes", "batch", "rate", "gate_nodes", "save"):
            if not getattr(self, name) > 0:
                raise FolderError(f"{name} must be positive, not {getattr(self, name)}")
        try:
            _ = self.architecture
        except NetworkFileError as error:
            raise FolderError(str(error)) from None


class TrainingFolder:
    """The folder of a run.  Use `create_or_open` for the trainer and `open` for its helpers."""

    def __init__(self, path: Path, settings: Settings) -> None:
        self.path = path
        self.settings = settings
        self._lock: int | None = None
        for name in ("shards", "checkpoints", "networks", "gates"):
            (path / name).mkdir(parents=True, exist_ok=True)

    @classmethod
    def open(cls, path: Path) -> TrainingFolder:
        """Open a folder without locking it.  Raise FolderError if it isn't one, or OSError."""
        return cls(path, _read_settings(path / "settings.json"))

    @classmethod
    def create_or_open(
        cls, path: Path, game: str, given: Mapping[str, Any], start: Path | None = None
    ) -> TrainingFolder:
        """Lock a folder for a trainer; make it if it doesn't exist.

        ``given`` are the settings that were asked for; the others are the folder's own, or the
        defaults.  ``start`` is a network to begin with.  Raise FolderError if the folder is another
        run's, or in use; OSError; or NetworkFileError if ``start`` isn't a network.
        """
        path.mkdir(parents=True, exist_ok=True)
        lock = _lock(path)
        try:
            folder = cls(path, _settings(path, game, given, start))
            folder._sweep()
        except BaseException:
            os.close(lock)
            raise
        folder._lock = lock
        return folder

    def close(self) -> None:
        """Release the lock."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _sweep(self) -> None:
        """Delete the temporary files of trainers that were killed."""
        for folder in (self.path, *(path for path in self.path.iterdir() if path.is_dir())):
            for file in folder.glob(".*.tmp"):
                with suppress(OSError):
                    file.unlink()

    def checkpoint(self, generation: int) -> Path:
        """Return the path of a generation's checkpoint."""
        return self.path / "checkpoints" / f"{generation:04}.ckpt"

    def network(self, generation: int) -> Path:
        """Return the path of a generation's network."""
        return self.path / "networks" / f"{generation:04}.net"

    def figures(self, generation: int) -> Path:
        """Return the path of the figures of a generation's network."""
        return self.path / "networks" / f"{generation:04}.json"

    @property
    def start(self) -> Path | None:
        """The network that the run began with, or None."""
        path = self.path / "start.net"
        return path if path.exists() else None

    def gate(self, generation: int) -> Path:
        """Return the path of the plan of a generation's gate."""
        return self.path / "gates" / f"{generation:04}.toml"

    def shards(self, generation: int | None = None) -> list[Path]:
        """Return the shards, oldest generation first, or those of one generation.

        Files whose names don't begin with a generation were brought from elsewhere; they come
        first.
        """
        pattern = "*.shard" if generation is None else f"{generation:04}-*.shard"
        found = (self.path / "shards").glob(pattern)
        return sorted(found, key=lambda path: (path.name[:4].isdigit(), path.name))

    def positions(self) -> Iterator[tuple[Path, list[Positions]]]:
        """Yield all shards with their positions.  Name damaged ones on standard error, once each.

        Shards with boards of other sizes than the run's are fine.
        """
        for path in self.shards():
            try:
                yield path, read_shard(path, self.settings.game)
            except (ShardError, OSError) as error:
                sys.stderr.write(f"trivalent train: {error}; the shard is skipped\n")

    @property
    def log(self) -> list[dict[str, Any]]:
        """The log, an entry for each generation.  Raise FolderError if it is damaged."""
        file = self.path / "generations.jsonl"
        if not file.exists():
            return []
        try:
            return [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        except ValueError:
            raise FolderError(f"{file} is damaged: a line is not JSON") from None

    def append(self, entry: Mapping[str, Any]) -> None:
        """Add an entry to the log."""
        lines = [json.dumps(line) for line in [*self.log, entry]]
        text = "\n".join(lines) + "\n"
        target = self.path / "generations.jsonl"
        write_file(target, lambda temporary: temporary.write_text(text, "utf-8"))

    @property
    def best(self) -> int | None:
        """The latest generation that passed its gate, or None."""
        passed = [entry["generation"] for entry in self.log if entry["accepted"]]
        return passed[-1] if passed else None


def _checked_settings(file: Path, game: str, given: Mapping[str, Any]) -> Settings:
    """Return the settings of a folder.  Raise FolderError if others were asked for."""
    settings = _read_settings(file)
    if settings.game != game:
        found, wanted = GAMES[settings.game].title, GAMES[game].title
        raise FolderError(f"{file.parent} trains {found}, not {wanted}")
    for name, value in given.items():
        own = getattr(settings, name)
        if own != value:
            raise FolderError(
                f"{file.parent} was begun with {name} = {_shown(own)}, which can't be changed to "
                f"{_shown(value)}"
            )
    return settings


def _copy_start(start: Path, target: Path, settings: Settings) -> None:
    network = read_network(start)
    found, wanted = network.architecture, settings.architecture
    if not can_grow(found, wanted):
        raise FolderError(
            f"{start} ({found.game}, {found}) can't grow into a network of this run "
            f"({wanted.game}, {wanted})"
        )
    network.write(target)


def _shown(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _lock(path: Path) -> int:
    """Return the descriptor of the folder's lock file, locked until it is closed."""
    lock = os.open(path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise FolderError(f"another trainer is using {path}") from None
    return lock


def _settings(path: Path, game: str, given: Mapping[str, Any], start: Path | None) -> Settings:
    """Return the settings of a folder; write them if there are none."""
    file = path / "settings.json"
    if file.exists():
        return _checked_settings(file, game, given)
    settings = Settings(game=game, **given)
    settings.check()
    if start:
        _copy_start(start, path / "start.net", settings)
    text = json.dumps({"format": FORMAT, **asdict(settings)}, indent=1) + "\n"
    write_file(file, lambda temporary: temporary.write_text(text, "utf-8"))
    return settings


def _read_settings(file: Path) -> Settings:
    try:
        found = json.loads(file.read_text("utf-8"))
        version = found.pop("format")
    except FileNotFoundError:
        raise FolderError(f"{file.parent} is not the folder of a training run") from None
    except (ValueError, AttributeError, KeyError):
        raise FolderError(f"{file} is damaged: these are no settings") from None
    if version != FORMAT:
        raise FolderError(
            f"{file.parent} has format {version}, and this Trivalent uses format {FORMAT}"
        )
    names = {field.name for field in fields(Settings)}
    if set(found) != names:
        raise FolderError(f"{file} is damaged: the settings must be {', '.join(sorted(names))}")
    for name in ("sizes", "planes"):
        found[name] = tuple(found[name])
    settings = Settings(**found)
    settings.check()
    return settings


def write_checkpoint(path: Path, arrays: Mapping[str, Array], notes: Mapping[str, Any]) -> None:
    """Write arrays and notes (anything that JSON can express) with a checksum, as a whole."""
    buffer = io.BytesIO()
    noted = np.frombuffer(json.dumps(notes).encode(), np.uint8)
    np.savez(buffer, allow_pickle=False, __notes__=noted, **arrays)
    content = buffer.getvalue()
    content += blake2b(content, digest_size=_DIGEST).digest()
    write_file(path, lambda temporary: temporary.write_bytes(content))


def read_checkpoint(path: Path) -> tuple[dict[str, Array], dict[str, Any]]:
    """Return the arrays and notes of a checkpoint.  Raise FolderError if it is damaged."""
    content = path.read_bytes()
    body = content[:-_DIGEST]
    if blake2b(body, digest_size=_DIGEST).digest() != content[-_DIGEST:]:
        raise FolderError(f"{path} is damaged or not complete: its checksum is wrong")
    try:
        with np.load(io.BytesIO(body), allow_pickle=False) as found:
            arrays = {name: found[name] for name in found.files}
        notes: dict[str, Any] = json.loads(arrays.pop("__notes__").tobytes())
    except (ValueError, KeyError, zipfile.BadZipFile):
        raise FolderError(f"{path} is not a checkpoint") from None
    return arrays, notes
