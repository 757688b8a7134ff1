"""Analysis in the formats of Leela Zero and KataGo, and moves with such an analysis.

Only these commands send their reply in pieces: one line for each report, then the empty line that
ends the reply.  The analyze commands run until the next line arrives.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from trivalent.bot.player import AvoidError, Watch
from trivalent.core.board import BLACK
from trivalent.core.playouts.playout import statistics
from trivalent.gtp.commands.analysis import DEFAULT_PLAYOUTS
from trivalent.gtp.commands.game import make_move
from trivalent.gtp.engine.arguments import GtpError, is_colour
from trivalent.gtp.engine.command import Command

if TYPE_CHECKING:
    from collections.abc import Callable

    from trivalent.bot.player import Analysis, MoveAnalysis
    from trivalent.core.position import Position
    from trivalent.gtp.engine.arguments import Arguments
    from trivalent.gtp.engine.session import Session

    Format = Callable[[Session, "_Options", Analysis], str]
    """Makes the line of a report."""

INTERVAL = 100
"""Default interval between two reports, in centiseconds."""

MAX_INTERVAL = 999_999
"""Longest interval, in centiseconds: almost three hours."""


@dataclass
class _Options:
    """The arguments of these commands."""

    position: Position
    """The position, with the side to move for which it is analysed."""
    interval: int | None = None
    """Centiseconds between two reports; None if it was not given."""
    min_moves: int = 0
    max_moves: int | None = None
    ownership: bool = False
    avoided: set[int] = field(default_factory=set)
    """Cells that `avoid` names."""
    allowed: set[int] | None = None
    """Cells that `allow` names; None: all."""

    def watch(self, report: Callable[[Analysis], None], default: float) -> Watch:
        """Return a watch that reports at the interval."""
        interval = default if self.interval is None else max(1, self.interval)
        return Watch(interval / 100, report)

    def forbidden(self) -> frozenset[int]:
        """Return the cells that must not be played on."""
        others = () if self.allowed is None else set(self.position.empty_cells) - self.allowed
        return frozenset(self.avoided.union(others))


def _options(session: Session, arguments: Arguments) -> _Options:
    """Read [COLOUR] [CENTISECONDS] [KEY VALUE ...].  Unknown keys are ignored, as KataGo's grow."""
    words = arguments.words
    options = _Options(session.position.copy())
    index = 0
    if words and is_colour(words[0]):
        options.position.to_play = arguments.colour(0)
        index = 1
    if len(words) > index and words[index].isdigit():
        options.interval = _interval(arguments, index)
        index += 1
    while index < len(words):
        key = words[index].lower()
        length = 4 if key in ("avoid", "allow") else 2
        if len(words) < index + length:
            raise arguments.usage_error()
        _read_option(options, key, arguments, index + 1)
        index += length
    return options


def _interval(arguments: Arguments, index: int) -> int:
    word = arguments.words[index]
    if not word.isdigit():
        raise arguments.usage_error()
    return min(int(word[:7]), MAX_INTERVAL)


def _read_option(options: _Options, key: str, arguments: Arguments, index: int) -> None:
    """Read the value of an option, which begins with the argument ``index``."""
    if key == "interval":
        options.interval = _interval(arguments, index)
    elif key == "minmoves":
        options.min_moves = arguments.integer(index, 0, 10**9)
    elif key == "maxmoves":
        options.max_moves = arguments.integer(index, 0, 10**9)
    elif key == "ownership":
        options.ownership = arguments.words[index].lower() in ("true", "1")
    elif key in ("avoid", "allow"):
        colour, cells = arguments.colour(index), arguments.cells(index + 1)
        arguments.integer(index + 2, 1, 10**9)  # how many moves deep; only the next one counts here
        if colour is not options.position.to_play:
            return
        if key == "avoid" and options.allowed is None:
            options.avoided.update(cells)
        elif key == "allow" and options.allowed is None and not options.avoided:
            options.allowed = set(cells)
        else:
            raise GtpError("give either `avoid` or one `allow`")


def _analyze(format_line: Format) -> Callable[[Session, Arguments], str]:
    """Make a handler that searches and sends reports until the next line arrives."""

    def handler(session: Session, arguments: Arguments) -> str:
        options = _options(session, arguments)
        if session.position.winner is not None:
            raise GtpError(f"the game is over, {session.position.winner} has won")
        channel = session.channel

        def report(analysis: Analysis) -> None:
            if analysis.moves:
                channel.send_lines(format_line(session, options, analysis))

        try:
            session.search_freely(
                options.position.to_play,
                channel.superseded,
                options.watch(report, INTERVAL),
                options.forbidden(),
            )
        except AvoidError as error:
            raise GtpError(str(error)) from None
        report(session.player.analysis())
        # A solved position is reported once, but the reply must still last until the next line.
        while not channel.superseded.is_set:
            time.sleep(0.01)
        return ""

    return handler


