"""Whole matches against a foreign program, through its dialect."""

import json
import sys
from pathlib import Path

import katahex
import pytest
from tournaments import tournament

from trivalent.tools.tournament.model import Ending
from trivalent.tools.tournament.run.store import Store


@pytest.mark.parametrize(
    ("size", "swap", "clock"),
    [
        ("4", "pieces", "{ main = 200, increment = 2.5 }"),
        ("4", "sides", "{ main = 1, byo_yomi = 60, stones = 2 }"),
        ('"3x5"', "off", "{ move = 20 }"),
    ],
)
def test_a_match_against_katahex(tmp_path: Path, size: str, swap: str, clock: str) -> None:
    command = json.dumps([sys.executable, "-I", "-S", katahex.__file__])
    plan = tmp_path / "match.toml"
    plan.write_text(
        f'size = {size}\nopenings = ["b2", "b3"]\nswap = "{swap}"\nrounds = 2\n'
        f'[engines.katahex]\ncommand = {command}\ndialect = "katahex"\nclock = {clock}\n'
        '[engines.random]\nplayer = "random"\nclock = { nodes = 1 }\n'
    )
    done = tournament("check", plan)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "KataHex 1.10.0" in done.stdout
    done = tournament("run", plan)
    assert done.returncode == 0, done.stdout + done.stderr
    with Store.read(plan.with_suffix(".db")) as store:
        played = list(store.played())
    assert len(played) == 8
    for game, record in played:
        assert record.winner, record.detail
        assert record.ending in (Ending.CONNECTION, Ending.RESIGNATION), record.detail
        assert {game.black, game.white} == {"katahex", "random"}
