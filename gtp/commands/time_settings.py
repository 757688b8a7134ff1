"""Commands that set the clocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trivalent.bot.time_control import TimeSettings
from trivalent.core.text import printable
from trivalent.gtp.engine.arguments import GtpError
from trivalent.gtp.engine.command import Command

if TYPE_CHECKING:
    from trivalent.gtp.engine.arguments import Arguments
    from trivalent.gtp.engine.session import Session


def _time_settings(session: Session, arguments: Arguments) -> str:
    arguments.expect_count(3)
    main, byo_yomi = arguments.seconds(0), arguments.seconds(1)
    stones = arguments.integer(2, 0, 1_000_000)
    unlimited = byo_yomi > 0 and stones == 0  # GTP 2 defines it so
    session.restart_clock(None if unlimited else TimeSettings(main, byo_yomi, stones))
    return ""


def _time_left(session: Session, arguments: Arguments) -> str:
    arguments.expect_count(3)
    colour, seconds = arguments.colour(0), arguments.seconds(1)
    stones = arguments.integer(2, 0, 1_000_000)
    if session.clock is None:
        session.restart_clock(TimeSettings(seconds))
    assert session.clock is not None
    session.clock.set_left(colour, seconds, stones)
    return ""


def _kata_time_settings(session: Session, arguments: Arguments) -> str:
    arguments.expect_count(1, 4)
    kind = arguments.words[0]
    counts = {"none": 1, "absolute": 2, "fischer": 3, "byoyomi": 4, "canadian": 4}
    if kind not in counts:
        raise GtpError(f"unknown time system {printable(kind)} (known: {', '.join(counts)})")
    arguments.expect_count(counts[kind])
    main = arguments.seconds(1) if counts[kind] > 1 else 0.0
    settings: TimeSettings | None = None
    if kind == "absolute":
        settings = TimeSettings(main)
    elif kind == "fischer":
        settings = TimeSettings(main, increment=arguments.seconds(2))
    elif kind == "byoyomi":
        period, periods = arguments.seconds(2), arguments.integer(3, 1, 1_000_000)
        # All periods but the last can be spent like main time.
        settings = TimeSettings(main + (periods - 1) * period, period, 1)
    elif kind == "canadian":
        settings = TimeSettings(main, arguments.seconds(2), arguments.integer(3, 1, 1_000_000))
    session.restart_clock(settings)
    return ""


TIMES = (
    Command(
        "time_settings",
        _time_settings,
        "MAIN BYO_YOMI STONES",
        "Sets the clocks: MAIN seconds, then BYO_YOMI seconds for every STONES moves (Canadian "
        "byo-yomi; with STONES 1, seconds per move).  time_settings 0 1 0 means no limit.",
    ),
    Command(
        "kata-time_settings",
        _kata_time_settings,
        "none | absolute MAIN | fischer MAIN INCREMENT | byoyomi MAIN PERIOD PERIODS | "
        "canadian MAIN PERIOD STONES",
        "Like time_settings, but supports more time systems.",
        "the time system is unknown",
    ),
    Command(
        "time_left",
        _time_left,
        "COLOUR SECONDS STONES",
        "Tells the engine the remaining time of COLOUR; STONES is the number of moves left in the "
        "period, or 0 during main time.",
    ),
)
"""The time family."""
