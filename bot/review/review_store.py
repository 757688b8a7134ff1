"""A store of what reviews have found out about positions, so that later ones start from there.

Nothing in it is taken on trust: a row counts only if its digest is right and its content makes
sense.
"""

from __future__ import annotations

import hashlib
import json
import logging
from typing import TYPE_CHECKING, Any, NamedTuple

from trivalent.bot.player import Analysis, MoveAnalysis
from trivalent.bot.solver.result_database import Kind, ResultDatabase
from trivalent.core.board import Colour

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from trivalent.core.board import Board
    from trivalent.core.position import Position

LOGGER = logging.getLogger(__name__)

_TABLE = """
CREATE TABLE results (
    position TEXT, question TEXT, effort REAL, result TEXT NOT NULL, digest BLOB NOT NULL,
    PRIMARY KEY (position, question, effort)
) STRICT, WITHOUT ROWID
"""
_KIND = Kind("a store of reviews", b"TriR", 1, _TABLE)


class Proof(NamedTuple):
    """What the solver found out about a position."""

    winner: Colour | None
    """None if the effort was too small."""
    move: int | None = None
    """A winning move, or the one that was hardest to refute."""
    carrier: tuple[int, ...] = ()
    """The cells that the win needs."""
    variation: tuple[int, ...] = ()


class ReviewStore(ResultDatabase):
    """Analyses and proofs by position, question and effort.  Close it after use."""

    def __init__(self, path: Path) -> None:
        """Open a file; create it if there is none.  Raise StoreError if that fails."""
        super().__init__(path, _KIND)

    def analysis(self, position: Position, question: str, effort: float) -> Analysis | None:
        """Return the analysis of just this effort.  Raise StoreError if reading fails."""
        for spent, row in self._rows(position, question):
            if spent == effort and (found := _analysis(row, position.board)):
                return found
        return None

    def put_analysis(
        self, position: Position, question: str, effort: float, analysis: Analysis
    ) -> None:
        """Store an analysis durably.  Raise StoreError if that fails."""
        moves = [[m.cell, m.visits, m.value, m.proven, m.prior] for m in analysis.moves]
        result = {
            "nodes": analysis.nodes,
            "seconds": analysis.seconds,
            "moves": moves,
            "variation": analysis.variation,
            "ownership": analysis.ownership,
        }
        self._put(position, question, effort, result)

    def proof(self, position: Position, question: str, effort: float) -> Proof | None:
        """Return what this effort finds out: a proof that took no more, or that more found none.

        A larger effort may have found a proof, but a review that depended on that would not be the
        same in an empty store.  Raise StoreError if reading fails.
        """
        for spent, row in self._rows(position, question):
            found = _proof(row, position.board)
            if found and (spent >= effort if found.winner is None else spent <= effort):
                return found
        return None

    def put_proof(self, position: Position, question: str, effort: float, proof: Proof) -> None:
        """Store a proof, or that there is none, durably.  Raise StoreError if that fails."""
        winner = None if proof.winner is None else str(proof.winner)
        self._put(position, question, effort, proof._asdict() | {"winner": winner})

    def _rows(self, position: Position, question: str) -> list[tuple[float, dict[str, Any]]]:
        """Return the efforts and results for a question, the smallest effort first."""
        name = _name(position)
        with self.errors():
            rows = self.connection.execute(
                "SELECT effort, result, digest FROM results WHERE position = ? AND question = ? "
                "ORDER BY effort",
                (name, question),
            ).fetchall()
        found = []
        for effort, result, digest in rows:
            if digest == _digest(name, question, effort, result):
                found.append((effort, json.loads(result)))
            else:
                self.damaged += 1
                LOGGER.warning("%s: ignoring a damaged row", self.path)
        return found

    def _put(self, position: Position, question: str, effort: float, result: object) -> None:
        name, text = _name(position), json.dumps(result, separators=(",", ":"), allow_nan=False)
        effort = float(effort)
        with self.errors():
            self.connection.execute(
                "INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?)",
                (name, question, effort, text, _digest(name, question, effort, text)),
            )


def _name(position: Position) -> str:
    """Return what an answer depends on: the position, and the latest moves, which patterns know."""
    board, last = position.board, [move.cell for move in position.history[-2:]]
    stones = "".join(map(str, position.stones))
    return f"{board.game} {board.width}x{board.height} {position.to_play} {stones} {last}"


def _digest(name: str, question: str, effort: float, result: str) -> bytes:
    return hashlib.sha256(f"{name}\n{question}\n{effort}\n{result}".encode()).digest()


def _are_cells(cells: Sequence[int], board: Board) -> bool:
    return all(isinstance(cell, int) and 0 <= cell < len(board) for cell in cells)


def _analysis(row: dict[str, Any], board: Board) -> Analysis | None:
    try:
        moves = tuple(MoveAnalysis(c, n, v, None, p, prior) for c, n, v, p, prior in row["moves"])
        found = Analysis(
            row["nodes"],
            row["seconds"],
            moves,
            tuple(row["variation"]),
            tuple(row["ownership"]),
        )
    except (KeyError, TypeError, ValueError):
        return None
    cells = [*(move.cell for move in moves), *found.variation]
    return found if moves and _are_cells(cells, board) else None


def _proof(row: dict[str, Any], board: Board) -> Proof | None:
    try:
        winner = None if row["winner"] is None else Colour[row["winner"].upper()]
        found = Proof(winner, row["move"], tuple(row["carrier"]), tuple(row["variation"]))
    except (KeyError, TypeError, AttributeError):
        return None
    cells = [*found.carrier, *found.variation, *([] if found.move is None else [found.move])]
    return found if _are_cells(cells, board) else None
