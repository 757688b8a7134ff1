"""Consoles of rich that leave it to the program how it ends."""

from __future__ import annotations

from rich.console import Console


class PipedConsole(Console):
    """A console that passes on that its output is closed, instead of exiting the program.

    `trivalent.tools.common.endings.run_program` ends every program in the same way.
    """

    def on_broken_pipe(self) -> None:
        """See `Console.on_broken_pipe`."""
        raise BrokenPipeError
