"""KataHex's profile: the commands that the workers of websites send."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from trivalent.bot.parameters import AUTO, MAX_SECONDS
from trivalent.bot.player import Limits
from trivalent.core.board import BLACK
from trivalent.gtp.commands.game import genmove, position_of_stones
from trivalent.gtp.commands.live_analysis import win_rate
from trivalent.gtp.engine.arguments import Arguments, GtpError
from trivalent.gtp.engine.command import Command
from trivalent.gtp.engine.profile import Profile
from trivalent.gtp.engine.session import STDERR

if TYPE_CHECKING:
    from trivalent.bot.player import Analysis, Player
    from trivalent.core.position import Position
    from trivalent.gtp.engine.session import Session

RAW_PLAYOUTS = 8192
"""Playouts that stand in for a network: a few milliseconds on 11x11."""


def _genmove_debug(session: Session, arguments: Arguments) -> str:
    over = session.position.winner is not None
    names = session.position.board.names
    answer = genmove(session, arguments)
    for move in () if over else session.player.analysis().moves:
        if move.visits:
            STDERR.info(
                "%s : visits %d winrate %.4f", names[move.cell], move.visits, win_rate(move)
            )
    return answer


def _raw_output(session: Session, position: Position) -> tuple[float, dict[int, float]]:
    """Return the value for the side to move, and the share of each move in the policy.

    If the game is over, the policy has nothing to choose.
    """
    empty = position.empty_cells
    if position.winner is not None:
        return float(position.winner is position.to_play), {cell: 1 / len(empty) for cell in empty}
    with session.player_at(position) as player:
        opinion = player.network_opinion(position.to_play)
        if opinion:
            return opinion.value, opinion.policy
        analysis = _few_playouts(session, player, position)
    return analysis.value, _policy(analysis)


def _few_playouts(session: Session, player: Player, position: Position) -> Analysis:
    batch = getattr(player.parameters, "batch", 1)
    limits = Limits(nodes=max(1, RAW_PLAYOUTS // batch), seconds=session.max_seconds)
    player.genmove(position.to_play, limits, session.channel.stop)
    return player.analysis()


def _policy(analysis: Analysis) -> dict[int, float]:
    """Return the share of each move in the visits, the priors counting as one visit more.

    A move that is proven to win gets the whole policy.
    """
    if not analysis.moves:
        raise GtpError("this player does not evaluate its moves")
    best = analysis.moves[0]
    if best.proven:
        return {best.cell: 1.0}
    weights = {move.cell: (move.visits or 0) + (move.prior or 0.0) for move in analysis.moves}
    total = sum(weights.values())
    if not total:
        return {best.cell: 1.0}
    return {cell: weight / total for cell, weight in weights.items()}


def _block(session: Session, position: Position) -> list[str]:
    """Return the lines that KataHex prints about a position."""
    value, policy = _raw_output(session, position)
    rows: list[list[str]] = [[] for _ in range(position.board.height)]
    for content, cell, (_, y) in zip(
        position.stones, range(len(position.board)), position.board.coordinates, strict=True
    ):
        rows[y].append("NAN" if content else f"{policy.get(cell, 0.0):.6f}")
    white = 1 - value if position.to_play is BLACK else value
    return [
        "symmetry 0",
        f"whiteWin {white:.6f}",
        f"whiteLoss {1 - white:.6f}",
        "policy",
        *(" ".join(row) for row in rows),
        "policyPass 0.000000",
    ]


def _raw_nn(session: Session, arguments: Arguments) -> str:
    arguments.expect_count(0, 1)  # ignored: a symmetry of the board, or "all"
    return "\n".join(_block(session, session.position))


def _raw_nn_batch(session: Session, arguments: Arguments) -> str:
    if not len(arguments):
        raise arguments.usage_error()
    _, *words = arguments.words  # the symmetry is ignored
    positions = [
        position_of_stones(session, arguments.part(text.split()))
        for text in " ".join(words).split("|")
    ]
    began = time.monotonic()
    lines = []
    for number, position in enumerate(positions):
        if session.channel.stop.is_set:
            raise GtpError("interrupted")
        if session.max_seconds is not None and time.monotonic() - began > session.max_seconds:
            raise GtpError(f"too many positions for {session.max_seconds:g} s")
        lines += [f"position {number}", *_block(session, position)]
    return "\n".join(lines)


_LIMITS = ("maxPlayouts", "maxVisits")
_THREADS = "numSearchThreads"
_WITHOUT_EFFECT = {
    "analysisWideRootNoise": "0",
    "playoutDoublingAdvantage": "0",
    "rootPolicyTemperature": "1",
}
"""Parameters that are only stored, and their values at the start."""
_PARAMETERS = (*_LIMITS, "maxTime", _THREADS, *_WITHOUT_EFFECT)
_UNLIMITED = 2**50
"""The largest limit that KataHex takes; it stands for none."""


def _get_param(session: Session, arguments: Arguments) -> str:
    arguments.expect_count(1)
    name = arguments.words[0]
    _require_known(name)
    if name in session.foreign_parameters:
        return session.foreign_parameters[name]
    values = {
        **dict.fromkeys(_LIMITS, session.search.nodes or _UNLIMITED),
        "maxTime": session.search.seconds or 1e20,
        _THREADS: getattr(session.player.parameters, "threads", 1),
    }
    return str(values[name]) if name in values else _WITHOUT_EFFECT[name]


def _set_param(session: Session, arguments: Arguments) -> str:
    arguments.expect_count(2)
    name, value = arguments.words
    _require_known(name)
    try:
        if name in _LIMITS:
            arguments.integer(1, 1, _UNLIMITED)
            set_limits = session.foreign_parameters | {name: value}
            nodes = min(int(set_limits[key]) for key in _LIMITS if key in set_limits)
            session.search = session.search.updated({"nodes": str(nodes % _UNLIMITED)})
        elif name == "maxTime":
            text = AUTO if float(value) > MAX_SECONDS else value
            session.search = session.search.updated({"seconds": text})
        elif name == _THREADS and hasattr(session.player.parameters, "threads"):
            session.configure_player({"threads": str(arguments.integer(1, 1, 256))})
        else:
            float(value)
    except GtpError:
        raise
    except ValueError as error:
        raise GtpError(f"{name}: {error}") from None
    session.foreign_parameters[name] = value
    return ""


def _list_params(session: Session, arguments: Arguments) -> str:
    arguments.expect_count(0)
    return " ".join(_PARAMETERS)


def _require_known(name: str) -> None:
    if name not in _PARAMETERS:
        raise GtpError(f"unknown parameter {name[:40]} (known: {', '.join(_PARAMETERS)})")


_COMMANDS = (
    Command(
        "genmove_debug",
        _genmove_debug,
        "COLOUR",
        "Like genmove, and prints a line for each searched move on standard error.",
    ),
    Command(
        "kata-raw-nn",
        _raw_nn,
        "[SYMMETRY]",
        "Returns White's winning probability and a policy, NAN for a stone, formatted like the "
        "output of KataHex's network.  Both come from the player's network or, without one, from a "
        f"search of {RAW_PLAYOUTS:,} playouts: then the policy is each move's share of the visits, "
        "to which its prior is added.  After the end White's probability is 1 or 0, and all empty "
        "cells have the same share.",
        reduced_only=True,
    ),
    Command(
        "kata-raw-nn-batch",
        _raw_nn_batch,
        "SYMMETRY [COLOUR CELL ...] [| COLOUR CELL ...] ...",
        "Returns what kata-raw-nn does for several positions, separated by |, each after a line "
        "`position NUMBER`.  Black is to move in all of them.  The position on the board stays.",
        "a cell is given twice or not on the board, or the command is interrupted",
        reduced_only=True,
    ),
    Command(
        "kata-set-param",
        _set_param,
        "NAME VALUE",
        "Sets a parameter of KataHex: maxPlayouts and maxVisits limit the positions evaluated per "
        "move, maxTime its seconds, numSearchThreads sets the threads; others are stored and have "
        "no effect.",
        "the parameter is unknown, or the value is out of range",
    ),
    Command(
        "kata-get-param", _get_param, "NAME", "Returns a parameter of KataHex.", "it is unknown"
    ),
    Command("kata-list-params", _list_params, "", "Lists the parameters of kata-set-param."),
)

KATAHEX = Profile(
    purpose="scripts and web workers written for KataHex",
    plays_on=True,
    sets_up_for_black=True,
    commands=_COMMANDS,
)
"""The profile of KataHex."""
