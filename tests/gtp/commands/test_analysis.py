"""Commands that show how the player evaluates the position, live and after a search."""

from __future__ import annotations

import re

import pytest
from gtp_session import Gtp, Recorder, searching

from trivalent.bot.player import Limits
from trivalent.bot.players.registry import make_player
from trivalent.core.playouts.playout import PlayoutStatistics
from trivalent.gtp.commands.all_commands import FAMILIES


def test_formats_of_the_analysis_commands() -> None:
    gtp = searching()
    gtp.ok("play b c3")
    cell = "[a-e][1-5]"
    value = r"(?:[01]?\.[0-9]{2}|W|L)"
    patterns = {
        "trivalent-search w": rf"{cell} [0-9.]+% after 200 positions in [0-9.]+ s;( {cell})+",
        "trivalent-pv w": rf"{cell}( {cell})*",
        "trivalent-top-moves w": rf"{cell} 1@{value}( {cell} [0-9]+@{value})*",
        "trivalent-values w": rf"{cell} {value}@[0-9]+k?( {cell} {value}@[0-9]+k?)*",
        "trivalent-visits w": rf"{cell} [0-9]+( {cell} [0-9]+)*",
        "trivalent-rave-values w": rf"INFLUENCE( {cell} [01]\.[0-9]{{3}}){{24}}\nTEXT .+",
        "trivalent-ownership w": rf"INFLUENCE( {cell} [01]\.[0-9]{{3}}){{24}}\nTEXT .+",
        "trivalent-criticality w": rf"INFLUENCE( {cell} [01]\.[0-9]{{3}}){{24}}\nTEXT .+",
        "trivalent-playouts w 1000": r"black wins [0-9]+ of 1000 playouts \(.*%\) .*white to move",
    }
    for line, pattern in patterns.items():
        text = gtp.ok(line)
        assert re.fullmatch(pattern, text), (line, text)
        assert gtp.ok(line) == text
        name = line.split()[0]
        gtp.ok(name)
        gtp.refused(f"{name} x")
    best = gtp.ok("trivalent-pv w").split()[0]
    assert gtp.ok("reg_genmove w") == best
    assert gtp.ok("trivalent-top-moves").split()[0] == best


@pytest.mark.parametrize(("profile", "least"), [("none", 0), ("gogui", -1)])
def test_influence_uses_the_whole_scale(profile: str, least: float) -> None:
    gtp = searching(profile)
    for command in ("trivalent-rave-values", "trivalent-criticality", "trivalent-ownership"):
        numbers = [float(word) for word in gtp.ok(command).split("\n")[0].split()[2::2]]
        assert len(numbers) == 25
        assert all(least <= number <= 1 for number in numbers)
        assert (min(numbers), max(numbers)) == (least, 1)
    assert re.search(
        r"\nTEXT share of playouts in which black owns the cell, from \d+\.\d% to \d+\.\d%$",
        gtp.ok("trivalent-ownership"),
    )


def test_what_is_proven_has_no_percentage() -> None:
    gtp = Gtp(make_player("mcts", {"memory": "16"}), size=3, limits=Limits(nodes=500))
    assert re.fullmatch(
        r"b2 proven to win after \d+ positions? in \d+\.\d\d s; b2( .+)?",
        gtp.ok("trivalent-search b"),
    )
    gtp.ok("play b b2")
    assert re.match(
        r".+ proven to lose( after \d+ positions? in|, known already;)",
        gtp.ok("trivalent-search w"),
    )
    gtp.ok("undo", "trivalent-search b", "param_player resign 0.1")  # which keeps the tree
    assert re.match(r"b2 proven to win, known already; b2", gtp.ok("trivalent-search b"))


def test_labels_for_gogui_have_one_line() -> None:
    gtp = searching("gogui")
    assert re.fullmatch(r"[A-F][1-5] 1( [A-F][1-5] [0-9]+)*", gtp.ok("trivalent-top-moves"))
    assert re.fullmatch(r"([A-F][1-5] 1?\.[0-9]{2} ?)+", gtp.ok("trivalent-values"))


def test_analysis_is_of_the_position_on_the_board() -> None:
    gtp = searching(size=3)
    first = gtp.ok("genmove b")
    cells = gtp.ok("trivalent-visits w").split()[::2]
    assert first not in cells
    gtp.ok("undo")
    assert first in gtp.ok("trivalent-visits b").split()[::2]


