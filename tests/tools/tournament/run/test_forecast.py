"""Forecasts of plans against figures worked out by hand; the commands plan and check."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from trivalent.bot.parameters import Parameters
from trivalent.bot.player import RESIGN, Analysis, BasePlayer
from trivalent.tools import cli
from trivalent.tools.tournament.plan.plan_file import parse
from trivalent.tools.tournament.run import forecast as forecast_module
from trivalent.tools.tournament.run.forecast import (
    Forecast,
    duration_text,
    forecast,
    forecast_lines,
    pitfalls,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trivalent.bot.player import Answer, Limits, Stop, Watch
    from trivalent.core.board import Colour
    from trivalent.tools.tournament.plan.plan_model import Plan

FOUR = "".join(f'[engines.e{n}]\nplayer = "random"\n' for n in range(4))
TWO = "".join(f'[engines.e{n}]\nplayer = "random"\n' for n in range(2))
SEEDED = '[engines.a]\nplayer = "uct"\n[engines.b]\nplayer = "mcts"\n'
FOREIGN = """
[engines.x]
command = ["x"]
[engines.y]
command = ["y"]
"""


def read(head: str, engines: str = FOUR) -> Plan:
    if "size" not in head:
        head = f"size = 11\n{head}"
    if "clock" not in head:
        head = f"clock.move = 1\n{head}"
    return parse(f"{head}\n{engines}", Path())


def expect(head: str, engines: str = FOUR) -> Forecast:
    return forecast(read(f"concurrency = 2\n{head}", engines))


def test_games() -> None:
    assert expect('openings = "all"').games == 6 * 242
    assert expect('openings = "all"\nrounds = 3').games == 6 * 242 * 3
    assert (
        expect('openings = "all"\nformat = "gauntlet"\ngauntlet.heroes = ["e0"]').games == 3 * 242
    )
    assert expect('format = "swiss"\nswiss.rounds = 3').games == 2 * 3 * 2
    assert expect('format = "knockout"').games == 3 * 2
    assert expect('format = "adaptive"\nadaptive.pairs = 50').games == 100


def test_duration() -> None:
    """A game has 60 moves: half of the 121 cells are filled, one of them by the opening."""
    one = 'openings = ["a1"]\n'
    twelve = 6 * 2  # games, two in parallel
    assert expect(f"{one}clock.move = 2").seconds == pytest.approx(twelve * 59.5 * 2 / 2)
    assert expect(f"{one}clock.main = 60").seconds == pytest.approx(twelve * 120 / 2)
    assert expect(f"{one}clock = {{ main = 60, increment = 2 }}").seconds == pytest.approx(
        twelve * (120 + 59.5 * 2) / 2
    )
    assert expect(f"{one}clock = {{ byo_yomi = 20, stones = 10 }}").seconds == pytest.approx(
        twelve * 59.5 * 2 / 2
    )
    assert expect(f"{one}move_limit = 21").seconds == pytest.approx(twelve * 20 / 2)
    assert expect("clock.move = 1", TWO).seconds == pytest.approx(
        60.5
    )  # one pair, both games in parallel


def test_duration_weights_engines_by_their_games() -> None:
    slow = FOUR.replace("[engines.e3]", "[engines.e3]\nclock.move = 10")
    usual = expect("").seconds
    # It plays half of the games and makes half of their moves.
    assert expect("", slow).seconds == pytest.approx(usual * (3 + 10) / 4)


def test_node_limits_are_timed() -> None:
    players = FOUR.replace("random", "uct")
    few, many = (expect(f"clock.nodes = {nodes}", players).seconds for nodes in (10, 100_000))
    assert 0 < few < many
    assert not expect("clock.nodes = 10", players).untimed


class Prover(BasePlayer):
    """Needs a millisecond for a search and another one for each node.

    Its first three searches of a game need all their nodes, the other four end after one.
    """

    parameters = Parameters()
    clock = 0.0

    def configure(self, values: Mapping[str, str]) -> None:
        """Take no parameters."""

    def genmove(
        self, colour: Colour, limits: Limits, stop: Stop, watch: Watch | None = None
    ) -> Answer:
        assert limits.nodes is not None
        nodes, seconds, ply = limits.nodes, 0.001, len(self._position.history)
        if ply < 3 and limits.seconds:
            nodes, seconds = min(limits.nodes, round(1000 * limits.seconds)), limits.seconds
        elif ply >= 3:
            nodes = 1
        Prover.clock += 0.001 * (1 + nodes)
        self._analysis = Analysis(nodes, seconds, (), ())
        return self._position.legal_moves[0] if ply < 6 else RESIGN


def test_searches_that_end_early_take_little_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time of the first search used to count for every move of a game that fills the board."""
    monkeypatch.setattr(forecast_module, "make_player", lambda *_: Prover())
    monkeypatch.setattr("time.process_time", lambda: Prover.clock)
    plan = read("size = 5\nclock.nodes = 1000\nconcurrency = 2", TWO)
    # A sample of 12 moves has 25 ms for each, so 25 nodes.
    searches = 3 * 1000 * 0.026 / 25 + 4 * 0.002
    assert forecast(plan).seconds == pytest.approx(searches + 12.5 * 0.001)


def test_unlimited_time_is_reported() -> None:
    expected = forecast(parse("size = 5\n" + FOREIGN, Path()))
    assert expected.untimed == ("x", "y")
    assert expected.seconds == 0


