"""Whole tournaments as processes, for tests."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

from trivalent.tools.tournament.run.store import Store

TRIVALENT = Path(sys.executable).parent / "trivalent"
_BUILT = tempfile.TemporaryDirectory(prefix="trivial-")
_PATIENCE = 60.0

Table = list[tuple[str, str, str, tuple[str, ...]]]


@cache
def trivial() -> str:
    """Compile the trivial engine once, and return its path."""
    program = str(Path(_BUILT.name) / "trivial")
    source = Path(__file__).with_name("trivial.c")
    subprocess.run(["cc", "-O2", "-o", program, str(source)], check=True)
    return program


def trivial_plan(
    directory: Path,
    *,
    size: int = 5,
    rounds: int = 1,
    concurrency: int = 2,
    seconds: float = 0.0,
    varies: bool = False,
) -> Path:
    """Write a plan for two trivial engines that take `seconds` for a move, more or less if it
    varies.
    """
    command = [trivial(), str(seconds), str(directory), *(["varies"] if varies else [])]
    engine = f'command = {json.dumps(command)}\nstartup = ["seed {{seed}}"]\n'
    plan = directory / "league.toml"
    plan.write_text(
        f'size = {size}\nopenings = "all"\nrounds = {rounds}\nconcurrency = {concurrency}\n'
        f"[engines.a]\n{engine}[engines.b]\n{engine}"
    )
    return plan


def tournament(*words: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a subcommand to its end."""
    return subprocess.run(
        [TRIVALENT, "tournament", *words],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def begin(*words: str | Path) -> subprocess.Popen[str]:
    """Start a run whose JSON lines can be read."""
    return subprocess.Popen(
        [TRIVALENT, "tournament", "run", "--json", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
    )


def read_until(process: subprocess.Popen[str], event: str, times: int = 1) -> None:
    """Read events until `event` has occurred `times` times."""
    assert process.stdout
    for line in process.stdout:
        times -= json.loads(line)["event"] == event
        if not times:
            return
    raise AssertionError(f"the run ended before {event}: {process.communicate()[1]}")


def ends(process: subprocess.Popen[str]) -> int:
    """Wait for a started run to end, and return its exit code."""
    process.communicate(timeout=_PATIENCE)
    return process.returncode


def table(database: Path) -> Table:
    """Return what was played, independent of the order: game, winner, ending, moves."""
    with Store.read(database) as store:
        return sorted(
            (record.game, record.winner, record.ending.value, record.moves)
            for record in store.records()
        )


def engines_of(directory: Path) -> list[int]:
    """Return the engine processes with this directory on their command line."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                words = Path(f"/proc/{name}/cmdline").read_bytes().split(b"\0")
            except OSError:  # the process has ended
                continue
            if trivial().encode() in words and str(directory).encode() in words:
                found.append(int(name))
    return found


def eventually(what: Callable[[], bool]) -> bool:
    """Wait until something holds, for a limited time; return whether it does."""
    end = time.monotonic() + _PATIENCE
    while not what():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True
