"""A real Dask cluster on this machine: a scheduler and two workers."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

from tournaments import eventually

if TYPE_CHECKING:
    from contextlib import ExitStack
    from pathlib import Path


class Cluster:
    """A scheduler and its workers."""

    def __init__(self, directory: Path, stack: ExitStack) -> None:
        self._directory = directory
        self._stack = stack
        self._file = directory / "scheduler.json"
        self.scheduler = self._start(
            "scheduler", "--port", "0", "--host", "127.0.0.1", "--no-dashboard"
        )
        assert eventually(self._file.exists)
        assert eventually(lambda: bool(self._file.read_text()))
        self.address = str(json.loads(self._file.read_text())["address"])
        self.workers = [self.add_worker(name) for name in ("one", "two")]

    def add_worker(self, name: str) -> subprocess.Popen[bytes]:
        return self._start(
            "worker", "--name", name, "--nthreads", "1", "--no-nanny", "--no-dashboard"
        )

    def _start(self, kind: str, *words: str) -> subprocess.Popen[bytes]:
        log = self._stack.enter_context((self._directory / f"{kind}.log").open("ab"))
        command = [sys.executable, "-m", f"distributed.cli.dask_{kind}"]
        process = subprocess.Popen(
            [*command, "--scheduler-file", self._file, *words],
            stdout=log,
            stderr=log,
            cwd=self._directory,
        )
        self._stack.callback(process.wait)
        self._stack.callback(process.kill)
        return process
