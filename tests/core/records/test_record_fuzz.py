"""Readers get any text: they read it or refuse it, and can write what they read.

`pytest -m fuzz -s` goes on for FUZZ_SECONDS (60 unless set) and says how many texts it tried.
"""

from __future__ import annotations

import os
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from places import DATA
from slowness import repeats

from trivalent.core.records.formats import FORMATS, read, write
from trivalent.core.records.notation import NOTATIONS
from trivalent.core.records.record import RecordError

ALPHABET = st.sampled_from(
    ["(", ")", "[", "]", ";", ",", ":", "\\", "\n", " ", "#", "B", "W", "AB", "AE", "PL", "C", "LB",
     "SZ", "GM", "AP", "RU", "RE", "BL", "a1", "b2", "c3", "z99", "aa", "11", "5", "5x7", "swap",
     "swap-pieces", "swap-sides", "pass", "resign", ":s", ":S", ":p", ":rb", "hex.x", "HexGui:0.9",
     "Y", "y.html#", "<hexboard ", "size=", "contents=", '"', "R ", "E ", "--", "area(", "{", "}",
     '"moves"', '"boardsize"', "null", "\ufeff", "\u00e9", "\x00", "1.", "(;GM[11]SZ[5]", ";B[a1]"]
)  # fmt: skip
TEXTS = st.lists(ALPHABET, max_size=40).map("".join) | st.text(max_size=60)


def check(text: str | bytes, name: str | None, notation: str | None) -> None:
    """Check that a text is read or refused, and that the record can be written and read again."""
    try:
        reading = read(text, name, notation=notation)
    except RecordError:
        return
    assert all(remark.line >= 1 and remark.column >= 1 for remark in reading.warnings)
    reading.record.position()
    kept = write(reading.record, "json")
    assert write(read(kept, "json").record, "json") == kept
    with_sgf = write(reading.record, "sgf")
    again = read(with_sgf, "sgf")
    assert write(again.record, "sgf") == with_sgf
    for other in FORMATS:
        try:
            written = write(reading.record, other)
        except RecordError:
            continue
        written.encode()
        board = reading.record.board
        assert write(read(written, other, board=board).record, other) == written


@pytest.mark.parametrize("name", [None, *FORMATS])
@given(
    text=TEXTS | st.binary(max_size=40),
    notation=st.sampled_from([None, None, None, *NOTATIONS]),
)
@settings(max_examples=repeats(40), deadline=None, derandomize=True)
def test_any_text_is_read_or_refused(
    name: str | None, text: str | bytes, notation: str | None
) -> None:
    check(text, name, notation)


SEEDS = [
    line.split("\t")[2]
    for line in (DATA / "dialect_samples.tsv").read_text().splitlines()
    if line[:1] == "d"
] + [
    '<hexboard size="3x3" contents="R 1:b2 a1 B 2:c3 area(a1,c1,a3)"/>',
    '[{"boardsize": 5, "moves": "a2 swap-pieces c3", "winner": "blue", "outcome": "time"}]',
    write(read("9,a1b2(c3(d4)e5)(f6)a9,g7").record, "json"),
]


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """Samples with pieces removed, doubled, replaced or inserted."""
    text = draw(st.sampled_from(SEEDS))
    for _ in range(draw(st.integers(1, 4))):
        begin = draw(st.integers(0, len(text)))
        end = min(len(text), begin + draw(st.integers(0, 6)))
        piece = draw(st.just("") | ALPHABET | st.just(text[begin:end] * 2) | st.text(max_size=2))
        text = text[:begin] + piece + text[end:]
    return text


@given(mutated())
@example("(;SZ[11]EV[hex.x]PB[lazy\\player];W[aa];B[bb]PB[lazy\\player])")
@example("(;FF[4](;FF[4]EV[null]PB[lazy\\player]SZ[11];W[ad])")
@example("(;EV[\rhex.mc.x]SZ[13];W[mf])")
@example("(;FF[4]XX[a\\];B[b])")
@settings(max_examples=repeats(300), deadline=None, derandomize=True)
def test_mutated_samples(text: str) -> None:
    check(text, None, None)


@pytest.mark.fuzz
def test_fuzz() -> None:
    """Try random texts for FUZZ_SECONDS seconds (an environment variable; 60 by default)."""
    seconds = float(os.environ.get("FUZZ_SECONDS", "60"))
    begin = time.monotonic()
    count = 0

    @given(mutated() | TEXTS, st.sampled_from([None, None, None, *FORMATS]))
    @settings(max_examples=2000, deadline=None, database=None, print_blob=True)
    def some(text: str, name: str | None) -> None:
        nonlocal count
        count += 1
        check(text, name, None)

    while time.monotonic() - begin < seconds:
        some()
    print(f"{count} texts in {time.monotonic() - begin:.0f} s")  # noqa: T201  shown by pytest -s
