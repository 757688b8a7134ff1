"""What engines may leave behind, and must not: processes and descriptors."""

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
    """Return the engines of this process, or of another one, and all that they have started."""
    mark = f"{guard.MARK}={token or guard.guard.get()._token}."
    return guard.survivors(mark.encode(), set())


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def wait_for(true: Callable[[], bool]) -> None:
    end = time.monotonic() + HANGS
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


@contextmanager
def nothing_stays() -> Iterator[None]:
    """Insist that no process and no descriptor stays from what happens inside."""
    Client.start(command()).close()  # what starts once has started
    pulse.get()
    before = descriptors()
    yield
    assert alive() == []
    assert descriptors() == before
