"""The store of reviews: what is found in it, and what is not trusted."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import pytest

from trivalent.bot.player import Analysis, MoveAnalysis
from trivalent.bot.review.review_store import Proof, ReviewStore
from trivalent.bot.solver.result_database import StoreError
from trivalent.bot.solver.solved_store import SolvedStore
from trivalent.core.board import BLACK, WHITE
from trivalent.core.games import hex_board
from trivalent.core.position import Position

if TYPE_CHECKING:
    from pathlib import Path

MOVES = (MoveAnalysis(4, 10, 0.6, None, None, 0.3), MoveAnalysis(1, 0, 0.2, None, proven=False))
ANALYSIS = Analysis(20, 0.5, MOVES, (4, 2), (0.5,) * 9)


def position(*names: str) -> Position:
    made = Position(hex_board(3))
    for name in names:
        made.play(made.to_play, made.board.cell(name))
    return made


def test_analyses_are_found_by_position_question_and_effort(tmp_path: Path) -> None:
    with ReviewStore(tmp_path / "store") as store:
        store.put_analysis(position("a1"), "q", 100, ANALYSIS)
    with ReviewStore(tmp_path / "store") as store:
        assert store.analysis(position("a1"), "q", 100) == ANALYSIS
        assert store.analysis(position("a1"), "q", 200) is None
        assert store.analysis(position("a1"), "another", 100) is None
        assert store.analysis(position("a2"), "q", 100) is None


def test_proofs_count_for_every_larger_effort_and_failures_for_every_smaller(
    tmp_path: Path,
) -> None:
    proof = Proof(WHITE, 4, (1, 4), (4, 1))
    with ReviewStore(tmp_path / "store") as store:
        store.put_proof(position("a1"), "q", 100, Proof(None))
        store.put_proof(position("a1"), "q", 400, proof)
        assert [store.proof(position("a1"), "q", n) for n in (50, 100, 200, 400, 800)] == [
            Proof(None), Proof(None), None, proof, proof,
        ]  # fmt: skip


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE results SET result = replace(result, '0.6', '0.9')",
        "UPDATE results SET effort = 200",
        "UPDATE results SET digest = x'00'",
    ],
)
def test_damaged_rows_are_ignored(tmp_path: Path, change: str) -> None:
    with ReviewStore(tmp_path / "store") as store:
        store.put_analysis(position(), "q", 100, ANALYSIS)
    connection = sqlite3.connect(tmp_path / "store")
    with connection:
        connection.execute(change)
    connection.close()
    with ReviewStore(tmp_path / "store") as store:
        assert store.analysis(position(), "q", 100) is None
        assert store.analysis(position(), "q", 200) is None
        assert store.damaged


def test_other_files_are_left_untouched(tmp_path: Path) -> None:
    SolvedStore(tmp_path / "solved").close()
    (tmp_path / "text").write_text("no database at all, but long enough to be taken for one")
    for name in ("solved", "text"):
        before = (tmp_path / name).read_bytes()
        with pytest.raises(StoreError):
            ReviewStore(tmp_path / name)
        assert (tmp_path / name).read_bytes() == before


def test_colours_survive(tmp_path: Path) -> None:
    with ReviewStore(tmp_path / "store") as store:
        store.put_proof(position(), "q", 1, Proof(BLACK, None))
        assert store.proof(position(), "q", 1) == Proof(BLACK, None)
