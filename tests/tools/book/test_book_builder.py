"""Building books: right on solved boards, resumable, by one builder at a time."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from books import Here, build, content, settings
from gtp_session import FakePlayer

from trivalent.bot.book.book_file import BookFile
from trivalent.bot.book.book_parameters import BookError
from trivalent.bot.book.book_positions import Stones, canonical, stones_of
from trivalent.bot.book.opening_book import OpeningBook
from trivalent.bot.players import solved_openings
from trivalent.bot.solver.result_database import FallibleStore
from trivalent.bot.solver.solved_store import SolvedStore
from trivalent.bot.solver.solver import Solver
from trivalent.bot.solver.stored_solver import StoredSolver
from trivalent.core.position import Position
from trivalent.tools.book import book_builder, evaluation
from trivalent.tools.book.book_builder import BookBuilder
from trivalent.tools.book.book_checks import check
from trivalent.tools.book.evaluation import (
    Estimate,
    EvaluationError,
    Evaluator,
    Question,
    evaluate,
    solved_answer,
)
from trivalent.tools.book.evaluation_workers import local_workers

if TYPE_CHECKING:
    from trivalent.bot.book.book_file import BookSettings


def wrong_signs(path: Path) -> list[str]:
    """Return the openings whose value is on the wrong side of a half."""
    with BookFile.read(path) as file:
        board, opening = file.board, OpeningBook.of(file)
        moves = opening.moves(Position(board))
        assert len(moves) == len(board)
        return [
            board.names[move.cell]
            for move in moves
            if (move.value > 0.5) is not solved_openings.wins(board, move.cell)
        ]


@pytest.mark.parametrize(
    ("about", "expansions"),
    [
        (settings("hex", 4, nodes=1), 200),
        (settings("hex", 3, player="uct", nodes=300), 200),
        (settings("hex", 5, nodes=30), 100),
        (settings("y", 4, nodes=1), 200),
        (settings("y", 5, nodes=30), 100),
        pytest.param(settings("hex", 6, nodes=100), 2000, marks=pytest.mark.soak),
        pytest.param(settings("y", 6, nodes=100), 2000, marks=pytest.mark.soak),
    ],
    ids=lambda about: f"{about.game}-{about.columns}-{about.player}"
    if hasattr(about, "game") else "",
)  # fmt: skip
def test_solved_boards(about: BookSettings, expansions: int, tmp_path: Path) -> None:
    """The map of first moves has no wrong sign, and no proof is wrong."""
    path = tmp_path / "solved.book"
    build(path, about, expansions)
    assert wrong_signs(path) == []
    with BookFile.read(path) as file:
        found = check(file, 100.0)
        proven = sum(entry.proven is not None for entry in file.entries())
    assert found.faults == ()
    assert found.confirmed == proven
    if about.player == "mcts":
        assert proven > 5


def test_what_a_store_has_solved_is_not_evaluated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    about = settings(nodes=1)
    asked: list[Question] = []

    def evaluated(_: Evaluator, questions: tuple[Question, ...]) -> list[Estimate]:
        asked.extend(questions)
        return [Estimate(None, 0.5, proof=None) for _ in questions]

    monkeypatch.setattr(book_builder, "evaluate", evaluated)
    with SolvedStore(tmp_path / "solved.db") as store:
        solver = StoredSolver(about.board, store, memory=4)
        for cell in range(len(about.board)):
            solver.solve(Stones().after(cell).position(about.board))
        path = tmp_path / "solved.book"
        assert not build(path, about, store=FallibleStore(store))
    assert asked == []
    assert wrong_signs(path) == []
    with BookFile.read(path) as file:
        assert check(file, 100.0).faults == ()
        board = file.board
        for cell in range(len(board)):
            name, _ = canonical(board, Stones().after(cell))
            assert next(e for e in file.entries() if e.name == name).proven is not None


def test_a_store_answers_only_what_it_knows(tmp_path: Path) -> None:
    about = settings(nodes=1)
    board, evaluator = about.board, Evaluator.of(about)
    won, lost = Stones().after(board.cell("a1")), Stones().after(board.cell("a4"))
    with SolvedStore(tmp_path / "solved.db") as solved:
        store = FallibleStore(solved)
        assert solved_answer(evaluator, Question(won), store) is None
        solver = StoredSolver(board, solved, memory=4)
        move = solver.solve(won.position(board)).move
        solver.solve(lost.position(board))
        assert move is not None
        assert solved_answer(evaluator, Question(won), store) == Estimate(move, 1.0, proof=True)
        # Whether another move wins isn't known; that none does, is.
        assert solved_answer(evaluator, Question(won, frozenset([move])), store) is None
        answer = solved_answer(evaluator, Question(lost, frozenset([0])), store)
        assert answer == Estimate(None, 0.0, proof=False)


def test_all_that_a_small_book_claims_is_true(tmp_path: Path) -> None:
    """Every proof of a book for 4x4, of positions and of drop-out moves, by the solver."""
    path = tmp_path / "four.book"
    build(path, settings(nodes=1))
    with BookFile.read(path) as file:
        solver = Solver(file.board, memory=4)
        entries = list(file.entries())
        known = {entry.name for entry in entries}
        for entry in entries:
            stones = stones_of(file.board, entry.name)
            position = stones.position(file.board)
            wins = solver.winning_moves(position)
            if entry.proven is not None:
                assert any(wins.values()) is entry.proven
            if entry.proof:
                assert wins[file.board.cell(entry.move)]
            if entry.proof is False and entry.name != "b /":
                outside = {
                    cell
                    for cell in wins
                    if canonical(file.board, stones.after(cell))[0] not in known
                }
                inside = [wins[cell] for cell in wins.keys() - outside]
                assert any(inside) or not any(wins[cell] for cell in outside)


def test_building_goes_on_where_it_stopped(tmp_path: Path) -> None:
    about = settings("hex", 7, nodes=8)
    build(tmp_path / "whole.book", about, 24)
    for seed in range(2):
        path = tmp_path / f"pieces{seed}.book"
        chance, done = random.Random(seed), 0
        while done < 24:
            step = min(24 - done, chance.randint(1, 9))
            assert build(path, about, step)
            done += step
        assert content(path) == content(tmp_path / "whole.book")


def test_several_processes_make_a_sound_book(tmp_path: Path) -> None:
    path = tmp_path / "book"
    with (
        BookBuilder.open(path, settings("hex", 6, nodes=5)) as builder,
        local_workers(2) as workers,
    ):
        assert builder.build(workers, 2, stops=lambda done: done >= 25, report=lambda _: None)
        assert len(builder.graph.nodes) >= 40
    with BookFile.read(path) as file:
        assert check(file, 0.0).faults == ()


def test_a_second_builder_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "book"
    with BookBuilder.open(path, settings()):
        with pytest.raises(BookError, match=f"being written by process {os.getpid()} on"):
            BookBuilder.open(path, settings())
        assert content(path) == []
    with BookBuilder.open(path):
        pass


def test_a_book_may_be_read_while_it_is_built(tmp_path: Path) -> None:
    path = tmp_path / "book"
    sizes = []
    with BookBuilder.open(path, settings()) as builder:
        builder.build(
            Here(), 1, stops=lambda _: False, report=lambda _: sizes.append(len(content(path)))
        )
    assert sizes[0] == 2  # the first opening, and the root
    assert sizes == sorted(sizes)


def test_games_are_added(tmp_path: Path) -> None:
    path = tmp_path / "book"
    line = [Stones().after(0), Stones().after(0).after(12), Stones().after(0).after(12).after(7)]
    with BookBuilder.open(path, settings("hex", 5)) as builder:
        builder.build(
            Here(), 1, stops=lambda _: False, report=lambda _: None, additions=line, expands=False
        )
        assert all(builder.graph.find(stones) for stones in line)
        assert len(builder.graph.nodes) == 1 + 13 + 2
    with BookFile.read(path) as file:
        assert check(file, 10.0).faults == ()


def test_the_cells_to_avoid_are_avoided() -> None:
    evaluator = Evaluator.of(settings("hex", 5, nodes=50))
    first, *_ = evaluate(evaluator, (Question(Stones()),))
    seen: set[int] = set()
    for _ in range(25):
        (found,) = evaluate(evaluator, (Question(Stones(), frozenset(seen)),))
        if found.move is None:
            break
        assert found.move not in seen
        seen.add(found.move)
    assert first.move in seen
    assert found == Estimate(None, 0.0, proof=False)


def test_an_evaluation_depends_on_nothing_but_the_position() -> None:
    evaluator = Evaluator.of(settings("hex", 7, nodes=60))
    questions = [Question(Stones().after(cell)) for cell in (24, 3, 24, 10, 24)]
    found = evaluate(evaluator, tuple(questions))
    assert found[0] == found[2] == found[4]


def test_players_that_do_not_analyse_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(evaluation, "_player", lambda _: FakePlayer())
    with pytest.raises(EvaluationError, match="does not evaluate its moves"):
        evaluate(Evaluator.of(settings()), (Question(Stones()),))


def test_workers_end_with_their_parent(tmp_path: Path) -> None:
    """A killed builder leaves no process behind."""
    words = [
        str(Path(sys.executable).parent / "trivalent"), "book", "build", str(tmp_path / "b"),
        "--size", "11", "--seconds", "100", "--processes", "2",
    ]  # fmt: skip
    with subprocess.Popen(words, stdout=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdout
        wait_for(lambda: len(_children(process.pid)) >= 2)
        children = _children(process.pid)
        process.kill()
    wait_for(lambda: not any(Path(f"/proc/{child}").exists() for child in children))


def wait_for(condition: object) -> None:
    end = time.monotonic() + 60
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < end
        time.sleep(0.05)


def _children(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
