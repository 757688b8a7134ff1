"""The report as files for programs: JSON, CSV of all games, SGF of all games."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from trivalent.core.files import write_file
from trivalent.tools.tournament.report.game_records import link, sgf

if TYPE_CHECKING:
    from trivalent.core.board import Board
    from trivalent.tools.tournament.report.summary import Summary

COLUMNS = (
    "game", "pair", "round", "opening", "black", "white", "winner", "ending", "blamed", "moves",
    "seconds", "black_seconds", "white_seconds", "attempt", "worker", "detail", "link",
)  # fmt: skip
"""Columns of the CSV file; black and white are the engines' colours at the start, before any swap.
"""

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""First characters that make spreadsheets evaluate a cell."""


def as_json(summary: Summary) -> str:
    """Return the summary without games as a JSON object whose keys are those of `Summary`."""
    values = asdict(replace(summary, played=()))
    del values["played"]
    return json.dumps(values, indent=1, allow_nan=False) + "\n"


def as_csv(summary: Summary, board: Board) -> str:
    """Return a header line and a line for each decided game."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    for game, record in summary.played:
        black, white = (sum(record.seconds[i::2]) for i in range(2))
        row = (
            game.id, game.pair, game.round, game.opening.name, game.black, game.white,
            record.winner, record.ending.value, record.blamed, len(record.moves),
            round(record.duration, 3), round(black, 3), round(white, 3), record.attempt,
            record.worker, record.detail, link(board, game, record),
        )  # fmt: skip
        writer.writerow(
            f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
            for cell in row
        )
    return stream.getvalue()


def write_games(summary: Summary, board: Board, folder: Path) -> int:
    """Write every decided game as an SGF file; return how many.

    Raise OSError if the folder can't be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for game, record in summary.played:
        text = sgf(board, game, record, summary.name, link(board, game, record))
        # Our ids are valid file names, but ids in a foreign database might be paths.
        name = re.sub(r"[^\w.+=,@~-]|^\.", "_", game.id)
        write_file(folder / f"{name}.sgf", partial(Path.write_text, data=text, encoding="utf-8"))
    return len(summary.played)
