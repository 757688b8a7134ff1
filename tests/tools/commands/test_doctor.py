"""``trivalent doctor``: what it reports, and that it notices wrong results."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from trivalent.bot.evaluation.network_file import read_network
from trivalent.bot.evaluation.network_opinion import shipped_network
from trivalent.core import _isa
from trivalent.core.board import Board
from trivalent.core.connection import win_test
from trivalent.core.games import GAMES, REDUCED_GAMES
from trivalent.tools.cli import main
from trivalent.tools.commands import doctor
from trivalent.tools.common.search_signature import EXPECTED

TRIVALENT = Path(sys.executable).parent / "trivalent"


@pytest.mark.parametrize("isa", _isa.available())
def test_every_instruction_set_gives_correct_results(isa: str) -> None:
    done = subprocess.run(
        [TRIVALENT, "doctor"],
        env={**os.environ, "TRIVALENT_ISA": isa},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0
    lines = dict(line.split(": ", 1) for line in done.stdout.splitlines())
    report = {name: value.strip() for name, value in lines.items()}
    assert report["instruction set"] == f"{isa} (forced by TRIVALENT_ISA)"
    assert report["available"] == ", ".join(_isa.available())
    assert report["kernels"] == "correct results"
    assert report["search signature"] == f"{EXPECTED} (as expected)"
    for game in REDUCED_GAMES:
        file = read_network(shipped_network(game))
        assert file.digest in report[f"network ({GAMES[game].title})"]


def test_wrong_kernels_are_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def winners(board: Board, stones: bytes, method: str) -> bytes:
        right = win_test.winners(board, stones, method)
        return bytes([right[0] ^ 3]) + right[1:] if method == "bpr+" else right

    monkeypatch.setattr(doctor, "winners", winners)
    assert main(["doctor"]) == 1
    assert "WRONG RESULTS from bpr+" in capsys.readouterr().out


def test_another_search_signature_is_an_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doctor, "search_signature", lambda: "00000000")
    assert main(["doctor"]) == 1
    assert f"00000000 (WRONG: expected {EXPECTED})" in capsys.readouterr().out