def test_nothing_to_analyse_after_the_end() -> None:
    gtp = searching(size=1)
    gtp.ok("play b a1")
    for command in (*FAMILIES["analysis"], *FAMILIES["live analysis"]):
        if "genmove" not in command.name:
            assert "game is over" in gtp.refused(command.name)


def test_criticality_of_a_decisive_and_an_irrelevant_cell() -> None:
    # 8 playouts; the first cell decides them all, the second does not matter.
    found = PlayoutStatistics(8, 4, (0, 1), (4, 4), (4, 2))
    assert found.criticality == (0.5, 0.0)
    assert found.ownership == (0.5, 0.5)


@pytest.mark.parametrize(
    ("line", "entry"),
    [
        ("lz-analyze w 1", r"info move CELL visits N winrate N order N pv CELL( CELL)*"),
        ("lz-analyze interval 1", r"info move CELL visits N winrate N order N pv CELL( CELL)*"),
        (
            "kata-analyze w 1 rootInfo true minmoves 3",
            r"info move CELL visits N winrate [01]\.N scoreLead 0 order N pv CELL( CELL)*",
        ),
        (
            "kata-analyze interval 1",
            r"info move CELL visits N winrate [01]\.N scoreLead 0 order N pv CELL( CELL)*",
        ),
    ],
)
def test_live_analysis_reports_until_superseded(line: str, entry: str) -> None:
    gtp = searching(size=7)
    gtp.ok("play b d4")
    recorder = Recorder(3)
    name, *words = line.split()
    reply = gtp.session.run(name, words, recorder)
    assert (reply.ok, reply.text) == (True, "")
    pattern = entry.replace("CELL", "[a-g][1-7]").replace("N", "[0-9]+")
    for part in recorder.lines:
        assert re.fullmatch(rf"{pattern}( {pattern})*", part)
    orders = re.findall("order ([0-9]+)", recorder.lines[-1])
    assert orders == [str(order) for order in range(len(orders))]
    assert gtp.stones() == {"d4": "b"}


def first_report(gtp: Gtp, line: str) -> list[str]:
    """Return the moves in the first report of an analysis."""
    recorder = Recorder(1)
    name, *words = line.split()
    assert gtp.session.run(name, words, recorder).ok
    return re.findall("info move ([a-z][0-9]+)", recorder.lines[0])


@pytest.mark.parametrize("command", ["lz-analyze", "kata-analyze"])
def test_analysis_of_some_of_the_moves(command: str) -> None:
    gtp = Gtp(make_player("mcts", {"memory": "16", "threads": "1"}), size=5)
    assert set(first_report(gtp, f"{command} b 1 minmoves 9 allow b b2,c3,pass 1")) == {"b2", "c3"}
    best = first_report(gtp, f"{command} b 1")[0]
    assert best not in first_report(gtp, f"{command} b 1 avoid b {best} 1 avoid b a1,b1 20")
    assert best in first_report(gtp, f"{command} b 1 avoid w {best} 1")
    assert len(first_report(gtp, f"{command} b 1 minmoves 9 maxmoves 2")) == 2
    assert len(first_report(gtp, f"{command} b 1 minmoves 9")) >= 9
    assert gtp.ok("reg_genmove b") == best
    for options in ("avoid b", "avoid b a1", "avoid b z9 1", "avoid b a1 0", "avoid x a1 1",
                    "allow b a1 1 avoid b b1 1", "allow b a1 1 allow b b1 1", "maxmoves -1",
                    f"avoid b {','.join(gtp.session.position.board.names)} 1"):  # fmt: skip
        gtp.refused(f"{command} b 1 {options}")


def test_players_that_search_all_moves_refuse_to_avoid_some() -> None:
    assert "uct" in searching().refused("lz-analyze b 1 avoid b a1 1")
    gtp = Gtp(size=2)  # the random player
    assert gtp.ok("lz-genmove_analyze b allow b b2 1").endswith("play b2")


