"""Positions, and searches of them by the mcts player with one thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trivalent.bot.player import Analysis, Limits, Stop
from trivalent.bot.players.mcts import MctsPlayer
from trivalent.bot.players.mcts_parameters import MctsParameters
from trivalent.core.board import BLACK, WHITE, Board, Colour
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
    return sum(move.visits or 0 for move in analysis.moves)


def everything(analysis: Analysis) -> tuple[object, ...]:
    return analysis.nodes, analysis.moves, analysis.variation


def used(player: MctsPlayer) -> float:
    assert player._tree is not None
    return player._tree.memory_used


def used_after(player: MctsPlayer, position: Position, nodes: int) -> float:
    player.set_position(position)
    search(player, position, nodes)
    return used(player)


def play_game(
    board: Board, players: dict[Colour, tuple[Player, Limits]], opening: int | None = None
) -> Colour:
    """Play a game to its end, after an opening by Black if there is one; return the winner."""
    position = Position(board)
    if opening is not None:
        position.play(BLACK, opening)
    for player, _ in players.values():
        player.set_position(position)
    while (winner := position.winner) is None:
        colour = position.to_play
        player, limits = players[colour]
        cell = player.genmove(colour, limits, Stop())
        assert isinstance(cell, int)
        assert cell in position.legal_moves
        position.play(colour, cell)
        for each, _ in players.values():
            each.play(colour, cell)
    return winner
