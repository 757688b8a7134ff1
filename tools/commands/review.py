"""``trivalent review``: say where a game was lost, what would have been better, and why."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from trivalent.bot.player import Stop
from trivalent.bot.review.game_line import ReviewError, game_line
from trivalent.bot.review.position_analyst import (
    DEFAULT,
    QUICK,
    Effort,
    Interrupted,
    PositionAnalyst,
)
from trivalent.bot.review.review_store import ReviewStore
from trivalent.bot.review.reviewer import Reviewer
from trivalent.bot.solver.result_database import StoreError
from trivalent.core.processors import usable_cores
from trivalent.core.records.formats import write
from trivalent.core.records.record import RecordError
from trivalent.tools.common import record_source
from trivalent.tools.common.console import PipedConsole
from trivalent.tools.common.endings import handling
from trivalent.tools.common.option_values import integer, positive_float, positive_int
from trivalent.tools.common.output_files import (
    STANDARD,
    OutputError,
    database_files,
    file_name,
    require_inputs_kept,
    write_output,
)
from trivalent.tools.common.progress_display import ProgressDisplay
from trivalent.tools.common.record_source import SourceError
from trivalent.tools.review.annotated_record import ReviewedGame, annotate
from trivalent.tools.review.batch_summary import show_line, show_summary
from trivalent.tools.review.review_data import as_json, game_data
from trivalent.tools.review.review_page import review_page
from trivalent.tools.review.review_tables import show_review
from trivalent.tools.tournament.report.web_pages import missing

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

    from rich.console import Console

    from trivalent.bot.review.reviewer import Progress, Review
    from trivalent.core.records.formats import Reading
    from trivalent.tools.common.progress_display import Bar

_Shown = TypeVar("_Shown")

INTERRUPTED = 3
"""The exit code if the review was interrupted."""

_STAGES = {
    "searching": (0.0, 0.4),
    "proving": (0.4, 0.3),
    "looking again": (0.7, 0.25),
    "explaining": (0.95, 0.05),
}
"""Where each stage of a review begins, and about which share of the time it takes."""
_OUTPUTS = ("html", "sgf", "json")
_PARTS = 1000  # of the bar, for each game
_MAX_WARNINGS = 10
"""Remarks on a game that are printed: a file that is no game at all may cause a million."""
_WIDTH = 110  # of tables in a file


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``trivalent review``."""
    parser.epilog = (
        "exit codes: 0 everything is reviewed; 1 something couldn't be reviewed; 2 error on the "
        "command line; 3 interrupted: the same command goes on from there"
    )
    record_source.add_many_arguments(
        parser, "games of Hex or Y, in any format that `trivalent convert` reads", "reviewed"
    )
    parser.add_argument(
        "--swap-rule",
        choices=("yes", "no"),
        help="whether the second player may swap (default: yes if a game has a swap; else the "
        "first move isn't judged)",
    )
    effort = parser.add_mutually_exclusive_group()
    effort.add_argument(
        "--quick",
        action="store_true",
        help=f"search {QUICK.nodes:,} nodes a move instead of {DEFAULT.nodes:,}",
    )
    effort.add_argument(
        "--nodes",
        type=positive_int,
        metavar="N",
        help="search N nodes a move: with nodes, the same game gets the same review every time",
    )
    effort.add_argument(
        "--seconds", type=positive_float, metavar="S", help="search S seconds a move"
    )
    parser.add_argument(
        "--threads",
        type=integer(1, 256),
        default=usable_cores(),
        metavar="N",
        help="positions to analyse at the same time (default: as many as there are cores)",
    )
    parser.add_argument(
        "--store",
        type=file_name,
        metavar="FILE",
        help="keep what is found out in FILE, and start from there (default: "
        "~/.cache/trivalent/reviews.db)",
    )
    parser.add_argument(
        "--batch",
        action="store_true",
        help="print a line for each game instead of its tables, and a summary",
    )
    parser.add_argument(
        "--html",
        metavar="FILE",
        help="write the reviews as a web page; - prints nothing but that",
    )
    parser.add_argument(
        "--sgf",
        metavar="FILE",
        help="write the games with comments and variations as SGF; - prints nothing but that",
    )
    parser.add_argument(
        "--json", metavar="FILE", help="write the reviews as JSON; - prints nothing but that"
    )


def main(arguments: argparse.Namespace) -> int:
    """Run ``trivalent review`` and return the exit code."""
    try:
        sources = [source for source, _ in record_source.files_of(arguments.sources)]
        stores = database_files(arguments.store) if arguments.store else []
        outputs = {f"--{name}": getattr(arguments, name) for name in _OUTPUTS}
        for option, output in {**outputs, "--store": arguments.store}.items():
            if output not in (None, STANDARD):
                _require_writable(option, output)
        require_inputs_kept({"--store": arguments.store}, sources)
        require_inputs_kept(outputs, [*sources, *stores])
    except ValueError as error:
        arguments.fail(str(error))
    if arguments.html and (problem := missing()):
        arguments.fail(problem)
    job = _Job(arguments)
    try:
        job.run(sources)
    except Interrupted:
        _report("interrupted; what is known is kept, and the same command goes on from there")
        return INTERRUPTED
    except MemoryError as error:
        _report(f"out of memory: {error}".rstrip(": "))
        return 1
    except StoreError as error:
        _report(str(error))
        return 1
    return job.exit_code


def _report(sentence: str) -> None:
    sys.stderr.write(f"trivalent review: {sentence}\n")


def _require_writable(option: str, name: str) -> None:
    """Raise ValueError now rather than after hours if a file can't be written."""
    path = Path(name)
    if not name or path.is_dir():
        raise ValueError(f"{option}: {name!r} is no name of a file")
    if path.exists() and not path.is_file():
        raise ValueError(f"{option}: {name} is not a regular file")
    if not path.parent.is_dir():
        raise ValueError(f"{option}: there is no folder {path.parent}")


