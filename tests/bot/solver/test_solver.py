"""The solver agrees with exhaustive search on winners, winning moves and carriers."""

from __future__ import annotations

import random

import pytest
from exhaustive import given_away, some_stones, wins

from trivalent.bot import analyse
from trivalent.bot.solver import solver as solver_module
from trivalent.bot.solver._dfpn import Dfpn
from trivalent.bot.solver.solver import INFINITY, Progress, SolveLimits, Solver, SolveWatch, Stop
from trivalent.core.board import BLACK, Board, Colour
from trivalent.core.boards.bent_y import bent_y_board
from trivalent.core.boards.renkula import renkula_board
from trivalent.core.boards.star import star_board
from trivalent.core.games import hex_board, y_board
from trivalent.core.position import Position

HEX_OPENINGS = {
    1: "a1",
    2: "b1 a2",
    3: "c1 a2 b2 c2 a3",
    4: "d1 c2 b3 a4",
    5: "e1 b2 c2 d2 e2 b3 c3 d3 a4 b4 c4 d4 a5",
    6: "f1 b2 c2 d2 e2 f2 a3 b3 c3 d3 e3 f3 a4 b4 c4 d4 e4 f4 a5 b5 c5 d5 e5 a6",
    7: "g1 c2 e2 f2 g2 b3 c3 d3 e3 f3 a4 b4 c4 d4 e4 f4 g4 b5 c5 d5 e5 f5 a6 b6 c6 e6 a7",
}
"""Black's winning first moves."""

# Winning first moves by their distances to the three sides, sorted; from 7 on as first found here.
Y_OPENINGS = {
    2: {(0, 0, 1)},
    3: {(0, 1, 1)},
    5: {(1, 1, 2)},
    6: {(1, 2, 2)},
    7: {(1, 1, 4), (1, 2, 3), (2, 2, 2)},
    8: {(1, 2, 4), (2, 2, 3)},
}


def at(board: Board, stones: bytes | bytearray, to_play: int) -> Position:
    position = Position(board)
    for cell, stone in enumerate(stones):
        if stone:
            position.setup(cell, Colour(stone))
    position.to_play = Colour(to_play)
    return position


def check(solver: Solver, stones: bytes, to_play: int) -> None:
    """Compare everything that the solver says of a position with the truth."""
    board = solver.board
    truth = wins(board, stones, to_play)
    position = at(board, stones, to_play)
    solution = solver.solve(position)
    assert solution.winner == (to_play if truth else 3 - to_play), (board, stones, to_play)
    assert (solution.phi, solution.delta) == ((0, INFINITY) if truth else (INFINITY, 0))
    if position.winner is not None:
        assert solution.move is None
        return
    assert solution.move is not None
    assert stones[solution.move] == 0
    if truth:
        after = bytearray(stones)
        after[solution.move] = to_play
        assert not wins(board, bytes(after), 3 - to_play), (board, stones, to_play)
    assert all(stones[cell] == 0 for cell in solution.carrier)
    loser = 3 - solution.winner
    against = given_away(stones, solution.carrier, loser)
    assert wins(board, against, to_play) == truth, (board, stones, to_play, solution.carrier)


def check_moves(solver: Solver, stones: bytes, to_play: int) -> None:
    truth = {
        cell: not wins(
            solver.board, stones[:cell] + bytes([to_play]) + stones[cell + 1 :], 3 - to_play
        )
        for cell, stone in enumerate(stones)
        if not stone
    }
    assert solver.winning_moves(at(solver.board, stones, to_play)) == truth, (stones, to_play)


