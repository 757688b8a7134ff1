"""``trivalent bench``: measure speed and playing strength.

``bench`` alone compares the connection tests with each other and with the figures of [BT];
``bench playouts``, ``search``, ``knowledge``, ``net``, ``strength`` and ``sprt`` measure other
things.  The modules `measure_*` of `trivalent.tools.benchmarks` measure; `bench_options`,
`bench_tables` and `bench_plot` are the user interface.
"""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar, cast

from trivalent.core import VERSION
from trivalent.core._isa import chosen as isa
from trivalent.core.files import write_file
from trivalent.core.games import REDUCED_GAMES
from trivalent.tools.benchmarks import (
    bench_plot,
    bench_tables,
    measure_connection,
    measure_knowledge,
    measure_network,
    measure_playouts,
    measure_search,
    measure_sprt,
    measure_strength,
)
from trivalent.tools.benchmarks.bench_options import SIZES, add_arguments, check
from trivalent.tools.commands import tournament
from trivalent.tools.common.machine import cpu_model
from trivalent.tools.common.output_files import STANDARD, OutputError, write_output
from trivalent.tools.common.search_signature import described, search_signature

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Sequence

    from rich.console import Console

    from trivalent.tools.benchmarks.measure_connection import ConnectionRow
    from trivalent.tools.benchmarks.measure_knowledge import KnowledgeRow
    from trivalent.tools.benchmarks.measure_network import NetworkRow
    from trivalent.tools.benchmarks.measure_playouts import PlayoutRow
    from trivalent.tools.benchmarks.measure_search import SearchRow
    from trivalent.tools.benchmarks.measure_sprt import SprtRow
    from trivalent.tools.benchmarks.measure_strength import StrengthRow

    Rows = (
        Sequence[ConnectionRow]
        | Sequence[PlayoutRow]
        | Sequence[SearchRow]
        | Sequence[KnowledgeRow]
        | Sequence[NetworkRow]
        | Sequence[SprtRow]
        | Sequence[StrengthRow]
    )

Plan = TypeVar("Plan")
Measured = TypeVar("Measured", bound="Rows")

__all__ = ["CATCHES_INTERRUPTS", "add_arguments", "main"]

CATCHES_INTERRUPTS = True


class _Report(NamedTuple):
    """What a benchmark has measured, and how to present it."""

    rows: Rows
    signature: str
    """Checksum of the results, as opposed to their times."""
    show: Callable[[Console], None]
    """Prints the tables."""
    notes: Sequence[str]
    """What a reader must know about the figures, one line each."""


def main(arguments: argparse.Namespace) -> int:
    """Run ``trivalent bench`` and return the exit code."""
    from trivalent.tools.common.console import PipedConsole

    check(arguments)
    only_json = arguments.json == STANDARD
    width = None if sys.stdout.isatty() else 100  # without a terminal there's no width to ask for
    console = PipedConsole(stderr=only_json, width=width, highlight=False)
    console.print(f"Trivalent {VERSION}, {isa()}, {cpu_model()}", soft_wrap=True, markup=False)
    console.print()
    try:
        report = _BENCHMARKS[arguments.what](arguments)
    except KeyboardInterrupt:
        return 130
    except measure_strength.UnfinishedError as error:
        exit_code: int = error.args[0]
        return exit_code
    except OSError as error:
        if error.filename is None:  # standard output
            raise
        return _failed(f"{error.filename}: {error.strerror}")
    if only_json:
        write_output(STANDARD, as_json(report.rows))
    else:
        report.show(console)
    for line in report.notes:
        console.print(line, style="dim", soft_wrap=True)
    console.print(f"signature {report.signature}")
    try:
        _write_files(arguments, report.rows)
    except OutputError as error:
        return _failed(str(error))
    return 0


def _failed(sentence: str) -> int:
    sys.stderr.write(f"trivalent bench: {sentence}\n")
    return 1


def _write_files(arguments: argparse.Namespace, rows: Rows) -> None:
    """Write the files of --json and --plot."""
    if arguments.json not in (None, STANDARD):
        write_output(arguments.json, as_json(rows))
    if arguments.plot:
        target = Path(arguments.plot)
        tests = cast("Sequence[ConnectionRow]", rows)
        try:
            write_file(target, lambda path: bench_plot.draw(tests, path, target.suffix))
        except OSError as error:
            raise OutputError(f"{error.filename}: {error.strerror}") from None


def as_json(rows: Rows) -> str:
    """Return the rows as a JSON list of objects with the fields of their class, one per line."""
    return "[\n" + ",\n".join(json.dumps(asdict(row)) for row in rows) + "\n]\n"


def _sets(arguments: argparse.Namespace, default: int, quick: int) -> int:
    sets: int = arguments.sets or (quick if arguments.quick else default)
    return sets


def _report(
    plan: Plan,
    steps: int,
    measure: Callable[[Plan, Callable[[], None]], tuple[Measured, str]],
    show: Callable[[Measured, Console], None],
    notes: Callable[[Plan], Sequence[str]],
) -> _Report:
    """Measure what is planned, with a bar of that many steps."""
    with _progress(steps) as advance:
        rows, signature = measure(plan, advance)
    return _Report(rows, signature, lambda console: show(rows, console), notes(plan))


