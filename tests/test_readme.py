"""The README tells the truth: its commands run, its drawings are what the program draws.

The commands that install something are run by .ci/run, in fresh environments.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from trivalent.core import VERSION
from trivalent.core.board import BLACK, WHITE, Board, hex_board, y_board
from trivalent.core.position import Position
from trivalent.gtp.diagram import draw

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


COMMANDS = [line for block in _blocks("sh") for line in block.splitlines()]


def _run(command: str, directory: Path) -> str:
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


@pytest.mark.parametrize("command", [c for c in COMMANDS if not c.startswith("pip install ")])
def test_command(command: str, tmp_path: Path) -> None:
    (plan,) = _blocks("toml")
    (tmp_path / "league.toml").write_text(plan)
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


def test_python_example(tmp_path: Path) -> None:
    (example,) = _blocks("python")
    script = tmp_path / "example.py"
    script.write_text(example)
    assert re.fullmatch(r"[a-g][1-7] None\n", _run(f"python {script}", tmp_path))


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


def test_imports_run_downwards() -> None:
    layers = ("core", "bot", "gtp", "tools")
    for level, layer in enumerate(layers):
        for file in (ROOT / layer).rglob("*"):
            if file.suffix in {".py", ".pyx", ".pxd", ".pyi"}:
                for above in layers[level + 1 :]:
                    assert f"trivalent.{above}" not in file.read_text(), file