@pytest.mark.parametrize(
    "board",
    [hex_board(2), hex_board(2, 3), hex_board(3, 2), y_board(2), y_board(3), renkula_board(1)],
    ids=str,
)
def test_solver_is_right_in_every_position_of_the_smallest_boards(board: Board) -> None:
    solver = Solver(board, memory=1)
    for index in range(3 ** len(board)):
        stones = bytes(index // 3**cell % 3 for cell in range(len(board)))
        for to_play in (1, 2):
            check(solver, stones, to_play)
            check_moves(solver, stones, to_play)


RANDOM = [
    (hex_board(3), 9),
    (hex_board(3, 4), 10),
    (hex_board(4), 9),
    (hex_board(5), 9),
    (hex_board(6, 3), 9),
    (hex_board(9), 8),
    (hex_board(12), 7),
    (y_board(4), 10),
    (y_board(5), 9),
    (y_board(7), 8),
    (bent_y_board(2), 9),
    (bent_y_board(4), 9),
    (star_board(2), 9),
    (star_board(4), 8),
    (renkula_board(2), 9),
    (renkula_board(3), 8),
]


def test_a_position_in_which_all_moves_are_pruned() -> None:
    """After b3 every move of Black has a reply that makes it dead, so there's nothing to refute."""
    board = y_board(4)
    stones = bytearray(len(board))
    for name in ("a1", "a4", "d4"):
        stones[board.cell(name)] = 2
    check(Solver(board), bytes(stones), 2)


@pytest.mark.parametrize(
    "positions", [60, pytest.param(5000, marks=[pytest.mark.soak])], ids=["some", "many"]
)
@pytest.mark.parametrize(("board", "max_empty"), RANDOM, ids=str)
def test_solver_is_right_in_random_positions(board: Board, max_empty: int, positions: int) -> None:
    rng = random.Random(7)
    solver = Solver(board, memory=1)
    for number in range(positions):
        stones = some_stones(rng, board, max_empty)
        for to_play in (1, 2):
            check(solver, stones, to_play)
            if number % 5 == 0:
                check_moves(solver, stones, to_play)
        if number % 20 == 0:
            solver.clear()
    wins.cache_clear()


def openings(board: Board) -> dict[str, bool]:
    """Return whether each opening wins, one opening of each set of images."""
    solver = Solver(board, memory=16)
    found = {}
    for cell in range(len(board)):
        if cell == min(s.cells[cell] for s in board.symmetries if not s.swaps_colours):
            position = Position(board)
            position.play(BLACK, cell)
            found[board.names[cell]] = solver.solve(position).winner is BLACK
    return found


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 6, pytest.param(7, marks=pytest.mark.soak)])
def test_known_winning_openings_of_hex(size: int) -> None:
    found = openings(hex_board(size))
    assert found == {name: name in HEX_OPENINGS[size].split() for name in found}


@pytest.mark.parametrize("size", Y_OPENINGS)
def test_known_winning_openings_of_y(size: int) -> None:
    board = y_board(size)
    found = openings(board)
    for name, won in found.items():
        x, y = board.coordinates[board.cell(name)]
        assert won == (tuple(sorted((x, y - x, size - 1 - y))) in Y_OPENINGS[size]), name


@pytest.mark.parametrize("positions", [8, pytest.param(100, marks=pytest.mark.strength)])
def test_what_a_search_proves_the_solver_proves(positions: int) -> None:
    """In games of Y, wherever a short search finds the winner, the solver does so within a second.

    A second is more than 5,000 positions.
    """
    rng = random.Random(1)
    while positions > 0:
        board = y_board(rng.randint(7, 9))
        position = Position(board)
        for cell in rng.sample(range(len(board)), rng.randint(2, 4)):
            position.play(position.to_play, cell)
        solver = Solver(board, memory=4)
        while position.winner is None:
            found = analyse(position, nodes=500, net="none")
            best = found.moves[0]
            if best.proven is not None:
                positions -= 1
                solver.clear()
                winner = position.to_play if best.proven else position.to_play.opponent
                solution = solver.solve(position, SolveLimits(nodes=5000))
                assert solution.winner is winner, (position.stones, position.to_play)
            position.play(position.to_play, best.cell)


@pytest.mark.parametrize(
    ("board", "losing"),
    [
        (bent_y_board(2), ""),
        (star_board(2), ""),
        (renkula_board(1), ""),
        pytest.param(renkula_board(2), "a1", marks=pytest.mark.soak),
    ],
    ids=str,
)
def test_openings_of_boards_that_cannot_be_reduced(board: Board, losing: str) -> None:
    """All of them win, except in Renkula! 2: there the cells with five neighbours lose."""
    found = openings(board)
    assert found == {name: name not in losing.split() for name in found}


@pytest.mark.parametrize(
    ("width", "height"),
    [
        (3, 4),
        (4, 5),
        (5, 4),
        (5, 6),
        *(pytest.param(n, n + 1, marks=pytest.mark.soak) for n in (6, 7)),
    ],
)
def test_the_player_with_the_shorter_way_wins(width: int, height: int) -> None:
    """On boards of n by n + 1 the shorter way wins even if the other player begins."""
    position = Position(hex_board(width, height))
    shorter = BLACK if height < width else Colour.WHITE
    solver = Solver(position.board, memory=4)
    for to_play in (BLACK, Colour.WHITE):
        position.to_play = to_play
        assert solver.solve(position).winner is shorter


def test_all_winning_moves_of_an_empty_board() -> None:
    board = hex_board(4)
    wins = Solver(board, memory=4).winning_moves(Position(board))
    assert {board.names[cell] for cell, won in wins.items() if won} == set(HEX_OPENINGS[4].split())