def _tests(arguments: argparse.Namespace) -> _Report:
    """Measure the connection tests."""
    sets = _sets(arguments, measure_connection.SETS, measure_connection.QUICK_SETS)
    plan = measure_connection.ConnectionPlan(
        arguments.sizes or SIZES, sets, arguments.games, arguments.seed
    )
    return _report(
        plan,
        plan.sets * len(REDUCED_GAMES) * len(plan.sizes),
        measure_connection.measure_connection_tests,
        bench_tables.show_connection_tests,
        bench_tables.connection_notes,
    )


def _playouts(arguments: argparse.Namespace) -> _Report:
    """Measure random playouts."""
    sets = _sets(arguments, measure_playouts.SETS, measure_playouts.QUICK_SETS)
    games = tuple(dict.fromkeys(arguments.game or REDUCED_GAMES))
    sizes = arguments.sizes or (() if arguments.game else SIZES)
    plan = measure_playouts.PlayoutPlan(sizes, sets, seed=arguments.seed, games=games)
    try:
        steps = plan.sets * len(plan.boards())
    except ValueError as error:
        arguments.fail(str(error))
    measure, show = measure_playouts.measure_playouts, bench_tables.show_playouts
    return _report(plan, steps, measure, show, bench_tables.playout_notes)


def _search(arguments: argparse.Namespace) -> _Report:
    """Measure the tree search, and check that it finds what it should."""
    sets = _sets(arguments, measure_search.SETS, measure_search.QUICK_SETS)
    sizes = arguments.sizes or measure_search.SIZES
    plan = measure_search.SearchPlan(sizes, sets, seed=arguments.seed)
    steps = plan.sets * len(plan.players())
    measure, show = measure_search.measure_search, bench_tables.show_searches
    report = _report(plan, steps, measure, show, bench_tables.search_notes)
    signature = f"search signature {described(search_signature())}"
    return report._replace(notes=[*report.notes, signature])


def _knowledge(arguments: argparse.Namespace) -> _Report:
    """Measure fill-in and the search for virtual connections."""
    sets = _sets(arguments, measure_knowledge.SETS, measure_knowledge.QUICK_SETS)
    plan = measure_knowledge.KnowledgePlan(arguments.sizes or SIZES, sets, seed=arguments.seed)
    steps = plan.sets * len(REDUCED_GAMES) * len(plan.sizes)
    measure, show = measure_knowledge.measure_knowledge, bench_tables.show_knowledge
    return _report(plan, steps, measure, show, bench_tables.knowledge_notes)


def _networks(arguments: argparse.Namespace) -> _Report:
    """Measure networks."""
    sets = _sets(arguments, measure_network.SETS, measure_network.QUICK_SETS)
    plan = measure_network.NetworkPlan(arguments.sizes or SIZES, sets, arguments.seed)
    steps = plan.sets * len(plan.games) * len(plan.sizes) * len(plan.shapes)
    measure, show = measure_network.measure_networks, bench_tables.show_networks
    return _report(plan, steps, measure, show, bench_tables.network_notes)


def _sprt(arguments: argparse.Namespace) -> _Report:
    """Measure the error rates of the SPRT."""
    sets = _sets(arguments, measure_sprt.SETS, measure_sprt.QUICK_SETS)
    plan = measure_sprt.SprtPlan(sets=sets, seed=arguments.seed)
    steps = plan.sets * 2 * len(plan.biases)
    measure, show = measure_sprt.measure_sprt, bench_tables.show_sprt
    return _report(plan, steps, measure, show, bench_tables.sprt_notes)


def _strength(arguments: argparse.Namespace) -> _Report:
    """Play the matches of the strength studies."""
    plan = measure_strength.StrengthPlan(
        arguments.folder or measure_strength.FOLDER,
        tuple(dict.fromkeys(arguments.study or measure_strength.STUDIES)),
        tuple(dict.fromkeys(arguments.game or REDUCED_GAMES)),
        arguments.sizes[0] if arguments.sizes else measure_strength.SIZE,
        _sets(arguments, measure_strength.SETS, measure_strength.QUICK_SETS),
        arguments.seconds or measure_strength.SECONDS,
        arguments.seed,
    )
    rows, signature = measure_strength.measure_strength(plan, tournament.play)
    return _Report(
        rows,
        signature,
        lambda console: bench_tables.show_strength(rows, console),
        bench_tables.strength_notes(plan),
    )


_BENCHMARKS: dict[str, Callable[[argparse.Namespace], _Report]] = {
    "tests": _tests,
    "playouts": _playouts,
    "search": _search,
    "knowledge": _knowledge,
    "net": _networks,
    "strength": _strength,
    "sprt": _sprt,
}


@contextmanager
def _progress(total: int) -> Iterator[Callable[[], None]]:
    """Show a progress bar if standard error is a terminal; yield a function that advances it."""
    from rich.progress import Progress

    from trivalent.tools.common.console import PipedConsole

    console = PipedConsole(stderr=True)
    hidden = not console.is_terminal
    # Drawn between sets only, since a drawing thread would disturb the measurement.
    with Progress(console=console, transient=True, auto_refresh=False, disable=hidden) as progress:
        task = progress.add_task("measuring", total=total)

        def advance() -> None:
            progress.advance(task)
            progress.refresh()

        yield advance
