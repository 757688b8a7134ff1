"""Ends a helper process with its parent, however that ended."""

from __future__ import annotations

import os
import threading
import time


def end_with_parent() -> None:
    """Watch the parent from a thread; end this process at once when the parent is gone."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.2)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
