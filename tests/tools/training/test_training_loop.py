import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from training import TINY

from trivalent.bot.evaluation.network_file import read_network
from trivalent.bot.evaluation.network_quantisation import quantise
from trivalent.core.games import make_board
from trivalent.tools.training.gate import network_choice, policy_match
from trivalent.tools.training.learner import calibration_samples, first_weights
from trivalent.tools.training.position_shards import join, read_shard
from trivalent.tools.training.training_folder import TrainingFolder, read_checkpoint

pytest.importorskip("torch", reason="needs the extra `train`")


def command(folder: Path, *options: str, **settings: object) -> list[str]:
    words = [sys.executable, "-c", "from trivalent.tools.cli import main; raise SystemExit(main())"]
    words += ["train", "--folder", str(folder), "--threads", "1", *options]
    for name, value in {**TINY, **settings}.items():
        shown = ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
        words += [f"--{name.replace('_', '-')}", shown]
    return words


def test_a_trained_network_beats_an_untrained_one(tmp_path: Path) -> None:
    settings = {"sizes": (5,), "blocks": 2, "positions": 1500, "passes": 25.0, "nodes": 50}
    words = command(tmp_path, "--generations", "1", **settings)
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
    folder = TrainingFolder.open(tmp_path)
    (entry,) = folder.log
    assert entry["generation"] == 0
    found = entry["held_out"]
    assert found["quantised"]["top1"] > found["patterns"]["top1"]
    assert abs(found["quantised"]["cross_entropy"] - found["float"]["cross_entropy"]) < 0.1
    curve = json.loads(folder.figures(0).read_text())["curve"]
    assert curve[-1]["policy"] < 0.8 * curve[0]["policy"]
    assert curve[-1]["value"] < curve[0]["value"]
    positions = join([g for path in folder.shards() for g in read_shard(path, "hex")])
    architecture = folder.settings.architecture
    samples = calibration_samples(positions, 1)
    untrained = quantise(first_weights(architecture, 1), architecture, [samples], "untrained")
    board = make_board("hex", 5)
    trained = read_network(folder.network(0))
    pairs = policy_match(
        network_choice(trained, board), network_choice(untrained, board), board, 30, seed=1
    )
    assert pairs.wins >= 40  # of 60


def check_files(folder: Path) -> tuple[int, int]:
    """Check that all files are whole; return the numbers of generations and positions."""
    if not (folder / "settings.json").exists():
        return 0, 0
    run = TrainingFolder.open(folder)
    positions = sum(len(g) for path in run.shards() for g in read_shard(path, "hex"))
    for path in (folder / "checkpoints").glob("[0-9]*"):
        read_checkpoint(path)
    for path in (folder / "networks").glob("[0-9]*.net"):
        read_network(path)
        json.loads(path.with_suffix(".json").read_text())
    assert [entry["generation"] for entry in run.log] == list(range(len(run.log)))
    return len(run.log), positions


def kill_at_random(folder: Path, kills: int, seconds: float, seed: int) -> None:
    """Kill trainers at random moments; nothing written before is lost or torn."""
    moments = random.Random(seed)
    before = (0, 0)
    words = command(folder, save=0.3)
    for _ in range(kills):
        with subprocess.Popen(
            words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
        ) as trainer:
            time.sleep(0.1 + seconds * moments.random() ** 2)  # mostly early
            assert trainer.poll() is None, trainer.stderr and trainer.stderr.read()
            if moments.random() < 0.5:
                trainer.kill()
            else:
                os.killpg(trainer.pid, signal.SIGKILL)
            trainer.wait()
        after = check_files(folder)
        assert after >= before
        assert after[1] >= before[1]
        before = after
    assert before[1] > 0
    generations = str(before[0] + 1)
    words = command(folder, "--generations", generations, save=0.3)
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
    assert "skipped" not in done.stderr
    assert check_files(folder)[0] == before[0] + 1


def test_kills_lose_nothing(tmp_path: Path) -> None:
    kill_at_random(tmp_path, 20, 6.0, seed=1)


@pytest.mark.soak
def test_many_kills_lose_nothing(tmp_path: Path) -> None:
    kill_at_random(tmp_path, 200, 15.0, seed=2)


def test_the_end_of_the_time_and_ctrl_c(tmp_path: Path) -> None:
    words = command(tmp_path, "--hours", "0.0002", positions=1_000_000, save=0.3)
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == "the time is over; the same command goes on"
    words = command(tmp_path, positions=1_000_000, save=0.3)
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as trainer:
        assert trainer.stdout
        assert "self-play" in trainer.stdout.readline()
        end = time.monotonic() + 60
        while not check_files(tmp_path)[1] and time.monotonic() < end:
            time.sleep(0.1)
        trainer.send_signal(signal.SIGINT)
        assert trainer.stdout.read().splitlines()[-1] == "interrupted; the same command goes on"
    assert trainer.returncode == 130
    assert check_files(tmp_path)[1] > 0
