"""``trivalent book``: make, show, check and convert opening books."""

from __future__ import annotations

import json
import signal
import sys
import time
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from trivalent.bot.book.book_file import BookFile, BookSettings
from trivalent.bot.book.book_parameters import BookError
from trivalent.bot.book.book_positions import Stones
from trivalent.bot.book.opening_book import OpeningBook
from trivalent.bot.players.registry import PLAYERS
from trivalent.bot.solver.result_database import FallibleStore
from trivalent.bot.solver.solved_store import SolvedStore, StoreError
from trivalent.core import VERSION
from trivalent.core.games import DEFAULT_GAME, REDUCED_GAMES, make_board
from trivalent.core.processors import usable_cores
from trivalent.core.records.formats import write
from trivalent.core.records.record import RecordError
from trivalent.tools.book import book_page
from trivalent.tools.book.book_builder import NO_STORE, BookBuilder
from trivalent.tools.book.book_checks import check
from trivalent.tools.book.book_lines import (
    evaluator_text,
    position_after,
    positions_of,
    variations,
)
from trivalent.tools.book.book_tables import as_json, drawing, summary, table
from trivalent.tools.book.evaluation import EvaluationError, Evaluator
from trivalent.tools.book.evaluation_workers import cluster_workers, local_workers
from trivalent.tools.common import record_source
from trivalent.tools.common.endings import handling
from trivalent.tools.common.option_values import (
    integer,
    limit_float,
    limit_int,
    positive_float,
    positive_int,
    refuse,
)
from trivalent.tools.common.output_files import (
    STANDARD,
    OutputError,
    database_files,
    file_path,
    require_inputs_kept,
    write_output,
)
from trivalent.tools.common.progress_display import ProgressDisplay
from trivalent.tools.tournament.report import web_pages
from trivalent.tools.tournament.run.workers import WorkersError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Executor

CATCHES_INTERRUPTS = True

NODES = 10_000
"""Default number of positions evaluated per position of the book."""
_LINE_SECONDS = 60.0
"""Seconds between two lines of progress where there is no terminal."""
_FORMATS = ("sgf", "hexgui", "hexata", "json")
"""Formats of records that hold variations, and Y as well as Hex."""

_PRIORITIES = """
A position is worth the maximum over its moves in the book and its drop-out move, the best move that
isn't in the book; proofs are exact. Expanding a position adds the position after its drop-out move
and seeks the next drop-out move (drop-out expansion, T. R. Lincke 2000). The next position to
expand is the one of the least priority number: each move on the way to it counts 1, and what a move
loses in winning probability against the best one counts 1 / WIDTH (Lincke's omega) for each unit.
So with a width of 0.05, a move that wins 5 % less often is expanded as late as a position one
move deeper. A large width makes a broad and shallow book, a small one a narrow and deep book. With
the swap, openings count as what they leave their player in the worse case, so balanced ones come
first.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommands of ``trivalent book``."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for name, (purpose, declare, act) in _ACTIONS.items():
        epilog = _PRIORITIES if name in ("build", "extend") else None
        action = actions.add_parser(
            name, help=purpose, description=purpose[0].upper() + purpose[1:], epilog=epilog
        )
        action.add_argument(
            "book", type=file_path, metavar="FILE", help="the book, an SQLite database"
        )
        declare(action)
        action.set_defaults(act=act, fail=refuse(action))


def main(arguments: argparse.Namespace) -> int:
    """Run a subcommand and return its exit code."""
    try:
        exit_code: int = arguments.act(arguments)
    except (
        BookError, WorkersError, EvaluationError, OutputError, StoreError,
        record_source.SourceError,
    ) as error:  # fmt: skip
        sys.stderr.write(f"trivalent book: {error}\n")
        return 1
    except OSError as error:
        if error.filename is None:  # standard output
            raise
        sys.stderr.write(f"trivalent book: {error.filename}: {error.strerror or error}\n")
        return 1
    except KeyboardInterrupt:
        return 130
    return exit_code


def _declare_build(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``trivalent book build``."""
    group = parser.add_argument_group("the book", "An existing book keeps what it was begun with.")
    group.add_argument("--game", choices=REDUCED_GAMES, help=f"the game (default: {DEFAULT_GAME})")
    group.add_argument("--size", type=positive_int, metavar="N", help="board size")
    group.add_argument(
        "--player", choices=PLAYERS, help="the player that evaluates positions (default: mcts)"
    )
    group.add_argument(
        "--set",
        action="append",
        metavar="KEY=VALUE",
        help="set a parameter of the player; `trivalent gtp --set help` lists them",
    )
    group.add_argument(
        "--nodes",
        type=limit_int,
        metavar="N",
        help="positions that the player evaluates for each position of the book; 0: no limit "
        f"(default: {NODES} unless --seconds is given)",
    )
    group.add_argument(
        "--seconds", type=limit_float, metavar="S", help="seconds per position; 0 (default): none"
    )
    group.add_argument(
        "--width",
        type=positive_float,
        metavar="W",
        help="loss in winning probability that weighs as much as one more move of depth "
        "(default: 0.05)",
    )
    group.add_argument(
        "--no-swap",
        dest="swap",
        action="store_const",
        const=False,
        help="seek the best opening instead of the most balanced one",
    )
    _declare_limits(parser)
    _declare_workers(parser)


