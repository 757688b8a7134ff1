"""No option of any program overwrites a file that the program reads."""

from __future__ import annotations

import argparse
import contextlib
import os
import shlex
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from made_up import made_up

from trivalent.bot.solver.solved_store import SolvedStore
from trivalent.tools import cli
from trivalent.tools.common.output_files import database_files, require_inputs_kept
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
    ("gtp", "--store"): ["gtp --store game.sgf"],
    ("serve", "--store"): ["serve --port 0 --store game.sgf"],
    ("puzzle", "--store"): [
        "puzzle other.sgf --store game.sgf",
        "puzzle other.sgf --store solved.db -o solved.db",
    ],
    ("puzzle", "--output"): ["puzzle other.sgf game.sgf -o game.sgf"],
    ("solve", "--proof"): [
        "solve game.sgf --proof game.sgf",
        "solve 'hex 3:' --store solved.db --proof solved.db",
        "solve 'hex 3:' --store solved.db --proof solved.db-journal",
    ],
    ("solve", "--store"): ["solve game.sgf --store game.sgf"],
    ("bench", "--json"): ["bench strength --folder . --json league.db"],
    ("bench", "--plot"): ["bench --quick --json figures.svg --plot figures.svg"],
    ("gtp", "--logfile-name"): [
        "gtp --config game.sgf --logfile-name game.sgf",
        "gtp --set net=game.sgf --logfile-name game.sgf",
    ],
    ("review", "--html"): ["review game.sgf --html game.sgf"],
    ("review", "--json"): [
        "review game.sgf --store new.db --json new.db",
        "review game.sgf --sgf new --json new",
    ],
    ("review", "--sgf"): ["review other.sgf game.sgf --sgf link.sgf"],
    ("review", "--store"): ["review game.sgf --store game.sgf"],
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
    ],
    ("tournament report", "--sgf"): ["tournament report ada~bob~c3~1b.sgf --sgf ."],
    ("tournament run", "--store"): ["tournament run league.toml --store league.toml"],
    ("tournament extend", "--store"): ["tournament extend league.toml --store league.toml"],
}
"""By program and option: command lines that would overwrite an input."""
READ = {("gtp", "--config"), ("serve", "--config"), ("train", "--from")}
"""Options whose files are only read."""
KEEP_THEIR_OWN_FILES = {("train", "--folder"), ("bench", "--folder")}
"""Folders whose files nobody else reads."""


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
    plan, played = made_up(("ada", "bob"))
    for name in ("league.db", "ada~bob~c3~1b.sgf"):
        with Store.create(Path(name), dumps(plan), plan.digest) as store:
            store.add(played)
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    """Return all files but the locks of databases, which are made anew."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.name: path.read_bytes() for path in files if not path.name.endswith("-lock")}


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


FILES = {"FILE", "FOLDER", "F", "NET"}
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
