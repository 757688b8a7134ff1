"""Files that are written as a whole or not at all."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def write_file(path: Path, write: Callable[[Path], object]) -> None:
    """Let something write a file under a temporary name beside it, then rename.

    Raise OSError if that is impossible; then the file is as it was.  What a link points to is
    written, and nothing takes the place of a device or a pipe.
    """
    path = Path(os.path.realpath(path))
    require_regular_file(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        write(temporary)
        temporary.replace(path)
    except OSError as error:  # which knows the temporary name only
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        with suppress(OSError):  # it is not there any more, or its name was never possible
            temporary.unlink()


def require_regular_file(path: Path) -> None:
    """Raise OSError if this is a folder, or a pipe or a device, which may block or never end."""
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "it is not a plain file", str(path))
