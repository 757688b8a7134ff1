"""Where positions are evaluated: processes of this machine, or a Dask cluster.

Both are executors as `concurrent.futures` defines them.
"""

from __future__ import annotations

import multiprocessing
import signal
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING

from trivalent.tools.common.endings import end_with_parent
from trivalent.tools.tournament.run.workers import WorkersError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Executor


def _begin() -> None:
    """Prepare a process: it ends with its parent, which decides what Ctrl-C means."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None
    end_with_parent(parent.pid)


@contextmanager
def local_workers(processes: int) -> Iterator[Executor]:
    """Lend so many processes; leaving the context ends them at once."""
    executor = ProcessPoolExecutor(
        processes, multiprocessing.get_context("spawn"), initializer=_begin
    )
    before = set(multiprocessing.active_children())
    try:
        yield executor
    finally:
        for process in set(multiprocessing.active_children()) - before:
            process.kill()
        # The executor's thread sees that and ends: the interpreter must not exit beside it.
        executor.shutdown(cancel_futures=True)


@contextmanager
def cluster_workers(address: str) -> Iterator[tuple[Executor, int]]:
    """Lend the workers of the Dask cluster with this scheduler, and say how many threads they have.

    Raise WorkersError if no scheduler answers.
    """
    from trivalent.tools.common.dask_cluster import DaskCluster

    cluster = DaskCluster(address, WorkersError)
    try:
        yield cluster.client.get_executor(pure=False), cluster.capacity
    finally:
        cluster.close()
