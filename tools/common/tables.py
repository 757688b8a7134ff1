"""The common style of tables in a terminal."""

from __future__ import annotations

from rich import box
from rich.table import Table


def new_table(title: str) -> Table:
    """Return an empty table in the common style."""
    return Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
    )