def _declare_limits(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--minutes", type=positive_float, metavar="M", help="stop after this time (default: never)"
    )
    parser.add_argument(
        "--expansions",
        type=positive_int,
        metavar="N",
        help="stop after this many expansions (default: never)",
    )


def _declare_workers(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--processes",
        type=integer(1, 1024),
        default=usable_cores(),
        metavar="N",
        help="positions evaluated at once (default: one per core)",
    )
    parser.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="evaluate on the Dask cluster with this scheduler address (such as tcp://host:8786)",
    )
    parser.add_argument(
        "--store",
        type=file_path,
        metavar="FILE",
        help="take what is solved from the database FILE of `trivalent solve --store`, instead of "
        "evaluating it",
    )


def _declare_extend(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--from",
        dest="start",
        default="",
        metavar="LINE",
        help="expand only positions after these moves, such as 'c3 e5'",
    )
    _declare_limits(parser)
    _declare_workers(parser)


def _declare_import(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "sources", nargs="+", metavar="GAMES", help="files of game records, links or move lists"
    )
    parser.add_argument(
        "--plies",
        type=positive_int,
        default=8,
        metavar="N",
        help="number of moves to take from each game and variation (default: 8)",
    )
    record_source.add_options(parser)
    _declare_workers(parser)


def _declare_line(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "line",
        nargs="?",
        default="",
        metavar="LINE",
        help="moves such as 'c3 e5', or a game record (default: the empty board)",
    )


def _declare_show(parser: argparse.ArgumentParser) -> None:
    _declare_line(parser)
    parser.add_argument(
        "--html",
        metavar="OUT",
        help="write a page on which to walk through the book; - writes it to standard output",
    )


def _declare_query(parser: argparse.ArgumentParser) -> None:
    _declare_line(parser)
    parser.add_argument("--json", action="store_true", help="print a JSON object")
    parser.add_argument(
        "--moves",
        type=positive_int,
        default=10,
        metavar="N",
        help="number of moves to list, from the best on (default: 10)",
    )


def _declare_export(parser: argparse.ArgumentParser) -> None:
    _declare_line(parser)
    parser.add_argument(
        "--to",
        choices=_FORMATS,
        default="sgf",
        help="the format: SGF of this program or of HexGui, the text of the web explorers Hexata "
        "and hex-study, or JSON (default: sgf)",
    )
    parser.add_argument(
        "--plies",
        type=positive_int,
        default=1000,
        metavar="N",
        help="number of moves after LINE (default: all)",
    )
    parser.add_argument(
        "-o",
        "--output",
        default=STANDARD,
        metavar="OUT",
        help="the file; - (default) is standard output",
    )


def _declare_check(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--solve",
        type=limit_float,
        default=10.0,
        metavar="S",
        help="seconds in which to solve proven positions again; 0: don't (default: 10)",
    )


def _build(arguments: argparse.Namespace) -> int:
    settings = _settings(arguments)
    with (
        _solved_store(arguments) as store,
        BookBuilder.open(arguments.book, settings) as builder,
    ):
        return _grow(builder, arguments, store)


