"""Opening suites: generated, written in the plan, read from files."""

import gzip
from pathlib import Path

import pytest
from plan_texts import HEAD, TWO, read

from trivalent.core.games import hex_board, y_board
from trivalent.tools.tournament.model import Opening
from trivalent.tools.tournament.plan.plan_file import parse
from trivalent.tools.tournament.plan.strict_toml import PlanError


def test_generated_suites() -> None:
    def suite(text: str, size: str = "5") -> list[str]:
        plan = read(f"size = {size}\nclock.nodes = 1\nopenings = {text}\n")
        assert all(opening.moves for opening in plan.openings)
        return [opening.name for opening in plan.openings]

    assert suite('"all"') == list(hex_board(5).names)
    assert len(suite('"distinct"')) == 13
    assert suite('"distinct"')[-1] == "c3"
    assert len(suite('{ suite = "distinct", count = 4 }')) == 4
    assert suite('"all"', '"3x2"') == ["a1", "b1", "c1", "a2", "b2", "c2"]
    few = suite('{ suite = "random", plies = 3, count = 20 }')
    assert len(set(few)) == 20
    assert all(name.count("-") == 2 for name in few)
    # A longer suite starts with the shorter one, so that a run can be extended.
    assert suite('{ suite = "random", plies = 3, count = 30 }')[:20] == few
    assert suite('{ suite = "random", plies = 3, count = 20, seed = 1 }') != few
    # At most all there are: 25 * 24 / 2 pairs of a black and a white cell up to rotation.
    assert len(suite('{ suite = "random", plies = 2, count = 300 }')) == 300
    assert read(f'{HEAD}openings = "none"\n').openings == (Opening("empty"),)


def test_the_only_opening_of_a_tiny_board_ends_the_game() -> None:
    with pytest.raises(
        PlanError, match="openings contains no opening after which the game goes on"
    ):
        read('size = 1\nclock.nodes = 1\nopenings = "all"\n')


def test_long_openings_have_short_names() -> None:
    board = hex_board(19)
    moves = " ".join(board.names[40:80])
    plan = read(f'size = 19\nclock.nodes = 1\nopenings = ["{moves}"]\n')
    (opening,) = plan.openings
    assert opening.moves == board.names[40:80]
    assert opening.name.startswith("c3-d3-40-")
    assert len(opening.name) < 40


SGF = "(;FF[4]GM[11]SZ[5];B[{}];W[{}])"
FILES = {
    "lines": b"# openings\na1 b2\n\n  c3,d4  # centre\nb1\n",
    "crlf": b"\xef\xbb\xbfa1 b2\r\nc3, d4\r\nb1\r\n",
    "sgf": b"\xef\xbb\xbf"
    + (SGF.format("a1", "b2") + SGF.format("c3", "d4") + "(;GM[11]SZ[5];B[b1])").encode(),
    "variations": b"(;GM[11]SZ[5];B[a1](;W[b2])(;W[b3]))"
    b"(;GM[11]SZ[5]C[no]\r\n;B[c3]\r\n;W[d4])(;GM[11];B[b1])",
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("packed", [False, True])
def test_files_of_openings(tmp_path: Path, name: str, packed: bool) -> None:
    (tmp_path / "file").write_bytes(gzip.compress(FILES[name]) if packed else FILES[name])
    plan = parse(f'{HEAD}openings = {{ file = "file" }}\n{TWO}', tmp_path)
    assert [opening.name for opening in plan.openings] == ["a1-b2", "c3-d4", "b1"]
    plan = parse(f'{HEAD}openings = {{ file = "file", plies = 1 }}\n{TWO}', tmp_path)
    assert [opening.name for opening in plan.openings] == ["a1", "c3", "b1"]


def test_files_of_openings_for_y(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("(;GM[11]FF[4]RU[Y]SZ[5];B[b3])")
    plan = parse(f'game = "y"\n{HEAD}openings = {{ file = "file" }}\n{TWO}', tmp_path)
    assert plan.board == y_board(5)
    assert plan.openings == (Opening("b3", ("b3",)),)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"a1 b2\nc3 c3\n", "file:2: c3 is occupied"),
        (b"a1\n\nz9\n", r"file:3: no cell 'z9' on 5x5 Hex \(last cell: e5\)"),
        (b"a1\ne5\n", r"file:2: e5 is symmetric to a1 \(file:1\)"),
        (b"\n# nothing\n", "file: the file contains no openings"),
        (b"", "file: the file contains no openings"),
        (
            SGF.replace("5]", "6]").format("a1", "b2").encode(),
            "file: the board is 6x6 Hex, but the plan has 5x5 Hex",
        ),
        (b"(;GM[Y]RU[Y]SZ[5];B[a1])", "file: the board is Y 5, but the plan has 5x5 Hex"),
        (b"(;GM[1]SZ[19];B[aa])", "file"),
        (SGF.format("a1", "a1").encode(), "file:1:.*a1 is occupied"),
        (SGF.format("a1", "z9").encode(), "file:1:.*z9"),
        (b"(;GM[11]SZ[5];W[a1])", "file: the colours don't alternate, starting with Black"),
        (b"(;GM[11]SZ[5]AB[a1];B[a2])", "file: an opening can't contain setup stones"),
        (b"(;GM[11]SZ[5];B[a2];W[swap-pieces])", "file: swap-pieces can't be part of an opening"),
        (
            b"(;GM[11]SZ[5];B[a2])(;GM[11]SZ[5];B[a2])",
            "file, game 2: a2 repeats file, game 1",
        ),
        (b"\x1f\x8b\x08\x00broken", "the file is damaged"),
    ],
)
def test_bad_files_of_openings(tmp_path: Path, content: bytes, complaint: str) -> None:
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(PlanError, match=complaint) as error:
        parse(f'{HEAD}openings = {{ file = "file" }}\n{TWO}', tmp_path)
    assert "\n" not in str(error.value)


def test_symmetric_openings_are_allowed_on_request(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a1\ne5\n")
    text = f'{HEAD}openings = {{ file = "file", symmetric = true }}\n{TWO}'
    assert len(parse(text, tmp_path).openings) == 2
    (tmp_path / "file").write_text("a1\ne5\na1\n")
    with pytest.raises(PlanError, match="file:3: a1 repeats file:1"):
        parse(text, tmp_path)
