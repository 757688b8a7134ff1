"""The commands that set up, play and show a game."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trivalent.bot.clock import TimeSettings
from trivalent.bot.player import Special
from trivalent.core.board import GAMES, MAX_SIZE
from trivalent.core.position import IllegalMove, Kind
from trivalent.gtp.diagram import draw
from trivalent.gtp.session import Command, GtpError

if TYPE_CHECKING:
    from trivalent.gtp.session import Arguments, Session


def _boardsize(session: Session, arguments: Arguments) -> str:
    try:
        arguments.expect(1, 2)
        width = arguments.integer(0, 1, MAX_SIZE)
        height = arguments.integer(1, 1, MAX_SIZE) if len(arguments.words) > 1 else width
        session.new_game(session.position.board.game, width, height)
    except ValueError as error:
        raise GtpError(f"unacceptable size: {error}") from None
    return ""


def _clear_board(session: Session, arguments: Arguments) -> str:
    arguments.expect(0)
    board = session.position.board
    session.new_game(board.game, board.width, board.height)
    return ""


def _set_game(session: Session, arguments: Arguments) -> str:
    arguments.expect(1)
    game = arguments.words[0].lower()
    if game not in GAMES:
        raise GtpError(f"unknown game (known: {', '.join(GAMES)})")
    board = session.position.board
    session.new_game(game, board.height, board.height)
    return ""


def _play(session: Session, arguments: Arguments) -> str:
    arguments.expect(2)
    colour = arguments.colour(0)
    word = arguments.words[1].lower()
    try:
        if word in (Kind.SWAP_PIECES.value, Kind.SWAP_SIDES.value):
            _swap(session, colour, Kind(word))
        elif word == "pass":
            session.position.to_play = colour.opponent
        elif word != "resign":  # the game goes on if the controller wants it to
            session.play(colour, arguments.cell(1))
    except IllegalMove as error:
        raise GtpError(f"illegal move: {error}") from None
    return ""


def _swap(session: Session, colour: int, kind: Kind) -> None:
    if not session.allow_swap:
        raise GtpError("illegal move: the swap is off (param_game allow_swap 1)")
    first = session.position.last_move
    if first is not None and first.colour == colour:
        raise GtpError("illegal move: nobody swaps a stone of their own")
    session.swap(kind)


def _genmove(session: Session, arguments: Arguments) -> str:
    arguments.expect(1)
    colour = arguments.colour(0)
    position = session.position
    if position.winner is not None:
        return "resign"
    answer = session.decide(colour, on_the_clock=True)
    if isinstance(answer, Special):
        return str(answer)
    session.play(colour, answer)
    return position.board.names[answer]


def _reg_genmove(session: Session, arguments: Arguments) -> str:
    arguments.expect(1)
    colour = arguments.colour(0)
    if session.position.winner is not None:
        return "resign"
    answer = session.decide(colour, on_the_clock=False)
    return str(answer) if isinstance(answer, Special) else session.position.board.names[answer]


def _undo(session: Session, arguments: Arguments) -> str:
    arguments.expect(0)
    try:
        session.undo()
    except IllegalMove:
        raise GtpError("cannot undo") from None
    return ""


def _showboard(session: Session, arguments: Arguments) -> str:
    arguments.expect(0)
    return "\n" + draw(session.position)


def _final_score(session: Session, arguments: Arguments) -> str:
    arguments.expect(0)
    winner = session.position.winner
    if winner is None:
        raise GtpError("cannot score: nobody has won yet")
    return f"{str(winner)[0].upper()}+"


def _komi(session: Session, arguments: Arguments) -> str:
    # Controllers made for Go send it always, and some give up if it fails.
    arguments.expect(1)
    try:
        float(arguments.words[0])
    except ValueError:
        raise GtpError("komi must be a number (and changes nothing here)") from None
    return ""


def _time_settings(session: Session, arguments: Arguments) -> str:
    arguments.expect(3)
    main, byo_yomi = arguments.seconds(0), arguments.seconds(1)
    stones = arguments.integer(2, 0, 1_000_000)
    unlimited = byo_yomi > 0 and stones == 0  # as GTP 2 has it
    session.restart_clock(None if unlimited else TimeSettings(main, byo_yomi, stones))
    return ""


def _time_left(session: Session, arguments: Arguments) -> str:
    arguments.expect(3)
    colour, seconds = arguments.colour(0), arguments.seconds(1)
    stones = arguments.integer(2, 0, 1_000_000)
    if session.clock is None:
        session.restart_clock(TimeSettings(seconds))
    assert session.clock is not None
    session.clock.set_left(colour, seconds, stones)
    return ""


def _param_game(session: Session, arguments: Arguments) -> str:
    if not arguments.words:
        return f"\n[bool] allow_swap {int(session.allow_swap)}"
    arguments.expect(2)
    if arguments.words[0] != "allow_swap":
        raise GtpError("unknown parameter (known: allow_swap)")
    session.allow_swap = bool(arguments.integer(1, 0, 1))
    return ""


GAME = (
    Command(
        "boardsize",
        _boardsize,
        "WIDTH [HEIGHT]",
        f"An empty board of that size, 1 to {MAX_SIZE}; fails for any other, and the game goes on.",
    ),
    Command("clear_board", _clear_board, "", "Empties the board and resets the clocks."),
    Command("set_game", _set_game, "hex|y", "Another game, on an empty board of the same height."),
    Command(
        "play",
        _play,
        "COLOUR CELL",
        "Places a stone, whoever is to move; fails if the cell is taken or off the board.  Also "
        "takes swap-pieces, swap-sides, pass, and resign, which changes nothing.",
    ),
    Command(
        "genmove",
        _genmove,
        "COLOUR",
        "Decides on a move, plays and answers it; resign if the game is over.",
    ),
    Command("reg_genmove", _reg_genmove, "COLOUR", "As genmove, but nothing is played."),
    Command("undo", _undo, "", "Takes back the latest stone; fails if there is none."),
    Command("showboard", _showboard, "", "Draws the board.", "string/Show Board/showboard"),
    Command(
        "final_score",
        _final_score,
        "",
        "B+ or W+, by who has won; fails while the game is open.",
        "string/Final Score/final_score",
    ),
    Command("komi", _komi, "NUMBER", "Changes nothing."),
    Command(
        "time_settings",
        _time_settings,
        "MAIN BYO_YOMI STONES",
        "Seconds of main time, then periods of so many seconds for so many stones.  0 1 0 is no "
        "limit.",
    ),
    Command("time_left", _time_left, "COLOUR SECONDS STONES", "What a clock shows now."),
    Command(
        "param_game",
        _param_game,
        "[allow_swap 0|1]",
        "Whether the second move may be a swap; without arguments, the present setting.",
        "param/Game Parameters/param_game",
    ),
)
"""The game family."""
