"""KataHex's profile: the commands that the workers of websites send."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trivalent.core.board import BLACK
from trivalent.gtp.commands.game import genmove
from trivalent.gtp.engine.command import Command
from trivalent.gtp.engine.profile import Profile
from trivalent.gtp.engine.session import STDERR

if TYPE_CHECKING:
    from trivalent.gtp.engine.arguments import Arguments
    from trivalent.gtp.engine.session import Session


def _genmove_debug(session: Session, arguments: Arguments) -> str:
    over = session.position.winner is not None
    names = session.position.board.names
    answer = genmove(session, arguments)
    for move in () if over else session.player.analysis().moves:
        if move.visits:
            STDERR.info("%s : visits %d winrate %.4f", names[move.cell], move.visits, move.value)
    return answer


def _raw_output(session: Session) -> tuple[float, dict[int, float]]:
    """Return the value for the side to move, and the share of each move in the policy."""
    position = session.position
    opinion = position.winner is None and session.player.network_opinion(position.to_play)
    if opinion:
        return opinion.value, opinion.policy
    analysis = session.analysis(position.to_play)
    visits = {move.cell: move.visits or 0 for move in analysis.moves}
    if not any(visits.values()):  # a position solved without a search has no visits
        visits[analysis.moves[0].cell] = 1
    total = sum(visits.values())
    return analysis.value, {cell: count / total for cell, count in visits.items()}


def _raw_nn(session: Session, arguments: Arguments) -> str:
    """Answer in the format of a network's raw output, from a network or else from a search."""
    arguments.expect_count(0, 1)  # ignored: a symmetry of the board, or "all"
    position = session.position
    value, policy = _raw_output(session)
    rows: list[list[str]] = [[] for _ in range(position.board.height)]
    for cell, (_, y) in enumerate(position.board.coordinates):
        rows[y].append(f"{policy[cell]:.6f}" if cell in policy else "NAN")
    white = 1 - value if position.to_play is BLACK else value
    return "\n".join(
        [
            "symmetry 0",
            f"whiteWin {white:.6f}",
            f"whiteLoss {1 - white:.6f}",
            "policy",
            *(" ".join(row) for row in rows),
            "policyPass 0.000000",
        ]
    )


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
        "search: then the policy is each move's share of the visits.",
        "the game is over",
        reduced_only=True,
    ),
)

KATAHEX = Profile(
    purpose="scripts and web workers written for KataHex",
    commands=_COMMANDS,
)
"""The profile of KataHex."""
