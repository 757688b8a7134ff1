"""What `trivalent explain` says of positions where everybody can see it."""

from __future__ import annotations

import pytest

from trivalent.tools.cli import main


def said(capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    assert main(["explain", *words]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.isascii()
    return out.splitlines()


def test_a_position(capsys: pytest.CaptureFixture[str]) -> None:
    lines = said(capsys, "#5,c2c4")
    assert lines[1] == "1 . . . . .  1"
    assert "c1 and d1 are captured by black, who takes what is left" in lines
    assert "e1 is vulnerable: the reply e2 of white's makes it dead" in lines
    assert (
        "d2 is reversible: the reply d3 of white's captures e1, e2 and e3, which makes it dead"
        in lines
    )
    assert "a5 is dominated: black at b4 would have it as well" in lines
    assert "black connects all sides by b4" in lines
    assert lines[-1] == (
        "white threatens to connect all sides; apart from what is filled in, only e2, b4 or d4 can "
        "prevent it"
    )
    lines = said(capsys, "#5,c3a1c2a2c4")
    assert lines[-1] == "black has connected all sides, whoever moves"


@pytest.mark.parametrize(
    ("game", "cell", "text"),
    [
        ("#5,c2", "a1", "a1 and b1 are captured by black, who takes what is left"),
        ("#5,c2", "c2", "c2 has a stone of black's"),
        ("#5,c3", "c2", "nothing is known against c2 for white"),
        (
            "#5,b1e4",
            "a1",
            (
                "a1 is dead: a stone there joins nothing new, as b1 is black and north is black's "
                "and west is white's"
            ),
        ),
        (
            "#9,a9c3a8d3a7d4a6c5",
            "c4",
            "c4 is dead: a stone there joins nothing new, as c3, d3, d4 and c5 are white",
        ),
    ],
)
def test_a_cell(capsys: pytest.CaptureFixture[str], game: str, cell: str, text: str) -> None:
    assert said(capsys, game, cell) == [text]


def test_larger_carriers(capsys: pytest.CaptureFixture[str]) -> None:
    """Every move in one has an answer in it."""
    lines = said(capsys, "#5,c4")
    larger = [line for line in lines if "who replies" in line]
    for line in larger:
        cells = line.split(" are captured")[0].replace(" and ", ", ").split(", ")
        for cell in cells:
            assert f"if white takes {cell}" in line


def test_permanently_inferior_cells(capsys: pytest.CaptureFixture[str]) -> None:
    sentence = (
        "c9 is permanently inferior for white, and may be black's, while c8, d8 and b9 are empty "
        "(until the next move)"
    )
    assert said(capsys, "#9,e8", "c9") == [sentence]
    everything = said(capsys, "#9,e8")
    assert [line for line in everything if line.startswith("c9 is")] == [sentence]


def test_connections(capsys: pytest.CaptureFixture[str]) -> None:
    black = ("--colour", "black")
    bridge = "c4 and d5 are connected, whatever white does, by a bridge: d4 or c5 is left"
    assert said(capsys, "#7,c4a1b6", "c4", "d5", *black)[0].startswith("c4 and d5 are connected")
    assert said(capsys, "#7,c4a1e3", "c4", "e3", *black) == [
        bridge.replace("d5", "e3").replace("d4", "d3").replace("c5", "d4")
    ]
    ziggurat, *ways = said(capsys, "#11,f9a1", "f9", "south", "--depth", "1", *black)
    assert ziggurat.startswith("f9 and south are connected, whatever white does, by the ziggurat")
    assert ways == [
        "  or south and f9 by f10, with f10, e11 and f11",
        "  or south and f9 by e10, with e10, d11 and e11",
        "  or south and f9 by d10, with e9, d10, e10, c11 and d11",
    ]
    assert said(capsys, "#11,f9a1", "f9", "South", *black)[0] == ziggurat
    fourth = said(capsys, "#11,f8a1", "f8", "south", *black)
    assert "by a template on row 4 from south: " in fourth[0]
    assert "    and f8 and d9 by a bridge: e8 or e9 is left" in fourth
    assert said(capsys, "#7,d4a1", "d4", "north", *black) == [
        "d4 and north are connected, if black moves, by e2, with e1, f1, e2, d3 and e3",
        "  and d4 and e2 by a bridge: d3 or e3 is left",
        "  and north and e2 by a bridge: e1 or f1 is left",
    ]
    assert said(capsys, "#11,d4a1d5", "d4", "d5", *black) == ["d4 and d4 belong to one chain"]
    assert said(capsys, "#11,a6a1", "a6", "k6", *black) == ["no connection of a6 and k6 is known"]


def test_tripods(capsys: pytest.CaptureFixture[str]) -> None:
    lines = said(capsys, "y.html#5,b2:sc2", "--colour", "black")
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
def test_errors(capsys: pytest.CaptureFixture[str], words: tuple[str, ...], error: str) -> None:
    assert main(["explain", *words]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert error in err
    assert err.count("\n") == 1


def test_too_many_points(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["explain", "#5,c2", "a1", "a2", "a3"])
    assert "one point or two, not 3" in capsys.readouterr().err
