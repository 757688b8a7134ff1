"""Costs, grades and turning points from what is known about positions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from trivalent.bot.player import Analysis, MoveAnalysis
from trivalent.bot.review import judgement
from trivalent.bot.review.calibration import Calibration
from trivalent.bot.review.game_line import GameLine, game_line
from trivalent.bot.review.judgement import Grade, Phase, Station, Verdict, accuracy, judge
from trivalent.core.board import BLACK, WHITE, Colour
from trivalent.core.records.formats import read

VALUES = {"hex": Calibration(lean=0.0, slope=1.0, noise=0.1)}


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take values as they are."""
    monkeypatch.setattr(judgement, "CALIBRATIONS", VALUES)


def analysis(value: float, *cells: int) -> Analysis:
    """Return an analysis with these moves, each worse than the one before."""
    moves = (
        MoveAnalysis(cell, 100, max(0.01, value - 0.35 * number), None, None)
        for number, cell in enumerate(cells or (8, 7))
    )
    return Analysis(100, 0.1, (*moves,), (cells or (8, 7))[:1])


def stations(line: GameLine, *known: float | Colour) -> list[Station]:
    """Return what is known: values for the side to move, or proven winners."""
    made = []
    for position, what in zip(line.positions, known, strict=True):
        station = Station(position)
        if isinstance(what, Colour):
            station.winner = what
        else:
            station.analysis = analysis(what)
        made.append(station)
    return made


def judged(text: str, *known: float | Colour, allows_swap: bool | None = False) -> list[Verdict]:
    line = game_line(read(text).record, allows_swap=allows_swap)
    return judge(line, stations(line, *known))


@pytest.mark.parametrize(
    ("before", "after", "grade", "turning"),
    [
        (0.60, 0.42, Grade.GOOD, False),
        (0.60, 0.49, Grade.INACCURACY, False),
        (0.60, 0.57, Grade.MISTAKE, True),
        (0.90, 0.30, Grade.MISTAKE, False),
        (0.60, 0.80, Grade.BLUNDER, True),
        (0.30, 0.95, Grade.MISTAKE, False),
    ],
)
def test_costs_and_grades(before: float, after: float, grade: Grade, turning: bool) -> None:
    """The values are those of the side to move, so the player's chance after is 1 - after."""
    first = judged("hex 3: a1", before, after)[0]
    assert first.grade is grade
    assert first.is_turning_point is turning
    if grade.is_fault:
        assert first.cost == pytest.approx(before - (1 - after))
        assert 0.5 < first.certainty < 1.0
        assert first.better is not None
        assert first.better.cell == 8
        assert not first.is_proven


def test_proven_faults_and_positions() -> None:
    thrown, missed, kept = judged("hex 3: a1 b2 c3", BLACK, WHITE, BLACK, BLACK)
    assert (thrown.grade, thrown.is_turning_point, thrown.is_proven) == (
        Grade.PROVEN_LOSS, True, True,
    )  # fmt: skip
    assert (missed.grade, missed.is_turning_point) == (Grade.PROVEN_LOSS, True)
    assert (kept.grade, kept.cost) == (Grade.GOOD, 0.0)
    (lost,) = judged("hex 3: a1", WHITE, WHITE)
    assert lost.grade is Grade.LOST
    assert not lost.decides


def test_the_benefit_of_the_doubt() -> None:
    """A proven win, then 60 %: it's more likely that the search can't see the win any more."""
    (first,) = judged("hex 3: a1", BLACK, 0.4)
    assert (first.grade.is_fault, first.cost) == (False, 0.0)
    (first,) = judged("hex 3: a1", BLACK, 0.7)
    assert first.is_turning_point
    assert first.certainty == pytest.approx(0.7)


def test_the_search_own_move_is_not_blamed_for_what_it_overlooked() -> None:
    line = game_line(read("hex 3: c3").record, allows_swap=False)
    known = stations(line, 0.6, 0.7)
    (first,) = judge(line, known)
    assert first.cost == 0.0
    known[0].analysis = replace(
        analysis(0.6, 8, 7),
        moves=(MoveAnalysis(8, 60, 0.6, None, None), MoveAnalysis(7, 50, 0.55, None, None)),
    )
    (first,) = judge(line, known)
    assert first.cost == pytest.approx(0.25)  # the alternative still had its value


