"""The mcts player: proofs, repeatability, analyses, limits and threads."""

from __future__ import annotations

import random
import sys
import threading
import time
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import pytest
from searches import (
    everything,
    placed,
    played,
    player_at,
    search,
    used,
    visits,
)

from trivalent.bot import analyse
from trivalent.bot.knowledge._fillin import filler
from trivalent.bot.player import RESIGN, Analysis, Limits, Stop, Watch
from trivalent.bot.players.mcts_parameters import PLAYOUTS
from trivalent.bot.players.registry import make_player
from trivalent.core._isa import chosen
from trivalent.core.board import BLACK, WHITE, Board, Colour
from trivalent.core.games import hex_board, make_board, y_board
from trivalent.core.position import Position

if TYPE_CHECKING:
    from instruction_sets import InstructionSet


def worth_trying(position: Position) -> set[int]:
    """Return the cells that are neither filled in nor inferior."""
    fill, to_play = filler(position.board), position.to_play
    filled, inferior = fill.fill(position.stones, to_play)
    cells = {cell for cell, stone in enumerate(filled) if not stone} - set(inferior)
    return cells - set(fill.dominated(filled, to_play, inferior))


# Proofs

# Small boards, solved: the openings with which Black wins.
WINNING = {
    hex_board(1): "a1",
    hex_board(2): "b1 a2",
    hex_board(3): "c1 a2 b2 c2 a3",
    hex_board(4): "d1 c2 b3 a4",
    y_board(2): "a1 a2 b2",
    y_board(3): "a2 b2 b3",
    y_board(4): "a2 b2 a3 b3 c3 b4 c4",
}


@pytest.mark.parametrize("threads", ["1", "3"])
@pytest.mark.parametrize("board", WINNING, ids=str)
def test_solves_small_boards(board: Board, threads: str) -> None:
    for cell, name in enumerate(board.names):
        position = Position(board)
        position.play(BLACK, cell)
        if position.winner:
            continue
        analysis = search(player_at(position, threads=threads), position, 1_000_000)
        assert analysis.nodes < 1_000_000
        assert analysis.value == (name not in WINNING[board].split())
        assert analysis.moves[0].proven is bool(analysis.value)


@pytest.mark.parametrize("colour", [BLACK, WHITE])
@pytest.mark.parametrize("game", ["hex", "y"])
def test_takes_a_win_and_prevents_one(game: str, colour: Colour) -> None:
    """Either side takes the one cell that completes a chain, even with a single node."""
    board = make_board(game, 7)
    names = {
        ("hex", BLACK): "d1 d2 d3 d4 d5 d6 d7",
        ("hex", WHITE): "a4 b4 c4 d4 e4 f4 g4",
    }.get((game, colour), "a4 b4 c4 d4 c5 c6 c7")
    for gap in names.split():
        position = Position(board)
        for name in names.split():
            if name != gap:
                position.setup(board.cell(name), colour)
        winning = set()
        for cell in position.empty_cells:
            position.play(colour, cell)
            if position.winner:
                winning.add(cell)
            position.undo()
        position.to_play = colour
        analysis = search(player_at(position), position, 1)
        assert analysis.moves[0].cell in winning
        assert (analysis.moves[0].proven, analysis.value, analysis.nodes) == (True, 1.0, 1)
        position.to_play = colour.opponent
        analysis = search(player_at(position), position, 1)
        if len(winning) > 1:
            assert {move.proven for move in analysis.moves} == {False}
            assert analysis.value == 0.0
        else:
            assert {move.cell for move in analysis.moves if move.proven is None} == winning
            assert analysis.moves[0].cell in winning


def test_a_forced_reply_is_the_only_one_searched() -> None:
    position = placed(hex_board(9), WHITE, black="e1 e2 e3 e4 e5 e6 e7 e8", white="d9 f7 a5 h6")
    analysis = search(player_at(position), position, 500)
    assert analysis.moves[0].cell == position.board.cell("e9")
    assert analysis.moves[0].visits == visits(analysis)
    assert all(move.proven is False for move in analysis.moves[1:])


