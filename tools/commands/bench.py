"""``trivalent bench``: the connection tests beside each other and beside the figures of [BT].

``trivalent bench playouts`` measures random playouts instead, ``trivalent bench search`` the tree
search, ``trivalent bench knowledge`` how fast cells are filled in and connections found,
``trivalent bench strength`` by games what makes a player strong, and ``trivalent bench sprt`` how
often the sequential test of tournaments is wrong.  What is measured is in measure.py and its
namesakes; bench_tables.py and bench_plot.py show it.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from contextlib import contextmanager, redirect_stdout
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from trivalent.core import VERSION
from trivalent.core._isa import chosen as isa
from trivalent.core.board import MAX_SIZE
from trivalent.core.files import write_file
from trivalent.core.games import GAMES
from trivalent.tools.benchmarks import (
    bench_plot,
    bench_tables,
    measure_knowledge,
    measure_playouts,
    measure_search,
    measure_sprt,
    measure_strength,
)
from trivalent.tools.benchmarks import measure_connection as measure
from trivalent.tools.commands import tournament
from trivalent.tools.common.machine import cpu_model

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from rich.console import Console

    from trivalent.tools.benchmarks.measure_connection import Row
    from trivalent.tools.benchmarks.measure_knowledge import KnowledgeRow
    from trivalent.tools.benchmarks.measure_playouts import PlayoutRow
    from trivalent.tools.benchmarks.measure_search import SearchRow
    from trivalent.tools.benchmarks.measure_sprt import SprtRow
    from trivalent.tools.benchmarks.measure_strength import StrengthRow

    Rows = (
        Sequence[Row]
        | Sequence[PlayoutRow]
        | Sequence[SearchRow]
        | Sequence[KnowledgeRow]
        | Sequence[SprtRow]
        | Sequence[StrengthRow]
    )

T = TypeVar("T")

SIZES = (11,)
"""The board size of connection tests, playouts and knowledge unless others are asked for."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``trivalent bench``."""
    parser.add_argument(
        "what",
        nargs="?",
        choices=("tests", "playouts", "search", "knowledge", "strength", "sprt"),
        default="tests",
        help="what to time: connection tests (default), random playouts, the tree search, or what "
        "is known of positions (cells filled in, virtual connections); "
        "strength: games that show what makes a player strong; "
        "sprt: how often the sequential test of tournaments is wrong",
    )
    parser.add_argument(
        "--sizes",
        type=_sizes,
        metavar="N,N,...",
        help="board sizes (default: 11, of the search 7,11,14,19); 7,9,...,19 counts on",
    )
    parser.add_argument(
        "--sets",
        type=_number(2, 1_000_000),
        metavar="N",
        help=f"sets of games (default: {measure.SETS}, of playouts {measure_playouts.SETS}, "
        f"of searches {measure_search.SETS}, of knowledge {measure_knowledge.SETS}, "
        f"of sequential tests {measure_sprt.SETS}); "
        f"pairs of games of each match of strength (default: {measure_strength.SETS})",
    )
    parser.add_argument(
        "--games",
        type=_number(1, 100_000),
        metavar="N",
        help=f"games a set (default: {measure.GAMES_A_SET}, fewer on large boards)",
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help=f"{measure.QUICK_SETS} sets, of playouts {measure_playouts.QUICK_SETS}, "
        f"of searches {measure_search.QUICK_SETS}, of knowledge {measure_knowledge.QUICK_SETS}, "
        f"of sequential tests {measure_sprt.QUICK_SETS}: some seconds; "
        f"of strength {measure_strength.QUICK_SETS}: many minutes",
    )
    parser.add_argument(
        "--seed", type=int, default=1, metavar="N", help="seed of the games (default: 1)"
    )
    parser.add_argument(
        "--json",
        type=_json_target,
        metavar="FILE",
        help="write the figures there too; - writes them to standard output instead of the tables",
    )
    parser.add_argument(
        "--plot",
        type=_plot_target,
        metavar="FILE",
        help=f"draw the tests against the size there: {', '.join(bench_plot.SUFFIXES)}",
    )
    strength = parser.add_argument_group("strength")
    strength.add_argument(
        "--study",
        choices=tuple(measure_strength.STUDIES),
        action="append",
        help="what to vary: parts of the search, time, threads or levels; may be repeated "
        "(default: all, one after the other)",
    )
    strength.add_argument(
        "--game", choices=GAMES, action="append", help="may be repeated (default: both)"
    )
    strength.add_argument(
        "--seconds",
        type=_seconds,
        metavar="S",
        help=f"for a move, of the fastest player (default: {measure_strength.SECONDS})",
    )
    strength.add_argument(
        "--folder",
        type=Path,
        metavar="FOLDER",
        help="where the tournaments are; the same command goes on with them (default: strength)",
    )


def _number(least: int, most: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not text.isdecimal() or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"must be {least} to {most}, not {text!r}")
        return int(text)

    return parse


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0.001 <= seconds <= 3600.0:
        raise argparse.ArgumentTypeError(f"must be 0.001 to 3600, not {text!r}")
    return seconds


