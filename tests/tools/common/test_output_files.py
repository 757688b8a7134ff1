"""No option of any program overwrites a file that the program reads."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shlex
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from books import build, settings
from made_up import made_up
from reviews import EFFORT, FAULTS, reviewed_game

from trivalent.bot.solver.solved_store import SolvedStore
from trivalent.tools import cli
from trivalent.tools.common.output_files import (
    OutputError,
    database_files,
    require_inputs_kept,
    write_output,
)
from trivalent.tools.review.review_data import as_json, game_data
from trivalent.tools.tournament.plan.plan_model import dumps
from trivalent.tools.tournament.run.store import Store
from trivalent.tools.workshop import train_pattern_policy

if TYPE_CHECKING:
    from collections.abc import Iterator

SGF = "(;GM[11]FF[4]SZ[4];B[a1];W[b2];B[c2];W[d1])"
PLAN = 'size = 3\nclock.nodes = 1\n[engines.a]\nplayer = "uct"\n[engines.b]\nplayer = "random"\n'

REFUSED = {
    ("convert", "--output"): [
        "convert game.sgf --to sgf -o game.sgf",
        "convert game.sgf --to sgf -o ./folder/../game.sgf",
        "convert game.sgf --to sgf -o link.sgf",
        "convert link.sgf --to sgf -o game.sgf",
        "convert hard.sgf --to sgf -o game.sgf",
        "convert --to sgf -o game.sgf < game.sgf",
    ],
    ("puzzle", "--output"): [
        "puzzle other.sgf game.sgf -o game.sgf",
        "puzzle --size 3 --store solved.db -o solved.db",
        "puzzle --size 3 --json -o -",
    ],
    ("puzzle", "--store"): ["puzzle other.sgf --store other.sgf"],
    ("review", "--html"): ["review other.sgf game.sgf --html game.sgf"],
    ("review", "--sgf"): [
        "review game.sgf --sgf game.sgf",
        "review other.sgf game.sgf --sgf link.sgf",
        "review game.sgf --store reviews.db --sgf reviews.db-wal",
    ],
    ("review", "--json"): [
        "review . --json other.sgf",
        "review game.sgf --sgf new --json new",
        "review game.sgf --sgf - --json -",
    ],
    ("review", "--store"): ["review game.sgf --store game.sgf"],
    ("book show", "--html"): ["book show small.book --html small.book"],
    ("book export", "--output"): ["book export small.book -o small.book-wal"],
    ("solve", "--proof"): [
        "solve game.sgf --proof game.sgf",
        "solve 'hex 3:' --store solved.db --proof solved.db",
        "solve 'hex 3:' --store solved.db --proof solved.db-journal",
        "solve 'hex 3:' --json --proof -",
    ],
    ("solve", "--store"): ["solve game.sgf --store game.sgf"],
    ("bench", "--json"): ["bench strength --folder . --json league.db"],
    ("bench", "--plot"): ["bench --quick --json figures.svg --plot figures.svg"],
    ("gtp", "--logfile-name"): [
        "gtp --config game.sgf --logfile-name game.sgf",
        "gtp --set net=game.sgf --logfile-name game.sgf",
    ],
    ("gtp", "--store"): ["gtp --config game.sgf --store game.sgf"],
    ("serve", "--store"): ["serve --config game.sgf --store game.sgf"],
    ("serve", "--log"): ["serve --config game.sgf --log game.sgf"],
    ("tournament report", "--csv"): [
        "tournament report league.db --csv league.db",
        "tournament report league.toml --csv league.db",
        "tournament report league.db --csv league.db-wal",
    ],
    ("tournament report", "--html"): ["tournament report league.db --html league.db"],
    ("tournament report", "--json"): [
        "tournament report league.db --json league.toml",
        "tournament report league.db --csv figures --json figures",
        "tournament report league.db --csv - --json -",
    ],
    ("tournament report", "--sgf"): ["tournament report ada~bob~c3~1b.sgf --sgf ."],
    ("tournament run", "--store"): ["tournament run league.toml --store league.toml"],
    ("tournament extend", "--store"): ["tournament extend league.toml --store league.toml"],
}
"""By program and option: command lines that would overwrite an input."""
READ = {
    ("gtp", "--config"),
    ("serve", "--config"),
    ("train", "--from"),
    ("book build", "--store"),
    ("book extend", "--store"),
    ("book import", "--store"),
}
"""Options whose files are only read."""
KEEP_THEIR_OWN_FILES = {("train", "--folder"), ("bench", "--folder")}
"""Folders whose files nobody else reads."""

PRINTED = {
    ("convert", "--output"): ["convert game.sgf --to sgf -o -"],
    ("puzzle", "--output"): ["puzzle --size 4 --count 1 -o -"],
    ("solve", "--proof"): ["solve 'hex 3:' --proof -"],
    ("bench", "--json"): ["bench tests --sizes 3 --sets 2 --games 1 --json -"],
    ("review", "--html"): ["review game.sgf --nodes 10 --store reviews.db --html -"],
    ("review", "--sgf"): ["review game.sgf --nodes 10 --store reviews.db --sgf -"],
    ("review", "--json"): ["review game.sgf --nodes 10 --store reviews.db --json -"],
    ("book show", "--html"): ["book show small.book --html -"],
    ("book export", "--output"): ["book export small.book", "book export small.book -o -"],
    ("tournament report", "--csv"): ["tournament report league.db --csv -"],
    ("tournament report", "--html"): ["tournament report league.db --html -"],
    ("tournament report", "--json"): ["tournament report league.db --json -"],
    ("tournament report", "--sgf"): ["tournament report league.db --sgf -"],
}
"""By program and option: command lines that write a text to standard output, and nothing else."""
BEGINNINGS = {
    "--csv": "game,pair,",
    "--html": "<!doctype html>",
    "--sgf": "(;",
    "--output": "(;",
    "--proof": "trivalent proof 1\n",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("game.sgf", "other.sgf"):
        Path(name).write_text(SGF)
    Path("folder").mkdir()
    Path("link.sgf").symlink_to("game.sgf")
    os.link("game.sgf", "hard.sgf")
    Path("league.toml").write_text(PLAN)
    SolvedStore(Path("solved.db")).close()
    build(Path("small.book"), settings(size=3))
    plan, played = made_up(("ada", "bob"))
    for name in ("league.db", "ada~bob~c3~1b.sgf"):
        with Store.create(Path(name), dumps(plan), plan.digest) as store:
            store.add(played)
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    """Return all files."""
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@contextlib.contextmanager
def standard_input(name: str) -> Iterator[None]:
    """Redirect standard input from a file, as a shell does."""
    before = os.dup(0)
    with Path(name or os.devnull).open("rb") as file:
        os.dup2(file.fileno(), 0)
    try:
        yield
    finally:
        os.dup2(before, 0)
        os.close(before)


@pytest.mark.parametrize("line", [line for lines in REFUSED.values() for line in lines])
def test_an_input_is_not_overwritten(
    folder: Path, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = contents(folder)
    command, _, source = line.partition(" < ")
    with standard_input(source):
        try:
            code = cli.main(shlex.split(command))
        except SystemExit as error:
            code = int(error.code or 0)
    assert code
    out, err = capsys.readouterr()
    assert out == ""
    assert " is also " in err or "is not a database" in err, err
    assert contents(folder) == before


FILES = {"FILE", "FOLDER", "F", "NET", "OUT"}
"""Words for files in the help of options."""


def options() -> Iterator[tuple[str, argparse.Action]]:
    """Yield all options of all programs."""
    for name in cli.COMMANDS:
        parser = argparse.ArgumentParser()
        import_module(f"trivalent.tools.commands.{name}").add_arguments(parser)
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                for inner, subparser in action.choices.items():
                    yield from ((f"{name} {inner}", one) for one in subparser._actions)
            else:
                yield name, action


def test_every_option_with_a_file_is_considered() -> None:
    found = {
        (name, action.option_strings[-1])
        for name, action in options()
        if action.option_strings and FILES & {*str(action.metavar).split("|")}
    }
    assert found == REFUSED.keys() | READ | KEEP_THEIR_OWN_FILES


@pytest.mark.parametrize(
    ("option", "line"), [(key[1], line) for key, lines in PRINTED.items() for line in lines]
)
def test_outputs_are_printed_alone(
    folder: Path, option: str, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(shlex.split(line)) == 0
    out, err = capsys.readouterr()
    if option == "--json":
        json.loads(out)
    else:
        assert out.casefold().startswith(BEGINNINGS[option])
    assert ("black wins" in err) == (option == "--proof")
    assert not (folder / "-").exists()


@pytest.mark.parametrize(
    "key", sorted((REFUSED.keys() | KEEP_THEIR_OWN_FILES) - PRINTED.keys()), ids=" ".join
)
def test_other_files_are_no_streams(
    folder: Path, key: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    program, option = key
    with pytest.raises(SystemExit, match="2"):
        cli.main([*program.split(), option, "-"])
    assert f"{option}: must " in capsys.readouterr().err
    assert not (folder / "-").exists()


def test_a_book_is_no_stream(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        cli.main(["book", "build", "-", "--size", "3"])
    assert "must be the name of a file" in capsys.readouterr().err
    assert not (folder / "-").exists()


def test_a_file_may_be_called_dash(folder: Path) -> None:
    assert cli.main(["convert", "game.sgf", "--to", "sgf", "-o", "./-"]) == 0
    assert (folder / "-").read_text().startswith("(;")


@pytest.mark.parametrize(
    "line",
    [
        "tournament run league.toml --store game.sgf",
        "tournament extend league.toml --store game.sgf",
        "tournament run league.toml --store solved.db",
        "solve 'hex 3:' --store game.sgf",
        "puzzle --size 3 --store game.sgf",
        "review 'hex 3: a1 b2' --store game.sgf",
        "gtp --store game.sgf",
        "book build game.sgf",
        "book extend game.sgf",
        "book extend solved.db",
    ],
)
def test_nothing_is_left_beside_a_wrong_file(
    folder: Path, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = contents(folder)
    try:
        code = cli.main(shlex.split(line))
    except SystemExit as error:
        code = int(error.code or 0)
    assert code
    assert contents(folder) == before
    assert capsys.readouterr().err.count("\n") == 1


def test_files_are_written_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    write_output(str(tmp_path / "page.html"), "page")
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
    with pytest.raises(OutputError, match=r"nowhere/page\.html: No such file"):
        write_output(str(tmp_path / "nowhere" / "page.html"), "page")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("convert --to sgf < game.sgf", "(;"),
        ("puzzle --check - < puzzle.sgf", "standard input:1: right"),
        ("puzzle - < game3.sgf", "White to play and win"),
        ("puzzle --review - < review.json", "to play and win"),
        ("verify - < small.proof", "standard input: proven in"),
        ("solve - < game.sgf", "wins"),
        ("explain - < game.sgf", ""),
        ("review - --nodes 10 --store reviews.db < game.sgf", "a1"),
        ("book import small.book - < game3.sgf", "small.book:"),
    ],
)
def test_standard_input_is_read(
    folder: Path,
    line: str,
    expected: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    command, _, source = line.partition(" < ")
    (folder / "game3.sgf").write_text("(;GM[11]SZ[3];B[a1];W[b2];B[c1];W[b3])")
    (folder / "puzzle.sgf").write_text("(;GM[11]SZ[3]AB[a1]PL[W];W[b2])")
    if source == "small.proof":
        assert cli.main(["solve", "hex 3:", "--proof", source]) == 0
    if source == "review.json":
        review = as_json([game_data(reviewed_game(FAULTS))], EFFORT)
        (folder / source).write_text(review)
    capsys.readouterr()
    with Path(source).open() as file:
        monkeypatch.setattr(sys, "stdin", file)
        code = cli.main(shlex.split(command))
    out, err = capsys.readouterr()
    assert expected in out, err
    assert code == 0, err


def test_positions_for_training_are_not_overwritten(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["train", "--data", "game.sgf", "hex", "./game.sgf"])
    with pytest.raises(SystemExit, match="2"):
        train_pattern_policy.main()
    assert "is also an input" in capsys.readouterr().err
    assert (folder / "game.sgf").read_text() == SGF


def test_other_files_may_be_written(folder: Path) -> None:
    assert cli.main(["convert", "game.sgf", "--to", "sgf", "-o", "other.sgf"]) == 0
    files = {"--csv": folder / "a.csv", "--html": folder / "a.html", "--json": None}
    require_inputs_kept(files, ["(;GM[11]SZ[5])", "-", "#5,a1\0", *database_files("league.db")])
