"""A connection to a Dask cluster: tasks run on its workers, whose number may change.

If a worker is lost, Dask's scheduler gives its tasks to another worker.
"""

from __future__ import annotations

import logging
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import dask
from distributed import Client, Future, KilledWorker
from distributed.comm import resolve_address

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CONNECT_SECONDS = 10.0
"""Timeout in seconds for finding the scheduler."""
_CACHE_SECONDS = 1.0
"""Seconds for which the number of workers is cached."""


class DaskCluster:
    """All threads of all workers of a Dask cluster."""

    def __init__(self, address: str, error: type[Exception]) -> None:
        """Connect.  Raise ``error``, here and below, if no scheduler answers at the address."""
        self.gone = False
        self._address = address
        self._error = error
        self._looked = 0.0
        self._threads = 0
        # Dask would print tracebacks beside our own one-line messages.
        for name in [*logging.root.manager.loggerDict]:
            if name.startswith("distributed"):
                logging.getLogger(name).setLevel(logging.CRITICAL)
        with self.errors("no answer from a Dask scheduler"):
            dask.config.set({"distributed.comm.timeouts.connect": CONNECT_SECONDS})
            resolve_address(address)  # a Client would fail later, and less cleanly
            self.client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)

    @property
    def capacity(self) -> int:
        """Number of tasks run in parallel: the threads of all workers, at least 1."""
        if time.monotonic() - self._looked > _CACHE_SECONDS:
            with self.errors("lost the Dask scheduler"):
                self._threads = sum(self.client.nthreads().values())
            self._looked = time.monotonic()
        return max(1, self._threads)

    def submit(self, key: str, function: Callable[..., object], *arguments: object) -> Future:
        """Queue a task for the next free worker."""
        return self.client.submit(function, *arguments, key=key, pure=False)

    def close(self) -> None:
        """Leave the cluster."""
        self.client.close(timeout=CONNECT_SECONDS)

    def cancel(self, futures: list[Future]) -> None:
        """Take back tasks, as far as the scheduler can be reached."""
        if not self.gone:
            with suppress(Exception):
                self.client.cancel(futures)

    @contextmanager
    def errors(self, what: str) -> Iterator[None]:
        """Turn errors in communication with the scheduler into one sentence."""
        try:
            yield
        except (OSError, RuntimeError, ValueError) as error:
            self.gone = True
            raise self._error(f"{what} at {self._address}: {error}") from None


def was_lost(future: Future) -> bool:
    """Return whether a task that has ended was lost with its worker."""
    return future.status != "finished" and (
        future.status != "error" or isinstance(future.exception(), KilledWorker)
    )
