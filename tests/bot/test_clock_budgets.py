"""How much of a clock a player spends on a move, for all kinds of clocks."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trivalent.bot.time_control import MIN_SECONDS, OVERHEAD, Clock, TimeSettings
from trivalent.core.board import BLACK, MAX_SIZE, WHITE, Colour


def test_a_period_needs_stones() -> None:
    with pytest.raises(ValueError, match="byo-yomi"):
        TimeSettings(10, 5, 0)
    assert Clock(TimeSettings(10, 0, 3)).budget(BLACK, 100)[0] < 10


TIMES = st.floats(0, 1e9) | st.sampled_from([0.0, 1e-9, 0.01, 0.05, 1.0])


@st.composite
def time_settings(draw: st.DrawFn) -> TimeSettings:
    main, byo_yomi = draw(TIMES), draw(TIMES)
    # A period of 0 stones means no limit, so it has no clock.
    return TimeSettings(main, byo_yomi, draw(st.integers(1 if byo_yomi > 0 else 0, 1_000_000)))


@settings(deadline=None)
@given(
    time_settings(),
    st.lists(st.tuples(st.sampled_from([BLACK, WHITE]), TIMES), max_size=12),
    st.integers(0, MAX_SIZE**2),
)
def test_a_budget_never_exceeds_the_time_left(
    setting: TimeSettings, moves: list[tuple[Colour, float]], empty: int
) -> None:
    clock = Clock(setting)
    for colour, seconds in [*moves, (BLACK, 0.0), (WHITE, 0.0)]:
        left, stones = clock.left(colour)
        budget, extension = clock.budget(colour, empty)
        assert budget >= MIN_SECONDS
        assert (extension is None) == (stones == 1)
        assert extension is None or extension >= 0
        assert budget + (extension or 0) <= max(MIN_SECONDS, left - OVERHEAD) + 1e-9 * abs(left)
        assert stones >= 0
        clock.spend(colour, seconds)


@settings(deadline=None)
@given(time_settings(), TIMES, st.integers(0, 1_000_000), st.integers(0, MAX_SIZE**2))
def test_a_budget_follows_time_left(
    setting: TimeSettings, seconds: float, stones: int, empty: int
) -> None:
    clock = Clock(setting)
    clock.set_left(WHITE, seconds, stones)
    assert clock.left(WHITE) == (seconds, stones)
    budget, _ = clock.budget(WHITE, empty)
    assert MIN_SECONDS <= budget <= max(MIN_SECONDS, seconds)
    if stones:
        assert budget <= max(MIN_SECONDS, seconds / stones)


@settings(deadline=None)
@given(st.floats(0.1, 1e6), st.integers(1, 63))
def test_a_game_on_the_clock_ends_in_time(main: float, size: int) -> None:
    clock = Clock(TimeSettings(main))
    empty = size * size
    while empty > 0 and clock.left(BLACK)[0] > 2 * OVERHEAD:
        seconds, extension = clock.budget(BLACK, empty)
        clock.spend(BLACK, seconds + (extension or 0))
        empty -= 2
    assert clock.left(BLACK)[0] > 0


@pytest.mark.parametrize("size", [5, 11, 63])
@pytest.mark.parametrize(("main", "increment"), [(2, 0.1), (0.3, 0.1), (60, 1), (5, 0.06)])
def test_with_an_increment_time_never_runs_out(size: int, main: float, increment: float) -> None:
    """Even if every move is extended and takes 50 ms longer than planned."""
    clock = Clock(TimeSettings(main, increment=increment))
    for empty in range(size * size, 0, -1):
        seconds, extension = clock.budget(BLACK, empty)
        used = seconds + (extension or 0) + OVERHEAD
        assert used < clock.left(BLACK)[0]
        clock.spend(BLACK, used)
