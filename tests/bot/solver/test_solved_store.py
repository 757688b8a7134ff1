"""The store of solved positions remembers, and never says what wasn't put into it."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from trivalent.bot.solver.solved_store import Solved, SolvedStore, StoreError
from trivalent.bot.solver.stored_solver import make_solver
from trivalent.core.board import BLACK, WHITE, Board
from trivalent.core.games import hex_board, y_board
from trivalent.core.position import Position

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def some_position(rng: random.Random, board: Board) -> Position:
    position = Position(board)
    for cell in rng.sample(range(len(board)), rng.randint(0, len(board) // 2)):
        position.play(position.to_play, cell)
    return position


def something(rng: random.Random, position: Position) -> Solved:
    move = rng.choice([None, *position.empty_cells])
    return Solved(rng.choice((BLACK, WHITE)), move, rng.randint(0, 10**12))


def image(position: Position, solved: Solved, number: int) -> tuple[Position, Solved]:
    """Return a position and its solution under a symmetry of the board."""
    symmetry = position.board.symmetries[number]
    turned = Position(position.board)
    for cell, stone in enumerate(position.stones):
        colour = (None, BLACK, WHITE)[stone]
        if colour:
            turned.setup(
                symmetry.cells[cell], colour.opponent if symmetry.swaps_colours else colour
            )
    turned.to_play = position.to_play.opponent if symmetry.swaps_colours else position.to_play
    return turned, Solved(
        solved.winner.opponent if symmetry.swaps_colours else solved.winner,
        None if solved.move is None else symmetry.cells[solved.move],
        solved.work,
    )


@pytest.mark.parametrize("board", [hex_board(4), hex_board(3, 5), y_board(4)])
def test_images_share_a_row(board: Board, tmp_path: Path) -> None:
    rng = random.Random(1)
    for _ in range(20):
        position = some_position(rng, board)
        solved = something(rng, position)
        with SolvedStore(tmp_path / "solved.db") as store:
            store.put(*image(position, solved, rng.randrange(len(board.symmetries))))
        with SolvedStore(tmp_path / "solved.db") as store:
            found = store.get(position)
            assert found is not None
            assert (found.winner, found.work) == (solved.winner, solved.work)
            # In a position that is its own image, several moves have the same name.
            images = [image(position, solved, n) for n in range(len(board.symmetries))]
            assert found in [
                again
                for turned, again in images
                if (turned.stones, turned.to_play) == (position.stones, position.to_play)
            ]


def test_other_positions_are_not_found(tmp_path: Path) -> None:
    position = Position(hex_board(3))
    with SolvedStore(tmp_path / "solved.db") as store:
        assert store.get(position) is None
        store.put(position, Solved(BLACK, 4, 1))
        for other in (Position(hex_board(4)), Position(y_board(3)), Position(hex_board(3, 4))):
            assert store.get(other) is None
        position.play(BLACK, 0)
        assert store.get(position) is None
        position.undo()
        position.to_play = WHITE  # the image of Black to move
        assert store.get(position) == Solved(WHITE, 4, 1)


def rows(path: Path) -> Iterator[tuple[str, str, str, int, bytes]]:
    connection = sqlite3.connect(path)
    yield from connection.execute("SELECT * FROM solved").fetchall()
    connection.close()


@pytest.mark.parametrize(
    "change",
    ["winner = 'white'", "winner = 'x'", "move = ''", "move = 'a1'", "move = 'zz9'", "work = 7",
     "digest = x'00'", "position = 'hex 3x3 black 000000001'"],
)  # fmt: skip
def test_changed_rows_are_ignored(change: str, tmp_path: Path) -> None:
    path = tmp_path / "solved.db"
    position = Position(hex_board(3))
    with SolvedStore(path) as store:
        store.put(position, Solved(BLACK, 4, 1))
    connection = sqlite3.connect(path)
    connection.execute(f"UPDATE solved SET {change}")  # noqa: S608
    connection.commit()
    connection.close()
    if change.startswith("position"):
        position.play(BLACK, 0)
        position.to_play = BLACK
    with SolvedStore(path) as store:
        assert store.get(position) is None
        assert store.damaged == 1
        store.put(position, Solved(BLACK, 4, 1))
        assert store.get(position) == Solved(BLACK, 4, 1)


def test_a_damaged_file_never_says_anything_wrong(tmp_path: Path) -> None:
    rng = random.Random(2)
    good, bad = tmp_path / "good.db", tmp_path / "bad.db"
    board = hex_board(5)
    positions = [some_position(rng, board) for _ in range(60)]
    with SolvedStore(good) as store:
        for position in positions:
            store.put(position, something(rng, position))
        truth = [(position, store.get(position)) for position in positions]
    content = good.read_bytes()
    for kind in range(60):
        damaged = bytearray(content)
        for _ in range(rng.choice((1, 10, 300))):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        if kind % 4 == 0:
            del damaged[rng.randrange(len(damaged)) :]
        bad.write_bytes(damaged)
        try:
            with SolvedStore(bad) as store:
                for position, solved_before in truth[::3]:
                    assert store.get(position) in (None, solved_before)
        except StoreError as error:
            assert str(error).startswith(str(bad))  # noqa: PT017


def test_files_of_other_programs_are_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    path.write_text("no database " * 99)
    with pytest.raises(StoreError, match="file is not a database"):
        SolvedStore(path)
    assert path.read_text() == "no database " * 99
    path.unlink()
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE solved (position TEXT, winner TEXT)")
    connection.commit()
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="is not a store of solved positions"):
        SolvedStore(path)
    assert path.read_bytes() == before
    with pytest.raises(StoreError, match="unable to open"):
        SolvedStore(tmp_path)


def put_all(store: SolvedStore, positions: list[Position]) -> None:
    for position in positions:
        store.put(position, Solved(BLACK, None, 1))


def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    with SolvedStore(tmp_path / "solved.db") as store:
        store.put(Position(hex_board(3)), Solved(BLACK, 4, 1))
        store.connection.execute("PRAGMA max_page_count = 3")
        rng = random.Random(3)
        more = [some_position(rng, hex_board(8)) for _ in range(200)]
        with pytest.raises(StoreError, match="full"):
            put_all(store, more)
        assert store.get(Position(hex_board(3))) == Solved(BLACK, 4, 1)


def test_two_processes_may_share_a_store(tmp_path: Path) -> None:
    position = Position(hex_board(3))
    with SolvedStore(tmp_path / "a.db") as one, SolvedStore(tmp_path / "a.db") as other:
        one.put(position, Solved(BLACK, 4, 1))
        assert other.get(position) == Solved(BLACK, 4, 1)
        other.put(position, Solved(BLACK, 4, 2))
        assert one.get(position) == Solved(BLACK, 4, 2)


WRITER = """
import sys
from pathlib import Path
from trivalent.bot.solver.solved_store import Solved, SolvedStore
from trivalent.bot.solver.stored_solver import make_solver
from trivalent.core.board import BLACK
from trivalent.core.games import hex_board
from trivalent.core.position import Position

