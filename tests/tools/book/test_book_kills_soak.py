"""`trivalent book build` killed a hundred times.  Run with -m soak -s to see the figures."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from books import Here, build, content, settings

from trivalent.bot.book.book_file import BookFile
from trivalent.tools.book.book_builder import BookBuilder
from trivalent.tools.book.book_checks import check

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.soak

KILLS = 100
NODES = 300
TRIVALENT = str(Path(sys.executable).parent / "trivalent")


def test_killed_at_random_moments(tmp_path: Path) -> None:
    """Nothing is lost but the positions under way: what was stored stays, to the last digit."""
    path = tmp_path / "killed.book"
    words = [TRIVALENT, "book", "build", str(path), "--size", "9", "--nodes", str(NODES),
             "--processes", "1"]  # fmt: skip
    chance = random.Random(1)
    before: dict[str, tuple[object, ...]] = {}
    grown = 0
    usual = _run(words, lambda: path.exists() and len(content(path)) > 1, 600.0)
    for _ in range(KILLS):
        _run(words, lambda: False, chance.uniform(0.2, 2.0) * usual)
        with BookFile.read(path) as file:
            assert check(file, 0.0).faults == ()
        after = {str(row[0]): row for row in content(path)}
        assert before.keys() <= after.keys()
        grown += len(after) > len(before)
        before = after
    sys.stdout.write(f"{KILLS} kills, {len(before)} positions, {grown} times more than before\n")
    assert grown > KILLS // 4
    # The book is the one that an undisturbed builder makes; its latest expansion may have added
    # no position.
    whole = tmp_path / "whole.book"
    about = settings("hex", 9, nodes=NODES)
    with BookBuilder.open(whole, about) as builder:
        nodes = builder.graph.nodes
        builder.build(Here(), 1, stops=lambda _: len(nodes) >= len(before), report=lambda _: None)
    while content(whole) != sorted(before.values()):
        build(whole, about, 1)
        assert len(content(whole)) == len(before)


def _run(words: list[str], enough: Callable[[], bool], seconds: float) -> float:
    """Run a builder, and kill it after some seconds or when it's enough; return the time taken."""
    began = time.monotonic()
    with subprocess.Popen(
        words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    ) as process:
        while time.monotonic() < began + seconds and not enough():
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGKILL)
    return time.monotonic() - began
