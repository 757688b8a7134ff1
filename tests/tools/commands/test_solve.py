"""``trivalent solve``: results, proofs, stores, and everything that can go wrong."""

from __future__ import annotations

import json
import re
import resource
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from trivalent.bot.solver.prover import Unproven
from trivalent.bot.solver.solved_store import Solved, SolvedStore, StoreError
from trivalent.bot.solver.solver import Solver
from trivalent.core.board import BLACK, WHITE
from trivalent.core.games import hex_board
from trivalent.core.position import Position
from trivalent.tools.cli import main
from trivalent.tools.commands.solve import Exit
from trivalent.tools.commands.verify import check

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SOLVED = {
    "hex 3:": "c1 a2 b2 c2 a3",
    "hex 4:": "d1 c2 b3 a4",
    "hex 5:": "e1 b2 c2 d2 e2 b3 c3 d3 a4 b4 c4 d4 a5",
    "hex 3x4:": "",
    "hex 4x3:": "a1 b1 c1 d1 a2 b2 c2 d2 a3 b3 c3 d3",
    "y 3:": "a2 b2 b3",
    "bent-y 2:": "a1 a2 a3 a4 a5 a6 b1 b2 b3",
    "renkula 1:": "a1 b1 b2 b3 b4 b5",
}
"""The winning openings."""

HARD = "hex 14:"

PROGRAM = "import sys; from trivalent.tools.cli import main; sys.exit(main())"


def solve(capfd: pytest.CaptureFixture[str], *words: str, code: int = 0) -> tuple[str, str]:
    assert main(["solve", *words]) == code
    out, err = capfd.readouterr()
    return out, err


def solve_json(capfd: pytest.CaptureFixture[str], *words: str, code: int = 0) -> dict[str, object]:
    out, _ = solve(capfd, *words, "--json", code=code)
    values: dict[str, object] = json.loads(out)
    return values


@pytest.mark.parametrize("source", SOLVED)
def test_all_winning_moves_of_solved_boards(source: str, capfd: pytest.CaptureFixture[str]) -> None:
    values = solve_json(capfd, source, "--all-winning", "--threads", "2")
    won = SOLVED[source].split()
    assert values["winner"] == ("black" if won else "white")
    assert set(won) == {*values["winning"]}  # type: ignore[misc]
    assert not values["undecided"]
    assert len({*values["winning"], *values["losing"]}) in (6, 9, 12, 16, 25)  # type: ignore[misc]


def test_the_printed_result(capfd: pytest.CaptureFixture[str]) -> None:
    out, err = solve(capfd, "hex 3: b2", "--all-winning")
    assert err == ""
    assert out.startswith(
        "  a b c\n1 - - -  1\n 2 - B -  2\n  3 - - -  3\n     a b c\nblack wins, "
    )
    assert "0 of 8 moves win" in out
    out, _ = solve(capfd, "hex 3: b2 a1", "--to-play", "white", "--all-winning")
    assert "black wins, white to move" in out
    out, _ = solve(capfd, "hex 2: a1 b1 a2")
    assert "black has won" in out
    assert not solve_json(capfd, "hex 2: a1 b1 a2", "--all-winning")["winning"]


