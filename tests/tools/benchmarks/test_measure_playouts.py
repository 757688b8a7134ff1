"""The benchmark of playouts: the tests check its results, not its times."""

import json
from pathlib import Path

import pytest
from benches import parse
from instruction_sets import InstructionSet

from trivalent.core._isa import chosen
from trivalent.core._random import Random
from trivalent.core.games import REDUCED_GAMES, make_board
from trivalent.core.playouts.playout import black_wins, statistics
from trivalent.tools import cli
from trivalent.tools.benchmarks import measure_playouts
from trivalent.tools.benchmarks.measure_playouts import FILLS, PlayoutPlan, half_full, play
from trivalent.tools.commands import bench

QUICK_SIGNATURE = "fe9316d5"
"""Of ``trivalent bench playouts --quick``, on every machine, whatever the number of cores."""
KEYS = ["game", "size", "fill", "empties", "threads", "isa", "playouts_per_second"]


def test_every_fill_plays_as_described() -> None:
    position = half_full(make_board("hex", 6), 4)
    for fill, options in {
        "coins": {},
        "balanced": {"fill": "balanced"},
        "bridges": {"bridges": True},
        "repair": {"repair": 1.0},
        "bridges+repair": {"bridges": True, "repair": 1.0},
        "in-turn": {"fill": "in-turn"},
    }.items():
        found = statistics(position, 700, 9, **options)  # type: ignore[arg-type]
        expected = (found.black_wins, found.black_owned, found.black_owned_and_won)
        assert play(position, fill, 700, 9) == expected
    assert play(position, "uniform", 700, 9) == (black_wins(position, 700, Random(9)),)
    assert len({play(position, fill, 700, 9) for fill in FILLS}) == len(FILLS) == 7


@pytest.mark.parametrize("game", REDUCED_GAMES)
@pytest.mark.parametrize("size", [1, 2, 3, 7, 12])
def test_half_full_positions_alternate_colours(game: str, size: int) -> None:
    board = make_board(game, size)
    position = half_full(board, 5)
    assert position.stones == half_full(board, 5).stones
    if not position.winner:
        assert len(position.empty_cells) == (len(board) + 1) // 2
    black, white = position.stones.count(1), position.stones.count(2)
    assert black - white in {0, 1}


def test_half_full_positions_end_with_a_win() -> None:
    position = half_full(make_board("hex", 4), 74)
    assert position.winner
    assert len(position.empty_cells) == 9
    position.undo()
    assert not position.winner


def test_the_signature_depends_on_the_playouts_but_not_on_the_threads() -> None:
    plan = PlayoutPlan(sizes=(3, 4), sets=2, playouts=100, threads=(1, 3))
    calls: list[None] = []
    rows, signature = measure_playouts.measure_playouts(plan, lambda: calls.append(None))
    assert len(calls) == 2 * 2 * 2
    assert len(rows) == 2 * 2 * 2 * 2 * len(FILLS)
    assert {row.threads for row in rows} == {1, 3}
    for threads in ((1,), (2, 5)):
        same = PlayoutPlan(sizes=(3, 4), sets=2, playouts=100, threads=threads)
        assert measure_playouts.measure_playouts(same)[1] == signature
    for other in (
        PlayoutPlan(sizes=(4,), sets=2, playouts=100, threads=(1,)),
        PlayoutPlan(sizes=(3, 4), sets=1, playouts=100, threads=(1,)),
        PlayoutPlan(sizes=(3, 4), sets=2, playouts=101, threads=(1,)),
        PlayoutPlan(sizes=(3, 4), sets=2, playouts=100, threads=(1,), seed=2),
    ):
        assert measure_playouts.measure_playouts(other)[1] != signature


def test_disagreeing_threads_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    results = iter(range(100))
    monkeypatch.setattr(measure_playouts, "play", lambda *_: next(results))
    plan = PlayoutPlan(sizes=(3,), sets=1, playouts=1, threads=(2,))
    with pytest.raises(RuntimeError, match="the same uniform playouts differ on 3x3 Hex"):
        measure_playouts.measure_playouts(plan)


def test_large_boards_get_fewer_playouts() -> None:
    plan = PlayoutPlan()
    assert [plan.playouts_per_set(n, "coins") for n in (1, 11, 19, 63)] == [
        262144,
        262144,
        50688,
        1024,
    ]
    assert [plan.playouts_per_set(n, "uniform") for n in (1, 11, 19, 63)] == [8192, 8192, 1589, 64]
    assert plan.numbers_of_threads()[0] == 1
    assert PlayoutPlan(threads=(4, 2, 4)).numbers_of_threads() == (2, 4)


def test_tables_and_json_of_a_quick_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "rows.json"
    assert bench.main(parse("playouts", "--quick", "--json", str(target))) == 0
    out, err = capsys.readouterr()
    lines = [line.rstrip() for line in out.splitlines()]
    assert err == ""
    assert chosen() in lines[0]
    assert lines[-1] == f"signature {QUICK_SIGNATURE}"
    assert max(map(len, lines)) <= 100
    assert "Random playouts per second" in lines
    rows = json.loads(target.read_text())
    threads = PlayoutPlan().numbers_of_threads()
    assert [(r["game"], r["empties"], r["fill"], r["threads"]) for r in rows] == [
        (game, empties, fill, n)
        for game, cells in (("hex", 121), ("y", 66))
        for empties in (cells, (cells + 1) // 2)
        for fill in FILLS
        for n in threads
    ]
    for row in rows:
        assert list(row) == KEYS
        assert row["size"] == 11
        assert row["isa"] == chosen()
        assert row["playouts_per_second"] > 0


def test_the_signature_on_every_instruction_set(isa: InstructionSet) -> None:
    program = (
        "from trivalent.core._isa import chosen as isa\n"
        "from trivalent.tools.benchmarks.measure_playouts import PlayoutPlan, measure_playouts\n"
        "plan = PlayoutPlan(sizes=(5, 17), sets=1, playouts=600, threads=(1,))\n"
        "print(isa(), measure_playouts(plan)[1])\n"
    )
    plan = PlayoutPlan(sizes=(5, 17), sets=1, playouts=600, threads=(2,))
    signature = measure_playouts.measure_playouts(plan)[1]
    assert isa.run("-c", program).split() == [isa.name, signature]


def test_json_alone_on_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.main(parse("playouts", "--sizes", "2,3", "--sets", "2", "--json", "-")) == 0
    out, err = capsys.readouterr()
    assert {row["size"] for row in json.loads(out)} == {2, 3}
    assert err.splitlines()[-1].startswith("signature ")


def test_games_that_can_not_be_reduced() -> None:
    games = ("bent-y", "star", "renkula")
    plan = PlayoutPlan(sizes=(), sets=1, playouts=100, threads=(1,), games=games)
    rows, signature = measure_playouts.measure_playouts(plan)
    assert [(row.game, row.size) for row in rows[:: 2 * len(FILLS)]] == [
        ("bent-y", 5), ("star", 6), ("renkula", 4)
    ]  # fmt: skip
    assert [row.empties for row in rows[:: 2 * len(FILLS)]] == [93, 105, 81]
    assert measure_playouts.measure_playouts(plan)[1] == signature


def test_impossible_sizes_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for words, reason in (
        (["playouts", "--game", "renkula", "--sizes", "9"], "size must be 1 to 8, not 9"),
        (["search", "--game", "hex"], "--game applies only to strength and playouts"),
        (["strength", "--game", "star"], "strength is measured for hex and y only"),
    ):
        with pytest.raises(SystemExit):
            cli.main(["bench", *words])
        assert reason in capsys.readouterr().err
