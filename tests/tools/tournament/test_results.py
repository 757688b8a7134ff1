"""Decided games count once, pairs when complete, repetitions separately."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from trivalent.core.games import hex_board, y_board
from trivalent.tools.statistics.pairs import Pairs
from trivalent.tools.tournament import results
from trivalent.tools.tournament.model import Ending, Game, Opening, Record
from trivalent.tools.tournament.results import Ledger, Repetitions

if TYPE_CHECKING:
    from trivalent.core.board import Board


def game(number: str, black: str, white: str, opening: str = "a1") -> Game:
    pair = f"{min(black, white)}-{max(black, white)}-{number}"
    return Game(f"{pair}-{black}", pair, 1, black, white, Opening(opening, (opening,)), (1, 2))


def record(
    of: Game, winner: str, moves: tuple[str, ...] = (), ending: Ending = Ending.CONNECTION
) -> Record:
    unique = moves or tuple(f"{of.id} {n}" for n in range(3))
    return Record(of.id, 1, ending, winner, "", "", unique, (0.0,) * len(unique), 0.0, 1.0)


def test_a_pair_is_complete_with_its_second_game() -> None:
    ledger = Ledger(hex_board(3))
    first, second = game("1", "zoe", "ada"), game("1", "ada", "zoe")
    assert ledger.add(first, record(first, "zoe")) is None
    assert ledger.between("ada", "zoe") == Pairs()
    pair = ledger.add(second, record(second, "zoe"))
    assert pair is not None
    assert pair.engines == ("ada", "zoe")
    assert (pair.wins_of("zoe"), pair.wins_of("ada")) == (2, 0)
    assert (pair.opening, pair.round, pair.repeat) == ("a1", 1, False)
    assert ledger.between("zoe", "ada") == Pairs(ww=1)
    assert ledger.between("ada", "zoe") == Pairs(ll=1)
    assert [(o.winner, o.loser, o.first) for o in ledger.outcomes] == [
        ("zoe", "ada", "zoe"),
        ("zoe", "ada", "ada"),
    ]


def test_void_and_late_records_do_not_count() -> None:
    ledger = Ledger(hex_board(3))
    first, second = game("1", "a", "b"), game("1", "b", "a")
    void = replace(record(first, ""), ending=Ending.OVERLOAD)
    assert ledger.add(first, void) is None
    assert ledger.outcomes == []
    ledger.add(first, replace(record(first, "a"), attempt=2))
    ledger.add(first, record(first, "b"))  # a second result from a worker thought lost
    ledger.add(second, record(second, "a"))
    ledger.add(second, record(second, "b"))
    assert ledger.between("a", "b") == Pairs(ww=1)


def test_forfeits_count() -> None:
    ledger = Ledger(hex_board(3))
    for one in (game("1", "a", "b"), game("1", "b", "a")):
        ledger.add(one, record(one, "a", ending=Ending.CRASH))
    assert ledger.between("a", "b") == Pairs(ww=1)


HEX = ("a1", "swap-pieces", "b2", "c3", "resign")


@pytest.mark.parametrize(
    ("board", "moves", "again", "repeats"),
    [
        (hex_board(3), HEX, HEX, True),
        (hex_board(3), HEX, ("c3", "swap-pieces", "b2", "a1", "resign"), True),  # rotated
        (
            hex_board(3),
            ("a2", "b1"),
            ("b1", "a2"),
            False,
        ),  # mirrored: this would exchange the colours
        (hex_board(3), ("a2", "b1"), ("a2", "b1", "c1"), False),
        (y_board(3), ("a1", "b3", "b2"), ("a3", "b2", "a2"), True),
        (y_board(3), ("a1", "b3", "b2"), ("a2", "b3", "b2"), False),
    ],
)
def test_repetitions(
    board: Board, moves: tuple[str, ...], again: tuple[str, ...], repeats: bool
) -> None:
    ledger = Ledger(board)
    for number, its_moves in (("1", moves), ("2", again)):
        for one in (game(number, "a", "b"), game(number, "b", "a")):
            ledger.add(one, record(one, "a", its_moves))
    assert [pair.repeat for pair in ledger.pairs] == [False, repeats]
    assert ledger.between("a", "b") == Pairs(ww=1 if repeats else 2)
    assert ledger.repeats == (2 if repeats else 0)


def test_other_engines_do_not_repeat() -> None:
    ledger = Ledger(hex_board(3))
    for black, white in (("a", "b"), ("b", "a"), ("a", "c"), ("c", "a")):
        one = game("1", black, white)
        ledger.add(one, record(one, "a", HEX))
    assert ledger.repeats == 0


def test_a_pair_with_one_new_game_counts() -> None:
    ledger = Ledger(hex_board(3))
    for number in ("1", "2"):
        one, other = game(number, "a", "b"), game(number, "b", "a")
        ledger.add(one, record(one, "a", HEX))
        ledger.add(other, record(other, "b", ("a1", number)))
    assert [pair.repeat for pair in ledger.pairs] == [False, False]
    assert ledger.repeats == 1


def test_repetitions_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "_BUFFER_SIZE", 4)
    repetitions = Repetitions(hex_board(5))
    one = game("1", "a", "b")
    games = [(first, second) for first in ("a1", "b1", "c1") for second in ("a2", "b3", "c4", "d4")]
    chance = random.Random(1)
    known = set()
    for moves in chance.choices(games, k=100):
        assert repetitions.add(one, record(one, "a", moves)) == (moves in known)
        known.add(moves)
    assert not repetitions.add(one, record(one, "b", games[0]))
    assert repetitions.add(one, record(one, "a", ("e5", "e4")))  # a1 a2, rotated
