"""The syntax of GTP 2: parses a line of bytes into a request, formats a reply as bytes.

The rules come from the GTP 2 draft and from what HexGui, GoGui and gomill do in practice.
"""

from __future__ import annotations

from dataclasses import dataclass

_BLANK, _NEWLINE, _DELETE = 0x20, 0x0A, 0x7F
# Input: a TAB becomes a blank, other control characters are dropped, non-ASCII becomes "?".
_READ = bytes(0x20 if b == 0x09 else b if b < 0x80 else ord("?") for b in range(256))
_IGNORED = bytes(b for b in (*range(_BLANK), _DELETE) if b not in (0x09, _NEWLINE))
# Output: the same, except that newlines stay.
_WRITTEN = {b: None for b in (*range(_BLANK), _DELETE) if b not in (0x09, _NEWLINE)} | {9: " "}

MAX_ID = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Request:
    """A command as the controller sent it."""

    id: str
    """The id to repeat in the reply, as the digits that were sent; empty if there was none."""
    name: str
    arguments: tuple[str, ...]


def is_interrupt(line: bytes) -> bool:
    """Return whether a line is the comment that interrupts a search."""
    return line.strip(b" \t\r\n") == b"# interrupt"


def parse(line: bytes) -> Request | None:
    """Return the request in a line; None for a blank line, a comment or a lone id."""
    words = line.translate(_READ, _IGNORED).partition(b"#")[0].decode("ascii").split()
    identity = ""
    if words and _is_id(words[0]):
        identity = words.pop(0)
    if not words:
        return None
    return Request(identity, words[0], tuple(words[1:]))


def _is_id(word: str) -> bool:
    return word.isdigit() and len(word) <= 20 and int(word) <= MAX_ID


def format_reply(identity: str, text: str, *, ok: bool) -> bytes:
    """Return a whole reply: the status, the id, the text, and the empty line that ends it.

    A blank always follows the status and the id, because HexGui 0.9 needs one.
    """
    body = _lines(text)
    if not ok and not body:
        body = "failed"
    status = "=" if ok else "?"
    return f"{status}{identity} {body}\n\n".encode("ascii", errors="replace")


def format_begin(identity: str) -> bytes:
    """Return the first line of a success reply whose text follows in pieces."""
    return f"={identity} \n".encode()


def format_lines(text: str) -> bytes:
    """Return the next lines of a reply sent in pieces.  The caller ends it with an empty line."""
    return f"{_lines(text) or ' '}\n".encode("ascii", errors="replace")


def format_block(text: str) -> bytes:
    """Return a block that goes out before the reply, such as live graphics."""
    return f"{_lines(text)}\n\n".encode("ascii", errors="replace")


def _lines(text: str) -> str:
    """Return the text without control characters and empty lines.

    An empty line would end the reply, so it becomes a blank.  The first line may stay empty: it
    follows the status.
    """
    first, *others = text.translate(_WRITTEN).rstrip().split("\n")
    return "\n".join([first, *(line or " " for line in others)])
