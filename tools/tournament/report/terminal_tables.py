"""The report as tables for a terminal: standings, crosstable, matches, faults, notes."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from trivalent.tools.common.tables import new_table
from trivalent.tools.statistics.elo import signed, span
from trivalent.tools.tournament.report.conditions import clock_text, has_odds, program_text

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table

    from trivalent.tools.tournament.report.summary import Match, Summary

MAX_COLUMNS = 12
"""A crosstable of more engines is wider than a terminal."""
_MAX_FAULTS = 10
_WIDE = 100
"""Minimum terminal width in characters for all columns."""


def tables(summary: Summary, width: int) -> RenderableType:
    """Return all tables of a summary, with fewer columns if the terminal is narrow."""
    narrow = width < _WIDE
    parts: list[RenderableType] = [Text(line) for line in heading(summary)]
    parts += [Text(), engines(summary), Text(), standings(summary, narrow=narrow)]
    if 2 < len(summary.standings) <= MAX_COLUMNS:
        parts += [Text(), crosstable(summary)]
    parts += [Text(), matches(summary, narrow=narrow)]
    if summary.test:
        parts += [Text(), Text(test_line(summary))]
    if summary.faults:
        parts += [Text(), faults(summary)]
    parts += [Text(), *(Text(f"* {note}") for note in notes(summary))]
    return Group(*parts)


def show(summary: Summary, console: Console) -> None:
    """Print all tables of a summary."""
    console.print(tables(summary, console.width))


def heading(summary: Summary) -> list[str]:
    """Return a few lines that say what was played."""
    swap = "no swap" if summary.swap == "off" else f"swap-{summary.swap}"
    lines = [
        f"{summary.name}: {summary.board}, {summary.format}, {swap}, seed {summary.seed}",
        f"{summary.games} of {summary.total} games"
        + (f", {summary.void} void" if summary.void else "")
        + (f"; {day(summary.started)} to {day(summary.ended)}" if summary.started else ""),
    ]
    return [*lines, state(summary)] if state(summary) else lines


def state(summary: Summary) -> str:
    """Return the current state of the format; empty if it's only the format's name."""
    return "" if summary.state == summary.format.replace("-", " ") else summary.state


def notes(summary: Summary) -> list[str]:
    """Return notes that help to read the numbers, one sentence each."""
    scale = f"relative to {summary.anchor}" if summary.anchor else "relative to the mean"
    sentences = [
        f"Elo is {scale}; 95 % intervals are computed from pairs (one opening, both colours).",
        "All ranks hold simultaneously with 95 % confidence.",
    ]
    if summary.first_player is not None and summary.first_player_error is not None:
        sentences.append(
            f"Moving first is worth {round(summary.first_player)} ± "
            f"{1.96 * summary.first_player_error:.0f} Elo "
            f"(p = {summary.first_player_p:.2g} for no advantage)."
        )
    if summary.half_pairs:
        sentences.append(f"Incomplete pairs (one game still to be played): {summary.half_pairs}.")
    return sentences + list(summary.notes)


def engines(summary: Summary) -> Table:
    """Return the clock of each engine, and what it is, in the order of the plan."""
    table = _table("Engines", "engine", "clock", "program", "version")
    for engine in summary.engines:
        texts = (engine.engine, clock_text(engine.clock), program_text(engine))
        table.add_row(*map(Text, texts), Text(", ".join(engine.versions)))
    return table


def standings(summary: Summary, *, narrow: bool = False) -> Table:
    """Return the rating table."""
    table = _table("Standings", "", "engine")
    titles = ["won", "lost", "score", "Elo", "95 %", "rank"]
    if not narrow:
        titles += ["Black", "White", "faults", "s/move"]
    for title in titles:
        table.add_column(title, justify="right", no_wrap=True)
    clocks = {
        engine.engine: clock_text(engine.clock).replace("nodes per move", "nodes")
        for engine in summary.engines
    }
    odds = has_odds(summary.engines)
    if odds:
        table.add_column("clock", overflow="fold")
    for place, row in enumerate(summary.standings, 1):
        played = row.wins + row.losses
        cells: list[str | Text] = [
            str(place),
            Text(row.engine),
            str(row.wins),
            str(row.losses),
            percent(row.wins, played),
            signed(row.elo),
            span(row.low, row.high),
            "-".join(map(str, sorted(set(row.ranks)))) if row.ranks else "",
            percent(row.wins_as_black, row.games_as_black),
            percent(row.wins_as_white, row.games_as_white),
            str(row.faults or ""),
            f"{row.time.mean:.2g}" if row.time else "",
        ]
        table.add_row(*cells[: len(titles) + 2], *([clocks[row.engine]] if odds else []))
    return table


def crosstable(summary: Summary) -> Table:
    """Return the wins and losses of each engine against each other one."""
    table = _table("Crosstable, wins-losses", "", "engine")
    names = [row.engine for row in summary.standings]
    for place in range(1, len(names) + 1):
        table.add_column(str(place), justify="right", no_wrap=True)
    results = {}
    for match in summary.matches:
        results[match.engine, match.opponent] = f"{match.wins}-{match.losses}"
        results[match.opponent, match.engine] = f"{match.losses}-{match.wins}"
    for place, engine in enumerate(names, 1):
        cells = ("·" if other == engine else results.get((engine, other), "") for other in names)
        table.add_row(str(place), Text(engine), *cells)
    return table


def matches(summary: Summary, *, narrow: bool = False) -> Table:
    """Return the result of each pair of engines."""
    table = _table("Matches, in pairs of games", "engine", "opponent")
    titles = ["WW", "split", "LL", "Elo", "95 %", "LOS"]
    if not narrow:
        titles += ["p", "balanced", "rated"]
    for title in titles:
        table.add_column(title, justify="right", no_wrap=True)
    for match in summary.matches:
        found, pairs = match.estimate, match.pairs
        cells: list[str | Text] = [
            Text(match.engine),
            Text(match.opponent),
            str(pairs.ww),
            str(pairs.split),
            str(pairs.ll),
            signed(found.elo),
            span(found.low, found.high),
            likely(found.los),
            f"{match.mcnemar[1]:.2g}" if pairs.total else "",
            _adjusted(match),
            signed(match.difference.elo),
        ]
        table.add_row(*cells[: len(titles) + 2])
    return table


def _adjusted(match: Match) -> str:
    if match.adjusted is None:
        return ""
    elo, error = match.adjusted
    return f"{signed(elo)} ± {1.96 * error:.0f}"


def faults(summary: Summary) -> Table:
    """Return the latest games that weren't decided on the board."""
    hidden = max(0, len(summary.faults) - _MAX_FAULTS)
    title = f"Faults, the last {_MAX_FAULTS} of {len(summary.faults)}" if hidden else "Faults"
    table = _table(title, "engine", "opponent", "opening", "what")
    for fault in summary.faults[hidden:]:
        what = f"{fault.ending}{' (void)' if fault.void else ''}"
        table.add_row(
            Text(fault.engine),
            Text(fault.opponent),
            Text(fault.opening),
            Text(f"{what}: {fault.detail}" if fault.detail else what),
        )
    return table


