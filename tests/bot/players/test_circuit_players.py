"""The circuit players: legal, mirrored, obedient, and perfect where that is known."""

from __future__ import annotations

import random
import threading
import time
from typing import TYPE_CHECKING

import pytest

from trivalent.bot._stop import Stop
from trivalent.bot.player import RESIGN, AvoidError, BoardError, Limits
from trivalent.bot.players.registry import PLAYERS, make_player
from trivalent.bot.search.background_solver import BackgroundSolver
from trivalent.bot.solver.solver import Solver
from trivalent.core.board import BLACK, WHITE, Board, Colour
from trivalent.core.games import hex_board, make_board, y_board
from trivalent.core.position import Position

if TYPE_CHECKING:
    from collections.abc import Callable

    from trivalent.bot.player import Answer, Player

    Think = Callable[[Player, Colour], Answer]

NAMES = ["shannon-field", "shannon", "hexy", "six", "wolve"]
IN_Y = NAMES[1:]


def game(players: tuple[Player, Player], position: Position, nodes: int) -> Position:
    """Play a game from a position to its end."""
    for player in players:
        player.set_position(position)
    while position.winner is None:
        colour = position.to_play
        cell = players[colour - 1].genmove(colour, Limits(nodes=nodes), Stop())
        assert isinstance(cell, int)
        position.play(colour, cell)
        for player in players:
            player.play(colour, cell)
    return position


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "board", [hex_board(1), hex_board(2, 5), hex_board(6), y_board(1), y_board(7)], ids=str
)
def test_whole_games(name: str, board: Board) -> None:
    """Legal moves to the end, and wins from a random opponent."""
    if board.game == "y" and name not in IN_Y:
        return
    for colour in Colour:
        random_player = make_player("random", {"seed": "3"})
        player = make_player(name)
        players = (player, random_player) if colour is BLACK else (random_player, player)
        position = game(players, Position(board), 60)
        assert position.winner is colour or len(board) < 20


@pytest.mark.parametrize("name", NAMES)
def test_a_mirrored_position_gets_the_mirrored_move(name: str) -> None:
    for board in (hex_board(6), y_board(6))[: 1 + (name in IN_Y)]:
        source = random.Random(2)
        for _ in range(4):
            cells = source.sample(range(len(board)), 6)
            moves = []
            for symmetry in board.symmetries:
                position = Position(board)
                for i, cell in enumerate(cells):
                    colour = Colour(1 + (i + symmetry.swaps_colours) % 2)
                    position.setup(symmetry.cells[cell], colour)
                to_play = WHITE if symmetry.swaps_colours else BLACK
                player = make_player(name)
                player.set_position(position)
                move = player.genmove(to_play, Limits(nodes=80), Stop())
                moves.append(symmetry.cells.index(move))
            assert len(set(moves)) == 1


def test_analyses() -> None:
    position = Position(hex_board(7))
    position.play(BLACK, position.board.cell("c2"))
    player = make_player("wolve")
    player.set_position(position)
    cell = player.genmove(WHITE, Limits(nodes=200), Stop())
    analysis = player.analysis()
    assert (analysis.nodes, analysis.moves[0].cell, analysis.variation[0]) == (200, cell, cell)
    assert len(analysis.variation) > 1
    assert len(analysis.currents) == 49
    assert analysis.currents[position.board.cell("c2")] == 0
    assert 0 < max(analysis.currents) <= 2
    assert 0 < analysis.value < 1


