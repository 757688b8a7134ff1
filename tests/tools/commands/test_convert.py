"""``trivalent convert`` from the command line down."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

import pytest

from trivalent.core.records.formats import FORMATS
from trivalent.core.records.notation import NOTATIONS
from trivalent.tools.cli import main

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


def test_standard_input(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    text = "(;GM[11]SZ[5]PB[\u00e9];B[a1];W[z9])"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert main(["convert", "--to", "sgf"]) == 0
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
    assert target.read_text() == "hex 5: a2 swap-sides\n"
    assert err.splitlines() == [
        f"{source}:1:2: this is game 1 of 2",
        f"{source}: read as hexgui-0.9: it was written by 'HexGui:0.9'",
        f"{source}: swap-pieces is read as swap-sides: {FORMATS['hexgui-0.9'].title}",
    ]
    assert main(["convert", str(source), "--to", "moves", "--game", "2"]) == 0
    assert capfd.readouterr().out == "hex 4: b2\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.sgf", "b.txt"]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["nowhere.sgf"], "input: there is no file 'nowhere.sgf'"),
        ([LINK, "--to", "no"], "argument: unknown format 'no' (known: sgf, "),
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
