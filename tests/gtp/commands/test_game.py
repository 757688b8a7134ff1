"""Commands that set up, play and show a game."""

from __future__ import annotations

import pytest
from gtp_session import Gtp


def test_play_game_replays_moves_and_swaps() -> None:
    gtp = Gtp()
    gtp.ok("play w e5", "play-game a1 b2 pass c3")
    assert gtp.stones() == {"a1": "b", "b2": "w", "c3": "w"}
    for line in ("play-game a1 b2 a1", "play-game a1 z9", "play-game a1 swap-pieces",
                 "play-game a1 resign"):  # fmt: skip
        assert "move " in gtp.refused(line)
    gtp.ok("param_game allow_swap 1", "play-game b1 swap-pieces c3 d3")
    assert gtp.stones() == {"a2": "w", "c3": "b", "d3": "w"}
    gtp.ok("play-game b1 swap-sides c3 d3")
    assert gtp.stones() == {"b1": "b", "c3": "w", "d3": "b"}
    gtp.refused("play-game swap-pieces")
    gtp.refused("play-game a1 b1 swap-pieces")
    gtp.ok("play-game")
    assert gtp.stones() == {}


def test_rectangular_boardsize_is_boardsize() -> None:
    gtp = Gtp()
    gtp.ok("rectangular_boardsize 4 6", "play b d6")
    assert str(gtp.session.position.board) == "4x6 Hex"
    assert gtp.refused("rectangular_boardsize 4 99").startswith("unacceptable size")


def test_set_position_places_stones() -> None:
    gtp = Gtp()
    gtp.ok("play b e5", "set_position black a1 w b2 BLACK c3")
    assert gtp.stones() == {"a1": "b", "b2": "w", "c3": "b"}
    assert "white to move" in gtp.ok("showboard")
    gtp.ok("set_position w a1")
    assert "black to move" in gtp.ok("showboard")
    for line in ("set_position b", "set_position b a1 w a1", "set_position x a1",
                 "set_position b z9", "set_position b a1 w"):  # fmt: skip
        gtp.refused(line)
    gtp.ok("genmove b", "undo", "undo")
    assert gtp.stones() == {}
    gtp.ok("param_game allow_swap 1", "set_position b a1")
    gtp.refused("play w swap-pieces")  # a stone that was set up is not a move


def test_winner_and_all_legal_moves() -> None:
    gtp = Gtp(size=2)
    assert gtp.ok("winner") == "none"
    assert gtp.ok("all_legal_moves") == gtp.ok("all_legal_moves w") == "a1 b1 a2 b2"
    gtp.refused("all_legal_moves x")
    gtp.ok("play b a1")
    assert gtp.ok("all_legal_moves") == "b1 a2 b2"
    gtp.ok("play b a2")
    assert gtp.ok("winner") == "black"
    assert gtp.ok("all_legal_moves") == ""


def test_group_get_lists_a_chain() -> None:
    gtp = Gtp()
    gtp.ok("set_position b c3 b c4 b d2 w b3 b a1 b e5")
    assert gtp.ok("group-get c4").split()[0] == "c4"
    assert set(gtp.ok("group-get c4").split()) == {"c3", "c4", "d2"}
    assert gtp.ok("group-get B3") == "b3"
    gtp.refused("group-get c5")
    gtp.refused("group-get z9")


@pytest.mark.parametrize(
    ("game", "size", "lines", "link"),
    [
        ("hex", 5, [], "https://hexworld.org/board/#5,"),
        ("hex", 5, ["boardsize 4 6", "play b d6"], "https://hexworld.org/board/#4x6,d6"),
        ("hex", 5, ["play b b1", "param_game allow_swap 1", "play w swap-pieces", "play b c3"],
         "https://hexworld.org/board/#5,b1:sc3"),
        ("hex", 63, [], None),
        ("y", 5, ["play b a1"], None),
    ],
)  # fmt: skip
def test_links_to_hexworld(game: str, size: int, lines: list[str], link: str | None) -> None:
    gtp = Gtp(game=game, size=size)
    gtp.ok("showboard", *lines)
    if link is None:
        assert "HexWorld" in gtp.refused("trivalent-link")
        assert "http" not in gtp.ok("showboard")
    else:
        assert gtp.ok("trivalent-link") == link
        assert gtp.ok("showboard").endswith("\n" + link)


def test_undo_of_a_position_that_was_set_up() -> None:
    gtp = Gtp()
    gtp.ok("set_position b a1 b b1 w c1", "undo")
    assert "white to move" in gtp.ok("showboard")