def test_error_bars() -> None:
    """Among n equal engines, a difference is as exact as with n / 2 times the pairs of two."""
    bars = expect('openings = "all"', TWO).error_bars
    assert bars[0] == pytest.approx((43.774, 43.774), abs=1e-3)  # 1.96 * 4 * 173.7 / sqrt(8 * 121)
    assert bars[1][0] == pytest.approx(bars[0][0] * (0.2 / 0.5) ** 0.5)
    four = expect('openings = "all"').error_bars
    assert four[0] == pytest.approx((bars[0][0] / 2**0.5,) * 2)
    gauntlet = expect('openings = "all"\nformat = "gauntlet"\ngauntlet.heroes = ["e0"]').error_bars
    assert gauntlet[0] == pytest.approx(bars[0])  # no other games are informative
    chain = 'format = "matches"\nmatches = [["e0", "e1"], ["e1", "e2"], ["e2", "e0"], ["e2", "e3"]]'
    low, high = expect(f'openings = "all"\n{chain}').error_bars[0]
    assert high == pytest.approx(bars[0][0])
    assert low == pytest.approx(bars[0][0] * (2 / 3) ** 0.5)


def test_length_of_a_sequential_test() -> None:
    head = 'openings = "all"\nrounds = {}\nformat = "sprt"\nsprt.elo1 = 30'
    lengths = dict(expect(head.format(4), TWO).lengths)
    assert lengths[0][0] == pytest.approx(357, rel=0.01)
    assert lengths[15][0] == pytest.approx(584, rel=0.01)
    assert lengths[15][1] < lengths[15][0]
    plan = read(head.format(4), TWO)
    text = "\n".join(forecast_lines(plan, forecast(plan)))
    assert "length     at 0 Elo 357 pairs with half of the pairs split, " in text
    assert "only 484 pairs are planned: it may end undecided" in text
    plan = read(head.format(5), TWO)
    assert "undecided" not in "\n".join(forecast_lines(plan, forecast(plan)))
    normalized = dict(expect(f'{head.format(4)}\nsprt.model = "normalized"', TWO).lengths)
    assert normalized[30][0] == pytest.approx(normalized[0][0], rel=0.05)


@pytest.mark.parametrize(
    ("head", "engines", "note"),
    [
        ('swap = "sides"\nopenings = ["a1 b2"]', TWO, "the swap rule has no effect"),
        ("", TWO, "two engines play only two games"),
        ('openings = ["a1"]\nrounds = 2', FOREIGN, "x and y get no seed"),
        ('openings = "all"', TWO, "e0 and e1 are identical except for their names"),
        ("concurrency = 1000", TWO, "1000 games in parallel share "),
    ],
)
def test_pitfalls(head: str, engines: str, note: str) -> None:
    assert any(one.startswith(note) for one in pitfalls(read(head, engines)))


@pytest.mark.parametrize(
    ("head", "engines"),
    [
        ('openings = "all"\nrounds = 2\nconcurrency = 1', SEEDED),
        ('openings = "all"\nrounds = 2', FOREIGN.replace('"x"]', '"x", "--seed={seed}"]')),
        ('openings = "all"\nswap = "pieces"', FOREIGN),
        ("clock.nodes = 3\nconcurrency = 1000\nrounds = 2", SEEDED),
    ],
)
def test_no_pitfalls(head: str, engines: str) -> None:
    assert not list(pitfalls(read(head, engines)))


def test_durations() -> None:
    seconds = (0, 1.4, 2, 100, 200, 5400, 8000, 100_000, 200_000)
    assert [duration_text(one) for one in seconds] == [
        "about a second",
        "about a second",
        "2 seconds",
        "100 seconds",
        "3.3 minutes",
        "90.0 minutes",
        "2.2 hours",
        "27.8 hours",
        "2.3 days",
    ]


# Commands

PROGRAM = "from trivalent.tools.cli import main; main()"
PLAN = f"""
size = 3
openings = "distinct"
clock = {{ nodes = 5 }}
[engines.mine]
player = "mcts"
memory = 1
[engines.other]
command = ["{sys.executable}", "-c", "{PROGRAM}", "gtp", "--player", "random"]
dialect = "trivalent"
"""


@pytest.fixture
def league(tmp_path: Path) -> Path:
    path = tmp_path / "league.toml"
    path.write_text(
        PLAN.replace(
            '"-m", "trivalent.tools"', '"-c", "from trivalent.tools.cli import main; main()"'
        )
    )
    return path


def test_plan_command(league: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["tournament", "plan", str(league)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("league: 3x3 Hex, swap off, round robin of 2 engines\n")
    assert "games      10\n" in out
    assert cli.main(["tournament", "plan", "--json", str(league)]) == 0
    values = json.loads(capsys.readouterr().out)
    assert values["games"] == 10
    league.write_text("size = 0")
    assert cli.main(["tournament", "plan", str(league)]) == 2
    assert capsys.readouterr().err == (
        f"trivalent tournament: {league}: size must be between 1 and 63, not 0\n"
    )


def test_check_command(league: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["tournament", "check", str(league)]) == 0
    out = capsys.readouterr().out
    assert out.count("fine: ") == 2
    assert "fine: mine is Trivalent " in out
    # It starts, but refuses the unknown parameter.
    league.write_text(league.read_text().replace('"--player"', '"--plyer"'))
    assert cli.main(["tournament", "check", str(league)]) == 5
    out = capsys.readouterr().out
    assert "\nfault: other exited with " in out
    assert "--plyer" in out
    league.write_text(league.read_text().replace(sys.executable, "./no-such-program"))
    assert cli.main(["tournament", "check", str(league)]) == 2
    assert "engines.other.command: no such program: ./no-such-program" in capsys.readouterr().err
