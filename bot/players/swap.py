"""The swap: whether to take over the opponent's opening, and which opening to make.

Players know nothing of it.  Whoever asks for a move in a game with the swap asks here, and gets a
move of the player or the answer that it is better to swap.  An opening should be as good for the
one side as for the other, or the opponent has the better choice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trivalent.bot.player import SWAP, Limits
from trivalent.bot.players import solved_openings as openings
from trivalent.core.board import BLACK
from trivalent.core.position import Position

if TYPE_CHECKING:
    from trivalent.bot.player import Answer, Player, Stop, Watch
    from trivalent.core.board import Board, Colour, Symmetry

MAX_OPENINGS = 64
"""Openings that are compared: on larger boards some, spread over the board."""


def matters(position: Position, colour: Colour) -> bool:
    """Whether the swap has to be thought of in a move of that colour."""
    last = position.last_move
    if last is None:
        return not any(position.stones)
    return position.may_swap and last.colour is not colour


def decide(
    player: Player,
    position: Position,
    colour: Colour,
    limits: Limits,
    stop: Stop,
    *,
    watch: Watch | None = None,
) -> Answer:
    """Decide on a move where the swap matters; see `Player.genmove`.

    The player must be at this position, and is afterwards.  Openings that are images of each other
    get answers that are.
    """
    try:
        if position.last_move is None:
            return _opening(player, position.board, colour, limits, stop)
        return _answer(player, position, limits, stop, watch)
    finally:
        player.set_position(position)


def after(board: Board, colour: Colour, cell: int) -> Position:
    """Return the position after an opening."""
    position = Position(board)
    position.play(colour, cell)
    return position


def value(player: Player, position: Position, limits: Limits, stop: Stop) -> float:
    """Return what a search thinks of a position: the chance of the side to move, 0 to 1."""
    if position.winner is not None:
        return float(position.winner is position.to_play)
    player.set_position(position)
    player.genmove(position.to_play, limits, stop)
    return player.analysis().value


def distinct_openings(board: Board) -> list[int]:
    """Return one of each set of cells that are images of each other, for one colour."""
    same = [symmetry.cells for symmetry in board.symmetries if not symmetry.swaps_colours]
    return [cell for cell in range(len(board)) if cell == min(cells[cell] for cells in same)]


def _answer(
    player: Player, position: Position, limits: Limits, stop: Stop, watch: Watch | None
) -> Answer:
    """Swap if the opponent's opening is worth it, else answer it.

    On small boards it is known what is; on others a search has to say it.
    """
    if position.winner is not None:
        return SWAP
    opening = position.last_move
    assert opening is not None
    assert opening.colour is not None
    assert opening.cell is not None
    symmetry = _to_representative(position.board, opening.colour, opening.cell)
    swapped = symmetry.swaps_colours
    image = after(
        position.board,
        opening.colour.opponent if swapped else opening.colour,
        symmetry.cells[opening.cell],
    )
    known = openings.wins(image.board, symmetry.cells[opening.cell])
    if known:
        return SWAP
    player.set_position(image)
    answer = player.genmove(image.to_play, limits, stop, watch)
    if known is None and player.analysis().value < 0.5:
        return SWAP
    return symmetry.cells.index(answer) if isinstance(answer, int) else answer


def _to_representative(board: Board, colour: Colour, cell: int) -> Symmetry:
    """Return the symmetry that takes an opening to the first of its images, one by Black."""
    return min(
        board.symmetries,
        key=lambda symmetry: (
            (colour.opponent if symmetry.swaps_colours else colour) is not BLACK,
            symmetry.cells[cell],
        ),
    )


def _opening(player: Player, board: Board, colour: Colour, limits: Limits, stop: Stop) -> int:
    """Return an opening that is near to even.

    Search all of them shortly, the better half of them twice as long, and so on.
    """
    cells = distinct_openings(board)
    cells = cells[:: -(-len(cells) // MAX_OPENINGS)]
    rounds = max(1, (len(cells) - 1).bit_length())
    while len(cells) > 1:
        share = 1 / (rounds * len(cells))
        part = Limits(
            None if limits.nodes is None else max(1, int(limits.nodes * share)),
            None if limits.seconds is None else limits.seconds * share,
        )
        cells.sort(
            key=lambda cell: abs(0.5 - value(player, after(board, colour, cell), part, stop))
        )
        del cells[(len(cells) + 1) // 2 :]
    return cells[0]
