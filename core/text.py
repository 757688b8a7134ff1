"""Text from outside, made fit for a message."""

from __future__ import annotations


def printable(value: object, max_length: int = 60, *, quotes: bool = True) -> str:
    """Return a value as it may stand in a message: one short line of ASCII.

    A string is quoted unless ``quotes`` is false; control characters and characters outside ASCII
    are escaped.  A longer value is cut to ``max_length`` characters, followed by three dots.
    Booleans are written as TOML and GTP write them, true and false.
    """
    if isinstance(value, str):
        text = ascii(value if len(value) <= max_length else value[:max_length] + "...")
        return text if quotes else text[1:-1]
    try:
        text = str(value).lower() if isinstance(value, bool) else ascii(value)
    except ValueError:  # Python refuses to write integers of thousands of digits
        return "a very large number"
    return text if len(text) <= max_length else text[:max_length] + "..."
