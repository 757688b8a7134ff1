"""Open the run that a command line names: by its plan (league.toml) or its database (league.db)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trivalent.core.text import printable
from trivalent.tools.tournament.plan.plan_file import load
from trivalent.tools.tournament.plan.plan_model import loads
from trivalent.tools.tournament.run.store import Store, StoreError, locate

if TYPE_CHECKING:
    from trivalent.tools.tournament.plan.plan_model import Plan


def open_run(run: str) -> tuple[Store, Plan]:
    """Return the store of a run, open for reading, and its plan.

    The caller closes the store.  Raise StoreError if the database is missing or damaged.
    """
    store = Store.read(locate(run)[1])
    try:
        return store, loads(store.plan_text)
    except (LookupError, TypeError, ValueError) as error:  # not JSON that dumps() has written
        store.close()
        raise StoreError(
            f"{store.path} is damaged: {printable(str(error), quotes=False)}"
        ) from None


def read_plan(run: str) -> Plan:
    """Return the plan in a plan file or a database.  Raise PlanError or StoreError if it is bad."""
    path, _ = locate(run)
    if path is not None:
        return load(path)
    store, plan = open_run(run)
    store.close()
    return plan
