"""Reviews as JSON: the schema in the README, and the way back to positions."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from places import ROOT
from reviews import EFFORT, FAULTS, FAULTY_MOVES, reviewed_game

from trivalent.core.records.formats import read
from trivalent.tools.review.review_data import (
    ReviewFileError,
    as_json,
    game_data,
    proven_turning_points,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

TEXT = as_json([game_data(reviewed_game(FAULTS))], EFFORT)


def keys(value: object, path: str = "") -> Iterator[str]:
    """Yield the paths of all keys; colours and cells as keys are data."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield f"{path}{key}"
            yield from keys(inner, f"{path}{key}.")
    elif isinstance(value, list):
        for inner in value:
            yield from keys(inner, path)


def test_every_key_is_documented_and_the_other_way_round() -> None:
    readme = (ROOT / "tools" / "review" / "README.md").read_text()
    section = readme[readme.index("## JSON") : readme.index("## Files")]
    documented = set(re.findall(r"^\| `([\w.]+)` \|", section, re.MULTILINE))
    used = {re.sub(r"\b(black|white)\b", "COLOUR", key) for key in keys(json.loads(TEXT))}
    assert used == documented


def test_values_make_sense() -> None:
    (game,) = json.loads(TEXT)["games"]
    assert len(game["positions"]) == len(game["moves"]) + 1
    assert game["losing_move"] == FAULTY_MOVES[-1]
    for position in game["positions"]:
        assert 0 <= position["black_chance"] <= 1
        if position["proven"]:
            assert position["black_chance"] == float(position["proven"] == "black")
    for move in game["moves"]:
        assert move["cost"] == pytest.approx(max(0, move["before"] - move["after"]), abs=1e-4)
        assert ("why" in move) is move["turning_point"]


def test_proven_turning_points() -> None:
    found = list(proven_turning_points(TEXT))
    assert [name for name, _ in found] == [f"a game, move {number}" for number in FAULTY_MOVES]
    game = read(FAULTS).record
    for (_, position), number in zip(found, FAULTY_MOVES, strict=True):
        assert len(position.history) == number - 1
        last = game.root.end().line()[number - 1]
        assert position.stones == game.position(last).stones


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", '"x"', '{"format": "trivalent review"}', TEXT.replace('"sgf"', '"gfs"')],
)
def test_other_files_are_no_reviews(text: str) -> None:
    with pytest.raises(ReviewFileError, match="this is no review"):
        list(proven_turning_points(text))