def test_analysis_tells_the_priors() -> None:
    gtp = Gtp(make_player("mcts", {"memory": "16"}), size=5, limits=Limits(nodes=50))
    recorder = Recorder(9)
    gtp.session.run("kata-genmove_analyze", ["b", "minmoves", "25"], recorder)
    priors = [
        float(share) for share in re.findall(r" prior ([01]\.\d{6}) order", recorder.lines[0])
    ]
    assert len(priors) == recorder.lines[0].count("info")
    assert 0.9 < sum(priors) < 1.001
    gtp.session.run("lz-genmove_analyze", ["w"], recorder)
    assert re.search(r" prior \d+ order 0 pv", recorder.lines[1])


@pytest.mark.parametrize("command", ["lz-genmove_analyze", "kata-genmove_analyze"])
def test_moves_with_an_analysis(command: str) -> None:
    gtp = searching(size=7)
    recorder = Recorder(100)
    reply = gtp.session.run(command, ["b", "maxmoves", "2"], recorder)
    assert reply.ok
    assert len(recorder.lines) == 1, "without an interval there is one report"
    best = re.findall("info move ([a-z][0-9])", recorder.lines[0])[0]
    assert reply.text == f"play {best}"
    assert gtp.stones() == {best: "b"}
    gtp.ok("param_search nodes 20000")
    gtp.session.run(command, ["w", "1"], recorder)
    assert len(recorder.lines) > 2
    gtp.ok("boardsize 1", "play b a1")
    assert gtp.ok(f"{command} w") == "\nplay resign"
    gtp.ok("param_game allow_swap 1")
    assert gtp.ok(f"{command} w") == "\nplay swap-pieces"


def test_kata_analyze_reports_ownership() -> None:
    gtp = searching(size=3)
    gtp.ok("set_position b a1 w c3")
    recorder = Recorder(1)
    gtp.session.run("kata-analyze", ["w", "1", "ownership", "true"], recorder)
    values = [float(word) for word in recorder.lines[0].split(" ownership ")[1].split()]
    assert len(values) == 9
    assert (values[0], values[8]) == (-1, 1)
    assert all(-1 <= value <= 1 for value in values)


def test_live_analysis_refuses_malformed_arguments() -> None:
    gtp = searching()
    for line in (
        "lz-analyze x",
        "lz-analyze b interval x",
        "lz-analyze -1",
        "kata-analyze b 1 ownership",
    ):
        assert gtp.refused(line).startswith("usage: ")


def test_live_graphics_have_hexguis_format(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trivalent.gtp.commands.graphics.INTERVAL", 0.01)
    gtp = searching(size=7)
    gtp.ok("param_search nodes 0", "param_search seconds 0.2")
    recorder = Recorder(1)
    gtp.session.run("reg_genmove", ["w"], recorder)
    assert recorder.graphics == []
    gtp.ok("param_search live_graphics 1")
    gtp.session.run("genmove", ["w"], recorder)
    assert recorder.graphics
    cell = "[a-g][1-7]"
    for block in recorder.graphics:
        assert re.fullmatch(
            rf"gogui-gfx:\nuct\nVAR( W {cell} B {cell})*( W {cell})?\n"
            rf"INFLUENCE( {cell} (1?\.[0-9]{{2}}|W|L))+\n"
            rf"LABEL( {cell} [0-9]+[kM]?)+\n"
            r"TEXT white ([0-9.]+%|proven to (win|lose)) after [0-9]+ positions?",
            block,
        )


def test_live_graphics_for_gogui(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """GoGui numbers the stones of a variation: few of them, and no labels over the numbers.

    It would draw the values of moves as dots behind the labels.
    """
    monkeypatch.setattr("trivalent.gtp.commands.graphics.INTERVAL", 0.01)
    gtp = searching("gogui", size=7)
    gtp.ok("param_search nodes 20000", "param_search live_graphics 1")
    with caplog.at_level("INFO", "trivalent.stderr"):
        gtp.ok("genmove b")
    assert caplog.records
    for record in caplog.records:
        lines = [line.split() for line in record.getMessage().split("\n") if line]
        assert [line[0] for line in lines] == [
            "gogui-gfx:", "COLOR", "COLOR", "VAR", "LABEL", "TEXT",
        ]  # fmt: skip
        stones = lines[3][2::2]
        assert 1 <= len(stones) <= 2
        assert not set(stones) & set(lines[4][1::2])
