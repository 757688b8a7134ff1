"""Commands that set up, play and show a game."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trivalent.bot.player import AvoidError
from trivalent.core.board import BLACK, MAX_SIZE, WHITE
from trivalent.core.games import GAMES
from trivalent.core.position import IllegalMove, Position
from trivalent.core.text import printable
from trivalent.gtp.commands.graphics import live
from trivalent.gtp.engine.arguments import GtpError
from trivalent.gtp.engine.command import Command
from trivalent.gtp.engine.diagram import draw

if TYPE_CHECKING:
    from trivalent.bot.player import Watch
    from trivalent.core.board import Colour
    from trivalent.gtp.engine.arguments import Arguments
    from trivalent.gtp.engine.session import Session


def _boardsize(session: Session, arguments: Arguments) -> str:
    try:
        arguments.expect_count(1, 2)
        game = GAMES[session.position.board.game]
        width = arguments.integer(0, game.min_size, game.max_size)
        height = width
        if len(arguments) > 1:
            height = arguments.integer(1, game.min_size, game.max_size)
        session.new_game(game.name, width, height)
    except ValueError as error:
        raise GtpError(f"unacceptable size: {error}") from None
    return ""


def _clear_board(session: Session, arguments: Arguments) -> str:
    arguments.expect_count(0)
    board = session.position.board
    session.new_game(board.game, board.width, board.height)
    return ""


def _set_game(session: Session, arguments: Arguments) -> str:
    arguments.expect_count(1)
    word = arguments.words[0].lower()
    if word not in GAMES:
        raise GtpError(f"unknown game {printable(word)} (known: {', '.join(GAMES)})")
    game, before = GAMES[word], session.position.board
    keeps_size = game.reduced and GAMES[before.game].reduced
    size = before.height if keeps_size or word == before.game else game.default_size
    session.new_game(word, size, size)
    return ""


def _play(session: Session, arguments: Arguments) -> str:
    arguments.expect_count(2)
    colour = arguments.colour(0)
    word = arguments.words[1].lower()
    try:
        if word in session.profile.swaps:
            session.swap(session.position, colour, word)
            session.player.set_position(session.position)
        elif word == "pass":
            session.require_turn(session.position, colour)
            session.position.pass_turn(colour)
            session.player.set_position(session.position)
        elif word == "resign":
            session.resign()
        else:
            session.play(colour, arguments.cell(1))
    except IllegalMove as error:
        raise GtpError(f"illegal move: {error}") from None
    return ""


def _play_game(session: Session, arguments: Arguments) -> str:
    # Colours alternate.  A swap of pieces and a pass use up a turn, a swap of sides does not.
    position = Position(session.position.board)
    for index, word in enumerate(arguments.words):
        try:
            if word.lower() in session.profile.swaps:
                session.swap(position, position.to_play, word.lower())
            elif word.lower() == "pass":
                position.pass_turn(position.to_play)
            else:
                session.require_turn(position, position.to_play)
                position.play(position.to_play, arguments.cell(index))
        except IllegalMove as error:
            raise GtpError(f"illegal move: move {index + 1}: {error}") from None
        except GtpError as error:
            raise GtpError(f"move {index + 1}: {error}") from None
    session.adopt(position)
    return ""


def _set_position(session: Session, arguments: Arguments) -> str:
    session.adopt(position_of_stones(session, arguments))
    return ""


def position_of_stones(session: Session, arguments: Arguments) -> Position:
    """Read a position: COLOUR CELL for each stone.

    White is to move if Black has more stones, unless in the profile Black always is.
    """
    if len(arguments) % 2:
        raise arguments.usage_error()
    position = Position(session.position.board)
    for index in range(0, len(arguments), 2):
        colour, cell = arguments.colour(index), arguments.cell(index + 1)
        if position.stone(cell) is not None:
            raise GtpError(f"two stones on {session.name(cell)}")
        position.setup(cell, colour)
        stones = position.stones  # set after each stone, so that it is right after an undo, too
        if not session.profile.sets_up_for_black:
            position.to_play = BLACK if stones.count(BLACK) <= stones.count(WHITE) else WHITE
    return position


def genmove(session: Session, arguments: Arguments) -> str:
    """Handle `genmove`: choose a move, play it, and return its text."""
    arguments.expect_count(1)
    colour = arguments.colour(0)
    return make_move(session, colour, live(session, colour))


def make_move(
    session: Session, colour: Colour, watch: Watch | None, avoid: frozenset[int] = frozenset()
) -> str:
    """Choose a move, on none of the cells in ``avoid``, play it, and return its text."""
    _require_turn(session, colour)
    if not session.may_decide(colour):
        return _after_the_end(session, colour)
    try:
        answer = session.decide(colour, on_the_clock=True, watch=watch, avoid=avoid)
    except AvoidError as error:
        raise GtpError(str(error)) from None
    text = session.answer(answer)
    session.carry_out(colour, answer)
    return text


def _after_the_end(session: Session, colour: Colour) -> str:
    """Answer `genmove` when the game is over."""
    if not session.profile.plays_on:
        return "resign"
    empty = session.position.empty_cells
    if not empty:
        return "pass"
    session.play(colour, empty[0])
    return session.name(empty[0])


def _require_turn(session: Session, colour: Colour) -> None:
    if session.position.winner is None:
        try:
            session.require_turn(session.position, colour)
        except IllegalMove as error:
            raise GtpError(str(error)) from None


def _reg_genmove(session: Session, arguments: Arguments) -> str:
    arguments.expect_count(1)
    colour = arguments.colour(0)
    _require_turn(session, colour)
    if not session.may_decide(colour):
        return "resign"
    session.player.set_position(session.position)  # forget the tree, which would affect the answer
    return session.answer(session.decide(colour, on_the_clock=False, watch=live(session, colour)))


def _undo(session: Session, arguments: Arguments) -> str:
    arguments.expect_count(0)
    try:
        session.undo()
    except IllegalMove:
        raise GtpError("cannot undo") from None
    return ""


def _showboard(session: Session, arguments: Arguments) -> str:
    arguments.expect_count(0)
    drawing = "\n" + draw(session.position, session.profile.vertices)
    link = _link(session.position)
    return f"{drawing}\n{link}" if link else drawing


def _show_link(session: Session, arguments: Arguments) -> str:
    arguments.expect_count(0)
    link = _link(session.position)
    if link is None:
        raise GtpError(f"HexWorld cannot show this game ({session.position.board})")
    return link


def _link(position: Position) -> str | None:
    """Return the link that shows a game on HexWorld; None if HexWorld cannot show it."""
    from trivalent.core.records.formats import write  # noqa: PLC0415  keeps the start fast
    from trivalent.core.records.record import Record, RecordError  # noqa: PLC0415

    try:
        return write(Record.of(position), "hexworld").rstrip()
    except RecordError:
        return None


def _all_legal_moves(session: Session, arguments: Arguments) -> str:
    arguments.expect_count(0, 1)
    if len(arguments):
        arguments.colour(0)  # checked only: the moves are the same for both colours
    return " ".join(map(session.name, session.position.legal_moves))


def _winner(session: Session, arguments: Arguments) -> str:
    arguments.expect_count(0)
    winner = session.position.winner
    return "none" if winner is None else str(winner)


def final_score(session: Session, arguments: Arguments) -> str:
    """Handle `final_score`: return B+ or W+."""
    arguments.expect_count(0)
    winner = session.position.winner
    if winner is None:
        raise GtpError("cannot score: nobody has won yet")
    return f"{str(winner)[0].upper()}+"


def _group_get(session: Session, arguments: Arguments) -> str:
    arguments.expect_count(1)
    cell = arguments.cell(0)
    position = session.position
    colour = position.stone(cell)
    if colour is None:
        raise GtpError(f"{session.name(cell)} is empty")
    return " ".join(map(session.name, _chain(position, cell, colour)))


def _chain(position: Position, cell: int, colour: Colour) -> list[int]:
    """Return the cells of the chain that contains ``cell``, that cell first."""
    chain = [cell]
    seen = {cell}
    for found in chain:  # the list grows during the loop
        for neighbour in position.board.neighbours[found]:
            if neighbour not in seen and position.stone(neighbour) is colour:
                seen.add(neighbour)
                chain.append(neighbour)
    return chain


def _komi(session: Session, arguments: Arguments) -> str:
    # Controllers for Go always send it, and some give up if it fails.
    arguments.expect_count(1)
    try:
        float(arguments.words[0])
    except ValueError:
        raise GtpError("komi must be a number (and changes nothing here)") from None
    return ""


GAME = (
    Command(
        "boardsize",
        _boardsize,
        "WIDTH [HEIGHT]",
        "Starts a new game on an empty board.  The columns and rows of Hex are 1 to "
        f"{MAX_SIZE}; the other games take one number, "
        + ", ".join(
            f"{game.title} {game.min_size} to {game.max_size}"
            for game in GAMES.values()
            if not game.oblong
        )
        + ".",
        "the size is out of range",
    ),
    Command(
        "rectangular_boardsize",
        _boardsize,
        "WIDTH [HEIGHT]",
        "The same as boardsize; KataGo's name for it.",
        "the size is out of range",
    ),
    Command("clear_board", _clear_board, "", "Clears the board and resets the clocks."),
    Command(
        "set_game",
        _set_game,
        "|".join(GAMES),
        "Switches to another game, on an empty board: of the same height between Hex and Y, else "
        "of the game's usual size.",
        "the game is unknown",
    ),
    Command(
        "play",
        _play,
        "COLOUR CELL",
        "Places a stone, regardless of whose turn it is.  Instead of a cell, pass and resign are "
        "accepted (resign does not change the board), and as the second move also swap-pieces and "
        "swap-sides.  With swap-pieces the stone changes its colour and, in Hex, is mirrored; with "
        "swap-sides the players exchange colours.  In Renkula! a stone goes on a cell and on its "
        "antipode; either name will do.",
        "the cell is occupied or not on the board, or a swap is impossible or not allowed",
    ),
    Command(
        "play-game",
        _play_game,
        "[MOVE ...]",
        "Clears the board and plays the moves in turn, Black first; accepts swaps and passes.",
        "a move is illegal; the board then stays as it was",
    ),
    Command(
        "set_position",
        _set_position,
        "[COLOUR CELL ...]",
        "Clears the board and places the stones.  White is to move if Black has more stones, else "
        "Black (with --compat katahex always Black).",
        "a cell is given twice or not on the board",
    ),
    Command(
        "genmove",
        genmove,
        "COLOUR",
        "Chooses a move, plays it and returns it: a cell, resign (also if the game is over), or a "
        "swap if param_game allow_swap is 1.  With --compat katahex it goes on after the end: with "
        "an empty cell, or pass if there is none.",
    ),
    Command(
        "reg_genmove",
        _reg_genmove,
        "COLOUR",
        "Returns the move that genmove would choose with an empty search tree, without playing it; "
        "meant for regression tests.",
    ),
    Command(
        "undo",
        _undo,
        "",
        "Takes back the last stone, swap or pass; swap-sides is taken back together with the stone "
        "before it.",
        "there is nothing to take back",
    ),
    Command(
        "showboard",
        _showboard,
        "",
        "Draws the board and prints a link to the game on HexWorld.",
        hexgui="string/Show Board/showboard",
    ),
    Command(
        "trivalent-link",
        _show_link,
        "",
        "Returns the link that shows the game on HexWorld.",
        "HexWorld cannot show the game: it is not Hex, or the board is too large",
        hexgui="string/HexWorld Link/trivalent-link",
        only="hex",
    ),
    Command(
        "all_legal_moves",
        _all_legal_moves,
        "[COLOUR]",
        "Lists the cells that may be played; none when the game is over.",
        hexgui="plist/All Legal Moves/all_legal_moves",
    ),
    Command(
        "winner",
        _winner,
        "",
        "Returns who has won: black, white or none.",
        hexgui="string/Winner/winner",
    ),
    Command(
        "final_score",
        final_score,
        "",
        "Returns the result: B+ if Black has won, W+ if White has won.",
        "nobody has won yet",
    ),
    Command(
        "group-get",
        _group_get,
        "CELL",
        "Lists the cells of the chain that a stone belongs to.",
        "the cell is empty or not on the board",
        hexgui="group/Chain/group-get %p",
    ),
    Command("komi", _komi, "NUMBER", "Has no effect; accepted for controllers made for Go."),
)
"""The game family."""
