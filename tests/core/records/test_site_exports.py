"""Games of Abstract Play and logs of Board Game Arena: what they mean, and what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from trivalent.core.board import BLACK, WHITE
from trivalent.core.records.formats import FORMATS, read, write
from trivalent.core.records.record import RecordError

Json = dict[str, Any]


def state(*cells: str, game: str = "hex", last: tuple[Json, ...] = (), **change: object) -> Json:
    """Return the state of a game at Abstract Play: a stack of positions with what led to them."""
    stack: list[Json] = [{"_results": []}] + [
        {"_results": [{"type": "place", "where": c}]} for c in cells
    ]
    stack += [{"_results": list(last)}] if last else []
    whole = {"game": game, "numplayers": 2, "variants": ["size-11"], "gameover": bool(last)}
    return {**whole, "winner": [], "stack": stack, **change}


def record(*rounds: list[Any], **change: object) -> Json:
    """Return the record of a finished game at Abstract Play."""
    header = {
        "game": {"name": "Hex", "variants": ["Size-14 board"]},
        "site": {"name": "Abstract Play", "gameid": "x"},
        "event": "Spring cup",
        "round": "2",
        "date-end": "2024-05-06T07:08:09.000Z",
        "players": [{"name": "Ann", "result": 0}, {"name": "Bob", "result": 1}],
    }
    return {"header": {**header, **change}, "moves": list(rounds)}


def moves(whole: object) -> str:
    return write(read(json.dumps(whole)).record, "moves").strip()


@pytest.mark.parametrize(
    ("whole", "expected", "result"),
    [
        (state("a2", "k10", "f6"), "hex 11: a2 k10 f6", ""),
        (state("a2", variants=[]), "hex 13: a2", ""),
        (state("a2", variants=["#board"]), "hex 13: a2", ""),
        (state("a1", "c2", "b2", game="y", variants=["size-3"]), "y 3: a1 b3 b2", ""),
        (
            state("a2", "b2", last=({"type": "resigned", "player": 1},), winner=[2]),
            "hex 11: a2 b2", "W+Resign",
        ),
        (
            state("a2", last=({"type": "timeout", "player": 2}, {"type": "eog"}), winner=[1]),
            "hex 11: a2", "B+Time",
        ),
        (state("a1", variants=["size-1"], winner=[1]), "hex 1: a1", "B+"),
        (record(["a2", "n13"], ["h7", None]), "hex 14: a2 n13 h7", "W+"),
        (record(["a2", "n13"], ["resign"]), "hex 14: a2 n13", "W+Resign"),
        (record([{"move": "A2", "result": []}, "timeout"]), "hex 14: a2", "W+Time"),
        (
            record(["a1", "c2"], game={"name": "Y", "variants": ["Size-9 board"]}),
            "y 9: a1 b3", "W+",
        ),
    ],
)  # fmt: skip
def test_abstract_play(whole: Json, expected: str, result: str) -> None:
    reading = read(json.dumps(whole))
    assert (reading.format, reading.warnings) == ("abstractplay", [])
    assert moves(whole) == expected
    assert reading.record.result == result


def test_facts_in_records_of_abstract_play() -> None:
    found = read(json.dumps(record(["a2", "n13"]))).record
    assert found.players == {BLACK: "Ann", WHITE: "Bob"}
    assert found.info == {"event": "Spring cup", "round": "2", "date": "2024-05-06"}


@pytest.mark.parametrize("key", ["pie-invoked", "pied"])
def test_the_pie_rule_of_abstract_play_exchanges_the_players(key: str) -> None:
    """The players are listed by the seats that they have at the end."""
    whole = record(["c2", "n13"], ["h7"], **{key: True})
    found = read(json.dumps(whole)).record
    assert moves(whole) == "hex 14: c2 swap-sides n13 h7"
    assert found.players == {BLACK: "Bob", WHITE: "Ann"}
    assert found.winner is WHITE


def test_an_answer_of_abstract_plays_server() -> None:
    game = {
        "players": [{"name": "Ann"}, {"name": "Bob"}],
        "pieInvoked": True,
        "state": json.dumps(state("c2", "k10")),
    }
    found = read(json.dumps({"game": game, "comments": []})).record
    assert write(found, "moves") == "hex 11: c2 swap-sides k10\n"
    assert found.players == {BLACK: "Bob", WHITE: "Ann"}


def log(*events: tuple[str, Json], size: str = "11x11") -> Json:
    """Return a log of Board Game Arena, a packet for each event; player 7 is red."""
    head = ("message", {"size": size, "red": 7})
    packets = [{"data": [{"type": kind, "args": args}]} for kind, args in (head, *events)]
    return {"status": 1, "data": {"logs": [{"data": [{"type": "x", "args": []}]}, *packets]}}


def stone(player: int, cell: str) -> tuple[str, Json]:
    return "playToken", {"player_id": str(player), "coord": cell, "player_name": f"P{player}"}


NO_LOG = "this is no log of a game of Hex: it has no size, or no moves"
ARENA = log(stone(7, "a2"), ("swapPieces", {"player_id": 8}), stone(7, "f6"), stone(8, "e5"),
            ("pass", {"player_id": 7}), stone(8, "d4"), ("resign", {"player_id": 7}))  # fmt: skip


@pytest.mark.parametrize(
    "whole",
    [
        ARENA,
        ARENA["data"]["logs"],
        {"status": 1, "data": {"valid": 1, "data": ARENA["data"]["logs"]}},
    ],
)
def test_board_game_arena(whole: object) -> None:
    reading = read(json.dumps(whole))
    assert (reading.format, reading.warnings) == ("boardgamearena", [])
    assert moves(whole) == "hex 11: a2 swap-pieces f6 e5 pass d4 resign"
    assert reading.record.players == {BLACK: "P7", WHITE: "P8"}
    assert reading.record.result == "W+Resign"


def test_whoever_begins_is_red_unless_the_log_says_so() -> None:
    whole = log(stone(9, "a1"), stone(5, "b2"), size="3x3")
    assert moves(whole) == "hex 3: pass a1 pass b2"  # neither is 7
    del whole["data"]["logs"][1]["data"][0]["args"]["red"]
    assert moves(whole) == "hex 3: a1 b2"


@pytest.mark.parametrize(
    ("whole", "reason"),
    [
        (state("a2", game="chess"), "'chess' is neither Hex nor Y"),
        (state("a2", game="y", variants=["bent"]), "y with 'bent' is another game"),
        (
            record(["a1"], game={"name": "Y", "variants": ["Master Y (12* move sequence)"]}),
            "y with 'Master Y (12* move sequence)' is another game",
        ),
        (state(variants=["size-0"]), "width must be 1 to 63, not 0"),
        (state(stack={}), "stack must be a list"),
        ({"header": {}, "moves": []}, "header.game must be an object"),
        (log(stone(7, "a2"), size="x"), NO_LOG),
        (log(("move", {"player_id": 7})), NO_LOG),
        (log(stone(7, "a2"), size="99x99"), "width must be 1 to 63, not 99"),
        ({"moves": []}, "this JSON is in no known format (its keys: 'moves')"),
        ([{}], "this JSON is in no known format (its keys: '')"),
    ],
)  # fmt: skip
def test_what_is_refused(whole: object, reason: str) -> None:
    with pytest.raises(RecordError) as caught:
        read(json.dumps(whole))
    assert str(caught.value) == reason


@pytest.mark.parametrize(
    ("whole", "expected"),
    [
        (state("a2", "z99", "c3"), "hex 11: a2"),
        (state("a2", "a2"), "hex 11: a2"),
        (record(["a2", "pass"]), "hex 14: a2"),
        (log(stone(7, "a2"), stone(8, "l12")), "hex 11: a2"),
        (log(stone(7, "a2"), stone(8, "a2")), "hex 11: a2"),
    ],
)
def test_what_is_lost_is_said(whole: object, expected: str) -> None:
    assert moves(whole) == expected
    assert read(json.dumps(whole)).loss is not None


@pytest.mark.parametrize("name", [name for name, one in FORMATS.items() if one.write is None])
def test_what_is_only_read(name: str) -> None:
    with pytest.raises(RecordError, match=f"^{name} can only be read$"):
        write(read("hex 3: a1").record, name)
