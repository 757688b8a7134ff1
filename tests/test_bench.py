"""The benchmark: what it measures is checked, how fast that goes is not."""

import argparse
import json
import os
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from trivalent.core._isa import available as available_isas
from trivalent.core._isa import chosen as isa
from trivalent.core._playout import Random
from trivalent.core._references import graph
from trivalent.core._triangle import triangle
from trivalent.core.board import GAMES, Board, make_board
from trivalent.core.position import Position
from trivalent.tools import _bench, bench, measure
from trivalent.tools.measure import METHODS, MODES, Plan

QUICK_SIGNATURE = "d501e3a4"
"""Of ``trivalent bench --quick``, on every machine.  A new one means that a result has changed."""

TINY = ["--sizes", "5,3", "--sets", "2", "--games", "20"]


def parse(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="trivalent bench")
    bench.add_arguments(parser)
    return parser.parse_args(words)


def checksum(results: list[int]) -> int:
    value = 0xCBF29CE484222325
    for result in results:
        value = (value ^ result) * 0x100000001B3 % 2**64
    return value


def replay(board: Board, order: memoryview) -> tuple[int, int]:
    """Whether Black wins the game, and the moves that it takes, by the rules alone."""
    position = Position(board)
    while not position.winner:
        position.play(position.to_play, order[len(position.history)])
    return int(position.winner == 1), len(position.history)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("size", [1, 2, 6, 11, 17])
def test_every_method_gives_the_results_of_the_rules(game: str, size: int) -> None:
    board = make_board(game, size)
    games, cells = 12, len(board)
    orders = _bench.orders(cells, games, Random(size))
    numbers = memoryview(orders).cast("h")
    results = [replay(board, numbers[i * cells : (i + 1) * cells]) for i in range(games)]
    black_won = checksum([won for won, _ in results])
    lengths = checksum([length for _, length in results])
    for method in METHODS:
        args = triangle(board), graph(board), method
        assert _bench.time_set(*args, False, orders)[2:] == (games * cells, black_won)  # noqa: FBT003
        assert _bench.time_set(*args, True, orders)[2:] == (sum(n for _, n in results), lengths)  # noqa: FBT003


def test_orders_are_permutations_from_the_seed() -> None:
    orders = memoryview(_bench.orders(9, 5, Random(3))).cast("h").tolist()
    games = [orders[i : i + 9] for i in range(0, 45, 9)]
    assert all(sorted(game) == list(range(9)) for game in games)
    assert len({tuple(game) for game in games}) == 5
    assert _bench.orders(9, 5, Random(3)) == _bench.orders(9, 5, Random(3))
    for cells, count in ((0, 5), (63 * 63 + 1, 5), (9, 0)):
        with pytest.raises(ValueError, match="no orders"):
            _bench.orders(cells, count, Random(3))


def test_what_would_leave_the_board_is_refused() -> None:
    small, large = make_board("hex", 3), make_board("hex", 4)
    orders = _bench.orders(9, 2, Random(1))
    tri, plain = triangle(small), graph(small)
    for wrong, message in (
        ((tri, plain, "bpr-in-place", True, orders), "unknown method"),
        ((tri, graph(large), "bpr", True, orders), "a triangle of 9 cells, a graph of 16"),
        ((tri, plain, "bpr", True, orders[:-1]), "not whole games"),
        ((tri, plain, "bpr", True, b""), "not whole games"),
        ((tri, plain, "bpr", True, b"\x09\x00" + orders[2:]), "no cell 9"),
        ((tri, plain, "bpr", True, b"\xff\xff" + orders[2:]), "no cell -1"),
    ):
        with pytest.raises(ValueError, match=message):
            _bench.time_set(*wrong)


def test_a_method_that_differs_is_named() -> None:
    checksums = dict.fromkeys(METHODS, 7)
    assert measure.agreed(checksums, "3x3 Hex") == 7
    with pytest.raises(RuntimeError, match=r"of BPR\+ differ .* on 3x3 Hex"):
        measure.agreed(checksums | {"bpr+": 8}, "3x3 Hex")


def test_the_signature_is_of_the_games_not_of_the_methods() -> None:
    plan = Plan(sizes=(4, 5), sets=2, games=30)
    calls: list[None] = []
    rows, signature = measure.measure(plan, lambda: calls.append(None))
    assert len(calls) == 2 * 2 * 2
    assert len(rows) == 2 * 2 * (2 * len(METHODS) + 1)
    for other in (
        Plan(sizes=(4,), sets=2, games=30),
        Plan(sizes=(4, 5), sets=3, games=30),
        Plan(sizes=(4, 5), sets=2, games=31),
        Plan(sizes=(4, 5), sets=2, games=30, seed=2),
    ):
        assert measure.measure(other)[1] != signature
    assert measure.measure(Plan((4, 5), 2, 30, methods=("bpr+", "path")))[1] == signature


def test_large_boards_get_fewer_games() -> None:
    sizes = (1, 11, 12, 19, 63)
    assert [Plan().games_a_set(size) for size in sizes] == [1000, 1000, 706, 112, 10]
    assert Plan(games=5).games_a_set(63) == 5


