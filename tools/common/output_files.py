"""Writing what the options of a program ask for: to files that aren't its inputs, or to -.

As the file of an option, - is standard output, and nothing else is written there then.  A file with
this name is ./-.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentTypeError
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from trivalent.core.files import write_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    File = str | os.PathLike[str]

STANDARD = "-"
"""The name of standard input among the files to read, and of standard output among the others."""


class OutputError(Exception):
    """A file can't be written; the message is one sentence that names it."""


def write_output(target: str, text: str) -> None:
    """Write a file, as a whole or not at all, or to standard output.

    Raise OutputError if the file can't be written, and OSError if standard output can't be.
    """
    if target == STANDARD:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()
        return
    try:
        write_file(Path(target), lambda path: path.write_bytes(text.encode()))
    except OSError as error:
        raise OutputError(f"{error.filename}: {error.strerror}") from None


def make_folder(folder: Path) -> None:
    """Make a folder to write files to, unless it exists.  Raise OutputError if that fails."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{error.filename}: {error.strerror}") from None


def file_name(text: str) -> str:
    """Parse the name of a file that is no stream, such as a database, or of a folder."""
    if text == STANDARD:
        raise ArgumentTypeError("must be the name of a file or folder, not -")
    return text


def file_path(text: str) -> Path:
    """Parse a name as `file_name` does."""
    return Path(file_name(text))


def require_inputs_kept(outputs: Mapping[str, File | None], inputs: Iterable[File]) -> None:
    """Raise ValueError if a file to be written is an input, or if two options write the same file.

    ``outputs`` maps options to files, or to None if they aren't given.  Among them - is standard
    output, among the ``inputs`` standard input.  A file is the same under all its names: relative
    ones, links, and spellings that the file system doesn't distinguish.
    """
    roles: dict[object, str] = {}
    for file in inputs:
        roles |= dict.fromkeys(_identities(file), "an input")
    for option, output in outputs.items():
        if output is None:
            continue
        found = {STANDARD} if output == STANDARD else _identities(output)
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
        if file == STANDARD:
            status = os.fstat(0)
        else:
            found.add(os.path.realpath(file))
            status = Path(file).stat()
        found.add((status.st_dev, status.st_ino))
    return found
