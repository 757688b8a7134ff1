"""The parameter net: a file that is damaged, foreign, newer or of another game is refused."""

from __future__ import annotations

import struct
from hashlib import blake2b
from pathlib import Path

import pytest
from networks import network_in, small_network

from trivalent.bot import analyse
from trivalent.bot.players.mcts import MctsPlayer
from trivalent.bot.players.mcts_parameters import MctsParameters
from trivalent.bot.players.registry import make_player
from trivalent.core.board import BLACK
from trivalent.core.games import hex_board, y_board
from trivalent.core.position import Position


def refuse(net: Path | str, message: str) -> None:
    """Check that the file is refused in one sentence, and leaves the player as it was."""
    player = MctsPlayer()
    player.set_position(Position(hex_board(5)))
    with pytest.raises(ValueError, match=message) as refusal:
        player.configure({"net": str(net)})
    assert "\n" not in str(refusal.value)
    assert str(refusal.value).startswith("net: ")
    assert player.parameters == MctsParameters()


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    refuse(tmp_path / "missing", "cannot read .*missing.*: No such file")
    refuse(tmp_path, "cannot read .*: not a regular file")
    refuse("", "cannot read")
    refuse("/dev/zero", "not a regular file")


def test_foreign_and_damaged_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.net"
    good = small_network("hex").to_bytes()
    for content, message in (
        (b"", "not a network"),
        (b"PK" + good, "not a network"),
        (good[:-1], "damaged or not complete"),
        (good[:5000] + bytes([good[5000] ^ 1]) + good[5001:], "damaged or not complete"),
    ):
        path.write_bytes(content)
        refuse(path, message)


def test_newer_files_are_refused(tmp_path: Path) -> None:
    body = bytearray(small_network("hex").to_bytes()[:-16])
    body[8:12] = struct.pack("<I", 99)
    path = tmp_path / "x.net"
    path.write_bytes(body + blake2b(body, digest_size=16).digest())
    refuse(path, "format 99, and this Trivalent reads formats up to")


def test_a_network_of_another_game_is_refused(tmp_path: Path) -> None:
    refuse(network_in(tmp_path, "y"), "is for Y, and the game is Hex")
    with pytest.raises(ValueError, match="is for Hex, and the game is Y"):
        analyse(Position(y_board(4)), nodes=10, net=network_in(tmp_path, "hex"))


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    net = network_in(tmp_path, "hex")
    player = make_player("mcts", {"net": net})
    player.set_position(Position(hex_board(5)))
    before = player.network()
    small_network("hex", 2).write(Path(net))
    player.configure({"net": net})
    assert before
    assert before != player.network()


def test_players_without_a_network_have_no_opinion() -> None:
    for name, values in (("mcts", {"net": "none"}), ("uct", {}), ("random", {})):
        player = make_player(name, values)
        player.set_position(Position(hex_board(3)))
        assert player.network() is None
        assert player.network_opinion(BLACK) is None
