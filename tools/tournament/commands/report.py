"""``trivalent tournament report``: show the results of a run, or write them to files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from trivalent.tools.common.output_files import (
    STANDARD,
    OutputError,
    database_files,
    require_inputs_kept,
    write_output,
)
from trivalent.tools.tournament.commands.exit_codes import Exit
from trivalent.tools.tournament.report import html_page, web_pages
from trivalent.tools.tournament.run.open_run import open_run

if TYPE_CHECKING:
    import argparse

    from trivalent.tools.tournament.report.summary import Summary


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``trivalent tournament report``."""
    parser.add_argument(
        "--anchor",
        default="",
        metavar="ENGINE",
        help="engine whose rating is defined as 0 Elo (default: the mean of all engines is 0)",
    )
    outputs = parser.add_argument_group(
        "outputs", "With - as its FILE or FOLDER, one of them is printed instead of the tables."
    )
    outputs.add_argument(
        "--html", metavar="FILE", help="write a web page with charts and all games"
    )
    outputs.add_argument("--csv", metavar="FILE", help="write one line per game as CSV")
    outputs.add_argument(
        "--sgf", metavar="FOLDER", help="write each game as an SGF file; to -, all games as one"
    )
    outputs.add_argument("--json", metavar="FILE", help="write all numbers as JSON")


def main(arguments: argparse.Namespace) -> int:
    """Read a run, which may still be going on, and show it."""
    from trivalent.tools.tournament.report import export_files
    from trivalent.tools.tournament.report.summary import summary

    if arguments.html and (problem := web_pages.missing()):
        arguments.fail(problem)
    store, plan = open_run(arguments.run)
    with store:
        played, versions = list(store.played()), store.versions()
    names = [engine.name for engine in plan.engines]
    if arguments.anchor and arguments.anchor not in names:
        arguments.fail(f"--anchor: unknown engine {arguments.anchor!r} (known: {', '.join(names)})")
    try:
        found = summary(plan, played, versions, anchor=arguments.anchor)
    except ValueError as error:
        arguments.fail(f"--anchor: {error}")
    board = plan.board
    _require_inputs_kept(arguments, store.path, found)
    try:
        if arguments.html:
            write_output(arguments.html, html_page.page(found, board))
        if arguments.csv:
            write_output(arguments.csv, export_files.as_csv(found, board))
        if arguments.json:
            write_output(arguments.json, export_files.as_json(found))
        if arguments.sgf:
            export_files.write_games(found, board, arguments.sgf)
    except OutputError as error:
        sys.stderr.write(f"trivalent tournament: {error}\n")
        return Exit.FAILED
    if STANDARD not in (arguments.html, arguments.csv, arguments.json, arguments.sgf):
        show_tables(found)
    return Exit.DONE


def _require_inputs_kept(arguments: argparse.Namespace, database: Path, found: Summary) -> None:
    """Exit with a usage error if a file to be written is the plan or the database."""
    from trivalent.tools.tournament.report.export_files import game_files

    outputs = {f"--{name}": getattr(arguments, name) for name in ("html", "csv", "json")}
    if arguments.sgf == STANDARD:
        outputs["--sgf"] = STANDARD
    elif arguments.sgf:
        outputs |= {f"--sgf {Path(file).name}": file for file in game_files(found, arguments.sgf)}
    try:
        require_inputs_kept(outputs, [database.with_suffix(".toml"), *database_files(database)])
    except ValueError as error:
        arguments.fail(str(error))


def show_tables(found: Summary) -> None:
    """Print the tables of a summary on standard output."""
    from trivalent.tools.common.console import PipedConsole
    from trivalent.tools.tournament.report.terminal_tables import show

    width = None if sys.stdout.isatty() else 120  # not a terminal: no width to ask for
    show(found, PipedConsole(width=width, highlight=False))
