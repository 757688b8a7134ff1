"""The benchmark: what it measures is checked, how fast that goes is not."""

import errno
import json
import os
from pathlib import Path

import pytest
from benches import parse, printed

from trivalent.bot.players.registry import make_player
from trivalent.core._isa import available as available_isas
from trivalent.core._isa import chosen as isa
from trivalent.core._random import Random
from trivalent.core.board import Board
from trivalent.core.games import GAMES, make_board
from trivalent.core.position import Position
from trivalent.tools.benchmarks import _bench, bench_plot, bench_tables, measure_strength
from trivalent.tools.benchmarks import measure_connection as measure
from trivalent.tools.benchmarks.measure_connection import METHODS, MODES, Plan, methods
from trivalent.tools.commands import bench
from trivalent.tools.tournament.plan import plan_file as plans

QUICK_SIGNATURE = "be8a208e"
"""Of ``trivalent bench --quick``, on every machine.  A new one means that a result has changed."""

TINY = ["--sizes", "5,3", "--sets", "2", "--games", "20"]
KEYS = ["game", "size", "mode", "method", "isa", "ms_per_10k", "ci95", "paper_ms_per_10k"]
"""What a row of the JSON begins with; other programs rely on it."""


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
@pytest.mark.parametrize("size", [1, 2, 3, 4, 6, 11, 17, 33])
def test_every_method_gives_the_results_of_the_rules(game: str, size: int) -> None:
    board = make_board(game, size)
    games, cells = 40, len(board)  # more than are tested in one go
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
    # The bits of a game are its own: the last games of a block say the same by themselves.
    last = orders[2 * len(board) * 1020 :]
    checksums = {replayer.time_set(m, every_move=False, orders=last)[3] for m in names}
    assert len(checksums) == 1


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
    assert len(rows) == 2 * 2 * (len(methods("per-game")) + len(methods("per-move")))
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
    assert [Plan().games_a_set(n, "per-move") for n in sizes] == [1024, 1024, 723, 115, 10]
    assert [Plan().games_a_set(n, "per-game") for n in sizes] == [1024, 1024, 1024, 1024, 512]
    assert {Plan(games=5).games_a_set(63, mode) for mode in MODES} == {5}


def test_the_methods_of_each_mode() -> None:
    assert methods("per-game") == tuple(METHODS)
    assert set(METHODS) - set(methods("per-move")) == {"bpr-registers", "bpr-sliced"}
    assert set(bench_plot.STYLES) == set(METHODS)


def test_the_figures_of_the_paper() -> None:
    assert {mode for mode, _, _ in measure.PAPER} == set(MODES)
    for figures in measure.PAPER.values():
        assert len(figures) == len(measure.PAPER_SIZES)
        assert list(figures) == sorted(figures)
    assert measure.paper_ms("hex", 11, "per-game", "bpr") == 3.16
    assert measure.paper_ms("hex", 11, "per-game", "bpr-registers") == 3.16
    assert measure.paper_ms("hex", 11, "per-game", "bpr-sliced") is None
    assert measure.paper_ms("y", 19, "per-move", "bpr+") == 342.5
    assert measure.paper_ms("hex", 11, "per-move", "bpr") is None
    assert measure.paper_ms("hex", 10, "per-move", "uf") is None


def test_the_time_of_a_method_is_that_of_the_least_disturbed_sets() -> None:
    sample = measure._Sample
    disturbed = [sample(tested=9.0, untested=5.0, moves=1000)] * 8
    samples = {
        "wqhuf": [*disturbed, sample(5e-6, 1e-6, 1000), sample(6e-6, 2e-6, 1000)],
        "bpr-sliced": [*disturbed, sample(9e-6, 7e-6, 1000), sample(9e-6, 7e-6, 1000)],
        "bpr": [*disturbed, sample(4e-6, 3e-6, 1000), sample(4e-6, 3e-6, 1000)],
    }
    ns = measure._Measurement._ns_per_move(samples)
    # Moves without tests are taken from wherever they were least disturbed, but for the slices.
    assert ns == pytest.approx({"wqhuf": 4.0, "bpr-sliced": 2.0, "bpr": 2.0})


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
    for board in ("11x11 Hex", "Y 11"):
        for title in MODES.values():
            assert f"{board}, {title}" in lines
    assert sum(line.endswith("226.8      0.41") for line in lines) == 1
    assert "No fast class" not in out
    rows = json.loads(target.read_text())
    assert os.listdir(tmp_path) == ["rows.json"]
    assert [(r["game"], r["mode"], r["method"]) for r in rows] == [
        (game, mode, method) for game in GAMES for mode in MODES for method in methods(mode)
    ]
    for row in rows:
        assert list(row)[: len(KEYS)] == KEYS
        assert row["size"] == 11
        assert row["isa"] == isa()
        assert isinstance(row["ms_per_10k"], float)
        assert isinstance(row["ci95"], float)
        assert row["paper_ms_per_10k"] == measure.paper_ms(
            row["game"], 11, row["mode"], row["method"]
        )
        cells = len(make_board(row["game"], 11))
        assert row["moves_per_game"] == cells or row["mode"] == "per-move"
    paper = {(r["game"], r["mode"], r["method"]): r["paper_speedup"] for r in rows}
    assert paper["hex", "per-game", "bpr"] == pytest.approx(28.86, abs=0.01)
    assert paper["y", "per-game", "bpr-registers"] == pytest.approx(48.13, abs=0.01)
    assert paper["hex", "per-game", "bfs"] is None
    assert paper["hex", "per-move", "wqhuf"] == 1


