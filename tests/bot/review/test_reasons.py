"""Reasons in words, and ladders."""

from __future__ import annotations

import pytest
from reviews import reviewed

from trivalent.bot.review.ladders import describe_ladder
from trivalent.core.records.formats import read


@pytest.mark.parametrize(
    ("moves", "line", "text"),
    [
        ("hex 7: a1 g7", "b6 b7 c6 c7 d6 d7 e5", "black runs a ladder on row 2 along south"),
        ("hex 7: a1", "g7 b6 b7 c6 c7 d6 d7", "black runs a ladder on row 2 along south"),
        ("hex 7: a1 g7", "b6 b7 c6 c7 e5", ""),
        ("hex 7: a1 g7", "b6 c5 d4 e3 f2 a7", ""),
    ],
)
def test_ladders(moves: str, line: str, text: str) -> None:
    position = read(moves).record.position()
    cells = [position.board.cell(name) for name in line.split()]
    assert describe_ladder(position, cells).startswith(text)
    assert bool(describe_ladder(position, cells)) is bool(text)


def test_resigning_a_won_game() -> None:
    review = reviewed("hex 3: b2 a1 resign")
    assert review.losing_move == 2
    assert review.verdicts[2].is_proven
    assert "black resigns although the game was not lost" in review.reasons[2].sentences
    review = reviewed("hex 3: a1 b2 resign")
    assert review.loser == 0
    assert review.losing_move is None  # the first move isn't judged


def test_carriers_are_empty_cells() -> None:
    review = reviewed("hex 5: c2 c3 d2 b4 a3 d4 a4 c4 b1 b2")
    for index, reason in review.reasons.items():
        after = review.stations[index + 1].position
        assert all(after.stone(cell) is None for cell in reason.refuting_carrier)
        before = review.stations[index].position
        assert all(before.stone(cell) is None for cell in reason.carrier)
        assert all(reason.sentences)