@pytest.mark.parametrize(
    ("values", "limits", "works"),
    [
        ({"threads": "1"}, Limits(seconds=0.05), True),
        ({"threads": "1"}, Limits(nodes=50), False),
        ({"threads": "1"}, Limits(nodes=50, seconds=9.0), False),
        ({"threads": "2"}, Limits(seconds=0.05), False),
        ({"threads": "1", "solver_max_empties": "48"}, Limits(seconds=0.05), False),
    ],
)
def test_a_single_thread_solves_before_it_searches(
    values: dict[str, str], limits: Limits, works: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[float] = []
    monkeypatch.setattr(BackgroundSolver, "work", lambda _, seconds, __: asked.append(seconds))
    player = make_player("wolve", values)
    player.set_position(Position(hex_board(7)))
    player.genmove(BLACK, limits, Stop())
    assert asked == ([0.4 * 0.05] if works else [])


def test_cells_to_avoid() -> None:
    for name in NAMES:
        player = make_player(name)
        player.set_position(Position(hex_board(4)))
        first = player.genmove(BLACK, Limits(nodes=50), Stop())
        assert isinstance(first, int)
        second = player.genmove(BLACK, Limits(nodes=50, avoid=frozenset({first})), Stop())
        assert second != first
        only = frozenset(range(16)) - {9}
        assert player.genmove(BLACK, Limits(nodes=50, avoid=only), Stop()) == 9
        with pytest.raises(AvoidError):
            player.genmove(BLACK, Limits(nodes=50, avoid=frozenset(range(16))), Stop())


def test_resigning() -> None:
    position = Position(hex_board(5))
    position.play(BLACK, position.board.cell("c3"))
    player = make_player("wolve", {"resign": "0.1"})
    player.set_position(position)
    assert player.genmove(WHITE, Limits(nodes=50), Stop()) is RESIGN
    player.configure({"resign": "0"})
    assert isinstance(player.genmove(WHITE, Limits(nodes=50), Stop()), int)


def test_boards_without_circuits() -> None:
    for board in (hex_board(17), make_board("star", 3)):
        for name in NAMES:
            player = make_player(name)
            player.set_position(Position(board))
            with pytest.raises(BoardError, match="no circuits on"):
                player.genmove(BLACK, Limits(nodes=1), Stop())
    player = make_player("shannon-field")
    player.set_position(Position(y_board(5)))
    with pytest.raises(BoardError, match="charges can't play on Y 5: its sides belong to both"):
        player.genmove(BLACK, Limits(nodes=1), Stop())


def test_presets_differ_in_parameters_only() -> None:
    kinds = {PLAYERS[name][1] for name in NAMES}
    texts = {name: make_player(name).parameters.explain().splitlines() for name in NAMES}
    assert len(kinds) == 1
    assert len({tuple(lines) for lines in texts.values()}) == len(NAMES)
    names = {tuple(line.partition("=")[0] for line in lines) for lines in texts.values()}
    assert len(names) == 1


def openings(board: Board) -> list[int]:
    """Return the first moves, one of each set of images."""
    turns = [s.cells for s in board.symmetries if not s.swaps_colours]
    return [cell for cell in range(len(board)) if cell == min(cells[cell] for cells in turns)]


def nodes(count: int) -> Think:
    """Return how to think about a number of positions."""
    return lambda player, colour: player.genmove(colour, Limits(nodes=count), Stop())


def cpu_seconds(seconds: float) -> Think:
    """Return how to think for a time that all threads together spend, however busy the machine."""

    def think(player: Player, colour: Colour) -> Answer:
        stop, done, end = Stop(), threading.Event(), time.process_time() + seconds

        def watch() -> None:
            while not done.wait(0.02):
                if time.process_time() >= end:
                    stop.set()

        watcher = threading.Thread(target=watch)
        watcher.start()
        try:
            return player.genmove(colour, Limits(), stop)
        finally:
            done.set()
            watcher.join()

    return think


def errors(player: Player, solver: Solver, think: Think, reply: int | None, cell: int) -> int:
    """Play an opening out, the player for the side that wins; return how often it gave that away.

    The loser's first reply may be given; later ones take the most work to refute.
    """
    position = Position(solver.board)
    position.play(BLACK, cell)
    winner = solver.solve(position).winner
    assert winner is not None
    while position.winner is None:
        colour = position.to_play
        move: Answer | None
        if colour is winner:
            player.set_position(position)
            move = think(player, colour)
        elif reply is not None and position.stone(reply) is None:
            move, reply = reply, None
        else:
            move = solver.solve(position).move
        assert isinstance(move, int)
        position.play(colour, move)
        if (position.winner or solver.solve(position).winner) is not winner:
            return 1
    return 0


def test_wolve_plays_5x5_perfectly() -> None:
    """From every opening, with every first reply of the losing side."""
    board = hex_board(5)
    solver, player = Solver(board, memory=16), make_player("wolve")
    for cell in openings(board):
        for reply in (None, *range(25)):
            assert errors(player, solver, nodes(300), reply, cell) == 0, board.names[cell]


@pytest.mark.strength
def test_wolve_plays_7x7_almost_perfectly() -> None:
    """In the time that two threads have within a second of a machine with nothing else to do."""
    board = hex_board(7)
    solver, player = Solver(board, memory=256), make_player("wolve", {"threads": "2"})
    lost = sum(errors(player, solver, cpu_seconds(2), None, c) for c in openings(board))
    assert lost <= len(openings(board)) // 10
