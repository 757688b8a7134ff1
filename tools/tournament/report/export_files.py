"""The report as files for programs: JSON, CSV of all games, SGF of all games."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import asdict, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from trivalent.tools.common.output_files import STANDARD, make_folder, write_output
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

_MAX_NAME_BYTES = 220
"""Maximum length of a file name; systems allow 255 bytes, and a temporary name is a bit longer."""
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


def write_games(summary: Summary, board: Board, folder: str) -> None:
    """Write every decided game as an SGF file, or all of them as one to standard output.

    Raise OutputError if the folder can't be written, and OSError if standard output can't be.
    """
    texts = [
        sgf(
            board,
            game,
            record,
            summary.name,
            engines=summary.engines,
            address=link(board, game, record),
        )
        for game, record in summary.played
    ]
    if folder == STANDARD:
        write_output(STANDARD, "".join(texts))
        return
    make_folder(Path(folder))
    for text, file in zip(texts, game_files(summary, folder), strict=True):
        write_output(file, text)


def game_files(summary: Summary, folder: str) -> list[str]:
    """Return the files that `write_games` writes, in the order of the games."""
    return [str(Path(folder, f"{_file_name(game.id)}.sgf")) for game, _ in summary.played]


def _file_name(game: str) -> str:
    """Return the id of a game as the name of a file, a different name for each id."""
    name = re.sub(r"[/%\0-\x1f]|^\.", lambda found: f"%{ord(found[0]):02X}", game)
    data = name.encode()
    if len(data) > _MAX_NAME_BYTES:
        data = data[: _MAX_NAME_BYTES - 17] + f"-{sha256(data).hexdigest()[:16]}".encode()
    return data.decode(errors="ignore")  # of a character that was cut in two
