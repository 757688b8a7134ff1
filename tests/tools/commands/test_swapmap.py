"""``trivalent swapmap`` on solved boards, and its estimates on larger ones."""

from __future__ import annotations

import pytest

from trivalent.bot.players import solved_openings
from trivalent.core.games import make_board
from trivalent.tools.cli import main


@pytest.mark.parametrize(("game", "size"), solved_openings.WINNING)
def test_solved_boards(game: str, size: int, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["swapmap", str(size), "--game", game]) == 0
    head, meaning, *drawing = capfd.readouterr().out.splitlines()
    board = make_board(game, size)
    assert head.startswith(f"{board}, Trivalent ")
    assert head.endswith("20000 positions per opening, seed 0")
    assert "swap above 50" in meaning
    rows = [line.split()[1:] for line in drawing if line.split()[0].isdigit()]
    texts = [text for row in rows for text in row if not text.isdigit()]
    assert len(texts) == len(board)
    won = {name for name, text in zip(board.names, texts, strict=True) if text == "W"}
    assert won == set(solved_openings.WINNING[game, size].split())


def test_estimates_are_symmetric_and_reproducible(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["swapmap", "9", "--nodes", "20", "--seed", "5"]) == 0
    first = capfd.readouterr().out
    rows = [line.split()[1:10] for line in first.splitlines()[3:12]]
    assert [row[::-1] for row in rows[::-1]] == rows  # rotated by 180 degrees
    assert all(text in "WL" or 0 <= int(text) <= 100 for row in rows for text in row)
    assert main(["swapmap", "9", "--nodes", "20", "--seed", "5"]) == 0
    assert capfd.readouterr().out == first


@pytest.mark.parametrize(
    ("words", "message"),
    [(["0"], "must be 1 to 63, not 0"), (["x"], "invalid int value"), ([], "required: SIZE"),
     (["5", "--nodes", "0"], "integer from 1"), (["5", "--seed", "x"], "seed must be")],
)  # fmt: skip
def test_invalid_arguments(
    words: list[str], message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["swapmap", *words])
    assert caught.value.code == 2
    assert message in capfd.readouterr().err
