"""A description of the machine, for benchmarks and bug reports."""

from __future__ import annotations

import importlib.util
import os
import platform
import resource
import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_EXTRAS = {
    "jinja2": ("report", "HTML reports of tournaments"),
    "distributed": ("cluster", "tournaments on a Dask cluster"),
    "matplotlib": ("plot", "plots of benchmarks"),
    "torch": ("train", "training of networks"),
}
"""Optional packages, with their extra and what they are for."""


def cpu_model() -> str:
    """Return the model name of the processor, or its architecture if the system doesn't name it."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    except OSError:
        pass
    return platform.machine()


def missing_packages() -> Iterator[str]:
    """Yield the optional packages that aren't installed, each with what it's for."""
    for name, (extra, purpose) in _EXTRAS.items():
        if importlib.util.find_spec(name) is None:
            yield f"{name}, for {purpose}: pip install 'trivalent[{extra}]'"


def missing_facilities() -> Iterator[str]:
    """Yield what this system lacks of what Linux has, each with what doesn't work without it."""
    if not Path("/proc/self/stat").exists():
        yield "/proc: an engine's helper processes may outlive it if they leave its session"
        if not shutil.which("ps"):
            yield "the program ps: an engine's helper processes may outlive it"
    if not Path("/proc/self/schedstat").exists():
        yield "/proc/PID/schedstat: a tournament can't tell a slow engine from a busy machine"
    if not any(hasattr(time, clock) for clock in ("CLOCK_BOOTTIME", "CLOCK_UPTIME_RAW")):
        yield "a clock that counts suspensions: engines lose on time if the machine sleeps"
    if not hasattr(os, "sched_setaffinity"):
        yield "sched_setaffinity: the number of usable cores may be wrong, no tournament run --pin"
    if sys.platform != "linux" or not hasattr(resource, "RLIMIT_DATA"):
        yield "RLIMIT_DATA for all memory: sessions of trivalent serve have no memory limit"
