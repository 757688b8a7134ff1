"""Several records in a text are several games, in every format; nothing is lost without a word."""

from __future__ import annotations

import json

import pytest

from trivalent.core.board import BLACK, Colour
from trivalent.core.games import hex_board
from trivalent.core.records.formats import FORMATS, Games, read, write
from trivalent.core.records.record import Action, Record, RecordError, Turn

WRITTEN = [name for name, one in FORMATS.items() if one.write]


def position(record: Record) -> str:
    """Return the size and the stones of a record, such as ``5: Ba1 Wb2``."""
    board = record.board
    stones = record.position().stones
    words = [f"{' BW'[stone]}{board.names[cell]}" for cell, stone in enumerate(stones) if stone]
    return f"{board.width}: {' '.join(words)}".strip()


def positions(text: str | bytes, name: str | None = None) -> list[str]:
    games = Games(text, name)
    return [position(games.read(number).record) for number in range(1, len(games) + 1)]


SEVERAL = {
    "sgf": "(;GM[11]SZ[3];B[a1])\n(;GM[11]SZ[4];B[b2];W[c3])",
    "hexworld": "https://hexworld.org/board/#3c1,a1\n#4,b2c3",
    "hexata": "3,a1\n\n4,b2(a4)c3",
    "moves": "hex 3: a1\r\nsize 4: b2\r\n  c3\r\n",
    "playhex-moves": "a1\nb2 c3\n",
    "uais": "b a1,B\n=======\nb b2,w c3,resign\n",
    "hexwiki": 'A page. <hexboard size="3x3" contents="R a1"/> and <hexboard contents="R b2 B c3" '
    'size="4x4"\n/>, the second diagram.',
    "playhex-json": '[{"boardsize": 3, "moves": "a1"}, {"boardsize": 4, "moves": ["b2", "c3"]}]',
    "json": "".join(write(read(text).record, "json") for text in ("hex 3: a1", "hex 4: b2 c3")),
}
"""By format: one stone on the smaller board, then two on the larger one."""


@pytest.mark.parametrize("name", SEVERAL)
def test_each_record_is_a_game(name: str) -> None:
    small, large = {"playhex-moves": (11, 11), "uais": (10, 10)}.get(name, (3, 4))
    assert positions(SEVERAL[name], name) == [f"{small}: Ba1", f"{large}: Bb2 Wc3"]


@pytest.mark.parametrize("name", [name for name in SEVERAL if name != "playhex-moves"])
def test_the_format_of_several_games_is_detected(name: str) -> None:
    reading = read(SEVERAL[name], game=2)
    assert reading.format == name
    assert position(reading.record).endswith(": Bb2 Wc3")
    assert str(reading.warnings[-1]).endswith(": this is game 2 of 2")
    with pytest.raises(RecordError, match=r"^there is no game 3: the file has 2$"):
        read(SEVERAL[name], game=3)


@pytest.mark.parametrize("name", WRITTEN)
def test_what_is_written_one_after_the_other_is_a_collection(name: str) -> None:
    games = ["hex 3: a1", "hex 3: b2 c3", "hex 3: c1"]
    text = "".join(write(read(one).record, name) for one in games)
    read_again = Games(text, name, board=hex_board(3))
    assert len(read_again) == 3
    for number, one in enumerate(games, 1):
        assert position(read_again.read(number).record) == position(read(one).record)


def test_two_hexboards_are_not_mixed() -> None:
    text = '<hexboard size="7x7" contents="R g7 B a2"/><hexboard size="5x5"/>'
    assert positions(text) == ["7: Wa2 Bg7", "5:"]
    assert Games(text).read(1).warnings == []
    assert Games(text).read(2).warnings == []


def test_games_of_a_file_are_in_their_own_dialects() -> None:
    """The same words mean different things in the two halves of a concatenated file."""
    old = "(;AP[HexGui:0.9.GIT]GM[11]SZ[3];B[a2];W[swap-pieces];W[c3])"
    new = "(;AP[HexGui:0.10.GIT]GM[11]SZ[3];B[a2];W[swap-pieces];B[c3])"
    golem = "(;EV[hex.x]SZ[3];W[ab];B[swap];W[cc])"
    assert positions(old + new + golem) == ["3: Ba2 Wc3", "3: Wb1 Bc3", "3: Wb1 Bc3"]
    assert [Games(old + new + golem).read(n).format for n in (1, 2, 3)] == [
        "hexgui-0.9", "hexgui", "littlegolem",
    ]  # fmt: skip


def test_warnings_belong_to_their_games() -> None:
    games = Games("(;SZ[3];B[a1])\n(;SZ[3];B[z9];W[b2])\n(;SZ[3];B[c3")
    assert [list(map(str, games.read(n).warnings)) for n in (1, 2, 3)] == [
        [],
        ["2:11: no cell 'z9' on 3x3 Hex; the move is dropped"],
        [
            "3:10: this bracket is never closed",
            "3:13: 1 closing parentheses are missing at the end",
        ],
    ]


