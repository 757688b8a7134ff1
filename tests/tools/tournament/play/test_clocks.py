"""Clocks, and how the referee tells a slow engine from a slow host."""

import os
import subprocess
import sys
import threading
import time

import pytest
from leaks import wait_for

from pipes import needs_proc
from trivalent.tools.tournament.model import TimeControl
from trivalent.tools.tournament.play import clocks
from trivalent.tools.tournament.play.clocks import (
    Clock,
    Left,
    Pulse,
    Starvation,
    pulse,
    was_suspended,
)


def test_no_clock() -> None:
    clock = Clock(TimeControl(nodes=100))
    assert (clock.limit, clock.runs) == (None, False)


def test_time_for_every_move() -> None:
    clock = Clock(TimeControl(move=2))
    for _ in range(3):
        assert (clock.limit, clock.runs) == (2, False)
        clock.spend(5)


def test_main_time() -> None:
    clock = Clock(TimeControl(main=10))
    assert (clock.limit, clock.left, clock.runs) == (10, Left(10, 0), True)
    clock.spend(4)
    assert (clock.limit, clock.left) == (6, Left(6, 0))
    clock.spend(6.5)  # within the margin
    assert (clock.limit, clock.left) == (0, Left(0, 0))


def test_increment() -> None:
    clock = Clock(TimeControl(main=10, increment=2))
    clock.spend(4)
    assert clock.limit == 8
    clock.spend(8.1)
    assert clock.limit == 2


def test_byo_yomi() -> None:
    clock = Clock(TimeControl(main=10, byo_yomi=6, stones=2))
    assert (clock.limit, clock.left) == (16, Left(10, 0))
    clock.spend(9)
    assert (clock.limit, clock.left) == (7, Left(1, 0))
    clock.spend(3)  # 1 of main time, 2 of the period
    assert (clock.limit, clock.left) == (4, Left(4, 1))
    clock.spend(3)
    assert (clock.limit, clock.left) == (6, Left(6, 2))
    clock.spend(6)
    assert (clock.limit, clock.left) == (0, Left(0, 1))


def test_byo_yomi_alone() -> None:
    clock = Clock(TimeControl(byo_yomi=6))
    for _ in range(3):
        assert (clock.limit, clock.left) == (6, Left(6, 1))
        clock.spend(5)


def test_time_for_every_move_within_main_time() -> None:
    clock = Clock(TimeControl(move=3, main=4))
    assert clock.limit == 3
    clock.spend(2)
    assert clock.limit == 2


class Now:
    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


def test_pulse() -> None:
    now = Now()
    heart = Pulse(now)
    for _ in range(5):
        now.seconds += clocks.BEAT_SECONDS + 0.001
        heart.beat()
    assert heart.lag(100) == 0
    now.seconds += 0.51
    assert heart.lag(now.seconds) == pytest.approx(0.5)  # still going on
    heart.beat()
    assert heart.lag(now.seconds) == pytest.approx(0.5)
    assert heart.lag(now.seconds + 0.001) == 0
    now.seconds += 0.31
    heart.beat()
    assert heart.lag(100) == pytest.approx(0.5)
    assert heart.lag(now.seconds) == pytest.approx(0.3)


def test_process_wide_pulse_beats() -> None:
    heart = pulse.get()
    assert pulse.get() is heart
    time.sleep(0.3)
    wait_for(lambda: heart.lag(time.monotonic()) < 0.1)  # without beats, the lag would only grow


def test_pulse_notices_a_stopped_process() -> None:
    program = (
        "import os, signal, sys, time\n"
        "from trivalent.tools.tournament.play.clocks import pulse\n"
        "heart = pulse.get()\n"
        "began = time.monotonic()\n"
        "sys.stdout.write('ready\\n'); sys.stdout.flush()\n"
        "sys.stdin.readline()\n"
        "print(heart.lag(began))\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
        process.send_signal(19)
        time.sleep(0.5)
        process.send_signal(18)
        lag = process.communicate("\n")[0]
    assert float(lag) > 0.3


def test_suspension() -> None:
    before = clocks.suspension()
    assert not was_suspended(before)
    assert was_suspended(before - 1)


@needs_proc
def test_starvation() -> None:
    core = min(os.sched_getaffinity(0))
    spin = f"import os; os.sched_setaffinity(0, {{{core}}})\nwhile True: pass"
    programs = [subprocess.Popen([sys.executable, "-c", spin]) for _ in range(2)]
    looking = [Starvation(program.pid) for program in programs]
    wait_for(lambda: all(one.seconds() > 0.02 for one in looking))  # both share that core
    for program in programs:
        program.kill()
        program.wait()
    assert [one.seconds() for one in looking] == [0.0, 0.0]
    for one in looking:
        one.close()


def test_unknown_starvation_is_zero() -> None:
    before = set(os.listdir("/proc/self/fd"))
    for number in (None, 2**22 + 1):
        nothing = Starvation(number)
        assert nothing.seconds() == 0
        nothing.close()
    assert set(os.listdir("/proc/self/fd")) == before


def test_starvation_of_a_thread() -> None:
    ours = Starvation(threading.get_native_id())
    assert 0 <= ours.seconds() < 1e6
    ours.close()


def test_suspension_without_the_clocks_of_linux(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(time, "CLOCK_BOOTTIME")
    assert clocks.suspension() == 0.0
    standing = time.CLOCK_PROCESS_CPUTIME_ID  # far behind
    monkeypatch.setattr(time, "CLOCK_UPTIME_RAW", standing, raising=False)
    assert clocks.suspension() > 0.0