@pytest.mark.parametrize("name", available_isas())
def test_the_quick_signature_on_every_instruction_set(name: str) -> None:
    program = (
        "from trivalent.core._isa import chosen as isa\n"
        "from trivalent.tools.benchmarks.measure_connection import QUICK_SETS, Plan, measure\n"
        "print(isa(), measure(Plan(sets=QUICK_SETS, methods=('bpr-registers', 'bpr+')))[1])\n"
    )
    assert printed(name, program) == [name, QUICK_SIGNATURE]


def test_json_alone_on_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.main(parse(*TINY, "--json", "-")) == 0
    out, err = capsys.readouterr()
    assert {row["size"] for row in json.loads(out)} == {3, 5}
    assert err.startswith("Trivalent ")
    assert err.splitlines()[-1].startswith("signature ")


def test_sizes_side_by_side(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.main(parse("--sizes", "1,2,...,8,11", "--sets", "2", "--games", "2")) == 0
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert max(map(len, lines)) <= 100
    heads = [line.split()[1:] for line in lines if line.startswith("method")]
    assert heads == [[*"1234567"], ["8", "11"]] * 4
    assert [line for line in lines if line.endswith("|28.9")]  # BPR, 11x11 Hex, in the paper
    assert "Here: 2 sets of 2/2/2/2/2/2/2/2/2 games (per-game)" in "\n".join(lines)


def test_a_size_without_a_fast_class_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--sizes", "31,32,33", "--sets", "2", "--games", "1", "--json", "-"]
    assert bench.main(parse(*words)) == 0
    (line,) = (x for x in capsys.readouterr().err.splitlines() if x.startswith("No fast class"))
    assert "32x32 Hex, 33x33 Hex, Y 33 (" in line


def test_figures_have_the_digits_that_mean_something() -> None:
    values = (None, 0.01234, 1.234, -12.34, 123.4, 1234.5)
    assert [bench_tables.figure(v) for v in values] == [
        *("", "0.012", "1.23", "-12.34", "123.4", "1,234")
    ]
    assert [bench_tables.ratio(v) for v in (None, 0.987, 12.34, 1234)] == [
        "",
        "0.99",
        "12.3",
        "1234",
    ]


@pytest.mark.parametrize("suffix", bench_plot.SUFFIXES)
def test_a_plot(suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    target = tmp_path / f"figures{suffix}"
    assert bench.main(parse(*TINY, "--plot", str(target))) == 0
    assert capsys.readouterr().err == ""
    assert list(tmp_path.iterdir()) == [target]
    magic = {".pdf": b"%PDF", ".png": b"\x89PNG", ".svg": b"<?xml"}[suffix]
    assert target.read_bytes().startswith(magic)


def test_a_plot_without_matplotlib(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench_plot, "find_spec", lambda _: None)
    with pytest.raises(SystemExit):
        bench.main(parse(*TINY, "--plot", str(tmp_path / "x.png")))
    message = "--plot needs matplotlib: pip install 'trivalent[plot]'"
    assert capsys.readouterr().err.splitlines()[-1] == f"trivalent bench: error: {message}"


def test_a_file_that_cannot_be_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "rows.json"
    target.write_text("before")

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "disk full")

    monkeypatch.setattr(Path, "replace", fail)
    assert bench.main(parse(*TINY, "--json", str(target))) == 1
    assert capsys.readouterr().err == f"trivalent bench: {target}: disk full\n"
    assert list(tmp_path.iterdir()) == [target]
    assert target.read_text() == "before"


def test_an_interrupt_ends_without_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(measure, "measure", interrupt)
    assert bench.main(parse(*TINY)) == 130


def test_sizes_are_sorted_and_said_once() -> None:
    assert parse("--sizes", "9,7,9, 11").sizes == (7, 9, 11)
    assert parse("--sizes", "7,9,...,19").sizes == measure.PAPER_SIZES
    assert parse("--sizes", "3,1,2,...,5,31").sizes == (1, 2, 3, 4, 5, 31)


SIZES_WANTED = "must be sizes from 1 to 63 with commas between them"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--sizes", "0"], f"{SIZES_WANTED}, not '0'"),
        (["--sizes", "7,64"], f"{SIZES_WANTED}, not '7,64'"),
        (["--sizes", "big"], f"{SIZES_WANTED}, not 'big'"),
        (["--sizes", ""], f"{SIZES_WANTED}, not ''"),
        (["--sizes", "7,...,9"], f"{SIZES_WANTED}, not '7,...,9'"),
        (["--sizes", "7,9,..."], f"{SIZES_WANTED}, not '7,9,...'"),
        (["--sizes", "...,9"], f"{SIZES_WANTED}, not '...,9'"),
        (["--sets", "1"], "must be 2 to 1000000, not '1'"),
        (["--games", "0"], "must be 1 to 100000, not '0'"),
        (["--games", "many"], "must be 1 to 100000, not 'many'"),
        (["--seed", "x"], "invalid int value: 'x'"),
        (["--json", "/dev/null"], "/dev/null is not a plain file (- is standard output)"),
        (["--json", "/nowhere/rows.json"], "cannot write '/nowhere/rows.json' in /nowhere"),
        (["--plot", "/nowhere/x.png"], "cannot write '/nowhere/x.png' in /nowhere"),
        (["--plot", "x.gif"], "must end in .pdf, .png, .svg, not 'x.gif'"),
        (["--plot", "-"], "must end in .pdf, .png, .svg, not '-'"),
        (["--plot", ".svg"], "must end in .pdf, .png, .svg, not '.svg'"),
    ],
)
def test_bad_arguments(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        parse(*words)
    assert caught.value.code == 2
    error = capsys.readouterr().err.splitlines()[-1]
    assert error == f"trivalent bench: error: argument {words[0]}: {message}"


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("study", measure_strength.STUDIES)
def test_studies_of_strength_are_plans(study: str, game: str, tmp_path: Path) -> None:
    wanted = measure_strength.StrengthPlan(tmp_path, (study,), (game,), sets=150)
    made = measure_strength.STUDIES[study](game, 0.1)
    if not made.matches:
        assert study == "threads"
        pytest.skip("there is one core")
    plan = plans.parse(measure_strength.plan_text(made, game, wanted), tmp_path)
    assert [engine.name for engine in plan.engines] == [player.name for player in made.players]
    assert 150 <= plan.rounds * len(plan.openings) < 153
    for engine in plan.engines:  # parameters that there are, with values that they may have
        make_player("mcts", dict(engine.parameters))


def test_what_is_left_out_is_in_the_ablation() -> None:
    names = {player.name for player in measure_strength.ablation("hex", 0.1).players}
    assert names >= {"full", "without-fill-in", "without-connections", "the-64-playouts-a-leaf"}
    assert names >= {"without-knowledge", "without-regions", "without-wide-connections"}
    switches = {"fill_in", "regions", "prune", "connections", "wide_connections", "policy", "reuse"}
    assert {name for off in measure_strength.WITHOUT.values() for name in off} >= switches


def test_strength_is_measured_by_games(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["strength", "--study", "time", "--game", "hex", "--sizes", "3", "--sets", "2"]
    words += [
        "--seconds",
        "0.001",
        "--folder",
        str(tmp_path),
        "--json",
        str(tmp_path / "rows.json"),
    ]
    assert bench.main(parse(*words)) == 0
    out, err = capsys.readouterr()
    assert "16/16 games played" in err
    rows = json.loads((tmp_path / "rows.json").read_text())
    matches = [(row["engine"], row["opponent"]) for row in rows]
    assert matches == [(f"{2 * n:g}s", f"{n:g}s") for n in (0.001, 0.002, 0.004, 0.008)]
    assert all(row["lost"] + row["split"] + row["won"] <= 2 for row in rows)
    assert [line.split()[0] for line in out.splitlines() if "0.008s" in line] == [
        "0.008s",
        "0.016s",
    ]
    # All is played, so that the same command only shows it again.
    assert bench.main(parse(*words)) == 0
    again = capsys.readouterr()
    assert again.out == out
    assert "[1/16]" not in again.err


def test_a_study_that_does_not_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["strength", "--study", "time", "--game", "y", "--sets", "2", "--folder", str(tmp_path)]
    (tmp_path / "y11-time-0.1s-2.toml").write_text("size = 3\n[engines.a]\nplayer = 'nobody'\n")
    assert bench.main(parse(*words)) == 2
    assert "nobody" in capsys.readouterr().err


def test_options_of_strength_are_for_it_alone(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["--study", "time"], ["search", "--folder", "x"], ["sprt", "--seconds", "1"]):
        with pytest.raises(SystemExit):
            bench.main(parse(*words))
        assert "--folder are for the strength" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        bench.main(parse("strength", "--sizes", "3,5"))
    assert "one size at a time" in capsys.readouterr().err


@pytest.mark.parametrize("what", ["playouts", "search", "knowledge"])
@pytest.mark.parametrize("words", [["--plot", "x.png"], ["--games", "5"]])
def test_options_of_another_benchmark(
    what: str, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        bench.main(parse(what, *words))
    assert caught.value.code == 2
    error = capsys.readouterr().err.splitlines()[-1]
    assert error.endswith("error: --games and --plot are for the connection tests")