def test_the_figures_of_the_paper() -> None:
    assert {mode for mode, _, _ in measure.PAPER} == set(MODES)
    for figures in measure.PAPER.values():
        assert len(figures) == len(measure.PAPER_SIZES)
        assert list(figures) == sorted(figures)
    assert measure.paper_ms("hex", 11, "per-game", "bpr") == 3.16
    assert measure.paper_ms("y", 19, "per-move", "bpr+") == 342.5
    assert measure.paper_ms("hex", 11, "per-move", "bpr") is None
    assert measure.paper_ms("hex", 10, "per-move", "uf") is None
    assert measure.paper_ms("hex", 11, "playouts", "uniform") is None


def test_a_quick_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "rows.json"
    assert bench.main(parse("--quick", "--json", str(target))) == 0
    out, err = capsys.readouterr()
    lines = [line.rstrip() for line in out.splitlines()]
    assert err == ""
    assert lines[0].startswith("Trivalent ")
    assert isa() in lines[0]
    assert lines[-1] == f"signature {QUICK_SIGNATURE}"
    assert max(map(len, lines)) <= 100
    for game in ("Hex", "Y"):
        for title in MODES.values():
            assert f"{game}, {title}" in lines
    assert sum("226.80     2.441" in line for line in lines) == 1
    rows = json.loads(target.read_text())
    assert os.listdir(tmp_path) == ["rows.json"]  # noqa: PTH208
    assert [(r["game"], r["mode"], r["method"]) for r in rows] == [
        (game, mode, method)
        for game in GAMES
        for mode in (*MODES, "playouts")
        for method in (("uniform",) if mode == "playouts" else METHODS)
    ]
    for row in rows:
        playouts = row["mode"] == "playouts"
        assert list(row) == [field.name for field in fields(measure.Row)]
        assert row["size"] == 11
        assert row["isa"] == isa()
        assert isinstance(row["ms_per_10k"], float)
        assert isinstance(row["ci95"], float)
        assert (row["playouts_per_second"] is None) != playouts
        assert (row["ns_per_move"] is None) == playouts
        assert row["paper_ms_per_10k"] == measure.paper_ms(
            row["game"], 11, row["mode"], row["method"]
        )


@pytest.mark.parametrize("name", available_isas())
def test_the_quick_signature_on_every_instruction_set(name: str) -> None:
    program = (
        "from trivalent.core._isa import chosen as isa\n"
        "from trivalent.tools.measure import QUICK_SETS, Plan, measure\n"
        "print(isa(), measure(Plan(sets=QUICK_SETS, methods=('bpr', 'bpr+')))[1])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"TRIVALENT_ISA": name},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == [name, QUICK_SIGNATURE]


def test_json_alone_on_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.main(parse(*TINY, "--json", "-")) == 0
    out, err = capsys.readouterr()
    assert {row["size"] for row in json.loads(out)} == {3, 5}
    assert err.startswith("Trivalent ")
    assert err.splitlines()[-1].startswith("signature ")


def test_tables_of_several_sizes(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.main(parse(*TINY)) == 0
    out = capsys.readouterr().out
    assert out.index("\n   3   UF ") < out.index("\n   5   UF ")
    assert "2 sets of 20/20 games" in out


def test_a_file_that_cannot_be_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "rows.json"
    target.write_text("before")

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(Path, "replace", fail)
    assert bench.main(parse(*TINY, "--json", str(target))) == 1
    assert capsys.readouterr().err == "trivalent bench: disk full\n"
    assert list(tmp_path.iterdir()) == [target]
    assert target.read_text() == "before"


def test_an_interrupt_ends_without_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(bench, "measure", interrupt)
    assert bench.main(parse(*TINY)) == 130


def test_sizes_are_sorted_and_said_once() -> None:
    assert parse("--sizes", "9,7,9, 11").sizes == (7, 9, 11)
    assert parse().sizes == (11,)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--sizes", "0"], "must be sizes from 1 to 63 with commas between them, not '0'"),
        (["--sizes", "7,64"], "must be sizes from 1 to 63 with commas between them, not '7,64'"),
        (["--sizes", "big"], "must be sizes from 1 to 63 with commas between them, not 'big'"),
        (["--sizes", ""], "must be sizes from 1 to 63 with commas between them, not ''"),
        (["--sets", "1"], "must be 2 to 1000000, not '1'"),
        (["--games", "0"], "must be 1 to 100000, not '0'"),
        (["--games", "many"], "must be 1 to 100000, not 'many'"),
        (["--seed", "x"], "invalid int value: 'x'"),
        (["--json", "/dev/null"], "/dev/null is not a plain file (- is standard output)"),
        (["--json", "/nowhere/rows.json"], "cannot write '/nowhere/rows.json' in /nowhere"),
    ],
)
def test_bad_arguments(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        parse(*words)
    assert caught.value.code == 2
    error = capsys.readouterr().err.splitlines()[-1]
    assert error == f"trivalent bench: error: argument {words[0]}: {message}"
