"""Reviews as one self-contained web page: a curve to click, a board, candidates and reasons."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from trivalent.core import VERSION
from trivalent.core.games import make_board
from trivalent.tools.tournament.report.html_page import STYLE
from trivalent.tools.tournament.report.web_pages import board_data, render

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trivalent.bot.review.position_analyst import Effort

_FOLDER = Path(__file__).parent


def review_page(games: Sequence[dict[str, Any]], effort: Effort) -> str:
    """Return a page with reviewed games, as `game_data` returns them."""
    boards = {}
    for game in games:
        sides = (game["width"],) if game["game"] == "y" else (game["width"], game["height"])
        boards[_board_name(game)] = board_data(make_board(game["game"], *sides))
    data = {"boards": boards, "games": [game | {"board": _board_name(game)} for game in games]}
    title = "Review" if len(games) > 1 else " - ".join(games[0]["players"].values())
    return render(
        _FOLDER / "review.html.jinja",
        style=STYLE.read_text("utf-8") + (_FOLDER / "review.css").read_text("utf-8"),
        script="".join((_FOLDER / name).read_text("utf-8") for name in ("board.js", "review.js")),
        data=data,
        title=title,
        games=games,
        effort=f"{effort.amount:g} {effort.unit} a move",
        version=VERSION,
    )


def _board_name(game: dict[str, Any]) -> str:
    return f"{game['game']} {game['width']}x{game['height']}"
