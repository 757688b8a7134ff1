"""Commands that set the clocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trivalent.bot.time_control import TimeSettings
from trivalent.core.text import printable
from trivalent.gtp.engine.arguments import GtpError
from trivalent.gtp.engine.command import Command

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from trivalent.gtp.engine.arguments import Arguments
    from trivalent.gtp.engine.session import Session


def _time_settings(session: Session, arguments: Arguments) -> str:
    arguments.expect_count(3)
    main, byo_yomi = arguments.seconds(0), arguments.seconds(1)
    session.restart_clock(_canadian(main, byo_yomi, arguments.integer(2, 0, 1_000_000)))
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


_KGS_SYSTEMS = {"none": 1, "absolute": 2, "byoyomi": 4, "canadian": 4}
_SYSTEMS = _KGS_SYSTEMS | {"fischer": 3}
"""The number of words with which each time system is described."""


def _time_system(systems: Mapping[str, int]) -> Callable[[Session, Arguments], str]:
    """Make the handler of a command that sets the clocks to one of several time systems."""

    def handler(session: Session, arguments: Arguments) -> str:
        arguments.expect_count(1, 4)
        kind = arguments.words[0].lower()
        if kind not in systems:
            raise GtpError(f"unknown time system {printable(kind)} (known: {', '.join(systems)})")
        arguments.expect_count(systems[kind])
        session.restart_clock(_settings(kind, arguments))
        return ""

    return handler


def _settings(kind: str, arguments: Arguments) -> TimeSettings | None:
    """Read the settings of a time system; None for no limit."""
    if kind == "none":
        return None
    main = arguments.seconds(1)
    if kind == "absolute":
        return TimeSettings(main)
    if kind == "fischer":
        return TimeSettings(main, increment=arguments.seconds(2))
    period, count = arguments.seconds(2), arguments.integer(3, 0, 1_000_000)
    if kind == "byoyomi":
        return TimeSettings(main, period, 1, periods=count) if count else TimeSettings(main)
    return _canadian(main, period, count)


def _canadian(main: float, byo_yomi: float, stones: int) -> TimeSettings | None:
    unlimited = byo_yomi > 0 and stones == 0  # GTP 2 defines it so
    return None if unlimited else TimeSettings(main, byo_yomi, stones)


def _list_time_settings(session: Session, arguments: Arguments) -> str:
    arguments.expect_count(0)
    return " ".join(_SYSTEMS)


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
        _time_system(_SYSTEMS),
        "none | absolute MAIN | fischer MAIN INCREMENT | byoyomi MAIN PERIOD PERIODS | "
        "canadian MAIN PERIOD STONES",
        "Like time_settings, but supports more time systems.",
        "the time system is unknown",
    ),
    Command(
        "kata-list_time_settings",
        _list_time_settings,
        "",
        "Lists the time systems of kata-time_settings.",
    ),
    Command(
        "kgs-time_settings",
        _time_system(_KGS_SYSTEMS),
        "none | absolute MAIN | byoyomi MAIN PERIOD PERIODS | canadian MAIN PERIOD STONES",
        "Like time_settings, for the time systems of KGS.",
        "the time system is unknown",
    ),
    Command(
        "time_left",
        _time_left,
        "COLOUR SECONDS STONES",
        "Tells the engine the remaining time of COLOUR; STONES is the number of moves left in the "
        "period (after byoyomi, the number of periods left), or 0 during main time.",
    ),
)
"""The time family."""