def test_an_interrupted_search_resumes() -> None:
    """Many short searches come to the same result as a long one."""
    board = hex_board(6)
    position = Position(board)
    position.play(BLACK, board.cell("a3"))
    whole = Solver(board, memory=16).solve(position)
    assert whole.winner is BLACK
    solver = Solver(board, memory=16)
    work = 0
    for _ in range(1000):
        part = solver.solve(position, SolveLimits(nodes=100))
        assert part.work <= 100
        work += part.work
        if part.winner is not None:
            break
        assert part.move is None
        assert not part.carrier
        assert part.phi
        assert part.delta
    assert part.winner is BLACK
    assert work < 3 * whole.work


def test_threads_agree() -> None:
    """Threads that share a table come to the same answers, even if it's too small."""
    for memory in (1, 16):
        solver = Solver(hex_board(5), memory=memory, threads=3)
        for _ in range(3):
            solver.clear()
            for name in ("a1", "b2", "c2", "a5", "b4", "d1"):
                position = Position(solver.board)
                position.play(BLACK, solver.board.cell(name))
                solution = solver.solve(position)
                assert (solution.winner is BLACK) == (name in HEX_OPENINGS[5].split())
    board = hex_board(4)
    rng = random.Random(3)
    solver = Solver(board, memory=1, threads=2)
    for _ in range(40):
        check(solver, some_stones(rng, board, 9), rng.choice((1, 2)))


def test_stop_ends_a_search() -> None:
    position = Position(hex_board(11))
    stop = Stop()
    stop.set()
    solution = Solver(position.board, memory=1).solve(position, stop=stop)
    assert solution.winner is None
    assert solution.work <= 1


def test_progress_is_reported() -> None:
    board = hex_board(9)
    position = Position(board)
    stop = Stop()
    reports: list[Progress] = []

    def report(progress: Progress) -> None:
        reports.append(progress)
        if len(reports) == 3:
            stop.set()

    solution = Solver(board, memory=16).solve(position, stop=stop, watch=SolveWatch(0.02, report))
    assert solution.winner is None
    assert len(reports) == 3
    assert 0 < reports[0].work < reports[2].work
    assert reports[2].variation
    assert reports[2].phi
    assert reports[2].delta


def test_a_full_table_does_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small table forgets, but what it says stays right."""
    board = hex_board(6)
    monkeypatch.setattr(
        solver_module, "Dfpn", lambda *args, **kwargs: Dfpn(*args, **kwargs | {"memory": 10_000})
    )
    solver = Solver(board)
    assert solver.capacity == 312
    for cell in range(len(board)):
        position = Position(board)
        position.play(BLACK, cell)
        assert (solver.solve(position).winner is BLACK) == (
            board.names[cell] in HEX_OPENINGS[6].split()
        )
    assert 0.9 * solver.capacity < solver.entries <= solver.capacity  # some buckets have room
    solver.clear()
    assert solver.entries == 0


def test_memory_of_a_position() -> None:
    assert Solver(hex_board(8), memory=1).capacity == (1 << 20) // 32
    assert Solver(hex_board(9), memory=1).capacity == (1 << 20) // 40 // 4 * 4


def test_bounds_and_variation_come_from_the_table() -> None:
    board = hex_board(4)
    solver = Solver(board, memory=1)
    position = Position(board)
    assert solver.bounds(position) is None
    assert solver.children(position) == {}
    assert solver.pv(position) == ()
    solver.solve(position)
    assert solver.bounds(position) == (0, INFINITY)
    children = solver.children(position)
    assert all(
        bounds != (0, INFINITY) or board.names[cell] in HEX_OPENINGS[4].split()
        for cell, bounds in children.items()
    )
    line = solver.pv(position)
    assert line == () or board.names[line[0]] in HEX_OPENINGS[4].split()


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="more than 256 cells"):
        Solver(hex_board(17))
    with pytest.raises(ValueError, match="memory must be at least 1 MiB, not 0"):
        Solver(hex_board(3), memory=0)
    with pytest.raises(ValueError, match="threads must be at least 1, not 0"):
        Solver(hex_board(3), threads=0)
    solver = Solver(hex_board(3), memory=1)
    with pytest.raises(ValueError, match="the solver is for 3x3 Hex, the position is on 4x4 Hex"):
        solver.solve(Position(hex_board(4)))
    with pytest.raises(ValueError, match="nodes must not be negative"):
        SolveLimits(nodes=-1)
    with pytest.raises(ValueError, match="seconds must not be negative"):
        SolveLimits(seconds=float("nan"))
    with pytest.raises(MemoryError, match="no room for a table"):
        Solver(hex_board(3), memory=1 << 40)
