"""``trivalent convert`` from the command line down."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

import pytest

from trivalent.core.records.formats import FORMATS
from trivalent.core.records.notation import NOTATIONS
from trivalent.tools.cli import main
from trivalent.tools.commands.convert import INCOMPLETE

if TYPE_CHECKING:
    from pathlib import Path

LINK = "https://hexworld.org/board/#5,c3b2d2"


def test_a_link_becomes_sgf(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", LINK, "--to", "hexgui"]) == 0
    out, err = capfd.readouterr()
    assert out == "(;FF[4]AP[HexGui:0.10.GIT]GM[11]SZ[5];B[c3];W[b2];B[d2])\n"
    assert err == ""


def test_a_drawing_comes_with_a_link(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", "hex 3: b2 a1"]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert lines[1] == "1 W . .  1"
    assert lines[2] == " 2 . B .  2"
    assert lines[-1] == "https://hexworld.org/board/#3,b2a1"


@pytest.mark.parametrize("names", [(), ("-", "-o", "-")], ids=["by default", "by name"])
def test_standard_streams(
    names: tuple[str, ...], capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "(;GM[11]SZ[5]PB[\u00e9];B[a1];W[z9])"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert main(["convert", *names, "--to", "sgf"]) == INCOMPLETE
    out, err = capfd.readouterr()
    assert out == "(;FF[4]CA[UTF-8]AP[Trivalent:0.2.0]GM[11]SZ[5]PB[\u00e9];B[a1];)\n"
    assert err == "standard input:1:28: no cell 'z9' on 5x5 Hex; the move is dropped\n"


def test_files(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source, target = tmp_path / "a.sgf", tmp_path / "b.txt"
    source.write_text("(;AP[HexGui:0.9]GM[11]SZ[5];B[a2];W[swap-pieces])(;GM[11]SZ[4];B[b2])")
    target.write_text("before")
    assert main(["convert", str(source), "--to", "moves", "--explain", "-o", str(target)]) == 0
    out, err = capfd.readouterr()
    assert out == ""
    assert target.read_text() == "hex 5: a2 swap-sides\nhex 4: b2\n"
    assert err.splitlines() == [
        f"{source}, game 1: read as hexgui-0.9: it was written by 'HexGui:0.9'",
        f"{source}, game 1: swap-pieces is read as swap-sides: {FORMATS['hexgui-0.9'].title}",
        f"{source}, game 2: read as sgf: it names no program with a dialect of its own",
        "2 games from 1 source: 2 converted",
    ]
    assert main(["convert", str(source), "--to", "moves", "--game", "2"]) == 0
    assert capfd.readouterr() == ("hex 4: b2\n", "")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.sgf", "b.txt"]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["nowhere.sgf"], "input: there is no file 'nowhere.sgf'"),
        ([LINK, "--to", "no"], "unknown format 'no' (known: sgf, "),
        ([LINK, "--from", "no"], "argument: unknown format 'no' (known: sgf, "),
        ([LINK, "--notation", "no"], "argument: unknown notation 'no' (known: hex, "),
        ([LINK, "--to", "sgf", "--write-notation", "y"], "argument: the notation y is not for 5x5"),
        ([LINK, "--size", "5y"], "argument: '5y' isn't a board size (use one such as 11 or 9x13)"),
        ([LINK, "--size", "64"], "argument: width must be 1 to 63, not 64"),
        (["what is this?"], "argument: this text is in no known format: 'what is this?'"),
        (["y.html#5,a1", "--to", "hexworld"], "argument: this format can't hold Y"),
        (
            [LINK, "--to", "sgf", "-o", "/no/such/folder/x"],
            "/no/such/folder/x: No such file",
        ),
    ],
)
def test_impossible_conversions_are_one_line(
    words: list[str], reason: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["convert", *words]) == 1
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith(reason)
    assert err.count("\n") == 1


def test_a_failed_conversion_leaves_the_file(tmp_path: Path) -> None:
    target = tmp_path / "game.txt"
    target.write_text("before")
    assert main(["convert", "y 5: a1", "--to", "hexworld", "-o", str(target)]) == 1
    assert target.read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["game.txt"]


def test_sizes_and_notations(capfd: pytest.CaptureFixture[str]) -> None:
    words = ["b3 a1", "--notation", "y-puzzle", "--size", "5", "--to", "moves"]
    assert main(["convert", *words]) == 0
    assert main(["convert", *words, "--write-notation", "y-swapmap"]) == 0
    assert capfd.readouterr().out.splitlines() == ["y 5: b3 a5", "y 5: d3 e5"]


def test_list_of_formats(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", "--formats"]) == 0
    listed = [line.split()[0] for line in capfd.readouterr().out.splitlines() if line]
    assert listed == [*FORMATS, "notations:", *NOTATIONS]


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    """Return a folder of games in several formats: six that can be read, one of them in part."""
    folder = tmp_path / "games"
    (folder / "old" / ".git").mkdir(parents=True)
    (folder / "a.sgf").write_text("(;GM[11]SZ[5];B[a1])(;GM[11]SZ[4];B[z9];W[b2])")
    (folder / "old" / "b.txt").write_text("#5,c3\n#6,d4e5\n")
    (folder / "old" / ".git" / "config").write_text("hidden files are no games")
    (folder / "wiki.txt").write_text("<hex>R3 C3 Vb2</hex> <hexboard size='2x2'/>")
    (folder / "bad.json").write_text("{")
    return folder


MOVES = ["hex 5: a1", "hex 4: pass b2", "hex 5: c3", "hex 6: d4 e5", "hex 3: b2 pass", "hex 2:"]


def test_a_folder_becomes_a_collection(
    collection: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "all.txt"
    words = ["convert", str(collection), "y 3: a1", "--to", "moves", "-o", str(target)]
    assert main(words) == 1
    out, err = capfd.readouterr()
    assert out == ""
    assert target.read_text().splitlines() == [*MOVES, "y 3: a1"]
    assert err.splitlines() == [
        f"{collection}/a.sgf:1:37: no cell 'z9' on 4x4 Hex; the move is dropped",
        f"{collection}/bad.json: this text is in no known format: '{{'",
        "8 games from 5 sources: 6 converted, 1 with missing moves or stones, 1 failed",
        "1 warning: the move is dropped",
    ]
    (collection / "bad.json").unlink()
    assert main(words) == INCOMPLETE
    (collection / "a.sgf").unlink()
    assert main(words) == 0
    assert target.read_text().splitlines() == [*MOVES[2:], "y 3: a1"]


def test_a_folder_becomes_a_folder(
    collection: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "new" / "folder"
    (tmp_path / "c.moves").write_text("hex 3: a1")
    words = ["convert", str(collection), str(tmp_path / "c.moves"), "--to", "hexworld"]
    assert main([*words, "-o", f"{target}/"]) == 1
    capfd.readouterr()
    found = {str(p.relative_to(target)): p.read_text() for p in target.rglob("*") if p.is_file()}
    link = "https://hexworld.org/board/"
    assert found == {
        "a.txt": f"{link}#5,a1\n{link}#4,:pb2\n",
        "old/b.txt": f"{link}#5,c3\n{link}#6,d4e5\n",
        "wiki.txt": f"{link}#3,b2:p\n{link}#2,\n",
        "c.txt": f"{link}#3,a1\n",
    }
    assert main([*words, "--to", "sgf", "-o", str(target)]) == 1  # it exists now
    assert (target / "old" / "b.sgf").read_text().count("(;") == 2


def test_all_games_are_drawn(collection: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", str(collection / "old" / "b.txt")]) == 0
    out = capfd.readouterr().out
    assert [line for line in out.splitlines() if "game" in line] == [
        f"{collection}/old/b.txt, game 1:",
        f"{collection}/old/b.txt, game 2:",
    ]


@pytest.mark.parametrize(
    ("words", "output", "reason"),
    [
        (["a.sgf"], "a.sgf", "--output: a.sgf is also an input"),
        (["."], "a.sgf", "--output: a.sgf is also an input"),
        (["a.sgf"], "../games/a.sgf", "--output: ../games/a.sgf is also an input"),
        (["."], ".", "--output for a.sgf: a.sgf is also an input"),
        (["a.sgf", "a.txt"], "../new/",
         "--output for a.txt: ../new/a.sgf is also the file of --output for a.sgf"),
        (["a.sgf", "#5,a1"], "../new/",
         "'#5,a1' is no file: only files are converted to a folder"),
        (["../empty"], "../new/", "../empty: this folder has no files"),
    ],
)  # fmt: skip
def test_no_source_is_overwritten(
    words: list[str],
    output: str,
    reason: str,
    *,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "games").mkdir()
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "games")
    for name in ("a.sgf", "a.txt"):
        (tmp_path / "games" / name).write_text("(;GM[11]SZ[5];B[a1])")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(SystemExit) as caught:
        main(["convert", *words, "--to", "sgf", "-o", output])
    assert caught.value.code == 2
    assert capfd.readouterr() == ("", f"trivalent convert: error: {reason}\n")
    assert sorted(tmp_path.rglob("*")) == before
    assert (tmp_path / "games" / "a.sgf").read_text() == "(;GM[11]SZ[5];B[a1])"


@pytest.mark.parametrize(
    ("swap", "expected"),
    [("pieces", "hex 13: f6 swap-pieces m13 d10"), ("sides", "hex 13: f6 swap-sides m13 d10")],
)
def test_an_option_says_which_swap_it_is(
    swap: str, expected: str, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ["convert", "f6 swap m13 d10", "--size", "13", "--to", "moves"]
    assert main(words) == INCOMPLETE
    out, err = capfd.readouterr()
    assert out == "hex 13: f6\n"
    assert "swap is ambiguous" in err
    assert main([*words, "--swap", swap]) == 0
    assert capfd.readouterr() == (expected + "\n", "")


@pytest.mark.parametrize("command", ["solve", "explain"])
@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("hex 5: z9", "argument:1:8: 'z9' is not a move on 5x5 Hex; the moves end before it"),
        ("#5,a1a1", "argument:1:6: a1 is occupied; the moves end before it"),
        ("(;GM[11]SZ[5]AB[z9])", "argument:1:17: no cell 'z9' on 5x5 Hex; the setup is dropped"),
    ],
)
def test_a_position_with_missing_moves_is_no_position(
    command: str, source: str, reason: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main([command, source]) == 1
    assert capfd.readouterr() == ("", f"trivalent {command}: {reason}\n")


def test_one_of_several_games_is_solved_with_a_warning(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "hex 3: a1\nhex 3: b2", "--game", "2"]) == 0
    out, err = capfd.readouterr()
    assert "black wins" in out
    assert err == "argument:2:1: this is game 2 of 2\n"


def test_dropped_variations_are_losses(capfd: pytest.CaptureFixture[str]) -> None:
    words = ["convert", "5,a1b2(c3)(d4)e5", "--to"]
    assert main([*words, "hexworld"]) == INCOMPLETE
    out, err = capfd.readouterr()
    assert out == "https://hexworld.org/board/#5,a1b2e5\n"
    assert err == "argument: 2 variations are dropped: this format holds a single line\n"
    assert main([*words, "sgf"]) == 0
    assert capfd.readouterr().err == ""
