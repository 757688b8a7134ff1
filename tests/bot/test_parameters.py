"""Parameters: types, ranges, choices, and the names of the previous version."""

from __future__ import annotations

import logging
from dataclasses import dataclass

import pytest

from trivalent.bot.parameters import Parameters, choice, duration, parameter
from trivalent.bot.players.mcts_parameters import MctsParameters


@dataclass(frozen=True)
class Example(Parameters):
    """Parameters of every kind."""

    speed: float = parameter(1.0, "metres a second", low=0.0, high=9.0, formerly="velocity")
    wheels: int = parameter(4, "number of wheels", low=1, keeps_tree=True)
    lights: bool = parameter(default=False, meaning="whether they are on")
    colour: str = choice(
        "red",
        ("red", "green"),
        "of the car",
        formerly="paint",
        former_values={"0": "red", "1": "green"},
    )
    rest: float | None = duration("seconds between two rides")


def test_text_is_read_by_type() -> None:
    changed = Example().updated({"speed": "2", "wheels": "3", "lights": "1", "colour": "green"})
    assert changed == Example(2.0, 3, lights=True, colour="green")
    assert changed.updated({"rest": "1.5"}).rest == 1.5
    assert changed.updated({"rest": "1.5"}).updated({"rest": "auto"}) == changed
    assert changed.updated({"rest": "1.5"}).updated({"rest": "0"}) == changed


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"speed": "fast"}, "speed must be a number, not 'fast'"),
        ({"wheels": "1.5"}, "wheels must be a whole number, not '1.5'"),
        ({"lights": "yes"}, "lights must be 0 or 1, not 'yes'"),
        ({"colour": "blue"}, "colour must be one of red, green, not 'blue'"),
        ({"paint": "2"}, "colour must be one of red, green, not '2'"),
        ({"speed": "10"}, r"speed must be at most 9\.0, not 10\.0"),
        ({"wheels": "0"}, "wheels must be at least 1, not 0"),
        ({"rest": "-1"}, r"rest must be above 0, not -1\.0"),
        ({"rest": "nan"}, "rest must be above 0, not nan"),
        ({"rest": "1e10"}, "rest must be at most 1000000000.0, not 10000000000.0"),
        ({"rest": "long"}, "rest must be a number or auto, not 'long'"),
        ({"doors": "4"}, "unknown parameter 'doors' .known: speed, wheels, lights, colour, rest."),
        ({"velocity": "1", "speed": "2"}, "are the same parameter: set speed only"),
    ],
)
def test_unsuitable_values_are_refused(values: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Example().updated(values)


def test_former_names_are_read_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            changed = Example().updated({"velocity": "3", "paint": "1"})
    assert changed == Example(3.0, colour="green")
    assert sorted(caplog.messages) == [
        "the parameter paint is now called colour",
        "the parameter velocity is now called speed",
    ]


def test_former_names_are_translated_silently(caplog: pytest.LogCaptureFixture) -> None:
    values = {"velocity": "3", "paint": "0", "wheels": "2", "doors": "4"}
    assert Example.translated(values) == {
        "speed": "3", "colour": "red", "wheels": "2", "doors": "4",
    }  # fmt: skip
    assert caplog.messages == []


def test_parameters_explain_themselves() -> None:
    assert Example().explain().splitlines() == [
        "speed=1.0 (0.0..9.0): metres a second",
        "wheels=4 (1..): number of wheels",
        "lights=0 (0 or 1): whether they are on",
        "colour=red (red or green): of the car",
        "rest=auto (above 0 up to 1e+09, or auto): seconds between two rides",
    ]
    assert Example().explain("paint") == "colour=red (red or green): of the car"


def test_a_tree_survives_parameters_that_do_not_shape_it() -> None:
    assert Example().may_share_tree(Example(wheels=3))
    assert not Example().may_share_tree(Example(wheels=3, lights=True))
    kept = {
        name
        for name, field in MctsParameters.__dataclass_fields__.items()
        if field.metadata["keeps_tree"]
    }
    assert kept == {"resign", "threads", "reuse", "solver_max_empties", "book", "book_random"}
