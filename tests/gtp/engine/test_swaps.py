"""Swaps of pieces and of sides in a session, and taking them back."""

from __future__ import annotations

import pytest
from gtp_session import FakePlayer, Gtp


def test_swaps_need_allow_swap() -> None:
    gtp = Gtp()
    gtp.ok("play b a2")
    assert gtp.refused("play w swap-pieces").startswith("illegal move")
    assert gtp.refused("play w swap-sides").startswith("illegal move")
    assert gtp.ok("param_game") == "\n[bool] allow_swap 0"
    gtp.ok("param_game allow_swap 1")
    assert gtp.ok("param_game") == "\n[bool] allow_swap 1"
    gtp.ok("play w swap-pieces")
    assert gtp.stones() == {"b1": "w"}


def test_swap_pieces_mirrors_the_stone_and_changes_its_colour() -> None:
    gtp = Gtp(FakePlayer())
    gtp.ok("param_game allow_swap 1", "play b b3", "play w SWAP-pieces")
    assert gtp.stones() == {"c2": "w"}
    assert "black to move" in gtp.ok("showboard")
    assert gtp.in_step()
    for line in ("play b swap-pieces", "play w swap-pieces", "play b swap-sides"):
        gtp.refused(line)
    gtp.ok("play b a1", "undo", "undo")  # as HexGui 0.9 expects, undo takes back the swap alone
    assert gtp.stones() == {"b3": "b"}
    assert gtp.in_step()
    gtp.ok("play w swap-sides", "undo")
    assert gtp.stones() == {}
    gtp.refused("undo")


def test_swap_sides_leaves_the_stone() -> None:
    gtp = Gtp(FakePlayer())
    gtp.ok("param_game allow_swap 1", "play b b3", "play w swap-sides")
    assert gtp.stones() == {"b3": "b"}
    gtp.refused("play w swap-sides")
    gtp.ok("play w c3", "undo")
    assert gtp.stones() == {"b3": "b"}
    gtp.ok("undo")  # together with the stone: controllers do not undo a swap of sides
    assert gtp.stones() == {}
    assert gtp.in_step()
    gtp.refused("undo")


def test_swaps_are_refused_except_as_second_move() -> None:
    gtp = Gtp()
    gtp.ok("param_game allow_swap 1")
    for kind in ("swap-pieces", "swap-sides"):
        gtp.refused(f"play b {kind}")
        gtp.refused(f"play w {kind}")
    gtp.ok("play b b3")
    gtp.refused("play b swap-pieces")
    gtp.refused("play b swap-sides")
    gtp.ok("play w c3")
    gtp.refused("play b swap-pieces")
    gtp.refused("play w swap-sides")
    gtp.ok("boardsize 4 5", "play b b3")
    gtp.refused("play w swap-pieces")
    gtp.ok("play w swap-sides")


def test_black_may_swap_and_y_stones_stay_in_place() -> None:
    gtp = Gtp(game="y")
    gtp.ok("param_game allow_swap 1", "play w c4", "play b swap-pieces")
    assert gtp.stones() == {"c4": "b"}
    assert "white to move" in gtp.ok("showboard")
    gtp.ok("undo")
    assert gtp.stones() == {"c4": "w"}


def test_swap_on_a_board_of_one_cell() -> None:
    gtp = Gtp(size=1)
    gtp.ok("param_game allow_swap 1", "play b a1")
    gtp.ok("play w swap-pieces")
    assert gtp.stones() == {"a1": "w"}
    assert gtp.ok("final_score") == "W+"
    gtp.ok("undo")
    assert gtp.ok("final_score") == "B+"


def test_undo_of_swaps_and_passes() -> None:
    gtp = Gtp(FakePlayer())
    gtp.ok("param_game allow_swap 1", "play b b3", "play w swap-pieces", "play b pass",
           "play w pass", "undo", "undo", "undo")  # fmt: skip
    assert gtp.stones() == {"b3": "b"}
    gtp.ok("play w pass")
    assert gtp.refused("play w swap-sides")  # the pass was the second move
    gtp.ok("undo", "play w swap-sides", "play b pass", "undo", "undo")
    assert gtp.stones() == {}
    assert gtp.in_step()


def test_in_the_hexgui_profile_undo_also_covers_resignations() -> None:
    # HexGui 0.9 sends one undo for each node of its game tree, also for swaps and resignations.
    gtp = Gtp(FakePlayer(), compat="hexgui")
    gtp.ok("play black b3", "play white swap-pieces", "undo")
    assert gtp.stones() == {"b3": "b"}
    gtp.ok("play white swap-pieces", "play white resign", "undo", "undo")
    assert gtp.stones() == {"b3": "b"}
    assert gtp.in_step()
    gtp.ok("play white resign", "play white swap-pieces", "play white d4", "undo", "undo", "undo")
    assert gtp.stones() == {"b3": "b"}
    gtp.ok("undo", "play white c3", "undo")  # the resignation has been taken back
    assert gtp.stones() == {}
    gtp.refused("undo")
    assert gtp.in_step()


@pytest.mark.parametrize(
    ("game", "size", "word"), [("hex", "1", "swap-pieces"), ("hex", "3 1", "swap-sides"),
                               ("y", "1", "swap-pieces")],
)  # fmt: skip
def test_the_engine_swaps_a_first_move_that_wins(game: str, size: str, word: str) -> None:
    gtp = Gtp(game=game)
    gtp.ok(f"boardsize {size}", "play b a1")
    assert gtp.ok("winner") == "black"
    assert gtp.ok("genmove w") == "resign"
    gtp.ok("param_game allow_swap 1")
    assert gtp.ok("genmove b") == "resign"  # nobody swaps their own stone
    assert gtp.ok("reg_genmove w") == gtp.ok("genmove w") == word
    assert gtp.ok("winner") == ("white" if word == "swap-pieces" else "black")
    assert gtp.ok("genmove b") == gtp.ok("genmove w") == "resign"
