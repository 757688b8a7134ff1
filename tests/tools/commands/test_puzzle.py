"""``trivalent puzzle``: its puzzles are sound, and it finds what is wrong with others."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from reviews import EFFORT, FAULTS, FAULTY_MOVES, reviewed_game

from trivalent.bot.players.levels import LEVELS
from trivalent.bot.solver.solved_store import canonical
from trivalent.bot.solver.solver import Solver
from trivalent.core.records.formats import read, write
from trivalent.tools.cli import main
from trivalent.tools.review.review_data import as_json, game_data

if TYPE_CHECKING:
    from pathlib import Path

    from trivalent.core.position import Position


def wins(position: Position) -> list[int]:
    """Return the winning moves, each found by a new solver."""
    found = []
    position = position.copy()
    mover = position.to_play
    for cell in position.empty_cells:
        position.play(mover, cell)
        if Solver(position.board, memory=8).solve(position).winner is mover:
            found.append(cell)
        position.undo()
    return found


@pytest.mark.parametrize(("game", "size"), [("hex", 5), ("y", 5), ("star", 2)])
def test_puzzles_found_have_one_solution(
    game: str, size: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "puzzles.sgf"
    words = ["--game", game, "--size", f"{size}", "--count", "4", "--json", "-o", str(path)]
    assert main(["puzzle", *words]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    lines = [json.loads(line) for line in out.splitlines()]
    assert len(lines) == 4
    names = set()
    for number, line in enumerate(lines, 1):
        record = read(path.read_bytes(), game=number).record
        position = record.position(record.root)
        names.add(canonical(position)[0])
        assert [position.board.names[cell] for cell in wins(position)] == [line["solution"]]
        assert 1 <= line["grade"] <= len(LEVELS) + 1
        assert "to play and win: grade" in record.root.comment
        assert read(line["sgf"]).record.position().stones == record.position().stones
    assert len(names) == 4
    assert main(["puzzle", "--check", str(path)]) == 0
    assert capfd.readouterr().out.endswith("4 right, 0 wrong, 0 not solved in time\n")


def test_grades_are_within_the_limits(capfd: pytest.CaptureFixture[str]) -> None:
    words = ["puzzle", "--size", "5", "--count", "1", "--json", "--easiest", "3", "--hardest", "8"]
    assert main(words) == 0
    lines = capfd.readouterr().out.splitlines()
    assert all(3 <= json.loads(line)["grade"] <= 8 for line in lines)


def test_puzzles_in_a_given_game(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "games.sgf"
    path.write_text("(;GM[11]SZ[3];B[a1];W[b2];B[c1];W[b3])(;GM[11]SZ[2])")
    assert main(["puzzle", str(path)]) == 0
    out = capfd.readouterr().out
    assert "White to play and win: grade 1 of 10" in out
    assert f"({path}:1)\nsolution: b2\n" in out
    assert out.count("solution") == 1  # once White is in the middle, White wins anyway
    path.write_text("(;GM[11]SZ[2];B[a1])")
    assert main(["puzzle", str(path)]) == 1


# Records with the expected verdict.
PUZZLES = {
    "(;GM[11]SZ[3]AB[a1]PL[W];W[b2])": "right: white to move wins by b2",
    "(;GM[11]SZ[3]AB[a1]PL[W])": "right: white to move wins by b2",
    "(;GM[11]SZ[3]AB[a1]PL[W];W[c2])": "wrong: white to move wins by b2, and not by c2",
    "(;GM[11]SZ[3]AB[a1]AW[b1]PL[B];B[b2])": "wrong: black to move wins by ",
    "(;GM[11]SZ[3]AB[b2]PL[W];W[b1])": "wrong: no winning move: black wins, white to move",
    "(;GM[11]SZ[3]AB[b2]AW[a1]PL[B])": "wrong: already connected: black wins, whoever is to move",
    "(;GM[11]SZ[2]AB[a1][a2]PL[W])": "wrong: already connected: black has won",
    "(;GM[11]SZ[3];B[a1])": "right: white to move wins by b2",
    "(;GM[11]SZ[14])": "unknown: not solved in time",
}


def test_checking_puzzles(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "puzzles.sgf"
    path.write_text("".join(PUZZLES))
    assert main(["puzzle", "--check", "--time", "0.5", str(path)]) == 1
    *lines, total = capfd.readouterr().out.splitlines()
    for number, (line, verdict) in enumerate(zip(lines, PUZZLES.values(), strict=True), 1):
        assert line.startswith(f"{path}:{number}: {verdict}")
    assert total == "3 right, 5 wrong, 1 not solved in time"


TESTS = """
# a comment
dfpn-clear-tt
loadsgf games/one.sgf
10 dfpn-solve-state black
#? [white]

