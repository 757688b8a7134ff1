"""The report as one self-contained HTML file: tables, charts, and a board to replay every game.

Text from engines is untrusted.  The template escapes everything, the script writes text and never
markup, and the page's content security policy allows only its own script and style.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from trivalent.core import VERSION
from trivalent.tools.pictures.board_pictures import picture
from trivalent.tools.statistics.elo import ELO_PER_LOGIT, signed, span
from trivalent.tools.statistics.pairs import pairs_needed
from trivalent.tools.statistics.tails import Z95
from trivalent.tools.tournament.report import terminal_tables as tables
from trivalent.tools.tournament.report.conditions import clock_text, has_odds, program_text
from trivalent.tools.tournament.report.game_records import link, sgf
from trivalent.tools.tournament.report.page_drawings import path, scale, thinned
from trivalent.tools.tournament.report.web_pages import board_data, render

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trivalent.core.board import Board
    from trivalent.tools.tournament.report.summary import (
        Match,
        OpeningResult,
        Standing,
        Summary,
        Test,
    )

MAX_GAMES = 20_000
"""Games that can be replayed; any further ones appear only in the statistics."""
MAX_MAPS = 36
"""Matches whose openings are drawn."""
_GOAL = 10
"""Half-width of an interval, in Elo, that the page names as a goal."""
_FOLDER = Path(__file__).parent
STYLE = _FOLDER / "report.css"
"""The style of pages with a board."""
_WHISKERS = 220.0
_CURVE = (640.0, 220.0)
_POINTS = 800
_SPARK = (120.0, 24.0)
_COLUMNS = 24
"""Squares per row where openings are longer than one move."""


def page(summary: Summary, board: Board) -> str:
    """Return the page as HTML."""
    return render(
        _FOLDER / "report.html.jinja",
        style=STYLE.read_text("utf-8"),
        script=(_FOLDER / "report.js").read_text("utf-8"),
        data=_games(summary, board),
        filters={"day": tables.day, "likely": tables.likely, "signed": signed},
        summary=summary,
        version=VERSION,
        notes=tables.notes(summary),
        percent=tables.percent,
        pairs_needed=pairs_needed,
        goal=_GOAL,
        span=span,
        board=picture(board),
        state=tables.state(summary),
        ratings=_ratings(summary.standings),
        errors=[(match, _errors(match)) for match in summary.matches],
        crosstable=_crosstable(summary),
        clock=clock_text,
        program=program_text,
        clocks={engine.engine: engine.clock for engine in summary.engines},
        odds=has_odds(summary.engines),
        maps=_maps(summary, board),
        map_of_cells=_of_one_move(summary, board),
        max_maps=MAX_MAPS,
        rounds=max((game.round for game, _ in summary.played), default=0),
        curve=_curve(summary.test) if summary.test else None,
        verdict=tables.test_line(summary) if summary.test else "",
        times=_times(summary.standings),
        max_games=MAX_GAMES,
    )


def _games(summary: Summary, board: Board) -> dict[str, Any]:
    """Return the data of the page's script: the board, and a row for each game."""
    engines = [standing.engine for standing in summary.standings]
    number = {engine: i for i, engine in enumerate(engines)}
    return {
        "board": board_data(board),
        "engines": engines,
        "games": [
            [
                game.id,
                number[game.black],
                number[game.white],
                number[record.winner],
                game.opening.name,
                game.round,
                record.ending.value,
                record.detail,
                " ".join(record.moves),
                " ".join(f"{seconds:.2g}" for seconds in record.seconds),
                round(record.duration, 2),
                sgf(board, game, record, summary.name, engines=summary.engines, address=address),
                address,
            ]
            for game, record in summary.played[:MAX_GAMES]
            for address in (link(board, game, record),)
        ],
    }


def _ratings(standings: Sequence[Standing]) -> dict[str, Any]:
    """Return the rating intervals on a common scale."""
    ends = [end for row in standings for end in (row.elo, row.low, row.high) if end is not None]
    axis = scale(ends, _WHISKERS, 4)
    rows: list[dict[str, float] | None] = []
    for row in standings:
        if row.elo is None or row.low is None or row.high is None:
            rows.append(None)
        else:
            rows.append({"low": axis(row.low), "elo": axis(row.elo), "high": axis(row.high)})
    marks = [(axis(mark), f"{mark:+.0f}" if mark else "0") for mark in axis.marks]
    return {"length": _WHISKERS, "marks": marks, "rows": rows}


