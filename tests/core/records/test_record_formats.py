"""Links, lists, diagrams and JSON: their meaning, and what is refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from places import DATA

from trivalent.core.board import BLACK, WHITE
from trivalent.core.games import hex_board, y_board
from trivalent.core.records.formats import FORMATS, detect, find_format, read, write
from trivalent.core.records.notation import NOTATIONS
from trivalent.core.records.record import Node, Record, RecordError

if TYPE_CHECKING:
    from trivalent.core.board import Board


def moves(record: Record, node: Node | None = None) -> str:
    """Return the turns of the main line, or of the line to a node."""
    return " ".join(
        turn.action.value if turn.cell is None else record.board.names[turn.cell]
        for one in (node or record.root.end()).line()
        if (turn := one.turn)
    )


def stones(record: Record) -> str:
    names = record.board.names
    found = [
        f"{'.BW'[content]}{names[cell]}"
        for cell, content in enumerate(record.position().stones)
        if content
    ]
    return " ".join(found)


def line(board: Board, words: str) -> Record:
    return read(words, "moves", board=board).record


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("https://hexworld.org/board/#11,a1b2", "hexworld"),
        ("#11", "hexworld"),
        ("#9x13nc1,a1", "hexworld"),
        ("https://example.org/y.html#5,a1", "hexata"),
        ("11,c2e9(d4f6)i9", "hexata"),
        ("#11,c2e9(d4f6)i9", "hexata"),
        ("a1 b2", "moves"),
        ("1. a1 2. b2", "moves"),
        ("a1, b2", "moves"),
        ("g5 swap-pieces g4 pass", "moves"),
        ("size 14: a1", "moves"),
        ("Y5: a1", "moves"),
        ("b a1,w a2", "uais"),
        ('size="5x5" contents="R c3"', "hexwiki"),
        ('text <hexboard size="5x5"/>', "hexwiki"),
        ('[{"boardsize": 5}]', "playhex-json"),
        ('{"format": "trivalent record"}', "json"),
        ("(;GM[11]SZ[5])", "sgf"),
        ("(;AP[HexGui:0.10.GIT]GM[11]SZ[5])", "hexgui"),
        ("(;AP[HexGui:0.9.GIT]GM[11]SZ[5])", "hexgui-0.9"),
        ("(;AP[HexGui:0.9]GM[11]SZ[5])", "hexgui-0.9"),
        ("(;AP[Hex-benzene:0.1]GM[11]SZ[5])", "benzene"),
        ("(;AP[PlayHex:0.0.0]GM[11]SZ[5])", "playhex"),
        ("(;EV[hex.mc]SZ[5])", "littlegolem"),
        ("(;SZ[5];W[aa])", "littlegolem"),
        ("(;SZ[5];B[aa])", "sgf"),
        ("(;GM[Y]SZ[5])", "morat"),
        ("(;GM[1]SZ[40])", "lizzieyzy"),
    ],
)
def test_detection(text: str, name: str) -> None:
    assert detect(text)[0] == name
    reading = read(text) if name != "json" else None
    if reading is not None:
        assert reading.format == name
        assert reading.decisions[0].startswith(f"read as {name}: ")


@pytest.mark.parametrize("text", ["", " ", "hello", "12 monkeys", "\x00", "{", "]"])
def test_text_in_no_known_format(text: str) -> None:
    with pytest.raises(RecordError, match=r"^this text is in no known format: '"):
        read(text)


@pytest.mark.parametrize(
    ("text", "expected", "warnings"),
    [
        ("#5r9c1,a1b2", "a1 b2", []),
        ("#5mnr12c1,A1B2", "a1 b2", []),
        ("#5q9,a1", "a1", ["1:3: 'q9' is not a flag; it and the rest of the flags are ignored"]),
        ("#5r9q9,a1", "a1", ["1:5: 'q9' is not a flag; it and the rest of the flags are ignored"]),
        ("#5,a1 b2", "a1", ["1:6: ' b2' is not a move; the moves end before it"]),
        ("#5,a1b9c3", "a1", ["1:6: 'b9c3' is not a move; the moves end before it"]),
        ("#5,a1a1c3", "a1", ["1:6: a1 is occupied; the moves end before it"]),
        ("#5,a1b2:sc3", "a1 b2", ["1:8: ':sc3' is not a move; the moves end before it"]),
        ("#5,:p:sc3", "pass", ["1:6: ':sc3' is not a move; the moves end before it"]),
        ("#5,a2:s:sc3", "a2 swap-pieces", ["1:8: ':sc3' is not a move; the moves end before it"]),
        ("#5x6,a1:sc3", "a1", None),
        ("#5,a1:Sb2:fw", "a1 swap-sides b2 forfeit", []),
        ("#5,a1(b2)", "a1", ["1:6: '(b2)' is not a move; the moves end before it"]),
        ("#5,a1,b2,c3", "a1 b2", ["1:9: ',c3' is not a move; the moves end before it"]),
        ("#5", "", []),
        ("#5,", "", []),
    ],
)
def test_hexworld(text: str, expected: str, warnings: list[str] | None) -> None:
    reading = read(text, "hexworld")
    assert moves(reading.record) == expected
    assert all(node.turn for node in reading.record.root.walk() if node.parent)
    found = [str(remark) for remark in reading.warnings]
    assert found if warnings is None else found == warnings


def test_hexworld_cursor() -> None:
    record = read("#5,a1b2,c3").record
    assert stones(record) == "Ba1 Wb2"
    assert write(record, "hexworld") == "https://hexworld.org/board/#5,a1b2,c3\n"
    record = read("#5,,a1").record
    assert record.cursor is record.root
    assert write(record, "hexworld") == "https://hexworld.org/board/#5,,a1\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("#", "this link needs a size"),
        ("#0,a1", "this link needs a size"),
        ("#64,a1", "this link has an impossible size: width must be 1 to 63, not 64"),
        ("", "this link needs a size"),
    ],
)
@pytest.mark.parametrize("name", ["hexworld", "hexata"])
def test_links_without_size(text: str, reason: str, name: str) -> None:
    with pytest.raises(RecordError, match=f"^{reason}"):
        read(text, name)


def test_hexata_tree() -> None:
    text = "9,a1b2(c3(d4)e5)(f6)a9,g7"
    record = read(text).record
    assert moves(record) == "a1 b2 a9 g7"
    leaves = [moves(record, node) for node in record.root.walk() if not node.children]
    assert leaves == ["a1 b2 a9 g7", "a1 c3 e5", "a1 d4", "a1 f6"]
    assert record.cursor is not None
    assert moves(record, record.cursor) == "a1 b2 a9"
    assert write(record, "hexata") == "9,a1b2(c3e5)(d4)(f6)a9,g7\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5,(a1)b2", "1:3: '(a1)b2' is not a move; the moves end before it"),
        ("5,a1)b2", "1:5: ')b2' is not a move; the moves end before it"),
        ("5,a1(b2", "1:8: 1 closing parentheses are missing"),
        ("5,a1:rbb2", "1:5: :rb means nothing in this format"),
        ("5,a1b2(c3d4d4)e5", "1:12: d4 is occupied; the moves end before it"),
    ],
)
def test_hexata_warnings(text: str, expected: str) -> None:
    assert [str(remark) for remark in read(text, "hexata").warnings] == [expected]


def test_hexata_merges_twins() -> None:
    record = read("(;GM[11]SZ[5];B[a1](;W[b2];B[c3])(;W[b2];B[d4]))").record
    decisions: list[str] = []
    assert write(record, "hexata", decisions=decisions) == "5,a1b2c3(d4)\n"
    assert decisions == ["variations that begin with the same move are merged"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a1 b2", "a1 b2"),
        ("1. a1 b2 2. c3", "a1 b2 c3"),
        ("1.a1 2.b2;c3,\nd4", "a1 b2 c3 d4"),
        ("A1 Swap-Pieces b2 PASS resign", "a1 swap-pieces b2 pass resign"),
        ("hex 5: a1", "a1"),
        ("size 9x13 : i13", "i13"),
        ("a1 swap b2", "a1"),
        ("a1 b2 c", "a1 b2"),
        ("a1 a1", "a1"),
        ("a1 b2 swap-sides", "a1 b2"),
    ],
)
def test_lists(text: str, expected: str) -> None:
    assert moves(read(text, "moves").record) == expected


@pytest.mark.parametrize(
    ("text", "size"), [("a1", "11x11"), ("l1", "12x12"), ("a14 b2", "14x14"), ("9x13: a1", "9x13")]
)
def test_size_of_a_list(text: str, size: str) -> None:
    board = read(text, "moves").record.board
    assert f"{board.width}x{board.height}" == size


def test_uais_file() -> None:
    text = "b a1,w b2,B\n<<<<<<< HEAD\nb c3,w resign,B\n=======\n"
    reading = read(text, game=2)
    assert moves(reading.record) == "c3 resign"
    assert reading.record.result == "B+"
    assert [str(remark) for remark in reading.warnings] == [
        "4:1: a conflict marker of a merge is ignored",
        "3:1: this is game 2 of 2",
    ]
    with pytest.raises(RecordError, match=r"^there is no game 3: the file has 2$"):
        read(text, game=3)


@pytest.mark.parametrize(
    ("contents", "expected"),
    [
        ("R a1 b2 B c1", "Ba1 Wc1 Bb2"),
        ("R 1:a1 B 2:b2 R 3:c3", "Ba1 Wb2 Bc3"),
        ("R a1--c1 B a3--c3", "Ba1 Bb1 Bc1 Wa3 Wb3 Wc3"),
        ("R c1--a3", "Bc1 Bb2 Ba3"),
        ("B area(a1,c1,a3)", "Wa1 Wb1 Wc1 Wa2 Wb2 Wa3"),
        ("R a1 b2 E a1 *:c2 S red:c3 area(a1,b1,b2)", "Bb2"),
        ("R arrow(12):a1 +:b1", "Ba1 Bb1"),
        ("R a1 B a1", "Wa1"),
        ("R a1--c2 b2", "Bb2"),
        ("R z9 b2", "Bb2"),
        ("a1 R b2", "Bb2"),
    ],
)
def test_hexboard(contents: str, expected: str) -> None:
    record = read(f'<hexboard size="3x3"\n contents="{contents}"/>').record
    assert stones(record) == expected


def test_area_with_an_inside() -> None:
    record = read(
        '<hexboard size="6x6" contents="B area(b1,f1,f3,d5,b5) R area(b2,c3,b4)"/>'
    ).record
    rows = [record.position().stones[begin : begin + 6] for begin in range(0, 36, 6)]
    assert ["".join(map(str, row)) for row in rows] == [
        "022222", "012222", "011222", "012220", "022200", "000000",
    ]  # fmt: skip


def test_numbers_of_a_hexboard_are_moves_if_they_run_from_one() -> None:
    record = read("size='3x3' contents='R 1:b2 a1 B 2:c3'").record
    assert moves(record) == "b2 c3"
    assert write(record, "hexwiki") == ('<hexboard size="3x3" contents="R a1 R 1:b2 B 2:c3" />\n')
    record = read("size='3x3' contents='R 1:b2 B 3:c3'").record
    assert moves(record) == ""
    assert stones(record) == "Bb2 Wc3"


def test_hexboard_of_a_swapped_game() -> None:
    record = line(hex_board(3), "b1 swap-pieces c3")
    assert write(record, "hexwiki") == '<hexboard size="3x3" contents="R c3 B a2" />\n'


def test_playhex_export() -> None:
    game = {
        "id": "x",
        "boardsize": 5,
        "movesCount": 3,
        "moves": "a2 swap-pieces c3",
        "playerRed": "Ann",
        "playerBlue": "Bob",
        "winner": "blue",
        "outcome": "time",
        "handicap": "N/S",
        "timeControl": {"family": "fischer"},
    }
    record = read(json.dumps([{"boardsize": 3, "moves": ""}, game]), game=2).record
    assert moves(record) == "a2 swap-pieces c3"
    assert record.players == {BLACK: "Ann", WHITE: "Bob"}
    assert record.result == "W+Time"
    assert json.loads(write(record, "playhex-json")) == game
    through_sgf = read(write(record, "sgf")).record
    assert json.loads(write(through_sgf, "playhex-json")) == game


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"format": "x"}, "this JSON is not a trivalent record"),
        ({"game": "go"}, "unknown game 'go'"),
        ({"width": 64}, "width must be 1 to 63"),
        ({"width": "5"}, "width must be a whole number"),
        ({"width": True}, "width must be a whole number"),
        ({"players": {"red": "x"}}, "players must be black or white"),
        ({"info": {"x": "y"}}, "info.'x' is not a known fact"),
        ({"nodes": []}, "nodes is empty"),
        ({"nodes": [{}, {"parent": 1}]}, r"nodes\[1\].parent must be from 0 to 0"),
        ({"nodes": [{"turn": ["black", "z9"]}]}, r"nodes\[0\].turn: no cell 'z9'"),
        ({"nodes": [{"turn": ["black"]}]}, r"nodes\[0\].turn must have two items"),
        ({"nodes": [{"turn": ["red", "a1"]}]}, r"nodes\[0\].turn must be black or white"),
        ({"nodes": [{"setup": {"a1": None}}]}, r"nodes\[0\].setup must be a list"),
        ({"nodes": [{"clocks": {"black": [1e99, 1]}}]}, r"nodes\[0\].clocks must be a time"),
        ({"nodes": [{"clocks": {"black": [1, -1]}}]}, r"nodes\[0\].clocks must be from 0"),
        ({"nodes": [{"properties": {"XX": ["]"]}}]}, r"nodes\[0\].properties must be SGF"),
        ({"nodes": [{"properties": {"x": []}}]}, r"nodes\[0\].properties must be SGF"),
        ({"nodes": [3]}, r"nodes\[0\] must be an object"),
        ({"cursor": 1}, "cursor must be from 0 to 0"),
    ],
)
def test_json_that_is_wrong(change: dict[str, Any], reason: str) -> None:
    right = json.loads(write(Record(hex_board(5)), "json"))
    assert read(json.dumps(right), "json").record.board == hex_board(5)
    with pytest.raises(RecordError, match=f"^{reason}"):
        read(json.dumps(right | change), "json")


@pytest.mark.parametrize("text", ["{", "[" * 100_000, "1" * 10_000, "NaN", "[1]", '"x"', "null"])
@pytest.mark.parametrize("name", ["json", "playhex-json"])
def test_text_that_is_not_json(text: str, name: str) -> None:
    with pytest.raises(RecordError):
        read(text, name)


@pytest.mark.parametrize(
    ("board", "words", "name", "reason"),
    [
        (y_board(5), "a1", "hexworld", "this format can't hold Y"),
        (hex_board(5, 6), "a1", "playhex", "this format only holds square boards, not 5x6 Hex"),
        (hex_board(54), "a1", "hexworld", "this format holds boards up to size 53, not 54x54 Hex"),
        (hex_board(5), "a1 swap-sides", "morat", "this format has no swap-sides"),
        (
            hex_board(5, 6), "a1 swap-sides", "hexata",
            "this format has no swap-sides, and swap-pieces needs a square board",
        ),
        (hex_board(5), "pass", "uais", "this format can't hold a game without moves"),
    ],
)  # fmt: skip
def test_what_a_format_cannot_hold(board: Board, words: str, name: str, reason: str) -> None:
    with pytest.raises(RecordError, match=f"^{reason}$"):
        write(line(board, words), name)


def test_setup_becomes_moves_where_a_format_has_none() -> None:
    record = read("(;GM[11]SZ[5]AW[a1][b2];B[c3])").record
    decisions: list[str] = []
    link = write(record, "hexworld", decisions=decisions)
    assert link == "https://hexworld.org/board/#5,:pa1:pb2c3\n"
    assert decisions == [
        "setup becomes moves: this format has no setup",
        "where a player moves out of turn the other one passes",
    ]
    record = read("(;GM[11]SZ[5];B[c3];AE[c3])").record
    with pytest.raises(
        RecordError, match=r"^this format has no setup, and this record empties a cell$"
    ):
        write(record, "hexworld")
    record = read("(;GM[11]SZ[5];B[c3];AW[c3])").record
    with pytest.raises(
        RecordError, match=r"^this format can't hold illegal moves \(c3 is occupied\)$"
    ):
        write(record, "hexworld")


def test_cursor_and_passes() -> None:
    record = read("(;GM[11]SZ[5];B[a1];W[b2]PL[W];W[c3])").record
    record.cursor = record.root.end().parent
    assert write(record, "hexworld") == "https://hexworld.org/board/#5,a1b2:p,c3\n"
    record.cursor = record.root.children[0]
    assert write(record, "hexworld") == "https://hexworld.org/board/#5,a1,b2:pc3\n"


def test_swaps_are_converted_with_all_that_follows() -> None:
    record = read(
        "(;GM[11]SZ[5]RE[W+];B[a2];W[swap-sides];W[d4]LB[d4:x](;B[c1])(;B[e1]WL[5]))"
    ).record
    decisions: list[str] = []
    text = write(record, "hexgui-0.9", decisions=decisions).replace("\n", "")
    assert "W[swap-pieces];W[d4]LB[d4:x]" in text
    assert decisions == []
    text = write(read("5,a2:sd4c1(e1)").record, "hexgui-0.9", decisions=decisions)
    assert text.replace("\n", "").endswith("B[a2];W[swap-pieces];W[d4](;B[a3])(;B[a5]))")
    golem = write(record, "littlegolem", decisions=decisions).replace("\n", "")
    assert golem == "(;FF[4]SZ[5]EV[hex.unknown]RE[B];W[ab];B[swap];W[dd];B[ac])"
    assert "markup after the swap is dropped: its cells would be wrong" in decisions


def test_end_of_a_game_becomes_its_result() -> None:
    record = line(hex_board(5), "a1 b2 resign")
    assert "RE[W+Resign]" in write(record, "playhex")
    record = line(hex_board(5), "a1 b2 forfeit")
    assert "RE[W+Forfeit]" in write(record, "lizzieyzy")


@pytest.mark.parametrize("name", [name for name, n in NOTATIONS.items() if n.game == "y"])
@pytest.mark.parametrize("size", [1, 2, 5, 30])
def test_notations_of_y(name: str, size: int) -> None:
    board, notation = y_board(size), NOTATIONS[name]
    words = [notation.word(board, cell) for cell in range(len(board))]
    assert [notation.cell(board, word.upper()) for word in words] == list(range(len(board)))
    assert len(set(words)) == len(board)


@pytest.mark.parametrize(
    ("name", "corners"),
    [
        ("y", {"a1", "a5", "e5"}),
        ("y-puzzle", {"a1", "a5", "e1"}),
        ("y-swapmap", {"a5", "e5", "e1"}),
        ("y-morat", {"a1", "a5", "e1"}),
    ],
)
def test_notations_of_y_are_the_same_graph(name: str, corners: set[str]) -> None:
    """Neighbours stay neighbours, and the corners are those of the notation."""
    board, notation = y_board(5), NOTATIONS[name]
    assert {notation.word(board, c) for c in range(15) if len(board.neighbours[c]) == 2} == corners
    for cell in range(15):
        x, y = notation.place(board, cell)
        for other in board.neighbours[cell]:
            x2, y2 = notation.place(board, other)
            step = (x2 - x, y2 - y)
            diagonal = {(1, 1), (-1, -1)} if name == "y" else {(1, -1), (-1, 1)}
            assert step in {(1, 0), (-1, 0), (0, 1), (0, -1)} | diagonal


def test_open_spiel_game() -> None:
    """A game of Y played by another program, in its notation."""
    text = (DATA / "openspiel_y9.txt").read_text().splitlines()[1]
    record = read(text, "moves", notation="y-puzzle", board=y_board(9)).record
    assert record.position().winner is BLACK
    assert moves(record) != text


def test_random_games_of_y() -> None:
    """Games with their winners, in the notation of HexWiki's swap maps."""
    path = DATA / "random_finished_y_games.tsv"
    games = [row.split("\t") for row in path.read_text().splitlines() if row[:1].isdigit()]
    assert len(games) > 5
    for size, words, winner, ply in games:
        board = y_board(int(size))
        reading = read(words, "moves", notation="y-swapmap", board=board)
        assert reading.warnings == []
        line = reading.record.root.end().line()
        assert reading.record.position().winner is {"P1": BLACK, "P2": WHITE}[winner]
        assert reading.record.position(line[int(ply) - 1]).winner is None
        written = write(reading.record, "moves", notation="y-swapmap")
        assert written == f"y {size}: {words}\n"


def test_format_names() -> None:
    assert find_format("sgf").name == "sgf"
    assert all(name == one.name and one.title for name, one in FORMATS.items())
