"""The relay passes everything on; its log shows when engine and controller get out of step."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import gtp_tee
import pytest
from gtp_tee import Traffic

from pipes import HANGS, PROGRAM

if TYPE_CHECKING:
    from pathlib import Path


def test_the_relay_passes_everything_on(tmp_path: Path) -> None:
    log = tmp_path / "log"
    done = subprocess.run(
        [sys.executable, gtp_tee.__file__, log, sys.executable, "-c", PROGRAM, "gtp"],
        input=b"name\n# interrupt\nboardsize 3\nplay b d1\nquit\n",
        capture_output=True,
        timeout=HANGS,
        check=True,
    )
    replies = done.stdout.decode().split("\n\n")
    assert replies[:2] == ["= Trivalent", "= "]
    assert replies[2].startswith("? ")
    traffic = Traffic(log)
    assert [line for line in log.read_text().split("\n") if line.startswith(">")] == [
        ">name",
        "># interrupt",
        ">boardsize 3",
        ">play b d1",
        ">quit",
    ]
    assert traffic.interrupts() == 1


def test_the_log_is_split_into_exchanges(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(
        ">name\n<= Trivalent\n<\n>genmove b\n!a word\n<gogui-gfx:\n<uct\n<\n># interrupt\n"
    )
    first, second = Traffic(log).exchanges()
    assert (first.command, first.text, first.complete) == ("name", "Trivalent", True)
    assert (second.graphics, second.complete) == ([["gogui-gfx:", "uct"]], False)
    log.write_text(log.read_text() + "<= c3\n<\n>quit\n")
    assert [exchange.complete for exchange in Traffic(log).exchanges()] == [True, True, False]


@pytest.mark.parametrize(
    ("log", "complaint"),
    [
        (">name\n>version\n", "had a reply"),
        (">name\n<= x\n<\n<\n", "too many"),
        ("<= x\n<\n", "a reply to nothing"),
        (">name\n<= x\n<\n<= y\n<\n", "after the reply"),
        (">name\n<=x\n<\n", "=x"),
        (">name\n<hello\n<\n", "hello"),
    ],
)
def test_disorder_is_detected(log: str, complaint: str, tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text(log)
    with pytest.raises(AssertionError, match=complaint):
        Traffic(path).exchanges()
