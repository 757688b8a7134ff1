"""A network in the search: what it changes, and what it never changes.

Run as a program with the name of a network, this file prints a search that asks it.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from networks import network_in
from places import ROOT
from searches import ONE, everything, placed, play_game, played, player_at, search, visits

from trivalent.bot import analyse
from trivalent.bot.evaluation._network import Network
from trivalent.bot.evaluation.network_file import PLANES
from trivalent.bot.evaluation.network_opinion import load_network, network_opinion
from trivalent.bot.player import Limits, Stop
from trivalent.bot.players.mcts import MctsPlayer
from trivalent.bot.players.mcts_parameters import MctsParameters
from trivalent.core.board import BLACK, WHITE
from trivalent.core.games import hex_board, make_board, y_board
from trivalent.core.position import Position

if TYPE_CHECKING:
    from pathlib import Path

    from instruction_sets import InstructionSet

    from trivalent.bot.player import NetworkOpinion

GAMES = ("hex", "y")
OPENINGS = {"hex": "d4 c6 b3", "y": "d5 e6 c3"}


def opening(game: str) -> Position:
    return played(make_board(game, 7), OPENINGS[game])


def opinion(net: str, position: Position) -> NetworkOpinion:
    file = load_network(net, "")
    assert file
    return network_opinion(Network(file, position.board), position)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("net_visits", [1, 16])
def test_a_search_with_a_network_is_repeatable(tmp_path: Path, game: str, net_visits: int) -> None:
    net, position = network_in(tmp_path, game, planes=tuple(PLANES)), opening(game)

    def found(net: str = "none") -> tuple[object, ...]:
        return everything(analyse(position, nodes=600, net_visits=net_visits, net=net))

    assert found(net=net) == found(net=net)
    assert found(net=net) != found()
    assert found(net=net) != found(net=network_in(tmp_path, game, seed=2))


def results(net: str) -> str:
    lines = []
    for net_visits in (1, 16):
        analysis = analyse(opening("hex"), nodes=600, net=net, net_visits=net_visits)
        lines += [repr(everything(analysis))]
    lines += [repr(everything(analyse(opening("hex"), nodes=600, playout_policy=0.5)))]
    return "\n".join(lines)


def test_every_instruction_set_gives_the_same_search(
    tmp_path: Path, isa: InstructionSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "tests" / "support"))
    net = network_in(tmp_path, "hex", planes=tuple(PLANES))
    assert isa.run(__file__, net) == results(net)


@pytest.mark.parametrize("game", GAMES)
def test_the_policy_is_the_prior_of_the_moves(tmp_path: Path, game: str) -> None:
    net, position = network_in(tmp_path, game), opening(game)
    policy = opinion(net, position).policy
    moves = analyse(position, nodes=1, net=net).moves
    total = sum(policy[move.cell] for move in moves)
    for move in moves:
        assert move.prior == pytest.approx(policy[move.cell] / total, rel=1e-4)
    priors = {move.cell: move.prior for move in analyse(position, nodes=1).moves}
    assert any(move.prior != priors[move.cell] for move in moves)


@pytest.mark.parametrize("game", GAMES)
def test_the_value_is_that_of_the_position_after_the_move(tmp_path: Path, game: str) -> None:
    net, position = network_in(tmp_path, game), opening(game)
    analysis = analyse(position, nodes=20, net=net, net_visits=1, net_value_weight=1.0, vc_visits=0)
    seen = [move for move in analysis.moves if move.visits == 1 and move.proven is None]
    assert seen
    for move in seen:
        after = position.copy()
        after.play(after.to_play, move.cell)
        assert move.value == pytest.approx(1 - opinion(net, after).value, abs=1e-4)


def test_below_a_judged_node_its_value_counts(tmp_path: Path) -> None:
    """Only the root is judged: all moves get its value."""
    net, position = network_in(tmp_path, "hex"), opening("hex")
    analysis = analyse(
        position, nodes=200, net=net, net_visits=1000, net_value_weight=1.0, vc_visits=0
    )
    value = opinion(net, position).value
    seen = [move for move in analysis.moves if move.visits and move.proven is None]
    assert seen
    for move in seen:
        assert move.value == pytest.approx(value, abs=1e-4)


@pytest.mark.parametrize("net_visits", ["1", "4"])
def test_proofs_are_never_overridden(tmp_path: Path, net_visits: str) -> None:
    """Whatever a random network says, what is proven is the truth: the first move on 4x4 wins."""
    for seed in range(3):
        net = network_in(tmp_path, "hex", seed)
        values = {"net": net, "net_visits": net_visits, "net_value_weight": "1"}
        position = Position(hex_board(4))
        player = player_at(position, **values)
        analysis = search(player, position, 20_000)
        assert analysis.moves[0].proven
        assert analysis.value == 1
        winner = play_game(
            position.board,
            {
                BLACK: (player_at(position, **values), Limits(nodes=3000)),
                WHITE: (MctsPlayer(MctsParameters().updated(ONE)), Limits(nodes=3000)),
            },
        )
        assert winner is BLACK


def test_a_win_in_one_is_played_whatever_the_network_says(tmp_path: Path) -> None:
    position = placed(hex_board(5), BLACK, "c1 c2 c3 c4", "a1 a2 a3 a4")
    analysis = analyse(position, nodes=50, net=network_in(tmp_path, "hex"), net_value_weight=1.0)
    assert analysis.moves[0].proven


@pytest.mark.parametrize("memory", ["1", "64"])
def test_threads_share_a_tree_and_a_network(tmp_path: Path, memory: str) -> None:
    position = opening("hex")
    player = player_at(
        position, net=network_in(tmp_path, "hex"), threads="4", memory=memory, net_visits="2"
    )
    for _ in range(3):
        if position.winner:
            break
        analysis = search(player, position, 3000)
        assert analysis.nodes == 3000 or analysis.moves[0].proven is not None
        assert visits(analysis) <= 3 * 3000
        cell = analysis.moves[0].cell
        player.play(position.to_play, cell)
        position.play(position.to_play, cell)


def test_a_kept_tree_is_not_judged_anew(tmp_path: Path) -> None:
    """The search goes on as if it had known the position when it came to it."""
    position = opening("hex")
    player = player_at(position, net=network_in(tmp_path, "hex"), net_visits="1")
    first = search(player, position, 2000)
    reply = first.variation[1]
    for cell in (first.variation[0], reply):
        player.play(position.to_play, cell)
        position.play(position.to_play, cell)
    policy = opinion(player.parameters.net, position).policy
    moves = search(player, position, 1).moves
    total = sum(policy[move.cell] for move in moves)
    assert all(move.prior == pytest.approx(policy[move.cell] / total, rel=0.5) for move in moves)


@pytest.mark.parametrize("board", [hex_board(33, 3), y_board(5)], ids=str)
def test_where_the_network_cannot_play_the_search_does_without(
    tmp_path: Path, board: object
) -> None:
    position = Position(board)  # type: ignore[arg-type]
    net = network_in(tmp_path, "hex")
    plain = search(player_at(position, net="none"), position, 100)
    player = MctsPlayer(MctsParameters().updated(ONE | {"net": net}))
    player.set_position(position)
    assert everything(search(player, position, 100)) == everything(plain)
    assert player.network() is None
    assert player.network_opinion(position.to_play) is None


def test_a_new_network_needs_a_new_tree(tmp_path: Path) -> None:
    position = opening("hex")
    player = player_at(position)
    search(player, position, 500)
    player.configure({"net": network_in(tmp_path, "hex")})
    fresh = player_at(position, net=network_in(tmp_path, "hex"))
    assert everything(search(player, position, 500)) == everything(search(fresh, position, 500))


def test_a_search_can_be_stopped_at_once(tmp_path: Path) -> None:
    position = opening("hex")
    player, stop = player_at(position, net=network_in(tmp_path, "hex")), Stop()
    stop.set()
    assert isinstance(player.genmove(position.to_play, Limits(), stop), int)


if __name__ == "__main__":
    sys.stdout.write(results(sys.argv[1]))
