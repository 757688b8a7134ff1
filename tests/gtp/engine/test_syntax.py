"""The syntax of GTP: parsing lines, formatting replies, splitting a stream into lines."""

from __future__ import annotations

import string

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pipes import assert_well_formed
from trivalent.gtp.engine.stream import DEFAULT_LIMITS, LineSplitter
from trivalent.gtp.engine.syntax import MAX_ID, Request, format_reply, is_interrupt, parse

WORDS = st.text(string.ascii_letters + string.digits + "-_.,'\"\\()", min_size=1, max_size=12)
NAMES = WORDS.filter(lambda word: not word.isdigit())


@pytest.mark.parametrize(
    "line",
    [b"", b" ", b"\t \t", b"\r", b"#", b"# name", b"#name", b"  # 5 name", b"5", b"5 \t",
     b"5 # name", b"5#name", b"\x00\x01\x7f", b"\x0b\x0c", b"# interrupt", b"# interrupt now"],
)  # fmt: skip
def test_lines_without_a_request(line: bytes) -> None:
    assert parse(line) is None


@pytest.mark.parametrize(
    ("line", "request_"),
    [
        (b"name", Request("", "name", ())),
        (b"  name\t\t", Request("", "name", ())),
        (b"name\r", Request("", "name", ())),
        (b"na\rme", Request("", "name", ())),
        (b"na\x00\x01\x07\x0b\x0c\x1b\x7fme", Request("", "name", ())),
        (b"name # x", Request("", "name", ())),
        (b"name#x", Request("", "name", ())),
        (b"NAME", Request("", "NAME", ())),
        (b"play b a1", Request("", "play", ("b", "a1"))),
        (b"play\tB \t A1\t", Request("", "play", ("B", "A1"))),
        (b"0 name", Request("0", "name", ())),
        (b"7 name", Request("7", "name", ())),
        (b"00012 name", Request("00012", "name", ())),
        (b"2147483647 name", Request("2147483647", "name", ())),
        (b"\t 3 name x", Request("3", "name", ("x",))),
        (b"1 2 name", Request("1", "2", ("name",))),
        # A word that is not a valid id counts as the name of a command.
        (b"2147483648 name", Request("", "2147483648", ("name",))),
        (b"9" * 5000 + b" name", Request("", "9" * 5000, ("name",))),
        (b"-3 name", Request("", "-3", ("name",))),
        (b"+3 name", Request("", "+3", ("name",))),
        (b"8name", Request("", "8name", ())),
        (b"\xc2\xb2 name", Request("", "??", ("name",))),
        (b"\xff\xfe", Request("", "??", ())),
        ("play b \N{CIRCLED DIGIT ONE}".encode(), Request("", "play", ("b", "???"))),
        (b"n\xc2\xa0m", Request("", "n??m", ())),
    ],
)
def test_requests_are_parsed(line: bytes, request_: Request) -> None:
    assert parse(line) == request_


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_no_line_breaks_the_parser(line: bytes) -> None:
    request = parse(line)
    if request is not None:
        for word in (request.name, *request.arguments):
            assert word
            assert word.isascii()
            assert not set(word) & set(" \t\r\n\x00\x7f#")
        assert request.id == "" or int(request.id) <= MAX_ID


@settings(deadline=None)
@given(st.binary(max_size=60), st.binary(max_size=60))
def test_comments_are_ignored(line: bytes, comment: bytes) -> None:
    assert parse(line.replace(b"#", b"") + b"#" + comment) == parse(line.replace(b"#", b""))


@settings(deadline=None)
@given(
    st.one_of(st.just(""), st.integers(0, MAX_ID).map(str)),
    NAMES,
    st.lists(WORDS),
    st.text(" \t", min_size=1, max_size=5),
)
def test_a_written_request_is_read_back(
    identity: str, name: str, arguments: list[str], blanks: str
) -> None:
    line = blanks.join([*([identity] if identity else []), name, *arguments]).encode()
    assert parse(line) == Request(identity, name, tuple(arguments))
    assert parse(blanks.encode() + line + blanks.encode() + b"\r") == parse(line)


@pytest.mark.parametrize(
    "line", [b"# interrupt", b"# interrupt\r", b"  # interrupt", b"\t# interrupt \t\r"]
)
def test_lines_that_interrupt(line: bytes) -> None:
    assert is_interrupt(line)
    assert parse(line) is None


