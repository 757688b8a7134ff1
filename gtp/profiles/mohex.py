"""MoHex's profile, commands and parameters, for scripts and HexGui's Options button."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from trivalent.bot.time_control import TimeSettings
from trivalent.core.position import Kind
from trivalent.gtp.commands.game import final_score
from trivalent.gtp.commands.parameters import table
from trivalent.gtp.commands.solver import PARAM_DFPN
from trivalent.gtp.engine.arguments import GtpError
from trivalent.gtp.engine.command import Command
from trivalent.gtp.engine.profile import Profile

if TYPE_CHECKING:
    from trivalent.gtp.engine.arguments import Arguments
    from trivalent.gtp.engine.session import Session

_SEARCH = {"max_time": "seconds", "max_games": "nodes", "use_livegfx": "live_graphics"}
_PLAYER = {"num_threads": "threads"}
_SOLVER_ONLY = {
    *("db_bak_filename", "db_bak_period", "db_bak_start", "epsilon", "guifx_deep_bounds"),
    *("thread_work", "tt_bak_filename", "tt_bak_period", "tt_bak_start", "tt_size"),
    *("widening_base", "widening_factor"),
}
"""Parameters of MoHex's solver that have no counterpart here."""


def _param_mohex(session: Session, arguments: Arguments) -> str:
    if not len(arguments):
        values = {key: getattr(session.search, ours) for key, ours in _SEARCH.items()}
        player = session.player.parameters
        for key, ours in _PLAYER.items():
            if hasattr(player, ours):
                values[key] = getattr(player, ours)
        if hasattr(player, "memory"):
            values["max_memory"] = player.memory << 20
        return table(values | session.foreign_parameters)
    arguments.expect_count(2)
    key, value = arguments.words
    try:
        if key in _SEARCH:
            session.search = session.search.updated({_SEARCH[key]: value})
        elif key == "max_memory" and hasattr(session.player.parameters, "memory"):
            megabytes = max(1, arguments.integer(1, 1, 2**62) >> 20)
            session.configure_player({"memory": str(megabytes)})
        elif key in _PLAYER and hasattr(session.player.parameters, _PLAYER[key]):
            session.configure_player({_PLAYER[key]: value})
        else:  # scripts also set some of the dozens of parameters of MoHex's own search
            _store_foreign(session, key, value)
    except ValueError as error:
        raise GtpError(str(error)) from None
    return ""


_MAX_FOREIGN = 100  # parameters
_MAX_FOREIGN_LENGTH = 100  # characters of a key or a value


def _store_foreign(session: Session, key: str, value: str) -> None:
    full = len(session.foreign_parameters) >= _MAX_FOREIGN and key not in session.foreign_parameters
    if full or max(len(key), len(value)) > _MAX_FOREIGN_LENGTH:
        raise GtpError(
            f"cannot store more than {_MAX_FOREIGN} parameters of {_MAX_FOREIGN_LENGTH} characters"
        )
    session.foreign_parameters[key] = value


def _param_dfpn(session: Session, arguments: Arguments) -> str:
    if len(arguments) == 2 and arguments.words[0] in _SOLVER_ONLY:
        return ""  # accepted and ignored, so that scripts go on
    return PARAM_DFPN.handler(session, arguments)


def _param_game(session: Session, arguments: Arguments) -> str:
    if not len(arguments):
        main = session.clock.settings.main if session.clock else 0
        return table({"allow_swap": session.game.allow_swap, "game_time": f"{main:g}"})
    arguments.expect_count(2)
    key, value = arguments.words
    try:
        if key == "game_time":
            seconds = arguments.seconds(1)
            session.restart_clock(TimeSettings(seconds) if seconds else None)
        elif key == "on_little_golem":
            arguments.integer(
                1, 0, 1
            )  # in MoHex it turns swap-pieces into swap, which no controller relies on
        else:
            session.game = session.game.updated({key: value})
    except ValueError as error:
        raise GtpError(str(error)) from None
    return ""


def _final_score(session: Session, arguments: Arguments) -> str:
    arguments.expect_count(0)
    return "cannot score" if session.position.winner is None else final_score(session, arguments)


_COMMANDS = (
    Command(
        "param_mohex",
        _param_mohex,
        "[KEY VALUE]",
        "Shows or sets MoHex's parameters.  max_time, max_games, max_memory, num_threads and "
        "use_livegfx work as in MoHex; others are stored and have no effect.",
        "the value is out of range",
        "param/MoHex Parameters/param_mohex",
    ),
    Command(
        "param_game",
        _param_game,
        "[KEY VALUE]",
        "Shows or sets allow_swap and game_time, the seconds for the whole game (0: no clock).  "
        "on_little_golem is accepted and has no effect.",
        "the parameter does not exist, or the value is invalid",
        "param/Game Parameters/param_game",
    ),
    dataclasses.replace(
        PARAM_DFPN,
        handler=_param_dfpn,
        effect=f"{PARAM_DFPN.effect}  Those that only MoHex's solver has are accepted and ignored.",
    ),
    Command("final_score", _final_score, "", "Returns B+ or W+, or `cannot score` before the end."),
)

_ALIASES = {
    "dfs-clear-tt": "dfpn-clear-tt",
    "dfs-get-pv": "dfpn-get-pv",
    "dfs-get-state": "dfpn-get-state",
    "dfs-solve-state": "dfpn-solve-state",
    "dfs-solver-find-winning": "dfpn-solver-find-winning",
    "mohex-get-pv": "trivalent-pv",
    "mohex-values": "trivalent-values",
    "mohex-rave-values": "trivalent-rave-values",
    "mohex-find-top-moves": "trivalent-top-moves",
    "mohex-do-playouts": "trivalent-playouts",
    "mohex-search-statistics": "trivalent-search",
    "mohex-cell-stats": "trivalent-ownership",
}
"""MoHex's names of common commands: alias to name."""

MOHEX = Profile(
    purpose="scripts and web workers written for MoHex; enables HexGui's Options button",
    name="MoHex",
    # Despite its name, swap-pieces leaves the stone where it is in MoHex.
    swaps={"swap-pieces": Kind.SWAP_SIDES},
    swap_answers={"swap-pieces": Kind.SWAP_SIDES},
    commands=_COMMANDS,
    aliases=_ALIASES,
)
"""The profile of MoHex."""
