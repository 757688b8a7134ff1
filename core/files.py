"""Files that are written as a whole or not at all."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def write_file(path: Path, write: Callable[[Path], object]) -> None:
    """Let something write a file under a temporary name beside it, then rename.

    Raise OSError if that is impossible; then the file is as it was.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        write(temporary)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
