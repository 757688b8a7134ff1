"""Keep the files that a program reads from being overwritten by what it writes."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    File = str | os.PathLike[str]


def require_inputs_kept(outputs: Mapping[str, File | None], inputs: Iterable[File]) -> None:
    """Raise ValueError if a file to be written is an input, or if two options write the same file.

    ``outputs`` maps options to files, or to None if they aren't given.  Among the ``inputs``, - is
    standard input.  A file is the same under all its names: relative ones, links, and spellings
    that the file system doesn't distinguish.
    """
    roles: dict[object, str] = {}
    for file in inputs:
        roles |= dict.fromkeys(_identities(file), "an input")
    for option, output in outputs.items():
        if output is None:
            continue
        found = _identities(output)
        for identity in found & roles.keys():
            raise ValueError(f"{option}: {os.fspath(output)} is also {roles[identity]}")
        roles |= dict.fromkeys(found, f"the file of {option}")


def database_files(database: File) -> list[str]:
    """Return the names of the files that belong to an SQLite database."""
    name = os.fspath(database)
    return [name, *(name + suffix for suffix in ("-wal", "-shm", "-journal", "-lock"))]


def _identities(file: File) -> set[object]:
    """Return what identifies a file: its resolved path, and its inode if it exists."""
    found: set[object] = set()
    with suppress(OSError, ValueError):  # the text of a record isn't always a possible name
        found.add(os.path.realpath(file))
        status = os.fstat(0) if file == "-" else Path(file).stat()
        found.add((status.st_dev, status.st_ino))
    return found
