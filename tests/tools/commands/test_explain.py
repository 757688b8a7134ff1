"""``trivalent explain`` on positions where the answer is easy to see."""

from __future__ import annotations

import re

import pytest

from trivalent.tools.cli import main


def explanation(capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    assert main(["explain", *words]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.isascii()
    return out.splitlines()


def test_a_whole_position(capsys: pytest.CaptureFixture[str]) -> None:
    lines = explanation(capsys, "#5,c2c4")
    assert lines[1] == "1 . . . . .  1"
    assert "c1 and d1 are captured by black, who takes whichever is left" in lines
    assert "e1 is vulnerable: white's reply e2 makes it dead" in lines
    assert "d2 is reversible: white's reply d3 captures e1, e2 and e3, which makes it dead" in lines
    assert "a5 is dominated: black at b4 is at least as good" in lines
    assert "black connects its sides by playing b4" in lines
    assert lines[-1] == (
        "white threatens to connect its sides; apart from filled-in cells, only e2, b4 or d4 can "
        "prevent it"
    )
    lines = explanation(capsys, "#5,c3a1c2a2c4")
    assert lines[-1] == "black's sides are connected, whoever moves"


@pytest.mark.parametrize(
    ("game", "cell", "text"),
    [
        ("#5,c2", "a1", "a1 and b1 are captured by black, who takes whichever is left"),
        ("#5,c2", "c2", "c2 is occupied by black"),
        ("#5,c3", "c2", "nothing is known against white playing c2"),
        (
            "#5,b1e4",
            "a1",
            (
                "a1 is dead: a stone there connects nothing new, since b1 is black and north is "
                "black's and west is white's"
            ),
        ),
        (
            "#9,a9c3a8d3a7d4a6c5",
            "c4",
            "c4 is dead: a stone there connects nothing new, since c3, d3, d4 and c5 are white",
        ),
    ],
)
def test_a_single_cell(capsys: pytest.CaptureFixture[str], game: str, cell: str, text: str) -> None:
    assert explanation(capsys, game, cell) == [text]


def test_larger_captured_sets_have_an_answer_to_every_move(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Each answer is named once, with all moves that it answers."""
    lines = explanation(capsys, "#8,g6g8a8a3e7e8g1h5d1f6e6c6e4c2")
    assert [line for line in lines if "who replies" in line] == [
        (
            "b1, c1 and a2 are captured by black, who replies c1 if white takes b1 and b1 if white "
            "takes c1 or a2"
        )
    ]


def test_permanently_inferior_cells(capsys: pytest.CaptureFixture[str]) -> None:
    sentence = (
        "c9 is permanently inferior for white and counts as black as long as c8, d8 and b9 are "
        "empty (until the next move)"
    )
    assert explanation(capsys, "#9,e8", "c9") == [sentence]
    everything = explanation(capsys, "#9,e8")
    assert [line for line in everything if line.startswith("c9 is")] == [sentence]


def test_connections_between_two_points(capsys: pytest.CaptureFixture[str]) -> None:
    black = ("--colour", "black")
    bridge = "c4 and d5 are connected, whatever white does, by a bridge: d4 or c5 remains"
    assert explanation(capsys, "#7,c4a1b6", "c4", "d5", *black)[0].startswith(
        "c4 and d5 are connected"
    )
    assert explanation(capsys, "#7,c4a1e3", "c4", "e3", *black) == [
        bridge.replace("d5", "e3").replace("d4", "d3").replace("c5", "d4")
    ]
    ziggurat, *ways = explanation(capsys, "#11,f9a1", "f9", "south", "--depth", "1", *black)
    assert ziggurat.startswith("f9 and south are connected, whatever white does, by the ziggurat")
    assert ways == [
        "  or south and f9 by f10, with e11 and f11",
        "  or south and f9 by e10, with d11 and e11",
        "  or south and f9 by d10, with e9, e10, c11 and d11",
    ]
    assert explanation(capsys, "#11,f9a1", "f9", "South", *black)[0] == ziggurat
    fourth = explanation(capsys, "#11,f8a1", "f8", "south", *black)
    assert "by a template on row 4 from south: " in fourth[0]
    assert "    and f8 and d9 by a bridge: e8 or e9 remains" in fourth
    assert explanation(capsys, "#7,d4a1", "d4", "north", *black) == [
        "d4 and north are connected, if black moves, by e2, with e1, f1, d3 and e3",
        "  and d4 and e2 by a bridge: d3 or e3 remains",
        "  and north and e2 by a bridge: e1 or f1 remains",
    ]
    assert explanation(capsys, "#11,d4a1d5", "d4", "d5", *black) == ["d4 and d5 are on one chain"]
    assert explanation(capsys, "#11,a6a1", "a6", "k6", *black) == [
        "no connection between a6 and k6 is known"
    ]


def test_tripods(capsys: pytest.CaptureFixture[str]) -> None:
    lines = explanation(capsys, "y.html#5,b2:sc2", "--colour", "black")
    assert any(line.startswith(("black", "white")) for line in lines)


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("#5,c2", "z9"), "no cell 'z9' on 5x5 Hex"),
        (("#5,c2", "c2", "west", "--colour", "black"), "west is not a side of black"),
        (("#5,c2", "c2", "c3", "--colour", "white"), "c2 does not belong to white"),
        (("nothing",), "there is no file 'nothing'"),
        (("#17,c2", "c2", "c3"), "no connections on 17x17 Hex"),
    ],
)
def test_invalid_requests_are_one_line(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], error: str
) -> None:
    assert main(["explain", *words]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert error in err
    assert err.count("\n") == 1


def test_too_many_points(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["explain", "#5,c2", "a1", "a2", "a3"])
    assert "expected at most two points, not 3" in capsys.readouterr().err


def named(line: str) -> list[str]:
    """Return the cells that a line is about, as opposed to those that it gives as reasons."""
    subject = re.split(r" (?:is|are) ", line)[0]
    return re.findall(r"\b[a-z][0-9]+\b", subject)


@pytest.mark.parametrize(
    "game",
    [
        "hex 4: b3 b1 b4 c2 d4 d3",  # two captured sets share d2
        "hex 4: b1 c4 b2 d4 c3",  # c1 is dead, and captured with others
        "hex 7: a1 c1 d1 a3 g2 f4 e4 g4 g5 a5 d6 b5 e6 d5 f6 f5 d7 g6",
        "y 5: d5 a1 c4 a2 b3 e5",
    ],
)
def test_each_cell_is_named_once(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    lines = explanation(capsys, game)
    about = [line for line in lines if re.match(r"(?:[a-z][0-9]+(?:, | and )?)+ (?:is|are) ", line)]
    cells = [cell for line in about for cell in named(line)]
    assert cells
    assert sorted(cells) == sorted(set(cells))


def test_reasons_in_y_name_the_sides(capsys: pytest.CaptureFixture[str]) -> None:
    dead = "b4 is dead: a stone there connects nothing new"
    reason = "since b3, a4 and a3 are black and south is both players'"
    assert explanation(capsys, "y 4: a3 a1 b3 a2 a4", "b4") == [f"{dead}, {reason}"]


def test_a_point_is_on_its_own_chain(capsys: pytest.CaptureFixture[str]) -> None:
    assert explanation(capsys, "#5,c2", "C2", "c2", "--colour", "black") == ["c2 is on one chain"]


@pytest.mark.parametrize("points", [(), ("a1",), ("a1", "a5")], ids=len)
def test_games_without_knowledge(
    capsys: pytest.CaptureFixture[str], points: tuple[str, ...]
) -> None:
    assert main(["explain", "star 3: b1", *points]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err == "trivalent explain: explanations are for Hex and Y, not for *Star 3\n"
