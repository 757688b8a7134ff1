"""Whole reviews: right where exhaustive search can tell, the same every time, and resumable."""

from __future__ import annotations

import itertools
import random
from typing import TYPE_CHECKING

import pytest
from plain_solver import PlainSolver
from reviews import EFFORT, FAULTS, FAULTY_MOVES, result, reviewed

from trivalent.bot.player import Stop
from trivalent.bot.review.game_line import game_line
from trivalent.bot.review.judgement import Grade
from trivalent.bot.review.position_analyst import Effort, Interrupted, PositionAnalyst
from trivalent.bot.review.review_store import ReviewStore
from trivalent.bot.review.reviewer import Progress, Reviewer
from trivalent.core.games import make_board
from trivalent.core.position import Position
from trivalent.core.records.formats import read
from trivalent.core.records.record import Record

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(("game", "size", "first"), [("hex", 3, 0), ("hex", 4, 5), ("y", 4, 0)])
def test_everything_proven_is_true(game: str, size: int, first: int) -> None:
    """Random games, which are full of faults, against exhaustive search from a move on."""
    plain = PlainSolver()
    for seed in range(6):
        board = make_board(game, size)
        position = Position(board)
        cells = random.Random(seed).sample(range(len(board)), len(board))
        for cell in cells:
            if position.winner is None:
                position.play(position.to_play, cell)
        line = game_line(Record.of(position), allows_swap=False)
        with PositionAnalyst(None, Stop(), 1) as analyst:
            review = Reviewer(analyst, Effort(nodes=200)).review(line)
        truth = [plain(station.position)[0] for station in review.stations[first:]]
        assert [station.winner for station in review.stations[first:]] == truth
        for verdict, (before, after) in zip(
            review.verdicts[first:], itertools.pairwise(truth), strict=True
        ):
            lost = before is verdict.step.turn.colour is not after
            assert verdict.is_turning_point is lost
            assert (verdict.grade is Grade.PROVEN_LOSS) is lost
            if lost:
                assert verdict.better is not None
                assert verdict.better.cell is not None
                better = review.stations[verdict.step.number - 1].position.copy()
                better.play(verdict.step.turn.colour, verdict.better.cell)
                assert plain(better)[0] is before


def test_a_game_that_was_thrown_away_again_and_again() -> None:
    review = reviewed(FAULTS)
    assert [index + 1 for index in review.turning_points] == FAULTY_MOVES
    assert review.losing_move == FAULTY_MOVES[-1] - 1
    assert review.loser == 1
    assert review.reasons.keys() == set(review.turning_points)
    said = review.reasons[FAULTY_MOVES[-1] - 1].sentences
    assert "black threatened to connect its sides: only a5 could stop it" in said
    assert "after a5, white's sides are connected, whoever moves" in said


def test_a_lost_game_names_its_loser_even_without_a_fault() -> None:
    review = reviewed("hex 3: b2 a1 b1 c1 a3")
    assert review.loser == 1
    assert review.losing_move is None


def test_the_same_review_twice_with_any_number_of_threads() -> None:
    first = result(reviewed(FAULTS))
    assert result(reviewed(FAULTS)) == first
    assert result(reviewed(FAULTS, threads=3)) == first


def test_an_interrupted_review_ends_like_an_undisturbed_one(tmp_path: Path) -> None:
    """Stop after every few answers; each run must get further."""
    line = game_line(read(FAULTS).record)
    runs = 0
    with ReviewStore(tmp_path / "store") as store:
        for runs in range(1, 100):
            stop = Stop()
            heard: list[str] = []

            def watch(
                progress: Progress,
                stop: Stop = stop,
                heard: list[str] = heard,
                most: int = 2 + 5 * runs,
            ) -> None:
                heard.append(progress.stage)
                if len(heard) == most:
                    stop.set()

            try:
                with PositionAnalyst(store, stop, 1) as analyst:
                    review = Reviewer(analyst, EFFORT, watch).review(line)
            except Interrupted:
                continue
            break
    assert runs > 2
    assert result(review) == result(reviewed(FAULTS))


def test_a_longer_look_starts_from_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ReviewStore(tmp_path / "store") as store:
        reviewed(FAULTS, store=store)
        longer = Effort(nodes=2 * EFFORT.nodes)
        with monkeypatch.context() as patch:
            patch.setattr(PositionAnalyst, "_solve", None)  # all proofs are known
            review = reviewed(FAULTS, longer, store=store)
        assert result(review) == result(reviewed(FAULTS, longer))
        with monkeypatch.context() as patch:
            patch.setattr(PositionAnalyst, "_search", None)
            patch.setattr(PositionAnalyst, "_solve", None)
            again = reviewed(FAULTS, store=store)
    assert result(again) == result(reviewed(FAULTS))


def test_large_boards_do_without_proofs() -> None:
    review = reviewed("hex 20: j10 k11 c3", Effort(nodes=4))
    assert all(station.analysis for station in review.stations)
    assert not any(station.source == "solver" for station in review.stations)


def test_reviews_by_time() -> None:
    review = reviewed("hex 3: b2 a1 b1", Effort(seconds=0.01))
    assert review.stations[-1].winner is not None
