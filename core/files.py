"""Files written as a whole or not at all."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def write_file(path: Path, write: Callable[[Path], object]) -> None:
    """Call ``write`` with a temporary name in the same folder, then rename the file to ``path``.

    If ``path`` is a link, replace what it points to.  Raise OSError if writing fails, or if the
    path is a folder, a device or a pipe; whatever was there is then unchanged.
    """
    path = Path(os.path.realpath(path))
    require_regular_file(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        write(temporary)
        temporary.replace(path)
    except OSError as error:  # it names the temporary file
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        with suppress(OSError):  # it's gone already, or its name was never possible
            temporary.unlink()


def require_regular_file(path: Path) -> None:
    """Raise OSError if this is a folder, or a pipe or device (which may block or never end)."""
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "not a regular file", str(path))
