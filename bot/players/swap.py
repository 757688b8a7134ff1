"""The swap: a wrapper that lets any player choose fair openings and swap the opponent's good ones.

An opening should be as good for one side as for the other, or the opponent picks the better one.
Where the board is solved (`trivalent.bot.players.solved_openings`) the table decides; elsewhere the
wrapped player searches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trivalent.bot.player import SWAP, Limits
from trivalent.bot.players import solved_openings
from trivalent.bot.players.wrapping import WrappingPlayer
from trivalent.core.board import BLACK
from trivalent.core.position import Position

if TYPE_CHECKING:
    from trivalent.bot.player import Analysis, Answer, Player, Stop, Watch
    from trivalent.core.board import Board, Colour, Symmetry

MAX_OPENINGS = 64
"""Maximum number of openings to compare: larger boards are sampled evenly."""


class SwappingPlayer(WrappingPlayer):
    """A player for games with the swap, around a player that knows nothing of it.

    It answers the first two moves of a game; all others are the wrapped player's.
    """

    def genmove(
        self, colour: Colour, limits: Limits, stop: Stop, watch: Watch | None = None
    ) -> Answer:
        """See `Player.genmove`; also answer SWAP where the swap is possible and pays.

        Symmetric openings get symmetric answers.  `analysis` is empty after an opening or a reply
        to one.
        """
        position = self._position
        if not _swap_matters(position, colour):
            return self._player.genmove(colour, limits, stop, watch)
        try:
            if position.last_move is None:
                return _choose_opening(self._player, position.board, colour, limits, stop)
            return _reply_to_opening(self._player, position, limits, stop, watch)
        finally:
            self._player.set_position(position)


def after_opening(board: Board, colour: Colour, cell: int) -> Position:
    """Return the position after an opening."""
    position = Position(board)
    position.play(colour, cell)
    return position


def analyse_opening(player: Player, position: Position, limits: Limits, stop: Stop) -> Analysis:
    """Search the position after an opening, from the point of view of the side that replies.

    The game must be open.  The player stays at this position.
    """
    player.set_position(position)
    player.genmove(position.to_play, limits, stop)
    return player.analysis()


def distinct_openings(board: Board) -> list[int]:
    """Return one cell of each set of symmetric openings by the same colour."""
    same = [symmetry.cells for symmetry in board.symmetries if not symmetry.swaps_colours]
    return [cell for cell in range(len(board)) if cell == min(cells[cell] for cells in same)]


def _swap_matters(position: Position, colour: Colour) -> bool:
    """Whether a move of this colour opens the game or may be a swap."""
    last = position.last_move
    if last is None:
        return not any(position.stones)
    return position.may_swap and last.colour is not colour


def _reply_to_opening(
    player: Player, position: Position, limits: Limits, stop: Stop, watch: Watch | None
) -> Answer:
    """Swap the opponent's opening if it wins or looks better than even, else reply to it."""
    if position.winner is not None:
        return SWAP
    opening = position.last_move
    assert opening is not None
    assert opening.colour is not None
    assert opening.cell is not None
    symmetry = _to_representative(position.board, opening.colour, opening.cell)
    swapped = symmetry.swaps_colours
    image = after_opening(
        position.board,
        opening.colour.opponent if swapped else opening.colour,
        symmetry.cells[opening.cell],
    )
    wins = solved_openings.wins(image.board, symmetry.cells[opening.cell])
    if wins:
        return SWAP
    player.set_position(image)
    answer = player.genmove(image.to_play, limits, stop, watch)
    if wins is None and player.analysis().value < 0.5:
        return SWAP
    return symmetry.cells.index(answer) if isinstance(answer, int) else answer


def _to_representative(board: Board, colour: Colour, cell: int) -> Symmetry:
    """Return the symmetry that maps an opening to the first of its images, one by Black."""
    return min(
        board.symmetries,
        key=lambda symmetry: (
            (colour.opponent if symmetry.swaps_colours else colour) is not BLACK,
            symmetry.cells[cell],
        ),
    )


def _choose_opening(
    player: Player, board: Board, colour: Colour, limits: Limits, stop: Stop
) -> int:
    """Return an opening that is close to even, by sequential halving.

    Search every candidate briefly, the better half for twice as long, and so on.
    """
    cells = distinct_openings(board)
    cells = cells[:: -(-len(cells) // MAX_OPENINGS)]
    rounds = max(1, (len(cells) - 1).bit_length())

    def imbalance(cell: int, share: Limits) -> float:
        position = after_opening(board, colour, cell)
        if position.winner is not None:
            return 0.5
        return abs(0.5 - analyse_opening(player, position, share, stop).value)

    while len(cells) > 1:
        part = 1 / (rounds * len(cells))
        share = Limits(
            None if limits.nodes is None else max(1, int(limits.nodes * part)),
            None if limits.seconds is None else limits.seconds * part,
        )
        imbalances = {cell: imbalance(cell, share) for cell in cells}
        cells.sort(key=imbalances.__getitem__)
        del cells[(len(cells) + 1) // 2 :]
    return cells[0]
