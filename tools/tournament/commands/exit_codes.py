"""The exit codes that all subcommands of ``trivalent tournament`` share."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """Exit code of a subcommand, for scripts."""

    DONE = 0
    FAILED = 1
    """Files, disks or engines failed."""
    REFUSED = 2
    """The plan or the command line is wrong."""
    STOPPED = 3
    """Games are still to be played."""
    VOID = 4
    """The run stopped because too many games were void."""
    NO = 5
    """The answer is no: an engine failed its check, a replay differs, a test didn't accept H1."""
