"""The documents tell the truth: commands and examples run, drawings are what the program draws.

The commands that install something are run by .ci/run, in fresh environments.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from places import ROOT

from trivalent.bot.players.registry import PLAYERS
from trivalent.core import VERSION
from trivalent.core.board import BLACK, WHITE, Board
from trivalent.core.games import hex_board, y_board
from trivalent.core.position import Position
from trivalent.gtp.engine.diagram import draw
from trivalent.tools.tournament.plan.plan_file import parse
from trivalent.tools.tournament.plan.plan_model import OPTIONS
from trivalent.tools.tournament.plan.strict_toml import Table

if TYPE_CHECKING:
    from _pytest.mark import ParameterSet

LAYERS = ("core", "bot", "gtp", "tools")

README = (ROOT / "README.md").read_text()
ROOMS = sorted(path for layer in LAYERS for path in (ROOT / layer).rglob("README.md"))
DOCUMENTS = [ROOT / "README.md", *ROOMS]
TOURNAMENTS = (ROOT / "tools" / "tournament" / "README.md").read_text()


def _blocks(language: str, text: str = README) -> list[str]:
    """Return the blocks of a language, also those indented in lists."""
    blocks = re.findall(rf"^( *)```{language}\n(.*?)^\1```", text, re.MULTILINE | re.DOTALL)
    return [textwrap.dedent(block) for _, block in blocks]


def _found(language: str, *, lines: bool) -> list[ParameterSet]:
    """Return the examples of a language in all documents, line by line or block by block."""
    found = []
    for path in DOCUMENTS:
        blocks = _blocks(language, path.read_text())
        examples = "".join(blocks).splitlines() if lines else blocks
        place = path.relative_to(ROOT).parent.as_posix()
        found += [
            pytest.param(example, id=f"{place}-{number}")
            for number, example in enumerate(examples)
            if not example.startswith("pip install ")
        ]
    return found


COMMANDS = "".join(_blocks("sh")).splitlines()


def _run(command: str, directory: Path) -> str:
    (directory / "league.toml").write_text(_blocks("toml", TOURNAMENTS)[0])
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["/bin/bash", "-euo", "pipefail", "-c", command],
        cwd=directory,
        env={**os.environ, "PATH": path, "XDG_CACHE_HOME": str(directory)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


PLAY = "trivalent tournament run league.toml"
"""How commands begin that say something about a run."""


@pytest.fixture(scope="session")
def league(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the database of the league's run, which the same command goes on with."""
    directory = tmp_path_factory.mktemp("league")
    _run(PLAY, directory)
    return directory / "league.db"


