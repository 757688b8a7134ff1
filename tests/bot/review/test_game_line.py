"""What of a record is reviewed."""

from __future__ import annotations

import pytest

from trivalent.bot.review.game_line import GameLine, ReviewError, game_line
from trivalent.core.board import BLACK, WHITE
from trivalent.core.records.formats import read


def line_of(text: str) -> GameLine:
    return game_line(read(text).record)


def test_positions_and_turns() -> None:
    line = line_of("hex 3: a1 b2 c3")
    assert [step.number for step in line.steps] == [1, 2, 3]
    assert [step.person for step in line.steps] == [0, 1, 0]
    assert [len(position.history) for position in line.positions] == [0, 1, 2, 3]
    assert [position.to_play for position in line.positions] == [BLACK, WHITE, BLACK, WHITE]
    assert line.allows_swap is None
    assert line.note == ""


@pytest.mark.parametrize("word", ["swap-pieces", "swap-sides"])
def test_a_swap_is_understood(word: str) -> None:
    line = line_of(f"hex 3: a2 {word} b2 c3")
    assert line.allows_swap
    assert [step.person for step in line.steps] == [0, 1, 0, 1]


def test_a_resignation_has_no_position_after_it() -> None:
    line = line_of("hex 3: a1 b2 resign")
    assert line.is_resigned
    assert len(line.positions) == len(line.steps) == 3


@pytest.mark.parametrize(
    ("text", "moves", "note"),
    [
        (
            "(;GM[11]SZ[3];B[a1];W[b2];B[b2];W[c3])",
            2,
            "move 3 is illegal: b2 is occupied; the review ends before it",
        ),
        (
            "hex 2: a1 b1 a2 b2",
            3,
            "black has won; what follows move 3 is left out",
        ),
        ("(;GM[11]SZ[3];B[a1];W[b2];AB[c3];W[c2])", 2, "stones are set up after move 2"),
    ],
)
def test_a_line_ends_where_it_makes_no_sense(text: str, moves: int, note: str) -> None:
    line = line_of(text)
    assert len(line.steps) == moves
    assert len(line.positions) == moves + 1
    assert line.note.startswith(note)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("(;GM[11]SZ[3])", "the game has no moves to review"),
        ("(;GM[11]SZ[3];B[resign])", "the game has no moves to review"),
        ("star 3: a1 a2", "only games of Hex and Y can be reviewed"),
    ],
)
def test_games_that_cannot_be_reviewed(text: str, reason: str) -> None:
    with pytest.raises(ReviewError, match=reason):
        line_of(text)


def test_a_position_that_is_set_up_first() -> None:
    line = line_of("(;GM[11]SZ[3]AB[b2]AW[a1]PL[W];W[c3];B[b1])")
    assert len(line.steps) == 2
    assert line.positions[0].stone(line.board.cell("b2")) is BLACK
    assert [step.person for step in line.steps] == [1, 0]
