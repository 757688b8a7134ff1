"""Checking a book: its file, its positions, its values and its proofs."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trivalent.bot.book.book_file import BookError
from trivalent.bot.solver.solver import SolveLimits, Solver, can_solve
from trivalent.tools.book.book_graph import BookGraph

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trivalent.bot.book.book_file import BookFile
    from trivalent.tools.book.book_graph import Node

_TOLERANCE = 1e-9
_SECONDS_PER_PROOF = 5.0
_MEMORY = 64
"""Size of the solver's table in MiB."""


@dataclass(slots=True)
class Findings:
    """What a check has found."""

    positions: int = 0
    proven: int = 0
    deepest: int = 0
    """Moves of the longest line."""
    confirmed: int = 0
    """Proofs that the solver has confirmed."""
    faults: tuple[str, ...] = ()
    """Sentences."""


def check(book: BookFile, seconds: float) -> Findings:
    """Check a book, and for at most so many seconds its proofs, with the solver.

    Values must be those that the estimates imply, and every position must follow from another one.
    """
    found = Findings()
    try:
        faults = [f"{book.path} is damaged: {text}" for text in book.faults()]
        entries = list(book.entries())
        graph = BookGraph(book.settings, entries)
    except BookError as error:
        found.faults = (str(error),)
        return found
    except ValueError as error:
        found.faults = (f"{book.path} is damaged: {error}",)
        return found
    found.positions = len(entries)
    found.proven = sum(entry.proven is not None for entry in entries)
    found.deepest = max((node.stones.number for node in graph.nodes.values()), default=0)
    for entry in entries:
        node = graph.nodes[entry.name]
        if node.proven is not entry.proven or abs(node.value - entry.value) > _TOLERANCE:
            said = f"value {entry.value:.4f}, but its moves make it {node.value:.4f}"
            faults.append(f"{entry.name!r} has the {said}")
        if node is not graph.root and not node.parents:
            faults.append(f"{entry.name!r} follows from no other position")
    found.confirmed, wrong = _confirm(graph, seconds)
    found.faults = (*faults, *wrong)
    return found


def _confirm(graph: BookGraph, seconds: float) -> tuple[int, list[str]]:
    """Solve proven positions, those of most stones first; return how many, and contradictions."""
    if not seconds or not can_solve(graph.board):
        return 0, []
    end = time.monotonic() + seconds
    solver = Solver(graph.board, memory=_MEMORY)
    confirmed, wrong = 0, []
    for node in _proven(graph):
        left = end - time.monotonic()
        if left <= 0:
            break
        limits = SolveLimits(seconds=min(left, _SECONDS_PER_PROOF))
        winner = solver.solve(node.stones.position(graph.board), limits).winner
        if winner is None:
            continue
        if (winner is node.stones.to_play) is node.proven:
            confirmed += 1
        else:
            wrong.append(f"{node.name!r} is no proven {'win' if node.proven else 'loss'}")
    return confirmed, wrong


def _proven(graph: BookGraph) -> Iterator[Node]:
    proven = [node for node in graph.nodes.values() if node.proven is not None]
    yield from sorted(proven, key=lambda node: (-node.stones.number, node.name))


def is_exhausted(graph: BookGraph) -> bool:
    """Return whether there is nothing left to expand in a book."""
    return math.isinf(graph.root.priority)
