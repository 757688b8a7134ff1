"""Analysis that runs until the next line arrives, in the formats of Leela Zero and KataGo.

Only these commands send their reply in pieces: one line for each report, then the empty line that
ends the reply.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from trivalent.bot.player import Watch
from trivalent.core.board import BLACK
from trivalent.core.playouts.playout import statistics
from trivalent.gtp.commands.analysis import DEFAULT_PLAYOUTS
from trivalent.gtp.engine.arguments import GtpError, is_colour
from trivalent.gtp.engine.command import Command

if TYPE_CHECKING:
    from collections.abc import Callable

    from trivalent.bot.player import Analysis, MoveAnalysis
    from trivalent.core.board import Colour
    from trivalent.core.position import Position
    from trivalent.gtp.engine.arguments import Arguments
    from trivalent.gtp.engine.session import Session

INTERVAL = 100
"""Default interval between two reports, in centiseconds."""


def _stream(
    session: Session, colour: Colour, interval: int, line: Callable[[Analysis], str]
) -> str:
    """Search and send reports until the next line arrives."""
    if session.position.winner is not None:
        raise GtpError(f"the game is over, {session.position.winner} has won")
    channel = session.channel

    def report(analysis: Analysis) -> None:
        if analysis.moves:
            channel.send_lines(line(analysis))

    session.search_freely(colour, channel.superseded, Watch(max(1, interval) / 100, report))
    report(session.player.analysis())
    # A solved position is reported once, but the reply must still last until the next line.
    while not channel.superseded.is_set:
        time.sleep(0.01)
    return ""


def _entries(
    session: Session, analysis: Analysis, entry: Callable[[int, MoveAnalysis], str]
) -> str:
    texts = []
    for order, move in enumerate(analysis.considered):
        line = analysis.variation if move.cell == analysis.variation[0] else (move.cell,)
        names = " ".join(map(session.name, line))
        texts.append(f"info move {session.name(move.cell)} {entry(order, move)} pv {names}")
    return " ".join(texts)


def _win_rate(move: MoveAnalysis) -> float:
    """Return the value of a move, 0 to 1; a proven move has value 0 or 1."""
    return move.value if move.proven is None else float(move.proven)


def _options(session: Session, arguments: Arguments) -> tuple[Colour, int, dict[str, str]]:
    """Read [COLOUR] [CENTISECONDS] [KEY VALUE ...]; return colour, interval and the other keys."""
    words = list(arguments.words)
    colour, interval = session.position.to_play, str(INTERVAL)
    if words and is_colour(words[0]):
        colour = arguments.colour(0)
        del words[0]
    if words and words[0].isdigit():
        interval = words.pop(0)
    if len(words) % 2:
        raise arguments.usage_error()
    options = {"interval": interval}
    options.update(zip(words[::2], map(str.lower, words[1::2]), strict=True))
    if not options["interval"].isdigit():
        raise arguments.usage_error()
    return colour, int(options["interval"][:6]), options


def _lz_analyze(session: Session, arguments: Arguments) -> str:
    colour, interval, _ = _options(session, arguments)  # unknown keys are ignored

    def line(analysis: Analysis) -> str:
        return _entries(
            session,
            analysis,
            lambda order, move: (
                f"visits {move.visits or 0} winrate {round(10_000 * _win_rate(move))} order {order}"
            ),
        )

    return _stream(session, colour, interval, line)


def _kata_analyze(session: Session, arguments: Arguments) -> str:
    colour, interval, options = _options(session, arguments)
    with_ownership = options.get("ownership") in ("true", "1")
    position = session.position.copy()
    position.to_play = colour

    def line(analysis: Analysis) -> str:
        text = _entries(
            session,
            analysis,
            lambda order, move: (
                f"visits {move.visits or 0} winrate {_win_rate(move):.4f} scoreLead 0 order {order}"
            ),
        )
        if with_ownership:
            text += " ownership " + " ".join(
                f"{value:.3f}" for value in _ownership(position, colour)
            )
        return text

    return _stream(session, colour, interval, line)


def _ownership(position: Position, colour: Colour) -> list[float]:
    """Estimate by playouts who owns each cell at the end: from 1, ``colour``, to -1, opponent."""
    found = statistics(position, DEFAULT_PLAYOUTS, position.hash, fill="in-turn")
    black = [float(content == BLACK) for content in position.stones]
    for cell, share in zip(found.cells, found.ownership, strict=True):
        black[cell] = share
    return [2 * share - 1 if colour is BLACK else 1 - 2 * share for share in black]


LIVE_ANALYSIS = (
    Command(
        "lz-analyze",
        _lz_analyze,
        "[COLOUR] [CENTISECONDS] [KEY VALUE ...]",
        "Searches until the next line arrives and reports on the moves at the given interval: "
        "visits, winrate (0 to 10000), order, principal variation.  The interval, in centiseconds, "
        "can also be given as `interval CENTISECONDS`.",
        "the game is over",
    ),
    Command(
        "kata-analyze",
        _kata_analyze,
        "[COLOUR] [CENTISECONDS] [KEY VALUE ...]",
        "Like lz-analyze, but the winrate ranges from 0 to 1.  `ownership true` adds the ownership "
        "of each cell, row by row, from the point of view of COLOUR: from -1 (never owns it at the "
        "end) to 1 (always).",
        "the game is over",
    ),
)
"""The live analysis family."""