def test_the_search_prefers_the_longest_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lost positions in which nothing more is spent on the choice (see lost_positions.py)."""
    monkeypatch.setattr("trivalent.bot.players.mcts._STUBBORN_POSITIONS", 0)
    source = random.Random(1)
    board = hex_board(5)
    different = 0
    for _ in range(60):
        position = Position(board)
        for cell in source.sample(range(25), 10):
            position.play(position.to_play, cell)
        if position.winner:
            continue
        player = player_at(position)
        analysis = search(player, position, 1_000_000)
        if analysis.value == 0.0:
            assert player._tree is not None
            proofs = {cell: proof for cell, _, _, _, proof in player._tree.moves()}
            assert proofs[analysis.moves[0].cell] == min(proofs.values())
            different += len(set(proofs.values())) > 1
    assert different > 5


@pytest.mark.parametrize("board", [hex_board(4), y_board(4)], ids=str)
def test_plays_a_won_game_to_its_end(board: Board) -> None:
    opening = board.cell(WINNING[board].split()[1])
    for seed in range(6):
        position = Position(board)
        position.play(BLACK, opening)
        winner = player_at(position, seed=f"{seed}")
        loser = make_player("random", {"seed": f"{seed}"})
        loser.set_position(position)
        while position.winner is None:
            mover = winner if position.to_play is BLACK else loser
            colour = position.to_play
            cell = mover.genmove(colour, Limits(nodes=100_000), Stop())
            assert isinstance(cell, int)
            if mover is winner:
                assert winner.analysis().value == 1.0
            position.play(colour, cell)
            winner.play(colour, cell)
            loser.play(colour, cell)
        assert position.winner is BLACK


def test_resigns_by_its_parameter() -> None:
    position = placed(hex_board(4), WHITE, black="b1 b2 b3")
    for resign, resigns in (("0", False), ("0.1", True)):
        player = player_at(position, resign=resign)
        answer = player.genmove(WHITE, Limits(nodes=20_000), Stop())
        assert (answer is RESIGN) is resigns


def test_a_proof_outlives_the_tree() -> None:
    """A move back, the tree is gone, but the proof table knows that this move wins."""
    position = played(hex_board(6), "d3")
    player = player_at(position, vc_visits="0")
    assert search(player, position, 1_000_000).value == 0.0
    position.undo()
    player.undo()
    analysis = search(player, position, 1_000_000)
    assert (analysis.value, analysis.moves[0].cell) == (1.0, position.board.cell("d3"))
    fresh = search(player_at(position, vc_visits="0"), position, 1_000_000)
    assert fresh.value == 1.0
    assert analysis.nodes < fresh.nodes / 20


# Repeatability


def test_one_thread_is_repeatable() -> None:
    position = played(hex_board(9), "e5 d3 c7")
    found = [
        everything(search(player_at(position, seed=seed), position, 700))
        for seed in ("1", "1", "2")
    ]
    assert found[0] == found[1] != found[2]
    again = player_at(position, seed="1")
    search(again, position, 300)
    again.set_position(position)
    assert everything(search(again, position, 700)) == found[0]


def test_a_node_limit_alone_means_one_thread() -> None:
    position = Position(hex_board(8))
    found = [everything(search(player_at(position, threads="0"), position, 3000)) for _ in range(3)]
    assert found[0] == found[1] == found[2]


def test_every_instruction_set_searches_the_same(isa: InstructionSet) -> None:
    assert isa.run(__file__).split("\n", 1) == [isa.name, digest() + "\n"]


@cache
def digest() -> str:
    lines = []
    for board in (hex_board(8), hex_board(11, 10), y_board(9)):
        position = Position(board)
        for batch in ("64", "65", "256", "300", "512"):
            analysis = search(player_at(position, batch=batch), position, 200)
            lines.append(f"{analysis.variation} {analysis.value!r} {visits(analysis)}")
        for playouts in PLAYOUTS:
            analysis = search(player_at(position, playouts=playouts), position, 200)
            lines.append(f"{analysis.variation} {analysis.value!r} {visits(analysis)}")
    assert len(set(lines)) == 3 * (5 + len(PLAYOUTS) - 1)
    return "\n".join(lines)


# Analysis


@pytest.mark.parametrize("threads", ["1", "4"])
@pytest.mark.parametrize("board", [hex_board(9), y_board(11)], ids=str)
def test_analysis_is_consistent(board: Board, threads: str) -> None:
    position = played(board, "c3")
    player = player_at(position, threads=threads)
    assert player.analysis().moves == ()
    for nodes in (1, 2, 500, 8000):
        player.set_position(position)
        analysis = search(player, position, nodes)
        assert analysis.nodes == nodes
        assert visits(analysis) == nodes - 1
        assert {move.cell for move in analysis.moves} == worth_trying(position)
        counts = [move.visits or 0 for move in analysis.moves]
        assert counts == sorted(counts, reverse=True)
        assert all(0 <= m.value <= 1 and 0 <= (m.rave or 0) <= 1 for m in analysis.moves)
        assert analysis.variation[0] == analysis.moves[0].cell
    after = position.copy()
    for cell in analysis.variation:
        after.play(after.to_play, cell)


def test_analyse() -> None:
    position = played(hex_board(9), "c3 e4")
    analysis = analyse(position, nodes=800)
    assert analysis.nodes == 800
    assert replace(analysis, seconds=0) == replace(analyse(position, nodes=800), seconds=0)
    assert analysis != analyse(position, nodes=800, seed=2)
    assert analysis == replace(analyse(position, nodes=800, reuse=False), seconds=analysis.seconds)
    c3, e4, d4 = (position.board.cell(name) for name in ("c3", "e4", "d4"))
    assert (analysis.ownership[c3], analysis.ownership[e4]) == (1.0, 0.0)
    assert analysis.pivotality[c3] == analysis.pivotality[e4] == 0.0
    assert 0.0 < analysis.ownership[d4] < 1.0
    assert 0.0 < analysis.pivotality[d4] < 1.0
    with pytest.raises(ValueError, match="unknown parameter"):
        analyse(position, nodes=1, depth=3)
    with pytest.raises(ValueError, match="there is no move"):
        analyse(played(hex_board(1), "a1"))


def test_a_value_is_a_share_of_playouts() -> None:
    """After one visit, a move's value is a share of one batch of at most 512 playouts."""
    position = Position(y_board(7))
    analysis = search(player_at(position, net="none"), position, 2)
    assert analysis.moves[0].visits == 1
    share = analysis.moves[0].value * 512
    assert share == round(share)
    analysis = search(player_at(position, batch="64", net="none"), position, 2)
    assert (analysis.moves[0].value * 64) % 1 == 0


