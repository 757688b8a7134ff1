"""Hand-written samples of every dialect, compared with what they mean."""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest
from places import DATA

from trivalent.core.board import BLACK, WHITE, Colour
from trivalent.core.records.formats import read
from trivalent.core.records.notation import NOTATIONS

_FILE = DATA / "dialect_samples.tsv"

_COLOURS = {"B": BLACK, "W": WHITE}
_ONE_MOVE_EARLIER = ("d27",)  # which says who is to move after the swap, before the move behind it
_NOTATIONS = {"d28": "y-swapmap", "d29": "y-puzzle"}


class Sample(NamedTuple):
    name: str
    dialect: str
    text: str
    size: str
    black: str
    white: str
    to_play: str
    note: str


SAMPLES = [
    Sample(*line.split("\t"))
    for line in _FILE.read_text().splitlines()
    if re.match(r"d[0-9]", line)
]


@pytest.mark.parametrize(
    ("name", "decision"),
    [
        ("d02", "swap-pieces is read as swap-sides: SGF of HexGui up to 0.9"),
        ("d03", "swap is read as swap-sides: SGF of Hex-benzene"),
        ("d05", "the player with the label W begins and is our Black"),
        ("d05", "swap is read as swap-pieces: SGF of Little Golem"),
        ("d10", "the board has size 11: the file has no SZ"),
        ("d22", "the board has size 13, the largest that fits the grid of 40"),
        ("d25", "cells are read in the notation y-puzzle"),
        ("d21", "the board has size 10, as always in this format"),
    ],
)
def test_decision(name: str, decision: str) -> None:
    (text,) = [sample.text for sample in SAMPLES if sample.name == name]
    assert any(line.startswith(decision) for line in read(text).decisions)


def test_all_samples_are_here() -> None:
    assert [sample.name for sample in SAMPLES] == [f"d{n:02}" for n in range(1, 30)]


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_sample(sample: Sample) -> None:
    text = sample.text.encode().decode("unicode_escape") if sample.name == "d24" else sample.text
    reading = read(text.replace(" first move", ":"), notation=_NOTATIONS.get(sample.name))
    position = reading.record.position()
    board = position.board
    assert sample.size.strip("Y?") == (
        f"{board.width}x{board.height}"
        if board.game == "hex" and board.width != board.height
        else str(board.width)
    )
    usual = "y-puzzle" if board.game == "y" else "hex"
    notation = NOTATIONS[_NOTATIONS.get(sample.name, usual)]

    def words_of(colour: Colour) -> set[str]:
        return {notation.word(board, c) for c, s in enumerate(position.stones) if s == colour}

    if sample.black != "?":
        assert words_of(BLACK) == set(sample.black.split())
        assert words_of(WHITE) == set(sample.white.split())
    if sample.to_play in _COLOURS and sample.name not in _ONE_MOVE_EARLIER:
        assert position.to_play is _COLOURS[sample.to_play]
