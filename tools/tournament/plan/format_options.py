"""Read the part of a plan file that belongs to its tournament format."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from trivalent.core.text import printable
from trivalent.tools.statistics.sprt import MAX_ELO, MODELS, Sprt
from trivalent.tools.tournament.plan.plan_model import (
    Adaptive,
    Gauntlet,
    Knockout,
    Ladder,
    Matches,
    Options,
    Swiss,
)
from trivalent.tools.tournament.plan.strict_toml import PlanError, Table, suggestion

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from trivalent.tools.statistics.sprt import Model
    from trivalent.tools.tournament.model import Format

    Groups = Mapping[str, tuple[str, ...]]

_MAX_PAIRS = 10**6


def read_format(table: Table, groups: Groups) -> tuple[Format, Options | None]:
    """Take the format and its options from the table of a plan.

    ``groups`` maps each engine name in the file to the engines it stands for: more than one if it's
    a parameter grid.  Raise PlanError if the options make no sense.
    """
    form = cast("Format", table.choice("format", ("round-robin", *_READERS), "round-robin"))
    options = _READERS[form](table, groups) if form in _READERS else None
    for other in _READERS:
        if other in table:
            table.fail(other, f'belongs to format = "{other}", but the format is "{form}"')
    return form, options


def _gauntlet(table: Table, groups: Groups) -> Gauntlet:
    own = table.table("gauntlet")
    heroes = list(_names(own, "heroes", own.strings("heroes"), groups))
    own.finish()
    if not heroes or len(set(heroes)) < len(heroes):
        own.fail("heroes", "must name one or more different engines")
    if len(heroes) == sum(map(len, groups.values())):
        own.fail("heroes", "include every engine, so there are no opponents left")
    return Gauntlet(tuple(heroes))


def _matches(table: Table, groups: Groups) -> Matches:
    value = table.take("matches")
    if not isinstance(value, list) or not value:
        table.fail("matches", 'must be an array such as [["new", "old"], ["new", "older"]]')
    pairs: list[tuple[str, str]] = []
    for number, pair in enumerate(value, 1):
        one = Table({"": pair}, f"matches, number {number},")
        names = list(_names(one, "", one.strings(""), groups))
        if len(names) != 2 or names[0] == names[1]:
            one.fail("", f"must name two different engines, not {printable(pair)}")
        if (names[0], names[1]) in pairs or (names[1], names[0]) in pairs:
            one.fail("", f"repeats a match: {names[0]} against {names[1]}")
        pairs.append((names[0], names[1]))
    return Matches(tuple(pairs))


def _names(table: Table, key: str, names: Sequence[str], groups: Groups) -> Iterator[str]:
    """Yield the names of engines; the name of a grid stands for all its engines."""
    every = [name for group in groups.values() for name in group]
    for name in names:
        if name in groups:
            yield from groups[name]
        elif name in every:
            yield name
        else:
            table.fail(
                key, f"names an unknown engine, {printable(name)} ({suggestion(name, every)})"
            )


def _sprt(table: Table, groups: Groups) -> Sprt:
    own = table.table("sprt")
    model = cast("Model", own.choice("model", MODELS, "logistic"))
    numbers = (
        own.number("elo0", -MAX_ELO, MAX_ELO, 0.0),
        own.number("elo1", -MAX_ELO, MAX_ELO, 30.0),
        own.number("alpha", 0.0, 0.5, 0.05),
        own.number("beta", 0.0, 0.5, 0.05),
    )
    own.finish()
    if (count := sum(map(len, groups.values()))) != 2:
        table.fail("format", f"sprt takes exactly two engines, not {count}")
    try:
        return Sprt(*numbers, model)
    except ValueError as error:
        raise PlanError(f"{own.place('')}: {error}") from None


def _knockout(table: Table, groups: Groups) -> Knockout:
    own = table.table("knockout")
    options = Knockout(own.integer("tie_breaks", 0, 1000, Knockout().tie_breaks))
    own.finish()
    return options


def _swiss(table: Table, groups: Groups) -> Swiss:
    own = table.table("swiss")
    options = Swiss(own.integer("rounds", 1, 1000))
    own.finish()
    return options


def _ladder(table: Table, groups: Groups) -> Ladder:
    own = table.table("ladder")
    options = Ladder(own.integer("passes", 1, 1000, Ladder().passes))
    own.finish()
    return options


def _adaptive(table: Table, groups: Groups) -> Adaptive:
    own = table.table("adaptive")
    count = sum(map(len, groups.values()))
    pairings = count * (count - 1) // 2
    options = Adaptive(
        own.integer("pairs", 2 * pairings, _MAX_PAIRS), own.integer("batch", 1, 10_000, pairings)
    )
    own.finish()
    return options


_READERS: dict[Format, Callable[[Table, Groups], Options]] = {
    "gauntlet": _gauntlet,
    "matches": _matches,
    "sprt": _sprt,
    "knockout": _knockout,
    "swiss": _swiss,
    "ladder": _ladder,
    "adaptive": _adaptive,
}
"""Reader of each format's options; a round robin has none."""
