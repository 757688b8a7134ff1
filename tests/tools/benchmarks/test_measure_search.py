"""The benchmark of the search: the tests check its results, not its times."""

import json
from pathlib import Path

import pytest
from benches import parse
from instruction_sets import InstructionSet

from trivalent.core._isa import chosen
from trivalent.core.games import REDUCED_GAMES, make_board
from trivalent.tools.benchmarks import measure_search
from trivalent.tools.benchmarks.measure_search import SearchPlan, search
from trivalent.tools.commands import bench
from trivalent.tools.common.search_signature import EXPECTED

KEYS = ["game", "size", "net", "threads", "isa", "leaves_per_second", "nodes_per_second"]


@pytest.mark.parametrize("threads", [1, 3])
def test_counts_of_leaves_and_nodes(threads: int) -> None:
    _, leaves, nodes, checksum = search(make_board("hex", 9), 300, 1, threads)
    assert leaves == 300
    assert 0 < nodes <= 300
    if threads == 1:
        assert search(make_board("hex", 9), 300, 1, 1)[1:] == (leaves, nodes, checksum)
        assert search(make_board("hex", 9), 300, 2, 1)[3] != checksum
    assert search(make_board("y", 1), 300, 1, threads)[1:3] == (1, 1)


def test_the_signature_comes_from_one_thread() -> None:
    plan = SearchPlan(sizes=(3, 5), sets=2, leaves=40, threads=(1, 2))
    calls: list[None] = []
    rows, signature = measure_search.measure_search(plan, lambda: calls.append(None))
    assert len(calls) == 2 * 2 * 2 * 2
    assert [(row.game, row.size, row.net, row.threads) for row in rows] == [
        (game, size, net, threads)
        for game in REDUCED_GAMES
        for size in (3, 5)
        for net in ("none", "shipped")
        for threads in (1, 2)
    ]
    same = SearchPlan(sizes=(3, 5), sets=2, leaves=40, threads=(1, 3))
    assert measure_search.measure_search(same)[1] == signature
    for other in (
        SearchPlan(sizes=(5,), sets=2, leaves=40, threads=(1,)),
        SearchPlan(sizes=(3, 5), sets=1, leaves=40, threads=(1,)),
        SearchPlan(sizes=(3, 5), sets=2, leaves=41, threads=(1,)),
        SearchPlan(sizes=(3, 5), sets=2, leaves=40, threads=(1,), seed=3),
    ):
        assert measure_search.measure_search(other)[1] != signature


def test_the_signature_on_every_instruction_set(isa: InstructionSet) -> None:
    program = (
        "from trivalent.core._isa import chosen as isa\n"
        "from trivalent.tools.benchmarks.measure_search import SearchPlan, measure_search\n"
        "plan = SearchPlan(sizes=(5, 17), sets=1, leaves=50, threads=(1,))\n"
        "print(isa(), measure_search(plan)[1])\n"
    )
    plan = SearchPlan(sizes=(5, 17), sets=1, leaves=50, threads=(1,))
    signature = measure_search.measure_search(plan)[1]
    assert isa.run("-c", program).split() == [isa.name, signature]


def test_large_boards_get_fewer_leaves() -> None:
    plan = SearchPlan()
    assert [plan.leaves_per_set(n) for n in (1, 11, 19, 63)] == [4096, 4096, 794, 21]
    assert plan.numbers_of_threads()[0] == 1


def test_boards_too_large_for_networks_are_measured_without() -> None:
    played = SearchPlan(sizes=(31, 32)).players()
    assert {(board.height, net) for board, net in played} == {
        (31, "none"), (31, "shipped"), (32, "none"),
    }  # fmt: skip


def test_tables_and_json_of_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "rows.json"
    assert bench.main(parse("search", "--sizes", "5,7", "--sets", "2", "--json", str(target))) == 0
    out, err = capsys.readouterr()
    lines = [line.rstrip() for line in out.splitlines()]
    assert err == ""
    assert chosen() in lines[0]
    assert lines[-2] == f"search signature {EXPECTED} (as expected)"
    assert lines[-1].startswith("signature ")
    assert max(map(len, lines)) <= 100
    assert "Tree search, per second" in lines
    rows = json.loads(target.read_text())
    threads = SearchPlan().numbers_of_threads()
    assert [(row["game"], row["size"], row["net"], row["threads"]) for row in rows] == [
        (game, size, net, n)
        for game in REDUCED_GAMES
        for size in (5, 7)
        for net in ("none", "shipped")
        for n in threads
    ]
    for row in rows:
        assert list(row) == KEYS
        assert row["leaves_per_second"] >= row["nodes_per_second"] > 0
