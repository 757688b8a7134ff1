"""The command line: help, usage errors, start-up."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from trivalent.core import VERSION, _isa
from trivalent.tools.cli import COMMANDS, main

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


def test_version_and_help() -> None:
    assert _run("--version").stdout == f"trivalent {VERSION}\n"
    assert _run("--help").stdout.startswith("usage: trivalent ")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_every_subcommand(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main([command, "--help"])
    assert caught.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: trivalent {command} ")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "the following arguments are required: COMMAND"),
        (("go",), "invalid choice: 'go'"),
        (("gtp", "--boardsize", "64"), "width must be 1 to 63, not 64"),
        (("gtp", "--boardsize", "x"), "must be a board size such as 11 or 9x13, not 'x'"),
        (("gtp", "--game", "go"), "invalid choice: 'go'"),
        (("gtp", "--player", "mohex"), "unknown player 'mohex' (known: mcts, "),
        (("gtp", "--player", "mohex", "--set", "help"), "unknown player 'mohex'"),
        (("gtp", "--set", "seed"), "--set takes KEY=VALUE, not 'seed'"),
        (("gtp", "--set", "exploration=11"), "exploration must be at most 10.0, not 11.0"),
        (
            ("gtp", "--player", "uct", "--set", "rave_equivalence=0"),
            "rave_equivalence must be at least 1.0, not 0.0",
        ),
        (("gtp", "--seconds", "-1"), "must be a number, 0 for no limit, not '-1'"),
        (("gtp", "--nodes", "-1"), "must be an integer from 0 to 1000000000000000, not '-1'"),
        (("bench", "--sizes", "0"), "must be comma-separated sizes from 1 to 63"),
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


def test_gtp_starts_without_slow_imports() -> None:
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


def test_former_option_names_are_accepted_with_a_warning() -> None:
    done = _run("serve", "--most-seconds", "5", "--help-commands")
    assert done.returncode == 0
    warning = "trivalent serve: warning: --most-seconds is now called --max-seconds\n"
    assert done.stderr == warning
    assert "--most-seconds" not in _run("serve", "--help").stdout


def test_a_limit_of_zero_is_no_limit(capfd: pytest.CaptureFixture[str]) -> None:
    """As for the parameters of GTP: param_search seconds 0."""
    done = _run("gtp", "--seconds", "0", "--nodes", "0", "--ponder", "0")
    assert (done.returncode, done.stderr) == (0, "")
    assert main(["solve", "hex 3:", "--time", "0"]) == 0
    assert main(["puzzle", "--size", "4", "--count", "1", "--time", "0"]) == 0
    assert capfd.readouterr().err == ""
