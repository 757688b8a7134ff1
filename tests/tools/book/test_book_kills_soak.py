"""`trivalent book build` killed a hundred times.  Run with -m soak -s to see the figures."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from books import build, content, settings

from trivalent.bot.book.book_file import BookFile
from trivalent.tools.book.book_checks import check

pytestmark = pytest.mark.soak

KILLS = 100
TRIVALENT = str(Path(sys.executable).parent / "trivalent")


def test_killed_at_random_moments(tmp_path: Path) -> None:
    """Nothing is lost but the positions under way: what was stored stays, to the last digit."""
    path = tmp_path / "killed.book"
    words = [TRIVALENT, "book", "build", str(path), "--size", "9", "--nodes", "20", "--processes",
             "1"]  # fmt: skip
    chance = random.Random(1)
    before: dict[str, tuple[object, ...]] = {}
    grown = 0
    for _ in range(KILLS):
        with subprocess.Popen(
            words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
        ) as process:
            time.sleep(chance.uniform(0.5, 6.0))
            os.kill(process.pid, signal.SIGKILL)
            _, errors = process.communicate()
        assert b"Traceback" not in errors
        if not path.exists():
            continue
        with BookFile.read(path) as file:
            assert check(file, 0.0).faults == ()
        after = {str(row[0]): row for row in content(path)}
        assert before.keys() <= after.keys()
        grown += len(after) > len(before)
        before = after
    sys.stdout.write(f"{KILLS} kills, {len(before)} positions, {grown} times more than before\n")
    assert grown > KILLS // 4
    # The book is the one that an undisturbed builder makes.
    whole = tmp_path / "whole.book"
    build(whole, settings("hex", 9, nodes=20), 1)
    while len(content(whole)) < len(before):
        build(whole, settings("hex", 9, nodes=20), 20)
    build(path, settings("hex", 9, nodes=20), 1)
    names = {row[0] for row in content(whole)}
    assert before.keys() <= names
