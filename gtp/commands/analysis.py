"""The commands that show what the player thinks of the position on the board.

They answer from the last search if it was of this position, and search first if it was not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trivalent.core.playouts.playout import PlayoutStatistics, statistics
from trivalent.gtp.commands.graphics import influence, label, short
from trivalent.gtp.engine.arguments import GtpError, is_colour
from trivalent.gtp.engine.command import Command

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from trivalent.bot.player import Analysis, MoveAnalysis
    from trivalent.core.board import Colour
    from trivalent.gtp.engine.arguments import Arguments
    from trivalent.gtp.engine.session import Session

PLAYOUTS = 10_000
MAX_PLAYOUTS = 250_000  # 0.3 seconds on the largest board: nothing can interrupt them


def _side(session: Session, arguments: Arguments) -> Colour:
    """Read the colour whose turn it is taken to be: the only argument, or the side to move."""
    arguments.expect(0, 1)
    return arguments.colour(0) if len(arguments) else session.position.to_play


def _lines(session: Session, first: str, second: str) -> str:
    """Return a label of two lines; GoGui has no room for the second."""
    return first if session.profile.gogui_graphics else f"{first}@{second}"


def _shows(show: Callable[[Session, Analysis], str]) -> Callable[[Session, Arguments], str]:
    """Make a handler of what shows an analysis."""
    return lambda session, arguments: show(session, session.analysis(_side(session, arguments)))


def _visited(analysis: Analysis) -> Iterable[MoveAnalysis]:
    return (move for move in analysis.moves if move.visits != 0 or move.proven is not None)


def _values(session: Session, analysis: Analysis) -> str:
    return " ".join(
        f"{session.name(move.cell)} {_lines(session, label(move), short(move.visits or 0))}"
        for move in _visited(analysis)
    )


def _visits(session: Session, analysis: Analysis) -> str:
    return " ".join(
        f"{session.name(move.cell)} {short(move.visits or 0)}" for move in _visited(analysis)
    )


def _top_moves(session: Session, analysis: Analysis) -> str:
    best = list(_visited(analysis))[:10]
    return " ".join(
        f"{session.name(move.cell)} {_lines(session, str(rank), label(move))}"
        for rank, move in enumerate(best, 1)
    )


def _rave_values(session: Session, analysis: Analysis) -> str:
    rave = {move.cell: move.rave for move in analysis.moves if move.rave is not None}
    if not rave:
        raise GtpError("this player has no RAVE statistics")
    return _spread(
        session, list(rave), list(rave.values()), "how often the game is won with the cell"
    )


def _variation(session: Session, analysis: Analysis) -> str:
    return " ".join(map(session.name, analysis.variation))


def _search(session: Session, analysis: Analysis) -> str:
    best = analysis.moves[0]
    proven = {True: ", proven to win", False: ", proven to lose", None: ""}[best.proven]
    return (
        f"{session.name(best.cell)} {best.value:.1%}{proven} after {analysis.nodes} positions in "
        f"{analysis.seconds:.2f} s; {_variation(session, analysis)}"
    )


def _playouts(session: Session, arguments: Arguments) -> tuple[Colour, PlayoutStatistics]:
    """Play at random on from the position; arguments: COLOUR, PLAYOUTS, both optional."""
    arguments.expect(0, 2)
    position = session.position.copy()
    index = 0
    if len(arguments) and is_colour(arguments.words[0]):
        position.to_play = arguments.colour(0)
        index = 1
    count = PLAYOUTS
    if len(arguments) > index:
        count = arguments.integer(index, 1, MAX_PLAYOUTS)
        arguments.expect(index + 1)
    if position.winner is not None:
        raise GtpError(f"the game is over, {position.winner} has won")
    found = statistics(position, count, position.hash, fill="in-turn")
    return position.to_play, found


def _do_playouts(session: Session, arguments: Arguments) -> str:
    colour, found = _playouts(session, arguments)
    share = found.black_wins / found.playouts
    return (
        f"black wins {found.black_wins} of {found.playouts} playouts ({share:.1%}) with {colour} "
        "to move"
    )


def _ownership(session: Session, arguments: Arguments) -> str:
    _, found = _playouts(session, arguments)
    values = zip(found.cells, found.ownership, strict=True)
    return f"{influence(session, values)}\nTEXT how often black owns the cell at the end"


def _criticality(session: Session, arguments: Arguments) -> str:
    _, found = _playouts(session, arguments)
    return _spread(
        session, found.cells, found.criticality, "how much owning the cell goes with winning"
    )


def _spread(session: Session, cells: Sequence[int], values: Sequence[float], meaning: str) -> str:
    """Colour cells by values that differ little: the least gets 0, the greatest 1."""
    low, high = min(values), max(values)
    shares = [(value - low) / (high - low) if high > low else 0.5 for value in values]
    drawn = influence(session, zip(cells, shares, strict=True))
    return f"{drawn}\nTEXT {meaning}, from {low:.1%} to {high:.1%}"


_OVER = "the game is over"
_COLOUR = "[COLOUR]"
_COUNT = "[COLOUR] [PLAYOUTS]"

ANALYSIS = (
    Command(
        "trivalent-search",
        _shows(_search),
        _COLOUR,
        "The best move, its value, how long the search took, and the line that it expects.",
        _OVER,
        "string/Search/trivalent-search %m",
    ),
    Command(
        "trivalent-pv",
        _shows(_variation),
        _COLOUR,
        "The line that the search expects.",
        _OVER,
        "var/Principal Variation/trivalent-pv %m",
    ),
    Command(
        "trivalent-top-moves",
        _shows(_top_moves),
        _COLOUR,
        "The ten best moves: each with rank@value (for GoGui: rank).",
        _OVER,
        "pspairs/Top Moves/trivalent-top-moves %m",
    ),
    Command(
        "trivalent-values",
        _shows(_values),
        _COLOUR,
        "The moves searched: each with value@visits (for GoGui: value); W and L are proven.",
        _OVER,
        "pspairs/Values/trivalent-values %m",
    ),
    Command(
        "trivalent-visits",
        _shows(_visits),
        _COLOUR,
        "The moves searched: each with its visits.",
        _OVER,
        "pspairs/Visits/trivalent-visits %m",
    ),
    Command(
        "trivalent-rave-values",
        _shows(_rave_values),
        _COLOUR,
        "INFLUENCE and all moves, the best first: how often the game is won when the player owns "
        "the cell at the end; the least gets 0, the greatest 1.  TEXT and what they are.",
        _OVER,
        "gfx/RAVE Values/trivalent-rave-values %m",
    ),
    Command(
        "trivalent-playouts",
        _do_playouts,
        _COUNT,
        f"Plays on at random, {PLAYOUTS:,} times unless told otherwise, and counts who wins.",
        _OVER,
        "string/Playouts/trivalent-playouts %m",
    ),
    Command(
        "trivalent-ownership",
        _ownership,
        _COUNT,
        "INFLUENCE and how often Black owns each empty cell at the end of random playouts, then "
        "TEXT and what that is.",
        _OVER,
        "gfx/Ownership/trivalent-ownership %m",
    ),
    Command(
        "trivalent-criticality",
        _criticality,
        _COUNT,
        "INFLUENCE and how much owning each empty cell goes with winning, in random playouts; the "
        "least gets 0, the greatest 1.  TEXT and what they are.",
        _OVER,
        "gfx/Criticality/trivalent-criticality %m",
    ),
)
"""The analysis family."""
