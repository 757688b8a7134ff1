"""Every format end to end: an interrupted and continued run plays the same games."""

import json
from pathlib import Path

import pytest
from tournaments import begin, ends, read_until, table, tournament, trivial

FORMATS = {
    "round-robin": "",
    "gauntlet": '[gauntlet]\nheroes = ["a"]\n',
    "knockout": "",
    "swiss": "[swiss]\nrounds = 2\n",
    "ladder": "",
    "adaptive": "[adaptive]\npairs = 16\nbatch = 2\n",
}


def _plan(directory: Path, form: str, options: str) -> Path:
    """Write a plan for four trivial engines, each with a command line of its own."""
    engines = ""
    for name in "abcd":
        command = [trivial(), "0.001", f"{directory}", name]
        engines += (
            f'[engines.{name}]\ncommand = {json.dumps(command)}\nstartup = ["seed {{seed}}"]\n'
        )
    plan = directory / "league.toml"
    head = f'size = 3\nopenings = ["b2", "a1"]\nformat = "{form}"\nconcurrency = 2\nseed = 5\n'
    plan.write_text(head + options + engines)
    return plan


@pytest.mark.parametrize("form", FORMATS)
def test_interrupted_run_plays_the_same_games(tmp_path: Path, form: str) -> None:
    plan = _plan(tmp_path, form, FORMATS[form])
    undisturbed = tmp_path / "undisturbed.db"
    done = tournament("run", plan, "--store", undisturbed)
    assert done.returncode == 0, done.stdout + done.stderr
    expected = table(undisturbed)
    codes = [3]
    left = len(expected)
    while codes[-1] == 3 and left:
        assert len(codes) < 30
        with begin(plan) as process:
            read_until(process, "game ended", min(7, left))
            process.terminate()
            codes.append(ends(process))
        left = len(expected) - len(table(plan.with_suffix(".db")))
    assert tournament("run", plan).returncode == 0
    assert table(plan.with_suffix(".db")) == expected
    assert tournament("status", plan).returncode == 0


@pytest.mark.parametrize(
    ("first", "second", "decision", "code"),
    [("strong", "weak", "H1", 0), ("weak", "strong", "H0", 5)],
)
def test_exit_code_of_a_sequential_test(
    tmp_path: Path, first: str, second: str, decision: str, code: int
) -> None:
    engines = {
        "weak": '[engines.weak]\nplayer = "random"\n',
        "strong": '[engines.strong]\nplayer = "uct"\nclock = { nodes = 300 }\n',
    }
    plan = tmp_path / "test.toml"
    plan.write_text(
        'size = 4\nopenings = { suite = "all" }\nrounds = 20\nformat = "sprt"\n'
        "clock = { nodes = 1 }\n[sprt]\nelo0 = 0\nelo1 = 200\n" + engines[first] + engines[second]
    )
    done = tournament("run", plan)
    assert done.returncode == code, done.stderr
    assert f"\n{decision} is accepted after " in done.stdout
    played = len(table(plan.with_suffix(".db")))
    assert played < 20 * 32
    assert tournament("run", plan).returncode == code  # plays no more games
    assert len(table(plan.with_suffix(".db"))) == played
    status = tournament("status", plan)
    assert status.returncode == 0
    assert f"{decision} is accepted after " in status.stdout