def test_a_bad_game_does_not_spoil_the_others() -> None:
    games = Games('[{"boardsize": 99}, {"boardsize": 3, "moves": "a1"}, {"x": 1}]')
    assert len(games) == 3
    with pytest.raises(RecordError, match=r"^boardsize: width must be 1 to 63"):
        games.read(1)
    assert position(games.read(2).record) == "3: Ba1"
    with pytest.raises(RecordError, match=r"^this JSON is in no known format \(its keys: 'x'\)$"):
        games.read(3)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("hex 5: z9", None),
        ("hex 5: a1 swap b2", None),
        ("hex 5: a1 a1", None),
        ("a1 x", "playhex-moves"),
        ("#5,a1 b2", None),
        ("#5,a1a1", None),
        ("5,a1(b9)", None),
        ("b a1,w k11", None),
        ("b a1,w swap", None),
        ("(;SZ[5];B[z9])", None),
        ("(;SZ[5]AB[z9])", None),
        ("(;SZ[5];B[a1", None),
        ('<hexboard size="3x3" contents="R z9"/>', None),
        ('<hexboard size="3x3" contents="a1"/>', None),
        ("<hex>R3 C3 Vz9</hex>", None),
        ("<hex>R3 C3 ?a1</hex>", None),
        ('{"boardsize": 3, "moves": "a1 swap"}', None),
        ('{"game": "hex", "variants": [], "stack": [{}, {"_results": [{"type": "place"}]}]}', None),
    ],
)
def test_what_loses_moves_or_stones_says_so(text: str, name: str | None) -> None:
    reading = read(text, name)
    assert reading.loss is not None
    assert reading.loss in reading.warnings


@pytest.mark.parametrize(
    "text",
    [
        "a1 b2",  # no size
        "(;SZ[5];B[a1];W[])",
        "(;SZ[5];B[a1];W[a1])",
        "(;SZ[5];B[a1];W[b2]C[a]b]",
        "5,a1(b2",
        "#5q,a1",
    ],
)
def test_warnings_that_lose_nothing(text: str) -> None:
    reading = read(text)
    assert reading.warnings
    assert reading.loss is None


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("hex 5: a2 swap {}", "moves"),
        ("a2 swap {}", "playhex-moves"),
        ('{{"boardsize": 5, "moves": "a2 swap {}"}}', "playhex-json"),
        ("(;GM[11]SZ[5];B[a2];W[swap])", "sgf"),
    ],
)
@pytest.mark.parametrize("swap", [Action.SWAP_PIECES, Action.SWAP_SIDES])
def test_the_user_says_which_swap_is_meant(text: str, name: str, swap: Action) -> None:
    reading = read(text.format("d3"), name, board=hex_board(5), swap=swap)
    assert reading.loss is None
    swapped = reading.record.root.children[0].children[0]
    assert swapped.turn is not None
    assert swapped.turn.action is swap
    if name != "sgf":
        colour = BLACK if swap is Action.SWAP_PIECES else BLACK.opponent
        cell = hex_board(5).cell("d3")
        assert swapped.children[0].turn == Turn(colour, Action.PLAY, cell)


def test_the_user_does_not_overrule_a_dialect() -> None:
    text = "(;AP[Hex-benzene:0.1]GM[11]SZ[5];B[a2];W[SWAP];W[c3])"
    record = read(text, swap=Action.SWAP_PIECES).record
    assert record.root.children[0].children[0].turn == Turn(Colour.WHITE, Action.SWAP_SIDES)


SGF = "(;FF[4]GM[11]SZ[5]PB[\u017b\u00f3\u0142w];B[c3])"


@pytest.mark.parametrize(
    ("data", "charset"),
    [
        (SGF.encode("utf-16"), "utf-16"),
        (b"\xfe\xff" + SGF.encode("utf-16-be"), "utf-16"),
        (SGF.encode("utf-16-le"), "utf-16-le"),
        (SGF.encode("utf-16-be"), "utf-16-be"),
        (SGF.encode("utf-32"), "utf-32"),
        (SGF.encode("utf-8-sig"), None),
        (SGF.replace("GM", "CA[UTF-8]GM").encode("utf-16"), "utf-16"),
    ],
)
def test_byte_order_marks(data: bytes, charset: str | None) -> None:
    reading = read(data)
    assert reading.record.players == {BLACK: "\u017b\u00f3\u0142w"}
    assert position(reading.record) == "5: Bc3"
    said = [decision for decision in reading.decisions if "UTF-8" in decision]
    assert said == ([f"the text is not UTF-8; it is read as {charset}"] if charset else [])


def test_a_mark_that_lies_is_not_believed() -> None:
    with pytest.raises(RecordError, match="no known format"):
        read(b"\xff\xfe(;")  # one letter of UTF-16
    assert read(b"\xff\xfe (;SZ[3];B[b2])").record.board == hex_board(3)


@pytest.mark.parametrize("name", ["json", "playhex-json"])
def test_games_in_a_list_of_json(name: str) -> None:
    texts = [write(read(one).record, name) for one in ("hex 3: a1", "hex 3: b2")]
    assert positions(f"[{', '.join(texts)}]") == ["3: Ba1", "3: Bb2"]
    assert positions(json.dumps([json.loads(text) for text in texts])) == ["3: Ba1", "3: Bb2"]
