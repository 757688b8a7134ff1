"""The player of batches: what it proves, what it keeps, that it can be repeated, and its limits."""

from __future__ import annotations

import os
import random
import statistics
import subprocess
import sys
import threading
import time
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from trivalent.bot import analyse
from trivalent.bot.knowledge._fillin import filler
from trivalent.bot.player import RESIGN, Analysis, Limits, Stop, Watch
from trivalent.bot.players.mcts import MctsPlayer, _goodness
from trivalent.bot.players.mcts_parameters import FILLS, LEVELS, MctsParameters
from trivalent.bot.players.registry import make_player
from trivalent.core._isa import available, chosen
from trivalent.core.board import BLACK, WHITE, Board, Colour, hex_board, y_board
from trivalent.core.games import make_board
from trivalent.core.position import Position

if TYPE_CHECKING:
    from trivalent.bot.player import Player

ONE = {"threads": "1"}


def player_at(position: Position, **values: str) -> MctsPlayer:
    player = MctsPlayer(MctsParameters().updated(ONE | values))
    player.set_position(position)
    return player


def search(player: MctsPlayer, position: Position, nodes: int) -> Analysis:
    player.genmove(position.to_play, Limits(nodes=nodes), Stop())
    return player.analysis()


def placed(board: Board, to_play: Colour, black: str = "", white: str = "") -> Position:
    position = Position(board)
    for colour, names in ((BLACK, black), (WHITE, white)):
        for name in names.split():
            position.setup(board.cell(name), colour)
    position.to_play = to_play
    return position


def played(board: Board, names: str) -> Position:
    position = Position(board)
    for name in names.split():
        position.play(position.to_play, board.cell(name))
    return position


def visits(analysis: Analysis) -> int:
    return sum(move.visits for move in analysis.moves)


def worth_trying(position: Position) -> set[int]:
    """The cells that are neither filled in nor inferior."""
    fill, to_play = filler(position.board), position.to_play
    filled, inferior = fill.fill(position.stones, to_play)
    cells = {cell for cell, stone in enumerate(filled) if not stone} - set(inferior)
    return cells - set(fill.dominated(filled, to_play, inferior))


# Proofs

# The exact tables of small boards: first moves after which Black, who made them, wins.
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
    """A chain that lacks one cell, with a single node: whoever is to move takes that cell."""
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


def test_wins_soon_and_loses_late() -> None:
    moves = [
        (0, 10, 0.0, 0.0, -2),
        (1, 90, 0.0, 0.0, -4),
        (2, 20, 0.0, 0.0, -4),
        (3, 0, 0.5, 0.6, 0),
        (4, 0, 0.5, 0.7, 0),
        (5, 1, 0.1, 0.2, 0),
        (6, 9, 1.0, 1.0, 5),
        (7, 1, 1.0, 1.0, 3),
    ]
    order = [move[0] for move in sorted(moves, key=_goodness, reverse=True)]
    assert order == [7, 6, 5, 4, 3, 1, 2, 0]


def test_resists_as_long_as_it_can() -> None:
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


def test_resigns_or_not_as_told() -> None:
    position = placed(hex_board(4), WHITE, black="b1 b2 b3")
    for resign, resigns in (("0", False), ("0.1", True)):
        player = player_at(position, resign=resign)
        answer = player.genmove(WHITE, Limits(nodes=20_000), Stop())
        assert (answer is RESIGN) is resigns


def test_a_proof_outlives_the_tree() -> None:
    """One move back there is no tree, but it is known that this move has won."""
    position = played(hex_board(6), "d3")
    player = player_at(position, connections="0")
    assert search(player, position, 1_000_000).value == 0.0
    position.undo()
    player.undo()
    analysis = search(player, position, 1_000_000)
    assert (analysis.value, analysis.moves[0].cell) == (1.0, position.board.cell("d3"))
    fresh = search(player_at(position, connections="0"), position, 1_000_000)
    assert fresh.value == 1.0
    assert analysis.nodes < fresh.nodes / 20


# Repeating a search


def everything(analysis: Analysis) -> tuple[object, ...]:
    return analysis.nodes, analysis.moves, analysis.variation


def test_one_thread_repeats_itself() -> None:
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


