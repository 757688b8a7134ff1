"""``trivalent tournament report``, also of a run in progress."""

from __future__ import annotations

import json
import random
import sqlite3
import sys
from typing import TYPE_CHECKING

import pytest
from made_up import made_up

from trivalent.tools import cli
from trivalent.tools.statistics.sprt import Sprt
from trivalent.tools.tournament.plan.plan_model import dumps
from trivalent.tools.tournament.report import web_pages
from trivalent.tools.tournament.run.store import Store

if TYPE_CHECKING:
    from pathlib import Path

    from made_up import Run


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return stored(made_up(size=3, swap="pieces"), tmp_path / "league.db")


def stored(run: Run, path: Path) -> Path:
    plan, played = run
    with Store.create(path, dumps(plan), plan.digest) as store:
        store.add(played)
    return path


def report(*words: str | Path) -> int:
    return cli.main(["tournament", "report", *map(str, words)])


def test_tables_on_the_terminal(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert report(database) == 0
    out, err = capsys.readouterr()
    assert err == ""
    lines = out.splitlines()
    assert lines[0] == "made up: 3x3 Hex, round-robin, swap-pieces, seed 1"
    assert lines[1].startswith("54 of 54 games; 2023-11-14 22:13 UTC to")
    assert {"Standings", "Crosstable, wins-losses", "Matches, in pairs of games"} <= {
        line.strip() for line in lines
    }
    assert max(map(len, lines)) <= 120


def test_files(database: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("jinja2")
    targets = [tmp_path / name for name in ("r.html", "r.csv", "r.json", "games")]
    assert report(
        database, "--html", targets[0], "--csv", targets[1], "--json", targets[2], "--sgf",
        targets[3], "--anchor", "cyd",
    ) == 0  # fmt: skip
    assert "Elo is relative to cyd" in capsys.readouterr().out
    assert targets[0].read_text("utf-8").startswith("<!doctype html>")
    assert len(targets[1].read_text("utf-8").splitlines()) == 55
    assert json.loads(targets[2].read_text("utf-8"))["anchor"] == "cyd"
    assert len(list(targets[3].iterdir())) == 54


DAMAGE = {
    "another winner": "UPDATE records SET winner = 'zoe' WHERE number = 3",
    "another name": "UPDATE games SET black = 'zoe' WHERE id = (SELECT min(id) FROM games)",
    "no such cell": "UPDATE records SET moves = replace(moves, 'a1', 'a9')",
    "no such time": "UPDATE records SET started = 1e300 WHERE number = 3",
    "endless": "UPDATE records SET seconds = '[0.0, 1e999]' WHERE number = 3",
    "no time": "UPDATE records SET seconds = '[\"x\"]' WHERE number = 3",
    "no text": "UPDATE records SET moves = CAST(x'0aff0a' AS TEXT) WHERE number = 3",
    "no game": "DELETE FROM games WHERE id = (SELECT min(id) FROM games)",
}


@pytest.mark.parametrize("what", DAMAGE)
def test_damage(
    database: Path, tmp_path: Path, what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    connection = sqlite3.connect(database)
    with connection:
        assert connection.execute(DAMAGE[what]).rowcount
    connection.close()
    assert report(database, "--sgf", tmp_path / "games") == 1
    out, err = capsys.readouterr()
    assert not out
    assert len(err.splitlines()) == 1
    assert not (tmp_path / "games").exists()


@pytest.mark.parametrize("command", ["report", "status"])
def test_random_damage(database: Path, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A damaged file is either shown or refused with one sentence."""
    whole = database.read_bytes()
    chance = random.Random(command)
    refused = 0
    for _ in range(40):
        damaged = bytearray(whole)
        for _ in range(chance.choice((1, 10, 100))):
            damaged[chance.randrange(len(whole))] = chance.randrange(256)
        database.write_bytes(damaged[: chance.choice((len(whole), chance.randrange(len(whole))))])
        code = cli.main(["tournament", command, str(database)])
        err = capsys.readouterr().err
        assert (code in (0, 3), len(err.splitlines())) in ((True, 0), (False, 1)), err
        refused += code == 1
    assert 10 < refused < 40


def test_json_alone(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert report(database, "--json", "-") == 0
    assert json.loads(capsys.readouterr().out)["games"] == 54


def test_report_of_a_run_in_progress(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Store.open(database):
        assert report(database) == 0
    assert "54 of 54 games" in capsys.readouterr().out


def test_report_before_the_first_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan, _ = made_up()
    path = stored((plan, []), tmp_path / "new.db")
    assert report(path) == 0
    assert "0 of 150 games" in capsys.readouterr().out
    with pytest.raises(SystemExit) as caught:
        report(path, "--anchor", "ada")
    assert caught.value.code == 2
    assert "the anchor 'ada' has not played" in capsys.readouterr().err


def test_a_sequential_test(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = made_up(("ada", "bob"), options=Sprt(0.0, 100.0), step=1.0)
    assert report(stored(run, tmp_path / "test.db")) == 0
    assert "H1 accepted (100 Elo)" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--anchor", "dan"), "unknown engine 'dan' (known: ada, bob, cyd)"),
        (("--anchor",), "expected one argument"),
        (("--page", "x"), "unrecognized arguments"),
    ],
)
def test_bad_usage(
    database: Path, words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        report(database, *words)
    assert caught.value.code == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--html", "--csv", "--json", "--sgf"])
def test_unwritable_files_are_reported(
    database: Path, tmp_path: Path, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("jinja2")
    (tmp_path / "file").write_text("")
    target = tmp_path / "file" / "nowhere"
    assert report(database, option, target) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"trivalent tournament: {target}: ")
    assert err.count("\n") == 1


def test_no_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert report(tmp_path / "league.db") == 1
    assert "no such run" in capsys.readouterr().err


def test_html_without_jinja2_is_refused(
    database: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    assert web_pages.missing()
    with pytest.raises(SystemExit):
        report(database, "--html", tmp_path / "page.html")
    assert "pip install 'trivalent[report]'" in capsys.readouterr().err
    assert report(database) == 0
