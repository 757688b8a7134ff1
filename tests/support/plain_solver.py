"""Depth-first proof-number search as in a textbook: no knowledge, a table that only grows."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trivalent.core.board import Colour
    from trivalent.core.position import Position

ENDLESS = 1 << 40


class PlainSolver:
    """Remembers what it has found out, for one board."""

    def __init__(self) -> None:
        self.table: dict[tuple[bytes, Colour], tuple[int, int]] = {}
        """Proof and disproof numbers, for the side to move."""

    def __call__(self, position: Position) -> tuple[Colour | None, int | None]:
        """Return who wins, and a winning move of the side to move if that wins."""
        if position.winner is not None:
            return position.winner, None
        position = position.copy()
        mover = position.to_play
        self._search(position, ENDLESS, ENDLESS)
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
        """Whether the side to move wins."""
        return self(position)[0] is position.to_play

    def _numbers(self, position: Position) -> tuple[int, int]:
        if position.winner is not None:
            return (0, ENDLESS) if position.winner is position.to_play else (ENDLESS, 0)
        return self.table.get((position.stones, position.to_play), (1, 1))

    def _search(self, position: Position, most_proof: int, most_disproof: int) -> None:
        mover = position.to_play
        while True:
            children = []
            for cell in position.empty_cells:
                position.play(mover, cell)
                children.append((*self._numbers(position), cell))
                position.undo()
            disproof = min(ENDLESS, sum(child[0] for child in children))
            children.sort(key=lambda child: child[1])
            proof = children[0][1]
            self.table[position.stones, mover] = proof, disproof
            if proof >= most_proof or disproof >= most_disproof:
                return
            second = children[1][1] if len(children) > 1 else ENDLESS
            position.play(mover, children[0][2])
            self._search(
                position,
                min(ENDLESS, most_disproof - disproof + children[0][0]),
                min(most_proof, second + 1),
            )
            position.undo()
