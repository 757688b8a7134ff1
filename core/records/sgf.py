"""The Smart Game Format itself: text to trees of properties and back, for FF[4] and its relatives.

This module knows the grammar and the escaping, but no game.  It reads any text: whatever breaks the
grammar is skipped or repaired, with a warning.  Time and memory are linear in the length of the
text; nothing recurses.

The most common error in real files is a ``]`` that should have been escaped.  A ``]`` ends a value
if the text after it can follow a value.  Otherwise the next bracket decides: another ``]`` would
have nothing to close, so the first one must be part of the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trivalent.core.records.notes import Notes

_WIDTH = 72  # columns of a line, if no value is longer

_PLAIN = frozenset(("AB", "AE", "AW", "B", "BL", "FF", "GM", "OB", "OW", "PL", "SZ", "W", "WL"))
"""Properties whose values never contain brackets."""

_TEXT = frozenset(
    ("C", "GC", "N", "PB", "PW", "EV", "PC", "RO", "SO", "GN", "AN", "US", "CP", "ON")
)
"""Properties whose values are prose, which may contain brackets."""

# The quantifiers are possessive: a failed match never goes back over the same characters.
_FOLLOWS_VALUE = re.compile(r"\s*+\[|[;()\s]*+(?:[a-z]*+[A-Z][A-Za-z]*+\s*+\[|\Z)")
_GAME_BEGINS = re.compile(r"\(\s*+(?:[;(]|[A-Za-z]++\s*+\[)")
_NODE_BEGINS = re.compile(r";\s*+[A-Za-z]++\s*+\[")
_TOKEN = re.compile(r"\s*+(?:([A-Za-z]++)\s*+(?=\[)|[();\[]|[A-Za-z]++|[^\s();\[A-Za-z]++)")
_OUTSIDE = re.compile(r"[^(;]++|[(;]")
_OPENING = re.compile(r"\s*+\[")
_BRACKET = re.compile(r"[\[\]]")
_STOP = re.compile(r"[\\\]]")
_HARD_STOP = re.compile(r"\]")
_VALUE = re.compile(r"(?:[^\\\]]|\\.)*+", re.DOTALL)
_BREAKS = ("\r\n", "\n\r", "\n", "\r")
_SPECIAL = re.compile(r"\\?(?:\r\n|\n\r|\s)|\\.?", re.DOTALL)


class Escapes(Enum):
    """Where a backslash escapes the character after it."""

    ALL = "everywhere"
    COMMENTS = "in comments, and elsewhere if the text makes no sense otherwise"
    SELDOM = "if the text makes no sense otherwise"
    NONE = "nowhere"


@dataclass(eq=False, slots=True)
class Property:
    """A property of a node: its values as in the file, and their offsets there."""

    name: str
    values: list[str]
    offset: int = 0
    offsets: list[int] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class SgfNode:
    """A node of a game tree."""

    properties: list[Property] = field(default_factory=list)
    offset: int = 0
    children: list[SgfNode] = field(default_factory=list, repr=False)

    def add(self, name: str, *values: str) -> None:
        """Append a property."""
        self.properties.append(Property(name, list(values)))

    def value(self, name: str) -> str | None:
        """Return the first value of the first property of that name, or None."""
        for one in self.properties:
            if one.name == name and one.values:
                return one.values[0]
        return None


def parse(text: str, notes: Notes, *, escapes: Escapes = Escapes.ALL) -> list[SgfNode]:
    """Return the roots of the games in a text; the list may be empty.

    Add missing backslashes, unless the format has no escapes at all: all values come out as they
    should have been written.
    """
    return _Parser(text, notes, escapes=escapes).games


class _Parser:
    """One pass over the text; ``games`` holds the result."""

    def __init__(self, text: str, notes: Notes, *, escapes: Escapes) -> None:
        self.games: list[SgfNode] = []
        self._text = text
        self._notes = notes
        self._escapes = escapes
        self._stop = _HARD_STOP if escapes is Escapes.NONE else _STOP
        self._node: SgfNode | None = None
        self._branches: list[SgfNode | None] = []  # the node before each open parenthesis
        at = 0
        while at < len(text):
            at = self._inside(at) if self._branches else self._outside(at)
        if self._branches:
            notes.warn(
                len(text), f"{len(self._branches)} closing parentheses are missing at the end"
            )

    def _outside(self, at: int) -> int:
        """Skip the text before the next game."""
        began = at
        text = self._text
        while at < len(text):
            if _GAME_BEGINS.match(text, at):
                self._note_outside(began, at)
                self._branches.append(None)
                return at + 1
            if _NODE_BEGINS.match(text, at):
                self._note_outside(began, at)
                self._notes.warn(at, "a game begins without a parenthesis")
                self._branches.append(None)
                return at
            token = _OUTSIDE.match(text, at)
            assert token is not None
            at = token.end()
        self._note_outside(began, at)
        return at

    def _note_outside(self, began: int, ended: int) -> None:
        outside = self._text[began:ended]
        if outside.strip():
            began += len(outside) - len(outside.lstrip())
            self._notes.warn(began, "text outside of games is ignored")

    def _inside(self, at: int) -> int:
        """Read one token of a game and, for a property, its values."""
        token = _TOKEN.match(self._text, at)
        if token is None:  # only white space is left
            return len(self._text)
        at = token.end()
        if token[1]:
            return self._property(token.start(1), token[1], at)
        start = at - len(token[0].lstrip())
        match token[0].lstrip():
            case "(":
                self._branches.append(self._node)
            case ")":
                self._node = self._branches.pop()
            case ";":
                self._new_node(start)
            case "[":
                self._notes.warn(start, "a value without a property is ignored")
                return self._value("", at)[1]
            case junk:
                self._notes.warn(start, f"{junk[:20]!a} means nothing here and is ignored")
        return at

    def _new_node(self, offset: int) -> SgfNode:
        node = SgfNode(offset=offset)
        if self._node is None:
            self.games.append(node)
        else:
            self._node.children.append(node)
        self._node = node
        return node

    def _property(self, offset: int, letters: str, at: int) -> int:
        name = "".join(letter for letter in letters if letter.isupper())  # FF[3] has SiZe
        if not name:
            name = letters.upper()
            self._notes.warn(offset, f"property {letters[:20]} is read as {name[:20]}")
        node = self._node
        if node is None:
            self._notes.warn(offset, "a node begins without a semicolon")
            node = self._new_node(offset)
        found = Property(name, [], offset)
        node.properties.append(found)
        while (bracket := _OPENING.match(self._text, at)) is not None:
            found.offsets.append(bracket.end())
            value, at = self._value(name, bracket.end())
            found.values.append(value)
        return at

    def _value(self, name: str, at: int) -> tuple[str, int]:
        """Return the value that begins here, and the offset after its closing bracket."""
        text = self._text
        begins = start = at
        pieces: list[str] = []  # the value as it should have been written
        while True:
            stop = self._stop.search(text, at)
            if stop is None:
                self._notes.lose(begins - 1, "this bracket is never closed")
                end = len(text) - (at > len(text))  # a backslash at the very end escapes nothing
                return "".join([*pieces, text[start:end]]), len(text)
            at = stop.end()
            if stop[0] == "\\":
                if self._is_plain(name, at):
                    pieces += (text[start:at], "\\")
                    start = at
                else:
                    at += 1
            elif self._closes(name, at):
                return "".join([*pieces, text[start : at - 1]]), at
            else:
                self._notes.warn(at - 1, "this ] is not escaped and is read as text")
                if self._escapes is not Escapes.NONE:
                    pieces += (text[start : at - 1], "\\")
                    start = at - 1

    def _is_plain(self, name: str, at: int) -> bool:
        """Return whether the backslash just before this offset is an ordinary character."""
        if self._escapes is Escapes.ALL or (self._escapes is Escapes.COMMENTS and name == "C"):
            return False
        if self._text[at : at + 1] == "]":
            return _FOLLOWS_VALUE.match(self._text, at + 1) is not None
        return self._text[at : at + 1] != "\\"

    def _closes(self, name: str, at: int) -> bool:
        """Return whether the bracket just before this offset ends a value of the property."""
        if name in _PLAIN or _FOLLOWS_VALUE.match(self._text, at):
            return True
        bracket = _BRACKET.search(self._text, at)
        return bracket is None or (bracket[0] == "[" and name not in _TEXT)


def unescape(value: str, *, lines: bool = False) -> str:
    """Return the text that a value stands for; keep its line breaks if ``lines``."""

    def plain(match: re.Match[str]) -> str:
        found = match[0]
        if found[0] != "\\":
            return "\n" if lines and found in _BREAKS else " "
        if found[1:] in _BREAKS:
            return ""
        return " " if found[1:].isspace() else found[1:]

    return _SPECIAL.sub(plain, value)


def escape(text: str) -> str:
    """Return a text as a value, with backslashes."""
    return text.replace("\\", "\\\\").replace("]", "\\]")


def ends_early(text: str) -> bool:
    """Return whether programs without reliable escapes would cut a text short, even escaped."""
    return any(_FOLLOWS_VALUE.match(text + "]", match.end()) for match in _HARD_STOP.finditer(text))


def is_value(text: str) -> bool:
    """Return whether a text is properly escaped: it can stand between brackets as it is."""
    return _VALUE.fullmatch(text) is not None


def serialize(root: SgfNode) -> str:
    """Return a game tree as text, in lines of at most 72 columns unless a value is longer."""
    lines: list[str] = []
    line = ""
    for word in _words(root):
        if line and len(line) + len(word) > _WIDTH:
            lines.append(line)
            line = ""
        line += word
    return "\n".join([*lines, line]) + "\n"


def _words(root: SgfNode) -> Iterator[str]:
    """Yield the pieces of a game tree within which there must be no line break."""
    todo: list[SgfNode | str] = [")", root, "("]
    while todo:
        node = todo.pop()
        if isinstance(node, str):
            yield node
            continue
        yield ";"
        for one in node.properties:
            yield f"{one.name}[{one.values[0]}]" if one.values else f"{one.name}[]"
            for value in one.values[1:]:
                yield f"[{value}]"
        if len(node.children) == 1:
            todo.append(node.children[0])
        else:
            for child in reversed(node.children):
                todo += (")", child, "(")
