"""Every program ends on signals, whatever it does, and quietly when nobody reads its output."""

from __future__ import annotations

import io
import os
import shlex
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from books import build, settings
from endings import endings
from made_up import made_up

from trivalent.tools.cli import COMMANDS, main
from trivalent.tools.common.endings import handling
from trivalent.tools.tournament.plan.plan_model import dumps
from trivalent.tools.tournament.run.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator

TRIVALENT = str(Path(sys.executable).parent / "trivalent")

PLAN = """
size = 11
openings = "distinct"
clock = { move = 100.0 }
[engines.mcts]
player = "mcts"
[engines.uct]
player = "uct"
"""

TINY_PLAN = """
size = 3
clock.nodes = 1
[engines.a]
player = "uct"
[engines.b]
player = "random"
"""

FULL = "trivalent: standard output: No space left on device"

JOBS = {
    "gtp": ["gtp"],
    "gtp, searching": ["gtp", "--seconds", "1000"],
    "serve": ["serve", "--port", "0"],
    "connect": ["connect", "127.0.0.1", "PORT"],
    "connect, without a server": ["connect", "127.0.0.1", "1", "--timeout", "1000"],
    "doctor": ["doctor"],
    "convert": ["convert"],
    "solve": ["solve"],
    "solve, solving": ["solve", "hex 13:"],
    "solve, move by move": ["solve", "hex 9:", "--all-winning", "--threads", "2"],
    "puzzle, finding": ["puzzle", "--size", "11", "--time", "0"],
    "puzzle, in a game": ["puzzle", "game.txt", "--time", "0"],
    "puzzle, checking": ["puzzle", "--check", "game.txt", "--time", "0"],
    "explain": ["explain"],
    "review": ["review"],
    "review, searching": ["review", "game.txt", "--seconds", "1000", "--store", "reviews.db"],
    "verify": ["verify", "fifo"],
    "swapmap": ["swapmap", "13", "--nodes", "1000000000"],
    "tournament check": ["tournament", "check", "league.toml"],
    "tournament run": ["tournament", "run", "league.toml"],
    "bench": ["bench", "search", "--sizes", "19"],
    "book": ["book", "build", "long.book", "--size", "13", "--seconds", "1000"],
}
"""What takes long or waits, by every program."""

INPUTS = {"gtp, searching": "genmove black\n"}

WITHOUT_JAX = {"train"}  # it ends at once


def test_every_program_is_here() -> None:
    assert {words[0] for words in JOBS.values()} == COMMANDS.keys() - WITHOUT_JAX


def test_every_program_ends_on_signals(tmp_path: Path) -> None:
    (tmp_path / "league.toml").write_text(PLAN)
    (tmp_path / "game.txt").write_text("hex 14: h7 g8 e9 i6 c11 k4")
    os.mkfifo(tmp_path / "fifo")
    found = endings(JOBS, INPUTS, tmp_path)
    assert len(found) == 2 * len(JOBS)
    assert [ending for ending in found if ending.code is None] == []
    assert [ending for ending in found if "Traceback" in ending.errors] == []


@pytest.mark.parametrize(
    "words",
    [
        [TRIVALENT, "--help"],
        [TRIVALENT, "convert", "#5,a1", "#5,a2"],
        [TRIVALENT, "puzzle", "--size", "5"],
        [TRIVALENT, "explain", "#5,c2"],
        [sys.executable, "-m", "trivalent.tools.workshop.derive_openings", "2", "2"],
    ],
    ids=lambda words: " ".join(words[1:3]),
)
def test_programs_end_quietly_when_nobody_reads_their_output(words: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        words, stdout=writing, stderr=subprocess.PIPE, text=True, timeout=60, check=False
    )
    os.close(writing)
    assert done.stderr == ""
    assert done.returncode == 141  # as a shell counts SIGPIPE


