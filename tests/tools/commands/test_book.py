"""``trivalent book`` from the command line."""

from __future__ import annotations

import json
import sqlite3
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from trivalent.bot.book.book_file import BookFile, Entry
from trivalent.bot.book.book_positions import Stones, canonical
from trivalent.bot.players import solved_openings
from trivalent.core.board import BLACK
from trivalent.core.games import hex_board
from trivalent.core.records.formats import read
from trivalent.tools.cli import main

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("books") / "five.book"
    words = ["--size", "5", "--nodes", "30", "--processes", "1", "--expansions", "15"]
    assert main(["book", "build", str(path), *words]) == 0
    return path


@pytest.fixture
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(book: Path, action: str, *words: str) -> int:
    return main(["book", action, str(book), *words])


def refused(book: Path, action: str, *words: str) -> int:
    with pytest.raises(SystemExit) as caught:
        run(book, action, *words)
    assert isinstance(caught.value.code, int)
    return caught.value.code


def test_show(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(book, "show") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("5x5 Hex, evaluated by mcts with 30 nodes a position; width 0.05")
    texts = [text for line in lines[2:7] for text in line.split()[1:6]]
    won = {
        name
        for name, text in zip(hex_board(5).names, texts, strict=True)
        if text == "W" or (text.isdigit() and int(text) > 50)
    }
    assert won == set(solved_openings.WINNING["hex", 5].split())
    assert run(book, "show", "a1") == 0
    drawn = capsys.readouterr().out
    assert "1 @ " in drawn
    assert "better not swap" in drawn


def test_query(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(book, "query", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["board"], found["to_play"], found["in_book"]) == ("hex 5x5", "black", True)
    assert len(found["moves"]) == 25
    assert found["moves"][0]["proven"] is True
    assert run(book, "query", "a1", "--json") == 0
    reply = json.loads(capsys.readouterr().out)
    assert reply["value"] == reply["moves"][0]["value"] == 1
    assert run(book, "query", "a1 e5 c3", "--json") == 0
    assert json.loads(capsys.readouterr().out)["moves"] == []
    assert run(book, "query", "--moves", "3") == 0
    assert capsys.readouterr().out.splitlines()[-1] == "and 22 more"
    assert run(book, "query", "#5,a1") == 0
    assert capsys.readouterr().out.startswith("white wins (proven)")


def test_export_and_import(book: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A book exported with its variations and imported again has the same positions."""
    with BookFile.read(book) as file:
        names = {entry.name for entry in file.entries()}
    for number, form in enumerate(("sgf", "hexgui", "hexata", "json")):
        out = tmp_path / f"{form}.txt"
        assert run(book, "export", "--to", form, "-o", str(out)) == 0
        record = read(out.read_bytes()).record
        assert record.board == hex_board(5)
        assert sum(1 for _ in record.root.walk()) > len(names) - 5
        if number:
            continue
        assert "proven win" in out.read_text()
        again = tmp_path / "again.book"
        words = ["--size", "5", "--nodes", "30", "--expansions", "1", "--processes", "1"]
        assert run(again, "build", *words) == 0
        assert run(again, "import", str(out), "--processes", "1") == 0
        with BookFile.read(again) as file:
            # Drop-out moves are exported, too, so more positions come in.
            assert names <= {entry.name for entry in file.entries()}
        assert run(again, "check") == 0
    capsys.readouterr()
    assert run(book, "export", "a1", "--plies", "1") == 0
    record = read(capsys.readouterr().out).record
    assert record.root.end().line()[1].turn == (BLACK, record.root.end().line()[1].turn[1], 0)  # type: ignore[index]
    assert max(len(node.line()) for node in record.root.walk()) == 3


def test_extend_from_a_position(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "seven.book"
    words = ["--size", "7", "--nodes", "2", "--expansions", "1", "--processes", "1"]
    assert run(path, "build", *words) == 0
    assert run(path, "extend", "--from", "a4", "--expansions", "4", "--processes", "1") == 0
    assert run(path, "query", "a4", "--json") == 0
    moves = json.loads(capsys.readouterr().out.splitlines()[-1])["moves"]
    assert sum(move["in_book"] for move in moves) >= 2
    assert run(path, "extend", "--from", "a4 b4 c4 d4", "--expansions", "4") == 1
    assert "leads to no position of the book" in capsys.readouterr().err
    assert run(path, "check", "--solve", "0") == 0
    # The same command goes on, and other settings are refused.
    assert run(path, "build", *words) == 0
    assert refused(path, "build", "--size", "7", "--nodes", "3") == 2
    assert "was begun with nodes 2, not 3" in capsys.readouterr().err


def test_build_with_a_store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, store = tmp_path / "four.book", tmp_path / "solved.db"
    assert main(["solve", "hex 4: a1", "--store", str(store)]) == 0
    words = ["--size", "4", "--nodes", "1", "--processes", "1", "--store", str(store)]
    assert run(path, "build", *words, "--expansions", "1") == 0
    with BookFile.read(path) as file:
        name = canonical(file.board, Stones().after(file.board.cell("a1")))[0]
        assert next(entry for entry in file.entries() if entry.name == name).proof is True
    with sqlite3.connect(store) as database:
        database.execute("DROP TABLE solved")
    assert run(path, "extend", *words[4:], "--expansions", "1") == 0
    assert "the store wasn't used to the end: " in capsys.readouterr().err


def test_check_finds_damage(book: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(book, "check") == 0
    assert "no faults" in capsys.readouterr().out
    path = tmp_path / "wrong.book"
    path.write_bytes(book.read_bytes())
    with BookFile.open(path) as file:
        lost = next(e for e in file.entries() if e.proven is False)
        file.put([lost._replace(value=1.0, proven=True)])
        alone, _ = canonical(file.board, Stones(frozenset([3, 8, 9]), frozenset([1, 4, 17])))
        file.put([Entry(alone, "", 0.25, None, 0.25, None)])
    assert run(path, "check") == 1
    out = capsys.readouterr().out
    assert f"{lost.name!r} has the value 1.0000, but its moves make it 0.0000" in out
    assert "follows from no other position" in out
    with BookFile.open(path) as file:
        file.put([lost._replace(proof=True)])
    assert run(path, "check") == 1
    assert "is no proven win" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["build", "new"], "a new book needs a board size"),
        (["build", "new", "--size", "99"], "must be 1 to 63, not 99"),
        (["build", "new", "--size", "5", "--nodes", "0"], "an evaluation needs a limit"),
        (["build", "new", "--size", "5", "--set", "nothing=1"], "unknown parameter 'nothing'"),
        (["build", "new", "--size", "5", "--set", "nothing"], "--set takes KEY=VALUE"),
        (["build", "new", "--size", "5", "--width", "0"], "must be a positive number"),
        (["build", "new", "--size", "5", "--player", "nobody"], "invalid choice"),
        (["extend", "new"], "there is no book new"),
        (["extend", "BOOK", "--store", "no.db"], "there is no store no.db"),
        (["extend", "BOOK", "--store", "BOOK"], "is not a store of solved positions"),
        (["show", "new"], "there is no book new"),
        (["show", "BOOK", "z9"], "z9"),
        (["show", "BOOK", "hex 7: a1"], "the line is on 7x7 Hex, and the book is for 5x5 Hex"),
        (["show", "BOOK", "--html", "BOOK"], "is also an input"),
        (["export", "BOOK", "-o", "BOOK"], "is also an input"),
        (["import", "BOOK", "#7,a1"], "game 1 is on 7x7 Hex, not 5x5 Hex"),
        (["import", "BOOK", "nofile.sgf"], "there is no file"),
        (["query", "/dev/null"], "there is no book"),
    ],
)
def test_bad_input_is_one_sentence_and_changes_nothing(
    words: list[str], message: str, book: Path, empty_folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    before = book.read_bytes()
    code: object = None
    with suppress(SystemExit):
        code = main(["book", *(str(book) if word == "BOOK" else word for word in words)])
    assert code in (1, None)  # a usage error exits
    assert message in capsys.readouterr().err
    assert book.read_bytes() == before
    assert not [*empty_folder.iterdir()]


def test_help_explains_priorities(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["book", "build", "--help"])
    text = " ".join(capsys.readouterr().out.split())
    assert "what a move loses in winning probability against the best one counts 1 / WIDTH" in text
