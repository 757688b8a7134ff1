"""``trivalent tournament report``: show the results of a run, or write them to files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from trivalent.core.files import write_file
from trivalent.tools.common.output_files import database_files, require_inputs_kept
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
    parser.add_argument(
        "--html", type=Path, metavar="FILE", help="write a web page with charts and all games"
    )
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write one line per game as CSV")
    parser.add_argument("--sgf", type=Path, metavar="FOLDER", help="write each game as an SGF file")
    parser.add_argument(
        "--json",
        metavar="FILE",
        help="write all numbers as JSON; - prints them instead of the tables",
    )


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
    text = export_files.as_json(found)
    try:
        if arguments.html:
            html_page.write_page(found, board, arguments.html)
        if arguments.csv:
            lines = export_files.as_csv(found, board)
            write_file(arguments.csv, lambda path: path.write_text(lines, "utf-8"))
        if arguments.json and arguments.json != "-":
            write_file(Path(arguments.json), lambda path: path.write_text(text, "utf-8"))
        if arguments.sgf:
            export_files.write_games(found, board, arguments.sgf)
    except OSError as error:
        sys.stderr.write(f"trivalent tournament: {error.filename}: {error.strerror}\n")
        return Exit.FAILED
    if arguments.json == "-":
        sys.stdout.write(text)
    else:
        show_tables(found)
    return Exit.DONE


def _require_inputs_kept(arguments: argparse.Namespace, database: Path, found: Summary) -> None:
    """Exit with a usage error if a file to be written is the plan or the database."""
    from trivalent.tools.tournament.report.export_files import game_files

    outputs = {
        "--html": arguments.html,
        "--csv": arguments.csv,
        "--json": Path(arguments.json) if arguments.json not in (None, "-") else None,
    }
    if arguments.sgf:
        outputs |= {f"--sgf {file.name}": file for file in game_files(found, arguments.sgf)}
    try:
        require_inputs_kept(outputs, [database.with_suffix(".toml"), *database_files(database)])
    except ValueError as error:
        arguments.fail(str(error))


def show_tables(found: Summary) -> None:
    """Print the tables of a summary on standard output."""
    from rich.console import Console

    from trivalent.tools.tournament.report.terminal_tables import show

    width = None if sys.stdout.isatty() else 120  # not a terminal: no width to ask for
    show(found, Console(width=width, highlight=False))
