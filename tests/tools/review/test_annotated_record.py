"""Reviewed games as records: comments, variations and links that other programs can read."""

from __future__ import annotations

import pytest
from reviews import FAULTS, FAULTY_MOVES, reviewed_game

from trivalent.core.records.formats import read, write
from trivalent.core.records.record import Record, illegal_moves
from trivalent.tools.review.annotated_record import annotate, percent


def main_line(record: Record) -> list[str]:
    nodes = record.root.end().line()
    return [record.board.names[n.turn.cell] for n in nodes if n.turn and n.turn.cell is not None]


@pytest.mark.parametrize("dialect", ["sgf", "hexgui"])
def test_comments_and_variations(dialect: str) -> None:
    game = reviewed_game(FAULTS)
    moves = main_line(game.record)
    annotate(game)
    record = read(write(game.record, dialect)).record
    assert main_line(record) == moves
    assert not list(illegal_moves(record))
    nodes = [node for node in record.root.end().line() if node.turn]
    for number, node in enumerate(nodes, 1):
        assert ("turning point" in node.comment) is (number in FAULTY_MOVES)
        assert node.parent
        better = [
            other for other in node.parent.children[1:] if "better" in other.comment.split("\n")
        ]
        assert bool(better) is (number in FAULTY_MOVES)
    assert "Here the game was lost." in nodes[-1].comment
    assert record.root.end().comment == "end of the game"  # the end is not the last move
    assert "White lost the game with move 10, b2" in record.root.comment


def test_annotations_come_after_what_was_there() -> None:
    game = reviewed_game("(;GM[11]SZ[3]C[A friendly game];B[b2]C[The centre!];W[a1])")
    annotate(game)
    assert game.record.root.comment.startswith("A friendly game")
    assert game.record.root.children[0].comment.startswith("The centre!\n")


def test_links_show_the_game_at_a_move() -> None:
    game = reviewed_game(FAULTS)
    for verdict in game.review.verdicts:
        record = read(game.link(verdict)).record
        assert len(record.position().history) == verdict.step.number
        assert main_line(record) == main_line(game.record)
    assert game.record.cursor is None
    game = reviewed_game("y 3: b2 a1")
    assert game.link(game.review.verdicts[0]) == ""  # HexWorld has no Y


def test_a_refutation_after_the_last_move_is_a_variation() -> None:
    game = reviewed_game("hex 3: a1 b2 resign")
    before = main_line(game.record)
    annotate(game)
    assert main_line(game.record) == before


@pytest.mark.parametrize(
    ("share", "text"), [(0.0, "0%"), (0.001, "1%"), (0.5, "50%"), (0.999, "99%"), (1.0, "100%")]
)
def test_percentages_claim_no_certainty_that_is_not_there(share: float, text: str) -> None:
    assert percent(share) == text


def test_players_who_change_colours_are_not_named_after_them() -> None:
    assert reviewed_game("hex 3: a1 b2").players == ("Black", "White")
    game = reviewed_game("hex 3: a1 swap-sides b2")
    assert game.players == ("First player", "Second player")