def _settings(arguments: argparse.Namespace) -> BookSettings:
    """Return the settings of the book to build, those of an existing one if it agrees."""
    given = {
        "game": arguments.game,
        "columns": arguments.size,
        "rows": arguments.size,
        "player": arguments.player,
        "parameters": None if arguments.set is None else _parameters(arguments),
        "nodes": arguments.nodes,
        "seconds": arguments.seconds,
        "swap": arguments.swap,
        "width": arguments.width,
    }
    given = {name: value for name, value in given.items() if value is not None}
    if arguments.book.exists():
        with BookFile.read(arguments.book) as book:
            settings = book.settings
        for name, value in given.items():
            if getattr(settings, name) != value:
                arguments.fail(
                    f"{arguments.book} was begun with {name} {getattr(settings, name)}, not {value}"
                )
        return settings
    if arguments.size is None:
        arguments.fail("a new book needs a board size (--size)")
    if not (arguments.nodes or arguments.seconds):
        if 0 in (arguments.nodes, arguments.seconds):
            arguments.fail("an evaluation needs a limit (--nodes, --seconds)")
        given["nodes"] = NODES
    settings = BookSettings(**{"game": DEFAULT_GAME, **given, "version": VERSION})
    try:
        make_board(settings.game, settings.columns)
        Evaluator.of(settings)
    except ValueError as error:
        arguments.fail(str(error))
    return settings


def _parameters(arguments: argparse.Namespace) -> dict[str, str]:
    values = {}
    for setting in arguments.set:
        key, equals, value = setting.partition("=")
        if not equals:
            arguments.fail(f"--set takes KEY=VALUE, not {setting!r}")
        values[key] = value
    return values


def _extend(arguments: argparse.Namespace) -> int:
    with _solved_store(arguments) as store, BookBuilder.open(arguments.book) as builder:
        start = Stones.of(position_after(arguments.start, builder.graph.board))
        if builder.graph.find(start) is None and start.number:
            raise BookError(f"{arguments.start!r} leads to no position of the book")
        return _grow(builder, arguments, store, start=start)


def _import(arguments: argparse.Namespace) -> int:
    with _solved_store(arguments) as store, BookBuilder.open(arguments.book) as builder:
        board = builder.graph.board
        additions: dict[Stones, None] = {}
        for source in arguments.sources:
            games, name = record_source.read_games(source, arguments)
            for number in range(1, len(games) + 1):
                try:
                    record = games.read(number).record
                except RecordError as error:
                    raise record_source.SourceError(f"{name}: {error}") from None
                if record.board != board:
                    raise BookError(f"{name}: game {number} is on {record.board}, not {board}")
                additions |= dict.fromkeys(positions_of(record, arguments.plies))
        return _grow(builder, arguments, store, additions=[*additions], expands=False)


def _grow(
    builder: BookBuilder,
    arguments: argparse.Namespace,
    store: FallibleStore[SolvedStore],
    *,
    start: Stones | None = None,
    additions: Sequence[Stones] = (),
    expands: bool = True,
) -> int:
    """Add positions to a book until a limit is reached; show the progress."""
    most = getattr(arguments, "expansions", None)
    minutes = getattr(arguments, "minutes", None)
    end = None if minutes is None else time.monotonic() + 60 * minutes
    graph = builder.graph
    before = len(graph.nodes)

    def stops(expansions: int) -> bool:
        return (most is not None and expansions >= most) or (
            end is not None and time.monotonic() >= end
        )

    display = ProgressDisplay(sys.stderr)
    goes_on = True
    try:
        with (
            handling(signal.default_int_handler, signal.SIGTERM),
            _workers(arguments) as (executor, at_once),
            _progress(display, builder, most) as report,
        ):
            goes_on = builder.build(
                executor, at_once, stops=stops, report=report, start=start, additions=additions,
                expands=expands, store=store,
            )  # fmt: skip
    except KeyboardInterrupt:
        display.say("interrupted; the same command goes on")
        return 130
    finally:
        added = len(graph.nodes) - before
        if store.failure:
            display.say(f"the store wasn't used to the end: {store.failure}")
        sys.stdout.write(f"{arguments.book}: {len(graph.nodes)} positions, {added} of them new\n")
    if expands and not goes_on:
        display.say("nothing is left to expand: all lines are proven")
    return 0


@contextmanager
def _solved_store(arguments: argparse.Namespace) -> Iterator[FallibleStore[SolvedStore]]:
    """Open the store of solved positions, if one is asked for."""
    if arguments.store is None:
        yield NO_STORE
        return
    if not arguments.store.exists():
        raise StoreError(f"there is no store {arguments.store}; `trivalent solve` makes one")
    with SolvedStore(arguments.store) as store:
        yield FallibleStore(store)


