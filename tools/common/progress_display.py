"""The progress of a long job: bars at a terminal, and lines of text."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from trivalent.tools.common.console import PipedConsole

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

    from rich.progress import TaskID


class Bar:
    """A progress bar."""

    def __init__(self, progress: Progress, task: TaskID) -> None:
        self._progress = progress
        self._task = task

    def update(self, done: int, total: int | None = None, note: str = "") -> None:
        """Show how much is done, of how much, and what else there is to say."""
        self._progress.update(self._task, completed=done, total=total, note=note)

    @contextmanager
    def hidden(self) -> Iterator[None]:
        """Remove the bar while the context is open, so that others can print."""
        self._progress.stop()
        try:
            yield
        finally:
            self._progress.start()


class ProgressDisplay:
    """Shows what a program does."""

    def __init__(self, file: TextIO | None = None) -> None:
        self.console = PipedConsole(file=file, highlight=False, soft_wrap=True)

    def say(self, text: str) -> None:
        """Print a line."""
        self.console.print(text, markup=False)

    @contextmanager
    def bar(self, what: str, total: int) -> Iterator[Bar]:
        """Show a bar while the context is open."""
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[note]}", markup=False),
        )
        terminal = self.console.is_terminal
        with Progress(
            *columns, console=self.console, transient=True, disable=not terminal
        ) as progress:
            task = progress.add_task(what, total=total, note="")
            yield Bar(progress, task)
