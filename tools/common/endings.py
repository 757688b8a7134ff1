"""How programs end before their time: on signals, and when nobody reads their output."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Handler = Callable[[int, Any], Any] | signal.Handlers


@contextmanager
def handling(handler: Handler, *numbers: signal.Signals) -> Iterator[None]:
    """Handle signals in a context, except those that our parent has us ignore.

    Whoever sets another handler inside, as a server that ignores signals while it ends, keeps it.
    """
    heard = [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, handler) for number in heard}
    try:
        yield
    finally:
        for number, former in before.items():
            if signal.getsignal(number) == handler:
                signal.signal(number, former)


def run_program(main: Callable[[], int | None]) -> int:
    """Run the main function of a program and return the exit code.

    Ctrl-C ends the program at once, as SIGTERM does, even in the middle of compiled code, unless it
    handles SIGINT.  If its output is closed, it ends quietly, with the exit code of a program that
    SIGPIPE ends.
    """
    with handling(signal.SIG_DFL, signal.SIGINT):
        try:
            try:
                code = main() or 0
            finally:  # help ends with SystemExit
                if sys.stdout:  # None if it was closed from the start
                    sys.stdout.flush()
        except KeyboardInterrupt:  # just before or after what catches it
            return 128 + signal.SIGINT
        except BrokenPipeError:
            _forget_output()
            return 128 + signal.SIGPIPE
        except OSError as error:  # such as a full disk behind standard output
            with suppress(OSError):
                where = error.filename or "standard output"
                sys.stderr.write(f"trivalent: {where}: {error.strerror or error}\n")
            _forget_output()
            return 1
    return code


def _forget_output() -> None:
    """Send what is still in buffers nowhere, or the interpreter would complain as it exits."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # not a file, or closed
            os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def end_with_parent(parent: int | None = None) -> None:
    """Watch the parent from a thread; end this process at once when the parent is gone.

    ``parent`` is the parent's process id, for a process that may start only after its end.
    """
    expected = os.getppid() if parent is None else parent

    def watch() -> None:
        while os.getppid() == expected:
            time.sleep(0.2)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