@pytest.mark.parametrize(
    "line",
    [b"", b"#interrupt", b"# interrupt now", b"#  interrupt", b"# Interrupt", b"## interrupt",
     b"# interrupt # interrupt", b"interrupt", b"name # interrupt", b"5 # interrupt"],
)  # fmt: skip
def test_other_comments_do_not_interrupt(line: bytes) -> None:
    assert not is_interrupt(line)


@pytest.mark.parametrize(
    ("identity", "text", "ok", "reply"),
    [
        ("", "", True, b"= \n\n"),
        ("7", "", True, b"=7 \n\n"),
        ("00012", "2", True, b"=00012 2\n\n"),
        ("", "Trivalent", True, b"= Trivalent\n\n"),
        ("", "no", False, b"? no\n\n"),
        ("5", "no", False, b"?5 no\n\n"),
        ("", "", False, b"? failed\n\n"),
        ("", " \n\t\n ", False, b"? failed\n\n"),
        ("", "a\nb", True, b"= a\nb\n\n"),
        ("", "\na\nb", True, b"= \na\nb\n\n"),
        ("", "a\n\n\nb", True, b"= a\n \n \nb\n\n"),
        ("", "a\n\r\n\x00\nb", True, b"= a\n \n \nb\n\n"),
        ("", "a\n\n\n", True, b"= a\n\n"),
        ("", "\n\n", True, b"= \n\n"),
        ("", "a\tb\r\nc\x07\x7f", True, b"= a b\nc\n\n"),
        ("", "\N{GREEK SMALL LETTER ALPHA} \ud800", True, b"= ? ?\n\n"),
        ("", "a\u2028\x85b", True, b"= a??b\n\n"),
    ],
)
def test_replies_are_formatted(identity: str, text: str, ok: bool, reply: bytes) -> None:
    assert format_reply(identity, text, ok=ok) == reply


@settings(deadline=None)
@given(
    st.sampled_from(["", "0", "00012", str(MAX_ID)]),
    st.text() | st.text(" \n\t\r\x00a", max_size=12),
    st.booleans(),
)
@example("", "\x85\n\x0b\n\xa0\n\u2028\nx", True)
def test_every_reply_is_well_formed(identity: str, text: str, ok: bool) -> None:
    reply = format_reply(identity, text, ok=ok)
    assert_well_formed(reply)
    assert reply.startswith(b"%s%s " % (b"=" if ok else b"?", identity.encode()))


@settings(deadline=None)
@given(st.lists(st.text(string.printable.split("\t")[0], min_size=1), min_size=1))
def test_replies_keep_their_lines(lines: list[str]) -> None:
    lines = [f"<{line}>" for line in lines]
    reply = format_reply("", "\n".join(lines), ok=True)
    assert reply.decode() == "= " + "\n".join(lines) + "\n\n"


LINE = DEFAULT_LIMITS.line


def split(chunks: list[bytes]) -> list[bytes]:
    splitter = LineSplitter()
    lines = [text for chunk in chunks for text, _ in splitter.feed(chunk)]
    return [*lines, splitter.flush()[0]]


@settings(deadline=None)
@given(st.lists(st.binary(max_size=8) | st.sampled_from([b"\n", b"\r\n", b"name\n"])))
def test_packet_boundaries_do_not_matter(chunks: list[bytes]) -> None:
    whole = b"".join(chunks)
    requests = [parse(line) for line in whole.split(b"\n")]
    assert [parse(line) for line in split(chunks)] == requests
    assert [parse(line) for line in split([bytes([byte]) for byte in whole])] == requests


@pytest.mark.parametrize(
    ("length", "too_long"), [(LINE, False), (LINE + 1, True), (10 * LINE, True)]
)
def test_lines_are_bounded(length: int, too_long: bool) -> None:
    splitter = LineSplitter()
    step = 60_000
    lines = []
    for start in range(0, length, step):
        lines += list(splitter.feed(b"x" * min(step, length - start)))
    lines += list(splitter.feed(b"\nname\n5"))
    assert [(len(text), long) for text, long in lines] == [
        (min(length, LINE), too_long),
        (4, False),
    ]
    assert splitter.flush() == (b"5", False)
    assert splitter.flush() == (b"", False)