def test_line(summary: Summary) -> str:
    """Return the state of the sequential test as a sentence."""
    test = summary.test
    assert test is not None
    verdict = {
        "": "undecided",
        "H0": f"H0 accepted ({test.elo0:g} Elo)",
        "H1": f"H1 accepted ({test.elo1:g} Elo)",
    }[test.decision]
    late = f"; {test.late.total} later pairs not counted" if test.late.total else ""
    return (
        f"SPRT of {test.engine} against {test.opponent}, {test.elo0:g} against {test.elo1:g} Elo: "
        f"{verdict}, LLR {test.llr:z.2f} (bounds {test.lower:.2f} and {test.upper:.2f}) "
        f"after {test.pairs.total} pairs{late}"
    )


def _table(title: str, *columns: str) -> Table:
    """Return an empty table whose first columns contain text."""
    table = new_table(title)
    for column in columns:
        table.add_column(column, overflow="fold")  # names may differ only at the end
    return table


def day(seconds: float) -> str:
    """Return a point in time, to the minute."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")


def percent(part: int, whole: int) -> str:
    """Return a share in percent, or an empty string if the whole is 0."""
    return f"{100 * part / whole:.1f} %" if whole else ""


def likely(los: float | None) -> str:
    """Return a probability in percent, never 0 or 100."""
    if los is None:
        return ""
    return f"{min(max(100.0 * los, 0.1), 99.9):.1f} %"
