"""GoGui's profile, with the commands by which GoGui shows a game other than Go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trivalent.core.board import BLACK, WHITE
from trivalent.core.games import GAMES
from trivalent.gtp.commands.graphics import gogui_sides
from trivalent.gtp.commands.standard import offered
from trivalent.gtp.engine.arguments import GtpError
from trivalent.gtp.engine.command import Command
from trivalent.gtp.engine.profile import Profile
from trivalent.gtp.engine.vertices import GO

if TYPE_CHECKING:
    from trivalent.gtp.engine.arguments import Arguments
    from trivalent.gtp.engine.session import Session

_SIGNS = {None: ".", BLACK: "X", WHITE: "O"}
_TYPES = {"group": "plist"}
"""GoGui's names of HexGui's analyze types, where they differ."""
_UNKNOWN_TYPES = ("inferior", "vc", "move")
"""Analyze types of HexGui that GoGui does not have."""


def _size(session: Session) -> int:
    board = session.position.board
    if GAMES[board.game].drawing != "rhombus" or board.width != board.height:
        raise GtpError(f"GoGui shows square Hex boards, not {board}")
    return board.width


def _game_id(session: Session, arguments: Arguments) -> str:
    arguments.expect_count(0)
    return GAMES[session.position.board.game].title  # the manual of GoGui asks for a capital


def _board_size(session: Session, arguments: Arguments) -> str:
    arguments.expect_count(0)
    return f"{_size(session)} hex"


def _board(session: Session, arguments: Arguments) -> str:
    arguments.expect_count(0)
    width = _size(session)
    signs = [_SIGNS[session.position.stone(cell)] for cell in range(width * width)]
    rows = (signs[start : start + width] for start in range(0, len(signs), width))
    return "\n" + "\n".join(" ".join(row) for row in rows)


def _board_graphics(session: Session, arguments: Arguments) -> str:
    arguments.expect_count(0)
    _size(session)
    return "\n".join(gogui_sides(session))


def _legal_moves(session: Session, arguments: Arguments) -> str:
    arguments.expect_count(0)
    return " ".join(map(session.name, session.position.legal_moves))


def _side_to_move(session: Session, arguments: Arguments) -> str:
    arguments.expect_count(0)
    return str(session.position.to_play)


def _final_result(session: Session, arguments: Arguments) -> str:
    arguments.expect_count(0)
    winner = session.position.winner
    return "" if winner is None else f"{str(winner).capitalize()} wins"


def _analyze_commands(session: Session, arguments: Arguments) -> str:
    arguments.expect_count(0)
    lines = []
    for line in offered(session):
        kind, _, rest = line.partition("/")
        if kind not in _UNKNOWN_TYPES:
            lines.append(f"{_TYPES.get(kind, kind)}/{rest}")
    return "\n".join(lines)


_COMMANDS = (
    Command("gogui-rules_game_id", _game_id, "", "Returns the name of the game: Hex or Y."),
    Command(
        "gogui-rules_board_size",
        _board_size,
        "",
        "Returns the size of the board and the shape of its cells: hex.",
        "the board is not a square Hex board",
    ),
    Command(
        "gogui-rules_board",
        _board,
        "",
        "Returns the cells row by row from the top: X is black, O is white.",
        "the board is not a square Hex board",
    ),
    Command(
        "gogui-rules_board_gfx",
        _board_graphics,
        "",
        "Colours the cells along each side like the player who has to connect it.",
        "the board is not a square Hex board",
    ),
    Command("gogui-rules_legal_moves", _legal_moves, "", "Lists the cells that may be played."),
    Command("gogui-rules_side_to_move", _side_to_move, "", "Returns the colour to move."),
    Command(
        "gogui-rules_final_result",
        _final_result,
        "",
        "Returns who has won; empty before the end of the game.",
    ),
    Command(
        "gogui-analyze_commands",
        _analyze_commands,
        "",
        "Lists the entries of GoGui's analyze dialog: type/label/command.",
    ),
)

GOGUI = Profile(
    purpose="GoGui and its tools; no column I, rows counted from the bottom, no swap",
    vertices=GO,
    gogui_graphics=True,
    # GoGui takes a swap for a malformed move.
    swaps={},
    swap_answers={},
    lacks=frozenset({"param_game"}),  # its only parameter is the swap
    commands=_COMMANDS,
)
"""The profile of GoGui."""