path, number = Path(sys.argv[1]), int(sys.argv[2])
with SolvedStore(path) as store:
    sys.stdin.read(1)
    for cell in range(64):
        position = Position(hex_board(8))
        position.play(BLACK, cell)
        for other in range(number, 64, 2):  # the two writers have every first move in common
            if other != cell:
                after = position.copy()
                after.play(after.to_play, other)
                store.put_all([(after, Solved(BLACK, None, 1)), (position, Solved(BLACK, None, 1))])
                break
"""


def test_two_writers_at_once(tmp_path: Path) -> None:
    path = tmp_path / "solved.db"
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, path, str(number)],
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for number in range(2)
    ]
    for writer in writers:
        assert writer.stdin
        writer.stdin.write(b"x")
        writer.stdin.flush()
    assert [writer.communicate()[1] for writer in writers] == [b"", b""]
    with SolvedStore(path) as store:
        for cell in range(64):
            position = Position(hex_board(8))
            position.play(BLACK, cell)
            assert store.get(position)
            for number in range(2):
                after = position.copy()
                after.play(WHITE, number if cell != number else number + 2)
                assert store.get(after)
        assert store.damaged == 0


def test_a_result_without_a_move_replaces_only_a_wrong_one(tmp_path: Path) -> None:
    position = Position(hex_board(3))
    with SolvedStore(tmp_path / "a.db") as store:
        store.put(position, Solved(BLACK, 4, 9))
        store.put(position, Solved(BLACK, None, 0))
        assert store.get(position) == Solved(BLACK, 4, 9)
        store.put(position, Solved(WHITE, None, 0))
        assert store.get(position) == Solved(WHITE, None, 0)


def test_a_solver_with_a_store(tmp_path: Path) -> None:
    """What one solver has solved, another knows at once; a broken store does no harm."""
    board = hex_board(4)
    position = Position(board)
    with SolvedStore(tmp_path / "a.db") as store:
        first = make_solver(board, store, memory=1)
        wins = first.winning_moves(position)
        solution = first.solve(position)
        second = make_solver(board, store, memory=1)
        again = second.solve(position)
        assert (again.winner, again.move, again.work) == (BLACK, solution.move, 0)
        assert again.carrier == set(range(16))
        assert second.winning_moves(position) == wins
        assert second.entries == 0
    closed = make_solver(board, store, memory=1)
    assert closed.solve(position).winner is BLACK
    assert closed.winning_moves(position) == wins
    assert str(closed.store_failure).startswith(f"{tmp_path / 'a.db'} cannot be used: ")
