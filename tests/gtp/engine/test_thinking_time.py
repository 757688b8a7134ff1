"""The time that a session allows for a move: limits of the user, clocks of the controller."""

from __future__ import annotations

from types import SimpleNamespace
from typing import NamedTuple

import pytest
from gtp_session import FakePlayer, Gtp

from trivalent.bot.player import Answer, Limits, Stop, Watch
from trivalent.bot.time_control import MIN_SECONDS, TimeSettings
from trivalent.core.board import BLACK, WHITE, Colour
from trivalent.gtp.engine.session import DEFAULT_SECONDS


class Ticks:
    """A wall clock that moves only when a test moves it."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now


class Timed(NamedTuple):
    gtp: Gtp
    player: FakePlayer
    ticks: Ticks

    def think(self, colour: str, seconds: float, command: str = "genmove") -> float | None:
        """Let the player take ``seconds`` for a move; return the time that it was allowed."""
        before = self.player.genmove

        def slow(colour: Colour, limits: Limits, stop: Stop, watch: Watch | None = None) -> Answer:
            self.ticks.now += seconds
            return before(colour, limits, stop, watch)

        self.player.genmove = slow  # type: ignore[method-assign]
        self.gtp.ok(f"{command} {colour}")
        self.player.genmove = before  # type: ignore[method-assign]
        return self.player.limits[-1].seconds

    def left(self, colour: Colour) -> tuple[float, int]:
        assert self.gtp.session.clock is not None
        return self.gtp.session.clock.left(colour)


@pytest.fixture
def timed(monkeypatch: pytest.MonkeyPatch) -> Timed:
    ticks = Ticks()
    monkeypatch.setattr(
        "trivalent.gtp.engine.session.time", SimpleNamespace(monotonic=ticks.monotonic)
    )
    player = FakePlayer()
    return Timed(Gtp(player, size=11, limits=Limits()), player, ticks)


def test_the_users_limits_without_a_clock() -> None:
    for limits, expected in (
        (Limits(), Limits(seconds=DEFAULT_SECONDS)),
        (Limits(nodes=10), Limits(nodes=10)),
        (Limits(seconds=7), Limits(seconds=7)),
        (Limits(nodes=10, seconds=7), Limits(nodes=10, seconds=7)),
    ):
        player = FakePlayer()
        gtp = Gtp(player, limits=limits)
        gtp.ok("genmove b", "time_settings 0 1 0", "reg_genmove w")
        assert player.limits == [expected, expected]


def test_a_servers_limit_is_no_wish() -> None:
    """It only shortens: without any limit of the user, a move takes the usual second."""
    for most, limits, expected in (
        (60.0, Limits(), Limits(seconds=DEFAULT_SECONDS)),
        (0.5, Limits(), Limits(seconds=0.5)),
        (60.0, Limits(seconds=7), Limits(seconds=7)),
        (60.0, Limits(nodes=10), Limits(nodes=10, seconds=60.0)),
    ):
        player = FakePlayer()
        Gtp(player, limits=limits, max_seconds=most).ok("genmove b")
        assert player.limits == [expected]


def test_time_settings_without_limit_remove_the_clock(timed: Timed) -> None:
    timed.gtp.ok("time_settings 10 0 0", "time_settings 0 1 0")
    assert timed.gtp.session.clock is None
    assert timed.think("b", 100) == DEFAULT_SECONDS
    timed.gtp.ok("time_settings 300 5 0")  # in GTP 2, a period of 0 stones means no limit
    assert timed.gtp.session.clock is None


def test_absolute_time_runs_down_with_genmove_only(timed: Timed) -> None:
    timed.gtp.ok("time_settings 100 0 0")
    allowed = timed.think("b", 30)
    assert allowed is not None
    assert 0 < allowed < 100
    assert timed.left(BLACK) == (70, 0)
    assert timed.left(WHITE) == (100, 0)
    timed.think("w", 10, "reg_genmove")
    assert timed.left(WHITE) == (100, 0), "reg_genmove does not use the clock"
    timed.think("b", 70)
    timed.think("b", 1)  # the time is over, but the controller goes on
    assert timed.think("b", 1) == MIN_SECONDS
    timed.gtp.ok("clear_board")
    assert timed.left(BLACK) == (100, 0), "a new game starts with the full time"
    timed.gtp.ok("time_left b 5 0")
    timed.gtp.ok("boardsize 5")
    assert timed.left(BLACK) == (100, 0)


def test_canadian_time_counts_periods_and_stones(timed: Timed) -> None:
    timed.gtp.ok("time_settings 10 60 3")
    timed.think("b", 4)
    assert timed.left(BLACK) == (6, 0)
    timed.think("b", 16)  # 10 of these seconds in the first period
    seconds, stones = timed.left(BLACK)
    assert seconds == 50
    assert 1 <= stones <= 3
    timed.gtp.ok("time_left b 50 2")
    allowed = timed.think("b", 20)
    assert allowed is not None
    assert allowed <= 25
    assert timed.left(BLACK) == (30, 1)
    timed.think("b", 20)
    assert timed.left(BLACK) == (60, 3), "a new period"
    timed.gtp.ok("time_settings 0 60 3")
    assert timed.left(WHITE) == (60, 3), "without main time it begins in a period"


def test_time_left_starts_a_clock(timed: Timed) -> None:
    timed.gtp.ok("time_left w 30 0")
    allowed = timed.think("w", 1)
    assert allowed is not None
    assert allowed < 30
    assert timed.left(WHITE) == (29, 0)
    timed.gtp.ok("time_left b 0 0")
    assert timed.think("b", 1) == MIN_SECONDS


def test_the_shorter_of_user_limit_and_clock_applies() -> None:
    player = FakePlayer()
    gtp = Gtp(player, limits=Limits(nodes=5, seconds=0.5))
    gtp.ok("time_settings 1000 0 0", "genmove b", "time_left b 0.2 0", "genmove b")
    assert player.limits[0] == Limits(nodes=5, seconds=0.5)
    assert player.limits[1].nodes == 5
    assert player.limits[1].seconds is not None
    assert player.limits[1].seconds < 0.2


def test_a_failed_genmove_uses_no_time(caplog: pytest.LogCaptureFixture) -> None:
    player = FakePlayer(fails=["genmove"])
    gtp = Gtp(player)
    gtp.ok("time_settings 60 0 0")
    gtp.fails("genmove b")
    assert caplog.records


def test_only_the_last_move_of_a_period_uses_all_its_time() -> None:
    """Time that a move saves is lost at the end of a period only; else later moves can use it."""
    gtp = Gtp(fake := FakePlayer([0, 1, 2]))
    for setting in ("0 2 1", "0 2 2", "60 2 1"):
        gtp.ok(f"time_settings {setting}")
        gtp.ok("genmove black")
    assert [limits.extension is None for limits in fake.limits] == [True, False, False]


def test_kata_time_settings() -> None:
    gtp = Gtp(FakePlayer())
    for line, main, byo_yomi, stones, increment in (
        ("absolute 60", 60, 0, 0, 0),
        ("fischer 2 0.1", 2, 0, 0, 0.1),
        ("canadian 10 30 5", 10, 30, 5, 0),
        ("byoyomi 60 10 0", 60, 0, 0, 0),
    ):
        gtp.ok(f"kata-time_settings {line}")
        assert gtp.session.clock is not None
        assert gtp.session.clock.settings == TimeSettings(main, byo_yomi, stones, increment)
    for line in ("none", "canadian 60 10 0"):
        gtp.ok("time_settings 60 0 0", f"kata-time_settings {line}")
        assert gtp.session.clock is None
    for line in ("", "sudden 5", "fischer 2", "byoyomi 1 2 -1", "absolute x"):
        gtp.refused(f"kata-time_settings {line}")
    assert gtp.ok("kata-list_time_settings") == "none absolute byoyomi canadian fischer"


def test_kgs_time_settings(timed: Timed) -> None:
    for line, main, byo_yomi, stones, periods in (
        ("absolute 60", 60, 0, 0, 1),
        ("canadian 60 30 5", 60, 30, 5, 1),
        ("BYOYOMI 60 10 3", 60, 10, 1, 3),
    ):
        timed.gtp.ok(f"kgs-time_settings {line}")
        assert timed.gtp.session.clock is not None
        wanted = TimeSettings(main, byo_yomi, stones, periods=periods)
        assert timed.gtp.session.clock.settings == wanted
    timed.gtp.ok("kgs-time_settings none")
    assert timed.gtp.session.clock is None
    for line in ("", "fischer 2 1", "absolute", "byoyomi 1 2", "canadian 1 2 x"):
        timed.gtp.refused(f"kgs-time_settings {line}")


def test_all_periods_but_the_last_are_spent_like_main_time(timed: Timed) -> None:
    timed.gtp.ok("kgs-time_settings byoyomi 60 10 3")
    assert timed.left(BLACK) == (80, 0)
    timed.think("b", 85)
    assert timed.left(BLACK) == (5, 1)
    timed.think("b", 4)
    assert timed.left(BLACK) == (10, 1), "the last period begins again with each move"
    # On KGS, the third word of time_left is the number of periods left, 0 during main time.
    for line, left in (("30 0", (50, 0)), ("9 3", (19, 0)), ("9 2", (9, 0)), ("9 1", (9, 1))):
        timed.gtp.ok(f"time_left b {line}")
        assert timed.left(BLACK) == left
