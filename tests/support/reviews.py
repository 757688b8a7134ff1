"""Reviews of small games."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trivalent.bot.player import Stop
from trivalent.bot.review.game_line import game_line
from trivalent.bot.review.position_analyst import Effort, PositionAnalyst
from trivalent.bot.review.reviewer import Reviewer
from trivalent.core.records.formats import read
from trivalent.tools.review.annotated_record import ReviewedGame

if TYPE_CHECKING:
    from trivalent.bot.review.review_store import ReviewStore
    from trivalent.bot.review.reviewer import Review

EFFORT = Effort(nodes=60)

FAULTS = "hex 5: c2 c3 d2 b4 a3 d4 a4 c4 b1 b2"
"""A game that both players threw away several times: by 3. d2, 4. b4, 5. a3, 8. c4, 9. b1 and 10.
b2."""
FAULTY_MOVES = [3, 4, 5, 8, 9, 10]


def reviewed(
    text: str,
    effort: Effort = EFFORT,
    *,
    allows_swap: bool | None = None,
    store: ReviewStore | None = None,
    threads: int = 1,
) -> Review:
    """Return the review of a game in any format."""
    line = game_line(read(text).record, allows_swap=allows_swap)
    with PositionAnalyst(store, Stop(), threads) as analyst:
        return Reviewer(analyst, effort).review(line)


def reviewed_game(text: str, source: str = "a game") -> ReviewedGame:
    """Return a game with its review."""
    record = read(text).record
    with PositionAnalyst(None, Stop(), 1) as analyst:
        return ReviewedGame(source, record, Reviewer(analyst, EFFORT).review(game_line(record)))


def result(review: Review) -> object:
    """Return what two equal reviews have in common: everything but the time taken."""
    stations = [
        (
            station.winner,
            station.source,
            station.proof,
            station.analysis and (station.analysis.moves, station.analysis.variation),
        )
        for station in review.stations
    ]
    verdicts = [
        (v.before, v.after, v.grade, v.better, v.line, v.is_turning_point, v.certainty)
        for v in review.verdicts
    ]
    return stations, verdicts, review.reasons
