"""The command line as a person meets it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from trivalent.core import VERSION, _isa
from trivalent.core.board import Board
from trivalent.core.connection import win_test
from trivalent.tools.cli import COMMANDS, main
from trivalent.tools.commands import doctor

TRIVALENT = Path(sys.executable).parent / "trivalent"


def _run(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [TRIVALENT, *words],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        stdin=subprocess.DEVNULL,
    )


@pytest.mark.parametrize("isa", _isa.available())
def test_doctor(isa: str) -> None:
    done = _run("doctor", TRIVALENT_ISA=isa)
    assert done.returncode == 0
    assert f"instruction set: {isa} (forced by TRIVALENT_ISA)" in done.stdout
    assert f"available:       {', '.join(_isa.available())}" in done.stdout
    assert "kernels:         right results" in done.stdout


def test_doctor_finds_wrong_kernels(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def winners(board: Board, stones: bytes, method: str) -> bytes:
        right = win_test.winners(board, stones, method)
        return bytes([right[0] ^ 3]) + right[1:] if method == "bpr+" else right

    monkeypatch.setattr(doctor, "winners", winners)
    assert main(["doctor"]) == 1
    assert "kernels:         WRONG RESULTS from bpr+" in capsys.readouterr().out


def test_version_and_help() -> None:
    assert _run("--version").stdout == f"trivalent {VERSION}\n"
    for words in ((), *((name,) for name in COMMANDS)):
        done = _run(*words, "--help")
        assert done.returncode == 0
        assert done.stdout.startswith("usage: trivalent")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "the following arguments are required: COMMAND"),
        (("go",), "invalid choice: 'go'"),
        (("gtp", "--boardsize", "64"), "width must be 1 to 63, not 64"),
        (("gtp", "--boardsize", "x"), "invalid size (such as 11 or 9x13) value: 'x'"),
        (("gtp", "--game", "go"), "invalid choice: 'go'"),
        (("gtp", "--player", "mohex"), "unknown player 'mohex' (known: mcts, uct, random)"),
        (("gtp", "--player", "mohex", "--set", "help"), "unknown player 'mohex'"),
        (("gtp", "--set", "seed"), "--set wants KEY=VALUE, not 'seed'"),
        (("gtp", "--set", "explore=11"), "explore must be at most 10.0, not 11.0"),
        (("gtp", "--player", "uct", "--set", "rave=0"), "rave must be at least 1.0, not 0.0"),
        (("gtp", "--seconds", "0"), "invalid positive number value: '0'"),
        (("gtp", "--nodes", "-1"), "invalid whole number from 1 to 10**15 value: '-1'"),
        (("bench", "--sizes", "0"), "must be sizes from 1 to 63"),
    ],
)
def test_bad_usage_is_one_sentence(words: tuple[str, ...], message: str) -> None:
    done = _run(*words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert message in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_unknown_instruction_set_names_the_known_ones() -> None:
    done = _run("doctor", TRIVALENT_ISA="mmx")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert f"TRIVALENT_ISA must be one of {', '.join(_isa.available())}, not 'mmx'" in done.stderr


def test_gtp_starts_without_what_is_slow_to_import() -> None:
    code = (
        "import sys; from trivalent.tools.cli import main; main(['gtp']); "
        "sys.exit(' '.join({'numpy', 'rich', 'trivalent.tools.commands.bench'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input="name\nquit\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "= Trivalent\n\n= \n\n"
    assert done.stderr.strip() == ""
