"""Search and solver under ThreadSanitizer: no data races.

Run as a program with the name of a network, this file searches with several threads, wherever they
get into each other's way.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from places import ROOT

from trivalent.bot.player import Limits, Stop
from trivalent.bot.players.mcts import MctsPlayer
from trivalent.bot.players.mcts_parameters import MctsParameters
from trivalent.bot.solver.solver import Solver
from trivalent.core.games import hex_board, y_board
from trivalent.core.position import Position


def stress(net: str) -> None:
    """Use small boards, where threads meet, and little memory, so that they run out of it."""
    for board, memory, nodes in (
        (hex_board(4), 8, 5000), (hex_board(5), 8, 20_000), (hex_board(7), 1, 6000),
        (y_board(6), 8, 6000), (hex_board(11), 2, 3000),
    ):  # fmt: skip
        for seed in range(2):
            position = Position(board)
            player = MctsPlayer(MctsParameters(threads=4, memory=memory, seed=seed))
            player.set_position(position)
            for _ in range(4):
                if position.winner:
                    break
                colour = position.to_play
                cell = player.genmove(colour, Limits(nodes=nodes), Stop())
                assert isinstance(cell, int)
                position.play(colour, cell)
                player.play(colour, cell)
    position = Position(hex_board(6))
    player = MctsPlayer(MctsParameters(threads=4, memory=8, net=net, net_visits=2))
    player.set_position(position)
    player.genmove(position.to_play, Limits(nodes=3000), Stop())
    for board in (hex_board(4), hex_board(5, 6), y_board(4)):
        solver = Solver(board, memory=1, threads=4)
        solver.winning_moves(Position(board))
    for board in (hex_board(5), hex_board(8), y_board(7)):
        position = Position(board)
        player = MctsPlayer(MctsParameters(threads=3, memory=8, vc_visits=0))
        player.set_position(position)
        player.genmove(
            position.to_play, Limits(seconds=2), Stop()
        )  # with a solver in the background


def library() -> str | None:
    """Return the path of the ThreadSanitizer library, if the compiler has one."""
    if not shutil.which("cc"):
        return None
    found = subprocess.run(
        ["cc", "-print-file-name=libtsan.so"],
        capture_output=True, text=True, check=False,
    ).stdout.strip()  # fmt: skip
    return found if Path(found).is_absolute() else None


@pytest.mark.sanitizer
@pytest.mark.skipif(library() is None, reason="the compiler has no ThreadSanitizer")
def test_there_are_no_data_races(tmp_path: Path) -> None:
    from networks import network_in  # noqa: PLC0415  it needs numpy

    for command in (
        ["setup", str(tmp_path / "build"), "--buildtype=debugoptimized", "--prefix=/",
         "-Db_sanitize=thread", "-Db_lundef=false", "-Dpython.platlibdir=site",
         "-Dpython.purelibdir=site"],
        ["install", "-C", str(tmp_path / "build"), "--destdir", str(tmp_path / "root")],
    ):  # fmt: skip
        subprocess.run(["meson", *command], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    # Not the interpreter of an environment, which could find an installed build first.
    interpreter = Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info.minor}"
    process = subprocess.run(
        [str(interpreter), __file__, network_in(tmp_path, "hex")],
        env=os.environ
        | {
            "PYTHONPATH": f"{tmp_path / 'root' / 'site'}{os.pathsep}{ROOT / 'tests' / 'support'}",
            "LD_PRELOAD": library() or "",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.stderr == ""
    assert process.stdout == f"{tmp_path / 'root' / 'site'}\n"


if __name__ == "__main__":
    import trivalent.bot

    stress(sys.argv[1])
    sys.stdout.write(f"{Path(trivalent.bot.__path__[0]).parent.parent}\n")
