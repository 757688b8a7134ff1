"""The options of ``trivalent bench``: their declaration, their values, and which go together."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from trivalent.core.board import MAX_SIZE
from trivalent.core.games import GAMES, REDUCED_GAMES
from trivalent.tools.benchmarks import (
    bench_plot,
    measure_connection,
    measure_knowledge,
    measure_network,
    measure_playouts,
    measure_search,
    measure_sprt,
    measure_strength,
)
from trivalent.tools.common.option_values import integer
from trivalent.tools.common.output_files import STANDARD, file_path, require_inputs_kept

SIZES = (11,)
"""Default board size of all benchmarks but the search."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``trivalent bench``."""
    parser.add_argument(
        "what",
        nargs="?",
        choices=("tests", "playouts", "search", "knowledge", "net", "strength", "sprt"),
        default="tests",
        help="what to measure: speed of the connection tests (default), of random playouts, of the "
        "tree search, of knowledge (fill-in and virtual connections), or of networks (net); "
        "playing strength, by matches; or the error rates of the SPRT, by simulation",
    )
    parser.add_argument(
        "--sizes",
        type=_sizes,
        metavar="N,N,...",
        help="board sizes, such as 7,11 or 7,9,...,19 (default: 11; search: 7,11,14,19)",
    )
    parser.add_argument(
        "--sets",
        type=integer(2, 1_000_000),
        metavar="N",
        help="number of measurement sets (default: "
        f"tests {measure_connection.SETS}, playouts {measure_playouts.SETS}, "
        f"search {measure_search.SETS}, knowledge {measure_knowledge.SETS}, "
        f"net {measure_network.SETS}, sprt {measure_sprt.SETS}); "
        f"for strength: game pairs per match (default: {measure_strength.SETS})",
    )
    parser.add_argument(
        "--games",
        type=integer(1, 100_000),
        metavar="N",
        help="games per set of connection tests "
        f"(default: {measure_connection.GAMES_PER_SET}, fewer on large boards)",
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="use fewer sets "
        f"(tests {measure_connection.QUICK_SETS}, playouts {measure_playouts.QUICK_SETS}, "
        f"search {measure_search.QUICK_SETS}, knowledge {measure_knowledge.QUICK_SETS}, "
        f"net {measure_network.QUICK_SETS}, sprt {measure_sprt.QUICK_SETS}, "
        f"strength {measure_strength.QUICK_SETS}); takes seconds, or many minutes for strength",
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="random seed (default: 1)")
    parser.add_argument(
        "--json",
        type=_json_target,
        metavar="FILE",
        help="also write the results to FILE as JSON; - prints them instead of the tables",
    )
    parser.add_argument(
        "--plot",
        type=_plot_target,
        metavar="FILE",
        help="plot the times of the connection tests against board size and write the plot to FILE "
        f"({', '.join(bench_plot.SUFFIXES)})",
    )
    parser.add_argument(
        "--game",
        choices=GAMES,
        action="append",
        help="game, for strength and playouts; may be repeated (default: hex and y)",
    )
    _add_strength_arguments(parser.add_argument_group("options for strength"))


def _add_strength_arguments(strength: argparse._ArgumentGroup) -> None:
    strength.add_argument(
        "--study",
        choices=tuple(measure_strength.STUDIES),
        action="append",
        help="what to vary; may be repeated (default: all studies, one after the other)",
    )
    strength.add_argument(
        "--seconds",
        type=_seconds,
        metavar="S",
        help=f"shortest time per move in a study, in seconds (default: {measure_strength.SECONDS})",
    )
    strength.add_argument(
        "--folder",
        type=file_path,
        metavar="FOLDER",
        help="folder for the tournament databases; running the same command again continues the "
        "tournaments (default: strength)",
    )


def check(arguments: argparse.Namespace) -> None:
    """Exit with a usage error if options don't go together, or matplotlib is missing."""
    if arguments.what != "tests" and (arguments.games or arguments.plot):
        arguments.fail("--games and --plot apply only to connection tests")
    if arguments.what == "sprt" and arguments.sizes:
        arguments.fail("--sizes doesn't apply to sprt, which plays on no board")
    if arguments.what == "knowledge" and max(arguments.sizes or SIZES) > measure_knowledge.MAX_SIZE:
        arguments.fail(f"knowledge needs boards of size {measure_knowledge.MAX_SIZE} or less")
    if arguments.what == "net" and max(arguments.sizes or SIZES) > measure_network.MAX_SIDE:
        arguments.fail(f"net needs boards of size {measure_network.MAX_SIDE} or less")
    only_strength = (arguments.study, arguments.seconds, arguments.folder)
    if arguments.what != "strength" and any(only_strength):
        arguments.fail("--study, --seconds and --folder apply only to strength")
    if arguments.what not in ("strength", "playouts") and arguments.game:
        arguments.fail("--game applies only to strength and playouts")
    if arguments.what == "strength" and not {*(arguments.game or ())} <= {*REDUCED_GAMES}:
        arguments.fail(f"strength is measured for {' and '.join(REDUCED_GAMES)} only")
    if arguments.what == "strength" and arguments.sizes and len(arguments.sizes) > 1:
        arguments.fail("strength takes a single board size")
    _check_files(arguments)


def _check_files(arguments: argparse.Namespace) -> None:
    folder = arguments.folder or measure_strength.FOLDER
    outputs = {
        "--json": arguments.json,
        "--plot": arguments.plot,
    }
    studies = measure_strength.files(folder) if arguments.what == "strength" else ()
    try:
        require_inputs_kept(outputs, studies)
    except ValueError as error:
        arguments.fail(str(error))
    if arguments.plot and (problem := bench_plot.missing()):
        arguments.fail(problem)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0.001 <= seconds <= 3600.0:
        raise argparse.ArgumentTypeError(f"must be 0.001 to 3600, not {text!r}")
    return seconds


def _sizes(text: str) -> tuple[int, ...]:
    """Parse comma-separated sizes; ``...`` continues the step of the two sizes before it."""
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
            f"must be comma-separated sizes from 1 to {MAX_SIZE}, not {text!r}"
        )
    return tuple(sorted(set(sizes)))


def _json_target(text: str) -> str:
    """Check in advance that a file can be written after the measurement."""
    if text == STANDARD:
        return text
    path = Path(text)
    if path.exists() and not path.is_file():
        raise argparse.ArgumentTypeError(f"{text} isn't a regular file (- is standard output)")
    if not path.name or not os.access(path.parent, os.W_OK):
        raise argparse.ArgumentTypeError(f"cannot write {text!r} in {path.parent}")
    return text


def _plot_target(text: str) -> str:
    if Path(text).suffix not in bench_plot.SUFFIXES:
        raise argparse.ArgumentTypeError(
            f"must end in {', '.join(bench_plot.SUFFIXES)}, not {text!r}"
        )
    return _json_target(text)
