"""The grammar of SGF, real files that break it, and the cost of reading."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trivalent.core.board import BLACK, WHITE
from trivalent.core.records.formats import read, write
from trivalent.core.records.notes import Notes
from trivalent.core.records.record import RecordError
from trivalent.core.records.sgf import (
    Escapes,
    SgfNode,
    escape,
    is_value,
    parse,
    serialize,
    unescape,
)

if TYPE_CHECKING:
    from trivalent.core.records.record import Record

# A tree as plain data: (properties, children).
Plain = tuple[list[tuple[str, list[str]]], list[Any]]


def plain(node: SgfNode) -> Plain:
    return [(p.name, p.values) for p in node.properties], [plain(child) for child in node.children]


def parsed(text: str, escapes: Escapes = Escapes.ALL) -> tuple[list[Plain], list[str]]:
    notes = Notes(text)
    games = parse(text, notes, escapes=escapes)
    return [plain(game) for game in games], [str(remark) for remark in notes.warnings]


def turns(record: Record) -> str:
    names = record.board.names
    return " ".join(
        f"{str(turn.colour)[0]}:{turn.action.value if turn.cell is None else names[turn.cell]}"
        for node in record.root.end().line()
        if (turn := node.turn)
    )


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("(;)", ([], [])),
        ("(;B[])", ([("B", [""])], [])),
        ("(;A[1];B[2])", ([("A", ["1"])], [([("B", ["2"])], [])])),
        (
            "(;A[1](;B[2];C[3])(;D[4]))",
            (
                [("A", ["1"])],
                [([("B", ["2"])], [([("C", ["3"])], [])]), ([("D", ["4"])], [])],
            ),
        ),
        ("\n ( ;\tAB [a1]\n[b2] ; )\n", ([("AB", ["a1", "b2"])], [([], [])])),
        (r"(;C[a\]b\\])", ([("C", [r"a\]b" + "\\\\"])], [])),
        ("(;C[[(;B\\[a1\\])])", ([("C", ["[(;B\\[a1\\])"])], [])),
        ("(;Game[11]SiZe[5])", ([("G", ["11"]), ("SZ", ["5"])], [])),
    ],
)
def test_grammar(text: str, tree: Plain) -> None:
    assert parsed(text) == ([tree], [])


@pytest.mark.parametrize(
    ("text", "result", "warnings"),
    [
        ("", [], []),
        ("no game", [], ["1:1: text outside of games is ignored"]),
        (
            "Hi (there)\r\n(;A[1]) bye",
            [([("A", ["1"])], [])],
            ["1:1: text outside of games is ignored", "2:9: text outside of games is ignored"],
        ),
        ("(;A[1]", [([("A", ["1"])], [])], ["1:7: 1 closing parentheses are missing at the end"]),
        (
            ";A[1]",
            [([("A", ["1"])], [])],
            [
                "1:1: a game begins without a parenthesis",
                "1:6: 1 closing parentheses are missing at the end",
            ],
        ),
        ("(;A[1]))", [([("A", ["1"])], [])], ["1:8: text outside of games is ignored"]),
        ("(A[1])", [([("A", ["1"])], [])], ["1:2: a node begins without a semicolon"]),
        (
            "(;A[1",
            [([("A", ["1"])], [])],
            [
                "1:4: this bracket is never closed",
                "1:6: 1 closing parentheses are missing at the end",
            ],
        ),
        ("(;C[1\\", [([("C", ["1"])], [])], None),
        ("(;C[1\\\\", [([("C", ["1\\\\"])], [])], None),
        ("(;[1]A[2])", [([("A", ["2"])], [])], ["1:3: a value without a property is ignored"]),
        ("(;A[2] x y 1)", [([("A", ["2"])], [])], None),
        ("(;A B[2])", [([("B", ["2"])], [])], ["1:3: 'A' means nothing here and is ignored"]),
        ("(;b[2])", [([("B", ["2"])], [])], ["1:3: property b is read as B"]),
        ("(;A[1])(;B[2])", [([("A", ["1"])], []), ([("B", ["2"])], [])], []),
        ("((;A[1])(;B[2]))", [([("A", ["1"])], []), ([("B", ["2"])], [])], []),
        (
            "(;PW[a;]]SZ[11])",
            [([("PW", ["a;\\]"]), ("SZ", ["11"])], [])],
            ["1:8: this ] is not escaped and is read as text"],
        ),
        ("(;C[see [this] here]B[a1])", [([("C", ["see [this\\] here"]), ("B", ["a1"])], [])], None),
        (
            "(;C[a [b] and [c] d];B[e5])",
            [([("C", ["a [b\\] and [c\\] d"])], [([("B", ["e5"])], [])])],
            None,
        ),
        ("(;C[smile :] ok];W[a2])", [([("C", ["smile :\\] ok"])], [([("W", ["a2"])], [])])], None),
        ("(;B[a1] junk ;W[b2])", [([("B", ["a1"])], [([("W", ["b2"])], [])])], None),
        ("(;C[(a]) b];W[b2])", [([("C", ["(a\\]) b"])], [([("W", ["b2"])], [])])], None),
    ],
)
def test_broken_text(text: str, result: list[Plain], warnings: list[str] | None) -> None:
    games, noted = parsed(text)
    assert games == result
    assert noted if warnings is None else noted == warnings


def test_without_escapes() -> None:
    text = "(;PB[lazy\\player]PW[a\\]SZ[11]C[a]b])"
    assert parsed(text, Escapes.NONE)[0] == [
        ([("PB", ["lazy\\player"]), ("PW", ["a\\"]), ("SZ", ["11"]), ("C", ["a]b"])], [])
    ]


def test_escapes_in_comments_only() -> None:
    text = "(;PB[back\\slash]US[ends\\];B[b2]PW[a\\]b]C[a\\];B[c\\d])"
    assert parsed(text, Escapes.COMMENTS)[0] == [
        (
            [("PB", ["back\\\\slash"]), ("US", ["ends\\\\"])],
            [([("B", ["b2"]), ("PW", ["a\\]b"]), ("C", ["a\\];B[c\\d"])], [])],
        )
    ]


def test_escapes_hardly_anywhere() -> None:
    text = "(;C[a\\];B[c\\d]C[a\\]b\\\\])"
    assert parsed(text, Escapes.SELDOM)[0] == [
        ([("C", ["a\\\\"])], [([("B", ["c\\\\d"]), ("C", ["a\\]b\\\\"])], [])])
    ]


def test_what_hexgui_leaves_unescaped() -> None:
    text = "(;AN[ends\\]AP[HexGui:0.10.GIT]GM[11]SZ[5]PW[a]b];B[b2]C[ends\\\\]XY[a ] b];W[c3])"
    reading = read(text)
    assert reading.format == "hexgui"
    assert reading.record.info == {"annotator": "ends\\"}
    assert reading.record.players == {WHITE: "a]b"}
    assert turns(reading.record) == "b:b2 w:c3"


def test_unescape() -> None:
    assert unescape(r"a\]b\\c\:d") == r"a]b\c:d"
    assert unescape("one\\\ntwo\\\r\nthree\n\tfour") == "onetwothree  four"
    assert unescape("one\\\ntwo\r\nthree\n\tfour\\", lines=True) == "onetwo\nthree\n four"
    assert unescape("\\\t") == " "


@given(st.text())
@settings(derandomize=True)
def test_escaping_is_undone(text: str) -> None:
    value = escape(text)
    assert is_value(value)
    if not any(letter.isspace() and letter not in " \n" for letter in text):
        assert unescape(value, lines=True) == text or "\\\n" in value
    [(properties, _)], warnings = parsed(f"(;C[{value}]B[a1])")
    assert properties == [("C", [value]), ("B", ["a1"])]
    assert warnings == []


names = st.from_regex(r"[A-Z]{1,3}", fullmatch=True)
values = st.text(max_size=8).map(escape)
properties = st.lists(st.tuples(names, st.lists(values, min_size=1, max_size=3)), max_size=3)
trees: st.SearchStrategy[Plain] = st.recursive(
    st.tuples(properties, st.just([])),
    lambda below: st.tuples(properties, st.lists(below, max_size=3)),
    max_leaves=12,
)


def grown(tree: Plain) -> SgfNode:
    node = SgfNode()
    for name, several in tree[0]:
        node.add(name, *several)
    node.children = [grown(child) for child in tree[1]]
    return node


@given(trees)
@settings(derandomize=True, deadline=None)
def test_trees_are_read_as_they_were_written(tree: Plain) -> None:
    text = serialize(grown(tree))
    games, warnings = parsed(text)
    assert games == [plain(grown(tree))]
    assert warnings == []


def test_lines_are_of_seventy_two_columns() -> None:
    root = SgfNode()
    for number in range(40):
        root.add("XX", f"value {number}", "another")
    root.add("C", "x" * 100)
    lines = serialize(root).splitlines()
    assert all(len(line) <= 72 for line in lines if "xxx" not in line)
    assert min(map(len, lines[:-3])) > 55


UNITS = [
    "(", ")", "[", "]", ";", "\\", "a", "A", " ", "\n", "((;", "(;B[a1]", ";B[a1]", "A[", "A[]",
    "]A", "] A", "]x[", "])", "];", "[\\]", "()", "(;)", "C[]]", "C[a]b", "( ", "(a", "a(",
    ";a", "A ", "AB[a1]", "C[\\", "\r", ") (", "](", "];(", "]a ",
]  # fmt: skip


@pytest.mark.parametrize("unit", UNITS)
def test_the_cost_of_reading_is_linear(unit: str) -> None:
    """Reading twice the text runs about twice as many lines of code."""
    assert cost(unit, 4_000) < 2.6 * cost(unit, 2_000) + 1000


def cost(unit: str, times: int) -> int:
    """Return how many lines of code run while so many units are read, and as a value of text."""
    count = 0

    def trace(_frame: object, _event: str, _argument: object) -> object:
        nonlocal count
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)  # type: ignore[arg-type]  # a trace function may return itself
    try:
        for text in (unit * times, "(;C[x" + unit * times):
            parse(text, Notes(text))
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("unit", ["a", " ", "]", "] ", "]a", "]a ", "( ", "(a", ";a", "])", "];("])
def test_long_texts_are_read(unit: str) -> None:
    """With a backtracking regular expression, this would take hours."""
    text = unit * (30_000 // len(unit))
    for begun in (text, "(;C[x" + text, "(;B[a1]" + text):
        parse(begun, Notes(begun))
        with suppress(RecordError):
            read(begun)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(;GM[11]SZ[5];B[A1];W[B2])", "b:a1 w:b2"),
        ("(;GM[11]SZ[5];B[aa];W[bc])", "b:a1 w:b3"),
        ("(;GM[11]SZ[5];B[a1]W[b2];B[c3])", "b:a1 w:b2 b:c3"),
        ("(;GM[11]SZ[5]B[a1];W[b2])", "b:a1 w:b2"),
        ("(;GM[11]SZ[5];B[a1][b2])", "b:a1 b:b2"),
        ("(;GM[11]SZ[5];B[];W[pass];B[resign])", "b:pass w:pass b:resign"),
        ("(;GM[11]SZ[5];B[a9];W[b2])", "w:b2"),
        ("(;GM[11]SZ[5];B[a2];W[swap-pieces];B[c3])", "b:a2 w:swap-pieces b:c3"),
        ("(;GM[11]SZ[5];B[a2];W[swap-pieces];W[c3])", "b:a2 w:swap-sides w:c3"),
        ("(;GM[11]SZ[5];B[a2];W[swap];B[c3])", "b:a2 w:swap-pieces b:c3"),
        ("(;GM[11]SZ[5];B[a2];W[swap];W[c3])", "b:a2 w:swap-sides w:c3"),
        ("(;GM[11]SZ[5];B[a2];W[swap])", "b:a2 w:swap-sides"),
        ("(;GM[11]SZ[5:6];B[a2];W[swap-pieces];B[c3])", "b:a2 w:swap-sides b:c3"),
        ("(;AP[HexGui:0.10]GM[11]SZ[5];B[a2];W[swap-pieces];W[c3])", "b:a2 w:swap-pieces w:c3"),
        ("(;AP[HexGui:0.10]GM[11]SZ[5];B[a2];W[swap];W[c3])", "b:a2 w:swap-sides w:c3"),
        ("(;AP[HexGui:0.9]GM[11]SZ[5];B[a2];W[swap-pieces])", "b:a2 w:swap-sides"),
        ("(;AP[HexGui:0.9.GIT]GM[11]SZ[5]RU[Y];B[a2];W[swap-pieces])", "b:a2 w:swap-pieces"),
        ("(;GM[Hex]SZ[5];W[a2];B[b1])", "b:a2 w:b1"),
        ("(;SO[http://www.littlegolem.net]SZ[5];W[ab];B[swap])", "b:a2 w:swap-pieces"),
        ("(;GM[1]SZ[14];B[hf];W[ed])", "b:c3 w:b2"),
    ],
)  # fmt: skip
def test_turns(text: str, expected: str) -> None:
    assert turns(read(text).record) == expected


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("(;GM[11]SZ[5];B[a1]\n;W[z9])", "2:4: no cell 'z9' on 5x5 Hex; the move is dropped"),
        ("(;GM[11]SZ[5];B[a1];W[a1])", "1:20: a1 is occupied; the move is kept"),
        ("(;GM[11]SZ[5];W[])", "1:17: an empty move is read as a pass"),
        (
            "(;GM[11]SZ[5];B[a1]B[a2])",
            "1:22: a node has a second move; it is read as the next node",
        ),
        ("(;GM[11]SZ[5];AB[q7])", "1:18: no cell 'q7' on 5x5 Hex; the setup is dropped"),
        ("(;GM[11]SZ[5];PL[x])", "1:15: PL is neither B nor W and is ignored"),
        ("(;GM[11]SZ[5];SZ[6])", "1:15: SZ belongs in the first node and is ignored"),
        ("(;GM[11]SZ[5]PB[x]PB[y])", "1:19: PB is given twice; the first one holds"),
        ("(;GM[11]SZ[5])(;GM[11]SZ[6])", "1:1: this is game 1 of 2"),
        (
            "(;GM[1]SZ[14];B[bc])",
            "1:17: 'bc' is between the cells of the sheared grid; the move is dropped",
        ),
    ],
)
def test_warnings_name_line_and_column(text: str, warning: str) -> None:
    assert [str(remark) for remark in read(text).warnings] == [warning]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("(;GM[2]SZ[8])", r"GM\[2\] is neither Hex nor Y"),
        ("(;GM[11]SZ[64])", r"SZ\[64\]: width must be 1 to 63, not 64"),
        ("(;GM[11]SZ[x])", r"SZ\[x\] is not a size \(such as 11, or 9:13\)"),
        ("(;GM[11]SZ[0])", r"SZ\[0\]: width must be 1 to 63, not 0"),
        ("(;GM[11]SZ[5:6]RU[Y])", r"SZ\[5:6\]: a Y board has one size, not 5 by 6"),
        ("(hello)", "this SGF has no games"),
    ],
)
def test_refusals(text: str, reason: str) -> None:
    with pytest.raises(RecordError, match=f"^{reason}$"):
        read(text)


def test_choice_among_games() -> None:
    text = "(;GM[11]SZ[5];B[a1])(;GM[11]SZ[6];B[b2])"
    assert turns(read(text, game=2).record) == "b:b2"
    with pytest.raises(RecordError, match=r"^there is no game 3: the file has 2$"):
        read(text, game=3)


def test_rectangles_and_repeated_setup() -> None:
    record = read("(;GM[11]SZ[5]AB[a1:c2][e5]AE[b1])").record
    names = record.board.names
    black = [names[c] for c, s in enumerate(record.position().stones) if s == BLACK]
    assert black == ["a1", "c1", "a2", "b2", "c2", "e5"]


def test_everything_else_is_kept() -> None:
    text = (
        "(;FF[4]AP[Trivalent:0.2.0]GM[11]SZ[5]EV[cup]DT[2026-11-28]PB[Ann]PW[B\\]ob]RE[B+3]"
        "KM[0]XX[one][two \\] three][];B[c3]BL[10.5]WL[9]OW[3]C[a comment\nof two lines: \\\\]"
        "LB[a1:x][b2:y]N[node])"
    )
    reading = read(text)
    assert reading.warnings == []
    assert write(reading.record, "sgf").replace("\n", "") == text.replace("\n", "")
    root, node = reading.record.root.walk()
    assert reading.record.players == {BLACK: "Ann", WHITE: "B]ob"}
    assert reading.record.winner is BLACK
    assert reading.record.info == {"event": "cup", "date": "2026-11-28"}
    assert root.properties == {"KM": ["0"], "XX": ["one", "two \\] three", ""]}
    assert node.comment == "a comment\nof two lines: \\"
    assert node.clocks[WHITE] == (9.0, 3)


def test_markup_follows_the_names_of_cells() -> None:
    text = "(;EV[hex.x]SZ[5]LB[bc:mf];W[ab]TR[ab])"
    root, node = read(text).record.root.walk()
    assert root.properties == {"LB": ["b3:mf"]}
    assert node.properties == {"TR": ["a2"]}
    assert write(read(text).record, "littlegolem").replace("\n", "") == (
        "(;FF[4]SZ[5]EV[hex.x]LB[bc:mf];W[ab]TR[ab])"
    )


def test_white_space_is_that_of_sgf() -> None:
    record = read("(;GM[11]SZ[5])").record
    record.players[BLACK] = "a\tb\nc"
    record.root.comment = "a\tb\r\nc"
    text = write(record, "sgf")
    assert text.endswith("PB[a b c]C[a b\nc])\n")
    assert write(read(text).record, "sgf") == text


def test_character_sets() -> None:
    text = "(;GM[11]SZ[5]CA[%s]PB[\u017b\u00f3\u0142w])"
    for charset in ("utf-8", "iso-8859-2"):
        reading = read((text % charset).encode(charset))
        assert reading.record.players == {BLACK: "\u017b\u00f3\u0142w"}
    reading = read(b"(;GM[11]SZ[5]CA[no such]PB[\xe9])")
    assert reading.record.players == {BLACK: "\u00e9"}
    assert "the text is not UTF-8; it is read as latin-1" in reading.decisions
    assert read(b"\xef\xbb\xbf(;GM[11]SZ[5])").warnings == []


@pytest.mark.parametrize(
    ("program", "following", "expected"),
    [
        ("HexGui:1.0.", "W[d4]", "b:a2 w:swap-sides w:d4"),
        ("HexGui:1.0.", "B[d4]", "b:a2 w:swap-pieces b:d4"),
        ("HexGui:0.10.GIT", "W[d4]", "b:a2 w:swap-pieces w:d4"),
        ("HexGui:0.9", "W[d4]", "b:a2 w:swap-sides w:d4"),
    ],
)
def test_swaps_of_a_hexgui_called_1_0(program: str, following: str, expected: str) -> None:
    """Games of the olympiads of 2008 and 2009, where the colour that swaps moves again."""
    text = f"(;AP[{program}]FF[4]GM[11]SZ[5];B[a2];W[swap-pieces];{following})"
    assert turns(read(text).record) == expected
