"""Textbook df-pn without knowledge, and with a table that only grows."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trivalent.core.board import Colour
    from trivalent.core.position import Position

INFINITE = 1 << 40


class PlainSolver:
    """A solver for one board that remembers everything."""

    def __init__(self) -> None:
        self.table: dict[tuple[bytes, Colour], tuple[int, int]] = {}
        """Proof and disproof numbers, for the side to move."""

    def __call__(self, position: Position) -> tuple[Colour | None, int | None]:
        """Return the winner and, if the side to move wins, a winning move."""
        if position.winner is not None:
            return position.winner, None
        position = position.copy()
        mover = position.to_play
        self._search(position, INFINITE, INFINITE)
        if self._numbers(position)[0]:
            return mover.opponent, None
        for cell in position.empty_cells:
            position.play(mover, cell)
            lost = self._numbers(position)[1] == 0
            position.undo()
            if lost:
                return mover, cell
        raise AssertionError

    def wins(self, position: Position) -> bool:
        """Return whether the side to move wins."""
        return self(position)[0] is position.to_play

    def _numbers(self, position: Position) -> tuple[int, int]:
        if position.winner is not None:
            return (0, INFINITE) if position.winner is position.to_play else (INFINITE, 0)
        return self.table.get((position.stones, position.to_play), (1, 1))

    def _search(self, position: Position, max_proof: int, max_disproof: int) -> None:
        mover = position.to_play
        while True:
            children = []
            for cell in position.empty_cells:
                position.play(mover, cell)
                children.append((*self._numbers(position), cell))
                position.undo()
            disproof = min(INFINITE, sum(child[0] for child in children))
            children.sort(key=lambda child: child[1])
            proof = children[0][1]
            self.table[position.stones, mover] = proof, disproof
            if proof >= max_proof or disproof >= max_disproof:
                return
            second = children[1][1] if len(children) > 1 else INFINITE
            position.play(mover, children[0][2])
            self._search(
                position,
                min(INFINITE, max_disproof - disproof + children[0][0]),
                min(max_proof, second + 1),
            )
            position.undo()
