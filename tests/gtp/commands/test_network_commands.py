"""Commands with a network: which one plays, what it says, and who may name one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from gtp_session import Gtp
from networks import network_in

from trivalent.bot.player import Limits
from trivalent.bot.players.registry import make_player
from trivalent.core import VERSION

if TYPE_CHECKING:
    from pathlib import Path


def session(compat: str = "none", size: int = 5) -> Gtp:
    player = make_player("mcts", {"threads": "1", "net": "none"})
    return Gtp(player, compat=compat, size=size, limits=Limits(nodes=50))


@pytest.fixture
def net(tmp_path: Path) -> str:
    return network_in(tmp_path, "hex")


def test_the_version_says_which_network_plays(net: str) -> None:
    gtp = session()
    assert gtp.ok("version") == VERSION
    gtp.ok(f"param_player net {net}")
    assert gtp.ok("version").startswith(f"{VERSION}, network random 1 for Hex, 16 channels")
    assert f"net={net} (a file, shipped or none)" in gtp.ok("param_player net")
    gtp.ok("param_player net none")
    assert gtp.ok("version") == VERSION
    gtp.ok("param_player net shipped")
    assert gtp.ok("version").startswith(f"{VERSION}, network hex ")


def test_the_opinion_of_the_network_is_shown(net: str) -> None:
    gtp = session()
    assert gtp.refused("trivalent-network") == "no network plays here (param_player net FILE)"
    gtp.ok(f"param_player net {net}", "play b c3")
    shown = gtp.ok("trivalent-network")
    assert shown.startswith("INFLUENCE ")
    assert len(shown.split("\n")[0].split()) == 1 + 2 * 24
    assert "TEXT white wins with" in shown
    assert "TEXT black wins with" in gtp.ok("trivalent-network b")


def test_raw_output_is_the_network_s(net: str) -> None:
    gtp = session("katahex", size=4)
    before = gtp.ok("kata-raw-nn 0")
    gtp.ok(f"param_player net {net}")
    rows = gtp.ok("kata-raw-nn 0").split("\n")
    assert rows != before.split("\n")
    policy = [float(share) for row in rows[4:8] for share in row.split()]
    assert len(policy) == 16
    assert sum(policy) == pytest.approx(1, abs=1e-4)
    opinion = gtp.player.network_opinion(gtp.session.position.to_play)
    assert opinion
    assert policy == pytest.approx(list(opinion.policy.values()), abs=1e-6)
    assert rows[1] == f"whiteWin {1 - opinion.value:.6f}"


def test_controllers_of_a_server_name_no_files(net: str) -> None:
    gtp = session()
    gtp.session.files = False
    refusal = gtp.refused(f"param_player net {net}")
    assert refusal == "net names a file, which only the operator of the server may"
    assert gtp.ok("param_player batch 64") == ""
    assert gtp.ok("param_player net shipped") == ""
