"""Live graphics: how a running search draws on the board of a GUI.

HexGui reads blocks of graphics on standard output, before the reply, and crashes on a malformed
one.  GoGui reads them on standard error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trivalent.bot.player import Watch
from trivalent.gtp.engine.session import STDERR

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trivalent.bot.player import Analysis, MoveAnalysis
    from trivalent.core.board import Colour
    from trivalent.gtp.engine.session import Session

INTERVAL = 0.5
"""Seconds between two updates of the graphics."""

MAX_LABELS = 30
"""Maximum number of moves drawn, the best first."""


def live(session: Session, colour: Colour) -> Watch | None:
    """Return a watch that draws the search for a move of ``colour``; None if graphics are off."""
    if not session.search.live_graphics:
        return None

    def report(analysis: Analysis) -> None:
        if not analysis.moves:
            return  # HexGui crashes on graphics without a move
        lines = _drawing(session, colour, analysis)
        if session.profile.gogui_graphics:
            STDERR.info("gogui-gfx:\n%s\n", "\n".join(lines))
        else:
            session.channel.send_graphics("\n".join(["gogui-gfx:", "uct", *lines]))

    return Watch(INTERVAL, report)


def _drawing(session: Session, colour: Colour, analysis: Analysis) -> list[str]:
    moves = analysis.considered[:MAX_LABELS]
    side = colour
    variation = []
    for cell in analysis.variation:
        variation.append(f"{str(side)[0].upper()} {session.name(cell)}")
        side = side.opponent
    if session.profile.gogui_graphics:
        values = influence(session, [(move.cell, move.value) for move in moves])
    else:  # HexGui writes the values on the cells and colours the proven ones
        values = pairs("INFLUENCE", ((session.name(move.cell), label(move)) for move in moves))
    return [
        f"VAR {' '.join(variation)}",
        values,
        pairs("LABEL", ((session.name(move.cell), short(move.visits or 0)) for move in moves)),
        f"TEXT {colour} {analysis.value:.1%} after {analysis.nodes} positions",
    ]


def pairs(word: str, entries: Iterable[tuple[str, str]]) -> str:
    """Return a line of graphics: ``word``, then pairs of a cell and a text without blanks."""
    return " ".join([word, *(f"{cell} {text}" for cell, text in entries)])


def influence(session: Session, values: Iterable[tuple[int, float]]) -> str:
    """Return a line of graphics that colours cells by values from 0 to 1."""
    # GoGui has the scale of Go, from -1 for White to 1 for Black.
    low = -1 if session.profile.gogui_graphics else 0
    return pairs(
        "INFLUENCE",
        ((session.name(cell), f"{low + value * (1 - low):.3f}") for cell, value in values),
    )


def label(move: MoveAnalysis) -> str:
    """Return the value of a move in at most four characters: .53, or W or L if it is proven."""
    if move.proven is not None:
        return "W" if move.proven else "L"  # HexGui colours W and L
    return f"{move.value:.2f}".removeprefix("0")


def short(count: int) -> str:
    """Return a count in at most four characters: 950, 12k, 3M."""
    for unit in ("", "k", "M"):
        if count < 1000:
            return f"{count}{unit}"
        count //= 1000
    return f"{count}G"