def _effort(arguments: argparse.Namespace) -> Effort:
    if arguments.nodes:
        return Effort(nodes=arguments.nodes)
    if arguments.seconds:
        return Effort(seconds=arguments.seconds)
    return QUICK if arguments.quick else DEFAULT


def _default_store() -> Path:
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(cache) / "trivalent"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / "reviews.db"


def _may_be_y(reading: Reading) -> bool:
    """Return whether a game of Hex from HexGui, whose games of Y look alike, is in a triangle."""
    board = reading.record.board
    if not reading.format.startswith("hexgui") or board.game != "hex":
        return False
    cells = [node.turn.cell for node in reading.record.root.walk() if node.turn]
    places = [board.coordinates[cell] for cell in cells if cell is not None]
    return bool(places) and all(column <= row for column, row in places)


class _Job:
    """The games to review, and where the reviews go."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._arguments = arguments
        self._effort = _effort(arguments)
        self._stop = Stop()
        self.exit_code = 0

    def run(self, sources: list[str]) -> None:
        """Review all games, and write the reviews."""
        texts = [source for source in sources if not record_source.exists(source)]
        records = []
        for source in sources:
            number = f" {texts.index(source) + 1}" if source in texts[:-1] + texts[1:] else ""
            records += [(name + number, reading) for name, reading in self._records(source)]
        if not records:
            return
        with ExitStack() as stack:
            store = self._open_store()
            if store:
                stack.enter_context(store)
            stop = self._stop.set
            stack.enter_context(handling(lambda *_: stop(), signal.SIGINT, signal.SIGTERM))
            analyst = PositionAnalyst(store, self._stop, self._arguments.threads)
            stack.enter_context(analyst)
            display = ProgressDisplay(sys.stderr)
            bar = stack.enter_context(display.bar("reviewing", len(records) * _PARTS))
            games = []
            for game in self._reviewed(records, analyst, bar):
                games.append(game)
                with bar.hidden():
                    self._print(show_line if self._arguments.batch else show_review, game)
        if failure := analyst.store_failure:
            _report(f"went on without the store: {failure}")
            if self._arguments.store:
                self.exit_code = 1
        if games:
            if self._arguments.batch:
                self._print(show_summary, games)
            self._write_files(games)

    def _records(self, source: str) -> Iterator[tuple[str, Reading]]:
        """Yield the games of a source with their names; report what can't be read."""
        try:
            games, name = record_source.read_games(source, self._arguments)
        except SourceError as error:
            self._fail(str(error))
            return
        only = self._arguments.game
        for number in range(1, len(games) + 1) if only is None else [only]:
            place = f"{name}, game {number}" if len(games) > 1 else name
            try:
                reading = games.read(number)
            except RecordError as error:
                self._fail(f"{place}: {error}")
                continue
            for warning in reading.warnings[:_MAX_WARNINGS]:
                sys.stderr.write(f"{name}:{warning}\n")
            if (more := len(reading.warnings) - _MAX_WARNINGS) > 0:
                _report(f"{place}: {more} more remarks like these")
            if _may_be_y(reading):
                _report(f"{place}: read as Hex; if it is a game of Y, add --notation y")
            yield place, reading

    def _open_store(self) -> ReviewStore | None:
        """Return the store; without the default one, reviews are only made anew every time."""
        if self._arguments.store:
            return ReviewStore(Path(self._arguments.store))
        try:
            return ReviewStore(_default_store())
        except (OSError, StoreError) as error:
            _report(f"without a store: {error}")
            return None

    def _reviewed(
        self, records: list[tuple[str, Reading]], analyst: PositionAnalyst, bar: Bar
    ) -> Iterator[ReviewedGame]:
        allows_swap = {None: None, "yes": True, "no": False}[self._arguments.swap_rule]
        for number, (name, reading) in enumerate(records):
            watch = partial(self._show, bar, number, name)
            try:
                loss = reading.loss.text if reading.loss else ""
                line = game_line(reading.record, allows_swap=allows_swap, loss=loss)
            except ReviewError as error:
                self._fail(f"{name}: {error}")
                continue
            review: Review = Reviewer(analyst, self._effort, watch).review(line)
            yield ReviewedGame(name, reading.record, review)

    def _show(self, bar: Bar, number: int, name: str, progress: Progress) -> None:
        begin, share = _STAGES[progress.stage]
        done = begin + share * progress.done / max(1, progress.total)
        bar.update(round(_PARTS * (number + done)), note=f"{name[:40]}: {progress.stage}")

    def _fail(self, sentence: str) -> None:
        self.exit_code = 1
        _report(sentence)

    def _print(self, show: Callable[[Console, _Shown], None], shown: _Shown) -> None:
        """Show something on standard output, unless that is for a file."""
        if STANDARD not in (getattr(self._arguments, name) for name in _OUTPUTS):
            width = None if sys.stdout.isatty() else _WIDTH
            show(PipedConsole(highlight=False, width=width), shown)
            sys.stdout.flush()

    def _write_files(self, games: list[ReviewedGame]) -> None:
        arguments = self._arguments
        data = [game_data(game) for game in games]
        if arguments.json:
            self._write_file(arguments.json, as_json(data, self._effort))
        if arguments.html:
            self._write_file(arguments.html, review_page(data, self._effort))
        if arguments.sgf:
            for game in games:
                annotate(game)
            text = "".join(write(game.record, "sgf") for game in games)
            self._write_file(arguments.sgf, text)

    def _write_file(self, name: str, text: str) -> None:
        try:
            write_output(name, text)
        except OutputError as error:
            self._fail(str(error))
