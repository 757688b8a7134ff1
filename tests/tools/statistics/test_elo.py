"""Elo differences as text."""

import pytest

from trivalent.tools.statistics.elo import signed, span


@pytest.mark.parametrize(
    ("elo", "text"),
    [(None, ""), (0.0, "+0"), (-0.0, "+0"), (-0.3, "+0"), (0.3, "+0"), (-0.6, "-1"), (12.6, "+13")],
)
def test_signs(elo: float | None, text: str) -> None:
    assert signed(elo) == text


def test_intervals() -> None:
    assert span(None, None) == ""
    assert span(1.0, None) == "> +1"
    assert span(None, -2.4) == "< -2"
    assert span(-0.4, 12.6) == "+0 to +13"