@pytest.mark.parametrize("name", available())
def test_every_instruction_set_searches_the_same(name: str) -> None:
    process = subprocess.run(
        [sys.executable, __file__],
        env=os.environ | {"TRIVALENT_ISA": name},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.stderr == ""
    assert process.stdout.split("\n", 1) == [name, digest() + "\n"]


def digest() -> str:
    lines = []
    for board in (hex_board(8), hex_board(11, 10), y_board(9)):
        position = Position(board)
        for batch in ("64", "65", "256", "300", "512"):
            analysis = search(player_at(position, batch=batch), position, 200)
            lines.append(f"{analysis.variation} {analysis.value!r} {visits(analysis)}")
        for fill in range(len(FILLS)):
            analysis = search(player_at(position, fill=str(fill)), position, 200)
            lines.append(f"{analysis.variation} {analysis.value!r} {visits(analysis)}")
    assert len(set(lines)) == 3 * (5 + len(FILLS) - 1)
    return "\n".join(lines)


# What is found out


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
        counts = [move.visits for move in analysis.moves]
        assert counts == sorted(counts, reverse=True)
        assert all(0 <= m.value <= 1 and 0 <= m.rave <= 1 for m in analysis.moves)
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


def test_value_is_that_of_the_batches() -> None:
    """One visit to a move: its value is a share of the playouts, and of 512 at most."""
    position = Position(y_board(7))
    analysis = search(player_at(position), position, 2)
    assert analysis.moves[0].visits == 1
    share = analysis.moves[0].value * 512
    assert share == round(share)
    analysis = search(player_at(position, batch="64"), position, 2)
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
    for fill in range(len(FILLS)):
        analysis = search(player_at(position, fill=str(fill)), position, 5)
        assert {move.cell for move in analysis.moves} == worth_trying(position)
        assert analysis.nodes == 5 or analysis.moves[0].proven


# What is kept


def test_what_was_pondered_on_is_there_at_the_next_move() -> None:
    position = Position(make_board("hex", 7))
    for parameters, helps in (({}, True), ({"reuse": "0"}, False), ({"level": "3"}, False)):
        player = player_at(position, **parameters)
        cell = player.genmove(BLACK, Limits(nodes=10), Stop())
        assert isinstance(cell, int)
        player.play(BLACK, cell)
        before = player.analysis()
        player.ponder(Limits(nodes=3000), Stop())
        assert player.analysis() is before
        expected = player.genmove(WHITE, Limits(nodes=1), Stop())
        assert isinstance(expected, int)
        visits = sum(move.visits for move in player.analysis().moves)
        assert (visits > 1000) == helps


def test_a_stop_ends_pondering() -> None:
    player = player_at(Position(make_board("hex", 11)))
    stop = Stop()
    timer = threading.Timer(0.2, stop.set)
    timer.start()
    player.ponder(Limits(), stop)  # which has no end of its own
    timer.join()


def test_the_tree_is_reused() -> None:
    position = Position(hex_board(7))
    player = player_at(position)
    first = search(player, position, 4000)
    for cell in first.variation[:2]:
        position.play(position.to_play, cell)
        player.play(position.to_play.opponent, cell)
    second = search(player, position, 1)
    assert second.nodes == 1
    assert visits(second) > 100
    assert second.variation[0] == first.variation[2]
    # The way back, and on another move.
    for _ in range(2):
        position.undo()
        player.undo()
    assert visits(search(player, position, 1)) == visits(first) + 1
    player = player_at(position, reuse="0")
    search(player, position, 4000)
    assert visits(search(player, position, 10)) == 9


def test_the_order_of_moves_does_not_matter() -> None:
    position = Position(hex_board(7))
    straight, around = player_at(position), player_at(position)
    first, second, third = search(straight, position, 5000).variation[:3]
    assert search(around, position, 5000).variation[:3] == (first, second, third)
    for player, cells in ((straight, (first, second, third)), (around, (third, second, first))):
        for colour, cell in zip((BLACK, WHITE, BLACK), cells, strict=True):
            player.play(colour, cell)
    for player in (straight, around):
        player.genmove(WHITE, Limits(nodes=1), Stop())
    assert straight.analysis().moves == around.analysis().moves
    assert visits(straight.analysis()) > 50


def test_another_side_to_move_is_another_position() -> None:
    position = Position(hex_board(6))
    player = player_at(position)
    search(player, position, 2000)
    player.genmove(WHITE, Limits(nodes=10), Stop())
    assert visits(player.analysis()) == 9


def test_other_parameters_make_another_search() -> None:
    position = Position(hex_board(6))
    player = player_at(position)
    search(player, position, 2000)
    player.configure({"explore": "0.5"})
    changed = search(player, position, 500)
    assert visits(changed) == 499
    fresh = player_at(position, explore="0.5")
    assert everything(changed) == everything(search(fresh, position, 500))


def used(player: MctsPlayer) -> float:
    assert player._tree is not None
    return player._tree.memory_used


def used_after(player: MctsPlayer, position: Position, nodes: int) -> float:
    player.set_position(position)
    search(player, position, nodes)
    return used(player)


def test_a_full_tree_goes_on_without_growing() -> None:
    position = Position(hex_board(11))
    player = player_at(position, memory="1")
    analysis = search(player, position, 5000)
    assert analysis.nodes == 5000
    assert 0.9 < used(player) <= 1
    assert visits(analysis) == 4999


def test_the_fuller_the_tree_the_slower_it_grows() -> None:
    position = Position(hex_board(11))
    player = player_at(position, memory="4")
    grown = [used_after(player, position, nodes) for nodes in range(500, 3500, 500)]
    steps = [b - a for a, b in pairwise([0, *grown])]
    slower = [step for step, share in zip(steps[1:], grown, strict=False) if share > 0.5]
    assert len(slower) > 2
    assert max(slower) < steps[0] / 2


def test_no_board_is_too_large_for_the_least_memory() -> None:
    position = Position(hex_board(63))
    assert visits(search(player_at(position, memory="1"), position, 40)) == 39


def test_moving_the_nodes_changes_nothing() -> None:
    """A tree more than half full is cleared of what the game has passed by."""
    position = Position(hex_board(9))
    small, large = player_at(position, memory="4"), player_at(position, memory="64")
    nodes = 1
    used_after(small, position, nodes)
    assert small._tree is not None
    while used(small) <= 0.5:  # from there on fewer moves enter it
        nodes += 1
        small._tree.run(nodes, -1.0, Stop(), 1)
    used_after(small, position, nodes)
    line = small.analysis().variation[:4]
    assert search(large, position, nodes).variation[:4] == line
    for cell in line:
        for player in (small, large):
            player.play(position.to_play, cell)
        position.play(position.to_play, cell)
    before = used(small)
    found = [everything(search(player, position, 1)) for player in (small, large)]
    assert found[0] == found[1]
    assert used(small) < before / 2
    assert used(large) > before / 16
    # And it grows again as the other one does.
    found = [everything(search(player, position, 500)) for player in (small, large)]
    assert found[0] == found[1]
    # What has been dropped is gone: further back everything begins anew.
    for _ in line:
        position.undo()
        small.undo()
    assert visits(search(small, position, 5)) == 4


@pytest.mark.parametrize("threads", ["1", "2"])
def test_whole_games_in_little_memory(threads: str) -> None:
    position = Position(hex_board(8))
    player = player_at(position, memory="1", threads=threads)
    while position.winner is None:
        cell = player.genmove(position.to_play, Limits(nodes=1500), Stop())
        assert cell in position.legal_moves
        assert isinstance(cell, int)
        player.play(position.to_play, cell)
        position.play(position.to_play, cell)


# When it ends


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


def test_a_search_may_go_on() -> None:
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
    """More threads than cores, on a small board: they meet at the same nodes all the time."""
    position = Position(hex_board(5))
    for seed in range(3):
        player = player_at(position, threads="8", seed=str(seed))
        analysis = search(player, position, 20_000)
        if analysis.nodes == 20_000:
            assert visits(analysis) == 19_999
        else:
            assert analysis.moves[0].proven is not None
        assert all(0 <= move.value <= 1 for move in analysis.moves)


def test_threads_share_a_tree_without_room() -> None:
    position = Position(hex_board(11))
    player = player_at(position, threads="4", memory="1")
    assert visits(search(player, position, 8000)) == 7999
    assert used(player) <= 1


# Strength


def play_game(board: Board, opening: int, players: dict[Colour, tuple[Player, Limits]]) -> Colour:
    position = Position(board)
    position.play(BLACK, opening)
    for player, _ in players.values():
        player.set_position(position)
    while (winner := position.winner) is None:
        colour = position.to_play
        player, limits = players[colour]
        cell = player.genmove(colour, limits, Stop())
        assert isinstance(cell, int)
        position.play(colour, cell)
        for each, _ in players.values():
            each.play(colour, cell)
    return winner


@pytest.mark.parametrize(
    ("board", "openings", "nodes", "score"),
    [
        (hex_board(9), 1, 1000, 1),
        pytest.param(hex_board(11), 20, 4000, 28, marks=pytest.mark.strength),
        pytest.param(y_board(11), 20, 4000, 28, marks=pytest.mark.strength),
    ],
    ids=str,
)
def test_beats_uct(board: Board, openings: int, nodes: int, score: int) -> None:
    """Each opening with both colours; a batch takes about as long as five single playouts."""
    source = random.Random(2)
    won = 0
    for seed in range(openings):
        opening = source.randrange(len(board))
        for colour in Colour:
            mine = make_player("mcts", {"seed": f"{seed}"}), Limits(nodes=nodes)
            theirs = make_player("uct", {"seed": f"{seed}"}), Limits(nodes=5 * nodes)
            won += play_game(board, opening, {colour: mine, colour.opponent: theirs}) is colour
    assert won >= score


@pytest.mark.parametrize("board", [hex_board(11), y_board(11)], ids=str)
@pytest.mark.parametrize(("strong", "weak"), [("5", "1"), ("8", "5"), ("12", "8")])
def test_a_higher_level_wins(board: Board, strong: str, weak: str) -> None:
    """Of 20 games from 10 openings; several levels apart, so that 14 are almost certain."""
    source = random.Random(5)
    won = 0
    for seed in range(10):
        opening = source.randrange(len(board))
        for colour in Colour:
            mine = make_player("mcts", {"seed": f"{seed}", "level": strong}), Limits(seconds=5)
            theirs = make_player("mcts", {"seed": f"{seed}", "level": weak}), Limits(seconds=5)
            won += play_game(board, opening, {colour: mine, colour.opponent: theirs}) is colour
    assert won >= 14


def test_levels_limit_the_search() -> None:
    position = played(hex_board(11), "d5")
    nodes = []
    for level in range(1, len(LEVELS) + 1):
        player = MctsPlayer(MctsParameters().updated({"level": f"{level}"}))  # on all cores
        found = []
        for _ in range(2):
            player.set_position(position)
            player.genmove(position.to_play, Limits(seconds=60), Stop())
            found.append(everything(player.analysis()))
        assert found[0] == found[1], "a level plays alike on every machine"
        assert player.analysis().nodes == LEVELS[level - 1][0]
        nodes.append(player.analysis().nodes)
        player.set_position(position)
        player.genmove(position.to_play, Limits(nodes=1), Stop())
        assert player.analysis().nodes == 1
    assert nodes == sorted(nodes)
    assert [noise for _, noise in LEVELS][-1] == 0


def test_noise_is_an_error_of_judgement() -> None:
    """The same whenever a position is judged, another one for another seed."""
    position = played(hex_board(9), "c3")
    values = [
        [search(player_at(position, seed=seed, noise=noise), position, 1).value for _ in range(2)]
        for seed, noise in (("1", "0"), ("1", "0.3"), ("2", "0.3"))
    ]
    assert all(first == second for first, second in values)
    assert len({first for first, _ in values}) == 3
    spread = []
    for seed in range(200):
        player = player_at(position, seed=f"{seed}", noise="0.1", reuse="0")
        spread.append(search(player, position, 1).moves[0].value)
    assert 0.08 < statistics.stdev(spread) < 0.12
    assert 0.4 < statistics.mean(spread) < 0.6


if __name__ == "__main__":
    sys.stdout.write(f"{chosen()}\n{digest()}\n")
