"""Text from outside, made fit for a message."""

import pytest

from trivalent.core.text import printable


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("c4", "'c4'"),
        ("a\x00\n\u00e9", r"'a\x00\n\xe9'"),
        (60 * "x", f"'{60 * 'x'}'"),
        (61 * "x", f"'{60 * 'x'}...'"),
        (True, "true"),
        (12, "12"),
        (["a", "b"], "['a', 'b']"),
        (list(range(100)), "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 1..."),
        pytest.param(10**5000, "a very large number", id="large"),
    ],
)
def test_a_value_becomes_one_short_line_of_ascii(value: object, text: str) -> None:
    assert printable(value) == text


def test_quotes_and_length_can_be_chosen() -> None:
    assert printable("it is\tlate", 5, quotes=False) == "it is..."