def _sizes(text: str) -> tuple[int, ...]:
    """Read sizes with commas between them; after two of them, ``...`` counts on to the next."""
    sizes: list[int] = []
    step = 0
    try:
        for part in text.split(","):
            if part == "...":
                step = sizes[-1] - sizes[-2]
            else:
                size = int(part)
                if step:
                    sizes += range(sizes[-1] + step, size, step)
                sizes.append(size)
                step = 0
    except (IndexError, ValueError):
        sizes = []
    if step or not sizes or not all(1 <= size <= MAX_SIZE for size in sizes):
        raise argparse.ArgumentTypeError(
            f"must be sizes from 1 to {MAX_SIZE} with commas between them, not {text!r}"
        )
    return tuple(sorted(set(sizes)))


def _json_target(text: str) -> str:
    """Refuse now what could not be written after the measurement."""
    if text == "-":
        return text
    path = Path(text)
    if path.exists() and not path.is_file():
        raise argparse.ArgumentTypeError(f"{text} is not a plain file (- is standard output)")
    if not path.name or not os.access(path.parent, os.W_OK):
        raise argparse.ArgumentTypeError(f"cannot write {text!r} in {path.parent}")
    return text


def _plot_target(text: str) -> str:
    if Path(text).suffix not in bench_plot.SUFFIXES:
        raise argparse.ArgumentTypeError(
            f"must end in {', '.join(bench_plot.SUFFIXES)}, not {text!r}"
        )
    return _json_target(text)


def main(arguments: argparse.Namespace) -> int:
    """Run ``trivalent bench`` and return the exit code."""
    from rich.console import Console

    _check(arguments)
    only_json = arguments.json == "-"
    width = None if sys.stdout.isatty() else 100  # no terminal says how wide it is
    console = Console(stderr=only_json, width=width, highlight=False)
    console.print(f"Trivalent {VERSION}, {isa()}, {cpu_model()}", soft_wrap=True, markup=False)
    console.print()
    measured: dict[str, Callable[[argparse.Namespace, Console], tuple[Rows, str]]] = {
        "tests": _tests,
        "playouts": _playouts,
        "search": _searches,
        "knowledge": _knowledge,
        "strength": _strength,
        "sprt": _sequential_tests,
    }
    try:
        rows, signature = measured[arguments.what](arguments, console)
        text = as_json(rows)
    except KeyboardInterrupt:
        return 130
    except measure_strength.UnfinishedError as error:
        exit_code: int = error.args[0]
        return exit_code
    except OSError as error:
        sys.stderr.write(f"trivalent bench: {error.filename}: {error.strerror}\n")
        return 1
    if only_json:
        sys.stdout.write(text)
    console.print(f"signature {signature}")
    try:
        if arguments.json and not only_json:
            write_file(Path(arguments.json), lambda path: path.write_text(text, "utf-8"))
        if arguments.plot:
            target = Path(arguments.plot)
            tests = cast("Sequence[Row]", rows)
            write_file(target, lambda path: bench_plot.draw(tests, path, target.suffix))
    except OSError as error:
        sys.stderr.write(f"trivalent bench: {error.filename}: {error.strerror}\n")
        return 1
    return 0


def _check(arguments: argparse.Namespace) -> None:
    """Refuse options of another benchmark, and a plot without what draws it."""
    if arguments.what != "tests" and (arguments.games or arguments.plot):
        arguments.fail("--games and --plot are for the connection tests")
    if arguments.what == "sprt" and arguments.sizes:
        arguments.fail("--sizes is for boards, of which the sequential test has none")
    if arguments.what == "knowledge" and max(arguments.sizes or SIZES) > measure_knowledge.MAX_SIZE:
        arguments.fail(f"connections are found on boards of up to {measure_knowledge.MAX_SIZE}")
    only_strength = (arguments.study, arguments.game, arguments.seconds, arguments.folder)
    if arguments.what != "strength" and any(only_strength):
        arguments.fail("--study, --game, --seconds and --folder are for the strength")
    if arguments.what == "strength" and arguments.sizes and len(arguments.sizes) > 1:
        arguments.fail("the strength is measured on boards of one size at a time")
    if arguments.plot and (problem := bench_plot.missing()):
        arguments.fail(problem)


def _tests(arguments: argparse.Namespace, console: Console) -> tuple[list[Row], str]:
    """Measure the connection tests and show them, unless standard output is for JSON."""
    sets = arguments.sets or (measure.QUICK_SETS if arguments.quick else measure.SETS)
    plan = measure.Plan(arguments.sizes or SIZES, sets, arguments.games, arguments.seed)
    with _progress(plan.sets * len(GAMES) * len(plan.sizes)) as advance:
        rows, signature = measure.measure(plan, advance)
    _show(arguments, console, bench_tables.show_tests, rows, bench_tables.notes(plan))
    return rows, signature


