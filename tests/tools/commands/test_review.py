"""``trivalent review``: what it prints and writes, bad input, and runs that are killed."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from reviews import FAULTS, FAULTY_MOVES

from trivalent.bot.review.review_store import ReviewStore
from trivalent.bot.review.reviewer import Reviewer
from trivalent.core.records.formats import read
from trivalent.tools.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable

    from trivalent.bot.review.game_line import GameLine
    from trivalent.bot.review.reviewer import Review

    Run = Callable[..., tuple[int, str, str]]

TRIVALENT = str(Path(sys.executable).parent / "trivalent")
SMALL = "hex 3: a1 b2 c3 a2 b1 c1"


@pytest.fixture(autouse=True)
def _own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    """Run a review; return the exit code, and what it wrote to its outputs."""

    def review(*words: str) -> tuple[int, str, str]:
        code = main(["review", "--nodes", "40", "--threads", "1", *words])
        out, err = capfd.readouterr()
        assert "Traceback" not in err
        return code, out, err

    return review


def test_tables_of_a_game(run: Run, tmp_path: Path) -> None:
    code, out, err = run(FAULTS)
    assert (code, err) == (0, "")
    for said in (
        "Accuracy",
        "proven loss",
        "lost here",
        "Black's chances",
        "hexworld.org/board/#5,",
    ):
        assert said in out
    assert (tmp_path / "cache" / "trivalent" / "reviews.db").exists()
    assert run(FAULTS) == (0, out, "")


def test_all_outputs(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    names = {kind: str(tmp_path / f"out.{kind}") for kind in ("json", "sgf", "html")}
    words = [word for kind, name in names.items() for word in (f"--{kind}", name)]
    code, _, err = run(FAULTS, "y 3: b2 a1 c3", *words)
    assert (code, err) == (0, "")
    whole = json.loads(Path(names["json"]).read_text())
    assert [len(game["moves"]) for game in whole["games"]] == [10, 3]
    turns = [move["number"] for move in whole["games"][0]["moves"] if move["turning_point"]]
    assert turns == FAULTY_MOVES
    record = read(Path(names["sgf"]).read_text()).record
    assert "lost the game with move 10" in record.root.comment
    assert Path(names["html"]).read_text().startswith("<!doctype html>")
    code, out, err = run(FAULTS, "--json", "-")
    assert json.loads(out)["games"] == [whole["games"][0] | {"source": "argument"}]


def test_a_batch(run: Run, tmp_path: Path) -> None:
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "one.sgf").write_text("(;GM[11]SZ[3]PB[Ada]PW[Bob];B[b2];W[a1];B[b1])")
    (tmp_path / "games" / "two.txt").write_text(FAULTS)
    code, out, err = run("--batch", str(tmp_path / "games"))
    assert (code, err) == (0, "")
    first, second, *tables = out.splitlines()
    assert first == f"{tmp_path}/games/one.sgf: Ada 100% - Bob ?, opening b2"
    assert re.fullmatch(
        r".*/games/two\.txt: Black [0-9]+% - White [0-9]+%, opening c2, "
        r"White lost with 10\. b2 \(proven\)",
        second,
    )
    for title in ("Players", "Openings"):
        assert title in "\n".join(tables)
    assert "3x3 Hex b2" in out


def test_games_are_shown_when_they_are_done(
    run: Run, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    review, shown = Reviewer.review, []

    def watched(self: Reviewer, line: GameLine) -> Review:
        shown.append(capfd.readouterr().out)
        return review(self, line)

    monkeypatch.setattr(Reviewer, "review", watched)
    _, last, _ = run("hex 3: b2 a1 c3", "hex 3: a1 b2")
    assert shown[0] == ""
    assert "Accuracy" in shown[1]
    assert "argument 1" in shown[1]
    assert "argument 2" in last
    assert "argument 1" not in last


def test_the_swap_rule(run: Run) -> None:
    def first_grade(*words: str) -> str:
        code, out, _ = run("hex 3: b2 a1 c3", "--json", "-", *words)
        assert code == 0
        grade: str = json.loads(out)["games"][0]["moves"][0]["grade"]
        return grade

    assert first_grade() == "opening"
    assert first_grade("--swap-rule", "yes") == "blunder"  # it wins, so it will be swapped
    assert first_grade("--swap-rule", "no") not in ("opening", "proven loss")


@pytest.mark.parametrize(
    ("text", "code", "reason"),
    [
        ("", 1, "there is no file ''"),
        ("no-such-file.sgf", 1, "there is no file 'no-such-file.sgf'"),
        ("(;FF[4]GM[11", 1, "the game has no moves to review"),
        ("(;FF[4]GM[11]SZ[5])", 1, "the game has no moves to review"),
        ("star 3: a1 a2", 1, "only games of Hex and Y can be reviewed"),
        ("hex 99: a1", 1, "63"),
    ],
)
def test_bad_input_is_one_sentence(run: Run, text: str, code: int, reason: str) -> None:
    found, out, err = run(text)
    assert (found, out) == (code, "")
    assert reason in err.splitlines()[-1]
    assert err.splitlines()[-1].startswith("trivalent review: ")


def test_an_illegal_move_in_the_middle(run: Run) -> None:
    code, out, _ = run("(;GM[11]SZ[3];B[a1];W[b2];B[b2];W[c3])")
    assert code == 0
    assert "move 3 is illegal: b2 is occupied; the review ends before it" in out


def test_large_files(run: Run, tmp_path: Path) -> None:
    large = tmp_path / "large.sgf"
    large.write_text(f"(;GM[11]SZ[3]C[{'x' * 2**20}];B[b2];W[a1])")
    assert run(str(large))[0] == 0
    large.write_bytes(random.Random(1).randbytes(1 << 20).replace(b"(", b" ").replace(b"[", b" "))
    code, out, err = run(str(large))
    assert (code, out, err.count("\n")) == (1, "", 1)


def test_hexgui_does_not_tell_y_from_hex(run: Run) -> None:
    text = "(;AP[HexGui:0.9.GIT]FF[4]GM[11]SZ[4];B[b3];W[b4];B[b2];W[c4];B[a3])"
    code, out, err = run(text)
    assert code == 0
    assert "read as Hex; if it is a game of Y, add --notation y" in err
    code, out, err = run(text, "--notation", "y", "--json", "-")
    assert (code, err) == (0, "")
    assert json.loads(out)["games"][0]["game"] == "y"
    assert "--notation" not in run(text.replace("b2", "d2"))[2]


def test_inputs_and_stores_are_kept(run: Run, tmp_path: Path) -> None:
    game = tmp_path / "game.sgf"
    game.write_text("(;GM[11]SZ[3];B[b2];W[a1])")
    for words in (
        [str(game), "--sgf", str(game)],
        [str(game), "--store", str(game)],
        [str(game), "--store", "x.db", "--json", "x.db"],
        [str(game), "--html", "a", "--json", "a"],
        [str(game), "--quick"],  # with --nodes
    ):
        with pytest.raises(SystemExit) as caught:
            run(*words)
        assert caught.value.code == 2
    assert game.read_text() == "(;GM[11]SZ[3];B[b2];W[a1])"


def _kill(words: list[str], store: Path, number: int) -> int:
    """Start a review and end it; return the exit code.

    Half of the reviews get as far as a new result, the others may still be starting.
    """
    chooser = random.Random(number)
    before = store.stat().st_mtime_ns if store.exists() else 0
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if number % 2:
        while process.poll() is None and not (
            store.exists() and store.stat().st_mtime_ns != before
        ):
            time.sleep(0.01)
    time.sleep(chooser.random() / 2)
    process.send_signal(signal.SIGKILL if number % 4 < 2 else signal.SIGINT)
    return process.wait(60)


@pytest.mark.soak
def test_a_review_killed_fifty_times_ends_like_an_undisturbed_one(tmp_path: Path) -> None:
    game = "hex 7: a7 d4 c5 e3 e5 d5 d6 c3 b4 c4 f4 e4 f3 f2 g2 b5 b6 c6"
    words = [TRIVALENT, "review", game, "--nodes", "1000", "--json", "-", "--store"]
    store = tmp_path / "killed.db"
    codes = [_kill([*words, str(store)], store, number) for number in range(50)]
    assert sum(code != 0 for code in codes) > 20
    found = []
    for name in (store, tmp_path / "whole.db"):
        done = subprocess.run([*words, str(name)], capture_output=True, check=True)
        found.append(json.loads(done.stdout)["games"])
    assert found[0] == found[1]


def test_an_interrupted_review_says_how_to_go_on(tmp_path: Path) -> None:
    words = [TRIVALENT, "review", "hex 11: f6 e5", "--nodes", "100000000", "--store"]
    process = subprocess.Popen(
        [*words, str(tmp_path / "store.db")], stderr=subprocess.PIPE, text=True
    )
    while not (tmp_path / "store.db").exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode in (3, -signal.SIGINT)  # the latter if it hasn't begun yet
    if process.returncode == 3:
        assert "the same command goes on from there" in err
    assert "Traceback" not in err


def test_without_a_place_for_the_store(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", os.devnull)
    code, out, err = run(SMALL)
    assert code == 0
    assert out
    assert err.startswith("trivalent review: without a store:")


@pytest.mark.parametrize("named", [False, True])
def test_a_store_that_fails_in_the_middle(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: bool
) -> None:
    """The review goes on without; only a store that was asked for makes it a failure."""
    _, expected, _ = run(FAULTS, "--store", str(tmp_path / "whole.db"))
    begin = ReviewStore.__init__

    def begin_on_a_small_disk(self: ReviewStore, path: Path) -> None:
        begin(self, path)
        self.connection.execute("PRAGMA max_page_count = 4")

    monkeypatch.setattr(ReviewStore, "__init__", begin_on_a_small_disk)
    store = tmp_path / "small.db"
    code, out, err = run(FAULTS, *(["--store", str(store)] if named else []))
    assert (code, out) == (int(named), expected)
    assert re.fullmatch(r"trivalent review: went on without the store: .* full\n", err)
    if named:
        with closing(sqlite3.connect(store)) as connection:
            assert connection.execute("SELECT count(*) FROM results").fetchone()[0] > 0


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--html", ""], "--html: '' is no name of a file"),
        (["--store", ""], "--store: '' is no name of a file"),
        (["--sgf", "."], "--sgf: '.' is no name of a file"),
        (["--store", "."], "--store: '.' is no name of a file"),
        (["--json", os.devnull], f"--json: {os.devnull} is not a regular file"),
        (["--json", "no-such-folder/a.json"], "--json: there is no folder no-such-folder"),
    ],
)
def test_files_that_cannot_be_written(
    words: list[str], reason: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["review", SMALL, *words])
    assert caught.value.code == 2
    assert reason in capfd.readouterr().err


def test_missing_moves_are_mentioned_and_end_the_review(run: Run) -> None:
    code, out, _ = run("(;GM[11]SZ[3];B[a1];W[zz];B[b2];W[b3])", "--json", "-")
    (game,) = json.loads(out)["games"]
    assert code == 0
    assert [move["move"] for move in game["moves"]] == ["a1"]
    assert game["note"] == (
        "no cell 'zz' on 3x3 Hex; the move is dropped; what follows move 1 is left out"
    )


def test_an_opening_that_is_swapped(run: Run) -> None:
    code, out, _ = run("(;GM[11]SZ[3];B[b2];W[swap-pieces];B[a1])")
    assert code == 0
    assert "b2 is so strong that white does best to swap" in out
    assert "proven loss            proven" not in out


def test_only_the_first_remarks_are_printed(run: Run) -> None:
    code, _, err = run("(;GM[11]SZ[3];B[a1]" + ";W[a1];B[a1]" * 50 + ")")
    assert code == 0
    assert "more remarks like these" in err
    assert err.count("\n") == 11


def test_texts_are_told_apart(run: Run) -> None:
    code, out, _ = run("hex 3: b2 a1", "hex 3: a1 b2", "--batch")
    assert code == 0
    assert "argument 1" in out
    assert "argument 2" in out


def test_a_store_of_another_version(run: Run, tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    assert run(SMALL, "--store", str(store))[0] == 0
    with closing(sqlite3.connect(store)) as connection:
        connection.execute("PRAGMA user_version = 99")
    before = store.read_bytes()
    code, out, err = run(SMALL, "--store", str(store))
    assert (code, out) == (1, "")
    assert "is a store of reviews in format 99, not 1" in err
    assert store.read_bytes() == before
