"""All instruction sets that this machine has compute the same, bit for bit.

Run as a program, this file prints the instruction set in use and a digest of what it computes on
some of the boards.
"""

from __future__ import annotations

import os
import subprocess
import sys
from hashlib import sha256
from itertools import product

import numpy as np
import pytest
from instruction_sets import InstructionSet

from trivalent.bot.knowledge._fillin import filler
from trivalent.core._isa import available, chosen
from trivalent.core._random import Random
from trivalent.core.board import Board, Colour
from trivalent.core.connection._pyramid import Pyramid
from trivalent.core.connection._triangle import triangle
from trivalent.core.connection.win_test import METHODS, winners
from trivalent.core.games import make_board
from trivalent.core.playouts.playout import black_wins, statistics
from trivalent.core.position import Position

SIZES = (*range(1, 36), 39, 40, 41, 47, 48, 49, 55, 56, 57, 61, 62, 63)
OBLONG = [
    *product((1, 2, 7, 15, 16, 31), (16, 17, 33, 63)),
    *product((16, 17, 33, 63), (1, 2, 7, 15, 16, 31)),
]
PARTS = {
    "hex": [("hex", size, size) for size in SIZES],
    "y": [("y", size, size) for size in SIZES],
    "oblong": [("hex", *shape) for shape in OBLONG],
}


def digest(part: str) -> str:
    rng = np.random.default_rng(1)
    result = sha256()
    for game, width, height in PARTS[part]:
        board = make_board(game, width, height)
        shares = rng.uniform(0.3, 0.5, (60, 1))
        draws = rng.random((60, len(board)))
        stones = ((draws < shares) + 2 * (draws > 1 - shares)).astype(np.uint8).tobytes()
        for method in (name for name in METHODS if name.startswith("bpr")):
            result.update(winners(board, stones, method))
        for row in stones_of(board, stones)[:20]:
            for to_play in (1, 2):
                filled, inferior = filler(board).fill(row, to_play)
                dead = filler(board).reversible(filled, to_play)
                inferior += filler(board).dominated(filled, to_play, inferior)
                needs = [filler(board).reverse(filled, to_play, cell) for cell in dead]
                result.update(filled + bytes(str((inferior, dead, needs)), "ascii"))
                result.update(filler(board).fill(row, to_play, True)[0])
        toggles = rng.integers(len(board), size=60).tolist()
        half = rng.permutation(len(board))[: len(board) // 2].tolist()
        for colour in Colour:
            pyramid = Pyramid(triangle(board), colour)
            for cell in half:
                pyramid.toggle(cell)
            for cell in toggles:
                pyramid.toggle(cell)
                result.update(pyramid.levels())
        result.update(playouts(board, half).encode())
    return result.hexdigest()


def stones_of(board: Board, stones: bytes) -> list[bytes]:
    return [stones[i : i + len(board)] for i in range(0, len(stones), len(board))]


def playouts(board: Board, cells: list[int]) -> str:
    position = Position(board)
    for cell in cells[: len(cells) // 2]:
        position.play(position.to_play, cell)
    seed = len(board)
    counts = [
        statistics(position, 300, seed),
        statistics(position, 300, seed, fill="balanced", bridges=True),
        statistics(position, 300, seed, bridges=True, repair=0.3),
        statistics(position, 300, seed, fill="balanced", repair=1),
        statistics(position, 300, seed, fill="in-turn"),
        statistics(position, 300, seed, fill="in-turn", templates=True),
        statistics(
            position, 300, seed, fill="in-turn", weights=bytes(i % 17 for i in range(len(board)))
        ),
    ]
    return f"{black_wins(position, 100, Random(seed))} {counts}"


def run(program: list[str], isa_name: str | None) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "TRIVALENT_ISA"}
    if isa_name is not None:
        environment["TRIVALENT_ISA"] = isa_name
    return subprocess.run(
        [sys.executable, *program], env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.skipif(len(available()) == 1, reason="there is one instruction set")
@pytest.mark.parametrize("part", PARTS)
def test_every_instruction_set_computes_the_same(part: str) -> None:
    found = [InstructionSet(name).run(__file__, part).split() for name in available()]
    assert [name for name, _ in found] == [*available()]
    assert len({result for _, result in found}) == 1


SHOW = ["-c", "from trivalent.core import _isa; print(_isa.chosen())"]


@pytest.mark.parametrize("name", [None, ""])
def test_the_best_one_is_chosen(name: str | None) -> None:
    assert available()[0] == "baseline"
    assert len(set(available())) == len(available())
    process = run(SHOW, name)
    assert process.stdout.split() == [available()[-1]]


@pytest.mark.parametrize("name", ["x86-64-v9", "Baseline", "baseline ", "é\udcff", " "])
def test_unknown_instruction_set(name: str) -> None:
    process = run(SHOW, name)
    assert process.returncode == 1
    assert process.stdout == ""
    known = ", ".join(available())
    message = f"ImportError: TRIVALENT_ISA must be one of {known}, not {name!r}"
    assert process.stderr.splitlines()[-1] == message


if __name__ == "__main__":
    sys.stdout.write(f"{chosen()} {digest(sys.argv[1])}\n")
