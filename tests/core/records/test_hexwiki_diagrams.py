"""The old diagrams of HexWiki, <hex>, as its help pages describe them and as its pages use them."""

from __future__ import annotations

import pytest

from trivalent.core.records.formats import Games, read, write
from trivalent.core.records.record import RecordError


def diagram(text: str) -> str:
    """Return how the format of today shows an old diagram: its stones, then its moves."""
    return write(read(f"<hex>{text}</hex>").record, "hexwiki").split('"')[3]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("R7 C7 Q1 Vc4 Hd5", "R c4 B d5"),
        ("R3 C3 Rb2 Ba1 Vc1 Hc3 Sa2 *a3 Pb1 +b3", "R b2 c1 B a1 c3"),
        ("C3\nR3\n1:RSB\n3:__V", "R a1 c3 B c1"),
        ("R5 C5 Q1 Mc3 Ma3 Me3 Mb2 Md4", "R 1:c3 B 2:a3 R 3:e3 B 4:b2 R 5:d4"),
        ("R3 C3 B2a1 R1b2 Hc1", "B c1 R 1:b2 B 2:a1"),
        ("R3 C3 R5a1 B7b2", "R a1 B b2"),
        ("R7 C7 border labels\nplay\nd4 d3 e3\n\nred numbered\nd4 e3", "R 1:d4 B 2:d3 R 3:e3"),
        ("R3 C3 red a1 b1 blue c1 play b2 b3", "R a1 b1 B c1 R 1:b2 B 2:b3"),
        ("R11 C11 " + " ".join(f"M{c}1" for c in "abcdefghijk"),
         " ".join(f"{'RB'[n % 2]} {n + 1}:{c}1" for n, c in enumerate("abcdefghijk"))),
        ("R2 C11 R1a1 B2b1 R3c1 B4d1 R5e1 B6f1 R7g1 B8h1 R9i1 B0j1",
         "R 1:a1 B 2:b1 R 3:c1 B 4:d1 R 5:e1 B 6:f1 R 7:g1 B 8:h1 R 9:i1 B 10:j1"),
    ],
)  # fmt: skip
def test_old_diagram(text: str, expected: str) -> None:
    assert diagram(text) == expected
    assert read(f"<hex>{text}</hex>").warnings == []


def test_rows_and_columns() -> None:
    board = read("<hex>R3 C5 Ve1 Ha3</hex>").record.board
    assert (board.width, board.height) == (5, 3)


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("R3 C3 Vd1", "1:12: no cell 'd1' on 3x3 Hex (last cell: c3); it is ignored"),
        ("R3 C3\n1:BBBB", "2:1: row 1 is longer than the board; its end is not drawn"),
        ("R3 C3\n4:B", "2:1: no cell 'a4' on 3x3 Hex (last cell: c3); it is ignored"),
        ("R3 C3 V?", "1:12: 'V?' means nothing here; it is ignored"),
    ],
)
def test_words_that_make_no_sense(text: str, warning: str) -> None:
    assert [str(remark) for remark in read(f"<hex>{text}</hex>").warnings] == [warning]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "this diagram needs a size (such as R11 C11)"),
        ("R5", "this diagram needs a size (such as R11 C11)"),
        ("R64 C5", "this diagram has an impossible size: height must be 1 to 63, not 64"),
    ],
)
def test_old_diagrams_without_size(text: str, reason: str) -> None:
    with pytest.raises(RecordError) as caught:
        read(f"<hex>{text}</hex>")
    assert str(caught.value) == reason


def test_a_page_with_both_kinds_of_diagrams() -> None:
    page = """
    '''Ladder''' <hex>R3 C3 Vb2</hex>
    {{Template}} <hexboard size="4x4" contents="B c3" /> (the end)
    <hex>
    C2 R2 Ha1
    """
    games = Games(page)
    texts = [write(games.read(n).record, "hexwiki") for n in range(1, len(games) + 1)]
    assert [text.split('"')[1::2] for text in texts] == [
        ["3x3", "R b2"], ["4x4", "B c3"], ["2x2", "B a1"],
    ]  # fmt: skip
    assert all(not games.read(n).warnings for n in range(1, 4))
