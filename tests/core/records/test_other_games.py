"""Records of bent Y, *Star and Renkula!: SGF, JSON and lists of moves."""

from __future__ import annotations

import pytest

from trivalent.core.board import BLACK, WHITE
from trivalent.core.games import make_board
from trivalent.core.position import Position
from trivalent.core.records.formats import FORMATS, read, write
from trivalent.core.records.record import Record, RecordError

CASES = [
    ("bent-y", 3, "BentY", "a1 c6 a12 b9"),
    ("star", 3, "Star", "a1 c5 a15 b10"),
    ("renkula", 2, "Renkula", "a1 d5 c10 b5"),
]
games = pytest.mark.parametrize(("game", "size", "code", "moves"), CASES)
by_game = pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])


def record(game: str, size: int, moves: str) -> Record:
    position = Position(make_board(game, size))
    first, *rest = moves.split()
    position.play(BLACK, position.board.cell(first))
    position.swap_pieces()
    for name in rest:
        position.play(position.to_play, position.board.cell(name))
    return Record.of(position)


@games
@pytest.mark.parametrize("format", ["sgf", "json", "moves"])
def test_round_trips(game: str, size: int, code: str, moves: str, format: str) -> None:  # noqa: A002
    written = write(record(game, size, moves), format)
    reading = read(written)
    assert (reading.format, reading.warnings) == (format, [])
    position = reading.record.position()
    assert (position.board.game, position.board.width) == (game, size)
    first, *rest = (position.board.cell(name) for name in moves.split())
    assert position.stones[first] == WHITE
    assert [position.stones[cell] for cell in rest] == [BLACK, WHITE, BLACK]
    assert position.history == record(game, size, moves).position().history
    if format == "sgf":
        assert f"GM[{code}]SZ[{size}]" in written


@by_game
def test_sgf_names_the_game(case: tuple[str, int, str, str]) -> None:
    game, size, code, _ = case
    for written in (code, code.upper(), code.lower()):
        reading = read(f"(;GM[{written}]SZ[{size}];B[a1];W[b2])")
        assert reading.record.board == make_board(game, size)
    usual = make_board(game, {"bent-y": 5, "star": 6, "renkula": 4}[game])
    assert read(f"(;GM[{code}];B[a1])").record.board == usual
    assert read("a1 b2 c4", notation=game).record.board == usual


def test_a_cell_of_renkula_is_read_by_either_name() -> None:
    reading = read("renkula 2: g1 d6 c6")
    assert write(reading.record, "moves") == "renkula 2: a1 d1 c6\n"
    again = read("(;GM[Renkula]SZ[2];B[a1];W[g1])")
    assert "a1 is occupied" in str(again.warnings[0])


@by_game
@pytest.mark.parametrize("format", sorted({*FORMATS} - {"sgf", "json", "moves"}))
def test_other_formats_refuse(case: tuple[str, int, str, str], format: str) -> None:  # noqa: A002
    game, size, _, moves = case
    with pytest.raises(RecordError):
        write(record(game, size, moves), format)


def test_impossible_sizes_are_refused() -> None:
    for text, reason in (
        ("(;GM[Star]SZ[20])", "size must be 2 to 19, not 20"),
        ("(;GM[Renkula]SZ[3:4])", "has one size"),
        ("bent-y 1: a1", "size must be 2 to 17, not 1"),
    ):
        with pytest.raises(RecordError, match=reason):
            read(text)