@pytest.mark.parametrize("source", ["hex 4: a2", "hex 4: d2", "hex 5: a2 c3 b4", "y 4: a1", "y 4:"])
def test_the_verifier_accepts_the_proofs(
    source: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "proof"
    values = solve_json(capfd, source, "--proof", str(path))
    position, winner, nodes = check(path.read_text().splitlines())
    assert (str(winner), nodes) == (values["winner"], values["proof_nodes"])
    names = position.board.names
    assert [names[c] for c, s in enumerate(position.stones) if s == BLACK] == values["black"]
    assert str(position.to_play) == values["to_play"]
    assert [entry.name for entry in tmp_path.iterdir()] == ["proof"]


def test_positions_are_those_of_all_moves(capfd: pytest.CaptureFixture[str]) -> None:
    solver = Solver(hex_board(5))
    position = Position(solver.board)
    first = solver.solve(position).work
    solver.winning_moves(position)
    values = solve_json(capfd, "hex 5:", "--all-winning")
    assert values["positions"] == solver.examined > first


def test_a_store_is_reused(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "solved.db")
    first = solve_json(capfd, "hex 4: a2", "--store", path, "--all-winning")
    assert first["from_store"] is False
    again = solve_json(capfd, "hex 4: d3", "--store", path)  # rotated by 180 degrees
    assert (again["winner"], again["from_store"], again["positions"]) == ("white", True, 0)
    out, _ = solve(capfd, "hex 4: a2 b3", "--store", path)  # one of the moves decided above
    assert f"known from {path}" in out


def test_decided_moves_are_taken_from_the_store(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / "solved.db")
    for cell in ("a1", "d1", "b3"):
        solve(capfd, f"hex 4: {cell}", "--store", path)
    values = solve_json(capfd, "hex 4:", "--store", path, "--all-winning")
    assert {*values["winning"]} == {*SOLVED["hex 4:"].split()}  # type: ignore[misc]
    again = solve_json(capfd, "hex 4:", "--store", path, "--all-winning")
    assert (again["winning"], again["positions"]) == (values["winning"], 0)


def test_a_proof_corrects_a_wrong_store(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The entry has a valid digest, but proofs don't rely on the store."""
    store, proof = tmp_path / "solved.db", tmp_path / "proof"
    position = Position(hex_board(4))
    with SolvedStore(store) as opened:
        opened.put(position, Solved(WHITE, None, 1))
    words = ["hex 4:", "--store", str(store), "--proof", str(proof)]
    out, err = solve(capfd, *words, code=Exit.FAILED)
    assert "black wins" in out
    assert (
        err
        == f"trivalent solve: {store} had a wrong result for this position; it has been corrected\n"
    )
    assert solve_json(capfd, "hex 4:", "--store", str(store))["winner"] == "black"


def test_gtp_and_puzzles_share_the_store(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """They believe what it says, here something wrong, and add what they solve."""
    path = tmp_path / "solved.db"
    position = Position(hex_board(4))
    with SolvedStore(path) as store:
        store.put(position, Solved(WHITE, None, 1))
    commands = "dfpn-solve-state\nplay black a2\ndfpn-solve-state\n"
    out = subprocess.run(
        [sys.executable, "-c", PROGRAM, "gtp", "--boardsize", "4", "--store", path],
        input=commands,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert out == "= white\n\n= \n\n= white\n\n"
    position.play(BLACK, position.board.cell("a2"))
    puzzle = tmp_path / "puzzle.sgf"
    puzzle.write_text("(;FF[4]GM[11]SZ[4]AB[b3]PL[W];W[c2])")
    assert main(["puzzle", "--check", "--store", str(path), str(puzzle)]) == 1
    after = Position(hex_board(4))
    after.setup(after.board.cell("b3"), BLACK)
    after.to_play = WHITE
    with SolvedStore(path) as store:
        for solved in (position, after):
            assert store.get(solved), solved.stones
    capfd.readouterr()
    with pytest.raises(SystemExit):
        main(["gtp", "--store", str(puzzle)])
    assert "file is not a database" in capfd.readouterr().err
    assert main(["puzzle", "--store", str(puzzle)]) == 1
    assert capfd.readouterr().err.endswith("file is not a database\n")


def test_out_of_time(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    store, proof = tmp_path / "solved.db", tmp_path / "proof"
    words = [HARD, "--time", "0.3", "--store", str(store), "--proof", str(proof)]
    out, _ = solve(capfd, *words, code=Exit.UNSOLVED)
    assert "not solved: out of time" in out
    assert "wins" not in out
    assert not proof.exists()
    with SolvedStore(store) as opened:
        assert opened.get(Position(hex_board(14))) is None
    values = solve_json(capfd, *words, "--all-winning", code=Exit.UNSOLVED)
    assert values["winner"] is None
    assert not values["winning"]


def test_out_of_time_during_the_proof(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def give_up(*_: object) -> None:
        raise Unproven

    proof = tmp_path / "proof"
    monkeypatch.setattr("trivalent.tools.commands.solve.prove", give_up)
    out, err = solve(capfd, "hex 4:", "--proof", str(proof), code=Exit.UNSOLVED)
    assert "black wins" in out
    assert err == "trivalent solve: the proof is incomplete and was not written\n"
    assert not proof.exists()


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["nothing"], "input: there is no file 'nothing'"),
        (["hex 17:"], "17x17 Hex has more than 256 cells"),
        (["hex 4:", "--store", "/no/such/folder/x.db"], "/no/such/folder/x.db cannot be used: "),
        (["hex 4:", "--store", __file__], f"{__file__} cannot be used: file is not a database"),
        (["hex 4:", "--proof", "/no/such/folder/x"], "/no/such/folder/x: No such file or"),
        (["star 10: a1"], "*Star 10 has more than 256 cells"),
        (["star 2: a1", "--proof", "x"], "proofs are for Hex and Y, not for *Star 2"),
    ],
)
def test_invalid_input_is_one_line(
    words: Sequence[str], reason: str, capfd: pytest.CaptureFixture[str]
) -> None:
    out, err = solve(capfd, *words, code=Exit.FAILED)
    assert err.startswith(f"trivalent solve: {reason}")
    assert err.count("\n") == 1
    assert ("black wins" in out) == ("hex 4:" in words and "--proof" in words)  # printed anyway


def test_a_table_larger_than_memory(capfd: pytest.CaptureFixture[str]) -> None:
    _, err = solve(capfd, "hex 4:", "--memory", str(1 << 40), code=Exit.FAILED)
    assert err.startswith("trivalent solve: ")
    assert err.count("\n") == 1
    assert "emory" in err


@contextmanager
def started(*words: str, limit: tuple[int, int] | None = None) -> Iterator[subprocess.Popen[str]]:
    """Run the program as a process, with a resource limit."""
    before = (
        f"import resource; resource.setrlimit({limit[0]}, ({limit[1]},) * 2); " if limit else ""
    )
    with subprocess.Popen(
        [sys.executable, "-c", before + PROGRAM, "solve", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        yield process


def _handles_signals(process: subprocess.Popen[str]) -> bool:
    """Return whether a program handles SIGTERM already."""
    status = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
    [caught] = re.findall(r"^SigCgt:\s*([0-9a-f]+)$", status, re.MULTILINE)
    return bool(int(caught, 16) >> (signal.SIGTERM - 1) & 1)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_with_partial_results(number: signal.Signals, tmp_path: Path) -> None:
    store = tmp_path / "solved.db"
    with started(HARD, "--store", str(store), "--json") as process:
        while not (store.exists() and _handles_signals(process)):
            assert process.poll() is None, process.communicate()
            time.sleep(0.01)
        process.send_signal(number)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (Exit.UNSOLVED, "")
    assert json.loads(out)["winner"] is None


def test_a_killed_run_leaves_no_partial_files(tmp_path: Path) -> None:
    store, proof = tmp_path / "solved.db", tmp_path / "proof"
    with SolvedStore(store) as opened:
        opened.put(Position(hex_board(4)), Solved(BLACK, 12, 1))
    with started(HARD, "--store", str(store), "--proof", str(proof)) as process:
        time.sleep(1)
        process.kill()
    assert not proof.exists()
    with SolvedStore(store) as opened:
        assert opened.get(Position(hex_board(14))) is None
        assert opened.get(Position(hex_board(4))) == Solved(BLACK, 12, 1)


def test_out_of_memory() -> None:
    limit = resource.RLIMIT_AS, 1 << 30
    with started("hex 4:", "--memory", "4096", limit=limit) as process:
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (Exit.FAILED, "")
    assert err.startswith("trivalent solve: out of memory")
    assert err.count("\n") == 1


def test_a_proof_on_a_full_disk(tmp_path: Path) -> None:
    proof = tmp_path / "proof"
    proof.write_text("before")
    limit = resource.RLIMIT_FSIZE, 100
    with started("hex 4: d2", "--proof", str(proof), limit=limit) as process:
        out, err = process.communicate(timeout=30)
    assert process.returncode == Exit.FAILED
    assert "white wins" in out
    assert err == f"trivalent solve: {proof}: File too large\n"
    assert proof.read_text() == "before"
    assert [entry.name for entry in tmp_path.iterdir()] == ["proof"]


def test_a_store_on_a_full_disk(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise StoreError("x.db cannot be used: database or disk is full")

    monkeypatch.setattr(SolvedStore, "put_all", fail)
    words = ["hex 4:", "--all-winning", "--store", str(tmp_path / "x.db")]
    out, err = solve(capfd, *words, code=Exit.FAILED)
    assert "4 of 16 moves win" in out
    assert err == "trivalent solve: x.db cannot be used: database or disk is full\n"
