"""The benchmark of connection tests: the tests check its results, not its times."""

import pytest
from instruction_sets import InstructionSet

from trivalent.core._random import Random
from trivalent.core.board import Board
from trivalent.core.games import REDUCED_GAMES, make_board
from trivalent.core.position import Position
from trivalent.tools.benchmarks import _bench, bench_plot, measure_connection
from trivalent.tools.benchmarks.measure_connection import METHODS, MODES, ConnectionPlan, methods

QUICK_SIGNATURE = "be8a208e"
"""Of ``trivalent bench --quick`` on every machine; another one means that a result has changed."""


def checksum(results: list[int]) -> int:
    value = 0xCBF29CE484222325
    for result in results:
        value = (value ^ result) * 0x100000001B3 % 2**64
    return value


def replay(board: Board, order: memoryview) -> tuple[int, int]:
    """Return whether Black wins the game and in how many moves, by the rules alone."""
    position = Position(board)
    while not position.winner:
        position.play(position.to_play, order[len(position.history)])
    return int(position.winner == 1), len(position.history)


@pytest.mark.parametrize("game", REDUCED_GAMES)
@pytest.mark.parametrize("size", [1, 2, 3, 4, 6, 11, 17, 33])
def test_every_method_gives_the_results_of_the_rules(game: str, size: int) -> None:
    board = make_board(game, size)
    games, cells = 40 if size < 30 else 4, len(board)  # 40: more than the kernels test at once
    orders = _bench.orders(cells, games, Random(size))
    numbers = memoryview(orders).cast("h")
    results = [replay(board, numbers[i * cells : (i + 1) * cells]) for i in range(games)]
    black_won = checksum([won for won, _ in results])
    lengths = checksum([length for _, length in results])
    replayer = _bench.Replayer(board)
    for method in methods("per-game"):
        assert replayer.time_set(method, every_move=False, orders=orders)[2:] == (
            games * cells,
            black_won,
        )
    moves = sum(length for _, length in results)
    for method in methods("per-move"):
        assert replayer.time_set(method, every_move=True, orders=orders)[2:] == (moves, lengths)


def test_more_than_a_block_of_games() -> None:
    board = make_board("y", 4)
    replayer = _bench.Replayer(board)
    orders = _bench.orders(len(board), 1030, Random(1))
    names = methods("per-game")
    checksums = {replayer.time_set(m, every_move=False, orders=orders)[3] for m in names}
    assert len(checksums) == 1
    # Games don't influence each other: the last ones alone give the same results.
    last = orders[2 * len(board) * 1020 :]
    checksums = {replayer.time_set(m, every_move=False, orders=last)[3] for m in names}
    assert len(checksums) == 1


def test_orders_are_reproducible_permutations() -> None:
    orders = memoryview(_bench.orders(9, 5, Random(3))).cast("h").tolist()
    games = [orders[i : i + 9] for i in range(0, 45, 9)]
    assert all(sorted(game) == list(range(9)) for game in games)
    assert len({tuple(game) for game in games}) == 5
    assert _bench.orders(9, 5, Random(3)) == _bench.orders(9, 5, Random(3))
    for cells, count in ((0, 5), (63 * 63 + 1, 5), (9, 0)):
        with pytest.raises(ValueError, match="no orders"):
            _bench.orders(cells, count, Random(3))


def test_invalid_methods_and_orders_are_refused() -> None:
    replayer = _bench.Replayer(make_board("hex", 3))
    orders = bytes(_bench.orders(9, 2, Random(1)))
    for method, every_move, wrong, message in (
        ("bpr-in-place", True, orders, "unknown method"),
        ("bpr-in-place", False, orders, "unknown method"),
        ("bpr-registers", True, orders, "unknown method"),
        ("bpr-sliced", True, orders, "unknown method"),
        ("bpr", True, orders[:-1], "not whole games"),
        ("bpr", True, b"", "not whole games"),
        ("bpr", True, b"\x09\x00" + orders[2:], "no cell 9"),
        ("bpr", False, b"\xff\xff" + orders[2:], "no cell -1"),
    ):
        with pytest.raises(ValueError, match=message):
            replayer.time_set(method, every_move, wrong)


def test_a_method_with_other_results_is_named() -> None:
    checksums = dict.fromkeys(METHODS, 7)
    assert measure_connection.agreed(checksums, "3x3 Hex") == 7
    with pytest.raises(RuntimeError, match=r"of BPR\+ differ .* on 3x3 Hex"):
        measure_connection.agreed(checksums | {"bpr+": 8}, "3x3 Hex")