def _genmove_analyze(format_line: Format) -> Callable[[Session, Arguments], str]:
    """Make a handler that makes a move like `genmove` and reports on the search for it."""

    def handler(session: Session, arguments: Arguments) -> str:
        options = _options(session, arguments)
        colour = options.position.to_play
        has_search = session.may_decide(colour)

        def report(analysis: Analysis) -> None:
            if analysis.moves:
                session.channel.send_lines(format_line(session, options, analysis))

        # Without an interval there is one report, at the end.
        watch = options.watch(report, math.inf)
        move = make_move(session, colour, watch, options.forbidden())
        if not (has_search and session.player.analysis().moves):  # the end, or an opening
            return f"\nplay {move}"
        report(session.player.analysis())
        return f"play {move}"

    return handler


def _entries(
    session: Session,
    options: _Options,
    analysis: Analysis,
    entry: Callable[[int, MoveAnalysis], str],
) -> str:
    count = max(options.min_moves, len(analysis.considered))
    moves = analysis.moves[:count] if options.min_moves else analysis.considered
    texts = []
    for order, move in enumerate(moves[: options.max_moves]):
        line = analysis.variation if move.cell == analysis.variation[0] else (move.cell,)
        names = " ".join(map(session.name, line))
        texts.append(f"info move {session.name(move.cell)} {entry(order, move)} pv {names}")
    return " ".join(texts)


def win_rate(move: MoveAnalysis) -> float:
    """Return the value of a move, 0 to 1; a proven move has value 0 or 1."""
    return move.value if move.proven is None else float(move.proven)


def _leela_zero(session: Session, options: _Options, analysis: Analysis) -> str:
    def entry(order: int, move: MoveAnalysis) -> str:
        prior = "" if move.prior is None else f" prior {round(10_000 * move.prior)}"
        rate = round(10_000 * win_rate(move))
        return f"visits {move.visits or 0} winrate {rate}{prior} order {order}"

    return _entries(session, options, analysis, entry)


def _kata(session: Session, options: _Options, analysis: Analysis) -> str:
    def entry(order: int, move: MoveAnalysis) -> str:
        prior = "" if move.prior is None else f" prior {move.prior:.6f}"
        rate = f"{win_rate(move):.4f}"
        return f"visits {move.visits or 0} winrate {rate} scoreLead 0{prior} order {order}"

    text = _entries(session, options, analysis, entry)
    if options.ownership:
        shares = _ownership(options.position)
        text += " ownership " + " ".join(f"{share:.3f}" for share in shares)
    return text


def _ownership(position: Position) -> list[float]:
    """Estimate by playouts who owns each cell at the end: from 1, the side to move, to -1."""
    found = statistics(position, DEFAULT_PLAYOUTS, position.hash, fill="in-turn")
    black = [float(content == BLACK) for content in position.stones]
    for cell, share in zip(found.cells, found.ownership, strict=True):
        black[cell] = share
    is_black = position.to_play is BLACK
    return [2 * share - 1 if is_black else 1 - 2 * share for share in black]


_USAGE = "[COLOUR] [CENTISECONDS] [KEY VALUE ...]"

LIVE_ANALYSIS = (
    Command(
        "lz-analyze",
        _analyze(_leela_zero),
        _USAGE,
        "Searches until the next line arrives and reports on the moves at the given interval: "
        "visits, winrate (0 to 10000), prior (likewise; left out if the player has none), order, "
        "principal variation.  The interval, in centiseconds, can also be given as `interval "
        "CENTISECONDS`.  `minmoves N` and `maxmoves N` bound the number of moves reported.  "
        "`avoid COLOUR CELL,CELL,... DEPTH` leaves moves out, `allow` all others, if COLOUR is to "
        "move; they apply to the next move, whatever the DEPTH.",
        "the game is over, or no move is left",
    ),
    Command(
        "kata-analyze",
        _analyze(_kata),
        _USAGE,
        "Like lz-analyze, but winrate and prior range from 0 to 1.  `ownership true` adds the "
        "ownership of each cell, row by row, from the point of view of COLOUR: from -1 (never owns "
        "it at the end) to 1 (always).",
        "the game is over, or no move is left",
    ),
    Command(
        "lz-genmove_analyze",
        _genmove_analyze(_leela_zero),
        _USAGE,
        "Like genmove, but reports as lz-analyze does, once at the end if no interval is given, "
        "and answers `play MOVE` in the last line.",
        "no move is left",
    ),
    Command(
        "kata-genmove_analyze",
        _genmove_analyze(_kata),
        _USAGE,
        "Like lz-genmove_analyze, with the reports of kata-analyze.",
        "no move is left",
    ),
)
"""The live analysis family."""
