"""What the subcommands of ``trivalent tournament`` share: the argument RUN, and exit codes."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

from trivalent.core.text import printable
from trivalent.tools.tournament.plan.plan_file import load, loads
from trivalent.tools.tournament.run.store import Store, StoreError, locate

if TYPE_CHECKING:
    from trivalent.tools.tournament.plan.plan_file import Plan


class Exit(IntEnum):
    """What a subcommand tells scripts."""

    DONE = 0
    FAILED = 1
    REFUSED = 2
    STOPPED = 3
    VOID = 4
    NO = 5


def read(run: str) -> tuple[Store, Plan]:
    """Return the store of a run, to be closed, and its plan; raise StoreError."""
    store = Store.read(locate(run)[1])
    try:
        return store, loads(store.plan_text)
    except (LookupError, TypeError, ValueError) as error:  # which nobody has written by dumps()
        store.close()
        raise StoreError(
            f"{store.path} is damaged: {printable(str(error), quotes=False)}"
        ) from None


def read_plan(run: str) -> Plan:
    """Return the plan of a file, or that of a run; raise StoreError or PlanError."""
    path, _ = locate(run)
    if path is not None:
        return load(path)
    store, plan = read(run)
    store.close()
    return plan
