"""Hand-written samples of every dialect, read and compared with what they stand for."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from trivalent.core.board import BLACK, WHITE, Colour
from trivalent.core.records.formats import read
from trivalent.core.records.notation import NOTATIONS

_FILE = Path(__file__).parent / "data" / "dialect_samples.tsv"

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
