"""Live graphics: how a running search draws on the board of a GUI.

HexGui reads blocks of graphics on standard output, before the reply, and crashes on a malformed
one.  GoGui reads them on standard error.  About four characters of a label fit a cell of 11x11;
HexGui breaks a label into lines at ``@``, GoGui has room for a single line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trivalent.bot.player import Watch
from trivalent.gtp.engine.session import STDERR

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trivalent.bot.player import Analysis, MoveAnalysis
    from trivalent.core.board import Colour
    from trivalent.gtp.engine.session import Session

INTERVAL = 0.5
"""Seconds between two updates of the graphics."""

MAX_LABELS = 30
"""Maximum number of moves drawn, the best first."""

GOGUI_STONES = 2
"""Number of moves of a variation that GoGui shows: more would hide the labels."""


def live(session: Session, colour: Colour) -> Watch | None:
    """Return a watch that draws the search for a move of ``colour``; None if graphics are off."""
    if not session.search.live_graphics:
        return None

    def report(analysis: Analysis) -> None:
        if analysis.moves:  # HexGui crashes on graphics without a move
            draw(session, "uct", _lines(session, colour, analysis))

    return Watch(INTERVAL, report)


def draw(session: Session, kind: str, lines: Sequence[str]) -> None:
    """Draw on the GUI's board; ``kind`` is the word that tells HexGui how to read the lines."""
    if session.profile.gogui_graphics:
        # GoGui clears the board before each drawing, and the sides with it.
        STDERR.info("gogui-gfx:\n%s\n", "\n".join([*gogui_sides(session), *lines]))
    else:
        session.channel.send_graphics("\n".join(["gogui-gfx:", kind, *lines]))


def _lines(session: Session, colour: Colour, analysis: Analysis) -> list[str]:
    stones = shown_stones(session, analysis.variation)
    moves = analysis.considered[:MAX_LABELS]
    if session.profile.gogui_graphics:
        moves = tuple(move for move in moves if move.cell not in stones)
    labels = [(session.name(move.cell), short(move.visits or 0)) for move in moves]
    currents = _currents(analysis, stones)
    if session.profile.gogui_graphics:
        values = influence(session, currents or [(move.cell, move.value) for move in moves])
    else:  # HexGui writes the values on the cells and colours the proven ones
        values = pairs("INFLUENCE", ((session.name(move.cell), label(move)) for move in moves))
        if currents:
            labels = [(session.name(cell), f"{share:.0%}") for cell, share in currents]
    return [
        variation(session, colour, stones),
        values,
        pairs("LABEL", labels),
        f"TEXT {colour} {outlook(analysis)}",
    ]


def _currents(analysis: Analysis, stones: Sequence[int]) -> list[tuple[int, float]]:
    """Return the cells through which most current flows, with its share of the highest current.

    Only players by circuits have any.  The stones of the shown variation are left out.
    """
    highest = max(analysis.currents, default=0.0)
    shares = [
        (cell, current / highest)
        for cell, current in enumerate(analysis.currents)
        if current and cell not in stones
    ]
    return sorted(shares, key=lambda item: -item[1])[:MAX_LABELS]


def shown_stones(session: Session, line: Sequence[int]) -> Sequence[int]:
    """Return the moves of a variation that the GUI has room for."""
    return line[:GOGUI_STONES] if session.profile.gogui_graphics else line


def variation(session: Session, colour: Colour, cells: Iterable[int]) -> str:
    """Return a line of graphics: the moves of a variation, the first one by ``colour``."""
    words = ["VAR"]
    for cell in cells:
        words += [str(colour)[0].upper(), session.name(cell)]
        colour = colour.opponent
    return " ".join(words)


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


def gogui_sides(session: Session) -> list[str]:
    """Return the lines of graphics that give the cells along each side their owner's colour.

    GoGui can't draw the sides themselves.
    """
    board = session.position.board
    last_column, last_row = board.width - 1, board.height - 1
    cells: dict[str, list[str]] = {"#000000": [], "#ffffff": []}
    for cell, (x, y) in enumerate(board.coordinates):
        if 0 < x < last_column and y in (0, last_row):
            cells["#000000"].append(session.name(cell))
        elif 0 < y < last_row and x in (0, last_column):
            cells["#ffffff"].append(session.name(cell))
    return [f"COLOR {colour} {' '.join(names)}" for colour, names in cells.items() if names]


def outlook(analysis: Analysis, *, seconds: bool = False) -> str:
    """Say how likely or certain the win is, and how much work found it out.

    ``seconds`` adds the time that it took.
    """
    proven = analysis.moves[0].proven
    if proven is None:
        verdict = f"{analysis.value:.1%}"
    else:
        verdict = f"proven to {'win' if proven else 'lose'}"
        if not analysis.nodes:
            return f"{verdict}, known already"
    time = f" in {analysis.seconds:.2f} s" if seconds else ""
    return f"{verdict} after {count(analysis.nodes, 'position')}{time}"


def count(number: int, what: str) -> str:
    """Return a number of things: 1 position, 2 positions."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def label(move: MoveAnalysis) -> str:
    """Return the value of a move in at most four characters: .53, or W or L if it is proven."""
    if move.proven is not None:
        return "W" if move.proven else "L"  # HexGui colours W and L
    return f"{move.value:.2f}".removeprefix("0")


def short(number: int) -> str:
    """Return a count in at most four characters: 950, 12k, 3M."""
    for unit in ("", "k", "M"):
        if number < 1000:
            return f"{number}{unit}"
        number //= 1000
    return f"{number}G"
