"""Programs that get a signal while they wait or compute, all forked from one process.

A process of its own has to import the package first, which takes longer than all the rest.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import traceback
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from trivalent.tools.cli import COMMANDS, main

AT_ONCE = 6
"""Programs that run at the same time."""
BUSY = 0.4
"""Seconds after which a program is at its work; a signal that comes too early must end it, too."""
PATIENCE = 20.0
"""Seconds after which a program counts as hanging: many times what a busy machine takes."""


class Ending(NamedTuple):
    """How a program has ended."""

    name: str
    signal: str
    code: int | None
    """The exit code, or minus the number of the signal; None if it hangs."""
    errors: str
    """What it wrote to standard error."""


def endings(jobs: dict[str, list[str]], inputs: dict[str, str], folder: Path) -> list[Ending]:
    """Return how programs end when they get SIGINT, and when they get SIGTERM.

    ``jobs`` has the words of the command line by name; PORT stands for that of a server that says
    nothing.  ``inputs`` is what they read first; their standard input stays open.
    """
    done = subprocess.run(
        [sys.executable, __file__, json.dumps([jobs, inputs])],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    return [Ending(*ending) for ending in json.loads(done.stdout)]


def _start(name: str, words: list[str], text: str) -> tuple[int, int]:
    """Fork a program; return its process and our end of its standard input."""
    ours, theirs = os.pipe()
    process = os.fork()
    if process:
        os.close(ours)
        os.write(theirs, text.encode())
        return process, theirs
    os.close(theirs)
    os.dup2(ours, 0)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(os.open(f"{name}.errors", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
    code: object = 1
    try:
        code = main(words)
    except SystemExit as error:
        code = error.code
    except BaseException:  # noqa: BLE001  the interpreter would show it
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else 1)


def _end(processes: dict[int, signal.Signals]) -> dict[int, int]:
    """Send each process its signal, and a second one to what finishes its work first.

    Return the exit codes, without those of processes that hang.
    """
    codes: dict[int, int] = {}
    end = time.monotonic() + PATIENCE
    for until in (end - PATIENCE / 2, end):
        for process in processes.keys() - codes.keys():
            os.kill(process, processes[process])
        while processes.keys() > codes.keys() and time.monotonic() < until:
            for process in processes.keys() - codes.keys():
                ended, status = os.waitpid(process, os.WNOHANG)
                if ended:
                    codes[process] = os.waitstatus_to_exitcode(status)
            time.sleep(0.02)
    for process in processes.keys() - codes.keys():
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
    return codes


def _run(jobs: dict[str, list[str]], inputs: dict[str, str]) -> list[Ending]:
    for name in COMMANDS:
        import_module(f"trivalent.tools.commands.{name}")
    server = socket.create_server(("127.0.0.1", 0))
    port = str(server.getsockname()[1])
    todo = [(name, number) for name in jobs for number in (signal.SIGINT, signal.SIGTERM)]
    found = []
    for begin in range(0, len(todo), AT_ONCE):
        running = []
        for name, number in todo[begin : begin + AT_ONCE]:
            words = [word.replace("PORT", port) for word in jobs[name]]
            label = f"{name} {number.name}"
            running.append((name, number, label, *_start(label, words, inputs.get(name, ""))))
        time.sleep(BUSY)
        codes = _end({process: number for _, number, _, process, _ in running})
        for name, number, label, process, theirs in running:
            os.close(theirs)
            errors = Path(f"{label}.errors").read_text("utf-8")
            found.append(Ending(name, number.name, codes.get(process), errors))
    return found


if __name__ == "__main__":
    sys.stdout.write(json.dumps(_run(*json.loads(sys.argv[1]))))
