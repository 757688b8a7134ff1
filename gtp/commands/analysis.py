"""Commands that show how the player evaluates the position on the board.

They use the latest search if it was of this position, and search first if it was not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trivalent.core.playouts.playout import PlayoutStatistics, statistics
from trivalent.gtp.commands.graphics import influence, label, outlook, short
from trivalent.gtp.engine.arguments import GtpError, is_colour
from trivalent.gtp.engine.command import Command

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from trivalent.bot.player import Analysis, MoveAnalysis
    from trivalent.core.board import Colour
    from trivalent.gtp.engine.arguments import Arguments
    from trivalent.gtp.engine.session import Session

DEFAULT_PLAYOUTS = 10_000
MAX_PLAYOUTS = 250_000  # 0.3 seconds on the largest board; playouts cannot be interrupted


def _side(session: Session, arguments: Arguments) -> Colour:
    """Return the colour to analyse for: the only argument, by default the side to move."""
    arguments.expect_count(0, 1)
    return arguments.colour(0) if len(arguments) else session.position.to_play


def _lines(session: Session, first: str, second: str) -> str:
    """Return a label of two lines for HexGui, of one for GoGui, which has no room for a second."""
    return first if session.profile.gogui_graphics else f"{first}@{second}"


def _shows(show: Callable[[Session, Analysis], str]) -> Callable[[Session, Arguments], str]:
    """Make a handler from a function that formats an analysis."""
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


def _network(session: Session, arguments: Arguments) -> str:
    colour = _side(session, arguments)
    if session.position.winner is not None:
        raise GtpError(f"the game is over, {session.position.winner} has won")
    opinion = session.player.network_opinion(colour)
    if opinion is None:
        raise GtpError("no network plays here (param_player net FILE)")
    highest = max(opinion.policy.values())
    drawn = influence(session, ((cell, p / highest) for cell, p in opinion.policy.items()))
    best = max(opinion.policy, key=opinion.policy.__getitem__)
    return (
        f"{drawn}\nTEXT {colour} wins with {opinion.value:.1%}; policy of the network, up to "
        f"{highest:.1%} for {session.name(best)}"
    )


def _rave_values(session: Session, analysis: Analysis) -> str:
    rave = {move.cell: move.rave for move in analysis.moves if move.rave is not None}
    if not rave:
        raise GtpError("this player has no RAVE statistics")
    return _spread(
        session, list(rave), list(rave.values()), "share of playouts won by the owner of the cell"
    )


def _variation(session: Session, analysis: Analysis) -> str:
    return " ".join(map(session.name, analysis.variation))


def _search(session: Session, analysis: Analysis) -> str:
    best = session.name(analysis.moves[0].cell)
    return f"{best} {outlook(analysis, seconds=True)}; {_variation(session, analysis)}"


def _playouts(session: Session, arguments: Arguments) -> tuple[Colour, PlayoutStatistics]:
    """Run random playouts from the position.  Arguments: [COLOUR] [PLAYOUTS]."""
    arguments.expect_count(0, 2)
    position = session.position.copy()
    index = 0
    if len(arguments) and is_colour(arguments.words[0]):
        position.to_play = arguments.colour(0)
        index = 1
    count = DEFAULT_PLAYOUTS
    if len(arguments) > index:
        count = arguments.integer(index, 1, MAX_PLAYOUTS)
        arguments.expect_count(index + 1)
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
    return _spread(
        session,
        found.cells,
        found.ownership,
        "share of playouts in which black owns the cell",
    )


def _criticality(session: Session, arguments: Arguments) -> str:
    _, found = _playouts(session, arguments)
    return _spread(
        session,
        found.cells,
        found.criticality,
        "criticality: how strongly owning the cell correlates with winning",
    )


def _spread(session: Session, cells: Sequence[int], values: Sequence[float], meaning: str) -> str:
    """Colour cells by values that differ little, scaled so that their range becomes 0 to 1."""
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
        "Shows the best move, its value, the search effort (positions, seconds), and the principal "
        "variation.",
        _OVER,
        "string/Search/trivalent-search %m",
    ),
    Command(
        "trivalent-pv",
        _shows(_variation),
        _COLOUR,
        "Shows the principal variation of the search.",
        _OVER,
        "var/Principal Variation/trivalent-pv %m",
    ),
    Command(
        "trivalent-top-moves",
        _shows(_top_moves),
        _COLOUR,
        "Lists the ten best moves, each with rank@value (with --compat gogui: only the rank).",
        _OVER,
        "pspairs/Top Moves/trivalent-top-moves %m",
    ),
    Command(
        "trivalent-values",
        _shows(_values),
        _COLOUR,
        "Lists the searched moves, each with value@visits (with --compat gogui: only the value).  "
        "W and L stand for proven wins and losses.",
        _OVER,
        "pspairs/Values/trivalent-values %m",
    ),
    Command(
        "trivalent-visits",
        _shows(_visits),
        _COLOUR,
        "Lists the searched moves, each with its number of visits.",
        _OVER,
        "pspairs/Visits/trivalent-visits %m",
    ),
    Command(
        "trivalent-network",
        _network,
        _COLOUR,
        "Colours all moves by the network's policy, scaled so that the highest value is 1; the "
        "line that starts with TEXT gives the network's value and the probability of its first "
        "choice.  Does not search.",
        "the game is over, or no network is in use",
        "gfx/Network/trivalent-network %m",
    ),
    Command(
        "trivalent-rave-values",
        _shows(_rave_values),
        _COLOUR,
        "Colours all moves by their RAVE value: how often the player wins the playouts in which "
        "the player owns the cell at the end.  Values are rescaled to the range 0 to 1; the line "
        "that starts with TEXT gives their original range.",
        _OVER,
        "gfx/RAVE Values/trivalent-rave-values %m",
    ),
    Command(
        "trivalent-playouts",
        _do_playouts,
        _COUNT,
        f"Runs random playouts ({DEFAULT_PLAYOUTS:,} by default) and counts the wins.",
        _OVER,
        "string/Playouts/trivalent-playouts %m",
    ),
    Command(
        "trivalent-ownership",
        _ownership,
        _COUNT,
        "Colours each empty cell by how often Black owns it at the end of random playouts.  Values "
        "are rescaled to the range 0 to 1; the line that starts with TEXT gives their original "
        "range.",
        _OVER,
        "gfx/Ownership/trivalent-ownership %m",
    ),
    Command(
        "trivalent-criticality",
        _criticality,
        _COUNT,
        "Colours each empty cell by its criticality in random playouts: how strongly owning it "
        "correlates with winning.  Values are rescaled to the range 0 to 1; the line that starts "
        "with TEXT gives their original range.",
        _OVER,
        "gfx/Criticality/trivalent-criticality %m",
    ),
)
"""The analysis family."""
