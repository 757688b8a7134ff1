"""The machine that a measurement or a bug report is from."""

from __future__ import annotations

import platform
from pathlib import Path


def cpu_model() -> str:
    """Return the name of the processor, or its architecture where the system tells no more."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    except OSError:
        pass
    return platform.machine()