@contextmanager
def _workers(arguments: argparse.Namespace) -> Iterator[tuple[Executor, int]]:
    with ExitStack() as stack:
        if arguments.cluster:
            yield stack.enter_context(cluster_workers(arguments.cluster))
        else:
            executor = stack.enter_context(local_workers(arguments.processes))
            yield executor, arguments.processes


@contextmanager
def _progress(
    display: ProgressDisplay, builder: BookBuilder, total: int | None
) -> Iterator[Callable[[int], None]]:
    """Show progress: a bar on a terminal, else a line now and then."""
    graph, latest = builder.graph, time.monotonic()

    def said() -> str:
        return f"{len(graph.nodes)} positions, value {graph.root.value:.3f}"

    with display.bar("expansions", total or 0) as bar:

        def report(expansions: int) -> None:
            nonlocal latest
            bar.update(expansions, total, said())
            if not display.console.is_terminal and time.monotonic() - latest > _LINE_SECONDS:
                latest = time.monotonic()
                display.say(f"{expansions} expansions, {said()}")

        yield report


def _show(arguments: argparse.Namespace) -> int:
    with BookFile.read(arguments.book) as file:
        if arguments.html:
            return _write_page(file, arguments)
        book = OpeningBook.of(file)
        position = position_after(arguments.line, file.board)
        sys.stdout.write(
            f"{file.board}, {evaluator_text(file.settings)}\n"
            f"{drawing(book, position)}\n{summary(book, file.settings, position)}\n"
        )
    return 0


def _write_page(file: BookFile, arguments: argparse.Namespace) -> int:
    if why := web_pages.missing():
        arguments.fail(why)
    try:
        require_inputs_kept({"--html": arguments.html}, database_files(arguments.book))
    except ValueError as error:
        arguments.fail(str(error))
    start = position_after(arguments.line, file.board)
    write_output(arguments.html, book_page.page(file, start))
    return 0


def _query(arguments: argparse.Namespace) -> int:
    with BookFile.read(arguments.book) as file:
        book = OpeningBook.of(file)
        position = position_after(arguments.line, file.board)
        if arguments.json:
            text = json.dumps(as_json(book, position))
        else:
            moves = table(book, position, arguments.moves)
            text = f"{summary(book, file.settings, position)}\n{moves}".rstrip()
    sys.stdout.write(f"{text}\n")
    return 0


def _export(arguments: argparse.Namespace) -> int:
    try:
        require_inputs_kept({"--output": arguments.output}, database_files(arguments.book))
    except ValueError as error:
        arguments.fail(str(error))
    with BookFile.read(arguments.book) as file:
        entries = {entry.name: entry for entry in file.entries()}
        book = OpeningBook(file.board, entries.get)
        start = position_after(arguments.line, file.board)
        record = variations(book, file.settings, start, arguments.plies)
    try:
        text = write(record, arguments.to)
    except RecordError as error:
        raise BookError(str(error)) from None
    write_output(arguments.output, text)
    return 0


def _check(arguments: argparse.Namespace) -> int:
    with BookFile.read(arguments.book) as file:
        found = check(file, arguments.solve)
    for fault in found.faults:
        sys.stdout.write(f"{fault}\n")
    sys.stdout.write(
        f"{arguments.book}: {found.positions} positions up to move {found.deepest}, "
        f"{found.proven} proven ({found.confirmed} confirmed by the solver), "
        f"{len(found.faults) or 'no'} faults\n"
    )
    return 1 if found.faults else 0


_ACTIONS: dict[
    str,
    tuple[
        str,
        Callable[[argparse.ArgumentParser], None],
        Callable[[argparse.Namespace], int],
    ],
] = {
    "build": ("begin a book, or go on building it", _declare_build, _build),
    "extend": ("expand a book, everywhere or after some moves", _declare_extend, _extend),
    "show": ("draw a position with the values of its moves", _declare_show, _show),
    "query": ("list the moves of a position", _declare_query, _query),
    "export": ("write a book as a game record with variations", _declare_export, _export),
    "import": ("add the positions of games to a book", _declare_import, _import),
    "check": ("check the file, the values and the proofs of a book", _declare_check, _check),
}
"""For each subcommand its help text, its options, and what it does."""
