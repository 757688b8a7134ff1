"""The README tells the truth: its commands run, its drawings are what the program draws.

The commands that install something are run by .ci/run, in fresh environments.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from places import ROOT

from trivalent.bot.players.registry import PLAYERS
from trivalent.core import VERSION
from trivalent.core.board import BLACK, WHITE, Board, hex_board, y_board
from trivalent.core.position import Position
from trivalent.gtp.engine.diagram import draw
from trivalent.tools.tournament.plan.plan_file import parse
from trivalent.tools.tournament.plan.plan_model import OPTIONS
from trivalent.tools.tournament.plan.strict_toml import Table

README = (ROOT / "README.md").read_text()
TOURNAMENTS = (ROOT / "tools" / "tournament" / "README.md").read_text()


def _blocks(language: str, text: str = README) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


COMMANDS = [line for block in _blocks("sh") for line in block.splitlines()]


def _run(command: str, directory: Path) -> str:
    (directory / "league.toml").write_text(_blocks("toml", TOURNAMENTS)[0])
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["/bin/bash", "-euo", "pipefail", "-c", command],
        cwd=directory,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


@pytest.mark.parametrize(
    "command",
    "".join(_blocks("sh", TOURNAMENTS)).splitlines(),
)
def test_tournament_command(command: str, tmp_path: Path) -> None:
    assert _run(command, tmp_path)


def test_tournament_python_example(tmp_path: Path) -> None:
    (example,) = _blocks("python", TOURNAMENTS)
    script = tmp_path / "example.py"
    script.write_text(example)
    assert _run(f"python {script}", tmp_path).startswith("50 ['a~b~")


@pytest.mark.parametrize("command", [c for c in COMMANDS if not c.startswith("pip install ")])
def test_command(command: str, tmp_path: Path) -> None:
    output = _run(command, tmp_path)
    assert output
    if "trivalent gtp" in command and "help" not in command:
        assert output.startswith("= ")
        refused = [line for line in output.splitlines() if line.startswith("?")]
        # The games that the README begins are not over.
        assert refused == ["? cannot score: nobody has won yet"] * command.count("final_score")


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


@pytest.mark.parametrize(
    ("number", "output"),
    [
        (0, r"[a-g][1-7] None\n"),
        (1, r"trivalent answered 'play black z9' with '\? illegal move: no cell .*'\n[a-g][1-7]\n"),
    ],
)
def test_python_example(tmp_path: Path, number: int, output: str) -> None:
    examples = _blocks("python")
    assert len(examples) == 2
    script = tmp_path / "example.py"
    script.write_text(examples[number])
    assert re.fullmatch(output, _run(f"python {script}", tmp_path))


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
    assert "```\n" + "\n".join(drawing) + "\n```" in README


def test_table_of_files_is_complete() -> None:
    table = README[README.index("## Where things are") : README.index("## Developing")]
    for folder in ("core", "bot", "gtp", "tools"):
        for file in (ROOT / folder).rglob("*"):
            if file.suffix in {".py", ".pyx", ".c", ".h"} and file.name != "__init__.py":
                assert f"`{file.name}`" in table, f"{file} is missing"
    for name in re.findall(r"`(\w+\.(?:py|pyx|pxd|c|h))`", table):
        assert any([*(ROOT / folder).rglob(name)] for folder in ("core", "bot", "gtp", "tools"))


def test_versions_agree() -> None:
    for file, pattern in (
        ("pyproject.toml", r'^version = "(.+)"'),
        ("meson.build", r"version: '(.+)'"),
    ):
        match = re.search(pattern, (ROOT / file).read_text(), re.MULTILINE)
        assert match is not None
        assert match[1] == VERSION
