import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from training import TINY, add_shard, tiny_folder

from trivalent.bot.evaluation.network_file import Architecture
from trivalent.bot.evaluation.network_quantisation import random_network
from trivalent.tools.training import training_set
from trivalent.tools.training.training_folder import (
    FolderError,
    Settings,
    TrainingFolder,
    read_checkpoint,
    write_checkpoint,
)


def test_settings_stay(tmp_path: Path) -> None:
    tiny_folder(tmp_path, rate=0.5).close()
    again = TrainingFolder.create_or_open(tmp_path, "hex", {"nodes": 20})
    assert again.settings == Settings(game="hex", **{**TINY, "rate": 0.5})


def test_a_second_trainer_is_refused(tmp_path: Path) -> None:
    first = tiny_folder(tmp_path)
    with pytest.raises(FolderError, match=r"^another trainer is using "):
        tiny_folder(tmp_path)
    first.close()
    tiny_folder(tmp_path).close()


def test_other_runs_are_refused(tmp_path: Path) -> None:
    tiny_folder(tmp_path).close()
    with pytest.raises(FolderError, match=r"trains Hex, not Y$"):
        tiny_folder(tmp_path, "y")
    with pytest.raises(FolderError, match=r"begun with sizes = 4, which can't be changed to 5,6$"):
        tiny_folder(tmp_path, sizes=(5, 6))
    file = tmp_path / "settings.json"
    text = file.read_text()
    file.write_text(json.dumps({**json.loads(text), "format": 99}))
    with pytest.raises(FolderError, match="has format 99"):
        tiny_folder(tmp_path)
    file.write_text(text[:-20])
    with pytest.raises(FolderError, match="is damaged"):
        tiny_folder(tmp_path)
    with pytest.raises(FolderError, match="is not the folder of a training run"):
        TrainingFolder.open(tmp_path / "shards")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"sizes": (2,)}, "board sizes"),
        ({"channels": 17}, "channels"),
        ({"positions": 0}, "positions must be positive"),
        ({"planes": ("own", "bogus")}, "input plane 'bogus'"),
    ],
)
def test_settings_out_of_range(settings: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(FolderError, match=message):
        tiny_folder(tmp_path, **settings)


def test_a_network_to_begin_with_must_fit(tmp_path: Path) -> None:
    other = Architecture(game="y", planes=("own", "opponent"), channels=32, blocks=())
    start = tmp_path / "other.net"
    random_network(other).write(start)
    with pytest.raises(FolderError, match=r"can't grow into a network of this run"):
        TrainingFolder.create_or_open(tmp_path / "run", "hex", TINY, start)
    random_network(Settings(game="hex", **TINY).architecture).write(start)
    folder = TrainingFolder.create_or_open(tmp_path / "run", "hex", TINY, start)
    assert folder.start is not None


def test_damaged_shards_are_named_and_skipped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tiny_folder(tmp_path)
    for number in range(3):
        add_shard(folder, f"0000-{number}.shard")
    whole = training_set.load(folder, folder.settings.architecture).size
    bad = tmp_path / "shards" / "0000-1.shard"
    bad.write_bytes(bad.read_bytes()[:-100])
    assert 0 < training_set.load(folder, folder.settings.architecture).size < whole
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 1
    assert str(bad) in told[0]
    assert told[0].endswith("the shard is skipped")


def test_leftovers_of_a_killed_trainer_are_deleted(tmp_path: Path) -> None:
    tiny_folder(tmp_path).close()
    left = tmp_path / "shards" / ".0000-1.shard.77.tmp"
    left.write_bytes(b"half")
    folder = tiny_folder(tmp_path)
    assert not left.exists()
    assert not folder.shards()


def test_checkpoints(tmp_path: Path) -> None:
    path = tmp_path / "0000.ckpt"
    write_checkpoint(path, {"weights:a/b": np.arange(5.0)}, {"step": 7})
    arrays, notes = read_checkpoint(path)
    assert arrays["weights:a/b"].tolist() == [0, 1, 2, 3, 4]
    assert notes == {"step": 7}
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(FolderError, match="checksum is wrong"):
        read_checkpoint(path)


def test_the_window_grows_with_the_data_but_slower() -> None:
    sizes = [training_set.window(n) for n in (1000, 100_000, 300_000, 1_000_000, 10_000_000)]
    assert sizes[:3] == [1000, 100_000, 300_000]
    assert sizes == sorted(sizes)
    assert sizes[-1] <= 1_000_000
    assert 400_000 < sizes[3] < 600_000
