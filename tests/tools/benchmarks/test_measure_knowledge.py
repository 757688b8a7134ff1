"""The benchmark of knowledge: the tests check its results, not its times."""

import json
from pathlib import Path

import pytest
from benches import parse
from instruction_sets import InstructionSet

from trivalent.bot.knowledge._cutsets import cutset_fillin
from trivalent.bot.knowledge._fillin import filler
from trivalent.bot.knowledge._virtual_connections import Connections
from trivalent.bot.knowledge.virtual_connections import LIMITS
from trivalent.core._isa import chosen
from trivalent.core.board import BLACK, WHITE
from trivalent.core.games import REDUCED_GAMES, make_board
from trivalent.tools.benchmarks import measure_knowledge
from trivalent.tools.benchmarks._bench import time_filling
from trivalent.tools.benchmarks.measure_knowledge import (
    FILLING,
    FILLINGS,
    MAX_SIZE,
    SEARCHES,
    KnowledgePlan,
    connect,
    samples,
)
from trivalent.tools.commands import bench

KEYS = ["game", "size", "kind", "way", "isa", "per_second", "ratio", "found", "full", "semi"]


@pytest.mark.parametrize("game", REDUCED_GAMES)
@pytest.mark.parametrize("size", [1, 2, 7])
def test_sample_positions_of_a_game(game: str, size: int) -> None:
    board = make_board(game, size)
    found = samples(board, 1)
    assert found == samples(board, 1)
    full = [len(board) - sample.stones.count(0) for sample in found]
    wanted = [len(board) * n // 12 + n % 2 for n in (1, 2, 3, 4)]
    assert full == ([0, 0] if size == 1 else sorted(wanted)[: len(full)])
    for sample in found:
        assert sample.stones.count(BLACK) - sample.stones.count(WHITE) in {0, 1}
        (move,) = [i for i in range(len(board)) if sample.stones[i] != sample.after[i]]
        assert (sample.stones[move], sample.after[move]) == (0, sample.to_play)
    assert size < 7 or samples(board, 2) != found


@pytest.mark.parametrize("game", REDUCED_GAMES)
def test_the_timing_loop_fills_in_as_the_kernels_do(game: str) -> None:
    board = make_board(game, 7)
    of = samples(board, 3)
    stones = b"".join(sample.stones for sample in of)
    to_play = bytes(sample.to_play for sample in of)
    results = {way: time_filling(board, way, stones, to_play, 2)[1] for way in FILLINGS}
    for i, sample in enumerate(of):
        filled, inferior = filler(board).fill(sample.stones, sample.to_play)
        some = bytearray(filled)
        for cell in inferior:
            some[cell] = 3
        more = bytearray(some)
        for cell in filler(board).dominated(filled, sample.to_play, inferior):
            more[cell] = 3
        assert [result[i * len(board) : (i + 1) * len(board)] for result in results.values()] == [
            filled,
            some,
            more,
            cutset_fillin(board).fill(sample.stones),
        ]


@pytest.mark.parametrize(
    ("way", "stones", "to_play", "rounds", "message"),
    [
        ("all", bytes(9), b"\1", 1, "unknown filling 'all'"),
        ("patterns", bytes(9), b"", 1, "9 stones for 0 times 9 cells"),
        ("patterns", bytes(10), b"\1", 1, "10 stones for 1 times 9 cells"),
        ("patterns", bytes(9), b"\3", 1, "9 stones for 1 times 9 cells"),
        ("patterns", bytes(9), b"\1", 0, "9 stones for 1 times 9 cells, 0 rounds"),
    ],
)
def test_invalid_positions_are_refused(
    way: str, stones: bytes, to_play: bytes, rounds: int, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        time_filling(make_board("hex", 3), way, stones, to_play, rounds)


@pytest.mark.parametrize("game", REDUCED_GAMES)
def test_connections_of_both_colours(game: str) -> None:
    board = make_board(game, 6)
    of = samples(board, 1)
    assert list(SEARCHES) == list(LIMITS)
    for limits in LIMITS.values():
        found = connect(board, of, limits)
        now = Connections(board, **limits)
        count = full = semi = 0
        for sample in of:
            for colour in (BLACK, WHITE):
                now.build(sample.after, colour)
                count += now.count
                full += now.winner == 2
                semi += now.winner > 0
                assert now.count == len(now.all())
        outcome = found["from scratch"]
        assert (outcome.count, outcome.found) == (2 * len(of), count)
        assert (outcome.full, outcome.semi) == (full, semi)
        assert found["after a move"].count == 2 * len(of)
        assert found["after a move"].found > 0
        assert 0 < semi < 2 * len(of)


def test_the_signature_depends_on_the_results_alone() -> None:
    plan = KnowledgePlan(sizes=(3, 5), sets=2, games=2)
    calls: list[None] = []
    rows, signature = measure_knowledge.measure_knowledge(plan, lambda: calls.append(None))
    assert len(calls) == 2 * 2 * 2
    kinds = [(FILLING, way) for way in FILLINGS]
    kinds += [(kind, way) for kind in SEARCHES for way in ("from scratch", "after a move")]
    assert [(row.game, row.size, row.kind, row.way) for row in rows] == [
        (game, size, *kind) for game in REDUCED_GAMES for size in (3, 5) for kind in kinds
    ]
    same = KnowledgePlan(sizes=(3, 5), sets=1, games=2)
    assert measure_knowledge.measure_knowledge(same)[1] == signature
    for other in (
        KnowledgePlan(sizes=(5,), sets=1, games=2),
        KnowledgePlan(sizes=(3, 5), sets=1, games=3),
        KnowledgePlan(sizes=(3, 5), sets=1, games=2, seed=3),
    ):
        assert measure_knowledge.measure_knowledge(other)[1] != signature


def test_the_signature_on_every_instruction_set(isa: InstructionSet) -> None:
    program = (
        "from trivalent.core._isa import chosen as isa\n"
        "from trivalent.tools.benchmarks.measure_knowledge import KnowledgePlan\n"
        "from trivalent.tools.benchmarks.measure_knowledge import measure_knowledge\n"
        "plan = KnowledgePlan(sizes=(5, 7), sets=1, games=1)\n"
        "print(isa(), measure_knowledge(plan)[1])\n"
    )
    plan = KnowledgePlan(sizes=(5, 7), sets=1, games=1)
    assert isa.run("-c", program).split() == [
        isa.name,
        measure_knowledge.measure_knowledge(plan)[1],
    ]


def test_tables_and_json_of_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "rows.json"
    assert bench.main(parse("knowledge", "--sizes", "7", "--sets", "2", "--json", str(target))) == 0
    out, err = capsys.readouterr()
    lines = [line.rstrip() for line in out.splitlines()]
    assert err == ""
    assert chosen() in lines[0]
    assert lines[-1].startswith("signature ")
    assert max(map(len, lines)) <= 100
    assert "Knowledge of positions, 7x7 Hex" in lines
    for row in json.loads(target.read_text()):
        assert list(row) == KEYS
        assert row["per_second"] > 0
        assert row["found"] > 0
        if row["way"] in {"patterns", "from scratch"}:
            assert row["ratio"] == 1.0
        if row["kind"] == FILLING:
            assert row["full"] is row["semi"] is None
        else:
            assert 0.0 <= row["full"] <= row["semi"] < 1.0


def test_boards_that_are_too_large(capsys: pytest.CaptureFixture[str]) -> None:
    assert MAX_SIZE**2 == 256
    with pytest.raises(SystemExit) as caught:
        bench.main(parse("knowledge", "--sizes", "11,17"))
    assert caught.value.code == 2
    assert capsys.readouterr().err.endswith("error: knowledge needs boards of size 16 or less\n")