def test_the_signature_depends_on_the_games_but_not_on_the_methods() -> None:
    plan = ConnectionPlan(sizes=(4, 5), sets=2, games=30)
    calls: list[None] = []
    rows, signature = measure_connection.measure_connection_tests(plan, lambda: calls.append(None))
    assert len(calls) == 2 * 2 * 2
    assert len(rows) == 2 * 2 * (len(methods("per-game")) + len(methods("per-move")))
    for other in (
        ConnectionPlan(sizes=(4,), sets=2, games=30),
        ConnectionPlan(sizes=(4, 5), sets=3, games=30),
        ConnectionPlan(sizes=(4, 5), sets=2, games=31),
        ConnectionPlan(sizes=(4, 5), sets=2, games=30, seed=2),
    ):
        assert measure_connection.measure_connection_tests(other)[1] != signature
    assert (
        measure_connection.measure_connection_tests(
            ConnectionPlan((4, 5), 2, 30, methods=("bpr+", "path"))
        )[1]
        == signature
    )


def test_large_boards_get_fewer_games() -> None:
    sizes = (1, 11, 12, 19, 63)
    assert [ConnectionPlan().games_per_set(n, "per-move") for n in sizes] == [
        1024,
        1024,
        723,
        115,
        10,
    ]
    assert [ConnectionPlan().games_per_set(n, "per-game") for n in sizes] == [
        1024,
        1024,
        1024,
        1024,
        512,
    ]
    assert {ConnectionPlan(games=5).games_per_set(63, mode) for mode in MODES} == {5}


def test_the_methods_of_each_mode() -> None:
    assert methods("per-game") == tuple(METHODS)
    assert set(METHODS) - set(methods("per-move")) == {"bpr-registers", "bpr-sliced"}
    assert set(bench_plot.STYLES) == set(METHODS)


def test_the_figures_of_the_paper() -> None:
    assert {mode for mode, _, _ in measure_connection.PAPER} == set(MODES)
    for figures in measure_connection.PAPER.values():
        assert len(figures) == len(measure_connection.PAPER_SIZES)
        assert list(figures) == sorted(figures)
    assert measure_connection.paper_ms("hex", 11, "per-game", "bpr") == 3.16
    assert measure_connection.paper_ms("hex", 11, "per-game", "bpr-registers") == 3.16
    assert measure_connection.paper_ms("hex", 11, "per-game", "bpr-sliced") is None
    assert measure_connection.paper_ms("y", 19, "per-move", "bpr+") == 342.5
    assert measure_connection.paper_ms("hex", 11, "per-move", "bpr") is None
    assert measure_connection.paper_ms("hex", 10, "per-move", "uf") is None


def test_times_are_those_of_the_least_disturbed_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    """One set in ten is undisturbed; its microseconds per move are known."""
    tested = {"wqhuf": 5e-6, "bpr-sliced": 9e-6, "bpr+": 4e-6}
    untested = {"wqhuf": 1e-6, "bpr-sliced": 7e-6, "bpr+": 3e-6}
    calls = dict.fromkeys(tested, 0)

    class Replayer:
        def __init__(self, _: Board) -> None: ...

        def time_set(
            self, method: str, *, every_move: bool, orders: bytes
        ) -> tuple[float, float, int, int]:
            del every_move, orders
            calls[method] += 1
            disturbed = 1.0 if calls[method] % 10 else 0.0
            return tested[method] * 1e3 + disturbed, untested[method] * 1e3 + disturbed, 1000, 7

    monkeypatch.setattr(_bench, "Replayer", Replayer)
    monkeypatch.setattr(measure_connection, "REPEATS", 1)
    rows, _ = measure_connection.measure_connection_tests(
        ConnectionPlan((3,), 20, 1, methods=tuple(tested))
    )
    ns = {row.method: row.ns_per_move for row in rows if row.mode == "per-game"}
    # All methods but the bit-sliced one share the best time of moves without tests.
    assert ns == pytest.approx({"wqhuf": 4000.0, "bpr-sliced": 2000.0, "bpr+": 3000.0})
    speedups = {row.method: row.speedup for row in rows if row.mode == "per-game"}
    assert speedups["bpr-sliced"] == pytest.approx(2.0)


def test_the_quick_signature_on_every_instruction_set(isa: InstructionSet) -> None:
    program = (
        "from trivalent.core._isa import chosen as isa\n"
        "from trivalent.tools.benchmarks import measure_connection as bench\n"
        "plan = bench.ConnectionPlan(sets=bench.QUICK_SETS, methods=('bpr-registers', 'bpr+'))\n"
        "print(isa(), bench.measure_connection_tests(plan)[1])\n"
    )
    assert isa.run("-c", program).split() == [isa.name, QUICK_SIGNATURE]