def test_symmetric_positions_are_worth_the_same() -> None:
    board = hex_board(7)
    assert board.swap_map is not None
    for name in ("a1", "d4", "b5"):
        one, other = Position(board), Position(board)
        one.play(BLACK, board.cell(name))
        other.to_play = WHITE
        other.play(WHITE, board.swap_map[board.cell(name)])
        values = [search(player_at(p), p, 3000).value for p in (one, other)]
        assert values[0] == pytest.approx(values[1], abs=0.03)
    assert search(player_at(played(board, "a1")), played(board, "a1"), 2000).value > 0.5
    assert search(player_at(played(board, "d4")), played(board, "d4"), 2000).value < 0.5


SIZES = [*((game, size) for game in ("hex", "y") for size in (*range(1, 20), 32, 33, 47, 63))]


@pytest.mark.parametrize(("game", "size"), SIZES)
def test_every_size(game: str, size: int) -> None:
    position = Position(make_board(game, size))
    for playouts in PLAYOUTS:
        analysis = search(player_at(position, playouts=playouts), position, 5)
        assert {move.cell for move in analysis.moves} == worth_trying(position)
        assert analysis.nodes == 5 or analysis.moves[0].proven


# Limits


def test_time_limit_ends_the_search() -> None:
    position = Position(hex_board(11))
    player = player_at(position, threads="2")
    player.genmove(BLACK, Limits(seconds=0.2), Stop())
    assert 0.2 <= player.analysis().seconds < 10.0


def test_stop_before_the_search_and_from_another_thread() -> None:
    position = Position(hex_board(11))
    player = player_at(position, threads="2")
    early = Stop()
    early.set()
    player.genmove(BLACK, Limits(), early)
    assert player.analysis().nodes == 1
    late = Stop()
    threading.Timer(0.1, late.set).start()
    began = time.monotonic()
    player.genmove(BLACK, Limits(), late)
    assert time.monotonic() - began < 10.0


def test_a_search_can_be_continued() -> None:
    position = Position(hex_board(8))
    player = player_at(position)
    search(player, position, 100)
    inner = player._tree
    assert inner is not None
    inner.set_position(position.stones, position.to_play, -1, 0)
    assert inner.run(1000, 0.0, Stop(), 1)
    assert not inner.run(50, -1.0, Stop(), 1)
    assert inner.leaves == 50
    assert not inner.run(120, 100.0, Stop(), 1)
    assert inner.leaves == 120
    stopped = Stop()
    stopped.set()
    assert not inner.run(1000, 5.0, stopped, 1)


def test_a_watch_changes_nothing_but_the_time() -> None:
    position = Position(hex_board(9))
    player = player_at(position)
    plain = everything(search(player, position, 4000))
    player.set_position(position)
    seen: list[Analysis] = []
    player.genmove(BLACK, Limits(nodes=4000), Stop(), Watch(0.005, seen.append))
    assert everything(player.analysis()) == plain
    assert [report.nodes for report in seen] == sorted(report.nodes for report in seen)
    assert all(report.moves for report in seen)


# Threads


def test_threads_lose_no_visit() -> None:
    """More threads than cores meet at the same nodes of a small board all the time."""
    position = Position(hex_board(5))
    for seed in range(3):
        player = player_at(position, threads="8", seed=str(seed))
        analysis = search(player, position, 20_000)
        if analysis.nodes == 20_000:
            assert visits(analysis) == 19_999
        else:
            assert analysis.moves[0].proven is not None
        assert all(0 <= move.value <= 1 for move in analysis.moves)


def test_threads_share_a_full_tree() -> None:
    position = Position(hex_board(11))
    player = player_at(position, threads="4", memory="1")
    assert visits(search(player, position, 8000)) == 7999
    assert used(player) <= 1


if __name__ == "__main__":
    sys.stdout.write(f"{chosen()}\n{digest()}\n")
