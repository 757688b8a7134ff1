"""Checks that engines leave no processes and no descriptors behind."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from hostile import command

from pipes import HANGS
from trivalent.gtp.client import guard
from trivalent.gtp.client.client import Client
from trivalent.tools.tournament.play.clocks import pulse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def alive(token: str = "") -> list[int]:
    """Return the living engines of a process (default: this one) and their children."""
    mark = f"{guard.MARK}={token or guard.guard.get().token}."
    return guard.survivors(mark.encode(), set())


def descriptors() -> int:
    """Return the number of open descriptors of this process."""
    return len(os.listdir("/proc/self/fd"))


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait until a condition holds."""
    end = time.monotonic() + HANGS
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@contextmanager
def nothing_stays() -> Iterator[None]:
    """Assert that the code in the context leaves no process and no descriptor behind."""
    Client.start(command()).close()  # starts the guard and the thread that stay
    pulse.get()
    before = descriptors()
    yield
    assert alive() == []
    assert descriptors() == before