loadsgf games/one.sgf
20 dfs-solver-find-winning white
#? [b2]
21 dfpn-solver-find-winning white
#? [b2 c3]
22 dfpn-solve-state white
#? [black]
30 vc-build white
#? [anything]
loadsgf games/two.sgf 1
40 dfpn-solver-find-winning white
#? [b2]
41 dfpn-solver-find-winning white
#? []
loadsgf games/three.sgf
50 dfpn-solver-find-winning white
#? []
"""


def test_checking_regression_tests_of_solvers(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "one.sgf").write_text("(;GM[11]SZ[3]AB[a1]AW[b3])")
    (tmp_path / "games" / "two.sgf").write_text("(;GM[11]SZ[3];B[a1];W[c3])")
    (tmp_path / "games" / "three.sgf").write_text("(;GM[11]SZ[3]AB[b2])")
    path = tmp_path / "x.tst"
    path.write_text(TESTS)
    assert main(["puzzle", "--check", "--json", str(path)]) == 1
    lines = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert [line["puzzle"] for line in lines] == [f"{path}:{n}" for n in (5, 9, 11, 13, 18, 20, 23)]
    verdicts = ["wrong", "right", "wrong", "wrong", "right", "wrong", "right"]
    assert [line["verdict"] for line in lines] == verdicts


@pytest.mark.parametrize(
    "text",
    [
        "hex 4: a2 b2 c3 d1 a4 b3\n",
        "https://hexworld.org/board/#4,a2b2c3d1a4b3\n",
        '<hexboard size="4x4" contents="R 1:a2 B 2:b2 R 3:c3 B 4:d1 R 5:a4 B 6:b3"/>',
        '{"boardsize": 4, "moves": "a2 b2 c3 d1 a4 b3"}',
        "json",
    ],
)
def test_a_file_that_is_not_sgf_is_one_game(
    text: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "game.txt"
    path.write_text(
        write(read("hex 4: a2 b2 c3 d1 a4 b3").record, "json") if text == "json" else text
    )
    assert main(["puzzle", str(path)]) == 0
    assert f"({path}:1)\nsolution: b3\n" in capfd.readouterr().out
    assert main(["puzzle", "--check", str(path)]) == 1
    assert capfd.readouterr().out.endswith("\n0 right, 1 wrong, 0 not solved in time\n")


def test_games_that_cannot_be_read_are_skipped(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path, output = tmp_path / "games.txt", tmp_path / "puzzles.sgf"
    path.write_text("hex 4: z9\nhex 4: a2 b2 c3 d1 a4 b3\nhex 99: a1\n")
    assert main(["puzzle", str(path), "-o", str(output)]) == 1
    out, err = capfd.readouterr()
    assert out.count("solution: b3") == 1
    assert "(;" in output.read_text()
    too_large = "this list has an impossible size: width must be 1 to 63, not 99"
    assert err.splitlines() == [
        f"trivalent puzzle: {path}:1:8: 'z9' is not a move on 4x4 Hex; the moves end before it",
        f"trivalent puzzle: {path}, game 3: {too_large}",
    ]


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("x.sgf", None, "x.sgf: No such file"),
        ("x.sgf", "what is this?", "x.sgf: this text is in no known format"),
        ("x.tst", "loadsgf no.sgf\n1 dfpn-solve-state b\n#? [b]", "no.sgf: No such file"),
        (
            "x.tst",
            "loadsgf y.sgf\n1 dfpn-solve-state b\n#? [x]",
            "x.tst:2: expected a colour, not 'x'",
        ),
        ("x.tst", "loadsgf y.sgf\n1 dfpn-solver-find-winning b\n#? [z9]", "x.tst:2: no cell 'z9'"),
    ],
)
def test_unreadable_files_are_one_line(
    name: str, content: str | None, reason: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "y.sgf").write_text("(;GM[11]SZ[3])")
    if content is not None:
        (tmp_path / name).write_text(content)
    assert main(["puzzle", "--check", str(tmp_path / name)]) == 1
    err = capfd.readouterr().err
    assert err.startswith(f"trivalent puzzle: {tmp_path}/{reason}")
    assert err.count("\n") == 1


def test_puzzles_from_a_review(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Of the proven turning points, those with a single winning move become puzzles."""
    review = tmp_path / "review.json"
    review.write_text(as_json([game_data(reviewed_game(FAULTS))], EFFORT))
    assert main(["puzzle", "--review", str(review), "--json"]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    found = {json.loads(line)["source"]: json.loads(line) for line in out.splitlines()}
    record = read(FAULTS).record
    for number in FAULTY_MOVES:
        before = record.position(record.root.end().line()[number - 1])
        solutions = wins(before)
        puzzle = found.pop(f"a game, move {number}", None)
        assert (puzzle is not None) is (len(solutions) == 1)
        if puzzle:
            assert puzzle["solution"] == before.board.names[solutions[0]]
    assert not found


def test_a_review_without_turning_points(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    review = tmp_path / "review.json"
    review.write_text(as_json([game_data(reviewed_game("hex 3: b2 a1 b1 a2 b3"))], EFFORT))
    assert main(["puzzle", "--review", str(review)]) == 1
    said = "trivalent puzzle: there is no proven turning point to make a puzzle of\n"
    assert capfd.readouterr() == ("", said)


def test_games_without_puzzles(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    game = tmp_path / "game.txt"
    game.write_text("hex 3: b2 a1 b1 a2 b3")
    assert main(["puzzle", str(game), "--easiest", "99"]) == 1
    said = "trivalent puzzle: no position has exactly one winning move and a grade asked for\n"
    assert capfd.readouterr() == ("", said)


@pytest.mark.parametrize("text", ["", "(;GM[11]SZ[5];B[a1])", "\xff"])
def test_reviews_that_are_none(
    text: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text(text, "latin-1")
    assert main(["puzzle", "--review", str(tmp_path / "file")]) == 1
    out, err = capfd.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert str(tmp_path / "file") in err
    with pytest.raises(SystemExit):
        main(["puzzle", "--review"])