def _show(
    arguments: argparse.Namespace,
    console: Console,
    show: Callable[[Sequence[T], Console], None],
    rows: Sequence[T],
    notes: Iterable[str],
) -> None:
    """Show rows, unless standard output is for JSON, and what has to be known of them."""
    if arguments.json != "-":
        show(rows, console)
    for line in notes:
        console.print(line, style="dim", soft_wrap=True)


def _playouts(arguments: argparse.Namespace, console: Console) -> tuple[list[PlayoutRow], str]:
    """Measure random playouts and show them, unless standard output is for JSON."""
    quick = measure_playouts.QUICK_SETS if arguments.quick else measure_playouts.SETS
    plan = measure_playouts.PlayoutPlan(
        arguments.sizes or SIZES, arguments.sets or quick, seed=arguments.seed
    )
    with _progress(plan.sets * len(GAMES) * len(plan.sizes)) as advance:
        rows, signature = measure_playouts.measure_playouts(plan, advance)
    _show(arguments, console, bench_tables.show_playouts, rows, bench_tables.playout_notes(plan))
    return rows, signature


def _searches(arguments: argparse.Namespace, console: Console) -> tuple[list[SearchRow], str]:
    """Measure the tree search and show it, unless standard output is for JSON."""
    quick = measure_search.QUICK_SETS if arguments.quick else measure_search.SETS
    plan = measure_search.SearchPlan(
        arguments.sizes or measure_search.SIZES, arguments.sets or quick, seed=arguments.seed
    )
    with _progress(plan.sets * len(GAMES) * len(plan.sizes)) as advance:
        rows, signature = measure_search.measure_search(plan, advance)
    _show(arguments, console, bench_tables.show_searches, rows, bench_tables.search_notes(plan))
    return rows, signature


def _knowledge(arguments: argparse.Namespace, console: Console) -> tuple[list[KnowledgeRow], str]:
    """Measure what is known of positions and show it, unless standard output is for JSON."""
    quick = measure_knowledge.QUICK_SETS if arguments.quick else measure_knowledge.SETS
    plan = measure_knowledge.KnowledgePlan(
        arguments.sizes or SIZES, arguments.sets or quick, seed=arguments.seed
    )
    with _progress(plan.sets * len(GAMES) * len(plan.sizes)) as advance:
        rows, signature = measure_knowledge.measure_knowledge(plan, advance)
    _show(arguments, console, bench_tables.show_knowledge, rows, bench_tables.knowledge_notes(plan))
    return rows, signature


def _sequential_tests(arguments: argparse.Namespace, console: Console) -> tuple[list[SprtRow], str]:
    """Calibrate the sequential test and show how, unless standard output is for JSON."""
    quick = measure_sprt.QUICK_SETS if arguments.quick else measure_sprt.SETS
    plan = measure_sprt.SprtPlan(sets=arguments.sets or quick, seed=arguments.seed)
    with _progress(plan.sets * 2 * len(plan.biases)) as advance:
        rows, signature = measure_sprt.measure_sprt(plan, advance)
    _show(
        arguments,
        console,
        bench_tables.show_sequential_tests,
        rows,
        bench_tables.sequential_notes(plan),
    )
    return rows, signature


def _strength(arguments: argparse.Namespace, console: Console) -> tuple[list[StrengthRow], str]:
    """Let players play each other and show how strong they are."""
    quick = measure_strength.QUICK_SETS if arguments.quick else measure_strength.SETS
    plan = measure_strength.StrengthPlan(
        arguments.folder or Path("strength"),
        tuple(dict.fromkeys(arguments.study or measure_strength.STUDIES)),
        tuple(dict.fromkeys(arguments.game or GAMES)),
        arguments.sizes[0] if arguments.sizes else measure_strength.SIZE,
        arguments.sets or quick,
        arguments.seconds or measure_strength.SECONDS,
        arguments.seed,
    )
    rows, signature = measure_strength.measure_strength(plan, _play)
    _show(arguments, console, bench_tables.show_strength, rows, bench_tables.strength_notes(plan))
    return rows, signature


def _play(path: Path) -> int:
    """Play a tournament as ``trivalent tournament run`` does, on standard error."""
    parser = argparse.ArgumentParser()
    tournament.add_arguments(parser)
    with redirect_stdout(sys.stderr):
        return tournament.main(parser.parse_args(["run", str(path)]))


@contextmanager
def _progress(total: int) -> Iterator[Callable[[], None]]:
    """Show a bar on standard error if that is a terminal; give what moves it a step on."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    hidden = not console.is_terminal
    # Drawn between sets only: a thread that draws would disturb what is timed.
    with Progress(console=console, transient=True, auto_refresh=False, disable=hidden) as progress:
        task = progress.add_task("measuring", total=total)

        def advance() -> None:
            progress.advance(task)
            progress.refresh()

        yield advance


def as_json(rows: Rows) -> str:
    """Return the rows as a JSON list of objects with the fields of their class, a line each."""
    return "[\n" + ",\n".join(json.dumps(asdict(row)) for row in rows) + "\n]\n"
