"""A description of the machine, for benchmarks and bug reports."""

from __future__ import annotations

import platform
from pathlib import Path


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
