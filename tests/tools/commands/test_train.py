from pathlib import Path

import pytest
from training import tiny_folder

from trivalent.tools.cli import main

pytest.importorskip("torch", reason="needs the extra `train`")


def fails(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    with pytest.raises(SystemExit) as exit_:
        main(["train", *words])
    assert exit_.value.code == 2
    return capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize("sizes", ["", "2", "20", "9-7", "7x7", "5,,6"])
def test_sizes_out_of_range(sizes: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    told = fails(capsys, "--folder", str(tmp_path), "--sizes", sizes)
    assert "must be sizes from 3 to 19, such as 7 or 5-13 or 9,11" in told


def test_folders_that_are_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = tiny_folder(tmp_path)
    told = fails(capsys, "--folder", str(tmp_path))
    assert told == f"trivalent train: error: another trainer is using {tmp_path}"
    folder.close()
    told = fails(capsys, "--folder", str(tmp_path), "--game", "y")
    assert told == f"trivalent train: error: {tmp_path} trains Hex, not Y"
    told = fails(capsys, "--folder", str(tmp_path / "new"), "--from", str(tmp_path / "lock"))
    assert told == f"trivalent train: error: {tmp_path}/lock: this is not a network of Trivalent"
