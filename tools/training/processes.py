"""The helper processes of a trainer: they play or train, and print a JSON object per line."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from types import TracebackType

_GRACE = 30.0
"""Seconds that a helper has to write its last files after it was asked to stop."""


class HelperError(RuntimeError):
    """A helper process failed; it has said why on standard error."""


class Helpers:
    """Runs helpers side by side; leaving the context asks them to stop and waits for them.

    A helper is a module of this room with a function ``main``, which finds its arguments in
    ``sys.argv``.
    """

    def __init__(self, module: str, arguments: Sequence[Sequence[str]], threads: int = 1) -> None:
        program = f"from trivalent.tools.training.{module} import main; main()"
        self.said: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self.processes = [
            subprocess.Popen(  # noqa: S603  our own program
                [sys.executable, "-c", program, *words],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                env=_environment(threads),
                text=True,
            )
            for words in arguments
        ]
        for process in self.processes:
            threading.Thread(target=self._listen, args=(process,), daemon=True).start()

    def _listen(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            with suppress(ValueError):
                self.said.put(json.loads(line))
        self.said.put(None)

    def progress(self, seconds: float) -> Iterator[dict[str, Any]]:
        """Yield what helpers say, and an empty object if nothing was said for some seconds.

        End when all helpers have.
        """
        running = len(self.processes)
        while running:
            try:
                said = self.said.get(timeout=seconds)
            except queue.Empty:
                yield {}
                continue
            if said is None:
                running -= 1
            else:
                yield said

    def stop(self) -> None:
        """Ask all helpers to write their files and end."""
        for process in self.processes:
            process.terminate()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, _: TracebackType | None
    ) -> None:
        self.stop()
        for process in self.processes:
            try:
                process.wait(_GRACE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if kind is None and any(process.returncode > 0 for process in self.processes):
            raise HelperError("a helper process failed")


def _environment(threads: int) -> dict[str, str]:
    """Return the environment of helpers: numerical libraries use no more threads than they may."""
    values = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), str(threads))
    return {**os.environ, **values}


def words(folder: Path, *numbers: int) -> list[str]:
    """Return the arguments of a helper: the folder, and numbers."""
    return [str(folder), *map(str, numbers)]
