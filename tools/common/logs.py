"""Where diagnostics go, and in what form."""

from __future__ import annotations

import json
import logging
import os
import select
from contextlib import suppress
from datetime import UTC, datetime


class StandardError(logging.Handler):
    """Writes to standard error what it takes at once: nobody may ever read it."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record, as far as there is room for it."""
        text = f"{self.format(record)}\n".encode(errors="backslashreplace")
        poll = select.poll()
        poll.register(2, select.POLLOUT)
        # A pipe that takes anything takes this many bytes.
        while text and poll.poll(0) == [(2, select.POLLOUT)]:
            chunk, text = text[: select.PIPE_BUF], text[select.PIPE_BUF :]
            with suppress(OSError):
                os.write(2, chunk)


class JsonLines(logging.Formatter):
    """Makes an object of JSON, in one line, of a record and its `fields`."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        values: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "event": record.getMessage(),
            **getattr(record, "fields", {"logger": record.name, "pid": record.process}),
        }
        if record.exc_info:
            values["traceback"] = self.formatException(record.exc_info)
        return json.dumps(values)
