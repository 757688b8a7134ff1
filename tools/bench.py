"""``trivalent bench``: the connection tests beside each other and beside the figures of [BT]."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from contextlib import contextmanager
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from trivalent.core import VERSION
from trivalent.core._isa import chosen as isa
from trivalent.core.board import GAMES, MAX_SIZE
from trivalent.tools.measure import (
    GAMES_A_SET,
    METHODS,
    MODES,
    PLAYOUTS,
    QUICK_SETS,
    SETS,
    YARDSTICK,
    Plan,
    Row,
    measure,
    paper_ms,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rich.console import Console
    from rich.table import Table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``trivalent bench``."""
    parser.add_argument(
        "--sizes", type=_sizes, default=(11,), metavar="N,N,...", help="board sizes (default: 11)"
    )
    parser.add_argument(
        "--sets", type=_number(2, 1_000_000), metavar="N", help=f"sets of games (default: {SETS})"
    )
    parser.add_argument(
        "--games",
        type=_number(1, 100_000),
        metavar="N",
        help=f"games a set (default: {GAMES_A_SET}, fewer on boards above 11x11)",
    )
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_SETS} sets: about 3 seconds")
    parser.add_argument(
        "--seed", type=int, default=1, metavar="N", help="seed of the games (default: 1)"
    )
    parser.add_argument(
        "--json",
        type=_json_target,
        metavar="FILE",
        help="write the figures there too; - writes them to standard output instead of the tables",
    )


def _number(least: int, most: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not text.isdecimal() or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"must be {least} to {most}, not {text!r}")
        return int(text)

    return parse


def _sizes(text: str) -> tuple[int, ...]:
    try:
        sizes = {int(part) for part in text.split(",")}
    except ValueError:
        sizes = set()
    if not sizes or not all(1 <= size <= MAX_SIZE for size in sizes):
        raise argparse.ArgumentTypeError(
            f"must be sizes from 1 to {MAX_SIZE} with commas between them, not {text!r}"
        )
    return tuple(sorted(sizes))


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


def main(arguments: argparse.Namespace) -> int:
    """Run ``trivalent bench`` and return the exit code."""
    from rich.console import Console

    sets = arguments.sets or (QUICK_SETS if arguments.quick else SETS)
    plan = Plan(arguments.sizes, sets, arguments.games, arguments.seed)
    only_json = arguments.json == "-"
    width = None if sys.stdout.isatty() else 100  # no terminal says how wide it is
    console = Console(stderr=only_json, width=width, highlight=False)
    console.print(f"Trivalent {VERSION}, {isa()}, {cpu_model()}", soft_wrap=True, markup=False)
    console.print()
    try:
        with _progress(plan.sets * len(GAMES) * len(plan.sizes)) as advance:
            rows, signature = measure(plan, advance)
    except KeyboardInterrupt:
        return 130
    if only_json:
        sys.stdout.write(as_json(rows))
    else:
        show(rows, plan, console)
    console.print(f"signature {signature}")
    if arguments.json and not only_json:
        try:
            write_file(Path(arguments.json), as_json(rows))
        except OSError as error:
            sys.stderr.write(f"trivalent bench: {error}\n")
            return 1
    return 0


def cpu_model() -> str:
    """Return the name of the processor, or its architecture where the system tells no more."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    except OSError:
        pass
    return platform.machine()


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


def show(rows: Sequence[Row], plan: Plan, console: Console) -> None:
    """Print a table for each game and mode, one of the playouts, and what the figures mean."""
    for game in GAMES:
        for mode, title in MODES.items():
            chosen = [row for row in rows if (row.game, row.mode) == (game, mode)]
            console.print(_tests_table(f"{game.capitalize()}, {title}", chosen), "")
    console.print(_playouts_table([row for row in rows if row.mode == PLAYOUTS]), "")
    games = "/".join(f"{plan.games_a_set(size):,}" for size in plan.sizes)
    console.print(
        "ms: tests of 10,000 games without the moves, mean and 95 % interval of "
        f"{plan.sets} sets of {games} games.\n"
        "Other columns: from the least disturbed sets.  Paper: Browne & Tavener, tables 2 and 3.",
        style="dim",
        soft_wrap=True,
    )


def _table(title: str, *columns: str) -> Table:
    """Return an empty table; names and intervals are set to the left, numbers to the right."""
    from rich import box
    from rich.table import Table

    table = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
    )
    for column in columns:
        left = column in {"game", "method", "± 95 %"}
        table.add_column(column, justify="left" if left else "right", no_wrap=True)
    return table


def _tests_table(title: str, rows: Sequence[Row]) -> Table:
    ratio = f"÷ {METHODS[YARDSTICK]}"
    names = ("size", "method", "ms", "± 95 %", "ns a move", ratio, "paper ms", "paper ÷")
    table = _table(title, *names)
    for size, of_size in groupby(rows, lambda row: row.size):
        group = list(of_size)
        fastest = min(group, key=lambda row: row.ms_per_10k)
        unit = paper_ms(fastest.game, size, fastest.mode, YARDSTICK)
        for row in group:
            paper = row.paper_ms_per_10k
            table.add_row(
                str(size) if row is group[0] else "",
                METHODS[row.method],
                figure(row.ms_per_10k),
                f"± {figure(row.ci95)}",
                figure(row.ns_per_move),
                figure(row.ratio_to_wqhuf, 3),
                figure(paper),
                figure(paper / unit if paper and unit else None, 3),
                style="green" if row is fastest else None,
                end_section=row is group[-1],
            )
    return table


def _playouts_table(rows: Sequence[Row]) -> Table:
    title = "Random playouts, one test each, one core"
    table = _table(title, "game", "size", "ms", "± 95 %", "playouts a second")
    for row in rows:
        table.add_row(
            row.game.capitalize(),
            str(row.size),
            figure(row.ms_per_10k),
            f"± {figure(row.ci95)}",
            figure(row.playouts_per_second),
        )
    return table


def figure(value: float | None, places: int = 2) -> str:
    """Return a number with that many decimals, none from 1000 on, or nothing for None."""
    if value is None:
        return ""
    return f"{value:,.{0 if abs(value) >= 1000 else places}f}"


def as_json(rows: Sequence[Row]) -> str:
    """Return the rows as a JSON list of objects with the fields of `Row`, a line each."""
    return "[\n" + ",\n".join(json.dumps(asdict(row)) for row in rows) + "\n]\n"


def write_file(path: Path, text: str) -> None:
    """Write a file as a whole or not at all: under a temporary name, then renamed."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
