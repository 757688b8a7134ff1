"""The command that reviews the game on the board and marks its turning points."""

from __future__ import annotations

import time
from threading import Timer
from typing import TYPE_CHECKING, Protocol

from trivalent.core.processors import usable_cores
from trivalent.core.records.record import Record
from trivalent.gtp.commands.graphics import INTERVAL, draw, pairs, variation
from trivalent.gtp.engine.arguments import GtpError
from trivalent.gtp.engine.command import Command

if TYPE_CHECKING:
    from trivalent.bot.review.judgement import Verdict
    from trivalent.bot.review.reviewer import Progress, Review
    from trivalent.gtp.engine.arguments import Arguments
    from trivalent.gtp.engine.session import Session

MAX_POINTS = 5
"""Turning points that are marked, the latest ones."""
MAX_NODES = 10**9


def _review(session: Session, arguments: Arguments) -> str:
    review = _reviewed(session, arguments)
    marks: dict[int, str] = {}
    for verdict in _points(review):
        number = verdict.step.number
        if verdict.better is not None and verdict.better.cell is not None:
            marks[verdict.better.cell] = _label(session, str(number), "best")
        if verdict.step.turn.cell is not None:
            marks[verdict.step.turn.cell] = _label(session, str(number), _cost(verdict))
    return " ".join(f"{session.name(cell)} {text}" for cell, text in marks.items())


def _reviewed(session: Session, arguments: Arguments) -> Review:
    """Return the review of the game, or what is known of it once the command is interrupted."""
    # These keep the start fast.
    from trivalent.bot.review.game_line import ReviewError, game_line  # noqa: PLC0415
    from trivalent.bot.review.judgement import judge  # noqa: PLC0415
    from trivalent.bot.review.position_analyst import (  # noqa: PLC0415
        QUICK,
        Effort,
        Interrupted,
        PositionAnalyst,
    )
    from trivalent.bot.review.reviewer import Reviewer  # noqa: PLC0415

    arguments.expect_count(0, 1)
    effort = Effort(nodes=arguments.integer(0, 1, MAX_NODES)) if len(arguments) else QUICK
    allows_swap = session.game.allow_swap or None
    try:
        line = game_line(Record.of(session.position), allows_swap=allows_swap)
    except ReviewError as error:
        raise GtpError(str(error)) from None
    known: list[Review] = []
    show = _live(session)

    def watch(progress: Progress) -> None:
        known[:] = [progress.review]
        show(progress.review, f"{progress.stage}: {progress.done} of {progress.total} positions")

    stop = session.channel.stop
    timer = Timer(session.max_seconds or 0.0, stop.set)
    if session.max_seconds is not None:
        timer.start()
    threads = getattr(session.player.parameters, "threads", 0) or usable_cores()
    try:
        with PositionAnalyst(None, stop, threads) as analyst:
            review = Reviewer(analyst, effort, watch).review(line)
            show(review, _result(review), at_once=True)
            return review
    except Interrupted:
        (review,) = known
        review.verdicts = judge(line, review.stations)
        return review
    finally:
        timer.cancel()


def _points(review: Review) -> list[Verdict]:
    return [review.verdicts[index] for index in review.turning_points[-MAX_POINTS:]]


def _cost(verdict: Verdict) -> str:
    """Return how much a move cost: L if it's proven to have lost the game."""
    return "L" if verdict.is_proven else f"{min(99, round(100 * verdict.cost))}%"


def _label(session: Session, first: str, second: str) -> str:
    return first if session.profile.gogui_graphics else f"{first}@{second}"


class _Show(Protocol):
    """Draws the turning points as far as they are known, with a text."""

    def __call__(self, review: Review, text: str, *, at_once: bool = False) -> None:
        """Draw them if it's time to do so, or at once."""


def _live(session: Session) -> _Show:
    from trivalent.bot.review.judgement import judge  # noqa: PLC0415  keeps the start fast

    latest = time.monotonic()

    def show(review: Review, text: str, *, at_once: bool = False) -> None:
        nonlocal latest
        now = time.monotonic()
        if not session.search.live_graphics or not (at_once or now >= latest + INTERVAL):
            return
        latest = now
        review.verdicts = judge(review.line, review.stations)
        draw(session, "uct", [*_marks(session, review), f"TEXT {text}"])

    return show


def _result(review: Review) -> str:
    numbers = ", ".join(str(verdict.step.number) for verdict in _points(review))
    return f"latest turning points: moves {numbers}" if numbers else "no turning points"


def _marks(session: Session, review: Review) -> list[str]:
    """Return lines of graphics: the turning points known so far, at first the latest stone."""
    marks = {v.step.turn: (str(v.step.number), _cost(v)) for v in _points(review)}
    marks = {turn: texts for turn, texts in marks.items() if turn.cell is not None}
    if not marks:
        step = [step for step in review.line.steps if step.turn.cell is not None][-1]
        marks = {step.turn: (str(step.number), "...")}
    *_, latest = marks
    named = {session.name(turn.cell or 0): texts for turn, texts in marks.items()}
    lines = [
        variation(session, latest.colour, [latest.cell or 0]),
        pairs("INFLUENCE", ((name, cost) for name, (_, cost) in named.items())),
        pairs("LABEL", ((name, number) for name, (number, _) in named.items())),
    ]
    # GoGui would have numbers in place of the costs.
    return lines[2:] if session.profile.gogui_graphics else lines


REVIEW = (
    Command(
        "trivalent-review",
        _review,
        "[NODES]",
        f"Reviews the game on the board and lists its turning points, the latest {MAX_POINTS}: the "
        "move that gave the lead away with its number and what it cost (L if that is proven), and "
        "the better move with the same number and `best` (with --compat gogui: only the numbers).  "
        "NODES is the number of nodes searched for each move.  With live_graphics 1, the turning "
        "points found so far are shown meanwhile.",
        "the game has no moves",
        "pspairs/Review/trivalent-review",
        reduced_only=True,
    ),
)
"""The review family."""
