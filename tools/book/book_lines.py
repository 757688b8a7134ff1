"""Lines of moves in a book: read from text, and written as a tree of variations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trivalent.bot.book.book_file import BookError
from trivalent.bot.book.book_positions import Stones
from trivalent.core import VERSION
from trivalent.core.position import IllegalMove, Position
from trivalent.core.records.formats import read
from trivalent.core.records.record import Action, Record, RecordError, Turn, apply

if TYPE_CHECKING:
    from trivalent.bot.book.book_file import BookSettings
    from trivalent.bot.book.opening_book import BookMove, OpeningBook
    from trivalent.core.board import Board
    from trivalent.core.records.record import Node


def position_after(text: str, board: Board) -> Position:
    """Return the position after a line: moves such as ``c3 e5``, a link, or another record.

    Raise BookError if it can't be read or is on another board.
    """
    if not text.strip():
        return Position(board)
    try:
        reading = read(text, board=board)
    except RecordError as error:
        raise BookError(f"{text[:40]!r}: {error}") from None
    if reading.loss:
        raise BookError(f"{text[:40]!r}: {reading.loss.text}")
    if reading.record.board != board:
        raise BookError(f"the line is on {reading.record.board}, and the book is for {board}")
    return reading.record.position()


def positions_of(record: Record, plies: int) -> list[Stones]:
    """Return the positions of a game and its variations after 1 to ``plies`` moves.

    A line ends before a pass, a setup, or a move that ends the game.
    """
    found: list[Stones] = []
    todo: list[tuple[Node, Position]] = [(record.root, Position(record.board))]
    while todo:
        node, position = todo.pop()
        position = position.copy()
        try:
            if node.setup or (node.turn and node.turn.action in _ENDS):
                continue
            apply(position, node)
        except IllegalMove:
            continue
        stones = Stones.of(position)
        if position.winner is not None or stones.number > plies:
            continue
        if node.turn is not None and node.turn.action is Action.PLAY:
            found.append(stones)
        todo += [(child, position) for child in reversed(node.children)]
    return found


_ENDS = (Action.PASS, Action.RESIGN, Action.FORFEIT)


def variations(book: OpeningBook, settings: BookSettings, start: Position, plies: int) -> Record:
    """Return a book as a record: the moves to a position, then its variations from best to worst.

    The positions after ``plies`` more moves are the last.  Of transpositions, only the first is
    followed; a comment on each move says what it's worth.
    """
    record = Record.of(start)
    record.info = {"game name": f"opening book for {book.board}", "user": f"Trivalent {VERSION}"}
    begin = record.root.end()
    begin.comment = evaluator_text(settings)
    seen: dict[str, str] = {}
    position = start.copy()
    # A stack of what to do: follow a move of the position reached so far, or take one back.
    todo: list[tuple[Node, BookMove, int] | None] = []

    def branch(node: Node, depth: int) -> None:
        if depth < plies:
            todo.extend((node, move, depth) for move in reversed(_distinct(book, position)))

    branch(begin, 0)
    while todo:
        step = todo.pop()
        if step is None:
            position.undo()
            continue
        parent, move, depth = step
        node = parent.add(Turn(position.to_play, Action.PLAY, move.cell))
        node.comment = worth_text(move)
        if move.leads_to is None:
            continue
        place = " ".join(book.board.names[m.cell] for m in position.history if m.cell is not None)
        if move.leads_to in seen:
            node.comment += f", continued after {seen[move.leads_to]}"
            continue
        seen[move.leads_to] = f"{place} {book.board.names[move.cell]}".strip()
        position.play(position.to_play, move.cell)
        todo.append(None)
        branch(node, depth + 1)
    return record


def _distinct(book: OpeningBook, position: Position) -> list[BookMove]:
    """Return the moves of a position, one of each set of symmetric ones."""
    moves: dict[str, BookMove] = {}
    for move in book.moves(position):
        moves.setdefault(move.leads_to or "", move)
    return list(moves.values())


def worth_text(move: BookMove) -> str:
    """Return what a move is worth, in words."""
    if move.proven is not None:
        return "proven win" if move.proven else "proven loss"
    drop_out = ", drop-out move" if move.leads_to is None else ""
    return f"wins {100 * move.value:.1f} %{drop_out}"


def evaluator_text(settings: BookSettings) -> str:
    """Return a sentence that says how the positions of a book were evaluated."""
    limits = []
    if settings.nodes:
        limits.append(f"{settings.nodes:,} nodes")
    if settings.seconds:
        limits.append(f"{settings.seconds:g} s")
    parameters = "".join(f", {name}={value}" for name, value in settings.parameters.items())
    return (
        f"evaluated by {settings.player} with {' and '.join(limits)} a position{parameters}; "
        f"width {settings.width:g}; {'with' if settings.swap else 'without'} the swap; begun by "
        f"Trivalent {settings.version}"
    )
