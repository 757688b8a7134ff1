"""The programs need nothing but POSIX and Python: here without what only Linux has."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from sockets import Served

if TYPE_CHECKING:
    from pathlib import Path

HIDDEN = """
import importlib, os, resource, select, signal, sys, time
for module, names in {
    os: ("sched_getaffinity", "sched_setaffinity", "pidfd_open", "waitid", "pipe2", "eventfd",
         "memfd_create", "getrandom", "posix_fadvise", "splice", "copy_file_range", "sendfile"),
    resource: ("RLIMIT_DATA", "RLIMIT_NICE", "RLIMIT_SIGPENDING", "prlimit"),
    select: ("epoll", "EPOLLIN", "EPOLLOUT"),
    signal: ("pidfd_send_signal", "sigtimedwait"),
    time: ("CLOCK_BOOTTIME", "CLOCK_MONOTONIC_RAW", "pthread_getcpuclockid"),
}.items():
    for name in names:
        if hasattr(module, name):
            delattr(module, name)
def refuse(event, arguments):
    if event in ("open", "os.listdir", "os.scandir") and str(arguments[0]).startswith("/proc"):
        raise FileNotFoundError(2, "No such file or directory", arguments[0])
sys.addaudithook(refuse)
from pathlib import Path
from trivalent.gtp.client import guard
guard.PROC = Path("/nowhere")
from trivalent.tools.cli import main
sys.exit(main())
"""
"""A program that hides from `trivalent` what other systems lack."""

PLAN = """
size = 3
openings = ["a1"]
clock.nodes = 20
[engines."Der Erste"]
player = "mcts"
[engines."\u65e5\u672c"]
player = "uct"
restart = true
"""


def run(*words: str | Path, given: str = "") -> str:
    """Run a program to its end and return its output."""
    done = subprocess.run(
        [sys.executable, "-c", HIDDEN, *words],
        input=given,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, ""), done
    return done.stdout


def test_gtp() -> None:
    told = run("gtp", "--nodes", "50", given="boardsize 5\ngenmove black\nquit\n")
    assert told.count("= ") == 3


def test_convert() -> None:
    assert "FF[4]" in run("convert", "#5,c2c4", "--to", "sgf")


def test_solve() -> None:
    assert "black wins" in run("solve", "#4,b2", "--to-play", "black")


def test_serve_and_connect(tmp_path: Path) -> None:
    with Served(tmp_path / "log", program=HIDDEN) as server:
        told = run("connect", "127.0.0.1", str(server.port), given="name\nquit\n")
    assert told == "= Trivalent\n\n= \n\n"


def test_tournament(tmp_path: Path) -> None:
    plan = tmp_path / "league.toml"
    plan.write_text(PLAN)
    assert run("tournament", "check", plan).count("fine: ") == 2
    assert "all games are played; 2/2" in run("tournament", "run", plan)
    assert "\u65e5\u672c" in run("tournament", "report", plan, "--sgf", tmp_path / "games")
    names = {path.name for path in (tmp_path / "games").iterdir()}
    assert names == {f"Der Erste~\u65e5\u672c~a1~1{side}.sgf" for side in "bw"}


def test_doctor_names_what_is_missing() -> None:
    told = run("doctor")
    for what in ("sched_setaffinity", "a clock that counts suspensions", "RLIMIT_DATA"):
        assert f"missing:          {what}" in told
    assert f", {os.cpu_count()} usable cores" in told
