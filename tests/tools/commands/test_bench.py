"""``trivalent bench``: its options and its output.  What is measured has tests of its own."""

import errno
import json
import os
from pathlib import Path

import pytest
from benches import parse

from trivalent.core._isa import chosen as isa
from trivalent.core.games import REDUCED_GAMES, make_board
from trivalent.tools.benchmarks import bench_plot, bench_tables, measure_connection
from trivalent.tools.benchmarks.measure_connection import MODES, methods
from trivalent.tools.commands import bench

TINY = ["--sizes", "5,3", "--sets", "2", "--games", "20"]
KEYS = ["game", "size", "mode", "method", "isa", "ms_per_10k", "ci95", "paper_ms_per_10k"]
"""The first keys of a row of JSON; other programs rely on them."""


def test_tables_and_json_of_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "rows.json"
    assert bench.main(parse("--sets", "2", "--json", str(target))) == 0
    out, err = capsys.readouterr()
    lines = [line.rstrip() for line in out.splitlines()]
    assert err == ""
    assert lines[0].startswith("Trivalent ")
    assert isa() in lines[0]
    assert lines[-1].startswith("signature ")
    assert max(map(len, lines)) <= 100
    for board in ("11x11 Hex", "Y 11"):
        for title in MODES.values():
            assert f"{board}, {title}" in lines
    assert sum(line.endswith("226.8      0.41") for line in lines) == 1
    assert "No fast kernel" not in out
    rows = json.loads(target.read_text())
    assert os.listdir(tmp_path) == ["rows.json"]
    assert [(r["game"], r["mode"], r["method"]) for r in rows] == [
        (game, mode, method) for game in REDUCED_GAMES for mode in MODES for method in methods(mode)
    ]
    for row in rows:
        assert list(row)[: len(KEYS)] == KEYS
        assert row["size"] == 11
        assert row["isa"] == isa()
        assert isinstance(row["ms_per_10k"], float)
        assert isinstance(row["ci95"], float)
        assert row["paper_ms_per_10k"] == measure_connection.paper_ms(
            row["game"], 11, row["mode"], row["method"]
        )
        cells = len(make_board(row["game"], 11))
        assert row["moves_per_game"] == cells or row["mode"] == "per-move"
    paper = {(r["game"], r["mode"], r["method"]): r["paper_speedup"] for r in rows}
    assert paper["hex", "per-game", "bpr"] == pytest.approx(28.86, abs=0.01)
    assert paper["y", "per-game", "bpr-registers"] == pytest.approx(48.13, abs=0.01)
    assert paper["hex", "per-game", "bfs"] is None
    assert paper["hex", "per-move", "wqhuf"] == 1


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


def test_a_size_without_a_fast_kernel_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--sizes", "31,32,33", "--sets", "2", "--games", "1", "--json", "-"]
    assert bench.main(parse(*words)) == 0
    (line,) = (x for x in capsys.readouterr().err.splitlines() if x.startswith("No fast kernel"))
    assert "32x32 Hex, 33x33 Hex, Y 33 (" in line


def test_figures_have_their_significant_digits() -> None:
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


def test_an_interrupt_ends_it_without_a_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(measure_connection, "measure_connection_tests", interrupt)
    assert bench.main(parse(*TINY)) == 130


def test_sizes_are_sorted_and_distinct() -> None:
    assert parse("--sizes", "9,7,9, 11").sizes == (7, 9, 11)
    assert parse("--sizes", "7,9,...,19").sizes == measure_connection.PAPER_SIZES
    assert parse("--sizes", "3,1,2,...,5,31").sizes == (1, 2, 3, 4, 5, 31)


SIZES_WANTED = "must be comma-separated sizes from 1 to 63"


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
        (["--sets", "1"], "must be an integer from 2 to 1000000, not '1'"),
        (["--games", "0"], "must be an integer from 1 to 100000, not '0'"),
        (["--games", "many"], "must be an integer from 1 to 100000, not 'many'"),
        (["--seed", "x"], "invalid int value: 'x'"),
        (["--json", "/dev/null"], "/dev/null isn't a regular file (- is standard output)"),
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


def test_options_of_strength_apply_only_to_it(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["--study", "time"], ["search", "--folder", "x"], ["sprt", "--seconds", "1"]):
        with pytest.raises(SystemExit):
            bench.main(parse(*words))
        assert "--folder apply only to strength" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        bench.main(parse("strength", "--sizes", "3,5"))
    assert "strength takes a single board size" in capsys.readouterr().err


@pytest.mark.parametrize("what", ["playouts", "search", "knowledge"])
@pytest.mark.parametrize("words", [["--plot", "x.png"], ["--games", "5"]])
def test_options_of_connection_tests_apply_only_to_them(
    what: str, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        bench.main(parse(what, *words))
    assert caught.value.code == 2
    error = capsys.readouterr().err.splitlines()[-1]
    assert error.endswith("error: --games and --plot apply only to connection tests")
