"""Log handlers and formats for diagnostics."""

from __future__ import annotations

import json
import logging
import os
import select
from contextlib import suppress
from datetime import UTC, datetime


class StandardError(logging.Handler):
    """A handler that writes to standard error without ever blocking.

    Nobody may be reading the pipe behind it; what doesn't fit is dropped.
    """

    def emit(self, record: logging.LogRecord) -> None:
        """Write as much of a record as the pipe accepts now."""
        text = f"{self.format(record)}\n".encode(errors="backslashreplace")
        poll = select.poll()
        poll.register(2, select.POLLOUT)
        # A pipe that accepts any data accepts at least PIPE_BUF bytes.
        while text and poll.poll(0) == [(2, select.POLLOUT)]:
            chunk, text = text[: select.PIPE_BUF], text[select.PIPE_BUF :]
            with suppress(OSError):
                os.write(2, chunk)


class JsonLines(logging.Formatter):
    """Formats a record and its `fields` as a JSON object on one line."""

    def format(self, record: logging.LogRecord) -> str:
        """Format a record as one line of JSON."""
        values: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "event": record.getMessage(),
            **getattr(record, "fields", {"logger": record.name, "pid": record.process}),
        }
        if record.exc_info:
            values["traceback"] = self.formatException(record.exc_info)
        return json.dumps(values)
