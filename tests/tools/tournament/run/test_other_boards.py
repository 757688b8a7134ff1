"""Bent Y, *Star and Renkula! in the tournament tool: a round robin, its reports, and replays."""

from pathlib import Path

import pytest
from tournaments import tournament

from trivalent.core.board import BLACK
from trivalent.core.games import make_board
from trivalent.core.position import Position
from trivalent.core.records.formats import read
from trivalent.tools.tournament.model import Ending
from trivalent.tools.tournament.run.store import Store

PLAN = """
game = "{game}"
size = {size}
openings = {{ suite = "random", plies = 1, count = 1, seed = 7 }}
swap = "pieces"
seed = 3

[engines.level]
player = "mcts"
level = 9
clock = {{ nodes = 50 }}

[engines.uct]
player = "uct"
preset = "raiko-peltonen"
bamboo = true
fills = 2
clock = {{ nodes = 200 }}

[engines.random]
player = "random"
clock = {{ nodes = 1 }}
"""


@pytest.mark.parametrize(
    ("game", "size", "ending"),
    [
        ("bent-y", 3, Ending.CONNECTION),
        ("star", 3, Ending.POINTS),
        ("renkula", 2, Ending.CONNECTION),
    ],
)
def test_a_round_robin(tmp_path: Path, game: str, size: int, ending: Ending) -> None:
    plan = tmp_path / "league.toml"
    plan.write_text(PLAN.format(game=game, size=size))
    done = tournament("run", "--plain", plan)
    assert done.returncode == 0, done.stdout + done.stderr
    board = make_board(game, size)
    with Store.read(plan.with_suffix(".db")) as store:
        played = list(store.played())
    assert len(played) == 6
    for game_of, record in played:
        position = Position(board)
        for move in record.moves:
            if move == "swap-pieces":
                position.swap_pieces()
            else:
                position.play(position.to_play, board.cell(move))
        assert record.ending is ending
        assert record.winner == (game_of.black if position.winner is BLACK else game_of.white)
    page, games = tmp_path / "report.html", tmp_path / "games"
    report = tournament("report", plan, "--html", page, "--sgf", games)
    assert report.returncode == 0, report.stderr
    assert all(engine in report.stdout for engine in ("level", "uct", "random"))
    assert str(board) in page.read_text()
    assert f"<p>{ending} 6</p>" in page.read_text()
    assert {read(file.read_text()).record.board for file in games.iterdir()} == {board}
    again = tournament("replay", plan, played[0][0].id)
    assert (again.returncode, again.stdout.splitlines()[-1]) == (0, "identical, move by move")
