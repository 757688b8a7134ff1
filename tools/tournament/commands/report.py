"""``trivalent tournament report``: what a run has shown, on the terminal and as files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from trivalent.core.files import write_file
from trivalent.tools.tournament.commands.exit_codes import Exit
from trivalent.tools.tournament.report import html_page
from trivalent.tools.tournament.run.open_run import open_run

if TYPE_CHECKING:
    import argparse

    from trivalent.tools.tournament.report.summary import Summary


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``trivalent tournament report``."""
    parser.add_argument(
        "--anchor", default="", metavar="ENGINE", help="give this engine 0 Elo, not the mean"
    )
    parser.add_argument(
        "--html", type=Path, metavar="FILE", help="write a page with pictures and all games there"
    )
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write a line for each game there")
    parser.add_argument("--sgf", type=Path, metavar="FOLDER", help="write each game there as SGF")
    parser.add_argument(
        "--json", metavar="FILE", help="write all numbers there; - prints them instead of tables"
    )


def main(arguments: argparse.Namespace) -> int:
    """Read a run, which may be going on, and show it."""
    from trivalent.tools.tournament.report import export_files
    from trivalent.tools.tournament.report.summary import summary

    if arguments.html and (problem := html_page.missing()):
        arguments.fail(problem)
    store, plan = open_run(arguments.run)
    with store:
        played = list(store.played())
    names = [engine.name for engine in plan.engines]
    if arguments.anchor and arguments.anchor not in names:
        arguments.fail(f"--anchor: no engine {arguments.anchor!r} (there are {', '.join(names)})")
    try:
        found = summary(plan, played, anchor=arguments.anchor)
    except ValueError as error:
        arguments.fail(f"--anchor: {error}")
    board = plan.board
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


def show_tables(found: Summary) -> None:
    """Print the tables of a summary on standard output."""
    from rich.console import Console

    from trivalent.tools.tournament.report.terminal_tables import show

    width = None if sys.stdout.isatty() else 120  # no terminal says how wide it is
    show(found, Console(width=width, highlight=False))
