"""The syntax of GTP 2: from the bytes of a line to a request, from a reply to bytes.

What is allowed where, and what breaks which controller, follows the GTP 2 draft and what HexGui,
GoGui and gomill do.
"""

from __future__ import annotations

from dataclasses import dataclass

_BLANK, _NEWLINE, _DELETE = 0x20, 0x0A, 0x7F
# What arrives: a TAB is a blank, other control characters vanish, GTP knows ASCII only.
_READ = bytes(0x20 if b == 0x09 else b if b < 0x80 else ord("?") for b in range(256))
_IGNORED = bytes(b for b in (*range(_BLANK), _DELETE) if b not in (0x09, _NEWLINE))
# What leaves: the same, but lines remain.
_WRITTEN = {b: None for b in (*range(_BLANK), _DELETE) if b not in (0x09, _NEWLINE)} | {9: " "}

MAX_ID = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Request:
    """A command as a controller sent it."""

    id: str
    """The digits to repeat in the reply, or an empty string."""
    name: str
    arguments: tuple[str, ...]


def is_interrupt(line: bytes) -> bool:
    """Whether a line is the comment that asks to end a search."""
    return line.strip(b" \t\r\n") == b"# interrupt"


def parse(line: bytes) -> Request | None:
    """Return the request of a line; None if it has none (blank, comment, or an id alone)."""
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
    """Return the bytes of a reply: one status character, text without empty lines, an empty line.

    There is always a blank after the status, as HexGui 0.9 wants it.
    """
    body = _lines(text)
    if not ok and not body:
        body = "failed"
    status = "=" if ok else "?"
    return f"{status}{identity} {body}\n\n".encode("ascii", errors="replace")


def format_begin(identity: str) -> bytes:
    """Return the first line of a reply that is sent in pieces: all but its lines and their end."""
    return f"={identity} \n".encode()


def format_lines(text: str) -> bytes:
    """Return some lines of such a reply.  An empty line ends it."""
    return f"{_lines(text) or ' '}\n".encode("ascii", errors="replace")


def format_block(text: str) -> bytes:
    """Return the bytes of a block that comes before a reply, such as live graphics."""
    return f"{_lines(text)}\n\n".encode("ascii", errors="replace")


def _lines(text: str) -> str:
    """Return the text with nothing in it that GTP has no place for.

    An empty line would end the reply, so it becomes a blank; the first one has the status.
    """
    first, *others = text.translate(_WRITTEN).rstrip().split("\n")
    return "\n".join([first, *(line or " " for line in others)])
