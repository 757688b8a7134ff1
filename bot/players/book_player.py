"""The opening book: a wrapper that lets any player play from a book.

A book never overrides a proof.  The wrapped player first searches a little, in the tree that it
already has: if that proves the position, the player answers itself, and if it proves that a move
of the book loses, the move is left out.
"""

from __future__ import annotations

import logging
import random
from dataclasses import replace
from typing import TYPE_CHECKING

from trivalent.bot.book.book_file import BookError, BookFile
from trivalent.bot.book.opening_book import NO_BOOK, OpeningBook, find_book
from trivalent.bot.player import NO_ANALYSIS, Analysis, MoveAnalysis
from trivalent.bot.players.wrapping import WrappingPlayer

if TYPE_CHECKING:
    from trivalent.bot.book.opening_book import BookMove
    from trivalent.bot.player import Answer, Limits, Player, Stop, Watch
    from trivalent.core.board import Colour
    from trivalent.core.position import Position

LOGGER = logging.getLogger(__name__)

PROOF_NODES = 64
"""Positions evaluated in search of a proof: enough for the virtual connections of the root."""


class BookPlayer(WrappingPlayer):
    """A player that plays from its book where it can, and else as the player that it wraps."""

    def __init__(self, player: Player, position: Position) -> None:
        """Wrap a player that has already been set to this position, and may have a `book`."""
        super().__init__(player, position)
        self._from_book: Analysis | None = None

    def set_position(self, position: Position) -> None:
        """See `Player.set_position`."""
        self._from_book = None
        super().set_position(position)

    def analysis(self) -> Analysis:
        """See `Player.analysis`; after a move from the book, these are the book's moves."""
        return self._player.analysis() if self._from_book is None else self._from_book

    def genmove(
        self, colour: Colour, limits: Limits, stop: Stop, watch: Watch | None = None
    ) -> Answer:
        """See `Player.genmove`."""
        self._from_book = None
        position = self._position.copy()
        position.to_play = colour
        moves = [move for move in self._moves(position) if move.cell not in limits.avoid]
        if moves:
            nodes = PROOF_NODES if limits.nodes is None else min(limits.nodes, PROOF_NODES)
            self._player.genmove(colour, replace(limits, nodes=nodes, seconds=None), stop)
            found = self._player.analysis()
            is_proven = bool(found.moves) and found.moves[0].proven is not None
            lost = {move.cell for move in found.moves if move.proven is False}
            moves = [move for move in moves if move.cell not in lost and move.proven is not False]
            if moves and not is_proven:
                chosen = self._choose(moves, position)
                self._from_book = _analysis(chosen, moves)
                self._player.set_position(self._position)  # its short search isn't worth showing
                return chosen.cell
        return self._player.genmove(colour, limits, stop, watch)

    def _moves(self, position: Position) -> list[BookMove]:
        """Return the moves of the book; none, with a warning in the log, if it can't be read."""
        path = find_book(str(getattr(self.parameters, "book", NO_BOOK)), position.board)
        if path is None:
            return []
        try:
            with BookFile.read(path) as book:
                return OpeningBook.of(book).moves(position)
        except BookError as error:
            LOGGER.warning("%s; playing on without a book", error)
            self._player.configure({"book": NO_BOOK})
            return []

    def _choose(self, moves: list[BookMove], position: Position) -> BookMove:
        """Return the best move, or any that is almost as good, as the parameters say."""
        best = moves[0]
        loss = float(getattr(self.parameters, "book_random", 0.0))
        if not loss or best.proven:
            return best
        seed = getattr(self.parameters, "seed", 0)
        among = [move for move in moves if move.value >= best.value - loss]
        return random.Random(f"{seed} {position.hash}").choice(among)


def _analysis(chosen: BookMove, moves: list[BookMove]) -> Analysis:
    others = [move for move in moves if move is not chosen]
    return replace(
        NO_ANALYSIS,
        moves=tuple(
            MoveAnalysis(move.cell, None, move.value, None, move.proven)
            for move in (chosen, *others)
        ),
        variation=(chosen.cell,),
    )