@pytest.mark.parametrize("command", _found("sh", lines=True))
def test_command(command: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    if command.startswith(PLAY):
        shutil.copy(request.getfixturevalue("league"), tmp_path)
    output = _run(command, tmp_path)
    assert output
    if "| trivalent gtp" in command:
        assert output.startswith("= ")
        assert not [line for line in output.splitlines() if line.startswith("?")]


@pytest.mark.parametrize("example", _found("python", lines=False))
def test_python_example(example: str, tmp_path: Path) -> None:
    script = tmp_path / "example.py"
    script.write_text(example)
    assert _run(f"python {script}", tmp_path)


def test_playing_command_plays(tmp_path: Path) -> None:
    install, play = COMMANDS[0].split(" && ")
    assert install == "pip install ."
    replies = _run(play, tmp_path).split("\n\n")
    assert replies[0] == "= "
    assert re.fullmatch(r"= [a-k]([1-9]|1[01])", replies[1])
    assert replies[2].count(" B") >= 1
    assert replies[3:] == ["= ", ""]


def test_the_two_commands_come_first() -> None:
    installs = [c for c in COMMANDS if c.startswith("pip install ")]
    assert COMMANDS[:2] == installs[:2]
    assert COMMANDS[1] == "pip install '.[test]' && pytest"
    assert "grep '^pip install ' README.md" in (ROOT / ".ci" / "run").read_text()


def test_all_that_a_plan_can_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The plan in the README of tournaments is valid and complete; its comments are defaults."""
    known = set()
    take = Table.take

    def note(table: Table, key: str) -> object:
        known.add(key)
        return take(table, key)

    monkeypatch.setattr(Table, "take", note)
    _, text = _blocks("toml", TOURNAMENTS)
    plan = parse(text, tmp_path)
    for choice in (
        'openings = { file = "openings.sgf", plies = 1 }',
        'openings = { suite = "random", plies = 4, count = 50, seed = 7 }',
    ):
        (tmp_path / "openings.sgf").write_text("(;SZ[11];B[a1];W[a2])")
        parse(f"{choice}\n{text}", tmp_path)
    formats = re.findall(rf"^# (({'|'.join(OPTIONS)})\b.*)", text, re.MULTILINE)
    assert [form for _, form in formats] == [*OPTIONS]
    for line, form in formats:
        engines = text[: text.index("[engines.far]")] if form == "sprt" else text
        options = line.replace("rounds = 5", "rounds = 2")
        assert parse(f'format = "{form}"\n{options}\n{engines}', tmp_path).options
    parameters = {name for kind, _ in PLAYERS.values() for name in kind.__dataclass_fields__}
    wanted = known - parameters - {"", "mine", "theirs", "far"}
    missing = {key for key in wanted if not re.search(rf"\b{key}\b", text)}
    assert not missing
    defaults = re.sub(r"^# (?=\w+ = |\[)", "", text, flags=re.MULTILINE)
    for line in (
        "format", "openings = {", "openings.", "clock = { n", "matches", "sprt", "adaptive", "name",
        "threads", "environment", "startup",
    ):  # fmt: skip
        defaults = re.sub(rf"^{re.escape(line)}.*\n", "", defaults, flags=re.MULTILINE)
    assert parse(defaults, tmp_path) == plan


@pytest.mark.parametrize(
    ("board", "black", "white"), [(hex_board(5), "c2", "b4"), (y_board(5), "c4", "b3")]
)
def test_drawing(board: Board, black: str, white: str) -> None:
    position = Position(board)
    position.play(BLACK, board.cell(black))
    position.play(WHITE, board.cell(white))
    *drawing, _ = draw(position).splitlines()
    text = (ROOT / "core" / "README.md").read_text()
    assert all(line in text for line in drawing)


def test_the_league_of_the_root_is_that_of_the_tournaments() -> None:
    assert _blocks("toml")[0] == _blocks("toml", TOURNAMENTS)[0]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_files_and_links_exist(path: Path) -> None:
    text = path.read_text()
    for link in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
        assert link.startswith("http") or (path.parent / link).exists(), link
    sources = {file.name for layer in (*LAYERS, "tests") for file in (ROOT / layer).rglob("*.*")}
    for name in re.findall(r"`(?:[\w./]+/)?(\w+\.(?:py|pyx|pxd|pyi|c|h|inc\.h))`", text):
        assert name in {*sources, "NAME.py", "test_NAME.py"}, f"{name} is not in the tree"


def test_rooms_describe_their_modules() -> None:
    """A module is named in the README of its room, or of the nearest room above that has one."""
    for layer in LAYERS:
        for module in (ROOT / layer).rglob("*.py"):
            documents = [
                folder / "README.md" for folder in module.parents if ROOT in folder.parents
            ]
            nearest = next(path for path in documents if path.exists())
            text = nearest.read_text()
            place = module.relative_to(nearest.parent)
            inner = [f"{room.as_posix()}/" for room in place.parents if room.name]
            named = module.name in text or any(f"`{room}`" in text for room in inner)
            assert named or module.name == "__init__.py", f"{module} is not in {nearest}"


def test_measured_tables_say_at_which_commit() -> None:
    text = (ROOT / "tools" / "benchmarks" / "README.md").read_text()
    results = text[text.index("## Speed") :]
    for section in re.split(r"^##+ ", results, flags=re.MULTILINE):
        if "\n|---" in section:
            place = section.splitlines()[0]
            assert re.search(r"measured\s+at", section, re.IGNORECASE), place
            assert re.search(r"`[0-9a-f]{7}`", section), place


def test_versions_agree() -> None:
    for file, pattern in (
        ("pyproject.toml", r'^version = "(.+)"'),
        ("meson.build", r"version: '(.+)'"),
    ):
        match = re.search(pattern, (ROOT / file).read_text(), re.MULTILINE)
        assert match is not None
        assert match[1] == VERSION