def test_only_and_forced_moves() -> None:
    line = game_line(read("hex 3: c3").record, allows_swap=False)
    known = stations(line, 0.8, 0.2)
    assert judge(line, known)[0].grade is Grade.ONLY_MOVE
    known[0].analysis = analysis(0.8, 8)
    assert judge(line, known)[0].grade is Grade.FORCED
    known[0].analysis = replace(
        analysis(0.8),
        moves=(
            MoveAnalysis(8, 60, 0.8, None, None),
            MoveAnalysis(7, 50, 0.0, None, proven=False),
        ),
    )
    assert judge(line, known)[0].grade is Grade.ONLY_MOVE


def test_a_first_move_is_judged_by_the_swap_rule() -> None:
    known = (0.7, 0.2)
    assert judged("hex 3: b2", *known, allows_swap=None)[0].grade is Grade.OPENING
    assert judged("hex 3: b2", *known, allows_swap=False)[0].cost == 0.0
    (strong,) = judged("hex 3: b2", *known, allows_swap=True)
    assert strong.cost == pytest.approx(0.3)  # it will be swapped
    (even,) = judged("hex 3: a1", 0.7, 0.5, allows_swap=True)
    assert even.cost == 0.0


def test_swaps_and_missed_swaps() -> None:
    swapped = judged("hex 3: b2 swap-pieces a1", 0.7, 0.2, 0.2, 0.8)
    assert swapped[1].cost == 0.0
    wrong = judged("hex 3: a1 swap-pieces b2", 0.7, 0.9, 0.9, 0.1)[1]
    assert wrong.cost == pytest.approx(0.8)
    missed = judged("hex 3: b2 a1", 0.7, 0.2, 0.8, allows_swap=True)[1]
    assert missed.is_turning_point
    assert missed.better is not None
    assert missed.better.cell is None
    sides = judged("hex 3: b2 swap-sides a1", 0.7, 0.2, 0.2, 0.8)
    assert sides[1].cost == 0.0
    assert [verdict.step.person for verdict in sides] == [0, 1, 0]


def test_resigning_too_early() -> None:
    *_, last = judged("hex 3: a1 b2 resign", 0.5, 0.5, 0.8)
    assert last.is_turning_point
    assert last.after == 0.0
    *_, last = judged("hex 3: a1 b2 resign", 0.5, 0.5, 0.2)
    assert not last.grade.is_fault


def test_what_is_unknown_is_not_judged() -> None:
    line = game_line(read("hex 3: a1 b2").record, allows_swap=False)
    known = stations(line, 0.9, 0.9, 0.9)
    known[2].analysis = None
    assert [verdict.grade for verdict in judge(line, known)][1] is Grade.UNKNOWN


def test_accuracy_is_the_share_of_chances_kept() -> None:
    verdicts = judged("hex 5: a1 b2 c3", 0.8, 0.6, 0.6, 0.4)
    assert accuracy(verdicts, 0) == pytest.approx((0.5 + 1.0) / 2)
    assert accuracy(verdicts, 1) == pytest.approx(0.4 / 0.6)
    assert accuracy(verdicts, 0, Phase.OPENING) == pytest.approx(0.75)
    assert accuracy(verdicts, 0, Phase.ENDING) is None


def test_chances_are_calibrated() -> None:
    found = Calibration(lean=-0.2, slope=1.5, noise=0.1)
    assert found.chance(0.5) < 0.5
    assert found.chance(0.9) > 0.9
    assert 0 < found.chance(0.0) < found.chance(1.0) < 1


@pytest.mark.parametrize("winner", [BLACK, WHITE])
def test_a_first_move_that_is_swapped_is_never_a_proven_loss(winner: Colour) -> None:
    (move,) = judged("hex 3: b2", winner, winner, allows_swap=True)
    assert (move.before, move.after, move.grade) == (0.5, 0.0, Grade.BLUNDER)
    assert move.is_turning_point
    assert not move.is_proven
    assert 0.9 < move.certainty < 1.0
    assert move.better is None