TALKATIVE = [
    "--version",
    "--help",
    "solve --help",
    "tournament report --help",
    "gtp --set help",
    "serve --help-commands",
    "convert '#5,a1'",
    "convert '#5,a1' --to sgf",
    "convert --formats",
    "explain '#5,c2'",
    "solve 'hex 3:'",
    "solve 'hex 3:' --json",
    "solve 'hex 3:' --proof -",
    "verify small.proof",
    "puzzle --size 4 --count 1",
    "puzzle --size 4 --count 1 -o -",
    "swapmap 3 --nodes 100",
    "review 'hex 3: a1 b2' --nodes 10 --store reviews.db",
    "review 'hex 3: a1 b2' --nodes 10 --store reviews.db --sgf -",
    "bench tests --sizes 3 --sets 2 --games 1",
    "bench tests --sizes 3 --sets 2 --games 1 --json -",
    "book show small.book",
    "book query small.book",
    "book check small.book",
    "book export small.book",
    "tournament plan league.toml",
    "tournament report league.db",
    "tournament report league.db --csv -",
    "tournament status league.db",
    "tournament run tiny.toml --json",
    "tournament run tiny.toml --plain",
]
"""Programs that write to standard output."""


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with files for these programs."""
    folder = tmp_path_factory.mktemp("workplace")
    assert main(["solve", "hex 3:", "--proof", str(folder / "small.proof")]) == 0
    build(folder / "small.book", settings(size=3))
    (folder / "league.toml").write_text(PLAN)
    (folder / "tiny.toml").write_text(TINY_PLAN)
    plan, played = made_up(("ada", "bob"))
    with Store.create(folder / "league.db", dumps(plan), plan.digest) as store:
        store.add(played)
    return folder


@contextmanager
def standard_output(descriptor: int) -> Iterator[None]:
    """Redirect what Python writes to standard output, without a buffer, as programs may run."""
    raw = io.FileIO(descriptor, "w")
    stream = io.TextIOWrapper(io.BufferedWriter(raw), write_through=True)
    with stream, pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", stream)
        yield


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("line", TALKATIVE)
def test_a_full_disk_is_one_sentence(
    line: str,
    workplace: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(workplace)
    with standard_output(os.open("/dev/full", os.O_WRONLY)):
        assert main(shlex.split(line)) == 1
    assert capsys.readouterr().err.splitlines()[-1:] == [FULL]


@pytest.mark.parametrize("line", TALKATIVE)
def test_a_closed_pipe_has_one_exit_code(
    line: str,
    workplace: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(workplace)
    reading, writing = os.pipe()
    os.close(reading)
    with standard_output(writing):
        assert main(shlex.split(line)) == 141
    assert "rror" not in capsys.readouterr().err


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"])
def test_programs_work_without_a_standard_stream(closed: str, tmp_path: Path) -> None:
    """As jobs of other programs do: nothing is read from it, and what it would get is dropped."""
    output = tmp_path / "games.sgf"
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {closed}', "sh", TRIVALENT, "convert", "#5,a1", "#5,a2z9",
         "--to", "sgf", "-o", output],
        capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 3
    assert output.read_text().count("(;") == 2
    assert (b"2 games from 2 sources" in done.stderr) == (closed != "2>&-")


def test_a_port_in_use_is_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        words = [TRIVALENT, "serve", "--port", port]
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    reason = f"cannot listen on 127.0.0.1, port {port}: Address already in use"
    assert done.stderr == f"trivalent serve: error: {reason}\n"


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["gtp", "--config", "no such file"], "gtp: error: --config: [Errno 2] No such file"),
        (["gtp", "--player", "nobody"], "gtp: error: unknown player 'nobody'"),
        (["swapmap", "64"], "swapmap: error: width must be 1 to 63, not 64"),
        (["explain", "#5", "a1", "a2", "a3"], "explain: error: expected at most two points"),
        (["bench", "sprt", "--sizes", "5"], "bench: error: --sizes doesn't apply to sprt"),
    ],
)
def test_errors_that_are_not_about_usage_are_one_line(
    words: list[str], reason: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(words)
    assert caught.value.code == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith(f"trivalent {reason}")
    assert err.count("\n") == 1


def test_what_a_program_does_about_signals_itself_is_kept() -> None:
    """A server ignores signals while it ends, until the interpreter has exited."""
    before = signal.getsignal(signal.SIGINT)
    with handling(signal.SIG_DFL, signal.SIGINT):
        assert signal.getsignal(signal.SIGINT) == signal.SIG_DFL
    assert signal.getsignal(signal.SIGINT) == before
    try:
        with handling(signal.SIG_DFL, signal.SIGINT):
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
