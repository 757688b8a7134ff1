"""Tournaments killed, restarted and filled up.  Run with -m soak -s to see the figures."""

import os
import random
import resource
import shutil
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tournaments import (
    begin,
    ends,
    engines_of,
    eventually,
    read_until,
    table,
    tournament,
    trivial_plan,
)

from trivalent.tools.tournament.model import Ending, Record
from trivalent.tools.tournament.plan.plan_file import load
from trivalent.tools.tournament.plan.plan_model import dumps
from trivalent.tools.tournament.run.schedule import Schedule
from trivalent.tools.tournament.run.store import Store

pytestmark = pytest.mark.soak
KILLS = 200


def _show(line: str) -> None:
    sys.stdout.write(line + "\n")


def _live_a_little(plan: Path, chance: random.Random, *, ahead: bool) -> bool:
    """Start or continue a run, and kill it at a random instant; return whether it had ended.

    A third of the instants lie in its beginning, those that are to slow it down before its first
    games, and the others soon after a game, where it saves.
    """
    with begin(plan) as process:
        if ahead or chance.random() < 1 / 3:
            time.sleep(chance.uniform(0.0, 0.3 if ahead else 0.8))
        else:
            assert process.stdout
            lines = chance.randrange(1, 10)
            for _ in range(lines):
                process.stdout.readline()
            time.sleep(chance.uniform(0.0, 0.05))
        ended = process.poll() is not None
        process.kill()
    return ended


def test_killed_at_random_instants(tmp_path: Path) -> None:
    """Kill a run of 500 games 200 times: every game once, same table as an uninterrupted run."""
    undisturbed = trivial_plan(tmp_path, rounds=10, seconds=0.001)
    assert tournament("run", undisturbed).returncode == 0
    expected = table(undisturbed.with_suffix(".db"))
    assert len(expected) == 500
    (tmp_path / "killed").mkdir()
    plan = Path(shutil.copy(undisturbed, tmp_path / "killed"))
    database = plan.with_suffix(".db")
    chance = random.Random(8)
    kills = before = 0
    progress = []
    while kills < KILLS:
        ahead = before * KILLS > 450 * kills  # so that the run outlasts all of them
        assert not _live_a_little(plan, chance, ahead=ahead), f"it ended after {kills} kills"
        kills += 1
        assert eventually(lambda: not engines_of(tmp_path))
        if database.exists():
            played = table(database)
            assert len({game for game, *_ in played}) == len(played) >= before
            assert set(played) <= set(expected)
            progress.append(len(played) - before)
            before = len(played)
    _show(f"{kills} kills, {before} games before the last one, {progress.count(0)} times none")
    assert tournament("run", plan).returncode == 0
    assert table(database) == expected
    final, same = (tournament("status", path).stdout for path in (undisturbed, plan))
    assert final == same
    connection = sqlite3.connect(database)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


def test_restart_at_a_hundred_thousand_games(tmp_path: Path) -> None:
    plan_path = trivial_plan(tmp_path, rounds=2001)
    plan = load(plan_path)
    due = Schedule(plan).due(100_000)
    moves, seconds = (
        tuple(f"{column}{row}" for row in range(1, 6) for column in "abcde"),
        25 * (0.0,),
    )
    with Store.create(plan_path.with_suffix(".db"), dumps(plan), plan.digest) as store:
        store.add(
            [
                (game, Record(game.id, 1, Ending.CONNECTION, "a", "", "", moves, seconds, 1e9, 0.1))
                for game in due
            ]
        )
    began = time.monotonic()
    with begin(plan_path) as process:
        read_until(process, "game begun")
        _show(f"the first new game begins after {time.monotonic() - began:.2f} s")
        process.terminate()
        assert ends(process) == 3


def _used(process: subprocess.Popen[str]) -> tuple[int, int]:
    """Return the memory of a process in KiB, and its open descriptors."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    resident = next(line for line in status.splitlines() if line.startswith("VmRSS"))
    return int(resident.split()[1]), len(os.listdir(f"/proc/{process.pid}/fd"))


def test_memory_and_descriptors(tmp_path: Path) -> None:
    """Neither grows with the games, except for what schedule and ratings keep of each."""
    plan = trivial_plan(tmp_path, size=3, rounds=1000)
    with begin(plan) as process:
        figures = []
        for _ in range(9):
            read_until(process, "game ended", 2000)
            figures.append(_used(process))
        process.terminate()
        assert ends(process) in (0, 3)
    for number, (memory, descriptors) in enumerate(figures, 1):
        _show(f"{2000 * number} games: {memory} KiB, {descriptors} descriptors")
    assert figures[-1][1] <= figures[0][1]
    assert (figures[-1][0] - figures[0][0]) * 1024 / 16_000 < 2000


def _processor_time() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


@pytest.mark.parametrize("concurrency", [1, 8])
def test_overhead(tmp_path: Path, concurrency: int) -> None:
    """Cost of the runner, with engines that cost almost nothing."""
    plan = trivial_plan(tmp_path, size=11, rounds=4, concurrency=concurrency)
    pinned = ("--pin", "1") if concurrency == 1 else ()
    before = _processor_time()
    began = time.monotonic()
    assert tournament("run", plan, *pinned).returncode == 0
    wall = time.monotonic() - began
    after = _processor_time()
    assert tournament("run", plan, *pinned).returncode == 0  # measures the start alone
    cpu = (after - before) - (_processor_time() - after)
    games = table(plan.with_suffix(".db"))
    moves = sum(len(moves) for *_, moves in games)
    _show(
        f"{concurrency} at a time: {len(games)} games of {moves / len(games):.0f} moves; "
        f"{len(games) / wall:.0f} games/s; processor {1e3 * cpu / len(games):.2f} ms a game, "
        f"{1e6 * cpu / moves:.0f} us a move, runner and engines: "
        f"{moves / cpu / 60:.0f} games of 60 moves a second and core"
    )


@pytest.mark.parametrize("varies", [False, True], ids=["in step", "not in step"])
@pytest.mark.parametrize("clock", ["", "clock = { move = 10 }\n", "clock = { main = 60 }\n"])
def test_delay_of_moves(tmp_path: Path, clock: str, varies: bool) -> None:
    """Delay added to a move with 8 games in parallel and engines that take about 20 ms.

    If all take the same, all games wait for the runner at the same instant, and for each other.
    """
    plan = trivial_plan(tmp_path, size=7, concurrency=8, seconds=0.02, varies=varies)
    plan.write_text(clock + plan.read_text())
    assert tournament("run", plan).returncode == 0
    with Store.read(plan.with_suffix(".db")) as store:
        records = list(store.records())
    moves = sum(len(record.moves) - 1 for record in records)
    wall = sum(record.duration for record in records)
    busy = sum(map(float, (tmp_path / "busy").read_text().split()))
    added = 1e3 * (wall - busy) / moves
    told = f"{clock.strip() or 'no clock'}, {'not ' if varies else ''}in step"
    _show(f"{told}: {moves} moves, {added:.3f} ms a move beyond the engines' own time")