def _crosstable(summary: Summary) -> list[list[dict[str, Any] | None]]:
    """Return rows of cells: results, and the score as one of nine shades."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for match in summary.matches:
        for one, other, wins, losses, pairs, sign in (
            (match.engine, match.opponent, match.wins, match.losses, match.pairs, 1),
            (match.opponent, match.engine, match.losses, match.wins, match.pairs.reversed, -1),
        ):
            elo = match.difference.elo
            found[one, other] = {
                "wins": wins,
                "losses": losses,
                "pairs": pairs,
                "elo": None if elo is None else sign * elo,
                "shade": round(8 * wins / (wins + losses)),
            }
    names = [row.engine for row in summary.standings]
    return [[found.get((one, other)) for other in names] for one in names]


def _errors(match: Match) -> list[float | None]:
    """Return half-widths of 95 % intervals in Elo: pooled, openings as a sample, fixed openings."""
    found = match.strata
    if found is None or not 0.0 < found.mean < 1.0:
        return [None] * 3
    slope = Z95 * ELO_PER_LOGIT / (found.mean * (1.0 - found.mean))
    return [
        None if error is None else slope * error
        for error in (found.naive, found.random_openings, found.fixed_suite)
    ]


def _of_one_move(summary: Summary, board: Board) -> bool:
    """Return whether all openings are single moves, which can be drawn on a board."""
    return all(
        len(game.opening.moves) == 1 and game.opening.name in board.names
        for game, _ in summary.played
    )


def _maps(summary: Summary, board: Board) -> list[dict[str, Any]]:
    """Return, for each match, where its openings are drawn and their CSS classes."""
    drawn = picture(board)
    maps = []
    for match in summary.matches[:MAX_MAPS]:
        by_name = {one.opening: one for one in match.openings}
        cells = []
        if _of_one_move(summary, board):
            width, height = drawn.width, drawn.height
            for name, centres, path in zip(board.names, drawn.centres, drawn.outlines, strict=True):
                place = _place(by_name.get(name), name, centres, match)
                cells.append(place | {"path": path})
        else:
            rows = -(-len(by_name) // _COLUMNS)
            width, height = _COLUMNS * 14.0, rows * 14.0
            for i, (name, one) in enumerate(by_name.items()):
                x, y = i % _COLUMNS * 14.0 + 7.0, i // _COLUMNS * 14.0 + 7.0
                square = f"M{x - 6:.1f} {y - 6:.1f}h12v12h-12Z"
                cells.append(_place(one, name, ((x, y),), match) | {"path": square})
        maps.append({"match": match, "cells": cells, "width": width, "height": height})
    return maps


def _place(
    result: OpeningResult | None,
    name: str,
    centres: Sequence[tuple[float, float]],
    match: Match,
) -> dict[str, Any]:
    """Return how to draw an opening: shaded by score, with a dot if one colour dominated."""
    place: dict[str, Any] = {
        "centres": centres,
        "name": name,
        "shade": "none",
        "dot": "",
        "title": name,
    }
    if result is None:
        return place
    games = result.games_as_black + result.games_as_white
    score = (result.wins_as_black + result.wins_as_white) / games
    lost_as_white = result.games_as_white - result.wins_as_white
    black = (result.wins_as_black + lost_as_white) / games
    place["shade"] = f"m{round(4 * score)}"
    if result.games_as_black and result.games_as_white:
        place["dot"] = "black" if black >= 0.75 else "white" if black <= 0.25 else ""
    place["title"] = (
        f"{name}: {match.engine} won {result.wins_as_black} of {result.games_as_black} as Black, "
        f"{result.wins_as_white} of {result.games_as_white} as White"
    )
    return place


def _curve(test: Test) -> dict[str, Any]:
    """Return the curve of a sequential test with its bounds."""
    width, height = _CURVE
    across = scale([0.0, max(1, len(test.curve))], width)
    up = scale([*test.curve, test.lower * 1.1, test.upper * 1.1, 0.0], height)
    points = [(0.0, 0.0), *((i + 1.0, llr) for i, llr in thinned(test.curve, _POINTS))]
    return {
        "width": width,
        "height": height,
        "path": path((across(x), height - up(y)) for x, y in points),
        "lower": height - up(test.lower),
        "upper": height - up(test.upper),
        "across": [(across(mark), f"{mark:g}") for mark in across.marks],
        "up": [(height - up(mark), f"{mark:g}") for mark in up.marks],
    }


def _times(standings: Sequence[Standing]) -> list[dict[str, Any]]:
    """Return each engine's use of time, with its course over the moves of a game."""
    known = [row.time for row in standings if row.time]
    longest = max((len(use.course) for use in known), default=0)
    highest = max((value for use in known for value in use.course), default=0.0)
    if not highest:
        return []
    width, height = _SPARK
    rows = []
    for row in standings:
        if row.time:
            points = [
                (i / max(1, longest - 1) * width, height - value / highest * height)
                for i, value in enumerate(row.time.course)
            ]
            rows.append({"engine": row.engine, "use": row.time, "path": path(points)})
    return rows
