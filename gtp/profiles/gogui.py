"""The commands by which GoGui shows a game that is not Go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trivalent.core.board import BLACK, WHITE
from trivalent.core.games import GAMES
from trivalent.gtp.engine.arguments import GtpError
from trivalent.gtp.engine.command import Command

if TYPE_CHECKING:
    from trivalent.gtp.engine.arguments import Arguments
    from trivalent.gtp.engine.session import Session

_SIGNS = {None: ".", BLACK: "X", WHITE: "O"}
_TYPES = {"group": "plist"}
"""What GoGui calls a type of HexGui's; the others that we use have one name."""
_UNKNOWN_TYPES = ("inferior", "vc", "move")


def _size(session: Session) -> int:
    board = session.position.board
    if GAMES[board.game].drawing != "rhombus" or board.width != board.height:
        raise GtpError(f"GoGui shows square Hex boards, not {board}")
    return board.width


def _game_id(session: Session, arguments: Arguments) -> str:
    arguments.expect(0)
    return GAMES[session.position.board.game].title  # GoGui's manual insists on that


def _board_size(session: Session, arguments: Arguments) -> str:
    arguments.expect(0)
    return f"{_size(session)} hex"


def _board(session: Session, arguments: Arguments) -> str:
    arguments.expect(0)
    width = _size(session)
    signs = [_SIGNS[session.position.stone(cell)] for cell in range(width * width)]
    rows = (signs[start : start + width] for start in range(0, len(signs), width))
    return "\n" + "\n".join(" ".join(row) for row in rows)


def _board_graphics(session: Session, arguments: Arguments) -> str:
    # GoGui has no sides to draw; the colours of the cells along them say whose they are.
    arguments.expect(0)
    last = _size(session) - 1
    black, white = [], []
    for cell, (x, y) in enumerate(session.position.board.coordinates):
        if 0 < x < last and y in (0, last):
            black.append(session.name(cell))
        elif 0 < y < last and x in (0, last):
            white.append(session.name(cell))
    sides = (("#000000", black), ("#ffffff", white))
    return "\n".join(f"COLOR {colour} {' '.join(cells)}" for colour, cells in sides if cells)


def _legal_moves(session: Session, arguments: Arguments) -> str:
    arguments.expect(0)
    return " ".join(map(session.name, session.position.legal_moves))


def _side_to_move(session: Session, arguments: Arguments) -> str:
    arguments.expect(0)
    return str(session.position.to_play)


def _final_result(session: Session, arguments: Arguments) -> str:
    arguments.expect(0)
    winner = session.position.winner
    return "" if winner is None else f"{str(winner).capitalize()} wins"


def _analyze_commands(session: Session, arguments: Arguments) -> str:
    arguments.expect(0)
    lines = []
    for command in session.commands.values():
        kind, _, rest = command.hexgui.partition("/")
        if rest and kind not in _UNKNOWN_TYPES:
            lines.append(f"{_TYPES.get(kind, kind)}/{rest}")
    return "\n".join(lines)


GOGUI = (
    Command("gogui-rules_game_id", _game_id, "", "The name of the game: Hex or Y."),
    Command(
        "gogui-rules_board_size",
        _board_size,
        "",
        "The size of the board, and that it has hexagonal cells.",
        "the board is not a square Hex board",
    ),
    Command(
        "gogui-rules_board",
        _board,
        "",
        "The cells row by row from the top: X black, O white.",
        "the board is not a square Hex board",
    ),
    Command(
        "gogui-rules_board_gfx",
        _board_graphics,
        "",
        "Colours the cells along the sides like the players who join them.",
        "the board is not a square Hex board",
    ),
    Command("gogui-rules_legal_moves", _legal_moves, "", "The cells that may be taken."),
    Command("gogui-rules_side_to_move", _side_to_move, "", "The colour to move."),
    Command("gogui-rules_final_result", _final_result, "", "Who has won; empty while it is open."),
    Command(
        "gogui-analyze_commands",
        _analyze_commands,
        "",
        "The entries of GoGui's analyze dialog: type/label/command.",
    ),
)
"""The GoGui family."""
